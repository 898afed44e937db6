//! Assertions of CSP models in sentences, for the terminal.

use linchpin_csp::Failure;
use linchpin_lin::{Diagnostic, Label, Severity};
use linchpin_lts::Verdict;

use super::events;
use crate::answer::View;
use crate::csp::Decided;
use crate::memory;
use crate::names::shown;
use crate::render::columns::wrapped;
use crate::render::numbers::{bytes, counted};
use crate::render::verdict::{Limits, figures};
use crate::render::violation::section;
use crate::render::{diagnostics, timeline, violation};
use crate::screen::{Screen, Tone};

pub(super) use violation::INDENT;

/// The assertion, the verdict, the figures and the execution that shows it.
pub(super) fn text(view: &View, screen: &Screen, decided: &Decided<'_>, limits: &Limits) -> String {
    let mut text = String::new();
    if view.several {
        text += &format!("{}: ", shown(&decided.source.path));
    }
    text += &screen.paint(Tone::Heading, &decided.asserted.text);
    text += &format!(": {}\n", super::verdict(screen, decided, limits));
    if view.quiet {
        return text;
    }
    text += &format!("  {}\n", figures(&super::statistics(decided), decided.elapsed));
    if decided.report.others > 0 {
        let others = counted(decided.report.others, "state");
        text +=
            &format!("  and {others} in other searches, depth first or for a shorter execution\n");
    }
    if view.verbose {
        let peak = memory::peak().map_or("unknown".to_string(), bytes);
        let on = &decided.reductions;
        let on = if on.is_empty() { "none".to_string() } else { on.join(", ") };
        text += &format!("  reductions: {on}\n  peak memory of the process: {peak}\n");
    }
    for note in &decided.report.notes {
        let lines = wrapped(&format!("note: {note}"), screen.columns - 2);
        text.extend(lines.iter().map(|line| format!("  {line}\n")));
    }
    text += &trouble(screen, decided);
    let columns = screen.columns - INDENT;
    let Some(witness) = &decided.report.witness else { return text };
    let history = super::history(decided);
    if let Some((narrative, failing)) = &history {
        let lines = timeline::render(screen, narrative, *failing, columns);
        section(&mut text, screen, "history", lines);
    }
    section(&mut text, screen, "trace", events::lines(witness, view.verbose, columns));
    let reason = super::shown(decided).iter().flat_map(|s| wrapped(s, columns)).collect();
    let title =
        if matches!(decided.report.verdict, Ok(Verdict::Holds)) { "result" } else { "reason" };
    section(&mut text, screen, title, reason);
    if !witness.steps.is_empty() {
        let rows = events::table(screen, decided.source, witness, view.verbose);
        section(&mut text, screen, "events", rows);
    }
    if !witness.variables.is_empty() {
        let lines = events::contents(&witness.variables, columns);
        section(&mut text, screen, "variables at the end", lines);
    }
    section(&mut text, screen, "see it again", vec![decided.again.clone()]);
    text.push('\n');
    text
}

/// An error of the model, where it is.
fn trouble(screen: &Screen, decided: &Decided<'_>) -> String {
    match &decided.report.verdict {
        Err(Failure::Trouble(trouble)) => {
            let Some((start, end)) = trouble.at else {
                return format!("  {}\n", trouble.message);
            };
            let (path, text, span) = decided.source.place(linchpin_lin::Span { start, end });
            let diagnostic = Diagnostic {
                severity: Severity::Error,
                code: "",
                message: trouble.message.clone(),
                primary: Label { span, text: String::new() },
                secondary: Vec::new(),
                notes: Vec::new(),
                help: None,
                edits: Vec::new(),
            };
            diagnostics::render(screen, path, text, &[diagnostic])
        }
        Err(Failure::Defect(_)) => {
            "  This is a bug of Linchpin and not a verdict about the model.\n  \
             Please report it with the file and the command.\n"
                .to_string()
        }
        _ => String::new(),
    }
}
