//! What a name is: its declaration, its type, and whether others can see it change.

use linchpin_lin::Span;
use linchpin_lin::syntax::index::{Index, Kind, Symbol};
use linchpin_text::Declared;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use crate::document::Document;
use crate::language::Language;
use crate::vocabulary;

/// What is to be said about the name or word at a position.
pub(crate) fn hover(document: &Document, position: Position) -> Option<Hover> {
    let offset = document.offset(position);
    if document.language != Language::Lin {
        let (span, declared) = document.foreign.names.at(offset)?;
        return Some(shown(document, span, foreign_text(document, declared)));
    }
    let (span, text) = match document.meaning_at(position) {
        Some((span, symbol, index)) => (span, symbol_text(document, symbol, index)),
        None => {
            let (span, word) = document.word_at(offset)?;
            (span, method_text(document, offset, word).or_else(|| word_text(word))?)
        }
    };
    Some(shown(document, span, text))
}

fn shown(document: &Document, span: Span, text: String) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Hover { contents, range: Some(document.range(span)) }
}

/// The most characters of a declaration that are shown.
const LONG: usize = 300;

/// A declaration in another language as it is written, what it is, and the comment above it.
fn foreign_text(document: &Document, declared: usize) -> String {
    let Declared { name, kind, span, whole, .. } = &document.foreign.names.declared[declared];
    if !document.has(*whole) {
        return format!("{kind} `{name}`, declared in another file");
    }
    let written: String = document.text[whole.range()].chars().take(LONG).collect();
    let more = if written.len() < whole.range().len() { " ..." } else { "" };
    let mut text = format!("```{}\n{written}{more}\n```\n{kind}", document.language.word());
    if let Some(comment) = comment_at(document, span.start, span.end) {
        text += &format!("\n\n---\n\n{comment}");
    }
    text
}

fn symbol_text(document: &Document, symbol: &Symbol, index: &Index) -> String {
    let outer = symbol.within.map(|i| &index.symbols()[i]);
    let mut text = code(&format!("{}{}", head(symbol, outer), symbol.signature));
    text += &role(symbol, outer);
    if let Some(comment) = comment(document, symbol) {
        text += &format!("\n\n---\n\n{comment}");
    }
    text
}

/// The declaration as it is written, up to the name.
fn head(symbol: &Symbol, outer: Option<&Symbol>) -> String {
    let word = match symbol.kind {
        Kind::Object => "object ",
        Kind::Spec => "spec ",
        Kind::Operation => "op ",
        Kind::Procedure => "fn ",
        Kind::Variable => "var ",
        Kind::Local => "let ",
        Kind::Constant => "const ",
        Kind::Setting => "param ",
        Kind::Alias => "type ",
        Kind::Data => "data ",
        Kind::Enum => "enum ",
        Kind::Struct => "struct ",
        Kind::Node => "node ",
        Kind::Check => "check ",
        Kind::Role => "role ",
        Kind::Parameter | Kind::Label => "",
        Kind::Variant | Kind::Field => {
            return outer.map_or_else(String::new, |o| format!("{}.", o.name)) + &symbol.name;
        }
    };
    format!("{word}{}", symbol.name)
}

/// What it is, and who can see it.
fn role(symbol: &Symbol, outer: Option<&Symbol>) -> String {
    let of = outer.map_or_else(String::new, |o| format!(" of `{}`", o.name));
    let in_spec = outer.is_some_and(|o| o.kind == Kind::Spec);
    let in_node = outer.is_some_and(|o| o.kind == Kind::Node);
    match symbol.kind {
        Kind::Variable if in_spec => format!("abstract state{of}: only its operations see it"),
        Kind::Variable => {
            format!("**shared** variable{of}: all threads see it, every read or write is an access")
        }
        Kind::Parameter => format!("**local**: parameter{of}, only the thread that called sees it"),
        Kind::Local => format!("**local** variable{of}: only its thread sees it"),
        Kind::Field if in_node => format!(
            "**field**{of}: **shared** by all threads that can reach the node; every read or write is an \
             access"
        ),
        Kind::Field => {
            format!("part{of}, a value: it is shared where the variable that holds it is")
        }
        Kind::Operation if in_spec => format!("operation{of}: one atomic action"),
        Kind::Operation => format!("operation{of}: called by clients"),
        Kind::Procedure => format!("helper procedure{of}"),
        Kind::Constant => "constant".to_string(),
        Kind::Setting => "parameter of the model; `--set` gives it another value".to_string(),
        Kind::Alias => "another name for a type".to_string(),
        Kind::Data => "opaque values: copied, compared with `==`, nothing else".to_string(),
        Kind::Enum => "enumeration".to_string(),
        Kind::Variant => format!("value{of}"),
        Kind::Struct => "a value of several parts; one atomic word".to_string(),
        Kind::Node => "a record on the heap; as a type, a reference to one or `null`".to_string(),
        Kind::Object => "concurrent object".to_string(),
        Kind::Spec => "sequential specification".to_string(),
        Kind::Label => "label of a loop".to_string(),
        Kind::Check => "check".to_string(),
        Kind::Role => format!("role{of}"),
    }
}

/// The comment right above a declaration, or at the end of its line.
fn comment(document: &Document, symbol: &Symbol) -> Option<String> {
    // In a text that changed since, places mean nothing.
    let there = document.text.get(symbol.span.range()) == Some(symbol.name.as_str());
    if !there || matches!(symbol.kind, Kind::Parameter | Kind::Label) {
        return None;
    }
    comment_at(document, symbol.whole.start, symbol.span.end)
}

/// The comment above the line of the first place, or at the end of the line of the second.
fn comment_at(document: &Document, start: u32, end: u32) -> Option<String> {
    let mark = if document.language == Language::Mcrl2 { "%" } else { "//" };
    let begin = document.text[..start as usize].rfind('\n').map_or(0, |i| i + 1);
    let above: Vec<&str> = document.text[..begin]
        .lines()
        .rev()
        .map_while(|line| line.trim().strip_prefix(mark))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let after = &document.text[end as usize..];
    let line = after.split('\n').next().unwrap_or("");
    let beside = line.split_once(mark).map(|(_, c)| c.trim());
    if above.is_empty() {
        return beside.filter(|c| !c.is_empty()).map(str::to_string);
    }
    Some(above.into_iter().rev().collect::<Vec<_>>().join("\n"))
}

/// A method after a dot.
fn method_text(document: &Document, offset: u32, word: &str) -> Option<String> {
    let members = document.analysis.index.members_at(offset)?;
    let member = members.into_iter().find(|m| m.method && m.name == word)?;
    let about = vocabulary::method(word).unwrap_or_default();
    Some(code(&format!("{}{}", member.name, member.signature)) + about)
}

/// A word of the language.
fn word_text(word: &str) -> Option<String> {
    let (shape, about) = vocabulary::word(word)?;
    Some(code(shape) + about)
}

fn code(text: &str) -> String {
    format!("```lin\n{text}\n```\n")
}
