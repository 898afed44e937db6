//! The report of a violation: history, reason, schedule, how to see it again.

use linchpin_check::{Counterexample, Violation};
use linchpin_evidence::explain::{Attempt, Explanation, Failure, Order, Placed};
use linchpin_evidence::narrative::Narrative;
use linchpin_evidence::words::{self, Emphasis};
use linchpin_lts::Verdict;

use super::columns::table;
use super::{schedule, timeline};
use crate::answer::View;
use crate::outcome::Decided;
use crate::screen::{Screen, Tone};

/// How far the lines of a section are indented.
pub(crate) const INDENT: usize = 4;

/// The report. Long schedules are abridged unless all
/// of it is wanted, and the orders that almost explain a history are shown on request.
pub(crate) fn render(
    screen: &Screen,
    decided: &Decided<'_>,
    explanation: &Explanation,
    view: &View,
) -> String {
    let mut out = String::new();
    let narrative = &explanation.narrative;
    let failing = match explanation.failure {
        Failure::Response { operation, .. } => Some(operation),
        Failure::Refused { operation, .. } | Failure::Points { operation, .. } => operation,
        Failure::Branching { .. }
        | Failure::Fault { .. }
        | Failure::Deadlock { .. }
        | Failure::Endless { .. } => None,
    };
    if !narrative.operations.is_empty() {
        let mut lines = timeline::render(screen, narrative, failing, screen.columns - INDENT);
        lines.extend(roles(&narrative.roles));
        section(&mut out, screen, "history", lines);
    }
    section(&mut out, screen, "reason", reason(screen, explanation));
    if view.explain
        && let Failure::Response { attempts, .. } = &explanation.failure
    {
        for attempt in attempts {
            let lines = self::attempt(screen, explanation, attempt);
            section(&mut out, screen, "an order that almost works", lines);
        }
    }
    // Before the first step there is nothing to show but the reason.
    if narrative.entries.iter().any(|e| e.thread > 0) {
        let all = view.verbose || view.explain;
        let repeats = match &explanation.failure {
            Failure::Endless { from, .. } => *from,
            _ => None,
        };
        let mut lines = schedule::render(screen, &decided.source.path, narrative, all, repeats);
        lines.extend(size(screen, decided, narrative));
        section(&mut out, screen, "schedule", lines);
    }
    if let Failure::Branching { continuations, .. } = &explanation.failure {
        for (i, continued) in continuations.iter().enumerate() {
            let narrative = &continued.narrative;
            let mut lines = timeline::render(screen, narrative, None, screen.columns - INDENT);
            lines.push(String::new());
            let entries = &narrative.entries[continued.after.min(narrative.entries.len())..];
            let line = narrative.entries.iter().map(|e| e.at.label().len()).max();
            let operations = &narrative.operations;
            lines.extend(schedule::entries(screen, entries, operations, line.unwrap_or(1)));
            section(&mut out, screen, &format!("continuation {}", i + 1), lines);
        }
    }
    section(&mut out, screen, "see it again", vec![decided.again.clone()]);
    out
}

/// How long the execution is, and whether a shorter one would do.
pub(crate) fn size(
    screen: &Screen,
    decided: &Decided<'_>,
    narrative: &Narrative,
) -> Option<String> {
    let Verdict::Violated(Counterexample { schedule, violation }) = &decided.report.verdict else {
        return None;
    };
    if matches!(violation, Violation::Endless { .. } | Violation::Temporal(_)) {
        return None;
    }
    let switches = schedule.turns.windows(2).filter(|w| w[0].thread != w[1].thread).count();
    let s = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let size = format!(
        "{}, {}",
        s(narrative.operations.len(), "operation"),
        format_args!("{} of threads", s(switches, "switch").replace("switchs", "switches"))
    );
    let text = match decided.report.minimal {
        Some(_) => format!("({size}; no execution with fewer shows this)"),
        None => format!("({size}; there may be a simpler execution)"),
    };
    Some(screen.paint(Tone::Quiet, text))
}

/// Adds a section with its title.
pub(crate) fn section(out: &mut String, screen: &Screen, title: &str, lines: Vec<String>) {
    *out += &format!("\n  {}\n", screen.paint(Tone::Heading, title));
    for line in lines {
        *out += format!("{:INDENT$}{line}", "").trim_end();
        out.push('\n');
    }
}

/// Which thread has which role, if they have different ones.
fn roles(roles: &[String]) -> Option<String> {
    if roles.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    let roles = roles.iter().enumerate().map(|(i, role)| format!("T{} is `{role}`", i + 1));
    Some(format!("({})", roles.collect::<Vec<_>>().join(", ")))
}

/// What is wrong, in sentences.
fn reason(screen: &Screen, explanation: &Explanation) -> Vec<String> {
    match &explanation.failure {
        Failure::Response { before, .. } => {
            let mut lines = sentences(screen, explanation);
            if let Some(order) = before {
                lines.push("Before that return, this order explains everything:".to_string());
                lines.extend(order_table(screen, explanation, order));
            }
            lines
        }
        Failure::Points { order, .. } => {
            let mut lines = sentences(screen, explanation);
            if let Some(order) = order {
                lines.push("This order explains the history:".to_string());
                lines.extend(order_table(screen, explanation, order));
            }
            lines
        }
        Failure::Refused { .. }
        | Failure::Branching { .. }
        | Failure::Fault { .. }
        | Failure::Deadlock { .. }
        | Failure::Endless { .. } => sentences(screen, explanation),
    }
}

/// What is wrong, in a few sentences.
pub(crate) fn sentences(screen: &Screen, explanation: &Explanation) -> Vec<String> {
    words::sentences(explanation, &|emphasis, word| match emphasis {
        Emphasis::Wrong => screen.paint(Tone::Bad, word),
        Emphasis::Right => screen.paint(Tone::Good, word),
    })
}

/// The operations in an order, with results and states.
fn order_table(screen: &Screen, explanation: &Explanation, order: &Order) -> Vec<String> {
    let row = |step: &Placed| {
        let o = &explanation.narrative.operations[step.operation];
        let result = match step.result.as_str() {
            "()" => String::new(),
            result => format!(" {} {result}", screen.either("→", "=")),
        };
        vec![format!("T{}: {}{result}", o.thread, o.call), step.state.clone()]
    };
    let first = vec!["initially".to_string(), order.initial.clone()];
    let rows: Vec<_> = std::iter::once(first).chain(order.steps.iter().map(row)).collect();
    table(&rows).into_iter().map(|line| format!("  {line}")).collect()
}

/// An order that places as many operations as possible, and why none of the others can be next.
fn attempt(screen: &Screen, explanation: &Explanation, attempt: &Attempt) -> Vec<String> {
    let mut lines = order_table(screen, explanation, &attempt.order);
    lines.push("Next would have to be one of".to_string());
    for (operation, why) in &attempt.stuck {
        let o = &explanation.narrative.operations[*operation];
        lines.push(format!("  T{}: {}, which {why}", o.thread, o.call));
    }
    lines
}
