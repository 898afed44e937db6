//! A labelled transition system with all its states and steps in memory.
//!
//! States are numbers. Built from any list of steps by counting, so that a file need not be in order.

use std::io;

use crate::labelled::{Label, LabelledSystem, Move, TAU, Trouble};
use crate::numbers::{Loading, Renumber, Same, Saving};
use crate::rows::{Edge, Rows};

/// An explicit labelled transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explicit {
    initial: u32,
    labels: Vec<Box<str>>,
    rows: Rows,
}

impl Explicit {
    /// The system with these steps (source, label, target). `labels` are the texts of the labels,
    /// that of [`TAU`] first; texts are different from each other.
    ///
    /// # Panics
    /// If a step names a state from `states` on or a label without text, or there is no state.
    pub fn new(
        initial: u32,
        states: u32,
        labels: Vec<Box<str>>,
        steps: &[(u32, Label, u32)],
    ) -> Explicit {
        Explicit::gathered(initial, states, labels, steps.iter().copied())
    }

    /// The same from steps that are wherever they are.
    pub(crate) fn gathered(
        initial: u32,
        states: u32,
        labels: Vec<Box<str>>,
        steps: impl ExactSizeIterator<Item = (u32, Label, u32)> + Clone,
    ) -> Explicit {
        assert!(initial < states, "the initial state is one of the states");
        let mut offsets = vec![0usize; states as usize + 1];
        for (source, label, target) in steps.clone() {
            assert!(target < states && (label as usize) < labels.len(), "a step outside");
            offsets[source as usize + 1] += 1;
        }
        for i in 0..states as usize {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut edges = vec![Edge { label: TAU, target: 0 }; steps.len()];
        for (source, label, target) in steps {
            edges[next[source as usize]] = Edge { label, target };
            next[source as usize] += 1;
        }
        Explicit::of(initial, labels, Rows::tidied(offsets, edges))
    }

    /// The system with these steps. `labels` as for [`Explicit::new`].
    ///
    /// # Panics
    /// If a step names a state or a label that there is not, or there is no state.
    pub fn of(initial: u32, labels: Vec<Box<str>>, rows: Rows) -> Explicit {
        let states = rows.states();
        assert!((initial as usize) < states, "the initial state is one of the states");
        let inside = |e: &Edge| (e.target as usize) < states && (e.label as usize) < labels.len();
        assert!(rows.all().iter().all(inside), "a step outside");
        Explicit { initial, labels, rows }
    }

    /// The initial state.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        self.rows.states() as u32
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.rows.steps()
    }

    /// The texts of the labels; the first is that of silent steps.
    pub fn labels(&self) -> &[Box<str>] {
        &self.labels
    }

    /// All steps.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The steps of a state, by label and target.
    #[inline]
    pub fn edges(&self, state: u32) -> &[Edge] {
        self.rows.of(state)
    }
}

/// A state has one slot, its number.
impl LabelledSystem for Explicit {
    type Scratch = ();

    fn scratch(&self) {}

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, (): &mut ()) -> Result<Vec<u32>, Trouble> {
        Ok(vec![self.initial])
    }

    fn successors(
        &self,
        (): &mut (),
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        for edge in state.first().map_or(&[][..], |s| self.edges(*s)) {
            emit(Move { label: edge.label, by: &[], state: &[edge.target] });
        }
        Ok(())
    }

    fn save(&self, _: &mut Saving<'_>) -> io::Result<()> {
        Ok(())
    }

    fn load<'a>(&'a self, _: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        Ok(Box::new(Same))
    }

    fn label(&self, label: Label) -> String {
        self.labels[label as usize].to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_sorted_by_source_and_kept_once() {
        let labels = ["tau", "a", "b"].map(Box::from).to_vec();
        let steps = [(2, 1, 0), (0, 2, 1), (0, 1, 2), (0, 2, 1), (2, 1, 0), (2, 0, 2)];
        let lts = Explicit::new(0, 3, labels, &steps);
        assert_eq!((lts.states(), lts.steps()), (3, 4));
        let of = |s: u32| lts.edges(s).iter().map(|e| (e.label, e.target)).collect::<Vec<_>>();
        assert_eq!(of(0), [(1, 2), (2, 1)]);
        assert_eq!(of(1), []);
        assert_eq!(of(2), [(0, 2), (1, 0)]);
    }
}
