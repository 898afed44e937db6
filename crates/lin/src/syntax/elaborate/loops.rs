//! Loops that count, written out, and the loops that `break` and `continue` mean.

use crate::program::{BinOp, Block, Expr, ExprKind, LocalId, LoopId, Method, Stmt, StmtKind, Type};
use crate::{Span, Value};

use super::body::{Body, LoopInfo};
use super::codes;
use crate::syntax::ast::{self, ForIn};

/// A local variable as a place.
pub(super) fn local(id: LocalId, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Local(id), ty, span }
}

/// A number.
pub(super) fn int(n: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(Value::Int(n)), ty: Type::INT, span }
}

/// An infix operator applied.
pub(super) fn binary(op: BinOp, a: Expr, b: Expr, ty: Type) -> Expr {
    let span = a.span.to(b.span);
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span }
}

/// An assignment.
pub(super) fn assign(place: Expr, value: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign { place, value }, span }
}

/// The type of a set of threads.
fn threads() -> Type {
    Type::Set(Box::new(Type::Thread))
}

/// Goes to any thread that was not visited yet. Nothing is known of it but that, so threads stay alike.
fn next_thread(visited: LocalId, thread: LocalId, span: Span) -> Block {
    let set = || Box::new(local(visited, threads(), span));
    let thread = || local(thread, Type::Thread, span);
    let other = Expr { kind: ExprKind::OtherThread(set()), ty: Type::Thread, span };
    let insert = ExprKind::Method(Method::Insert, set(), vec![thread()]);
    let insert = StmtKind::Expr(Expr { kind: insert, ty: Type::Bool, span });
    vec![assign(thread(), other, span), Stmt { kind: insert, span }]
}

impl<'a> Body<'_, 'a> {
    pub(super) fn for_statement(
        &mut self,
        label: Option<ast::Name<'a>>,
        var: ast::Name<'a>,
        over: &'a ForIn<'a>,
        body: &'a ast::Block<'a>,
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        let (lo, hi, inclusive) = match over {
            ForIn::Range(r) => {
                (self.check(&r.lo, &Type::INT), self.check(&r.hi, &Type::INT), r.inclusive)
            }
            ForIn::Threads | ForIn::AnyOrder => {
                let count = Expr { kind: ExprKind::ThreadCount, ty: Type::INT, span };
                (Some(int(0, span)), Some(count), false)
            }
        };
        self.enter_block();
        let mut visited = None;
        let (counter, mut first) = match over {
            ForIn::Range(_) => (self.declare(var, Some(Type::INT)), Vec::new()),
            ForIn::Threads => {
                let counter = self.hidden("thread index", Type::INT, var.span);
                let thread = self.declare(var, Some(Type::Thread));
                let index = Box::new(local(counter, Type::INT, var.span));
                let at = Expr { kind: ExprKind::ThreadAt(index), ty: Type::Thread, span: var.span };
                (counter, vec![assign(local(thread, Type::Thread, var.span), at, span)])
            }
            ForIn::AnyOrder => {
                let counter = self.hidden("thread index", Type::INT, var.span);
                let set = self.hidden("visited threads", threads(), var.span);
                let thread = self.declare(var, Some(Type::Thread));
                visited = Some(set);
                (counter, next_thread(set, thread, span))
            }
        };
        self.locals[counter.index()].used = true;
        let id = self.enter_loop(label);
        first.extend(self.block(body));
        self.leave_loop();
        self.leave_block(body.close);
        let (lo, hi) = (lo?, hi?);
        if let Some(set) = visited {
            self.locals[set.index()].used = true;
            let nobody = Expr { kind: ExprKind::Const(Value::Set([].into())), ty: threads(), span };
            out.push(assign(local(set, threads(), var.span), nobody, span));
        }
        out.push(assign(local(counter, Type::INT, var.span), lo, span));
        let hi = self.loop_bound(hi, span, out);
        self.counted(id, counter, hi, inclusive, first, span, out);
        Some(())
    }

    /// The bound of a loop is computed once.
    fn loop_bound(&mut self, bound: Expr, span: Span, out: &mut Block) -> Expr {
        if matches!(bound.kind, ExprKind::Const(_) | ExprKind::ThreadCount) {
            return bound;
        }
        let id = self.hidden("bound", Type::INT, bound.span);
        let at = bound.span;
        out.push(assign(local(id, Type::INT, at), bound, span));
        local(id, Type::INT, at)
    }

    #[allow(clippy::too_many_arguments)]
    fn counted(
        &mut self,
        id: LoopId,
        counter: LocalId,
        bound: Expr,
        inclusive: bool,
        body: Block,
        span: Span,
        out: &mut Block,
    ) {
        let i = local(counter, Type::INT, span);
        let op = if inclusive { BinOp::Le } else { BinOp::Lt };
        let cond = Some(binary(op, i.clone(), bound, Type::Bool));
        let next = binary(BinOp::Add, i.clone(), int(1, span), Type::INT);
        let step = vec![assign(i, next, span)];
        out.push(Stmt { kind: StmtKind::Loop { id, cond, body, step }, span });
    }

    /// `repeat k { }` of scripts.
    pub(super) fn repeat_statement(
        &mut self,
        count: &'a ast::Expr<'a>,
        body: &'a ast::Block<'a>,
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        let count = self.check(count, &Type::INT);
        let counter = self.hidden("round", Type::INT, span);
        let id = self.enter_loop(None);
        let body = self.block(body);
        self.leave_loop();
        out.push(assign(local(counter, Type::INT, span), int(0, span), span));
        let bound = self.loop_bound(count?, span, out);
        self.counted(id, counter, bound, false, body, span, out);
        Some(())
    }

    /// `place[t] = value` for every thread `t`: an initial value that differs from thread to thread.
    pub(super) fn each_thread(&mut self, array: Expr, value: Expr, out: &mut Block) {
        let span = value.span;
        let counter = self.hidden("thread index", Type::INT, span);
        let index = Box::new(local(counter, Type::INT, span));
        let thread = Expr { kind: ExprKind::ThreadAt(index), ty: Type::Thread, span };
        let ty = value.ty.clone();
        let kind = ExprKind::Index(Box::new(array), Box::new(thread));
        let body = vec![assign(Expr { kind, ty, span }, value, span)];
        let id = self.enter_loop(None);
        self.leave_loop();
        out.push(assign(local(counter, Type::INT, span), int(0, span), span));
        let bound = Expr { kind: ExprKind::ThreadCount, ty: Type::INT, span };
        self.counted(id, counter, bound, false, body, span, out);
    }

    /// The loop that `break` or `continue` means.
    pub(super) fn target(
        &mut self,
        label: Option<ast::Name<'a>>,
        word: &str,
        span: Span,
    ) -> Option<LoopId> {
        let found = match label {
            None => self.loops.last_mut(),
            Some(l) => {
                let named = |i: &&mut LoopInfo<'a>| i.label.is_some_and(|x| x.text == l.text);
                self.loops.iter_mut().rev().find(named)
            }
        };
        if let Some(info) = found {
            if let (Some(name), Some(declared)) = (label, info.label) {
                info.used = true;
                self.cx.record.used(name.span, declared.span);
            }
            return Some(info.id);
        }
        match label {
            Some(l) => {
                let text = format!("there is no loop `{}` around this", l.text);
                let known: Vec<String> =
                    self.loops.iter().filter_map(|i| i.label).map(|l| l.text.to_string()).collect();
                self.no_such(codes::LABEL, l, text, &known);
            }
            None => self.cx.error(codes::LABEL, span, format!("`{word}` outside of a loop")),
        }
        None
    }
}
