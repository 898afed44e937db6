//! `divergencefree`: can silent steps go on for ever?
//!
//! A cycle of silent steps is looked for each time the search has doubled, and shown with a shortest way
//! to it.

use linchpin_engine::{Budget, Edge, Ending, Finding, Meter, Plan, States, explore, retrace};
use linchpin_lts::{TAU, Verdict};

use super::Report;
use super::explore::{Explored, confirmed};
use crate::reduced::Reduced;

/// Looks for a cycle of silent steps.
pub(super) fn check(reduced: &Reduced<'_>, budget: &Budget<'_>) -> Report {
    let states = States::new(reduced, |_, _| Ok(None::<()>));
    let plan = Plan { edges: true, ..Plan::default() };
    let mut found = Ok(None);
    let (ending, statistics, explored) = explore(&states, plan, budget, &mut |explored| {
        let silent = |_: u32, edge: &Edge| edge.label == TAU;
        let (order, meter) = (explored.in_order(), &mut Meter::new(budget));
        let node = |(number, _): (u32, Edge)| order.nodes()[number as usize];
        let cycle = order.cycle(silent, |_, _| true, meter);
        found = cycle.map(|way| way.map(|way| way.into_iter().map(node).collect::<Vec<_>>()));
        found != Ok(None)
    });
    let cycle = match found {
        Ok(Some(cycle)) => cycle,
        Ok(None) => return Explored::new(reduced, ending, statistics).report(Ok(Verdict::Holds)),
        Err(limit) => {
            let ending: Ending<Finding<()>> = Ending::Stopped(limit);
            return Explored::new(reduced, ending, statistics).report(Ok(Verdict::Holds));
        }
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
