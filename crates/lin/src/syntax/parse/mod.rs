//! Tokens to syntax tree: recursive descent with recovery.
//!
//! A function that fails has reported why; its caller gives up in turn until somebody can go on:
//! a block with the next line, a list with the next item, a file with the next declaration. Depth
//! is limited on the way down (`enter`) and, for what is built in loops (`a + a + ...`), on the
//! way up (`height`).

mod checks;
mod conditions;
mod expressions;
mod habits;
mod items;
mod statements;
mod types;

use crate::Span;

use super::ast::{Expr, ExprKind, File, MAX_DEPTH, Name};
use super::codes;
use super::token::{Meaning, Tok, Token};
use linchpin_text::{Diagnostic, Sink};

pub(super) use checks::SETTINGS;
pub(super) use conditions::CONDITIONS;
pub(super) use habits::{PRINTS_NOTHING, prints};

/// The error was reported.
#[derive(Debug)]
struct Failed;

/// A parsed thing, or nothing because of an error that was reported.
type Parsed<T> = Result<T, Failed>;

/// The tree of a file, which is a part of the text, and whether declarations are missing from it because of errors (then it
/// is no use looking for unknown names).
pub(super) fn file<'a>(text: &'a str, part: Span, sink: &mut Sink) -> (File<'a>, bool) {
    let tokens = super::lexer::lex(text, part, sink);
    let mut parser = Parser::new(text, &tokens, sink);
    let file = parser.file();
    (file, parser.incomplete)
}

/// What each token means, for the formatter.
pub(super) fn meanings(text: &str, tokens: &[Token], sink: &mut Sink) -> Vec<Meaning> {
    let mut parser = Parser::new(text, tokens, sink);
    parser.file();
    parser.meanings
}

/// The tree of a single expression (the value of a parameter given from outside).
pub(super) fn expression<'a>(text: &'a str, tokens: &[Token], sink: &mut Sink) -> Option<Expr<'a>> {
    let mut parser = Parser::new(text, tokens, sink);
    let expr = parser.expr().ok()?;
    if parser.peek() != Tok::End {
        parser.expected("the end of the value");
        return None;
    }
    Some(expr)
}

struct Parser<'a, 't> {
    text: &'a str,
    tokens: &'t [Token],
    at: usize,
    depth: u32,
    /// Where the current statement, declaration or list item begins.
    begin: usize,
    /// In the head of `if`, `while`, `for`: a `{` begins the block.
    head: bool,
    /// In a script: `repeat` is a statement.
    script: bool,
    incomplete: bool,
    /// Where a missing bracket was noticed last: it is reported once, not by every block around.
    unclosed_at: Option<usize>,
    /// Did the last item of a list end with a block, so that no comma is needed?
    after_block: bool,
    /// Which token was reported last for being of another language.
    noticed: Option<usize>,
    meanings: Vec<Meaning>,
    sink: &'t mut Sink,
}

impl<'a, 't> Parser<'a, 't> {
    fn new(text: &'a str, tokens: &'t [Token], sink: &'t mut Sink) -> Self {
        Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            begin: 0,
            head: false,
            script: false,
            incomplete: false,
            unclosed_at: None,
            after_block: false,
            noticed: None,
            meanings: vec![Meaning::Plain; tokens.len()],
            sink,
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Tok {
        self.token().tok
    }

    fn peek_at(&self, n: usize) -> Token {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// Does the current token begin a line?
    fn on_new_line(&self) -> bool {
        self.token().line
    }

    /// The text of the current token.
    fn word(&self) -> &'a str {
        &self.text[self.span().range()]
    }

    /// Is the current token this word, though it is no keyword?
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Tok::Ident && self.word() == word
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.tok != Tok::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.bump();
        }
        found
    }

    /// Notes what the current token means.
    fn means(&mut self, meaning: Meaning) {
        self.meanings[self.at] = meaning;
    }

    /// The end of what was parsed last.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    /// From `start` to what was parsed last.
    fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    fn found(&self) -> String {
        match self.peek() {
            Tok::End => "the end of the file".into(),
            Tok::Int | Tok::Ident => format!("`{}`", self.word()),
            Tok::Text => "a text".into(),
            t if t.is_keyword() => format!("the keyword `{}`", t.text()),
            t => format!("`{}`", t.text()),
        }
    }

    /// Reports that something else stands here.
    fn expected(&mut self, what: &str) -> Failed {
        let (span, found) = (self.span(), self.found());
        if self.peek() == Tok::Error {
            return Failed;
        }
        let joint = self.last_tok();
        // At a line end, what is missing belongs to the line before.
        let at_line_end = self.on_new_line() && self.at > self.begin;
        let text = format!("expected {what}, found {found}");
        let mut d =
            Diagnostic::error(codes::EXPECTED, span, text).label(format!("expected {what}"));
        if at_line_end && !matches!(self.peek(), Tok::BraceClose) {
            let end = self.last_span().end as usize;
            d.message = format!("expected {what}, found the end of the line");
            d.primary.span = Span::new(end, end);
            if self.peek() == Tok::End {
                d.message = format!("expected {what}, found the end of the file");
            }
        }
        if matches!(joint, Tok::AndAnd | Tok::OrOr) {
            d = d.help(format!(
                "something is missing after `{0}`, or `{0}` is too much",
                joint.text()
            ));
        }
        self.sink.push(d);
        Failed
    }

    fn expect(&mut self, tok: Tok) -> Parsed<Span> {
        if self.peek() == tok {
            return Ok(self.bump().span);
        }
        Err(self.expected(&format!("`{}`", tok.text())))
    }

    fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        let (text, span) = (self.word(), self.span());
        match self.peek() {
            Tok::Ident if text == "_" => {
                let text = format!("`_` is not a name for {what}");
                self.sink.push(Diagnostic::error(codes::EXPECTED, span, text));
                Err(Failed)
            }
            Tok::Ident => {
                self.bump();
                Ok(Name { text, span })
            }
            t if t.is_keyword() && !self.on_new_line() => {
                let message = format!("`{text}` is a keyword and cannot be {what}");
                let d = Diagnostic::error(codes::KEYWORD, span, message)
                    .help(format!("choose another name, for example `{text}_`"))
                    .edit(span, format!("{text}_"));
                self.sink.push(d);
                self.bump();
                Ok(Name { text, span })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Goes one level deeper and fails if that is too deep.
    fn enter<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        let text = format!("nested too deeply: more than {MAX_DEPTH} levels");
        let help = "split it up: name parts with `let`, move code to a `fn`";
        self.sink.push(Diagnostic::error(codes::TOO_DEEP, span, text).help(help));
        Failed
    }

    /// An expression one level above its parts.
    fn node(
        &mut self,
        kind: ExprKind<'a>,
        span: Span,
        parts: impl IntoIterator<Item = u32>,
    ) -> Parsed<Expr<'a>> {
        let height = parts.into_iter().max().unwrap_or(0) + 1;
        if height > MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Expr { kind, span, height })
    }

    /// Parses items between an opening and a closing bracket. In braces the items are separated
    /// by commas or line ends, elsewhere by commas. Items that fail are left out.
    fn list<T>(
        &mut self,
        open: Tok,
        close: Tok,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let start = self.expect(open)?;
        let mut items = Vec::new();
        loop {
            while open == Tok::BraceOpen && self.eat(Tok::Semicolon) {}
            if self.eat(close) {
                return Ok(items);
            }
            if self.peek() == Tok::End {
                return Err(self.unclosed(start, open));
            }
            let before = self.at;
            self.begin = before;
            match item(self) {
                Ok(value) => items.push(value),
                Err(Failed) if open == Tok::BraceOpen => {
                    self.incomplete = true;
                    self.skip_item();
                    if self.at == before {
                        self.bump();
                    }
                }
                Err(Failed) => return Err(Failed),
            }
            let after_block = std::mem::take(&mut self.after_block);
            let lines = open == Tok::BraceOpen
                && (self.on_new_line() || self.peek() == Tok::Semicolon || after_block);
            if !self.eat(Tok::Comma) && self.peek() != close && !lines {
                if self.peek() == Tok::End {
                    return Err(self.unclosed(start, open));
                }
                let what = if open == Tok::BraceOpen { "a comma or line end" } else { "a comma" };
                let failed = self.expected(&format!("{what} or `{}`", close.text()));
                if open != Tok::BraceOpen {
                    return Err(failed);
                }
                self.incomplete = true;
                self.skip_item();
                self.eat(Tok::Comma);
            }
        }
    }

    fn unclosed(&mut self, start: Span, open: Tok) -> Failed {
        if self.unclosed_at != Some(self.at) {
            let text = format!("this `{}` is not closed", open.text());
            let mut d = Diagnostic::error(codes::UNCLOSED, start, text);
            if open == Tok::BraceOpen {
                d = d.help("a `}` is missing: where it ends, or where a block inside it ends");
            }
            self.sink.push(d);
        }
        self.unclosed_at = Some(self.at);
        self.incomplete = true;
        Failed
    }

    /// Skips to the end of a list item: a comma, line end or closing brace.
    fn skip_item(&mut self) {
        self.skip(|p| p.peek() == Tok::Comma);
    }

    /// Skips to the end of a statement.
    fn skip_line(&mut self) {
        self.skip(|_| false);
    }

    /// Skips whole pairs of braces until a line end, semicolon, closing brace or `stop`.
    fn skip(&mut self, stop: impl Fn(&Self) -> bool) {
        let (mut depth, start) = (0usize, self.at);
        loop {
            let tok = self.peek();
            let end = self.on_new_line() && self.at > start || tok == Tok::Semicolon || stop(self);
            if tok == Tok::End || depth == 0 && (end || tok == Tok::BraceClose) {
                return;
            }
            match tok {
                Tok::BraceOpen => depth += 1,
                Tok::BraceClose => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}
