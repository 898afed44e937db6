//! The call graph: no procedure may call itself unless it says how deep, and `init` may not reach code that needs a thread.

use std::cell::Cell;

use crate::program::{Expr, ExprKind, Primitive, Proc, ProcId, StmtKind};
use crate::{Span, walk};

use super::parts::is_of_part;
use super::units::Sigs;
use super::{Elab, codes};
use crate::syntax::ast::MAX_DEPTH;
use linchpin_text::Diagnostic;

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
                // Calls of what says how deep it may be called end somewhere.
                if sigs.procs[to.index()].depth.is_some() {
                    continue;
                }
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
        self.sink.push(d.help("say how deep: `fn name(...) depth 3 { ... }`, or use a loop"));
    }

    /// Reports calls of `init` that lead to code that waits or asks for its thread. `order` has
    /// callees before callers, but for calls of what may call itself: those are looked at again.
    pub(super) fn check_init_calls(
        &mut self,
        sigs: &Sigs<'a>,
        procs: &[Proc],
        order: &[usize],
        init: &Proc,
    ) {
        let mut needs: Vec<Option<Span>> = vec![None; procs.len()];
        let rounds = 1 + sigs.procs.iter().filter(|sig| sig.depth.is_some()).count();
        for &p in order.iter().cycle().take(rounds * order.len()) {
            let found = Cell::new(None);
            let note = |span: Option<Span>| found.set(found.get().or(span));
            walk::visit(
                &procs[p].body,
                &mut |e| {
                    note(thread_in_expr(e));
                    note(callee(e).and_then(|c| needs[c.0.index()]));
                },
                &mut |stmt| {
                    use StmtKind::{Await, Lock, Point, Unlock};
                    if matches!(stmt.kind, Lock(_) | Unlock(_) | Await(_) | Point(_)) {
                        note(Some(stmt.span));
                    }
                },
            );
            needs[p] = found.get();
        }
        let mut callees = Vec::new();
        walk::visit_block(&init.body, &mut |e| callees.extend(callee(e)));
        for (c, span) in callees {
            if let Some(cause) = needs[c.index()] {
                let name = sigs.procs[c.index()].name.text;
                let text = format!("`init` cannot call `{name}`, which needs a thread");
                let d = Diagnostic::error(codes::INIT, span, text)
                    .also(cause, "waits, or concerns the thread that executes it");
                self.sink.push(d);
            }
        }
    }
}

fn callee(e: &Expr) -> Option<(ProcId, Span)> {
    match e.kind {
        ExprKind::Call(p, _) if !is_of_part(p) => Some((p, e.span)),
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
    // What an operation of a part does is known later.
    let part = matches!(e.kind, ExprKind::Call(p, _) if is_of_part(p));
    (needs || part).then_some(e.span)
}
