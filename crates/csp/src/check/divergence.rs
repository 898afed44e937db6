//! `divergencefree`: can silent steps go on for ever?
//!
//! A cycle of silent steps is looked for each time the search has doubled, and shown with a shortest way
//! to it.

use linchpin_engine::{Edge, Order, Plan, States, explore, retrace};
use linchpin_lts::{TAU, Verdict};

use super::Report;
use super::explore::{Effort, Explored, confirmed};
use crate::reduced::Reduced;

/// Looks for a cycle of silent steps.
pub(super) fn check(reduced: &Reduced<'_>, effort: Effort<'_>) -> Report {
    let states = States::new(reduced, |_, _| Ok(None::<()>));
    let plan = Plan { workers: effort.workers, order: Order::Breadth, edges: true };
    let mut cycle = None;
    let (ending, statistics, explored) = explore(&states, plan, effort.budget, &mut |explored| {
        cycle = explored.in_order().cycle(|edge: &Edge| edge.label == TAU);
        cycle.is_some()
    });
    let Some(cycle) = cycle else {
        return Explored::new(reduced, ending, statistics).report(Ok(Verdict::Holds));
    };
    let mut nodes = explored.path(cycle[0]);
    let repeats = nodes.len() - 1;
    nodes.extend(&cycle[1..]);
    nodes.push(cycle[0]);
    let path: Vec<Vec<u32>> = nodes.into_iter().map(|node| explored.node(node).0).collect();
    let way = retrace(reduced, &path, |i, step| i < repeats || step.label == TAU);
    let sentence = "silent steps can go on for ever after these steps";
    let verdict = Ok(Verdict::Violated(()));
    confirmed(reduced, verdict, sentence, way, Some(repeats), statistics)
}
