//! Renaming: everything that means the same gets the new name, and nothing else changes its meaning.
//!
//! Whether that is so is not guessed from scopes. The renamed text is analysed, and every name in it
//! must mean what it meant before; otherwise the renaming is refused and the reason given.

use std::collections::BTreeMap;

use linchpin_lin::Span;
use linchpin_lin::syntax::index::{Index, Kind};
use linchpin_lin::syntax::words;
use linchpin_lin::{Diagnostic, Severity};
use lsp_types::{Position, Range, TextEdit};

use crate::document::Document;
use crate::language::Language;

/// The name at a position, if it can be renamed; otherwise why not.
pub(crate) fn prepare(document: &Document, position: Position) -> Result<(Range, String), String> {
    let (span, symbol) = target(document, position)?;
    Ok((document.range(span), document.analysis.index.symbols()[symbol].name.clone()))
}

/// The edits that give the thing named at a position another name; otherwise why that is not possible.
pub(crate) fn rename(
    document: &Document,
    position: Position,
    name: &str,
) -> Result<Vec<TextEdit>, String> {
    let (_, symbol) = target(document, position)?;
    let index = &document.analysis.index;
    if words::KEYWORDS.contains(&name) {
        return Err(format!("`{name}` is a keyword"));
    }
    if !words::is_name(name) {
        return Err(format!(
            "`{name}` is not a name: a letter or `_`, then letters, digits and `_`"
        ));
    }
    if index.symbols()[symbol].name == name {
        return Ok(Vec::new());
    }
    let family = index.family(symbol);
    let mut places: Vec<Span> = family.iter().flat_map(|&s| index.uses(s)).collect();
    places.sort_unstable();
    if let Some(elsewhere) = places.iter().find(|span| !document.has(**span)) {
        let file = document.analysis.files.place(*elsewhere).name;
        return Err(format!("it is also named in {file}, and names are changed in one file only"));
    }
    let clash = family.iter().find_map(|&s| neighbour(index, s, name));
    let (text, moved) = replaced(&document.text, &places, name);
    verify(document, &text, &moved).map_err(|why| clash.unwrap_or(why))?;
    let edit = |span: &Span| TextEdit::new(document.range(*span), name.to_string());
    Ok(places.iter().map(edit).collect())
}

fn target(document: &Document, position: Position) -> Result<(Span, usize), String> {
    if document.language != Language::Lin {
        return Err("names are changed in `.lin` texts only".to_string());
    }
    let errors = document.analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    if errors.count() > 0 {
        return Err(
            "the text has errors; mend them first, or some uses could be missed".to_string()
        );
    }
    if let Some(found) = document.symbol_at(position) {
        return Ok(found);
    }
    match document.word_at(document.offset(position)) {
        Some((_, word)) if words::KEYWORDS.contains(&word) => {
            Err(format!("`{word}` is a keyword and cannot be renamed"))
        }
        Some((_, word)) => Err(format!("`{word}` is part of the language and cannot be renamed")),
        None => Err("there is no name here".to_string()),
    }
}

/// A declaration beside this one that has the new name already.
fn neighbour(index: &Index, symbol: usize, name: &str) -> Option<String> {
    let this = &index.symbols()[symbol];
    let beside = |s: &&linchpin_lin::syntax::index::Symbol| {
        s.name == name && (s.within == this.within || s.seen.is_some() && this.seen.is_some())
    };
    let other = index.symbols().iter().find(beside)?;
    let what = match other.kind {
        Kind::Object => "an object",
        Kind::Spec => "a specification",
        Kind::Operation => "an operation",
        Kind::Procedure => "a procedure",
        Kind::Variable | Kind::Local => "a variable",
        Kind::Parameter | Kind::Setting => "a parameter",
        Kind::Constant => "a constant",
        Kind::Alias | Kind::Data | Kind::Enum | Kind::Struct | Kind::Node => "a type",
        Kind::Variant => "a value of an enum",
        Kind::Field => "a field",
        Kind::Label => "a label",
        Kind::Check => "a check",
        Kind::Role => "a role",
    };
    Some(format!("there is {what} `{name}` already"))
}

/// The text with other names, and where each place is now.
fn replaced(text: &str, places: &[Span], name: &str) -> (String, impl Fn(u32) -> u32) {
    let mut out = String::new();
    let mut at = 0;
    let mut shifts: BTreeMap<u32, i64> = BTreeMap::new();
    for span in places {
        out += &text[at..span.start as usize];
        out += name;
        at = span.end as usize;
        shifts.insert(span.end, out.len() as i64 - at as i64);
    }
    out += &text[at..];
    let moved = move |offset: u32| {
        let shift = shifts.range(..=offset).next_back().map_or(0, |(_, shift)| *shift);
        (i64::from(offset) + shift) as u32
    };
    (out, moved)
}

/// Does every name of the new text mean what it meant before?
fn verify(document: &Document, text: &str, moved: &dyn Fn(u32) -> u32) -> Result<(), String> {
    let (before, after) = (&document.analysis, document.analysis_of(text));
    if let Some(error) = after.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        return Err(error.message.clone());
    }
    let meanings = |index: &Index, moved: &dyn Fn(u32) -> u32| -> Vec<(u32, u32)> {
        let declared = |symbol: usize| index.symbols()[symbol].span.start;
        index.names().iter().map(|(s, i)| (moved(s.start), moved(declared(*i)))).collect()
    };
    let (was, is) = (meanings(&before.index, moved), meanings(&after.index, &|offset| offset));
    if let Some(i) = (0..was.len().max(is.len())).find(|&i| was.get(i) != is.get(i)) {
        let at = is.get(i).or(was.get(i)).map_or(0, |(at, _)| *at);
        let line = linchpin_lin::line_column(text, at).0;
        return Err(format!("a name in line {line} would mean something else"));
    }
    let hides = |list: &[Diagnostic]| list.iter().filter(|d| d.code == "W003").count();
    if hides(&after.diagnostics) > hides(&before.diagnostics) {
        return Err("a local variable would hide a shared one".to_string());
    }
    Ok(())
}
