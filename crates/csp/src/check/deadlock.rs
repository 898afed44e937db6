//! `deadlockfree` and `nonterminating`: is there a state without steps?
//!
//! As in PAT, a state that was reached by termination is not a deadlock, but it is an end.

use linchpin_engine::Budget;
use linchpin_lts::Verdict;

use super::explore::{End, explore};
use super::orders::Search;
use super::{Failure, Report};
use crate::reduced::Reduced;

/// Looks for states without steps; with `except_terminated`, for those that have not terminated.
pub(super) fn check(
    reduced: &Reduced<'_>,
    except_terminated: bool,
    order: Search,
    budget: &Budget<'_>,
) -> Report {
    let system = reduced.system;
    let explored = explore(reduced, order, budget, |state, steps| {
        let ends = steps.steps().len() == 0;
        Ok((ends && !(except_terminated && system.is_terminated(state))).then_some(()))
    });
    if !matches!(explored.end, End::Found(())) {
        return explored.report(Ok(Verdict::Holds));
    }
    let sentence = match except_terminated {
        true => "a deadlock: no step is possible after these",
        false => "the process ends: no step is possible after these",
    };
    let verdict = match explored.is_end() {
        true => Ok(Verdict::Violated(())),
        false => Err(Failure::Defect("there is a step after all".into())),
    };
    explored.found(verdict, sentence)
}
