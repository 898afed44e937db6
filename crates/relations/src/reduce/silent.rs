//! Makes a system smaller before it is refined: silent cycles are contracted, and steps that obviously change nothing.
//!
//! States of a silent cycle are branching bisimilar. So are a state and one that it gets to silently, if the latter
//! can do everything else that the former can: to the same states, or to states known to be the same. Visited from where
//! silent steps end, that is seen again and again, also where threads take such steps in any order: most states of a
//! system of threads go that way (compare the confluence of J. F. Groote and J. van de Pol, *State space reduction using
//! partial tau-confluence*, MFCS 2000, which is about steps that commute; this is about steps whose outcomes are the
//! same, and looks at one state at a time). What is left out is left to the refinement.
//!
//! Components are numbered so that silent steps go from higher to lower numbers, and so are the nodes that are left.

use std::ops::Range;

use linchpin_engine::{Budget, Limit, Meter, components_of, in_pieces};
use linchpin_lts::{Edge, Explicit, Rows, TAU};

use super::graph::Graph;

/// The components of states along silent steps: a number for each state, and how many there are.
fn silent_components(lts: &Explicit, meter: &mut Meter<'_, '_>) -> Result<(Vec<u32>, u32), Limit> {
    meter.room::<u32>(4 * lts.states() as usize)?;
    // The last state first, so that what comes after visible steps mostly has lower numbers, too.
    let states = lts.states();
    let other = |state: u32| states - 1 - state;
    let mut component = components_of(states, |state| {
        meter.tick(1)?;
        // Silent steps come first.
        let silent = lts.edges(other(state)).iter().take_while(|e| e.label == TAU);
        Ok::<_, Limit>(silent.map(|e| other(e.target)))
    })?;
    component.reverse();
    let count = component.iter().max().map_or(0, |last| last + 1);
    Ok((component, count))
}

/// The graph of the components. With `divergence`, a component with a silent cycle has a step that
/// says so; other silent steps within components are gone.
pub(super) fn contract(
    lts: &Explicit,
    divergence: bool,
    budget: &Budget<'_>,
) -> Result<Graph, Limit> {
    let meter = &mut Meter::new(budget);
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
    let (mut number, mut rows) = without_inert(count, mark, budget, |c, steps| {
        for state in &members[starts[c as usize]..starts[c as usize + 1]] {
            steps.extend(lts.edges(*state).iter().filter_map(|edge| {
                let target = component[edge.target as usize];
                match edge.label != TAU || target != c {
                    true => Some(Edge { label: edge.label, target }),
                    false => divergence.then_some(Edge { label: mark, target: 0 }),
                }
            }));
        }
    })?;
    drop((members, starts));
    let (mut node, mut before) = (component, count as usize);
    loop {
        node.iter_mut().for_each(|n| *n = number[*n as usize]);
        if rows.states() + before / WORTH >= before {
            return Graph::new(node, mark, rows, budget);
        }
        before = rows.states();
        (number, rows) = without_inert(before as u32, mark, budget, |n, steps| {
            steps.extend_from_slice(rows.of(n));
        })?;
    }
}

/// Steps of two nodes are compared if there are no more pairs of them.
const MOST_COMPARED: usize = 1 << 10;

/// Inert steps are looked for again as long as one of so many nodes goes.
const WORTH: usize = 8;

/// The graph without silent steps that are seen to change nothing, and the new number of each node. `of` gives the
/// steps of a node. They are asked for once: what comes after is compared with the few nodes that are left.
fn without_inert(
    nodes: u32,
    mark: u32,
    budget: &Budget<'_>,
    of: impl Fn(u32, &mut Vec<Edge>) + Sync,
) -> Result<(Vec<u32>, Rows), Limit> {
    let meter = &mut Meter::new(budget);
    meter.room::<[u32; 2]>(nodes as usize)?;
    // The node that stands for each; itself as long as nothing is known.
    let mut same: Vec<u32> = (0..nodes).collect();
    let mut number = vec![0; nodes as usize];
    let mut left = Rows::default();
    let mut n = 0;
    let piece = |numbers: Range<u32>| {
        let mut raw: (Vec<Edge>, Vec<usize>) = Default::default();
        for n in numbers {
            of(n, &mut raw.0);
            raw.1.push(raw.0.len());
        }
        Ok::<_, Limit>(raw)
    };
    in_pieces(nodes, budget.workers, piece, |(mut steps, ends)| {
        let mut from = 0;
        for end in ends {
            let steps = &mut steps[std::mem::replace(&mut from, end)..end];
            meter.tick(steps.len() as u64 + 1)?;
            let named = |e: &Edge| Edge { label: e.label, target: same[e.target as usize] };
            steps.iter_mut().for_each(|e| *e = named(e));
            let silent = steps.iter().filter(|e| e.label == TAU);
            let like = silent.map(|e| e.target).find(|&target| {
                let known = left.of(number[target as usize]);
                let inert = Edge { label: TAU, target };
                steps.len() * known.len() <= MOST_COMPARED
                    && steps.iter().all(|s| *s == inert || known.iter().any(|e| named(e) == *s))
            });
            match like {
                Some(like) => {
                    same[n] = like;
                    number[n] = number[like as usize];
                }
                None => {
                    number[n] = left.states() as u32;
                    left.push(steps.iter().copied());
                }
            }
            n += 1;
        }
        Ok(())
    })?;
    drop(same);
    let kept = in_rows(left.states() as u32, left.steps(), budget, |n| {
        let number = &number;
        left.of(n).iter().map(move |e| match e.label == mark {
            true => *e,
            false => Edge { label: e.label, target: number[e.target as usize] },
        })
    })?;
    Ok((number, kept))
}

/// The steps of the numbers below `count`, of which there may be so many, on all workers.
fn in_rows<I: Iterator<Item = Edge>>(
    count: u32,
    steps: usize,
    budget: &Budget<'_>,
    of: impl Fn(u32) -> I + Sync,
) -> Result<Rows, Limit> {
    let piece = |numbers: Range<u32>| {
        let meter = &mut Meter::new(budget);
        let mut rows = Rows::default();
        for n in numbers {
            meter.tick(1)?;
            rows.push(of(n));
        }
        Ok(rows)
    };
    let mut rows = Rows::with_room(count as usize, steps);
    in_pieces(count, budget.workers, piece, |piece| {
        rows.append(&piece);
        Ok(())
    })?;
    Ok(rows)
}
