//! What is checked: a graph of states and steps, unfolded while it is walked over.

use linchpin_engine::{Unfolded, Unfolding};
use linchpin_lts::{Label, LabelledSystem, Trouble};

/// A system, as far as formulas and fairness can see it. States are numbers.
pub trait Graph {
    /// The initial state.
    fn initial(&mut self) -> Result<u32, Trouble>;

    /// Appends the steps of a state, always the same in the same order.
    fn steps(&mut self, state: u32, steps: &mut Vec<Unfolded>) -> Result<(), Trouble>;

    /// The text of a label.
    fn label(&self, label: Label) -> String;

    /// Is a step with this label the event that a formula calls so?
    fn is_event(&self, label: Label, event: &str) -> bool {
        self.label(label) == event
    }

    /// Is a step at most one of the events of a formula? It is if events are texts of labels.
    fn one_event_at_a_time(&self) -> bool {
        true
    }

    /// The components that move together in a step ([`Unfolded::group`]).
    fn group(&self, group: u32) -> &[u32];

    /// Does a condition ([`crate::Atom::Condition`]) hold in a state?
    fn holds(&mut self, condition: u32, state: u32) -> Result<bool, Trouble>;

    /// States, steps and bytes so far.
    fn size(&self) -> (u64, u64, u64);
}

/// A labelled system with conditions on its states.
pub struct Walk<'s, S: LabelledSystem, C> {
    unfolding: Unfolding<'s, S>,
    condition: C,
    slots: Vec<u32>,
}

impl<'s, S, C> Walk<'s, S, C>
where
    S: LabelledSystem,
    C: FnMut(u32, &[u32]) -> Result<bool, Trouble>,
{
    /// Nothing of the system yet. `condition` says whether the condition of a number holds in a
    /// state, given by its slots.
    pub fn new(system: &'s S, condition: C) -> Self {
        Walk { unfolding: Unfolding::new(system), condition, slots: Vec::new() }
    }

    /// What has been unfolded.
    pub fn unfolding(&self) -> &Unfolding<'s, S> {
        &self.unfolding
    }
}

impl<S, C> Graph for Walk<'_, S, C>
where
    S: LabelledSystem,
    C: FnMut(u32, &[u32]) -> Result<bool, Trouble>,
{
    fn initial(&mut self) -> Result<u32, Trouble> {
        self.unfolding.initial()
    }

    fn steps(&mut self, state: u32, steps: &mut Vec<Unfolded>) -> Result<(), Trouble> {
        steps.extend_from_slice(self.unfolding.steps(state)?);
        Ok(())
    }

    fn label(&self, label: Label) -> String {
        self.unfolding.system().label(label)
    }

    fn group(&self, group: u32) -> &[u32] {
        self.unfolding.group(group)
    }

    fn holds(&mut self, condition: u32, state: u32) -> Result<bool, Trouble> {
        self.unfolding.read(state, &mut self.slots);
        (self.condition)(condition, &self.slots)
    }

    fn size(&self) -> (u64, u64, u64) {
        let unfolding = &self.unfolding;
        (unfolding.states().into(), unfolding.transitions() as u64, unfolding.memory() as u64)
    }
}
