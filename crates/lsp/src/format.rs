//! Laying out a text as `linchpin fmt` does.

use linchpin_lin::syntax;
use lsp_types::{Position, Range, TextEdit};

use crate::document::Document;
use crate::language::Language;

/// The edit that lays the text out; none if nothing changes or the text has errors of syntax. Lines
/// that stay the same at the beginning and at the end are left alone, so that cursors stay.
pub(crate) fn format(document: &Document) -> Vec<TextEdit> {
    if document.language != Language::Lin {
        return Vec::new();
    }
    let Ok(formatted) = syntax::format(&document.text) else { return Vec::new() };
    if *formatted == *document.text {
        return Vec::new();
    }
    let old: Vec<&str> = document.text.split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = |lines: &[&str]| lines.len() - first;
    let last = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let last = last.min(rest(&old)).min(rest(&new));
    let bytes = |lines: &[&str]| lines.iter().map(|l| l.len()).sum::<usize>() as u32;
    let at = |offset: u32| -> Position { document.lines.position(&document.text, offset) };
    let (start, end) = (bytes(&old[..first]), bytes(&old[..old.len() - last]));
    let text = new[first..new.len() - last].concat();
    vec![TextEdit::new(Range::new(at(start), at(end)), text)]
}
