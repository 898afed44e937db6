//! `divergencefree`: can silent steps go on for ever?
//!
//! A cycle of silent steps is looked for each time the search has doubled, and shown with a shortest way
//! to it.

use linchpin_engine::{Budget, Edge, Ending, Finding, Meter, Plan, States, explore};
use linchpin_lts::{TAU, Trouble, Verdict};

use super::Report;
use super::explore::{Explored, confirmed};
use crate::multiset::Lift;
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
    let state = |node: u32| explored.node(node).0;
    let stem: Vec<Vec<u32>> = explored.path(cycle[0]).into_iter().map(state).collect();
    let round: Vec<Vec<u32>> =
        cycle.iter().cycle().skip(1).take(cycle.len()).map(|&n| state(n)).collect();
    let lifted = || -> Result<_, Trouble> {
        let mut lift = Lift::new(reduced)?;
        let mut way = lift.path(&stem, |_, _| true)?;
        let round: Vec<_> = round.iter().map(|state| (TAU, &state[..])).collect();
        let Some((before, round)) = lift.cycle(&round)? else { return Ok(None) };
        way.extend(before);
        let repeats = way.len();
        way.extend(round);
        Ok(Some((way, repeats)))
    };
    let (way, repeats) = match lifted() {
        Ok(Some((way, repeats))) => (Ok(way), repeats),
        // Processes change places for longer than anybody would read.
        Ok(None) => return check(&reduced.unsorted(), budget),
        Err(trouble) => (Err(trouble), 0),
    };
    let sentence = "silent steps can go on for ever after these steps";
    let verdict = Ok(Verdict::Violated(()));
    confirmed(reduced, verdict, sentence, way, Some(repeats), statistics)
}
