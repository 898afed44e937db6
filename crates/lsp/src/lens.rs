//! What stands above every check: run it, stop it, or what was found.

use linchpin_evidence::words::grouped;
use linchpin_lin::Span;
use lsp_types::{CodeLens, Command};
use serde_json::json;

use crate::capabilities::{CANCEL, CHECK};
use crate::document::{Document, State};

/// The lenses of a text; none while it has errors.
pub(crate) fn lenses(document: &Document) -> Vec<CodeLens> {
    let checks = document.analysis.program.iter().flat_map(|program| &program.checks);
    let checks = checks.map(|check| lens(document, &check.name, check.span));
    let asserted = document.foreign.model.iter().flat_map(|model| model.assertions());
    // Those of files that are included are run there.
    let asserted = asserted.filter(|a| document.has(a.span));
    checks.chain(asserted.map(|a| lens(document, &a.text, a.span))).collect()
}

fn lens(document: &Document, name: &str, span: Span) -> CodeLens {
    let (title, command) = match document.checks.get(name) {
        None => (format!("▶ check {name}"), CHECK),
        Some(State::Running(0)) => (format!("◌ checking {name} … stop"), CANCEL),
        Some(State::Running(n)) => (format!("◌ {name}: {} states … stop", grouped(*n)), CANCEL),
        Some(State::Done(outcome)) => {
            (format!("{} {name} {}", outcome.sign(), outcome.title), CHECK)
        }
    };
    let arguments = vec![json!({ "uri": document.uri, "name": name })];
    CodeLens {
        range: document.range(span),
        command: Some(Command::new(title, command.to_string(), Some(arguments))),
        data: None,
    }
}
