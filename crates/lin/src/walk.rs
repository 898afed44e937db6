//! Visiting and changing every expression of a piece of code.

use crate::program::{Expr, ExprKind, Stmt, StmtKind, Unit};

/// Calls `f` for every expression of a unit: all procedures and the initialisation.
pub fn visit_unit(unit: &Unit, f: &mut dyn FnMut(&Expr)) {
    for proc in unit.procs.iter().chain(&unit.init) {
        visit_block(&proc.body, f);
    }
}

/// Calls `f` for every expression of a block, outer before inner.
pub fn visit_block(block: &[Stmt], f: &mut dyn FnMut(&Expr)) {
    visit(block, f, &mut |_| {});
}

/// Calls `f` for every expression and `g` for every statement of a block, outer before inner.
pub fn visit(block: &[Stmt], f: &mut dyn FnMut(&Expr), g: &mut dyn FnMut(&Stmt)) {
    for stmt in block {
        g(stmt);
        match &stmt.kind {
            StmtKind::Assign { place, value } => {
                visit_expr(place, f);
                visit_expr(value, f);
            }
            StmtKind::Expr(e)
            | StmtKind::Assert(e)
            | StmtKind::Assume(e)
            | StmtKind::Await(e)
            | StmtKind::Free(e)
            | StmtKind::Lock(e)
            | StmtKind::Unlock(e) => visit_expr(e, f),
            StmtKind::If { cond, then, els } => {
                visit_expr(cond, f);
                visit(then, f, g);
                visit(els, f, g);
            }
            StmtKind::Loop { cond, body, step, .. } => {
                cond.iter().for_each(|e| visit_expr(e, f));
                visit(body, f, g);
                visit(step, f, g);
            }
            StmtKind::Return(value) | StmtKind::Point(value) => {
                value.iter().for_each(|e| visit_expr(e, f))
            }
            StmtKind::Atomic(body) => visit(body, f, g),
            StmtKind::Either(blocks) => blocks.iter().for_each(|b| visit(b, f, g)),
            StmtKind::Break(_) | StmtKind::Continue(_) => {}
        }
    }
}

/// Calls `f` for an expression and every expression in it, outer before inner.
pub fn visit_expr(expr: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(expr);
    let mut all = |es: &[Expr]| es.iter().for_each(|e| visit_expr(e, f));
    match &expr.kind {
        ExprKind::Const(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::SelfThread
        | ExprKind::ThreadCount
        | ExprKind::AnyThread => {}
        ExprKind::Field(a, _)
        | ExprKind::Part(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Some(a)
        | ExprKind::Unwrap(a)
        | ExprKind::ChooseFrom(a)
        | ExprKind::ThreadIndex(a)
        | ExprKind::OtherThread(a)
        | ExprKind::ThreadAt(a) => visit_expr(a, f),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::ChooseRange(a, b) => {
            visit_expr(a, f);
            visit_expr(b, f);
        }
        ExprKind::Select(a, b, c) => {
            visit_expr(a, f);
            visit_expr(b, f);
            visit_expr(c, f);
        }
        ExprKind::Aggregate(es) | ExprKind::Choose(es) | ExprKind::Call(_, es) => all(es),
        ExprKind::New(_, fields) => fields.iter().for_each(|(_, e)| visit_expr(e, f)),
        ExprKind::Atomic(_, a, es) | ExprKind::Method(_, a, es) => {
            all(es);
            visit_expr(a, f);
        }
        ExprKind::Dcas { places, old, new } => {
            all(&places[..]);
            all(&old[..]);
            all(&new[..]);
        }
        ExprKind::Invoke(_, args) => args.iter().flatten().for_each(|e| visit_expr(e, f)),
    }
}

/// Calls `f` for every expression of a block, outer before inner; it may change them.
pub fn change(block: &mut [Stmt], f: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Assign { place, value } => {
                change_expr(place, f);
                change_expr(value, f);
            }
            StmtKind::Expr(e)
            | StmtKind::Assert(e)
            | StmtKind::Assume(e)
            | StmtKind::Await(e)
            | StmtKind::Free(e)
            | StmtKind::Lock(e)
            | StmtKind::Unlock(e) => change_expr(e, f),
            StmtKind::If { cond, then, els } => {
                change_expr(cond, f);
                change(then, f);
                change(els, f);
            }
            StmtKind::Loop { cond, body, step, .. } => {
                cond.iter_mut().for_each(|e| change_expr(e, f));
                change(body, f);
                change(step, f);
            }
            StmtKind::Return(value) | StmtKind::Point(value) => {
                value.iter_mut().for_each(|e| change_expr(e, f));
            }
            StmtKind::Atomic(body) => change(body, f),
            StmtKind::Either(blocks) => blocks.iter_mut().for_each(|b| change(b, f)),
            StmtKind::Break(_) | StmtKind::Continue(_) => {}
        }
    }
}

fn change_expr(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    f(expr);
    let mut all = |es: &mut [Expr]| es.iter_mut().for_each(|e| change_expr(e, f));
    match &mut expr.kind {
        ExprKind::Const(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::SelfThread
        | ExprKind::ThreadCount
        | ExprKind::AnyThread => {}
        ExprKind::Field(a, _)
        | ExprKind::Part(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Some(a)
        | ExprKind::Unwrap(a)
        | ExprKind::ChooseFrom(a)
        | ExprKind::ThreadIndex(a)
        | ExprKind::OtherThread(a)
        | ExprKind::ThreadAt(a) => change_expr(a, f),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::ChooseRange(a, b) => {
            change_expr(a, f);
            change_expr(b, f);
        }
        ExprKind::Select(a, b, c) => {
            change_expr(a, f);
            change_expr(b, f);
            change_expr(c, f);
        }
        ExprKind::Aggregate(es) | ExprKind::Choose(es) | ExprKind::Call(_, es) => all(es),
        ExprKind::New(_, fields) => fields.iter_mut().for_each(|(_, e)| change_expr(e, f)),
        ExprKind::Atomic(_, a, es) | ExprKind::Method(_, a, es) => {
            all(es);
            change_expr(a, f);
        }
        ExprKind::Dcas { places, old, new } => {
            all(&mut places[..]);
            all(&mut old[..]);
            all(&mut new[..]);
        }
        ExprKind::Invoke(_, args) => args.iter_mut().flatten().for_each(|e| change_expr(e, f)),
    }
}
