//! `deterministic`: is there a state with two steps of one label to different states?
//!
//! As in PAT, silent steps count, too.

use linchpin_engine::Budget;
use linchpin_lts::LabelledSystem;

use super::explore::{End, Explorer};
use super::{Report, Verdict};
use crate::system::System;

/// Looks for a state where a label does not determine what follows.
pub(super) fn check(system: &System, budget: &Budget<'_>) -> Report {
    let mut explorer = match Explorer::new(system) {
        Ok(explorer) => explorer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let mut sorted = Vec::new();
    let end = explorer.run(budget, |_, state, steps| {
        sorted.clear();
        sorted.extend(steps.iter().map(|s| (s.label, s.target)));
        sorted.sort_unstable();
        sorted.dedup();
        let twice = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
        Some((state, twice[0].0))
    });
    let End::Found((state, label)) = end else { return explorer.report(end, Verdict::Holds) };
    let label = system.label(label);
    let sentence = format!("after these steps, `{label}` leads to different states");
    explorer.found(state, Verdict::Violated, sentence)
}
