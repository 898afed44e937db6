//! The judge of leaks.
//!
//! The execution was replayed without reductions, so every record that was ever handed out is in its last state. All
//! operations must have returned; then the picture of memory that readers see (`snapshot`) is walked from the variables of
//! the object, by names. A record that is not free and is not met is lost. See `leaks` in the crate `check`.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_lin::Model;
use linchpin_lin::replay::{ActionKind, Replay};

use super::Refusal;
use crate::history::History;
use crate::judge::Disagreement;
use crate::snapshot::{Cell, snapshot};
use crate::wing_gong::HistoryError;

/// Decides that a record is out of reach and not free at the end of an execution in which everything has returned.
pub(super) fn refuse(
    model: &Model,
    replay: &Replay,
    history: &History,
) -> Result<Refusal, Disagreement> {
    let operations = history
        .operations()
        .map_err(|malformed| Disagreement::History(HistoryError::Malformed(malformed)))?;
    if operations.iter().any(|o| o.response.is_none()) {
        return Err(Disagreement::Satisfied);
    }
    let end = replay.steps.last().map_or(&replay.initial, |s| &s.state);
    let memory = snapshot(model, end);
    let refers = |cells: &[Cell]| cells.iter().flat_map(|c| c.refers.clone()).collect::<Vec<_>>();
    let fields: BTreeMap<&str, Vec<String>> =
        memory.nodes.iter().map(|n| (n.name.as_str(), refers(&n.fields))).collect();
    let mut todo = refers(&memory.variables);
    let mut met = BTreeSet::new();
    while let Some(node) = todo.pop() {
        todo.extend(fields.get(node.as_str()).into_iter().flatten().cloned());
        if !met.insert(node) {
            todo.retain(|n| !met.contains(n));
        }
    }
    let lost: Vec<_> = memory.nodes.iter().filter(|n| !n.freed && !met.contains(&n.name)).collect();
    if lost.is_empty() {
        return Err(Disagreement::Satisfied);
    }
    let made = |name: &str| {
        let mut by = "the initialisation".to_string();
        for step in &replay.steps {
            let news = step.actions.iter().filter(|a| a.kind == ActionKind::New);
            for _ in news.filter(|a| a.after == name) {
                by = format!("T{}", step.thread + 1);
            }
        }
        by
    };
    let mut because: Vec<String> = lost
        .iter()
        .map(|n| format!("{} ({}), allocated by {}, is not free.", n.name, n.record, made(&n.name)))
        .collect();
    because.push("No operation is running, and no variable of the object leads there.".to_string());
    Ok(Refusal { operation: None, because, stretched: None })
}
