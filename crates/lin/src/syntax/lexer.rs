//! Text to tokens.
//!
//! White space and comments vanish; what is left of line ends is one bit per token, [`Token::line`].
//! Whether a line end ends a statement is for the parser to say: it knows whether the `>` at the
//! end of a line closes a type or compares.

use crate::Span;

use super::codes;
use super::parse::{PRINTS_NOTHING, prints};
use super::token::{Tok, Token};
use linchpin_text::{Diagnostic, Sink};

/// All tokens of a part of the text, the last of which is [`Tok::End`].
pub(super) fn lex(text: &str, part: Span, sink: &mut Sink) -> Vec<Token> {
    let text = &text[..part.end as usize];
    let at = part.start as usize;
    let mut lexer = Lexer { text, at, line: true, open: Vec::new(), tokens: Vec::new() };
    while let Some((tok, start)) = lexer.next(sink) {
        lexer.push(tok, start);
    }
    let end = Span::new(text.len(), text.len());
    lexer.tokens.push(Token { tok: Tok::End, span: end, line: true });
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Was there a line end since the last token?
    line: bool,
    /// The brackets that are open.
    open: Vec<Tok>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, tok: Tok, start: usize) {
        // A bracket that is missing its partner must not swallow all line ends that follow: words
        // that can only begin a statement or declaration close `(` and `[`.
        if self.line && begins_statement(tok) {
            while matches!(self.open.last(), Some(Tok::ParenOpen | Tok::SquareOpen)) {
                self.open.pop();
            }
        }
        if tok == Tok::BraceClose {
            while self.open.pop().is_some_and(|t| t != Tok::BraceOpen) {}
        }
        let last = self.open.last().copied();
        let inside = matches!(last, Some(Tok::ParenOpen | Tok::SquareOpen));
        let round = (last, tok) == (Some(Tok::ParenOpen), Tok::ParenClose);
        if round || (last, tok) == (Some(Tok::SquareOpen), Tok::SquareClose) {
            self.open.pop();
        }
        let span = Span::new(start, self.at);
        self.tokens.push(Token { tok, span, line: self.line && !inside });
        self.line = false;
        if matches!(tok, Tok::ParenOpen | Tok::SquareOpen | Tok::BraceOpen) {
            self.open.push(tok);
        }
    }

    /// The next token and where it starts; afterwards `at` is its end.
    fn next(&mut self, sink: &mut Sink) -> Option<(Tok, usize)> {
        self.skip_blank(sink);
        let start = self.at;
        let c = self.rest().chars().next()?;
        let tok = if c.is_ascii_digit() {
            self.number(sink)
        } else if c.is_alphabetic() || c == '_' {
            self.take_while(is_word);
            Tok::keyword(&self.text[start..self.at]).unwrap_or(Tok::Ident)
        } else if let Some(tok) = mark(self.rest()) {
            self.at += tok.text().len();
            tok
        } else if c == '"' && (self.after_ltl() || self.after_use()) && self.formula() {
            Tok::Text
        } else {
            self.unknown(c, sink);
            Tok::Error
        };
        Some((tok, start))
    }

    /// Is a formula expected, after `ltl`, `ltl weak`, `ltl strong`?
    fn after_ltl(&self) -> bool {
        let word = |token: &Token| &self.text[token.span.start as usize..token.span.end as usize];
        let mut words = self.tokens.iter().rev().map(word);
        match words.next() {
            Some("weak" | "strong") => words.next() == Some("ltl"),
            last => last == Some("ltl"),
        }
    }

    /// Is the name of a file expected, after `use` at the beginning of a line?
    fn after_use(&self) -> bool {
        self.tokens.last().is_some_and(|t| t.line && &self.text[t.span.range()] == "use")
    }

    /// Is a text written out by a call that begins just before it?
    fn is_printed(&self) -> bool {
        let calls = |token: &&Token| matches!(token.tok, Tok::ParenOpen | Tok::Not);
        let name = self.tokens.iter().rev().find(|token| !calls(token));
        name.is_some_and(|name| prints(&self.text[name.span.range()]))
    }

    /// Takes a text in quotation marks, if it ends on its line.
    fn formula(&mut self) -> bool {
        let rest = &self.rest()[1..];
        let end = rest.find(['"', '\n']).filter(|end| rest[*end..].starts_with('"'));
        if let Some(end) = end {
            self.at += end + 2;
        }
        end.is_some()
    }

    fn number(&mut self, sink: &mut Sink) -> Tok {
        let start = self.at;
        let radix = match self.rest().get(..2) {
            Some("0x" | "0X") => 16,
            Some("0b" | "0B") => 2,
            _ => 10,
        };
        if radix != 10 && self.rest()[2..].starts_with(|c: char| c.is_digit(radix)) {
            self.at += 2;
            self.take_while(|c| c.is_digit(radix) || c == '_');
        } else {
            self.take_while(|c| c.is_ascii_digit() || c == '_');
        }
        if !self.rest().starts_with(|c: char| c.is_alphabetic()) {
            return Tok::Int;
        }
        self.take_while(is_word);
        let text = "a name cannot begin with a digit, nor a number end in letters";
        sink.push(Diagnostic::error(codes::CHARACTER, self.since(start), text));
        Tok::Error
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !keep(c)).unwrap_or(rest.len());
    }

    fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    fn skip_blank(&mut self, sink: &mut Sink) {
        loop {
            let start = self.at;
            self.take_while(char::is_whitespace);
            if self.text[start..self.at].contains('\n') {
                self.line = true;
            }
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                self.skip_comment(sink);
            } else {
                return;
            }
        }
    }

    /// Skips `/* ... */`, which nest.
    fn skip_comment(&mut self, sink: &mut Sink) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while self.at < bytes.len() {
            match &bytes[self.at..] {
                [b'/', b'*', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'*', b'/', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                [b, ..] => {
                    self.line |= *b == b'\n';
                    self.at += 1;
                }
                [] => break,
            }
        }
        let span = Span::new(start, start + 2);
        sink.push(
            Diagnostic::error(codes::COMMENT, span, "this comment is not closed")
                .label("begins here")
                .help("comments nest: every `/*` needs a `*/`"),
        );
    }

    /// Reports what is no token and skips it.
    fn unknown(&mut self, c: char, sink: &mut Sink) {
        let start = self.at;
        self.at += c.len_utf8();
        if c == '"' || c == '\'' {
            self.take_while(|d| d != c && d != '\n');
            if self.rest().starts_with(c) {
                self.at += 1;
            }
            let (text, help) = match self.is_printed() {
                true => PRINTS_NOTHING,
                false => (
                    "there are no texts in the model language",
                    "use an `enum` for named values, `data` for opaque ones",
                ),
            };
            sink.push(Diagnostic::error(codes::CHARACTER, self.since(start), text).help(help));
            return;
        }
        if QUOTES.contains(c) {
            self.take_while(|d| !QUOTES.contains(d) && d != '\n');
            let inside = &self.text[start + c.len_utf8()..self.at];
            self.at += self.rest().chars().next().filter(|d| *d != '\n').map_or(0, char::len_utf8);
            let text = "names and values stand without quotation marks";
            let d = Diagnostic::error(codes::CHARACTER, self.since(start), text);
            sink.push(d.help("leave them out").edit(self.since(start), inside));
            return;
        }
        let known = |d: char| {
            d.is_whitespace() || is_word(d) || d.is_ascii_punctuation() && !"#$@\\`~".contains(d)
        };
        self.take_while(|d| !known(d));
        let text = &self.text[start..self.at];
        let shown: String = text.chars().take(20).flat_map(char::escape_debug).collect();
        let mut d = Diagnostic::error(
            codes::CHARACTER,
            self.since(start),
            format!("`{shown}` means nothing here"),
        );
        if text == "#" {
            // What follows is a comment in the language of whoever wrote it.
            d = d.help("comments begin with `//`").edit(self.since(start), "//");
            self.take_while(|c| c != '\n');
        }
        sink.push(d);
    }
}

/// Quotation marks of word processors.
const QUOTES: &str = "“”„‘’‚«»";

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The mark at the start of the text; the longest one if there are several.
fn mark(text: &str) -> Option<Tok> {
    use Tok::*;
    const MARKS: [Tok; 42] = [
        DotDotEq,
        DotDot,
        Arrow,
        FatArrow,
        PlusAssign,
        MinusAssign,
        StarAssign,
        SlashAssign,
        PercentAssign,
        AmpAssign,
        PipeAssign,
        CaretAssign,
        EqEq,
        NotEq,
        ShiftLeft,
        LessEq,
        GreaterEq,
        AndAnd,
        OrOr,
        Amp,
        Pipe,
        Caret,
        ParenOpen,
        ParenClose,
        SquareOpen,
        SquareClose,
        BraceOpen,
        BraceClose,
        Comma,
        Semicolon,
        Colon,
        Dot,
        Assign,
        Plus,
        Minus,
        Star,
        Slash,
        Percent,
        Less,
        Greater,
        Not,
        Question,
    ];
    MARKS.into_iter().find(|t| text.starts_with(t.text()))
}

/// Words that stand only at the beginning of a statement or declaration.
fn begins_statement(tok: Tok) -> bool {
    use Tok::*;
    matches!(
        tok,
        Op | Fn
            | Var
            | Let
            | If
            | While
            | Loop
            | For
            | Break
            | Continue
            | Return
            | Assert
            | Assume
            | Await
            | Atomic
            | Either
            | Match
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> (String, usize) {
        let mut sink = Sink::default();
        let tokens = lex(text, Span::new(0, text.len()), &mut sink);
        let shown = tokens.iter().map(|t| {
            let line = if t.line { "|" } else { "" };
            format!("{line}{}", &text[t.span.range()])
        });
        (shown.collect::<Vec<_>>().join(" "), sink.errors())
    }

    #[test]
    fn line_ends_are_marked_outside_of_round_and_square_brackets() {
        assert_eq!(words("a b\nc").0, "|a b |c |");
        assert_eq!(words("f(a,\nb)\nc").0, "|f ( a , b ) |c |");
        assert_eq!(words("f(new N {\na\n}\n)").0, "|f ( new N { |a } ) |");
    }

    #[test]
    fn a_bracket_that_stays_open_does_not_swallow_the_next_statement() {
        assert_eq!(words("f(a\nlet x\ny").0, "|f ( a |let x |y |");
        assert_eq!(words("{ f(a\n}\ny").0, "|{ f ( a |} |y |");
    }

    #[test]
    fn ranges_and_parts_are_not_fractions() {
        assert_eq!(words("0..=3 t.0.1 a..b").0, "|0 ..= 3 t . 0 . 1 a .. b |");
    }

    #[test]
    fn comments_nest_and_count_as_line_ends_if_they_have_some() {
        assert_eq!(words("a /* x /* y */ */ b // c\n d /*\n*/ e"), ("|a b |d |e |".into(), 0));
        assert_eq!(words("a /* x /* y */ b").1, 1);
    }

    #[test]
    fn what_is_no_token_is_reported_once_per_run() {
        assert_eq!(words("a ### b").1, 1);
        assert_eq!(words("a \"text\" b").1, 1);
        assert_eq!(words("a \"text").1, 1);
        assert_eq!(words("1x").1, 1);
    }
}
