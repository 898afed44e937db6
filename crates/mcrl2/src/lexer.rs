//! Text to tokens.
//!
//! Comments begin with `%` and end with the line. The longest operator wins, as in mCRL2.

use linchpin_text::Span;

/// What a token is. Its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier that is not a word of the language.
    Id,
    /// A word of the language.
    Word(&'static str),
    Number,
    /// An operator or a bracket.
    Symbol(&'static str),
    /// A character that begins no token.
    Unknown,
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// The words of the language. `if` and the names of built-in functions are identifiers.
const WORDS: &[&str] = &[
    "sort", "cons", "map", "var", "eqn", "act", "proc", "init", "glob", "struct", "Bool", "Pos",
    "Nat", "Int", "Real", "List", "Set", "Bag", "FSet", "FBag", "true", "false", "lambda",
    "forall", "exists", "whr", "end", "delta", "tau", "sum", "dist", "block", "allow", "hide",
    "rename", "comm", "div", "mod", "in",
];

/// The operators and brackets, longest first.
const SYMBOLS: &[&str] = &[
    "||_", "->", "<>", "<<", "||", "&&", "==", "!=", "=>", "<=", ">=", "|>", "<|", "++", "(", ")",
    "[", "]", "{", "}", ",", ";", ":", "=", "|", "#", "?", "+", "-", "*", "/", ".", "<", ">", "!",
    "@",
];

/// The tokens of a text; the last is [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'%' => {
                at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let more = |b: &u8| !(b.is_ascii_alphanumeric() || *b == b'_' || *b == b'\'');
                at += bytes[at..].iter().position(more).unwrap_or(bytes.len() - at);
                match WORDS.iter().find(|&&word| word == &text[start..at]) {
                    Some(word) => Kind::Word(word),
                    None => Kind::Id,
                }
            }
            b'0'..=b'9' => {
                let more = |b: &u8| !b.is_ascii_digit();
                at += bytes[at..].iter().position(more).unwrap_or(bytes.len() - at);
                Kind::Number
            }
            _ => match SYMBOLS.iter().find(|symbol| text[at..].starts_with(**symbol)) {
                Some(symbol) => {
                    at += symbol.len();
                    Kind::Symbol(symbol)
                }
                None => {
                    at += text[at..].chars().next().map_or(1, char::len_utf8);
                    Kind::Unknown
                }
            },
        };
        tokens.push(Token { kind, span: Span::new(start, at) });
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(text.len(), text.len()) });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_operator_wins_and_comments_are_skipped() {
        let text = "a||_b % c\n->x' 12<>é";
        let kinds: Vec<(Kind, &str)> =
            tokens(text).iter().map(|t| (t.kind, &text[t.span.range()])).collect();
        assert_eq!(
            kinds,
            [
                (Kind::Id, "a"),
                (Kind::Symbol("||_"), "||_"),
                (Kind::Id, "b"),
                (Kind::Symbol("->"), "->"),
                (Kind::Id, "x'"),
                (Kind::Number, "12"),
                (Kind::Symbol("<>"), "<>"),
                (Kind::Unknown, "é"),
                (Kind::End, ""),
            ]
        );
    }
}
