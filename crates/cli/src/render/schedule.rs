//! A schedule as a table: thread, line, statement, what it did.

use linchpin_evidence::explain::{Deed, Entry, Interval};
use linchpin_model::replay::{Action, ActionKind};

use crate::screen::{Screen, Tone};

/// Columns for the statement.
const STATEMENT: usize = 34;

/// The lines of the table.
pub(crate) fn render(screen: &Screen, entries: &[Entry], operations: &[Interval]) -> Vec<String> {
    let digits = entries.iter().map(|e| e.at.line.to_string().len()).max().unwrap_or(1);
    let statement = entries
        .iter()
        .filter(|e| matches!(e.deed, Deed::Access(_) | Deed::Fault(_)))
        .map(|e| e.at.text.chars().count())
        .max()
        .unwrap_or(0)
        .min(STATEMENT);
    let mut lines = Vec::new();
    let mut last = None;
    for entry in entries {
        // The name of a thread where it takes over.
        let thread = match entry.thread {
            0 => "init".to_string(),
            t => format!("T{t}"),
        };
        let name = if last == Some(entry.thread) { String::new() } else { thread };
        last = Some(entry.thread);
        let name = screen.paint(Tone::Thread, format!("{name:<4}"));
        let line = screen.paint(Tone::Quiet, format!("{:>digits$}", entry.at.line));
        let text = match &entry.deed {
            Deed::Call(i) => format!("{} {}", "call", operations[*i].call),
            Deed::Return(i) => match operations[*i].result.as_deref() {
                None | Some("()") => format!("return from {}", operations[*i].call),
                Some(result) => format!("return {result} from {}", operations[*i].call),
            },
            Deed::Access(action) => {
                let text = cut(&entry.at.text, statement, screen);
                format!("  {text:<statement$}  {}", effect(action, screen))
            }
            Deed::Fault(kind) => {
                let text = cut(&entry.at.text, statement, screen);
                let name = kind.name().replace('_', " ");
                format!("  {text:<statement$}  {}", screen.paint(Tone::Bad, name))
            }
        };
        lines.push(format!("{name} {line}  {text}").trim_end().to_string());
    }
    lines
}

/// What an access did, in a few words.
pub(crate) fn effect(action: &Action, screen: &Screen) -> String {
    let Action { place, before, after, .. } = action;
    let arrow = screen.either("→", "->");
    let change = || match before == after {
        true => format!("{place} = {after} as before"),
        false => format!("{place}: {before} {arrow} {after}"),
    };
    let is = || format!("{place} = {after}");
    match action.kind {
        ActionKind::Read => is(),
        ActionKind::Write | ActionKind::Swap | ActionKind::FetchAdd => change(),
        ActionKind::CasSucceeded | ActionKind::StoreSucceeded => format!("succeeds, {}", change()),
        ActionKind::CasFailed | ActionKind::StoreFailed => {
            format!("fails, {place} = {}", if before.is_empty() { after } else { before })
        }
        ActionKind::LoadLinked => format!("{}, linked", is()),
        ActionKind::Valid => format!("{place} is unchanged"),
        ActionKind::Invalid => format!("{place} was written"),
        ActionKind::Lock | ActionKind::TryLockSucceeded => format!("takes {place}"),
        ActionKind::Unlock => format!("releases {place}"),
        ActionKind::TryLockFailed => format!("fails, {place} is held by {before}"),
        ActionKind::New => format!("new {after}"),
        ActionKind::Free => format!("frees {before}"),
    }
}

/// The text, shortened to a number of columns.
pub(crate) fn cut(text: &str, columns: usize, screen: &Screen) -> String {
    if text.chars().count() <= columns {
        return text.to_string();
    }
    let dots = screen.either("…", "..");
    let mut short: String = text.chars().take(columns - dots.chars().count()).collect();
    short += dots;
    short
}
