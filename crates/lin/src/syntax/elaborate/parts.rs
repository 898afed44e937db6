//! Objects and specifications as parts of objects: `var guard: SpinLock`, `guard.acquire()`.
//!
//! A part is written out: the object gets a copy of its variables, of its procedures and of its initialisation. An operation of
//! a part is called like a procedure, so the operations of an object go step by step; those of a specification are
//! one step each. So nobody who executes programs has to know about parts.
//!
//! While code is elaborated, the numbers of the copies are not known. Calls of parts have numbers of their own until then.

use std::collections::HashMap;

use crate::Span;
use crate::program::{
    Block, Expr, ExprKind, Proc, ProcId, Program, Stmt, StmtKind, Type, Unit, VarId,
};
use crate::walk;

use super::body::{Body, Role};
use super::types::show;
use super::units::{Sig, Sigs};
use super::{Elab, codes};
use crate::syntax::ast::{self, File};
use linchpin_text::Diagnostic;

/// A part of an object.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) name: ast::Name<'a>,
    /// Which of the objects and specifications of the file it is.
    unit: usize,
    /// Where its type stands.
    span: Span,
    /// What can be called, by the numbers of procedures.
    ops: Vec<(u32, Sig<'a>)>,
}

/// Calls of parts have numbers from here on: that of the part, then that of the procedure.
const FIRST: u32 = 1 << 31;
/// So many bits are for procedures.
const BITS: u32 = 20;

/// Is an operation of a part called?
pub(super) fn is_of_part(callee: ProcId) -> bool {
    callee.0 >= FIRST
}

impl<'a> Elab<'a> {
    /// Is this variable a part? Then it is noted, or reported.
    pub(super) fn part(
        &mut self,
        unit: &'a ast::Unit<'a>,
        var: &'a ast::VarDecl<'a>,
        file: &'a File<'a>,
        sigs: &mut Sigs<'a>,
    ) -> bool {
        let ast::TypeKind::Name(name) = var.ty.kind else { return false };
        let is_type = self.scopes(sigs.scope).any(|s| s.types.contains_key(name.text));
        let mut named = (0..file.units.len()).filter(|&i| file.units[i].name.text == name.text);
        let (Some(first), false) = (named.next(), is_type) else { return false };
        let shown = name.text;
        self.record.used(name.span, file.units[first].name.span);
        let wrong = match () {
            () if unit.spec => Some("a specification has no parts: it is one piece".to_string()),
            () if named.next().is_some() => {
                Some(format!("`{shown}` is an object and a specification: which is the part?"))
            }
            () if var.init.is_some() => {
                Some("a part has no initial value: it begins as its own `init` says".to_string())
            }
            () => None,
        };
        if let Some(text) = wrong {
            self.error(codes::TYPE_PLACE, var.whole, text);
        }
        let known = sigs.var_names.get(var.name.text).map(|id| sigs.vars[id.index()].0.span);
        let twice = sigs.part_named(var.name.text).map(|p| sigs.parts[p].name.span);
        if let Some(span) = known.or(twice) {
            self.duplicate(var.name, "variable", span);
        }
        let (name, span) = (var.name, var.ty.span);
        sigs.parts.push(Part { name, unit: first, span, ops: Vec::new() });
        true
    }

    /// Says what can be called of all parts, once everything that is declared is known.
    pub(super) fn operations_of_parts(&mut self, file: &'a File<'a>, all: &mut [Sigs<'a>]) {
        let ops: Vec<Vec<(u32, Sig<'a>)>> = all
            .iter()
            .map(|s| {
                (0..).zip(&s.procs).filter(|(_, p)| p.op).map(|(i, p)| (i, p.clone())).collect()
            })
            .collect();
        for i in 0..all.len() {
            for p in 0..all[i].parts.len() {
                let (unit, span) = (all[i].parts[p].unit, all[i].parts[p].span);
                all[i].parts[p].ops = ops[unit].clone();
                let part = &file.units[unit];
                let shown = part.name.text;
                let mut listed = all[unit].vars.iter().filter_map(|(_, ty)| ty.as_ref());
                let collection =
                    listed.find(|ty| part.spec && self.traits_of(ty).collections).cloned();
                let (text, help) = if reaches(all, unit, i) {
                    (format!("`{shown}` would be a part of itself"), "")
                } else if let Some(ty) = collection {
                    let ty = show(&ty, &self.program);
                    (
                        format!("`{shown}` has a `{ty}`, which is for specifications alone"),
                        "a specification that is a part keeps its state in numbers, options and arrays",
                    )
                } else if !part.spec && all[unit].memory != all[i].memory {
                    let text = format!("`{shown}` has another `memory` than what it is a part of");
                    (text, "say `memory` in both")
                } else {
                    continue;
                };
                let d = Diagnostic::error(codes::TYPE_PLACE, span, text);
                self.sink.push(if help.is_empty() { d } else { d.help(help) });
            }
        }
    }

    /// Writes all parts out, those of parts first.
    pub(super) fn write_parts_out(&mut self, file: &File<'a>, all: &[Sigs<'a>]) {
        if self.sink.errors() > 0 {
            return;
        }
        let mut done = vec![false; all.len()];
        for i in 0..all.len() {
            self.write_out(file, all, i, &mut done);
        }
    }

    fn write_out(&mut self, file: &File<'a>, all: &[Sigs<'a>], i: usize, done: &mut [bool]) {
        if std::mem::replace(&mut done[i], true) || all[i].parts.is_empty() {
            return;
        }
        let mut unit = std::mem::take(unit_of(&mut self.program, file, all, i));
        let mut numbers = HashMap::new();
        let mut begin = Block::new();
        for (p, part) in all[i].parts.iter().enumerate() {
            self.write_out(file, all, part.unit, done);
            let spec = file.units[part.unit].spec;
            let copied = unit_of(&mut self.program, file, all, part.unit).clone();
            if spec && let Some(proc) = copied.procs.iter().find(|p| p.meet.is_some()) {
                let text =
                    "a specification with `meet` cannot be a part: its operations are not one step";
                let d = Diagnostic::error(codes::TYPE_PLACE, part.span, text);
                self.sink.push(d.also(proc.span, "this one meets others"));
            }
            if spec && let Some(span) = first_assume(&copied) {
                let text = "a specification with `assume` cannot be a part: nobody says what waits";
                self.sink.push(
                    Diagnostic::error(codes::TYPE_PLACE, part.span, text).also(span, "`assume`"),
                );
            }
            for own in 0..copied.procs.len() as u32 {
                numbers.insert(number(p, own), ProcId(unit.procs.len() as u32 + own));
            }
            add(&mut unit, copied, part.name.text, spec, &mut begin, part.span);
        }
        for proc in unit.procs.iter_mut().chain(&mut unit.init) {
            walk::change(&mut proc.body, &mut |e| {
                if let ExprKind::Call(to, _) = &mut e.kind {
                    *to = numbers.get(to).copied().unwrap_or(*to);
                }
            });
        }
        // What the parts do first comes before what the object does first.
        if !begin.is_empty() {
            let span = unit.span;
            let init = unit.init.get_or_insert_with(|| Proc {
                name: "init".into(),
                params: 0,
                locals: Vec::new(),
                result: Type::Unit,
                body: Block::new(),
                meet: None,
                span,
            });
            init.body.splice(0..0, begin);
        }
        *unit_of(&mut self.program, file, all, i) = unit;
    }
}

/// Adds a copy of a part to an object.
fn add(unit: &mut Unit, part: Unit, name: &str, spec: bool, begin: &mut Block, span: Span) {
    let (vars, procs) = (unit.vars.len() as u32, unit.procs.len() as u32);
    let own = |text: &str| format!("{name}.{text}");
    unit.vars
        .extend(part.vars.into_iter().map(|v| crate::program::Var { name: own(&v.name), ..v }));
    let count = part.procs.len() as u32;
    for (i, mut proc) in part.procs.into_iter().chain(part.init).enumerate() {
        walk::change(&mut proc.body, &mut |e| match &mut e.kind {
            ExprKind::Global(id) => *id = VarId(id.0 + vars),
            ExprKind::Call(to, _) => *to = ProcId(to.0 + procs),
            _ => {}
        });
        forget_points(&mut proc.body);
        proc.name = own(&proc.name);
        if i as u32 == count {
            let call =
                Expr { kind: ExprKind::Call(ProcId(procs + count), vec![]), ty: Type::Unit, span };
            begin.push(Stmt { kind: StmtKind::Expr(call), span });
        } else if spec {
            let body = std::mem::take(&mut proc.body);
            let span = body.first().map_or(proc.span, |stmt| stmt.span);
            proc.body = vec![Stmt { kind: StmtKind::Atomic(body), span }];
        }
        unit.procs.push(proc);
    }
}

/// A point says where an operation of the part takes effect, which is nothing to the object around it.
fn forget_points(block: &mut Block) {
    block.retain(|stmt| !matches!(stmt.kind, StmtKind::Point(_)));
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::If { then, els, .. } => {
                forget_points(then);
                forget_points(els);
            }
            StmtKind::Loop { body, .. } | StmtKind::Atomic(body) => forget_points(body),
            StmtKind::Either(blocks) => blocks.iter_mut().for_each(forget_points),
            _ => {}
        }
    }
}

/// Where executions are left out.
fn first_assume(unit: &Unit) -> Option<Span> {
    let mut found = None;
    for proc in &unit.procs {
        walk::visit(&proc.body, &mut |_| {}, &mut |stmt| {
            if let StmtKind::Assume(_) = stmt.kind {
                found = found.or(Some(stmt.span));
            }
        });
    }
    found
}

fn number(part: usize, proc: u32) -> ProcId {
    ProcId(FIRST + ((part as u32) << BITS) + proc)
}

fn unit_of<'p>(
    program: &'p mut Program,
    file: &File<'_>,
    all: &[Sigs<'_>],
    i: usize,
) -> &'p mut Unit {
    let index = all[i].index as usize;
    match file.units[i].spec {
        true => &mut program.specs[index].unit,
        false => &mut program.objects[index].unit,
    }
}

/// Is one a part of another, directly or by way of others, or the same?
fn reaches(all: &[Sigs<'_>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; all.len()];
    let mut todo = vec![from];
    while let Some(i) = todo.pop() {
        if i == to {
            return true;
        }
        if !std::mem::replace(&mut seen[i], true) {
            todo.extend(all[i].parts.iter().map(|p| p.unit));
        }
    }
    false
}

impl<'a> Sigs<'a> {
    /// The part of that name.
    pub(super) fn part_named(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|p| p.name.text == name)
    }

    /// The objects and specifications that it has as parts.
    pub(super) fn parts_used(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().map(|p| p.unit)
    }
}

impl<'a> Body<'_, 'a> {
    /// The part that an expression names.
    pub(super) fn part_at(&self, e: &ast::Expr<'_>) -> Option<usize> {
        let ast::ExprKind::Name(name) = e.kind else { return None };
        let seen = self.find_local(name.text).is_none() && self.role != Role::Script;
        self.sigs.part_named(name.text).filter(|_| seen)
    }

    /// `guard.acquire()`
    pub(super) fn part_call(
        &mut self,
        part: usize,
        base: Span,
        name: ast::Name<'a>,
        args: &'a [ast::Expr<'a>],
        span: Span,
    ) -> Option<Expr> {
        let sigs = self.sigs;
        let of = &sigs.parts[part];
        self.cx.record.used(base, of.name.span);
        if self.role.is_init() {
            let text = "`init` cannot call operations of parts: they have their own `init`";
            self.cx.error(codes::INIT, span, text);
            return None;
        }
        let Some((id, sig)) = of.ops.iter().find(|(_, sig)| sig.name.text == name.text) else {
            let text = format!("`{}` has no operation `{}`", of.name.text, name.text);
            let d = Diagnostic::error(codes::UNKNOWN_OP, name.span, text);
            let known: Vec<&str> = of.ops.iter().map(|(_, sig)| sig.name.text).collect();
            let d = match self.cx.suggest(name.text, known.iter().copied()) {
                Some(near) => d.help(format!("did you mean `{near}`?")).edit(name.span, near),
                None => d.help(format!("the operations are `{}`", known.join("`, `"))),
            };
            self.cx.sink.push(d);
            self.discard(args);
            return None;
        };
        self.cx.record.used(name.span, sig.name.span);
        self.arity(name, args, sig.params.len(), Some(sig.span))?;
        let args: Vec<_> =
            args.iter().zip(&sig.params).map(|(e, p)| self.argument(e, p.1.clone())).collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Expr { kind: ExprKind::Call(number(part, *id), args), ty: sig.result.clone()?, span })
    }
}
