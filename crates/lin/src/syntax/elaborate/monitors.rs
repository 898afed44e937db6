//! Condition variables: `wait(c, l)`, `signal(c)`, `broadcast(c)`.
//!
//! They are written out with what the language has, so that nobody who executes programs has to know of them. A variable
//! `c: condition` is one truth value per thread (does it wait?), and a number beside it (how many do?):
//!
//! * `wait(c, l)` is two steps, `atomic { unlock(l); c[self] = true; n += 1 }` and `atomic { await !c[self]; lock(l) }`;
//! * `signal(c)` is `atomic { if n > 0 { let t = any thread; assume c[t]; c[t] = false; n -= 1 } }`;
//! * `broadcast(c)` is the same while `n > 0`.
//!
//! Which of the threads that wait is woken is a choice that treats all threads alike, so they stay interchangeable.
//! Nobody wakes up for no reason: a thread that can would never wait for ever, and a lost signal would not be seen.

use crate::Span;
use crate::Value;
use crate::program::{BinOp, Block, Expr, ExprKind, Stmt, StmtKind, Type, UnOp, Var, VarId};

use super::body::{Body, Role};
use super::checks::MAX_THREADS;
use super::codes;
use super::loops::{assign, binary, int, local};
use super::primitives::Args;
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// The name of the type.
pub(super) const CONDITION: &str = "condition";

/// How many threads wait: at most all.
const WAITING: Type = Type::Int { lo: 0, hi: MAX_THREADS as i32 };

/// The variables of a condition: who waits, and how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Monitor {
    pub(super) who: VarId,
    pub(super) many: VarId,
}

impl Monitor {
    /// The type of the first variable.
    pub(super) fn ty() -> Type {
        Type::PerThread(Box::new(Type::Bool))
    }

    /// The second variable of a condition with this name.
    pub(super) fn counter(name: ast::Name<'_>) -> Var {
        let init = Value::Int(0);
        Var { name: format!("{} waiting", name.text), ty: WAITING, init, span: name.span }
    }

    fn waits(self, thread: Expr, span: Span) -> Expr {
        let who = Expr { kind: ExprKind::Global(self.who), ty: Monitor::ty(), span };
        Expr { kind: ExprKind::Index(Box::new(who), Box::new(thread)), ty: Type::Bool, span }
    }

    fn many(self, span: Span) -> Expr {
        Expr { kind: ExprKind::Global(self.many), ty: WAITING, span }
    }

    /// One more, or one less.
    fn count(self, op: BinOp, span: Span) -> Stmt {
        let sum = binary(op, self.many(span), int(1, span), Type::INT);
        assign(self.many(span), sum, span)
    }
}

fn truth(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(Value::Bool(value)), ty: Type::Bool, span }
}

fn atomic(block: Block, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Atomic(block), span }
}

impl<'a> Body<'_, 'a> {
    /// Is it a call that is about a condition, and not of an operation of that name?
    pub(super) fn is_on_condition(&self, name: ast::Name<'a>) -> bool {
        matches!(name.text, "wait" | "signal" | "broadcast")
            && !(self.role == Role::Script && self.sigs.proc_names.contains_key(name.text))
    }

    /// `wait(c, l)`, `signal(c)` and `broadcast(c)` as statements.
    pub(super) fn on_condition(
        &mut self,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        self.allowed(name)?;
        self.arity(name, args, if name.text == "wait" { 2 } else { 1 }, None)?;
        let monitor = self.monitor(name, &args[0])?;
        if name.text == "wait" {
            return self.wait(monitor, &args[1], span, out);
        }
        let thread = self.hidden("woken", Type::Thread, span);
        let any = Expr { kind: ExprKind::AnyThread, ty: Type::Thread, span };
        let woken = || local(thread, Type::Thread, span);
        let wake = vec![
            assign(woken(), any, span),
            Stmt { kind: StmtKind::Assume(monitor.waits(woken(), span)), span },
            assign(monitor.waits(woken(), span), truth(false, span), span),
            monitor.count(BinOp::Sub, span),
        ];
        let cond = binary(BinOp::Gt, monitor.many(span), int(0, span), Type::Bool);
        let kind = match name.text {
            "signal" => StmtKind::If { cond, then: wake, els: Block::new() },
            _ => {
                let id = self.enter_loop(None);
                self.leave_loop();
                StmtKind::Loop { id, cond: Some(cond), body: wake, step: Block::new() }
            }
        };
        out.push(atomic(vec![Stmt { kind, span }], span));
        Some(())
    }

    fn wait(
        &mut self,
        monitor: Monitor,
        lock: &'a ast::Expr<'a>,
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        let place = self.shared_place(lock, "wait")?;
        let mut place = self.is_lock(place)?;
        self.settle(&mut place, out);
        let me = || Expr { kind: ExprKind::SelfThread, ty: Type::Thread, span };
        let sleeps = vec![
            Stmt { kind: StmtKind::Unlock(place.clone()), span },
            assign(monitor.waits(me(), span), truth(true, span), span),
            monitor.count(BinOp::Add, span),
        ];
        let kind = ExprKind::Unary(UnOp::Not, Box::new(monitor.waits(me(), span)));
        let woken = Expr { kind, ty: Type::Bool, span };
        let wakes = vec![
            Stmt { kind: StmtKind::Await(woken), span },
            Stmt { kind: StmtKind::Lock(place), span },
        ];
        out.extend([atomic(sleeps, span), atomic(wakes, span)]);
        Some(())
    }

    /// Reports a condition where a value is wanted.
    pub(super) fn is_no_condition(&mut self, id: VarId, name: ast::Name<'a>) -> Option<()> {
        if self.sigs.monitors.iter().all(|m| m.who != id) {
            return Some(());
        }
        let text = format!("`{}` is a condition, which has no value", name.text);
        let d = Diagnostic::error(codes::MISMATCH, name.span, text);
        self.cx.sink.push(d.help("use it with `wait`, `signal` and `broadcast`"));
        None
    }

    /// The condition that an argument names.
    fn monitor(&mut self, of: ast::Name<'a>, e: &'a ast::Expr<'a>) -> Option<Monitor> {
        if let ast::ExprKind::Name(name) = &e.kind
            && self.role == Role::Object
            && let Some(&id) = self.sigs.var_names.get(name.text)
            && let Some(&monitor) = self.sigs.monitors.iter().find(|m| m.who == id)
        {
            self.cx.record.used(name.span, self.sigs.vars[id.index()].0.span);
            return Some(monitor);
        }
        let text = format!("`{}` needs a variable of type `condition`", of.text);
        let d = Diagnostic::error(codes::MISMATCH, e.span, text);
        self.cx.sink.push(d.help("as in `var ready: condition` among the variables of the object"));
        None
    }
}
