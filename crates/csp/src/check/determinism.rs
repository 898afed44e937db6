//! `deterministic`: is there a state with two steps of one label to different states?
//!
//! As in PAT, silent steps count, too, and states are the same if they differ only in which of several
//! equal processes side by side has done something.

use linchpin_engine::Budget;
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
    let mut sorted = Vec::new();
    let end = explorer.run(budget, |graph, state, steps| {
        sorted.clear();
        sorted.extend(steps.iter().map(|s| (s.label, s.target)));
        sorted.sort_unstable();
        sorted.dedup();
        let form = |target: u32| {
            let mut words = Vec::new();
            graph.read(target, &mut words);
            system.sort_equal(&mut words);
            words
        };
        let differ =
            |pair: &&[(u32, u32)]| pair[0].0 == pair[1].0 && form(pair[0].1) != form(pair[1].1);
        let twice = sorted.windows(2).find(differ)?;
        Some((state, twice[0].0))
    });
    let End::Found((state, label)) = end else { return explorer.report(end, Ok(Verdict::Holds)) };
    let label = system.label(label);
    let sentence = format!("after these steps, `{label}` leads to different states");
    explorer.found(state, Ok(Verdict::Violated(())), sentence)
}
