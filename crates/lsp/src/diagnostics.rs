//! What is wrong with a text, and what checks found, as the editor shows it.

use linchpin_lin::{Diagnostic as Said, Severity};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Position, PublishDiagnosticsParams, Range,
};

use crate::decide::{Finding, Outcome, Weight};
use crate::document::{Document, State};
use crate::language::address_of;

const SOURCE: &str = "linchpin";

/// The most steps of a schedule that are shown with a violation.
const STEPS: usize = 200;

/// Everything to be shown about a document.
pub(crate) fn publish(document: &Document) -> PublishDiagnosticsParams {
    let said = document.diagnostics().iter().map(|d| said(document, d));
    let done = document.checks.values().filter_map(|state| match state {
        State::Done(Outcome { finding, uncovered, .. }) => Some(finding.iter().chain(uncovered)),
        _ => None,
    });
    let found = done.flatten().map(|finding| found(document, finding));
    PublishDiagnosticsParams {
        uri: document.uri.clone(),
        diagnostics: said.chain(found).collect(),
        version: Some(document.version),
    }
}

/// A message of the front end: its notes and help follow the sentence.
fn said(document: &Document, d: &Said) -> Diagnostic {
    let mut message = d.message.clone();
    if !d.primary.text.is_empty() && !d.message.contains(&d.primary.text) {
        message += &format!("\n{}", d.primary.text);
    }
    for note in &d.notes {
        message += &format!("\nnote: {note}");
    }
    if let Some(help) = &d.help {
        message += &format!("\nhelp: {help}");
    }
    let related = d.secondary.iter().map(|label| DiagnosticRelatedInformation {
        location: document.location(label.span),
        message: label.text.clone(),
    });
    let unused = matches!(d.code, "W001" | "W002");
    Diagnostic {
        range: document.range(d.primary.span),
        severity: Some(match d.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(d.code.to_string())),
        source: Some(SOURCE.to_string()),
        message,
        related_information: some(related.collect()),
        tags: unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

/// What a check found, with the schedule.
fn found(document: &Document, finding: &Finding) -> Diagnostic {
    let line = |line: usize| document.lines.line(&document.text, line);
    let range: Range = match finding.line {
        Some(n) => line(n),
        None => document.range(finding.span),
    };
    let mut related: Vec<_> = finding
        .steps
        .iter()
        .take(STEPS)
        .map(|(at, message)| DiagnosticRelatedInformation {
            location: match at.file.as_deref().and_then(address_of) {
                Some(uri) => {
                    let start = Position::new(at.line.saturating_sub(1) as u32, 0);
                    Location::new(uri, Range::new(start, start))
                }
                None => Location::new(document.uri.clone(), line(at.line)),
            },
            message: message.clone(),
        })
        .collect();
    if let Some(left) = finding.steps.len().checked_sub(STEPS).filter(|n| *n > 0) {
        let location = Location::new(document.uri.clone(), range);
        let message = format!("and {left} more steps; `linchpin check` shows them all");
        related.push(DiagnosticRelatedInformation { location, message });
    }
    Diagnostic {
        range,
        severity: Some(match finding.weight {
            Weight::Error => DiagnosticSeverity::ERROR,
            Weight::Warning => DiagnosticSeverity::WARNING,
            Weight::Expected => DiagnosticSeverity::INFORMATION,
            Weight::Unreached => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.code.to_string())),
        source: Some(SOURCE.to_string()),
        message: finding.message.clone(),
        related_information: some(related),
        tags: (finding.weight == Weight::Unreached).then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
