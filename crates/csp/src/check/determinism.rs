//! `deterministic`: is there a state with two steps of one label to different states?
//!
//! As in PAT, silent steps count, too, and states are the same if they differ only in which of several
//! equal processes side by side has done something.

use std::collections::HashMap;

use linchpin_engine::{Budget, Unfolded};
use linchpin_lts::{LabelledSystem, Verdict};

use super::Report;
use super::explore::{End, Explorer};
use crate::reduced::Reduced;

/// Looks for a state where a label does not determine what follows.
pub(super) fn check(reduced: &Reduced<'_>, budget: &Budget<'_>) -> Report {
    let system = reduced.system;
    let mut explorer = match Explorer::new(reduced) {
        Ok(explorer) => explorer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let mut first = HashMap::new();
    let end = explorer.run(budget, |graph, state, steps| {
        first.clear();
        let form = |target: u32| {
            let mut words = Vec::new();
            graph.read(target, &mut words);
            system.sort_equal(&mut words);
            words
        };
        let differs = |step: &&Unfolded| {
            let other = *first.entry(step.label).or_insert(step.target);
            other != step.target && form(other) != form(step.target)
        };
        steps.iter().find(differs).map(|step| (state, step.label))
    });
    let End::Found((state, label)) = end else { return explorer.report(end, Ok(Verdict::Holds)) };
    let label = system.label(label);
    let sentence = format!("after these steps, `{label}` leads to different states");
    explorer.found(state, Ok(Verdict::Violated(())), sentence)
}
