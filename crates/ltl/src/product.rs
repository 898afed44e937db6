//! The product of a system and an automaton, as something to search.
//!
//! A node is a state of the system; its tag is the state that the automaton is in after reading what
//! holds there. The name of an edge says which step of the state it is and which transition of the
//! automaton goes with it, so that both are found again where they are needed.
//!
//! **Where an execution ends** (no step is possible, terminated or deadlocked) what holds at the last
//! position is repeated for ever, the event included. That is a matter of the automaton alone
//! ([`Automaton::accept_repeated`]); here such a node gets an edge [`END`] that leads nowhere, to tell it
//! from one where the automaton has no transition.
//!
//! **Formulas that say that something never happens**: the automaton of the negation accepts by reaching
//! the state from which it accepts anything, so there is nothing to repeat: reaching it is a violation
//! of the search, breadth first, hence a shortest one. Fairness does not matter, as every beginning can
//! be continued fairly. What happens at the end of an execution does not matter either, which is how PAT
//! decides such formulas (O. Kupferman, M. Vardi, *Model checking of safety properties*, FMSD 19(3), 2001).

use std::collections::HashMap;
use std::io;

use linchpin_engine::{Cover, Finding, Found, Space, Step, Stepper, Taken};
use linchpin_lts::{Label, LabelledSystem, Loading, Renumber, Saving, Trouble};

use crate::atoms::Atoms;
use crate::automaton::{Automaton, Letter};
use linchpin_formula::Atom;

/// The name of what leads to the initial state.
pub(crate) const INIT: &str = "init";

/// The name of the edge of a state without steps.
pub(crate) const END: u32 = u32::MAX;

/// The step that violates a formula; none, if that is violated at once.
type Broken = Finding<Option<Taken>>;

/// A system and the automaton that runs along with it.
pub(crate) struct Product<'p, S, A> {
    pub(crate) system: &'p S,
    pub(crate) automaton: &'p Automaton,
    atoms: &'p A,
    /// Atoms that are conditions: bit of a letter, number.
    conditions: Vec<(u32, u32)>,
}

/// What a worker needs: steps, and the events of labels it has met.
pub(crate) struct Reader<'p, S: LabelledSystem> {
    pub(crate) stepper: Stepper<'p, S>,
    events: HashMap<Label, Letter>,
}

impl<'p, S: LabelledSystem, A: Atoms> Product<'p, S, A> {
    pub(crate) fn new(system: &'p S, atoms: &'p A, automaton: &'p Automaton) -> Self {
        let conditions = automaton.atoms.iter().zip(0..).filter_map(|(atom, bit)| match atom {
            Atom::Condition(number) => Some((bit, *number)),
            Atom::Event(_) => None,
        });
        let conditions = conditions.collect();
        Product { system, automaton, atoms, conditions }
    }

    pub(crate) fn reader(&self) -> Reader<'p, S> {
        Reader { stepper: Stepper::new(self.system), events: HashMap::new() }
    }

    /// What is read in the initial state.
    pub(crate) fn first_letter(&self, state: &[u32]) -> Result<Letter, Trouble> {
        Ok(self.events(|event| event == INIT) | self.held(state)?)
    }

    /// What is read after a step. `events` remembers those of labels.
    fn letter(
        &self,
        events: &mut HashMap<Label, Letter>,
        step: Step<'_>,
    ) -> Result<Letter, Trouble> {
        let event = *events
            .entry(step.label)
            .or_insert_with(|| self.events(|event| self.atoms.is_event(step.label, event)));
        Ok(event | self.held(step.state)?)
    }

    fn events(&self, happens: impl Fn(&str) -> bool) -> Letter {
        let atoms = self.automaton.atoms.iter().enumerate();
        let same = atoms.filter(|(_, atom)| matches!(atom, Atom::Event(e) if happens(e)));
        same.fold(0, |letter, (bit, _)| letter | 1 << bit)
    }

    fn held(&self, state: &[u32]) -> Result<Letter, Trouble> {
        let mut letter = 0;
        for &(bit, number) in &self.conditions {
            letter |= Letter::from(self.atoms.holds(number, state)?) << bit;
        }
        Ok(letter)
    }

    /// Is it enough that the automaton reaches this state?
    fn is_enough(&self, state: u32) -> bool {
        self.automaton.by_reaching && self.automaton.anything == Some(state)
    }

    fn begin(
        &self,
        reader: &mut Reader<'p, S>,
        found: &mut dyn FnMut(Found<'_, Broken>),
    ) -> Result<(), Trouble> {
        let (state, hash) = reader.stepper.initial()?;
        let letter = self.first_letter(&state)?;
        for t in self.automaton.states[0].iter().filter(|t| t.allows(letter)) {
            found(match self.is_enough(t.target) {
                true => Found::Violation(Finding::Violation(None)),
                false => Found::Node { state: &state, tag: t.target, label: 0, cost: 0, hash },
            });
        }
        Ok(())
    }

    fn go_on(
        &self,
        Reader { stepper, events }: &mut Reader<'p, S>,
        state: &[u32],
        tag: u32,
        found: &mut dyn FnMut(Found<'_, Broken>),
    ) -> Result<(), Trouble> {
        stepper.look_at(state)?;
        let steps = stepper.steps();
        let transitions = &self.automaton.states[tag as usize];
        if steps.len() == 0 {
            found(Found::Nowhere { label: END });
        }
        if steps.len() as u64 * transitions.len() as u64 > u64::from(END) {
            let message = "a state has too many steps for a formula as large as this".to_string();
            return Err(Trouble::new(message));
        }
        for (place, step) in steps.enumerate() {
            let letter = self.letter(events, step)?;
            for (i, t) in transitions.iter().enumerate().filter(|(_, t)| t.allows(letter)) {
                let label = (place * transitions.len() + i) as u32;
                let Step { state, hash, .. } = step;
                found(match self.is_enough(t.target) {
                    true => Found::Violation(Finding::Violation(Some(step.taken()))),
                    false => Found::Node { state, tag: t.target, label, cost: 1, hash },
                });
            }
        }
        Ok(())
    }

    /// What is read after a step of a state, the one at this place.
    pub(crate) fn letter_after(
        &self,
        Reader { stepper, events }: &mut Reader<'p, S>,
        state: &[u32],
        place: usize,
    ) -> Result<Letter, Trouble> {
        stepper.look_at(state)?;
        let step = stepper.steps().nth(place).ok_or_else(not_a_step)?;
        self.letter(events, step)
    }

    /// The first step that leads from one node to another.
    pub(crate) fn step_between(
        &self,
        Reader { stepper, events }: &mut Reader<'p, S>,
        (from, before): &(Vec<u32>, u32),
        (to, after): &(Vec<u32>, u32),
    ) -> Result<Taken, Trouble> {
        stepper.look_at(from)?;
        for step in stepper.steps().filter(|step| step.state == to) {
            let letter = self.letter(events, step)?;
            let mut transitions = self.automaton.states[*before as usize].iter();
            if transitions.any(|t| t.target == *after && t.allows(letter)) {
                return Ok(step.taken());
            }
        }
        Err(not_a_step())
    }
}

/// What a search says that a system does, but it does not: the system breaks its promises.
pub(crate) fn not_a_step() -> Trouble {
    let message = "a step of the search is not one of the system".to_string();
    Trouble::new(message)
}

impl<S: Sync, A: Sync> Cover for Product<'_, S, A> {}

/// What numbers in states of another run are called. States of the automaton and places of steps are always the same.
struct StatesOnly<'a>(Box<dyn Renumber + 'a>);

impl Renumber for StatesOnly<'_> {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        self.0.state(state)
    }
}

impl<'p, S: LabelledSystem, A: Atoms> Space for Product<'p, S, A> {
    type Worker = Reader<'p, S>;
    type Violation = Broken;

    fn worker(&self) -> Self::Worker {
        self.reader()
    }

    fn initial(
        &self,
        reader: &mut Self::Worker,
        found: &mut dyn FnMut(Found<'_, Self::Violation>),
    ) {
        if let Err(trouble) = self.begin(reader, found) {
            found(Found::Violation(trouble.into()));
        }
    }

    fn expand(
        &self,
        reader: &mut Self::Worker,
        state: &[u32],
        tag: u32,
        found: &mut dyn FnMut(Found<'_, Self::Violation>),
    ) {
        if let Err(trouble) = self.go_on(reader, state, tag, found) {
            found(Found::Violation(trouble.into()));
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.system.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        Ok(Box::new(StatesOnly(self.system.load(from)?)))
    }
}
