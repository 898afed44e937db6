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
    /// Digits; in C# with whatever follows them.
    Number,
    /// Text between quotation marks, in C# also a character.
    Text,
    /// A sign; see [`Style`].
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

/// What differs between the languages that are read: CSP# and C# ([`crate::sharp`]).
pub(crate) struct Style {
    /// All signs, longer ones before their beginnings.
    pub(crate) signs: &'static [&'static str],
    /// The length of a number that begins here.
    pub(crate) number: fn(&str) -> usize,
    /// The length of a text in quotation marks that begins here, if it is closed.
    pub(crate) quoted: fn(&str) -> Option<usize>,
    /// Marks that begin a text.
    pub(crate) marks: &'static [u8],
    /// Is the rest of this line left out? It is asked with what is before, in the same file, and what comes.
    pub(crate) skipped: fn(&str, &str) -> bool,
}

const CSP: Style = Style {
    signs: SIGNS,
    number: |rest| rest.bytes().take_while(u8::is_ascii_digit).count(),
    quoted: |rest| rest[1..].find('"').map(|end| end + 2),
    marks: b"\"",
    skipped: |_, _| false,
};

const SIGNS: &[&str] = &[
    "|||", "<->", "[*]", "||", "|=", "&&", "==", "!=", "<=", ">=", "<>", "[]", "->", "=>", "++",
    "--", "..", "\\/", "/\\", "|", "&", "=", "!", "<", ">", "[", "]", "(", ")", "{", "}", "+", "-",
    "*", "/", "%", "^", "~", "?", ".", ",", ";", ":", "@", "#", "$", "\\",
];

/// The tokens of a part of a text, the end included. What is not a token is reported and left out.
pub(crate) fn tokens(text: &str, all: Span, sink: &mut Sink) -> Vec<Token> {
    scan(text, all, &CSP, sink)
}

/// The same of a language.
pub(crate) fn scan(text: &str, all: Span, style: &Style, sink: &mut Sink) -> Vec<Token> {
    let (start, end) = (all.start as usize, all.end as usize);
    let text = &text[..end];
    let mut tokens = Vec::new();
    let mut at = start;
    while at < end {
        let rest = &text[at..];
        let first = rest.as_bytes()[0];
        let line = || rest.find('\n').unwrap_or(rest.len());
        let mut unclosed = |what: &str, length: usize| {
            let (span, message) = (Span::new(at, at + length), format!("a {what} is not closed"));
            sink.push(Diagnostic::error(codes::COMMENT, span, message));
        };
        let (kind, length) = if first.is_ascii_whitespace() {
            at += rest.bytes().take_while(u8::is_ascii_whitespace).count();
            continue;
        } else if rest.starts_with("//") || (style.skipped)(&text[start..at], rest) {
            at += line();
            continue;
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    unclosed("comment", 2);
                    at = end;
                }
            }
            continue;
        } else if first.is_ascii_alphabetic() || first == b'_' {
            let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
            (Kind::Word, rest.bytes().take_while(word).count())
        } else if first.is_ascii_digit() {
            (Kind::Number, (style.number)(rest))
        } else if style.marks.contains(&first) {
            match (style.quoted)(rest) {
                Some(length) => (Kind::Text, length),
                None => {
                    unclosed("text", 1);
                    at += line();
                    continue;
                }
            }
        } else if let Some(sign) = style.signs.iter().find(|s| rest.starts_with(**s)) {
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
    tokens.push(Token { kind: Kind::End, span: Span::new(end, end) });
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
    fn a_text_that_is_not_closed_ends_with_its_line() {
        let (text, mut sink) = ("a \"b c\nd", Sink::default());
        let tokens = tokens(text, Span::new(0, text.len()), &mut sink);
        let words: Vec<&str> = tokens.iter().map(|t| &text[t.span.range()]).collect();
        assert_eq!((sink.errors(), words), (1, vec!["a", "d", ""]));
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(words("a // b ->\n/* c\n */ d"), ["a", "d", ""]);
    }
}
