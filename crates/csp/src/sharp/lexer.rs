//! C# text to tokens.

use linchpin_text::{Diagnostic, Sink, Span};

use crate::codes;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// Digits, with whatever follows them.
    Number,
    /// Text between quotation marks, or a character.
    Text,
    /// A sign; see [`SIGNS`].
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// All signs, longer ones before their beginnings. `>>` is two signs, as in `List<List<int>>`; the parser puts them
/// together.
const SIGNS: &[&str] = &[
    "<<=", "??=", "&&", "||", "==", "!=", "<=", ">=", "=>", "++", "--", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<<", "??", "?.", "::", "(", ")", "{", "}", "[", "]", ";", ",", ".",
    "+", "-", "*", "/", "%", "=", "<", ">", "!", "&", "|", "^", "~", "?", ":", "#", "@", "$",
];

/// The tokens of a file, the end included; `all` is its place among the files. What is not a token is reported.
pub(super) fn tokens(text: &str, all: Span, sink: &mut Sink) -> Vec<Token> {
    let (start, end) = (all.start as usize, all.end as usize);
    let text = &text[..end];
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = start;
    while at < end {
        let rest = &text[at..];
        let while_ = |f: fn(u8) -> bool| rest.bytes().take_while(|&b| f(b)).count();
        let first = bytes[at];
        let (kind, length) = if first.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if rest.starts_with("//") || region(text, start, at) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    let span = Span::new(at, at + 2);
                    sink.push(Diagnostic::error(codes::COMMENT, span, "a comment is not closed"));
                    at = end;
                }
            }
            continue;
        } else if first.is_ascii_alphabetic() || first == b'_' {
            (Kind::Word, while_(|b| b.is_ascii_alphanumeric() || b == b'_'))
        } else if first.is_ascii_digit() {
            let mut length = while_(|b| b.is_ascii_alphanumeric() || b == b'_');
            let fraction = rest[length..].strip_prefix('.').unwrap_or("");
            if fraction.starts_with(|c: char| c.is_ascii_digit()) {
                let more = fraction.bytes().take_while(u8::is_ascii_alphanumeric).count();
                length += 1 + more;
            }
            (Kind::Number, length)
        } else if let Some(length) = quoted(rest) {
            (Kind::Text, length)
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            (Kind::Sign(sign), sign.len())
        } else {
            let c = rest.chars().next().unwrap_or(' ');
            // A byte order mark says nothing.
            if c != '\u{feff}' {
                let span = Span::new(at, at + c.len_utf8());
                let message = match first {
                    b'"' | b'\'' => "a text is not closed".to_string(),
                    _ => format!("`{c}` is not a sign of the language"),
                };
                sink.push(Diagnostic::error(codes::CHARACTER, span, message));
            }
            at += c.len_utf8();
            continue;
        };
        tokens.push(Token { kind, span: Span::new(at, at + length) });
        at += length;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(end, end) });
    tokens
}

/// Does `#region` or `#endregion` begin here, which editors fold and nobody else looks at?
fn region(text: &str, start: usize, at: usize) -> bool {
    let word = text[at..].strip_prefix('#').unwrap_or("").trim_start_matches([' ', '\t']);
    let line = text[start..at].rsplit('\n').next().unwrap_or("");
    line.trim().is_empty() && (word.starts_with("region") || word.starts_with("endregion"))
}

/// The length of a text or character in quotation marks that begins here and ends on its line.
fn quoted(rest: &str) -> Option<usize> {
    let mark = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == mark => return Some(i + c.len_utf8()),
            _ => {}
        }
    }
    None
}
