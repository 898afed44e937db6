//! Statements, with the short forms written out.

use crate::program::{BinOp, Block, Expr, ExprKind, Memory, Stmt, StmtKind, Type};
use crate::{Span, Value};

use super::body::{Body, Meeting, Role};
use super::codes;
use super::literals::{needs_context, widen};
use super::loops::{assign, binary, local};
use super::types::show;
use crate::syntax::ast;
use linchpin_text::Diagnostic;

impl<'a> Body<'_, 'a> {
    /// The statements of a block.
    pub(super) fn block(&mut self, block: &'a ast::Block<'a>) -> Block {
        self.enter_block();
        let mut out = Vec::new();
        for stmt in &block.stmts {
            // What is left out may have been a `return`.
            self.doubtful |= self.statement(stmt, &mut out).is_none();
        }
        self.leave_block(block.close);
        out
    }

    /// Appends a statement, unless it is wrong.
    fn statement(&mut self, stmt: &'a ast::Stmt<'a>, out: &mut Block) -> Option<()> {
        let span = stmt.span;
        self.allowed_statement(&stmt.kind, span)?;
        let kind = match &stmt.kind {
            ast::StmtKind::Error => return None,
            ast::StmtKind::Let(name, ty, value) => {
                return self.let_statement(*name, ty.as_ref(), value.as_ref(), span, out);
            }
            ast::StmtKind::Assign(place, value) => self.assign_statement(place, value)?,
            ast::StmtKind::Update(place, op, value) => {
                return self.update(place, *op, value, span, out);
            }
            ast::StmtKind::Expr(e) => {
                if let ast::ExprKind::Call(name, args) = &e.kind
                    && self.is_on_condition(*name)
                {
                    return self.on_condition(*name, args, span, out);
                }
                self.effect(e)?
            }
            ast::StmtKind::If(arms, els) => {
                let stmt = self.if_chain(arms, els.as_ref());
                out.extend(stmt?);
                return Some(());
            }
            ast::StmtKind::While(label, cond, body) => {
                let cond = self.check(cond, &Type::Bool);
                let id = self.enter_loop(*label);
                let body = self.block(body);
                self.leave_loop();
                let cond = cond?;
                let endless = matches!(cond.kind, ExprKind::Const(Value::Bool(true)));
                let cond = if endless { None } else { Some(cond) };
                StmtKind::Loop { id, cond, body, step: Vec::new() }
            }
            ast::StmtKind::Loop(label, body) => {
                let id = self.enter_loop(*label);
                let body = self.block(body);
                self.leave_loop();
                StmtKind::Loop { id, cond: None, body, step: Vec::new() }
            }
            ast::StmtKind::For(label, var, over, body) => {
                return self.for_statement(*label, *var, over, body, span, out);
            }
            ast::StmtKind::Repeat(count, body) => {
                return self.repeat_statement(count, body, span, out);
            }
            ast::StmtKind::Match(value, arms) => {
                return self.match_statement(value, arms, span, out);
            }
            ast::StmtKind::Break(label) => StmtKind::Break(self.target(*label, "break", span)?),
            ast::StmtKind::Continue(label) => {
                StmtKind::Continue(self.target(*label, "continue", span)?)
            }
            ast::StmtKind::Return(value) => self.return_statement(value.as_ref(), span)?,
            ast::StmtKind::Assert(e) => StmtKind::Assert(self.check(e, &Type::Bool)?),
            ast::StmtKind::Assume(e) => StmtKind::Assume(self.check(e, &Type::Bool)?),
            ast::StmtKind::Await(e) => {
                // One atomic step: it may read whole arrays.
                let before = std::mem::replace(&mut self.atomic, true);
                let cond = self.check(e, &Type::Bool);
                self.atomic = before;
                StmtKind::Await(cond?)
            }
            ast::StmtKind::Atomic(block) => {
                let before = std::mem::replace(&mut self.atomic, true);
                let block = self.block(block);
                self.atomic = before;
                if before || self.role != Role::Object {
                    // Already without interruption.
                    out.extend(block);
                    return Some(());
                }
                StmtKind::Atomic(block)
            }
            ast::StmtKind::Either(blocks) => {
                StmtKind::Either(blocks.iter().map(|b| self.block(b)).collect())
            }
            ast::StmtKind::Free(e) => self.free(e, span)?,
            ast::StmtKind::Meet => return self.meet_statement(span, out.len()),
            ast::StmtKind::Point(None) => StmtKind::Point(None),
            ast::StmtKind::Point(Some(e)) => StmtKind::Point(Some(self.check(e, &Type::Thread)?)),
        };
        out.push(Stmt { kind, span });
        Some(())
    }

    /// Some statements make sense in objects only.
    fn allowed_statement(&mut self, kind: &ast::StmtKind<'a>, span: Span) -> Option<()> {
        use ast::StmtKind::*;
        let word = match kind {
            Assert(_) => "assert",
            Await(_) => "await",
            Atomic(_) => "atomic",
            Free(_) => "free",
            Point(_) => "point",
            Meet => "meet",
            _ => return Some(()),
        };
        let d = match (self.role, word) {
            (Role::Script, _) => {
                let text = format!("`{word}` cannot be used in a script");
                Diagnostic::error(codes::SCRIPT, span, text).note(
                    "a script decides which operations are called; it has no shared variables",
                )
            }
            (Role::Spec | Role::SpecInit, "await") => {
                let word = Span::new(span.start as usize, span.start as usize + 5);
                let text = "specifications do not wait";
                Diagnostic::error(codes::ONLY_OBJECTS, span, text)
                    .help("`assume c` says that the operation is possible only if `c` holds")
                    .edit(word, "assume")
            }
            (Role::Spec | Role::SpecInit, "free") => {
                Diagnostic::error(codes::ONLY_OBJECTS, span, "specifications have no heap")
            }
            (Role::Spec | Role::SpecInit, "point") => {
                let text = "specifications have no `point`: their operations are atomic";
                Diagnostic::error(codes::ONLY_OBJECTS, span, text)
                    .help("a `point` says where an operation of an object takes effect")
            }
            (Role::ObjectInit, "point") => {
                let text = "`init` belongs to no operation: no `point` here";
                Diagnostic::error(codes::INIT, span, text)
            }
            (Role::Object | Role::ObjectInit, "meet") => {
                let text = "`meet` is for operations of specifications";
                Diagnostic::error(codes::MEET, span, text)
                    .help("it says between which two parts of an operation others take effect")
            }
            (Role::ObjectInit, "await") => {
                let text = "`init` runs alone and cannot wait";
                Diagnostic::error(codes::INIT, span, text)
            }
            _ => return Some(()),
        };
        self.cx.sink.push(d);
        None
    }

    /// `meet`, after so many statements of the block.
    fn meet_statement(&mut self, span: Span, before: usize) -> Option<()> {
        let text = match self.meet {
            Meeting::Never => "`meet` is for operations, not for `init` or a `fn`",
            Meeting::There(_) => "an operation meets others once",
            Meeting::May if self.depth() > 1 => "`meet` stands in no block of an operation",
            Meeting::May => {
                self.meet = Meeting::There(before as u32);
                return Some(());
            }
        };
        self.cx.error(codes::MEET, span, text);
        None
    }

    fn let_statement(
        &mut self,
        name: ast::Name<'a>,
        ty: Option<&'a ast::TypeExpr<'a>>,
        value: Option<&'a ast::Expr<'a>>,
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        let wanted = match ty {
            None => None,
            Some(t) => {
                let place = self.type_place();
                let ty = self.cx.resolve_type(t, self.scope);
                let ty = ty.filter(|ty| self.cx.admit(ty, t.span, place));
                if ty.is_none() {
                    if let Some(e) = value.filter(|e| !needs_context(e)) {
                        self.raw(e, None);
                    }
                    self.declare(name, None);
                    return None;
                }
                ty
            }
        };
        let value = match (value, &wanted) {
            (Some(e), Some(ty)) => self.check(e, ty),
            (Some(e), None) => self.infer(e, None),
            (None, Some(ty)) if !self.cx.afford(ty, span) => None,
            (None, Some(ty)) => {
                let kind = ExprKind::Const(Value::default_of(ty, &self.cx.program));
                Some(Expr { kind, ty: ty.clone(), span })
            }
            (None, None) => None,
        };
        let ty = wanted.or_else(|| value.as_ref().map(|v| widen(&v.ty)));
        let id = self.declare(name, ty.clone());
        out.push(assign(local(id, ty?, name.span), value?, span));
        Some(())
    }

    fn assign_statement(
        &mut self,
        place: &'a ast::Expr<'a>,
        value: &'a ast::Expr<'a>,
    ) -> Option<StmtKind> {
        let Some(place) = self.place(place, "assigned to") else {
            if !needs_context(value) {
                self.infer(value, None);
            }
            return None;
        };
        self.check_whole(&place, "written")?;
        let value = self.check(value, &place.ty)?;
        Some(StmtKind::Assign { place, value })
    }

    /// `place += e`: the place is found once.
    fn update(
        &mut self,
        place: &'a ast::Expr<'a>,
        op: BinOp,
        value: &'a ast::Expr<'a>,
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        let at = place.span;
        let place = self.place(place, "assigned to");
        let value = self.check(value, &Type::INT);
        let (mut place, value) = (place?, value?);
        if !matches!(place.ty, Type::Int { .. }) {
            let shown = show(&place.ty, &self.cx.program);
            let sign = op.sign();
            let text = format!("`{sign}=` works on numbers, not on `{shown}`");
            let code =
                if matches!(place.ty, Type::Data(_)) { codes::OPAQUE } else { codes::MISMATCH };
            self.cx.error(code, at, text);
            return None;
        }
        self.settle(&mut place, out);
        let sum = binary(op, place.clone(), value, Type::INT);
        out.push(assign(place, sum, span));
        Some(())
    }

    /// Moves what a place needs to be found (indices, references) into local variables, so that
    /// the place can be used twice.
    pub(super) fn settle(&mut self, place: &mut Expr, out: &mut Block) {
        match &mut place.kind {
            ExprKind::Part(base, _) => self.settle(base, out),
            ExprKind::Index(base, index) => {
                self.settle(base, out);
                self.name_value(index, "index", out);
            }
            ExprKind::Field(base, _) => self.name_value(base, "reference", out),
            _ => {}
        }
    }

    fn name_value(&mut self, e: &mut Expr, name: &'static str, out: &mut Block) {
        if matches!(e.kind, ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::SelfThread) {
            return;
        }
        let (ty, span) = (widen(&e.ty), e.span);
        let id = self.hidden(name, ty.clone(), span);
        let value = std::mem::replace(e, local(id, ty.clone(), span));
        out.push(assign(local(id, ty, span), value, span));
    }

    /// An expression as a statement.
    fn effect(&mut self, e: &'a ast::Expr<'a>) -> Option<StmtKind> {
        if let ast::ExprKind::Call(name, args) = &e.kind
            && matches!(name.text, "lock" | "unlock")
            && !(self.role == Role::Script && self.sigs.proc_names.contains_key(name.text))
        {
            let place = self.lock_place(*name, args)?;
            let kind = if name.text == "lock" { StmtKind::Lock } else { StmtKind::Unlock };
            return Some(kind(place));
        }
        let calls = matches!(e.kind, ast::ExprKind::Call(..) | ast::ExprKind::Method(..));
        if !calls && needs_context(e) {
            self.cx.error(codes::NO_VALUE, e.span, "this is no statement: it has no effect");
            return None;
        }
        let value = self.raw(e, None)?;
        if !calls {
            let mut d = Diagnostic::warning(codes::NO_EFFECT, e.span, "this has no effect");
            if let ast::ExprKind::Binary(BinOp::Eq, ..) = e.kind {
                d = d.help("`==` compares; `=` assigns");
            }
            self.cx.sink.push(d);
            self.check_read(&value)?;
        }
        Some(StmtKind::Expr(value))
    }

    fn if_chain(
        &mut self,
        arms: &'a [(ast::Expr<'a>, ast::Block<'a>, Span)],
        els: Option<&'a ast::Block<'a>>,
    ) -> Option<Block> {
        let mut conds = Vec::new();
        for (cond, then, span) in arms {
            let cond = self.check(cond, &Type::Bool);
            conds.push((cond, self.block(then), *span));
        }
        let mut rest = els.map(|b| self.block(b)).unwrap_or_default();
        for (cond, then, span) in conds.into_iter().rev() {
            rest = vec![Stmt { kind: StmtKind::If { cond: cond?, then, els: rest }, span }];
        }
        Some(rest)
    }

    fn return_statement(
        &mut self,
        value: Option<&'a ast::Expr<'a>>,
        span: Span,
    ) -> Option<StmtKind> {
        let Some(result) = self.result.clone() else {
            if let Some(e) = value {
                self.raw(e, None);
            }
            return None;
        };
        match (value, &result) {
            (None, Type::Unit) => Some(StmtKind::Return(None)),
            (Some(e), Type::Unit) => {
                // `return f(x)` of something without value: do it, then return.
                let text = "a value is returned where there is no result";
                let d = Diagnostic::error(codes::RETURN_VALUE, e.span, text)
                    .help("declare the result: `op name(...) -> TYPE`");
                // Once for all of them; a check may know what is meant.
                self.cx.returns.entry(self.head).or_insert(d);
                self.doubtful = true;
                None
            }
            (None, ty) => {
                let shown = show(ty, &self.cx.program);
                let text = format!("`return` needs a value of type `{shown}`");
                self.cx.error(codes::RETURN_VALUE, span, text);
                None
            }
            (Some(e), ty) => Some(StmtKind::Return(Some(self.check(e, ty)?))),
        }
    }

    fn free(&mut self, e: &'a ast::Expr<'a>, span: Span) -> Option<StmtKind> {
        let value = self.infer(e, None)?;
        if self.sigs.memory == Memory::Collected {
            let text = "`free` is not possible under `memory gc`";
            let d = Diagnostic::error(codes::FREE_GC, span, text)
                .note("under `memory gc`, the default, records that nobody can reach vanish");
            self.cx.sink.push(d.help("declare `memory manual` (or `stable`) in the object"));
            return None;
        }
        if !matches!(value.ty, Type::Ref(_)) {
            let shown = show(&value.ty, &self.cx.program);
            let text = format!("`free` needs a reference to a node, found `{shown}`");
            self.cx.error(codes::MISMATCH, e.span, text);
            return None;
        }
        Some(StmtKind::Free(value))
    }
}
