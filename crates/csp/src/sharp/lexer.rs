//! C# text to tokens: what differs from CSP#.

use linchpin_text::{Sink, Span};

use crate::lexer::{Style, Token, scan};

const SHARP: Style = Style { signs: SIGNS, number, quoted, marks: b"\"'", skipped: region };

/// `>>` is two signs, as in `List<List<int>>`; the parser puts them together.
const SIGNS: &[&str] = &[
    "<<=", "??=", "&&", "||", "==", "!=", "<=", ">=", "=>", "++", "--", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<<", "??", "?.", "::", "(", ")", "{", "}", "[", "]", ";", ",", ".",
    "+", "-", "*", "/", "%", "=", "<", ">", "!", "&", "|", "^", "~", "?", ":", "#", "@", "$",
];

/// The tokens of a file, the end included; `all` is its place among the files. What is not a token is reported.
pub(super) fn tokens(text: &str, all: Span, sink: &mut Sink) -> Vec<Token> {
    scan(text, all, &SHARP, sink)
}

/// The length of a number with whatever follows it: a fraction or a suffix is refused later, by name.
fn number(rest: &str) -> usize {
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    match rest[length..].strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            length + 1 + fraction.bytes().take_while(u8::is_ascii_alphanumeric).count()
        }
        _ => length,
    }
}

/// Does `#region` or `#endregion` begin here, which editors fold and nobody else looks at?
fn region(before: &str, rest: &str) -> bool {
    let Some(word) = rest.strip_prefix('#') else { return false };
    let word = word.trim_start_matches([' ', '\t']);
    let line = before.rsplit('\n').next().unwrap_or("");
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
