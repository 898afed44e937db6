//! Text to tokens.
//!
//! Words are not divided into names and keywords here: most words of the language (`with`, `min`,
//! `tau`, `X`) are names in other places.

use linchpin_text::{Diagnostic, Sink, Span};

use crate::codes;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// Digits.
    Number,
    /// Text between quotation marks.
    Text,
    /// A sign; see [`SIGNS`].
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// All signs, longer ones before their beginnings.
const SIGNS: &[&str] = &[
    "|||", "<->", "[*]", "||", "|=", "&&", "==", "!=", "<=", ">=", "<>", "[]", "->", "=>", "++",
    "--", "..", "\\/", "/\\", "|", "&", "=", "!", "<", ">", "[", "]", "(", ")", "{", "}", "+", "-",
    "*", "/", "%", "^", "~", "?", ".", ",", ";", ":", "@", "#", "$", "\\",
];

/// The tokens of a part of a text, the end included. What is not a token is reported and left out.
pub(crate) fn tokens(text: &str, all: Span, sink: &mut Sink) -> Vec<Token> {
    let text = &text[..all.end as usize];
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = all.start as usize;
    while at < bytes.len() {
        let rest = &text[at..];
        let while_ = |f: fn(u8) -> bool| rest.bytes().take_while(|&b| f(b)).count();
        let first = bytes[at];
        let (kind, length) = if first.is_ascii_whitespace() {
            at += while_(|b| b.is_ascii_whitespace());
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    let span = Span::new(at, at + 2);
                    sink.push(Diagnostic::error(codes::COMMENT, span, "a comment is not closed"));
                    at = bytes.len();
                }
            }
            continue;
        } else if first.is_ascii_alphabetic() || first == b'_' {
            (Kind::Word, while_(|b| b.is_ascii_alphanumeric() || b == b'_'))
        } else if first.is_ascii_digit() {
            (Kind::Number, while_(|b| b.is_ascii_digit()))
        } else if first == b'"' {
            match rest[1..].find('"') {
                Some(end) => (Kind::Text, end + 2),
                None => {
                    let span = Span::new(at, at + 1);
                    sink.push(Diagnostic::error(codes::COMMENT, span, "a text is not closed"));
                    break;
                }
            }
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            (Kind::Sign(sign), sign.len())
        } else {
            let c = rest.chars().next().unwrap_or(' ');
            // A byte order mark says nothing.
            if c != '\u{feff}' {
                let span = Span::new(at, at + c.len_utf8());
                let message = format!("`{c}` is not a sign of the language");
                sink.push(Diagnostic::error(codes::CHARACTER, span, message));
            }
            at += c.len_utf8();
            continue;
        };
        tokens.push(Token { kind, span: Span::new(at, at + length) });
        at += length;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(text.len(), text.len()) });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut sink = Sink::default();
        let tokens = tokens(text, Span::new(0, text.len()), &mut sink);
        assert_eq!(sink.errors(), 0);
        tokens.iter().map(|t| &text[t.span.range()]).collect()
    }

    #[test]
    fn signs_are_as_long_as_possible() {
        assert_eq!(
            words("a->[*]<>|||x:{0..5}"),
            ["a", "->", "[*]", "<>", "|||", "x", ":", "{", "0", "..", "5", "}", ""]
        );
        assert_eq!(
            words("[]<>p && c!x-1->P"),
            ["[]", "<>", "p", "&&", "c", "!", "x", "-", "1", "->", "P", ""]
        );
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(words("a // b ->\n/* c\n */ d"), ["a", "d", ""]);
    }
}
