//! `deadlockfree` and `nonterminating`: is there a state without steps?
//!
//! As in PAT, a state that was reached by termination is not a deadlock, but it is an end.

use linchpin_engine::Budget;
use linchpin_lts::Verdict;

use super::explore::{End, Explorer};
use super::{Failure, Report};
use crate::reduced::Reduced;

/// Looks for states without steps; with `except_terminated`, for those that have not terminated.
pub(super) fn check(reduced: &Reduced<'_>, except_terminated: bool, budget: &Budget<'_>) -> Report {
    let system = reduced.system;
    let mut explorer = match Explorer::new(reduced) {
        Ok(explorer) => explorer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let mut words = Vec::new();
    let end = explorer.run(budget, |graph, state, steps| {
        if !steps.is_empty() {
            return None;
        }
        graph.read(state, &mut words);
        (!except_terminated || !system.is_terminated(&words)).then_some(state)
    });
    let End::Found(state) = end else { return explorer.report(end, Ok(Verdict::Holds)) };
    let sentence = match except_terminated {
        true => "a deadlock: no step is possible after these",
        false => "the process ends: no step is possible after these",
    };
    let verdict = match explorer.is_end(state) {
        true => Ok(Verdict::Violated(())),
        false => Err(Failure::Defect("there is a step after all".into())),
    };
    explorer.found(state, verdict, sentence)
}
