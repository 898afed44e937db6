//! Tokens to a syntax tree: recursive descent, with precedence climbing for expressions.
//!
//! An error ends the section it is in; parsing goes on at the next section, so that several
//! mistakes are found at once.

mod data;
mod process;
mod sections;
mod sorts;

use linchpin_text::{Diagnostic, Sink, Span};

use crate::ast::{Name, Specification};
use crate::lexer::{Kind, Token, tokens};
use crate::report::{Checked, SYNTAX, UNSUPPORTED, error};

/// How deep expressions may be nested.
const MAX_DEPTH: u32 = 400;

/// How high the tree of an expression or a process may be: operators in a row count, and the elements of a
/// list. So trees may be walked recursively.
const MAX_HEIGHT: u32 = 2_000;

/// Reads a specification.
pub(crate) fn parse(text: &str) -> Result<Specification, Vec<Diagnostic>> {
    let tokens = tokens(text);
    let mut parser = Parser { text, tokens, at: 0, ids: 0, depth: 0, height: 0 };
    let mut problems = Sink::default();
    let specification = parser.specification(&mut problems);
    if problems.errors() == 0 { Ok(specification) } else { Err(problems.finish()) }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    ids: u32,
    depth: u32,
    /// The height of the highest tree inside of what is being read.
    height: u32,
}

impl<'a> Parser<'a> {
    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn peek(&self, ahead: usize) -> Kind {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.kind() != Kind::End {
            self.at += 1;
        }
        span
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.kind(), Kind::Symbol(s) if s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(w) if w == word)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, symbol: &str, after: &str) -> Checked<Span> {
        if self.is(symbol) {
            return Ok(self.advance());
        }
        Err(self.unexpected(&format!("`{symbol}` {after}")))
    }

    fn name(&mut self, what: &str) -> Checked<Name> {
        if self.kind() == Kind::Id {
            let span = self.advance();
            return Ok(Name { text: self.slice(span).into(), span });
        }
        let mut problem = self.unexpected(what);
        if let Kind::Word(word) = self.kind() {
            *problem = problem.note(format!("`{word}` is a word of mCRL2 and cannot be a name"));
        }
        Err(problem)
    }

    /// `x, y, z`.
    fn names(&mut self, what: &str) -> Checked<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the end of the file".into(),
            _ => format!("`{}`", self.slice(self.span())),
        }
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let message = format!("expected {wanted}, found {}", self.found());
        Box::new(error(SYNTAX, self.span(), message).label("here"))
    }

    fn unsupported(&self, span: Span, what: &str, why: &str) -> Box<Diagnostic> {
        let problem = error(UNSUPPORTED, span, format!("{what} is not supported"));
        Box::new(problem.label("this").note(why))
    }

    fn fresh(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    /// Runs something one level deeper.
    fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} levels of nesting");
            return Err(Box::new(error(SYNTAX, self.span(), message)));
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = run(self);
        self.depth -= 1;
        self.higher(1)?;
        self.height = self.height.max(outer);
        result
    }

    /// What is being read becomes so much higher.
    fn higher(&mut self, by: usize) -> Checked<()> {
        self.height = self.height.saturating_add(by.try_into().unwrap_or(u32::MAX));
        if self.height <= MAX_HEIGHT {
            return Ok(());
        }
        let message = format!("more than {MAX_HEIGHT} operators or elements in a row");
        Err(Box::new(error(UNSUPPORTED, self.span(), message)))
    }
}
