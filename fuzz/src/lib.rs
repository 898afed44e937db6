//! What the targets have in common.

use linchpin_text::Diagnostic;

/// The text of some bytes, if they are text.
pub use linchpin_text::decode;

/// Every place that diagnostics name is in the text.
pub fn are_in(text: &str, diagnostics: &[Diagnostic]) {
    for d in diagnostics {
        let edits = d.edits.iter().map(|e| e.span);
        for span in d.secondary.iter().map(|l| l.span).chain([d.primary.span]).chain(edits) {
            assert!(text.get(span.range()).is_some(), "{} is at {span:?}", d.code);
        }
    }
}

/// What was read, or diagnostics: at least one, and all in the text.
pub fn read<T>(text: &str, result: Result<T, Vec<Diagnostic>>) -> Option<T> {
    match result {
        Ok(read) => Some(read),
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "neither a model nor a reason");
            are_in(text, &diagnostics);
            None
        }
    }
}
