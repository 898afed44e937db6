//! `deterministic`: is there a state with two steps of one label to different states?
//!
//! As in PAT, silent steps count, too, and states are the same if they differ only in which of several
//! equal processes side by side has done something.

use std::collections::HashMap;

use linchpin_engine::{Budget, Step};
use linchpin_lts::{Label, LabelledSystem, Verdict};

use super::Report;
use super::explore::{End, explore};
use super::orders::Search;
use crate::reduced::Reduced;

/// Looks for a state where a label does not determine what follows.
pub(super) fn check(reduced: &Reduced<'_>, budget: &Budget<'_>) -> Report {
    let system = reduced.system;
    let explored = explore(reduced, Search::Breadth, budget, |_, steps| {
        let form = |state: &[u32]| {
            let mut words = state.to_vec();
            system.sort_equal(&mut words);
            words
        };
        let mut first: HashMap<Label, &[u32]> = HashMap::new();
        for Step { label, state, .. } in steps.steps() {
            let other = *first.entry(label).or_insert(state);
            if other != state && form(other) != form(state) {
                return Ok(Some(label));
            }
        }
        Ok(None)
    });
    let End::Found(label) = explored.end else { return explored.report(Ok(Verdict::Holds)) };
    let label = system.label(label);
    let sentence = format!("after these steps, `{label}` leads to different states");
    explored.found(Ok(Verdict::Violated(())), sentence)
}
