//! Expressions from outside of the text that somebody watches during an execution.
//!
//! They are understood as code of an object would be: its variables, constants, types and procedures have their names.
//! Besides there are names that are given, with their types: a local variable of a thread (`T1.x`), a thread (`T1`), a
//! variable of the specification (`Stack.items`). Which ones there are depends on where the execution is, so an
//! expression is understood once for every set of names. It may read and nothing else.

use std::collections::BTreeSet;

use crate::program::{Expr, ExprKind, Method, ProcId, StmtKind, Type, Unit};
use crate::{Span, walk};

use super::body::{Body, Role};
use super::places::{Root, root};
use super::{codes, elaborated};
use crate::syntax::ast::{self, File};
use crate::syntax::{Given, Meant};
use linchpin_text::{Diagnostic, Severity, Sink};

/// The expressions for every set of names, or what is wrong with them; the text is known to be right.
pub(in crate::syntax) fn watches<'a>(
    file: &'a File<'a>,
    overrides: &[(String, String)],
    params: &[(String, String)],
    object: &str,
    scopes: &'a [Vec<Given>],
    parsed: &'a [Result<ast::Expr<'a>, Box<Diagnostic>>],
) -> Vec<Vec<Result<Meant, Box<Diagnostic>>>> {
    let (mut cx, sigs) = elaborated(file, overrides, params, Sink::default());
    let mut units = file.units.iter().zip(&sigs);
    let Some((_, sigs)) = units.find(|(unit, _)| !unit.spec && unit.name.text == object) else {
        let text = format!("there is no object `{object}`");
        let unknown = Box::new(Diagnostic::error(codes::UNKNOWN_NAME, Span::default(), text));
        let all = || parsed.iter().map(|_| Err(unknown.clone())).collect();
        return scopes.iter().map(|_| all()).collect();
    };
    let spent = cx.parts;
    let mut one = |scope: &'a [Given], e: &'a ast::Expr<'a>| {
        (cx.sink, cx.parts) = (Sink::default(), spent);
        let mut body = Body::new(&mut cx, sigs.scope, Role::Watch, sigs);
        for (name, ty) in scope {
            body.given(name, ty);
        }
        let expr = body.infer(e, None);
        let uses = (0..scope.len()).filter(|i| body.locals[*i].used).collect();
        if let Some(expr) = &expr
            && let Some(d) = only_reads(expr, &cx.program.objects[sigs.index as usize].unit)
        {
            cx.sink.push(d);
        }
        let said = std::mem::take(&mut cx.sink).finish();
        let wrong = said.into_iter().find(|d| d.severity == Severity::Error);
        match (wrong, expr) {
            (None, Some(expr)) => Ok(Meant { expr, uses }),
            (Some(wrong), _) => Err(Box::new(wrong)),
            (None, None) => {
                let text = "the value is in doubt";
                Err(Box::new(Diagnostic::error(codes::NO_VALUE, e.span, text)))
            }
        }
    };
    let mut all = |scope: &'a Vec<Given>| {
        let each = parsed.iter().map(|e| match e {
            Ok(e) => one(scope, e),
            Err(d) => Err(d.clone()),
        });
        each.collect()
    };
    scopes.iter().map(&mut all).collect()
}

/// What an expression does besides reading, if it does anything; also by the procedures that it calls.
fn only_reads(expr: &Expr, unit: &Unit) -> Option<Diagnostic> {
    let mut does = None;
    let mut todo: Vec<(ProcId, Span)> = Vec::new();
    walk::visit_expr(expr, &mut |e| note(e, e.span, &mut does, &mut todo));
    let mut seen = BTreeSet::new();
    while let Some((id, span)) = todo.pop() {
        let Some(proc) = unit.procs.get(id.index()).filter(|_| seen.insert(id.index())) else {
            continue;
        };
        let mut stmts = false;
        walk::visit(&proc.body, &mut |e| note(e, span, &mut does, &mut todo), &mut |stmt| {
            stmts |= match &stmt.kind {
                StmtKind::Assign { place, .. } => !matches!(root(place), Root::Local(_)),
                StmtKind::Free(_)
                | StmtKind::Lock(_)
                | StmtKind::Unlock(_)
                | StmtKind::Await(_)
                | StmtKind::Assume(_)
                | StmtKind::Either(_)
                | StmtKind::Point(_) => true,
                _ => false,
            };
        });
        if stmts {
            does = does.or(Some(span));
        }
        for (_, at) in &mut todo {
            *at = span;
        }
    }
    does.map(|span| {
        let text = "a watched expression reads; this does more";
        Diagnostic::error(codes::WATCH, span, text)
    })
}

fn note(e: &Expr, span: Span, does: &mut Option<Span>, calls: &mut Vec<(ProcId, Span)>) {
    use Method::{
        Clear, Insert, InsertAt, PopBack, PopFront, PushBack, PushFront, Put, Remove, RemoveAt,
    };
    match &e.kind {
        ExprKind::Call(id, _) => calls.push((*id, span)),
        ExprKind::Method(
            PushBack | PushFront | PopBack | PopFront | RemoveAt | InsertAt | Insert | Remove | Put
            | Clear,
            ..,
        )
        | ExprKind::Atomic(..)
        | ExprKind::Dcas { .. }
        | ExprKind::New(..)
        | ExprKind::Choose(_)
        | ExprKind::ChooseRange(..)
        | ExprKind::ChooseFrom(_)
        | ExprKind::SelfThread
        | ExprKind::Invoke(..) => *does = does.or(Some(span)),
        _ => {}
    }
}

impl<'a> Body<'_, 'a> {
    /// A name that is given from outside.
    fn given(&mut self, name: &'a str, ty: &Type) {
        let span = Span::default();
        self.add_local(name, Some(ty.clone()), span);
    }

    /// `T1.x`, `Stack.items`: a name that is given with a point in it.
    pub(super) fn given_member(
        &mut self,
        base: &ast::Expr<'a>,
        name: ast::Name<'a>,
        span: Span,
    ) -> Option<Option<Expr>> {
        let ast::ExprKind::Name(of) = base.kind else { return None };
        if self.role != Role::Watch {
            return None;
        }
        let both = format!("{}.{}", of.text, name.text);
        if let Some(id) = self.find_local(&both) {
            let local = &mut self.locals[id.index()];
            local.used = true;
            let ty = local.ty.clone();
            return Some(ty.map(|ty| Expr { kind: ExprKind::Local(id), ty, span }));
        }
        let thread = self.find_local(of.text).map(|id| self.locals[id.index()].ty.clone());
        if thread == Some(Some(Type::Thread)) {
            let text = format!("`{}` has no variable `{}` now", of.text, name.text);
            self.cx.sink.push(Diagnostic::error(codes::NOT_NOW, span, text));
            return Some(None);
        }
        None
    }
}
