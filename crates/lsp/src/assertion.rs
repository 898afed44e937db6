//! Deciding an assertion of a `.csp` model, and what is to be shown of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use linchpin_csp::{Failure, Model, Options, Witness, check};
use linchpin_engine::Budget;
use linchpin_evidence::narrative::Location;
use linchpin_evidence::words::grouped;
use linchpin_lts::{Limit, Trouble, Verdict};
use linchpin_text::{Span, line_column};

use crate::decide::{Finding, Outcome, Weight};

/// Decides an assertion. A panic of the search is a defect like any other.
pub(crate) fn assertion(model: &Model, number: usize, budget: Budget<'_>) -> Outcome {
    let options = Options { budget, ..Options::DEFAULT };
    let report = catch_unwind(AssertUnwindSafe(|| check(model, number, &options)));
    let at = model.assertions()[number].span;
    let mut outcome = Outcome {
        verdict: "error",
        title: "a defect of Linchpin".to_string(),
        expected: false,
        states: 0,
        finding: None,
        uncovered: Vec::new(),
        interrupted: false,
    };
    let Ok(report) = report else {
        outcome.finding = Some(finding(Weight::Error, "internal", "the search panicked", at));
        return outcome;
    };
    outcome.states = report.statistics.states.max(report.statistics.nodes);
    let counted = format!("{} states", grouped(outcome.states));
    let sentence = report.witness.as_ref().map_or("", |w| w.sentence.as_str());
    match &report.verdict {
        Ok(Verdict::Holds) => {
            (outcome.verdict, outcome.expected) = ("holds", true);
            outcome.title = format!("is valid · {counted}");
        }
        Ok(Verdict::Violated(())) => {
            outcome.verdict = "violated";
            outcome.title = format!("is NOT valid · {counted}");
            let text = format!("`{}` is not valid: {sentence}", model.assertions()[number].text);
            outcome.finding = Some(finding(Weight::Error, "violated", &text, at));
        }
        Ok(Verdict::Unknown(limit)) => {
            outcome.verdict = "unknown";
            outcome.interrupted = *limit == Limit::Interrupted;
            outcome.title = format!("unknown ({}) · {counted}", limit.name());
            let text = format!("nothing is known: a limit was reached ({})", limit.name());
            outcome.finding = Some(finding(Weight::Warning, "unknown", &text, at));
        }
        Err(Failure::Trouble(trouble)) => {
            outcome.title = "the model goes wrong".to_string();
            outcome.finding = Some(troubled(model, trouble, at));
        }
        Err(Failure::Defect(why)) => {
            outcome.finding = Some(finding(Weight::Error, "internal", why, at));
        }
    }
    if let (Some(finding), Some(witness)) = (&mut outcome.finding, &report.witness) {
        finding.steps = steps(model, witness);
    }
    outcome
}

fn finding(weight: Weight, code: &'static str, message: &str, span: Span) -> Finding {
    Finding { weight, code, message: message.to_string(), line: None, span, steps: Vec::new() }
}

/// What goes wrong, where; of another file, with its name.
fn troubled(model: &Model, trouble: &Trouble, asserted: Span) -> Finding {
    let place = trouble.at.map(|(start, end)| Span { start, end });
    let (message, span) = match place {
        Some(span) if model.files().place(span).number == 0 => (trouble.message.clone(), span),
        Some(span) => {
            let position = model.files().position(span.start);
            (format!("{position}: {}", trouble.message), asserted)
        }
        None => (trouble.message.clone(), asserted),
    };
    finding(Weight::Error, "model", &message, span)
}

/// The steps of an execution: lines of the text, and events with what they change.
fn steps(model: &Model, witness: &Witness) -> Vec<(Location, String)> {
    let step = |step: &linchpin_csp::WitnessStep| {
        let place = step.places.first().map(|span| model.files().place(*span));
        let line = place.map_or(1, |place| line_column(place.text, place.span.start).0);
        let file = place.filter(|place| place.number > 0).map(|place| place.name.to_string());
        let at = Location { line, text: String::new(), file };
        let changes = step.changes.iter().map(|c| format!("{}: {} → {}", c.name, c.from, c.to));
        let changes: Vec<String> = changes.collect();
        let changes =
            if changes.is_empty() { String::new() } else { format!("  {}", changes.join(", ")) };
        (at, format!("{}{changes}", step.label))
    };
    witness.steps.iter().map(step).collect()
}
