//! Contracts silent cycles: their states are branching bisimilar.
//!
//! Components are numbered so that silent steps go from higher to lower numbers.

use linchpin_engine::{Limit, Meter, components_of};
use linchpin_lts::{Edge, Explicit, TAU};

use super::graph::Graph;

/// The components of states along silent steps: a number for each state, and how many there are.
fn silent_components(lts: &Explicit, meter: &mut Meter<'_, '_>) -> Result<(Vec<u32>, u32), Limit> {
    meter.room::<u32>(4 * lts.states() as usize)?;
    let component = components_of(lts.states(), |state| {
        meter.tick(1)?;
        // Silent steps come first.
        let silent = lts.edges(state).iter().take_while(|e| e.label == TAU);
        Ok::<_, Limit>(silent.map(|e| e.target))
    })?;
    let count = component.iter().max().map_or(0, |last| last + 1);
    Ok((component, count))
}

/// The graph of the components. With `divergence`, a component with a silent cycle has a step that
/// says so; other silent steps within components are gone.
pub(super) fn contract(
    lts: &Explicit,
    divergence: bool,
    meter: &mut Meter<'_, '_>,
) -> Result<Graph, Limit> {
    let (component, count) = silent_components(lts, meter)?;
    meter.room::<usize>(4 * count as usize)?;
    meter.room::<Edge>(lts.steps())?;
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
        meter.tick(1)?;
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
    Graph::new(component, mark, offsets, edges, meter)
}
