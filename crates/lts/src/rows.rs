//! Steps of states 0, 1, 2 and so on, those of a state together: sorted by label and target, each once.

use crate::labelled::Label;

/// A step, seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Its label.
    pub label: Label,
    /// Where it leads.
    pub target: u32,
}

/// The steps of some states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Where those of each state begin, and the end.
    offsets: Vec<usize>,
    edges: Vec<Edge>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows::with_room(0, 0)
    }
}

impl Rows {
    /// No states, with room for so many.
    pub fn with_room(states: usize, steps: usize) -> Rows {
        let mut offsets = Vec::with_capacity(states + 1);
        offsets.push(0);
        Rows { offsets, edges: Vec::with_capacity(steps) }
    }

    /// The steps of state `i` are those from `offsets[i]` on, in any order.
    pub(crate) fn tidied(mut offsets: Vec<usize>, mut edges: Vec<Edge>) -> Rows {
        let mut kept = 0;
        let mut from = 0;
        for i in 0..offsets.len() - 1 {
            let to = offsets[i + 1];
            offsets[i] = kept;
            kept = tidy(&mut edges, from..to, kept);
            from = to;
        }
        if let Some(last) = offsets.last_mut() {
            *last = kept;
        }
        edges.truncate(kept);
        edges.shrink_to_fit();
        Rows { offsets, edges }
    }

    /// One more state, with these steps.
    pub fn push(&mut self, steps: impl IntoIterator<Item = Edge>) {
        let from = self.edges.len();
        self.edges.extend(steps);
        let to = self.edges.len();
        let kept = tidy(&mut self.edges, from..to, from);
        self.edges.truncate(kept);
        self.offsets.push(kept);
    }

    /// More states.
    pub fn append(&mut self, more: &Rows) {
        let shift = self.edges.len();
        self.edges.extend_from_slice(&more.edges);
        self.offsets.extend(more.offsets[1..].iter().map(|offset| offset + shift));
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.edges.len()
    }

    /// The steps of a state.
    #[inline]
    pub fn of(&self, state: u32) -> &[Edge] {
        &self.edges[self.offsets[state as usize]..self.offsets[state as usize + 1]]
    }

    /// The steps of all states.
    pub fn all(&self) -> &[Edge] {
        &self.edges
    }
}

/// Sorts a range and moves what is different to `kept`; gives the end of it.
fn tidy(edges: &mut [Edge], range: std::ops::Range<usize>, kept: usize) -> usize {
    edges[range.clone()].sort_unstable();
    let mut end = kept;
    for i in range {
        if end == kept || edges[end - 1] != edges[i] {
            edges[end] = edges[i];
            end += 1;
        }
    }
    end
}
