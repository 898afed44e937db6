//! What the atoms of formulas mean in a system.

use linchpin_lts::{Label, LabelledSystem, Trouble};

/// A system, as far as formulas can see it.
pub trait Atoms: Sync {
    /// Does a condition ([`crate::Atom::Condition`]) hold in a state?
    fn holds(&self, condition: u32, state: &[u32]) -> Result<bool, Trouble>;

    /// Is a step with this label the event that a formula calls so?
    fn is_event(&self, label: Label, event: &str) -> bool;

    /// Is a step at most one of the events of a formula? It is if events are texts of labels.
    fn one_event_at_a_time(&self) -> bool {
        true
    }
}

/// Events are texts of labels; a function decides conditions.
pub struct Texts<'s, S, C> {
    system: &'s S,
    condition: C,
}

impl<'s, S, C> Texts<'s, S, C>
where
    S: LabelledSystem,
    C: Fn(u32, &[u32]) -> Result<bool, Trouble> + Sync,
{
    /// `condition` says whether the condition of a number holds in a state.
    pub fn new(system: &'s S, condition: C) -> Self {
        Texts { system, condition }
    }
}

impl<S, C> Atoms for Texts<'_, S, C>
where
    S: LabelledSystem,
    C: Fn(u32, &[u32]) -> Result<bool, Trouble> + Sync,
{
    fn holds(&self, condition: u32, state: &[u32]) -> Result<bool, Trouble> {
        (self.condition)(condition, state)
    }

    fn is_event(&self, label: Label, event: &str) -> bool {
        self.system.label(label) == event
    }
}
