//! Answers to assertions of CSP models, as text and as JSON.

use linchpin_csp::{Verdict, Witness};
use linchpin_syntax::{Diagnostic, Label, Severity, line_column};
use serde_json::{Value as Json, json};

use super::numbers::{grouped, rate, seconds};
use super::verdict::Limits;
use super::{diagnostics, json as checks};
use crate::args::CheckOptions;
use crate::csp::Decided;
use crate::screen::{Screen, Tone};

/// The most steps whose places are shown.
const MAX_PLACES: usize = 40;

/// For people.
pub(crate) fn text(
    options: &CheckOptions,
    screen: &Screen,
    decided: &Decided<'_>,
    limits: &Limits,
) -> String {
    let mut text = String::new();
    if options.files.len() > 1 {
        text += &format!("{}: ", decided.source.path.display());
    }
    text += &screen.paint(Tone::Heading, &decided.asserted.text);
    let report = &decided.report;
    let verdict = match &report.verdict {
        Verdict::Holds => screen.paint(Tone::Good, "valid"),
        Verdict::Violated => screen.paint(Tone::Bad, "NOT valid"),
        Verdict::Unknown(limit) => {
            format!("{}: {}", screen.paint(Tone::Doubtful, "unknown"), limits.words(*limit))
        }
        Verdict::Trouble(_) => screen.paint(Tone::Bad, "the model goes wrong"),
        Verdict::Defect(why) => {
            format!("INTERNAL ERROR: {why}\n  This is a bug of Linchpin and not a verdict.")
        }
    };
    text += &format!(": {verdict}\n");
    if options.quiet {
        return text;
    }
    let s = &report.statistics;
    let states = grouped(s.states.max(s.nodes));
    text += &format!(
        "  {states} states, {} transitions, depth {}, {} ({})\n",
        grouped(s.transitions),
        s.depth,
        seconds(decided.elapsed),
        rate(s.states.max(s.nodes), decided.elapsed)
    );
    if let Verdict::Trouble(trouble) = &report.verdict {
        text += &place(screen, decided, &trouble.message, trouble.at);
    }
    if let Some(witness) = &report.witness {
        text += &format!("  {}:\n    {}\n", witness.sentence, trace(witness));
        text += &places(decided, witness);
        if !witness.variables.is_empty() {
            let all: Vec<String> =
                witness.variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            text += &format!("  at the end: {}\n", all.join(", "));
        }
    }
    text
}

/// An error of the model, where it is.
fn place(screen: &Screen, decided: &Decided<'_>, message: &str, at: Option<(u32, u32)>) -> String {
    let Some((start, end)) = at else { return format!("  {message}\n") };
    let span = linchpin_model::Span { start, end };
    let diagnostic = Diagnostic {
        severity: Severity::Error,
        code: "",
        message: message.to_string(),
        primary: Label { span, text: String::new() },
        secondary: Vec::new(),
        notes: Vec::new(),
        help: None,
        edits: Vec::new(),
    };
    diagnostics::render(screen, decided.source.path, &decided.source.text, &[diagnostic])
}

/// `init -> a -> tau -> (b -> c)*`
fn trace(witness: &Witness) -> String {
    let mut text = "init".to_string();
    for (i, step) in witness.steps.iter().enumerate() {
        text += " -> ";
        if witness.repeats == Some(i) {
            text.push('(');
        }
        text += &step.label;
    }
    if witness.repeats.is_some_and(|r| r < witness.steps.len()) {
        text += ")*";
    }
    text
}

/// Where the steps are written.
fn places(decided: &Decided<'_>, witness: &Witness) -> String {
    let mut text = String::new();
    let widest = witness.steps.iter().map(|s| s.label.len()).max().unwrap_or(0).min(30);
    for step in witness.steps.iter().take(MAX_PLACES) {
        let places: Vec<String> = (step.places.iter())
            .map(|span| {
                let (line, column) = line_column(&decided.source.text, span.start);
                format!("{line}:{column}")
            })
            .collect();
        text += &format!("      {:widest$}  {}\n", step.label, places.join(", "));
    }
    if witness.steps.len() > MAX_PLACES {
        text += &format!("      ... {} more steps\n", witness.steps.len() - MAX_PLACES);
    }
    text
}

/// For programs: one object on one line, as docs/json-schema.md describes.
pub(crate) fn json(decided: &Decided<'_>) -> String {
    let report = &decided.report;
    let text = &decided.source.text;
    let position = |offset: u32| {
        let (line, column) = line_column(text, offset);
        json!({ "line": line, "column": column })
    };
    let (verdict, limit, error) = match &report.verdict {
        Verdict::Holds => ("holds", None, None),
        Verdict::Violated => ("violated", None, None),
        Verdict::Unknown(limit) => ("unknown", Some(checks::limit_name(*limit)), None),
        Verdict::Trouble(trouble) => {
            let at = trouble.at.map(|(start, end)| [position(start), position(end)]);
            let error = json!({ "kind": "model", "message": trouble.message, "at": at });
            ("error", None, Some(error))
        }
        Verdict::Defect(why) => {
            ("error", None, Some(json!({ "kind": "internal", "message": why })))
        }
    };
    let witness = report.witness.as_ref().map(|w| -> Json {
        let steps: Vec<Json> = (w.steps.iter())
            .map(|s| {
                let places: Vec<Json> = s.places.iter().map(|p| position(p.start)).collect();
                json!({ "event": s.label, "by": s.by, "places": places })
            })
            .collect();
        let variables: serde_json::Map<String, Json> =
            w.variables.iter().map(|(n, v)| (n.clone(), json!(v))).collect();
        json!({
            "sentence": w.sentence,
            "trace": trace(w),
            "steps": steps,
            "repeats": w.repeats,
            "variables": variables,
        })
    });
    let object = json!({
        "schema": "linchpin-csp/1",
        "file": decided.source.path.display().to_string(),
        "assertion": decided.asserted.text,
        "number": decided.number,
        "verdict": verdict,
        "limit": limit,
        "error": error,
        "value": report.value,
        "counts": {
            "states": report.statistics.states,
            "nodes": report.statistics.nodes,
            "transitions": report.statistics.transitions,
        },
        "seconds": decided.elapsed.as_secs_f64(),
        "memory_bytes": report.statistics.memory,
        "warnings": checks::diagnostics(text, &decided.source.warnings),
        "witness": witness,
    });
    format!("{object}\n")
}
