//! Quick fixes: the edits that come with diagnostics.

use std::collections::HashMap;

use linchpin_lin::Diagnostic as Said;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, WorkspaceEdit};

use crate::document::Document;

/// What can be mended in a range.
pub(crate) fn actions(document: &Document, range: Range) -> Vec<CodeActionOrCommand> {
    let touches = |d: &&Said| {
        let at = document.range(d.primary.span);
        at.start <= range.end && range.start <= at.end && !d.edits.is_empty()
    };
    let diagnostics = document.diagnostics().iter().filter(touches);
    diagnostics.map(|d| CodeActionOrCommand::CodeAction(action(document, d))).collect()
}

fn action(document: &Document, d: &Said) -> CodeAction {
    let edit =
        |e: &linchpin_lin::Edit| TextEdit::new(document.range(e.span), e.replacement.clone());
    let edits: Vec<TextEdit> = d.edits.iter().map(edit).collect();
    let title = match edits.as_slice() {
        [one] if !one.new_text.trim().is_empty() => format!("Change to `{}`", one.new_text.trim()),
        _ => d.help.clone().unwrap_or_else(|| format!("Mend: {}", d.message)),
    };
    #[allow(clippy::mutable_key_type)] // the protocol wants it; the key does not change
    let changes = HashMap::from([(document.uri.clone(), edits)]);
    CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit::new(changes)),
        is_preferred: Some(true),
        ..CodeAction::default()
    }
}
