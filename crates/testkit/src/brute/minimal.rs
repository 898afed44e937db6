//! How few operations, then how few context switches, then how few steps a violation needs: by trying all
//! executions.
//!
//! The graph of all states with their histories is small enough to go round it until nothing gets
//! cheaper any more. Calls, returns and accesses are steps. What a script decides belongs to the return before or
//! to its first call; that it ends without having called anything is a step, for there is nothing else it could
//! belong to. (So says the language reference, "What a step is".)

use std::collections::{BTreeMap, HashMap};

use linchpin_lin::program::{FaultKind, Program};

use super::{Event, Graph, Limits, State, explore};
use crate::reference::{Counting, Phase, Plan};

/// What an execution costs its reader: calls, context switches, steps.
pub type Price = (usize, usize, usize);

/// The least prices of violations, whatever else is wrong with their executions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cheapest {
    /// A history that does not satisfy the condition of the check.
    pub history: Option<Price>,
    /// A fault of each kind.
    pub faults: BTreeMap<FaultKind, Price>,
    /// A deadlock.
    pub deadlock: Option<Price>,
}

/// The cheapest violations of each kind; `None` if there is too much to look at.
///
/// # Panics
/// If there is no such check.
pub fn cheapest(program: &Program, check: usize, limits: Limits) -> Option<Cheapest> {
    let mut search = explore(program, check, limits, Counting::Most, Some(Graph::default()));
    let Graph { edges, falls, halts } = search.graph.take()?;
    if search.verdict.too_big || search.verdict.heap_limit || search.judge.is_too_big() {
        return None;
    }
    let mut numbers: HashMap<&State, usize> = HashMap::new();
    let mut states = Vec::new();
    let mut initial = Vec::new();
    for (from, _, to) in &edges {
        let count = states.len();
        let number = *numbers.entry(to).or_insert(count);
        if number == count {
            states.push(to);
        }
        if from.is_none() {
            initial.push(number);
        }
    }
    // Calls are known from the history; switches depend on who moved last (0: nobody).
    let calls: Vec<usize> = states
        .iter()
        .map(|state| {
            let events = search.histories.events(state.history);
            events.iter().filter(|e| matches!(e, Event::Call { .. })).count()
        })
        .collect();
    let movers = 0..search.world.threads() as usize + 1;
    let mut best: Vec<Vec<Option<(usize, usize)>>> = vec![vec![None; movers.end]; states.len()];
    initial.into_iter().for_each(|number| best[number][0] = Some((0, 0)));
    let switch = |last: usize, mover: usize| usize::from(last > 0 && last != mover + 1);
    let edges: Vec<(usize, usize, usize, usize)> = edges
        .iter()
        .filter_map(|(from, mover, to)| {
            let from = from.as_ref()?;
            let thread = |state: &State| search.threads.get(state.threads[*mover]);
            let is_step = match thread(from).phase {
                Phase::Deciding(None) => {
                    matches!(thread(to).plan, Plan::Script { next: None, .. })
                }
                Phase::Deciding(Some(_)) => false,
                _ => true,
            };
            Some((numbers[from], *mover, usize::from(is_step), numbers[to]))
        })
        .collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(from, mover, step, to) in &edges {
            for last in movers.clone() {
                let Some((switches, steps)) = best[from][last] else { continue };
                let more = (switches + switch(last, mover), steps + step);
                let known = &mut best[to][mover + 1];
                if known.is_none_or(|known| more < known) {
                    *known = Some(more);
                    changed = true;
                }
            }
        }
    }

    // The cheapest way to a state, of which a step of `mover` goes on if there is one.
    let price = |state: &State, mover: Option<usize>| {
        let number = numbers[state];
        let ways = movers.clone().filter_map(|last| {
            let (switches, steps) = best[number][last]?;
            Some(match mover {
                Some(mover) => (switches + switch(last, mover), steps + 1),
                None => (switches, steps),
            })
        });
        ways.min().map(|(switches, steps)| (calls[number], switches, steps))
    };
    let mut found = Cheapest::default();
    for (from, mover, called, kind) in &falls {
        let price = match from {
            None => Some((0, 0, 0)),
            Some(from) => price(from, Some(*mover))
                .map(|(calls, switches, steps)| (calls + usize::from(*called), switches, steps)),
        };
        if let Some(price) = price {
            let known = found.faults.entry(*kind).or_insert(price);
            *known = price.min(*known);
        }
    }
    found.deadlock = halts.iter().filter_map(|state| price(state, None)).min();
    let bad = states.iter().filter(|state| search.bad[&state.history]);
    found.history = bad.filter_map(|state| price(state, None)).min();
    Some(found)
}
