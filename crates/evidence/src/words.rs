//! Violations in words, for whoever shows them: a terminal, an editor.
//!
//! Only what is the same everywhere: sentences, and what a step did. Colours come from outside.

use linchpin_lin::replay::{Action, ActionKind};

use crate::explain::{Awaited, Explanation, Failure};
use crate::narrative::{Deed, Entry, Interval};

/// A word that is to catch the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// What is wrong.
    Wrong,
    /// What would have been right.
    Right,
}

/// How a word is made to catch the eye.
pub type Paint<'a> = &'a dyn Fn(Emphasis, &str) -> String;

/// What is wrong, in a few sentences.
pub fn sentences(explanation: &Explanation, paint: Paint<'_>) -> Vec<String> {
    match &explanation.failure {
        Failure::Response { operation, allowed, .. } => {
            let failed = &explanation.narrative.operations[*operation];
            let got = failed.result.as_deref().unwrap_or("()");
            let mut lines = vec![format!(
                "T{}: {} returned {}; no order of the operations explains that.",
                failed.thread,
                failed.call,
                paint(Emphasis::Wrong, got)
            )];
            match allowed {
                Some(values) if values.is_empty() => {
                    lines.push("The specification allows no return here.".to_string());
                }
                Some(values) => {
                    let values: Vec<_> = values.iter().map(|v| paint(Emphasis::Right, v)).collect();
                    lines.push(format!("The specification allows {}.", values.join(" or ")));
                }
                None => {}
            }
            lines.extend(explanation.remark.clone());
            lines
        }
        Failure::Points { because, order, .. } => {
            let mut lines = because.clone();
            if order.is_some() {
                lines.push(
                    "The history is linearizable: the points are wrong, not what was returned."
                        .into(),
                );
            }
            lines
        }
        Failure::Refused { because, .. }
        | Failure::Branching { because, .. }
        | Failure::Endless { because, .. } => because.clone(),
        Failure::Fault { kind, thread, at } => {
            let name = paint(Emphasis::Wrong, &kind.name().replace('_', " "));
            match thread {
                Some(t) => vec![
                    format!("T{t} runs into a fault in {}: {name}", at.words()),
                    format!("  {}", at.text),
                ],
                None => {
                    let object = format!("the object in {}", at.words());
                    vec![format!("The initialisation of {object} runs into a fault: {name}")]
                }
            }
        }
        Failure::Deadlock { waiting, locks } => {
            let mut lines = vec!["No thread can go on:".to_string()];
            for (thread, at) in waiting {
                let held = match locks.iter().find(|l| l.thread == *thread) {
                    Some(Awaited { lock, holder, .. }) if holder == thread => {
                        format!("; it holds {lock} itself")
                    }
                    Some(Awaited { lock, holder, .. }) => format!("; T{holder} holds {lock}"),
                    None => String::new(),
                };
                lines.push(format!("  T{thread} waits in {}: {}{held}", at.words(), at.text));
            }
            lines
        }
    }
}

/// What a step did to shared memory, in a few words; the arrow stands between an old and a new value.
pub fn effect(entry: &Entry, arrow: &str) -> String {
    match &entry.deed {
        Deed::Access(action) => access(entry, action, arrow),
        Deed::Fault(kind) => kind.name().replace('_', " "),
        Deed::Point(whose) => point(*whose),
        Deed::Call(_) | Deed::Return(_) | Deed::Nothing => String::new(),
    }
}

/// What a point means; thread 0 is none.
fn point(whose: u32) -> String {
    match whose {
        0 => "for no thread".to_string(),
        t => format!("the operation of T{t} takes effect"),
    }
}

fn access(entry: &Entry, action: &Action, arrow: &str) -> String {
    let Action { place, before, after, .. } = action;
    let change = || match before == after {
        true => format!("{place} = {after} as before"),
        false => format!("{place}: {before} {arrow} {after}"),
    };
    let is = || format!("{place} = {after}");
    let effect = match action.kind {
        ActionKind::Read => is(),
        ActionKind::Write | ActionKind::Swap | ActionKind::FetchAdd | ActionKind::Fetch => change(),
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
        ActionKind::Point => String::new(),
    };
    match entry.blame {
        Some(culprit) => format!("{effect} (by T{})", culprit.thread),
        None => effect,
    }
}

/// `call push(a)`, `return a from pop()`; nothing for other entries.
pub fn call_or_return(entry: &Entry, operations: &[Interval]) -> String {
    match &entry.deed {
        Deed::Call(i) => format!("call {}", operations[*i].call),
        Deed::Return(i) => {
            let operation = &operations[*i];
            match operation.result.as_deref() {
                None | Some("()") => format!("return from {}", operation.call),
                Some(result) => format!("return {result} from {}", operation.call),
            }
        }
        Deed::Access(_) | Deed::Point(_) | Deed::Fault(_) | Deed::Nothing => String::new(),
    }
}

/// `1 234 567`
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped_by_three() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(grouped(n), text);
        }
        assert_eq!(grouped(u64::MAX), "18 446 744 073 709 551 615");
    }
}
