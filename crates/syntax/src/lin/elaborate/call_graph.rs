//! The call graph: no procedure may call itself, and `init` may not reach code that needs a thread.

use std::cell::Cell;

use linchpin_model::Span;
use linchpin_model::program::{Block, Expr, ExprKind, Primitive, Proc, ProcId, StmtKind};

use super::units::Sigs;
use super::{Elab, codes};
use crate::diagnostic::Diagnostic;
use crate::lin::ast::MAX_DEPTH;

impl<'a> Elab<'a> {
    /// Reports every cycle that a depth-first search meets, and chains of calls that are too long.
    /// Gives the procedures in an order in which those called come before their callers.
    pub(super) fn check_recursion(
        &mut self,
        sigs: &Sigs<'a>,
        calls: &[Vec<(ProcId, Span)>],
    ) -> Vec<usize> {
        // 0: not seen, 1: on the path, 2: done
        let mut state = vec![0u8; calls.len()];
        let mut order = Vec::new();
        for start in 0..calls.len() {
            if state[start] != 0 {
                continue;
            }
            state[start] = 1;
            let mut path = vec![(start, 0usize)];
            while let Some(&mut (p, ref mut next)) = path.last_mut() {
                let Some(&(to, _)) = calls[p].get(*next) else {
                    state[p] = 2;
                    order.push(p);
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[to.index()] {
                    0 => {
                        state[to.index()] = 1;
                        path.push((to.index(), 0));
                    }
                    1 => self.report_cycle(sigs, calls, &path, to.index()),
                    _ => {}
                }
            }
        }
        self.check_call_depth(sigs, calls, &order);
        order
    }

    fn check_call_depth(
        &mut self,
        sigs: &Sigs<'a>,
        calls: &[Vec<(ProcId, Span)>],
        order: &[usize],
    ) {
        let mut depth = vec![0u32; calls.len()];
        for &p in order {
            depth[p] = 1 + calls[p].iter().map(|c| depth[c.0.index()]).max().unwrap_or(0);
            if depth[p] == MAX_DEPTH + 1 {
                let name = sigs.procs[p].name;
                let text = format!("`{}` begins a chain of more than {MAX_DEPTH} calls", name.text);
                self.error(codes::TOO_DEEP, name.span, text);
            }
        }
    }

    fn report_cycle(
        &mut self,
        sigs: &Sigs<'a>,
        calls: &[Vec<(ProcId, Span)>],
        path: &[(usize, usize)],
        to: usize,
    ) {
        let from = path.iter().position(|p| p.0 == to).unwrap_or(0);
        let name = |p: usize| sigs.procs[p].name.text;
        let steps: Vec<(usize, Span)> =
            path[from..].iter().map(|&(p, next)| (p, calls[p][next - 1].1)).collect();
        let text = if steps.len() == 1 {
            format!("`{}` calls itself", name(to))
        } else {
            let names: Vec<_> = steps.iter().map(|s| format!("`{}`", name(s.0))).collect();
            format!("recursion: {} call each other", names.join(", "))
        };
        let mut d = Diagnostic::error(codes::RECURSION, steps[0].1, text);
        for (i, (p, span)) in steps.iter().enumerate() {
            let callee = steps.get(i + 1).map_or(to, |s| s.0);
            let label = format!("`{}` calls `{}`", name(*p), name(callee));
            if i == 0 {
                d = d.label(label);
            } else {
                d = d.also(*span, label);
            }
        }
        self.sink.push(d.help("procedures cannot be recursive; use a loop"));
    }

    /// Reports calls of `init` that lead to code that waits or asks for its thread. `order` has
    /// callees before callers.
    pub(super) fn check_init_calls(
        &mut self,
        sigs: &Sigs<'a>,
        procs: &[Proc],
        order: &[usize],
        init: &Proc,
    ) {
        let mut needs: Vec<Option<Span>> = vec![None; procs.len()];
        for &p in order {
            let found = Cell::new(None);
            let note = |span: Option<Span>| found.set(found.get().or(span));
            visit(
                &procs[p].body,
                &mut |e| {
                    note(thread_in_expr(e));
                    note(callee(e).and_then(|c| needs[c.0.index()]));
                },
                &mut |k, span| {
                    if matches!(k, StmtKind::Lock(_) | StmtKind::Unlock(_) | StmtKind::Await(_)) {
                        note(Some(span));
                    }
                },
            );
            needs[p] = found.get();
        }
        let mut callees = Vec::new();
        visit(&init.body, &mut |e| callees.extend(callee(e)), &mut |_, _| {});
        for (c, span) in callees {
            if let Some(cause) = needs[c.index()] {
                let name = sigs.procs[c.index()].name.text;
                let text = format!("`init` cannot call `{name}`, which needs a thread");
                let d = Diagnostic::error(codes::INIT, span, text)
                    .also(cause, "waits, or asks for the thread that executes it");
                self.sink.push(d);
            }
        }
    }
}

fn callee(e: &Expr) -> Option<(ProcId, Span)> {
    match e.kind {
        ExprKind::Call(p, _) => Some((p, e.span)),
        _ => None,
    }
}

fn thread_in_expr(e: &Expr) -> Option<Span> {
    use Primitive::*;
    let needs = matches!(
        e.kind,
        ExprKind::SelfThread
            | ExprKind::Atomic(LoadLinked | StoreConditional | Validate | TryLock, ..)
    );
    needs.then_some(e.span)
}

/// Visits all statements and expressions of a block.
pub(super) fn visit(
    block: &Block,
    on_expr: &mut dyn FnMut(&Expr),
    on_stmt: &mut dyn FnMut(&StmtKind, Span),
) {
    for stmt in block {
        on_stmt(&stmt.kind, stmt.span);
        match &stmt.kind {
            StmtKind::Assign { place, value } => {
                visit_expr(place, on_expr);
                visit_expr(value, on_expr);
            }
            StmtKind::Expr(e)
            | StmtKind::Return(Some(e))
            | StmtKind::Assert(e)
            | StmtKind::Assume(e)
            | StmtKind::Await(e)
            | StmtKind::Free(e)
            | StmtKind::Lock(e)
            | StmtKind::Unlock(e) => visit_expr(e, on_expr),
            StmtKind::If { cond, then, els } => {
                visit_expr(cond, on_expr);
                visit(then, on_expr, on_stmt);
                visit(els, on_expr, on_stmt);
            }
            StmtKind::Loop { cond, body, step, .. } => {
                if let Some(cond) = cond {
                    visit_expr(cond, on_expr);
                }
                visit(body, on_expr, on_stmt);
                visit(step, on_expr, on_stmt);
            }
            StmtKind::Atomic(block) => visit(block, on_expr, on_stmt),
            StmtKind::Either(blocks) => blocks.iter().for_each(|b| visit(b, on_expr, on_stmt)),
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(None) => {}
        }
    }
}

/// Visits an expression and all its parts.
pub(super) fn visit_expr(e: &Expr, on_expr: &mut dyn FnMut(&Expr)) {
    on_expr(e);
    let mut go = |e: &Expr| visit_expr(e, on_expr);
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::SelfThread
        | ExprKind::ThreadCount => {}
        ExprKind::Field(a, _)
        | ExprKind::Part(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Some(a)
        | ExprKind::Unwrap(a)
        | ExprKind::ChooseFrom(a)
        | ExprKind::ThreadIndex(a)
        | ExprKind::ThreadAt(a) => go(a),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::ChooseRange(a, b) => {
            go(a);
            go(b);
        }
        ExprKind::Select(a, b, c) => [a, b, c].into_iter().for_each(|e| go(e)),
        ExprKind::Aggregate(es) | ExprKind::Call(_, es) | ExprKind::Choose(es) => {
            es.iter().for_each(go);
        }
        ExprKind::New(_, fields) => fields.iter().for_each(|f| go(&f.1)),
        ExprKind::Atomic(_, a, es) | ExprKind::Method(_, a, es) => {
            go(a);
            es.iter().for_each(go);
        }
        ExprKind::Dcas { places, old, new } => {
            places.iter().chain(old.iter()).chain(new.iter()).for_each(go);
        }
        ExprKind::Invoke(_, args) => args.iter().flatten().for_each(go),
    }
}
