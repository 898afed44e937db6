//! Local work is taken together with the step before it.
//!
//! After a step of one component that component often goes on by itself: a conditional on its own variables, an assignment
//! that nobody else reads. Such a step is a persistent set of its own ([`crate::reduced`]): it is the only step that its component
//! has, what it touches is not touched by anything the others can do from now on, and it is invisible to the question. So from the state
//! between the two nothing else need be looked at; and the state itself need not be looked at either. It has a step, so
//! nothing ends there; the step does not change what a condition reads, so the condition holds before it if it holds after it;
//! and where another component goes wrong, it does so afterwards as well. PAT's users write `atomic` or `ifa` for this by
//! hand; SPIN merges statements of a process that touch local variables only (G. Holzmann, *The engineering of a model
//! checker: the Gnu i-protocol case study revisited*, SPIN 1999). Here it is decided state by state, from what
//! others can still do.
//!
//! **What it preserves**: whether a state without steps can be reached, and whether one in which a condition holds. It is used for
//! these questions only; traces and formulas are about what happens in between.
//!
//! **Proviso**: that of the reduction. No step that is joined leads its component back, so there are finitely many
//! of them in a row.
//!
//! A way that was found is followed in the whole process, with the steps that were joined ([`crate::multiset::Lift`]); what is joined
//! depends on the state and on who has moved, not on the places of equal processes.

use linchpin_lts::{Label, Trouble};

use crate::reduced::{Reduced, ReducedScratch};

/// A step that was joined: its label, its component, and where it leads.
pub(crate) type Joined = (Label, u32, Vec<u32>);

impl Reduced<'_> {
    /// Takes local steps of a component from a state on, as long as there are any, and tells them.
    pub(crate) fn join(
        &self,
        scratch: &mut ReducedScratch,
        state: &mut Vec<u32>,
        component: u32,
        tell: &mut dyn FnMut(Joined),
    ) {
        // Whatever goes wrong does so again where the state is looked at.
        while let Ok(Some(next)) = self.local_step(scratch, state, component) {
            state.clone_from(&next.2);
            tell(next);
        }
    }

    /// The only step of a component, if it has nothing to do with others and nobody sees it.
    fn local_step(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        component: u32,
    ) -> Result<Option<Joined>, Trouble> {
        let mut only: Option<Joined> = None;
        let mut count = 0;
        self.system
            .each_of(&mut scratch.inner, state, component, &mut |found| {
                count += 1;
                if count == 1 && found.by == [component] {
                    only = Some((found.label, component, found.state.to_vec()));
                }
            })
            .map_err(|trouble| *trouble)?;
        let Some(step) = only.filter(|_| count == 1) else { return Ok(None) };
        if self.must_be_seen(scratch, state, &step) {
            return Ok(None);
        }
        self.look_ahead(scratch, state);
        let alone = self.needs(scratch, state, component as usize);
        Ok(alone.is_some_and(|needs| needs.iter().all(|&c| c == component)).then_some(step))
    }
}
