//! Statements.

use super::super::tree::*;
use super::{Parsed, Parser};
use crate::lexer::Kind;

impl Parser<'_> {
    /// `{ ... }`
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            if self.peek() == Kind::End {
                return self.expected("`}`");
            }
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.deeper(|p| {
            let start = p.span();
            let kind = p.statement_kind()?;
            Ok(Stmt { kind, span: p.since(start) })
        })
    }

    fn inner(&mut self) -> Parsed<Box<Stmt>> {
        Ok(Box::new(self.statement()?))
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let span = self.span();
        if self.eat(";") {
            return Ok(StmtKind::Block(Vec::new()));
        }
        if self.is_sign(0, "{") {
            return Ok(StmtKind::Block(self.block()?));
        }
        match self.word_at(0) {
            Some("if") => {
                self.advance();
                let condition = self.parenthesised()?;
                let then = self.inner()?;
                let other = if self.eat_word("else") { Some(self.inner()?) } else { None };
                Ok(StmtKind::If(condition, then, other))
            }
            Some("while") => {
                self.advance();
                let condition = self.parenthesised()?;
                Ok(StmtKind::While(condition, self.inner()?))
            }
            Some("do") => {
                self.advance();
                let body = self.inner()?;
                if !self.eat_word("while") {
                    return self.expected("`while`");
                }
                let condition = self.parenthesised()?;
                self.expect(";")?;
                Ok(StmtKind::Do(body, condition))
            }
            Some("for") => self.for_loop(),
            Some("foreach") => {
                self.advance();
                self.expect("(")?;
                let ty = self.ty()?;
                let name = self.name("the name of a variable")?;
                if !self.eat_word("in") {
                    return self.expected("`in`");
                }
                let list = self.expr()?;
                self.expect(")")?;
                Ok(StmtKind::ForEach(ty, name, list, self.inner()?))
            }
            Some("return") => {
                self.advance();
                let value = if self.is_sign(0, ";") { None } else { Some(self.expr()?) };
                self.expect(";")?;
                Ok(StmtKind::Return(value))
            }
            Some("break") => {
                self.advance();
                self.expect(";")?;
                Ok(StmtKind::Break)
            }
            Some("continue") => {
                self.advance();
                self.expect(";")?;
                Ok(StmtKind::Continue)
            }
            Some("throw") => self.throw(),
            Some("const") => {
                self.advance();
                let declared = self.local()?;
                self.expect(";")?;
                Ok(declared)
            }
            Some(
                word @ ("goto" | "try" | "using" | "lock" | "unsafe" | "fixed" | "checked"
                | "unchecked" | "yield" | "switch"),
            ) => self.unsupported(span, &format!("`{word}`")),
            _ => {
                let kind = self.simple()?;
                self.expect(";")?;
                Ok(kind)
            }
        }
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let e = self.expr()?;
        self.expect(")")?;
        Ok(e)
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect("(")?;
        let mut first = Vec::new();
        if !self.is_sign(0, ";") {
            first = self.list(true)?;
        }
        self.expect(";")?;
        let condition = if self.is_sign(0, ";") { None } else { Some(self.expr()?) };
        self.expect(";")?;
        let mut next = Vec::new();
        if !self.is_sign(0, ")") {
            next = self.list(false)?;
        }
        self.expect(")")?;
        Ok(StmtKind::For(first, condition, next, self.inner()?))
    }

    /// Statements with commas between them, as `for` has them.
    fn list(&mut self, declarations: bool) -> Parsed<Vec<Stmt>> {
        let mut list = Vec::new();
        loop {
            let start = self.span();
            let kind = match declarations && list.is_empty() {
                true => self.simple()?,
                false => StmtKind::Expr(self.expr()?),
            };
            list.push(Stmt { kind, span: self.since(start) });
            if !self.eat(",") {
                return Ok(list);
            }
        }
    }

    /// `throw new X("...")`: what is thrown is shown as it is written.
    fn throw(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let start = self.span();
        if self.word_at(0) != Some("new") {
            return self.unsupported(start, "`throw` without `new`");
        }
        while !self.is_sign(0, ";") {
            if matches!(self.peek(), Kind::End | Kind::Sign("{" | "}")) {
                return self.expected("`;`");
            }
            self.advance();
        }
        let text = self.text[self.since(start).range()].to_string();
        self.advance();
        Ok(StmtKind::Throw(text))
    }

    /// A declaration or an expression.
    fn simple(&mut self) -> Parsed<StmtKind> {
        if self.declaration_ahead() {
            return self.local();
        }
        let start = self.span();
        let e = self.expr()?;
        match e.kind {
            ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Call(..) => Ok(StmtKind::Expr(e)),
            ExprKind::New(New::Class(..)) => Ok(StmtKind::Expr(e)),
            _ => {
                let message = "a value alone is no statement";
                self.error(crate::codes::MISUSE, self.since(start), message)
            }
        }
    }

    /// Is this a type and a name?
    fn declaration_ahead(&self) -> bool {
        let Some(word) = self.word_at(0) else { return false };
        if matches!(word, "int" | "bool") {
            return !self.is_sign(1, ".");
        }
        if matches!(word, "this" | "new" | "true" | "false" | "null" | "base") {
            return false;
        }
        if super::RESERVED.contains(&word) {
            return true;
        }
        let mut ahead = 1;
        while self.is_sign(ahead, ".") && self.word_at(ahead + 1).is_some() {
            ahead += 2;
        }
        if self.is_sign(ahead, "<") && self.word_at(ahead + 1).is_some() {
            // `List<int> x`, and not `a < b`.
            let generic =
                |t: Kind| matches!(t, Kind::Word | Kind::Sign("," | "<" | "[" | "]" | "."));
            let mut inside = ahead + 1;
            while generic(self.token(inside).kind) {
                inside += 1;
            }
            return self.is_sign(inside, ">") && self.word_at(inside + 1).is_some();
        }
        if self.is_sign(ahead, "[")
            && (self.is_sign(ahead + 1, "]") || self.is_sign(ahead + 1, ","))
        {
            return true;
        }
        self.word_at(ahead).is_some_and(|w| !matches!(w, "is" | "as"))
    }

    /// `int x = 1, y`
    fn local(&mut self) -> Parsed<StmtKind> {
        let ty = self.ty()?;
        let mut names = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            let initial = if self.eat("=") { Some(self.initial()?) } else { None };
            names.push((name, initial));
            if !self.eat(",") {
                return Ok(StmtKind::Local(ty, names));
            }
        }
    }

    /// An initial value: an expression, or `{1, 2}`.
    pub(super) fn initial(&mut self) -> Parsed<Expr> {
        if !self.is_sign(0, "{") {
            return self.expr();
        }
        let start = self.span();
        let list = self.braces()?;
        Ok(Expr { kind: ExprKind::New(New::Array(None, list)), span: self.since(start) })
    }
}
