//! Strong bisimilarity by definition: states with different steps are apart, until nothing changes.

use std::collections::{BTreeSet, HashMap};

/// A transition system; the initial state is the first.
pub(crate) struct Graph {
    pub(crate) steps: Vec<Vec<(String, usize)>>,
}

/// Labels and classes.
type Signature<'a> = BTreeSet<(&'a str, usize)>;

/// Are the initial states of two systems bisimilar?
pub(crate) fn bisimilar(a: &Graph, b: &Graph) -> bool {
    let shift = a.steps.len();
    let moved = |list: &Vec<(String, usize)>| -> Vec<(String, usize)> {
        list.iter().map(|(label, to)| (label.clone(), to + shift)).collect()
    };
    let all: Vec<Vec<(String, usize)>> =
        a.steps.iter().cloned().chain(b.steps.iter().map(moved)).collect();
    let mut class = vec![0usize; all.len()];
    let mut count = 1;
    loop {
        let mut index: HashMap<(usize, Signature<'_>), usize> = HashMap::new();
        let mut next = Vec::new();
        for (state, steps) in all.iter().enumerate() {
            let signature = steps.iter().map(|(label, to)| (&**label, class[*to])).collect();
            let number = index.len();
            next.push(*index.entry((class[state], signature)).or_insert(number));
        }
        let now = index.len();
        class = next;
        if now == count {
            return class[0] == class[shift];
        }
        count = now;
    }
}
