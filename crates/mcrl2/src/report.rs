//! What is said about a specification: the diagnostics of the other front ends, with codes `M...`.

use linchpin_text::Span;
use linchpin_text::{Diagnostic, Label, Severity};

/// The text is not mCRL2.
pub(crate) const SYNTAX: &str = "M001";
/// It is mCRL2, but Linchpin does not have it.
pub(crate) const UNSUPPORTED: &str = "M002";
/// A name that nothing declares.
pub(crate) const UNKNOWN: &str = "M003";
/// A name that is declared twice.
pub(crate) const TWICE: &str = "M004";
/// An expression of the wrong sort.
pub(crate) const SORT: &str = "M005";
/// A name that may mean several things here.
pub(crate) const AMBIGUOUS: &str = "M006";
/// An equation that cannot be used from left to right.
pub(crate) const EQUATION: &str = "M007";
/// Parallel processes where mCRL2 wants sequential ones, or endless unfolding.
pub(crate) const SHAPE: &str = "M008";
/// An operator on actions that mCRL2 does not allow.
pub(crate) const ACTIONS: &str = "M009";

/// An error.
pub(crate) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code,
        message: message.into(),
        primary: Label { span, text: String::new() },
        secondary: Vec::new(),
        notes: Vec::new(),
        help: None,
        edits: Vec::new(),
    }
}

/// A result with one diagnostic; boxed, because it is rare.
pub(crate) type Checked<T> = Result<T, Box<Diagnostic>>;

/// The name nearest to one that is not known, if any is near.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time that grows with the product of the lengths.
    if name.len() > 64 {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    let known = known.into_iter().filter(|k| k.len().abs_diff(name.len()) <= 4 * limit);
    let near = known.map(|k| (distance(name, k), k)).filter(|(d, _)| *d <= limit);
    near.min().map(|(_, k)| k)
}

/// How many characters must be inserted, removed or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
