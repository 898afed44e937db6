//! What algorithms on two systems walk over: numbered states with their steps.
//!
//! A system that computes its states is unfolded on demand; one that has them all in memory is
//! walked over as it is.

use linchpin_engine::Unfolding;
use linchpin_lts::{Edge, Explicit, Label, LabelledSystem, Trouble};

/// Numbered states and their steps.
pub trait Walk {
    /// The initial state.
    fn initial(&mut self) -> Result<u32, Trouble>;

    /// Replaces the content of `edges` by the steps of a state. The order is always the same.
    fn steps(&mut self, state: u32, edges: &mut Vec<Edge>) -> Result<(), Trouble>;

    /// The text of a label.
    fn text(&self, label: Label) -> String;

    /// How many states have numbers so far.
    fn states(&self) -> u32;

    /// How many steps are known so far.
    fn known(&self) -> usize;

    /// Bytes in use.
    fn memory(&self) -> usize;

    /// The slots of a state.
    fn slots(&self, state: u32) -> Vec<u32>;

    /// The components that take part in a step of a state.
    fn by(&mut self, state: u32, index: usize) -> Result<Vec<u32>, Trouble>;
}

impl<S: LabelledSystem> Walk for Unfolding<'_, S> {
    fn initial(&mut self) -> Result<u32, Trouble> {
        Unfolding::initial(self)
    }

    fn steps(&mut self, state: u32, edges: &mut Vec<Edge>) -> Result<(), Trouble> {
        edges.clear();
        let steps = Unfolding::steps(self, state)?;
        edges.extend(steps.iter().map(|s| Edge { label: s.label, target: s.target }));
        Ok(())
    }

    fn text(&self, label: Label) -> String {
        self.system().label(label)
    }

    fn states(&self) -> u32 {
        Unfolding::states(self)
    }

    fn known(&self) -> usize {
        self.transitions()
    }

    fn memory(&self) -> usize {
        Unfolding::memory(self)
    }

    fn slots(&self, state: u32) -> Vec<u32> {
        let mut words = Vec::new();
        self.read(state, &mut words);
        words
    }

    fn by(&mut self, state: u32, index: usize) -> Result<Vec<u32>, Trouble> {
        let group = Unfolding::steps(self, state)?.get(index).map(|s| s.group);
        Ok(group.map_or_else(Vec::new, |g| self.group(g).to_vec()))
    }
}

/// An explicit system, walked over.
pub struct Walked<'a>(pub &'a Explicit);

impl Walk for Walked<'_> {
    fn initial(&mut self) -> Result<u32, Trouble> {
        Ok(self.0.initial())
    }

    fn steps(&mut self, state: u32, edges: &mut Vec<Edge>) -> Result<(), Trouble> {
        edges.clear();
        edges.extend_from_slice(self.0.edges(state));
        Ok(())
    }

    fn text(&self, label: Label) -> String {
        self.0.labels()[label as usize].to_string()
    }

    fn states(&self) -> u32 {
        self.0.states()
    }

    fn known(&self) -> usize {
        self.0.steps()
    }

    fn memory(&self) -> usize {
        self.0.states() as usize * size_of::<usize>() + self.0.steps() * size_of::<Edge>()
    }

    fn slots(&self, state: u32) -> Vec<u32> {
        vec![state]
    }

    fn by(&mut self, _: u32, _: usize) -> Result<Vec<u32>, Trouble> {
        Ok(Vec::new())
    }
}
