//! How few operations, and then how few context switches, a violation needs: by trying all executions.
//!
//! The graph of all states with their histories is small enough to go round it until nothing gets
//! cheaper any more.

use std::collections::HashMap;

use linchpin_model::program::Program;

use super::{Event, Limits, State, explore};
use crate::reference::Counting;

/// The fewest calls, and with so many the fewest context switches, of an execution whose history does not satisfy
/// the condition of the check; `None` if there is no such history, or too much to look at.
///
/// # Panics
/// If there is no such check.
pub fn cheapest(program: &Program, check: usize, limits: Limits) -> Option<(usize, usize)> {
    let mut search = explore(program, check, limits, Counting::Most, Some(Vec::new()));
    let edges = search.edges.take()?;
    if search.verdict.too_big || search.verdict.heap_limit || search.shortest.is_none() {
        return None;
    }
    let calls = |state: &State| {
        let events = search.histories.events(state.history);
        events.iter().filter(|e| matches!(e, Event::Call { .. })).count()
    };
    // Calls are known from the history; switches depend on who moved last.
    let mut switches: HashMap<(&State, Option<usize>), usize> = HashMap::new();
    for (from, _, to) in &edges {
        if from.is_none() {
            switches.insert((to, None), 0);
        }
    }
    let movers = || (0..search.world.threads() as usize).map(Some).chain([None]);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (from, mover, to) in &edges {
            let Some(from) = from else { continue };
            for last in movers() {
                let Some(&known) = switches.get(&(from, last)) else { continue };
                let more = known + usize::from(last.is_some_and(|last| last != *mover));
                let best = switches.entry((to, Some(*mover))).or_insert(usize::MAX);
                changed |= more < *best;
                *best = more.min(*best);
            }
        }
    }
    let bad = switches.iter().filter(|((state, _), _)| search.bad[&state.history]);
    bad.map(|((state, _), switches)| (calls(state), *switches)).min()
}
