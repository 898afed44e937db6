//! Statements and blocks. A block that holds an error goes on with its next line.

use crate::Span;
use crate::program::BinOp;

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Arm, Block, Expr, ExprKind, ForIn, Name, Pattern, Stmt, StmtKind};
use crate::syntax::codes;
use crate::syntax::token::{Meaning, Tok};
use crate::syntax::words::{MEET, POINT};
use linchpin_text::Diagnostic;

/// Words that begin a declaration and nothing else (where a name follows).
pub(super) const DECLARATIONS: [&str; 10] =
    ["object", "spec", "check", "const", "param", "type", "data", "enum", "struct", "node"];

/// Does the statement end with a block, so that another may follow on its line?
fn ends_with_block(kind: &StmtKind<'_>) -> bool {
    use StmtKind::*;
    matches!(
        kind,
        If(..) | While(..) | Loop(..) | For(..) | Repeat(..) | Match(..) | Atomic(_) | Either(_)
    )
}

/// What is left of a statement that is followed by something wrong.
fn broken(stmt: Stmt<'_>) -> Stmt<'_> {
    let span = stmt.span;
    let kind = match stmt.kind {
        StmtKind::Let(name, ty, _) => {
            let value = Expr { kind: ExprKind::Error, span, height: 1 };
            StmtKind::Let(name, ty, Some(value))
        }
        _ => StmtKind::Error,
    };
    Stmt { kind, span }
}

/// What an assignment that changes a place does.
fn update(tok: Tok) -> Option<BinOp> {
    Some(match tok {
        Tok::PlusAssign => BinOp::Add,
        Tok::MinusAssign => BinOp::Sub,
        Tok::StarAssign => BinOp::Mul,
        Tok::SlashAssign => BinOp::Div,
        Tok::PercentAssign => BinOp::Rem,
        Tok::AmpAssign => BinOp::BitAnd,
        Tok::PipeAssign => BinOp::BitOr,
        Tok::CaretAssign => BinOp::BitXor,
        _ => return None,
    })
}

impl<'a> Parser<'a, '_> {
    /// `{ ... }`
    pub(super) fn block(&mut self) -> Parsed<Block<'a>> {
        self.enter(Self::block_body)
    }

    fn block_body(&mut self) -> Parsed<Block<'a>> {
        let open = self.expect(Tok::BraceOpen)?;
        let head = std::mem::replace(&mut self.head, false);
        let mut stmts = Vec::new();
        let close = loop {
            while self.eat(Tok::Semicolon) {}
            if self.peek() == Tok::BraceClose {
                break self.bump().span;
            }
            if self.peek() == Tok::End || self.at_declaration() && !self.at_local_var() {
                self.unclosed(open, Tok::BraceOpen);
                break self.last_span();
            }
            let before = self.at;
            let start = self.span();
            self.begin = before;
            match self.statement() {
                Ok(stmt) => {
                    let ended = self.on_new_line()
                        || ends_with_block(&stmt.kind) && self.last_tok() == Tok::BraceClose
                        || matches!(self.peek(), Tok::Semicolon | Tok::BraceClose | Tok::End);
                    if ended {
                        stmts.push(stmt);
                    } else {
                        self.not_ended();
                        self.skip_line();
                        stmts.push(broken(stmt));
                    }
                }
                Err(Failed) => {
                    self.skip_line();
                    stmts.push(Stmt { kind: StmtKind::Error, span: self.since(start) });
                }
            }
            if self.at == before {
                self.bump();
            }
        };
        self.head = head;
        Ok(Block { stmts, close })
    }

    /// Something follows a statement on its line.
    fn not_ended(&mut self) {
        let d = match self.peek() {
            Tok::Assign => None,
            Tok::Else => Some("this `else` has no `if` before it"),
            Tok::Or => Some("this `or` has no `either` before it"),
            _ => None,
        };
        match d {
            Some(text) => self.sink.push(Diagnostic::error(codes::EXPECTED, self.span(), text)),
            None => {
                self.expected("the end of the line or `;`");
            }
        }
    }

    /// Does a declaration begin here, so that a closing brace must be missing?
    fn at_declaration(&self) -> bool {
        if !self.on_new_line() {
            return false;
        }
        match self.peek() {
            Tok::Op | Tok::Fn | Tok::Var => true,
            Tok::Ident => {
                let next = self.peek_at(1);
                let units = ["object", "spec", "check"];
                units.contains(&self.word()) && next.tok == Tok::Ident && !next.line
            }
            _ => false,
        }
    }

    fn statement(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.span();
        match self.peek() {
            Tok::Let => self.let_statement(),
            Tok::Var if self.at_local_var() => {
                self.local_var();
                self.let_statement()
            }
            Tok::Match => self.match_statement(),
            Tok::If => self.if_statement(),
            Tok::For if self.peek_at(1).tok == Tok::ParenOpen => self.for_of_c(),
            Tok::While | Tok::Loop | Tok::For => self.loop_statement(None),
            Tok::Ident if self.at_label() => {
                let label = self.name("a label")?;
                self.bump();
                if !matches!(self.peek(), Tok::While | Tok::Loop | Tok::For) {
                    return Err(self.expected("`loop`, `while` or `for` after a label"));
                }
                self.loop_statement(Some(label))
            }
            Tok::Ident if self.script && self.word() == "repeat" => {
                self.bump();
                let count = self.head_expr()?;
                let span = self.since(start);
                let body = self.block()?;
                Ok(Stmt { kind: StmtKind::Repeat(count, body), span })
            }
            Tok::Ident if self.at_whole(MEET, false) => {
                self.bump();
                Ok(Stmt { kind: StmtKind::Meet, span: start })
            }
            Tok::Ident if self.at_whole(POINT, true) => {
                self.bump();
                let of = if self.peek() == Tok::For && !self.on_new_line() {
                    self.bump();
                    Some(self.expr()?)
                } else {
                    None
                };
                Ok(Stmt { kind: StmtKind::Point(of), span: self.since(start) })
            }
            Tok::Ident if self.misplaced_declaration() => {
                let text = format!("`{}` cannot be declared inside code", self.word());
                let d = Diagnostic::error(codes::MISPLACED, start, text)
                    .help("move it to the top of the file or of the object");
                self.sink.push(d);
                self.incomplete = true;
                Err(Failed)
            }
            Tok::Break => self.jump(StmtKind::Break),
            Tok::Continue => self.jump(StmtKind::Continue),
            Tok::Return => {
                self.bump();
                let none = self.on_new_line()
                    || matches!(self.peek(), Tok::Semicolon | Tok::BraceClose | Tok::End);
                let value = if none { None } else { Some(self.expr()?) };
                Ok(Stmt { kind: StmtKind::Return(value), span: self.since(start) })
            }
            Tok::Assert => self.keyword_expr(StmtKind::Assert),
            Tok::Assume => self.keyword_expr(StmtKind::Assume),
            Tok::Await => self.keyword_expr(StmtKind::Await),
            Tok::Free => self.keyword_expr(StmtKind::Free),
            Tok::Atomic => {
                self.bump();
                Ok(Stmt { kind: StmtKind::Atomic(self.block()?), span: start })
            }
            Tok::Either => {
                self.bump();
                let mut blocks = vec![self.block()?];
                while self.eat(Tok::Or) {
                    blocks.push(self.block()?);
                }
                Ok(Stmt { kind: StmtKind::Either(blocks), span: start })
            }
            Tok::BraceOpen => {
                let text = "a block needs a word before it";
                let d = Diagnostic::error(codes::EXPECTED, start, text)
                    .help("`atomic { }`, `loop { }`, `if c { }` ...");
                self.sink.push(d);
                Err(Failed)
            }
            Tok::Else | Tok::Or => {
                self.not_ended();
                Err(Failed)
            }
            Tok::Ident => match self.foreign_statement() {
                Some(stmt) => stmt,
                None => self.simple_statement(),
            },
            _ => self.simple_statement(),
        }
    }

    /// `name:`, and not `name::`, nor `name := ...`.
    fn at_label(&self) -> bool {
        let (colon, next) = (self.peek_at(1), self.peek_at(2));
        let at_once = colon.span.end == next.span.start;
        colon.tok == Tok::Colon && !(at_once && matches!(next.tok, Tok::Colon | Tok::Assign))
    }

    /// `match e { p => s, q => { ... } }`
    fn match_statement(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.bump().span;
        let value = self.head_expr()?;
        let span = self.since(start);
        let arms = self.list(Tok::BraceOpen, Tok::BraceClose, Self::match_arm)?;
        Ok(Stmt { kind: StmtKind::Match(value, arms), span })
    }

    fn match_arm(&mut self) -> Parsed<Arm<'a>> {
        let start = self.span();
        let pattern = self.pattern()?;
        let span = self.since(start);
        self.expect(Tok::FatArrow)?;
        let body = match self.peek() {
            Tok::BraceOpen => {
                let block = self.block()?;
                // As in Rust, no comma is needed after a block.
                if !self.on_new_line() && !matches!(self.peek(), Tok::Comma | Tok::BraceClose) {
                    self.after_block = true;
                }
                block
            }
            _ => {
                let stmt = self.statement()?;
                Block { stmts: vec![stmt], close: self.last_span() }
            }
        };
        Ok(Arm { pattern, span, body })
    }

    fn pattern(&mut self) -> Parsed<Pattern<'a>> {
        // So many signs are between the name of an enum and that of its value.
        let signs = match (self.peek_at(1).tok, self.peek_at(2).tok) {
            (Tok::Dot, _) => 1,
            (Tok::Colon, Tok::Colon) => 2,
            _ => 0,
        };
        let carries = self.peek_at(signs + 2).tok == Tok::ParenOpen;
        let named = signs == 0 && self.peek_at(1).tok != Tok::Colon;
        if self.peek() != Tok::Ident || !named && !carries {
            return self.operand().map(Pattern::Value);
        }
        let mut name = Name { text: self.word(), span: self.span() };
        self.bump();
        if signs > 0 {
            let of = name;
            for _ in 0..signs {
                if signs == 2 {
                    self.means(Meaning::Half);
                }
                self.bump();
            }
            name = self.name("the name of a value")?;
            return Ok(Pattern::Variant(Some(of), name, self.carried()?));
        }
        match name.text {
            "_" => Ok(Pattern::Rest),
            "None" => {
                let kind = ExprKind::Name(name);
                Ok(Pattern::Value(Expr { kind, span: name.span, height: 1 }))
            }
            _ if self.peek() == Tok::ParenOpen => Ok(Pattern::Variant(None, name, self.carried()?)),
            _ => Ok(Pattern::Name(name)),
        }
    }

    /// `(x, _)`: patterns for what a value carries.
    fn carried(&mut self) -> Parsed<Vec<Pattern<'a>>> {
        self.list(Tok::ParenOpen, Tok::ParenClose, |p| p.enter(Self::pattern))
    }

    /// Does a word stand here that is a statement, not a variable or procedure of that name? It may be for somebody.
    fn at_whole(&self, word: &str, may_be_for: bool) -> bool {
        use Tok::*;
        let next = self.peek_at(1);
        let goes_on = matches!(next.tok, Assign | Dot | Question | As)
            || update(next.tok).is_some()
            || next.tok != Minus && super::expressions::is_infix(next.tok);
        self.word() == word
            && match next.tok {
                Semicolon | BraceClose | End => true,
                For if !next.line => may_be_for,
                _ => next.line && !goes_on,
            }
    }

    fn misplaced_declaration(&self) -> bool {
        let next = self.peek_at(1);
        next.tok == Tok::Ident && !next.line && DECLARATIONS.contains(&self.word())
    }

    fn jump(&mut self, kind: fn(Option<Name<'a>>) -> StmtKind<'a>) -> Parsed<Stmt<'a>> {
        let start = self.bump().span;
        let label = if self.peek() == Tok::Ident && !self.on_new_line() {
            Some(self.name("a label")?)
        } else {
            None
        };
        Ok(Stmt { kind: kind(label), span: self.since(start) })
    }

    fn keyword_expr(&mut self, kind: fn(Expr<'a>) -> StmtKind<'a>) -> Parsed<Stmt<'a>> {
        let start = self.bump().span;
        let value = self.expr()?;
        Ok(Stmt { kind: kind(value), span: self.since(start) })
    }

    fn let_statement(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.bump().span;
        self.mut_word();
        let name = self.name("the name of a variable")?;
        // From here on the name is known, whatever else is wrong, so that its uses are not errors.
        let broken = |p: &mut Self| {
            if !p.on_new_line() {
                p.skip_line();
            }
            let span = p.since(start);
            let value = Expr { kind: ExprKind::Error, span, height: 1 };
            Ok(Stmt { kind: StmtKind::Let(name, None, Some(value)), span })
        };
        let mut ty = None;
        if self.eat(Tok::Colon) {
            match self.ty() {
                Ok(t) => ty = Some(t),
                Err(Failed) => return broken(self),
            }
        }
        let mut value = None;
        if ty.is_none() && self.peek() != Tok::Assign {
            self.expected("`=` or `: type`");
            return broken(self);
        }
        if self.eat(Tok::Assign) {
            match self.assigned() {
                Ok(e) => value = Some(e),
                Err(Failed) => return broken(self),
            }
        }
        Ok(Stmt { kind: StmtKind::Let(name, ty, value), span: self.since(start) })
    }

    /// A condition and its block; the span is that of the head.
    fn arm(&mut self, start: Span) -> Parsed<(Expr<'a>, Block<'a>, Span)> {
        let cond = match self.head_expr() {
            Ok(cond) if self.peek() == Tok::Assign => {
                let span = self.bump().span;
                let text = "`=` assigns; a condition compares with `==`";
                self.sink.push(Diagnostic::error(codes::CONDITION, span, text).edit(span, "=="));
                let _ = self.head_expr()?;
                Expr { kind: ExprKind::Error, ..cond }
            }
            Ok(cond) => cond,
            Err(Failed) => {
                // Look for the block on the same line; without it there is nothing to go on with.
                self.skip(|p| p.peek() == Tok::BraceOpen);
                if self.peek() != Tok::BraceOpen {
                    return Err(Failed);
                }
                Expr { kind: ExprKind::Error, span: start, height: 1 }
            }
        };
        let span = self.since(start);
        self.needless_then();
        Ok((cond, self.block()?, span))
    }

    fn if_statement(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.bump().span;
        let depth = self.depth;
        let result = self.if_chain(start);
        self.depth = depth;
        result
    }

    /// `c { } else if d { } else { }`. Every `else if` is a level, since that is what it means.
    fn if_chain(&mut self, start: Span) -> Parsed<Stmt<'a>> {
        let mut arms = vec![self.arm(start)?];
        let head = arms[0].2;
        let mut els = None;
        loop {
            let word = self.else_if_word();
            if !word && !self.eat(Tok::Else) {
                break;
            }
            let start = self.span();
            if word {
                self.bump();
            }
            if word || self.eat(Tok::If) {
                self.depth += 1;
                let arm = self.enter(|p| p.arm(start))?;
                arms.push(arm);
            } else {
                els = Some(self.block()?);
                break;
            }
        }
        Ok(Stmt { kind: StmtKind::If(arms, els), span: head })
    }

    fn loop_statement(&mut self, label: Option<Name<'a>>) -> Parsed<Stmt<'a>> {
        let word = self.bump();
        let start = label.map_or(word.span, |l| l.span);
        match word.tok {
            Tok::Loop => {
                let span = self.since(start);
                Ok(Stmt { kind: StmtKind::Loop(label, self.block()?), span })
            }
            Tok::While => {
                let (cond, body, span) = self.arm(start)?;
                Ok(Stmt { kind: StmtKind::While(label, cond, body), span })
            }
            _ => {
                let var = self.name("the name of a variable")?;
                self.expect(Tok::In)?;
                let next = self.peek_at(1).tok;
                let over = if self.peek() == Tok::Threads && next == Tok::BraceOpen {
                    self.bump();
                    ForIn::Threads
                } else if self.peek() == Tok::Threads && next == Tok::In {
                    self.bump();
                    self.bump();
                    self.any_order()?;
                    ForIn::AnyOrder
                } else {
                    let head = std::mem::replace(&mut self.head, true);
                    let range = self.sum().and_then(|lo| self.range_from(lo));
                    self.head = head;
                    ForIn::Range(range?)
                };
                let span = self.since(start);
                Ok(Stmt { kind: StmtKind::For(label, var, over, self.block()?), span })
            }
        }
    }

    /// `any order`, after `for t in threads in`.
    fn any_order(&mut self) -> Parsed<()> {
        for word in ["any", "order"] {
            if !self.at_word(word) {
                return Err(self.expected("`any order`"));
            }
            self.bump();
        }
        Ok(())
    }

    /// The value after `=`. If it is missing, the next line is taken for it, and the `=` in that
    /// line tells.
    fn assigned(&mut self) -> Parsed<Expr<'a>> {
        let start = self.at;
        let value = self.expr()?;
        let assigns = self.peek() == Tok::Assign || update(self.peek()).is_some();
        if self.tokens[start].line && assigns {
            self.at = start;
            return Err(self.expected("an expression"));
        }
        Ok(value)
    }

    /// `place = e`, `place += e`, or an expression for its effect.
    fn simple_statement(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.span();
        let target = self.expr()?;
        if self.at_becomes() {
            self.becomes();
        }
        if self.at_step() {
            let op = if self.peek() == Tok::Plus { BinOp::Add } else { BinOp::Sub };
            let span = self.span().to(self.peek_at(1).span);
            for _ in 0..2 {
                self.means(Meaning::Postfix);
                self.bump();
            }
            let one = Expr { kind: ExprKind::Int(1), span, height: 1 };
            return Ok(Stmt { kind: StmtKind::Update(target, op, one), span: self.since(start) });
        }
        let op = match (self.peek(), update(self.peek())) {
            (Tok::Assign, _) => None,
            (_, Some(op)) => Some(op),
            _ => {
                return Ok(Stmt { kind: StmtKind::Expr(target), span: self.since(start) });
            }
        };
        self.bump();
        let value = self.assigned()?;
        let kind = match op {
            None => StmtKind::Assign(target, value),
            Some(op) => StmtKind::Update(target, op, value),
        };
        Ok(Stmt { kind, span: self.since(start) })
    }
}
