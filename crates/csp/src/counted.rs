//! `#P()`: how many processes are at `P()`.
//!
//! PAT's users count processes of a kind this way, in guards and in what is asserted (*process counter variable*, PAT 2.4). A
//! process counts that runs and has come to `P()` but has not taken its first step: an operand of `|||` or `||`, the first of a
//! sequence, what can be interrupted, or what is hidden or atomic; not one that may be chosen. Calls are replaced by
//! what they call: if `Q() = P()`, a process at `Q()` is at `P()`.
//!
//! How many there are is a function of the control state. It is written into a slot behind the variables after each
//! step, so for whoever evaluates expressions it is a variable, and a program sees the number before its step. For
//! whoever leaves steps out it is one that every step may write: nothing is left out ([`crate::Reduced`]), and
//! processes that differ in an index are told apart ([`crate::symmetry`]). Equal processes are not ([`crate::multiset`]):
//! a number does not depend on places.

use linchpin_lts::Trouble;

use crate::eval::{Evaluated, trouble};
use crate::expand::Expander;
use crate::program::Program;
use crate::system::System;
use crate::term::{DONE, NAMED_SKIP, SKIP, STOP, Term, TermId, Terms};
use crate::value::{Value, to_slot};

/// What is counted: a process as a term, and the slot of its number.
pub(crate) type Counted = Vec<(TermId, u32)>;

/// The processes that a program counts.
pub(crate) fn counted(program: &Program, terms: &Terms) -> Result<Counted, Trouble> {
    let one = |&(definition, slot): &(u32, u32)| {
        let d = &program.definitions[definition as usize];
        let term = Expander::new(program, terms).call(definition, &[], d.span)?;
        let refuse = |why: &str| trouble(d.span, format!("`#{}()`: {why}", d.name));
        if [STOP, SKIP, NAMED_SKIP, DONE].contains(&term) {
            return refuse("a process that does nothing cannot be counted");
        }
        if terms.is_structure(term) {
            return refuse("a process that is made of others cannot be counted");
        }
        Ok((term, slot))
    };
    program.counted.iter().map(one).collect::<Evaluated<_>>().map_err(|trouble| *trouble)
}

impl System {
    /// Writes the numbers of processes into a state.
    pub(crate) fn recount(&self, state: &mut [u32]) -> Evaluated<()> {
        let (control, data) = state.split_at_mut(state.len() - self.data_width());
        for &(term, slot) in &self.counted {
            let mut number = 0;
            for &component in &control[1..] {
                number += self.number(component, term)?;
            }
            data[slot as usize] = to_slot(number);
        }
        Ok(())
    }

    /// How many processes of a term are at another.
    fn number(&self, term: TermId, wanted: TermId) -> Evaluated<Value> {
        if term == wanted {
            return Ok(1);
        }
        match self.terms.get(term) {
            Term::Interleave(parts) | Term::Parallel(_, parts) => {
                parts.iter().map(|&part| self.number(part, wanted)).sum()
            }
            Term::Hide(inner, _)
            | Term::Atomic(inner)
            | Term::Sequence(inner, ..)
            | Term::Interrupt(inner, _) => self.number(*inner, wanted),
            Term::Many(inner) if self.number(*inner, wanted)? > 0 => {
                let text = "`#P()` of a process of which there are as many as one likes";
                Err(Box::new(Trouble::new(text.to_string())))
            }
            _ => Ok(0),
        }
    }
}
