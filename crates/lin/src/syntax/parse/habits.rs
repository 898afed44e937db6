//! What people write who come from Rust, C, Java, Python or PlusCal.
//!
//! Where it has one meaning it is taken for that (`let mut`, `->`, `::`, `x++`), elsewhere. Here is what is wrong, but says
//! clearly what was meant: it is reported with the edit that mends it, once, and then taken for what was meant, so
//! that nothing else is reported because of it.

use crate::Span;
use crate::program::BinOp;

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Stmt, StmtKind};
use crate::syntax::codes;
use crate::syntax::token::Tok;
use linchpin_text::{Diagnostic, did_you_mean};

const LIKE_THIS: &str = "write it like this";

/// Words that print in other languages.
const PRINTING: [&str; 8] =
    ["print", "println", "printf", "eprintln", "dbg", "log", "assert_eq", "panic"];

pub(in crate::syntax) const PRINTS_NOTHING: (&str, &str) =
    ("models print nothing", "`linchpin simulate` shows every step");

/// Does the word print, elsewhere?
pub(in crate::syntax) fn prints(word: &str) -> bool {
    PRINTING.contains(&word)
}

impl<'a> Parser<'a, '_> {
    /// Is the current token followed by this one, without a space?
    pub(super) fn is_followed_at_once_by(&self, tok: Tok) -> bool {
        let next = self.peek_at(1);
        next.tok == tok && self.span().end == next.span.start
    }

    /// Does `++` or `--` end a statement here?
    pub(super) fn at_step(&self) -> bool {
        let (tok, last) = (self.peek(), self.peek_at(2));
        matches!(tok, Tok::Plus | Tok::Minus)
            && self.is_followed_at_once_by(tok)
            && (last.line || matches!(last.tok, Tok::Semicolon | Tok::BraceClose | Tok::End))
    }

    /// Reports a mistake at the current token, unless it was reported already.
    fn notice(&mut self, text: &str, help: &str, replacement: &str) {
        if self.noticed.replace(self.at) == Some(self.at) {
            return;
        }
        let span = self.span();
        let mut all = span;
        if replacement.is_empty() {
            // With it go the word that belongs to it, and the space after it.
            let next = self.peek_at(1);
            let qualifies = matches!(&self.text[next.span.range()], "mut" | "const");
            if matches!(self.peek(), Tok::Amp | Tok::Star) && qualifies {
                all = span.to(next.span);
            }
            if all != span
                || self.text[..span.range().start]
                    .chars()
                    .next_back()
                    .is_none_or(char::is_whitespace)
            {
                let rest = &self.text[all.range().end..];
                let spaces = rest.chars().take_while(|c| *c == ' ').count();
                all = Span::new(all.range().start, all.range().end + spaces);
            }
        }
        let d = Diagnostic::error(codes::HABIT, span, text).help(help);
        self.sink.push(d.edit(all, replacement));
    }

    /// `and` and `or` between operands.
    pub(super) fn infix_word(&mut self) -> Option<(BinOp, u8)> {
        if self.on_new_line() {
            return None;
        }
        if self.at_word("and") {
            self.notice("`and` is written `&&`", LIKE_THIS, "&&");
            return Some((BinOp::And, 2));
        }
        // After an operand: the `or` of `either` comes after a brace.
        if self.peek() == Tok::Or && self.last_tok() != Tok::BraceClose {
            self.notice("`or` is written `||`", LIKE_THIS, "||");
            return Some((BinOp::Or, 1));
        }
        None
    }

    /// Is `not` written for `!`? Then it is reported.
    pub(super) fn not_word(&mut self) -> bool {
        let next = self.peek_at(1);
        let operand = matches!(next.tok, Tok::Ident | Tok::True | Tok::False | Tok::Not);
        let found = self.at_word("not") && operand && !next.line;
        if found {
            self.notice("`not` is written `!`", LIKE_THIS, "!");
        }
        found
    }

    /// `&place`, `*node`: there are no addresses.
    pub(super) fn needless_prefix(&mut self) {
        loop {
            match self.peek() {
                Tok::Amp => self.notice("a place is named without `&`", "leave it out", ""),
                Tok::Star => self.notice("a node is named without `*`", "leave it out", ""),
                _ => return,
            }
            self.bump();
            if (self.at_word("mut") || self.at_word("const")) && !self.peek_at(1).line {
                self.bump();
            }
        }
    }

    /// The same before types.
    pub(super) fn needless_type_prefix(&mut self) {
        while matches!(self.peek(), Tok::Amp | Tok::Star) {
            let text = "a variable of a `node` type refers to a node, or is `null`";
            self.notice(text, "leave the sign out", "");
            self.bump();
            if self.at_word("mut") || self.at_word("const") {
                self.bump();
            }
        }
    }

    /// In the head of `if`, `while` ...: does the `{` here begin the block?
    pub(super) fn begins_block(&self) -> bool {
        let next = self.peek_at(1);
        next.line || next.tok.is_keyword() && !matches!(next.tok, Tok::True | Tok::False)
    }

    /// `if c then {`
    pub(super) fn needless_then(&mut self) {
        if self.at_word("then") && self.peek_at(1).tok == Tok::BraceOpen {
            self.notice("there is no `then`", "leave it out", "");
            self.bump();
        }
    }

    /// `elif` after the block of an `if`.
    pub(super) fn else_if_word(&mut self) -> bool {
        let found = ["elif", "elsif", "elseif"].iter().any(|word| self.at_word(word));
        if found {
            self.notice("this is written `else if`", LIKE_THIS, "else if");
        }
        found
    }

    /// `x := e`; stands at the colon.
    pub(super) fn at_becomes(&self) -> bool {
        self.peek() == Tok::Colon && self.is_followed_at_once_by(Tok::Assign)
    }

    pub(super) fn becomes(&mut self) {
        let span = self.span().to(self.peek_at(1).span);
        let d = Diagnostic::error(codes::HABIT, span, "`=` assigns").help(LIKE_THIS);
        self.sink.push(d.edit(span, "="));
        self.bump();
    }

    /// `threads: 2`, `ops = 3`: settings have no sign before their value.
    pub(super) fn needless_sign(&mut self) {
        if matches!(self.peek(), Tok::Colon | Tok::Assign) {
            let word = &self.text[self.last_span().range()];
            let text = format!("the value of `{word}` follows without a sign");
            self.notice(&text, "leave it out", "");
            self.bump();
        }
    }

    /// `op f(): T`
    pub(super) fn result_colon(&mut self) -> bool {
        let found = self.peek() == Tok::Colon;
        if found {
            self.notice("the type of the result follows `->`", LIKE_THIS, " ->");
            self.bump();
        }
        found
    }

    /// `pub` before a declaration.
    pub(super) fn needless_pub(&mut self) {
        let next = self.peek_at(1);
        if self.at_word("pub") && !next.line && matches!(next.tok, Tok::Ident | Tok::Fn | Tok::Op) {
            self.notice("everything can be seen: there is no `pub`", "leave it out", "");
            self.bump();
        }
    }

    /// `let x: T` as a member of an object.
    pub(super) fn let_member(&mut self) {
        let text = "`let` declares local variables; an object has `var`";
        self.notice(text, LIKE_THIS, "var");
        self.bump();
        self.mut_word();
    }

    /// `mut` says nothing: every variable can be assigned to.
    pub(super) fn mut_word(&mut self) {
        if self.at_word("mut") && self.peek_at(1).tok == Tok::Ident && !self.peek_at(1).line {
            self.bump();
        }
    }

    /// A word that begins no declaration: is it a misspelled one, or a type before a name, as in C? The words
    /// are those that could stand here.
    pub(super) fn misspelled(&mut self, words: &[&'static str], otherwise: &str) -> Failed {
        let (span, word, next) = (self.span(), self.word(), self.peek_at(1));
        if self.peek() != Tok::Ident {
            return self.expected(otherwise);
        }
        let d = Diagnostic::error(codes::EXPECTED, span, format!("`{word}` begins nothing here"));
        let after = self.peek_at(2);
        let ends = after.line || matches!(after.tok, Tok::Semicolon | Tok::Assign | Tok::End);
        let typed = next.tok == Tok::Ident && !next.line && ends && words.contains(&"var");
        let d = match did_you_mean(word, words.iter().copied()) {
            Some(near) if !typed => d.help(format!("did you mean `{near}`?")).edit(span, near),
            _ if typed => {
                let name = &self.text[next.span.range()];
                let d = d.help("a variable is declared as `var NAME: TYPE`");
                d.edit(span.to(next.span), format!("var {name}: {word}"))
            }
            _ => return self.expected(otherwise),
        };
        self.sink.push(d);
        Failed
    }

    /// A statement of another language, reported; nothing if there is none here.
    pub(super) fn foreign_statement(&mut self) -> Option<Parsed<Stmt<'a>>> {
        let (start, next) = (self.span(), self.peek_at(1));
        let said = |p: &mut Self, text: &str, help: &str| {
            p.sink.push(Diagnostic::error(codes::HABIT, start, text).help(help));
            p.incomplete = true;
        };
        match self.word() {
            "do" if next.tok == Tok::BraceOpen => {
                let text = "there is no `do`";
                said(self, text, "`loop { ... }` repeats until `break`: `if !c { break }`");
                self.bump();
                let done = self.block().and_then(|_| match self.eat(Tok::While) {
                    true => self.head_expr().map(drop),
                    false => Ok(()),
                });
                let span = self.since(start);
                Some(done.map(|()| Stmt { kind: StmtKind::Error, span }))
            }
            "switch" if !next.line && next.tok != Tok::Assign => {
                said(self, "there is no `switch`", "`match x { 0 => { ... } _ => { ... } }`");
                Some(Err(Failed))
            }
            "goto" if next.tok == Tok::Ident && !next.line => {
                let help = "name a loop, `again: loop { ... }`, and go on with `continue again`";
                said(self, "there is no `goto`", help);
                Some(Err(Failed))
            }
            "elif" | "elsif" | "elseif" if !next.line && next.tok != Tok::Assign => {
                said(self, "this `else if` has no `if` before it", "it follows the closing brace");
                Some(Err(Failed))
            }
            word if prints(word) && matches!(next.tok, Tok::Not | Tok::ParenOpen) => {
                if self.calls_itself(word) {
                    return None;
                }
                // A text in it was reported already.
                if self.has_error_on_line() {
                    return Some(Err(Failed));
                }
                let (text, help) = PRINTS_NOTHING;
                said(self, text, help);
                Some(Err(Failed))
            }
            _ => None,
        }
    }

    /// `for (i = 0; i < n; i++) { ... }`; stands at `for`.
    pub(super) fn for_of_c(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.span();
        let text = "`for` runs over a range";
        let help = "write it as `for i in 0..n { ... }`, or use `while`";
        self.sink.push(Diagnostic::error(codes::HABIT, start, text).help(help));
        self.incomplete = true;
        while !matches!(self.peek(), Tok::BraceOpen | Tok::BraceClose | Tok::End) {
            self.bump();
        }
        let block = self.block();
        let span = self.since(start);
        block.map(|_| Stmt { kind: StmtKind::Error, span })
    }

    /// Is there something on the line that is no token, and was reported?
    fn has_error_on_line(&self) -> bool {
        let line = self.tokens[self.at..].iter().skip(1).take_while(|t| !t.line);
        line.into_iter().any(|t| t.tok == Tok::Error)
    }

    /// Does the text declare a procedure of this name?
    fn calls_itself(&self, word: &str) -> bool {
        self.tokens.windows(2).any(|pair| {
            matches!(pair[0].tok, Tok::Fn | Tok::Op) && &self.text[pair[1].span.range()] == word
        })
    }

    /// `var x = e` in code; a member would have a type.
    pub(super) fn at_local_var(&self) -> bool {
        self.peek() == Tok::Var
            && self.peek_at(1).tok == Tok::Ident
            && self.peek_at(2).tok == Tok::Assign
    }

    pub(super) fn local_var(&mut self) {
        self.notice("a local variable is declared with `let`", LIKE_THIS, "let");
    }
}
