//! What stands above every check: run it, stop it, or what was found.

use linchpin_evidence::words::grouped;
use linchpin_lin::program::Check;
use lsp_types::{CodeLens, Command};
use serde_json::json;

use crate::capabilities::{CANCEL, CHECK};
use crate::document::{Document, State};

/// The lenses of a text; none while it has errors.
pub(crate) fn lenses(document: &Document) -> Vec<CodeLens> {
    let Some(program) = &document.analysis.program else { return Vec::new() };
    program.checks.iter().map(|check| lens(document, check)).collect()
}

fn lens(document: &Document, check: &Check) -> CodeLens {
    let name = &check.name;
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
        range: document.range(check.span),
        command: Some(Command::new(title, command.to_string(), Some(arguments))),
        data: None,
    }
}
