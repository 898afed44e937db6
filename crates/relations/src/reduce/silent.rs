//! Contracts silent cycles: their states are branching bisimilar.
//!
//! R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM Journal on Computing 1(2), 1972,
//! without recursion. Components are numbered as they are finished, so that silent steps go from
//! higher to lower numbers.

use linchpin_lts::{Edge, Explicit, TAU};

use super::graph::Graph;

const NONE: u32 = u32::MAX;

/// The components of states along silent steps: a number for each state, and how many there are.
fn components(lts: &Explicit) -> (Vec<u32>, u32) {
    let states = lts.states() as usize;
    let mut component = vec![NONE; states];
    // When a state was found, and the earliest open one it reaches.
    let mut found = vec![NONE; states];
    let mut low = vec![0u32; states];
    let (mut count, mut time) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    // The path, with the index of the next step to look at; silent steps come first.
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..lts.states() {
        if found[root as usize] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((state, next)) = path.last_mut() {
            let at = *state as usize;
            if *next == 0 && found[at] == NONE {
                (found[at], low[at]) = (time, time);
                time += 1;
                open.push(*state);
            }
            match lts.edges(*state).get(*next).filter(|e| e.label == TAU) {
                Some(edge) => {
                    let target = edge.target as usize;
                    *next += 1;
                    if found[target] == NONE {
                        path.push((edge.target, 0));
                    } else if component[target] == NONE {
                        low[at] = low[at].min(found[target]);
                    }
                }
                None => {
                    let state = *state;
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        let before = *before as usize;
                        low[before] = low[before].min(low[at]);
                    }
                    if low[at] == found[at] {
                        while let Some(member) = open.pop() {
                            component[member as usize] = count;
                            if member == state {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    (component, count)
}

/// The graph of the components. With `divergence`, a component with a silent cycle has a step that
/// says so; other silent steps within components are gone.
pub(super) fn contract(lts: &Explicit, divergence: bool) -> Graph {
    let (component, count) = components(lts);
    let mark = lts.labels().len() as u32;
    // The states of each component, by counting.
    let mut starts = vec![0usize; count as usize + 1];
    for &c in &component {
        starts[c as usize + 1] += 1;
    }
    for i in 0..count as usize {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut members = vec![0; component.len()];
    for (state, &c) in component.iter().enumerate() {
        members[next[c as usize]] = state as u32;
        next[c as usize] += 1;
    }
    let mut offsets = Vec::with_capacity(count as usize + 1);
    offsets.push(0);
    let mut edges: Vec<Edge> = Vec::with_capacity(lts.steps());
    for c in 0..count {
        let from = edges.len();
        for &state in &members[starts[c as usize]..starts[c as usize + 1]] {
            for edge in lts.edges(state) {
                let target = component[edge.target as usize];
                if edge.label != TAU || target != c {
                    edges.push(Edge { label: edge.label, target });
                } else if divergence {
                    edges.push(Edge { label: mark, target: 0 });
                }
            }
        }
        edges[from..].sort_unstable();
        let mut kept = from;
        for i in from..edges.len() {
            if kept == from || edges[kept - 1] != edges[i] {
                edges[kept] = edges[i];
                kept += 1;
            }
        }
        edges.truncate(kept);
        offsets.push(kept);
    }
    Graph::new(component, mark, offsets, edges)
}
