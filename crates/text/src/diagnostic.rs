//! What a front end says about a text: data, not text for a terminal.
//!
//! A diagnostic is shown by somebody else (the command line, an editor), so everything needed to
//! show it well is kept apart: the sentence, the place with its caption, other places, notes, a
//! hint, and edits that can be applied.

use std::collections::HashSet;

use crate::span::Span;

/// A stable name of a kind of diagnostic, such as `E012`, with the words that describe the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// `E` or `W` and three digits.
    pub id: &'static str,
    /// What all diagnostics of this kind have in common.
    pub title: &'static str,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// There is no program.
    Error,
    /// There is one, but perhaps not the one that was meant.
    Warning,
}

/// A place with a caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said about it; may be empty.
    pub text: String,
}

/// A replacement of a piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; an empty range is an insertion.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// One message about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable name of this kind of message.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Where, with a caption.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Further explanation.
    pub notes: Vec<String>,
    /// How to mend it, in words.
    pub help: Option<String>,
    /// How to mend it, as edits of the text (all of them together).
    pub edits: Vec<Edit>,
}

impl Diagnostic {
    /// An error without caption.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code: code.id,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            edits: Vec::new(),
        }
    }

    /// A warning without caption.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Sets the caption of the place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds an explanation.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the hint.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds an edit.
    pub fn edit(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.edits.push(Edit { span, replacement: replacement.into() });
        self
    }
}

/// The most errors, and the most warnings, that are reported for one text.
const MAX_REPORTED: usize = 50;

/// Says that there were more errors than are reported.
pub const MORE_ERRORS: Code = Code { id: "E000", title: "too many errors" };
/// Says that there were more warnings than are reported.
pub const MORE_WARNINGS: Code = Code { id: "W000", title: "too many warnings" };

/// Where diagnostics are collected. The same message at the same place is kept once.
#[derive(Default)]
pub struct Sink {
    list: Vec<Diagnostic>,
    seen: HashSet<(Span, &'static str, String)>,
    errors: usize,
    warnings: usize,
}

impl Sink {
    /// Adds one, unless there are enough.
    pub fn push(&mut self, d: Diagnostic) {
        let (count, more) = match d.severity {
            Severity::Error => (&mut self.errors, MORE_ERRORS),
            Severity::Warning => (&mut self.warnings, MORE_WARNINGS),
        };
        if *count > MAX_REPORTED {
            return;
        }
        if !self.seen.insert((d.primary.span, d.code, d.message.clone())) {
            return;
        }
        *count += 1;
        if *count <= MAX_REPORTED {
            self.list.push(d);
            return;
        }
        let text = format!("there is more, but {MAX_REPORTED} messages are enough");
        self.list.push(Diagnostic {
            severity: d.severity,
            ..Diagnostic::error(more, d.primary.span, text)
        });
    }

    /// Are further errors left out?
    pub fn is_full(&self) -> bool {
        self.errors > MAX_REPORTED
    }

    /// How many errors there are so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// All of them in the order of the text. What is suspicious about a text with errors may well
    /// be a consequence of them, so warnings are kept only if there are none.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.errors > 0 {
            self.list.retain(|d| d.severity == Severity::Error);
        }
        self.list.sort_by_key(|d| (d.code.ends_with("000"), d.primary.span.start));
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Code = Code { id: "E999", title: "" };

    #[test]
    fn repeated_messages_are_kept_once() {
        let mut sink = Sink::default();
        for _ in 0..3 {
            sink.push(Diagnostic::error(SOME, Span::new(1, 2), "again"));
        }
        assert_eq!(sink.errors(), 1);
        assert_eq!(sink.finish().len(), 1);
    }

    #[test]
    fn errors_beyond_the_limit_are_announced_once_and_last() {
        let mut sink = Sink::default();
        for i in (0..200).rev() {
            sink.push(Diagnostic::error(SOME, Span::new(i, i + 1), "wrong"));
        }
        let list = sink.finish();
        assert_eq!(list.len(), MAX_REPORTED + 1);
        assert_eq!(list[MAX_REPORTED].code, "E000");
        assert!(list[..MAX_REPORTED].is_sorted_by_key(|d| d.primary.span.start));
    }
}
