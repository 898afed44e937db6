//! The smallest deterministic system with the same weak traces.
//!
//! Branching bisimilar states have the same weak traces, so those are merged first; then sets of
//! states take the place of states (M. Rabin, D. Scott, *Finite automata and their decision
//! problems*, IBM Journal of Research and Development 3(2), 1959); then equal ones are merged again,
//! which for a deterministic system is minimisation. Every state of an LTS accepts, so there is no
//! sink, and the result is unique.

use linchpin_engine::{Budget, Limit};
use linchpin_lts::Explicit;

use super::{Equivalence, quotient};
use crate::alphabet::Alphabet;
use crate::determined::Determined;
use crate::meter::{Meter, Stop};
use crate::walk::Walked;

/// The smallest deterministic system with the same weak traces. It can have exponentially many
/// states, which is what the budget is for.
pub fn weak_trace_normal_form(lts: &Explicit, budget: &Budget<'_>) -> Result<Explicit, Limit> {
    let small = quotient(lts, Equivalence::Branching, budget)?;
    let deterministic = determinised(&small, budget)?;
    quotient(&deterministic, Equivalence::Strong, budget)
}

fn determinised(lts: &Explicit, budget: &Budget<'_>) -> Result<Explicit, Limit> {
    let limit = |stop: Stop| match stop {
        Stop::Limit(limit) => limit,
        Stop::Trouble(_) => Limit::Method,
    };
    let mut meter = Meter::new(budget);
    let mut alphabet = Alphabet::new();
    let mut sets = Determined::new(Walked(lts), true);
    let initial = sets.initial(&mut meter).map_err(limit)?;
    let mut steps = Vec::new();
    let mut next = 0;
    while (next as usize) < sets.sets.len() {
        for label in sets.labels(next, &mut alphabet, &mut meter).map_err(limit)? {
            let after = sets.after(next, label, &mut alphabet, &mut meter).map_err(limit)?;
            if let Some(after) = after {
                steps.push((next, label, after));
            }
        }
        next += 1;
        if meter.due(1) {
            meter.statistics.states = sets.sets.len() as u64;
            meter.statistics.nodes = meter.statistics.states;
            meter.statistics.transitions = steps.len() as u64;
            meter.statistics.memory = (sets.memory() + steps.capacity() * 12) as u64;
            meter.frontier = meter.statistics.states - u64::from(next);
            meter.ask().map_err(limit)?;
        }
    }
    let labels = alphabet.texts().map(Box::from).collect();
    Ok(Explicit::new(initial, sets.sets.len() as u32, labels, &steps))
}
