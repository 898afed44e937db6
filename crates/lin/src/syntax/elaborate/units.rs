//! Objects and specifications: their signatures first, then their code.

use std::collections::HashMap;

use crate::program::{
    Expr, ExprKind, Memory, Object, OpId, Proc, ProcId, Spec, Stmt, StmtKind, Type, Unit, Var,
    VarId,
};
use crate::{Span, Value};

use super::body::{Body, Role};
use super::checks::ITSELF;
use super::constants::{Unfolded, fold};
use super::monitors::{CONDITION, Monitor};
use super::parts::Part;
use super::primitives::PRIMITIVES;
use super::types::{Place, show};
use super::unroll::MAX_RECURSION;
use super::{Elab, ScopeRef, codes};
use crate::syntax::ast::{self, File};
use linchpin_text::Diagnostic;

/// Is it the type of condition variables?
fn is_condition(ty: &ast::TypeExpr<'_>) -> bool {
    matches!(&ty.kind, ast::TypeKind::Name(name) if name.text == CONDITION)
}

/// What others need to know about a procedure.
#[derive(Clone, Debug)]
pub(super) struct Sig<'a> {
    pub(super) name: ast::Name<'a>,
    pub(super) op: bool,
    /// Of an operation: its index among them.
    pub(super) op_id: OpId,
    /// `None` where the type is in doubt.
    pub(super) params: Vec<(ast::Name<'a>, Option<Type>)>,
    pub(super) result: Option<Type>,
    /// How many calls of it may be open, if it may call itself, and where that stands.
    pub(super) depth: Option<(u32, Span)>,
    /// Of the head.
    pub(super) span: Span,
    /// Where the type of the result is written.
    pub(super) closed: Span,
}

/// What the code of an object or specification can refer to.
#[derive(Debug, Default)]
pub(super) struct Sigs<'a> {
    pub(super) scope: ScopeRef,
    pub(super) memory: Memory,
    pub(super) vars: Vec<(ast::Name<'a>, Option<Type>)>,
    pub(super) var_names: HashMap<&'a str, VarId>,
    /// The condition variables.
    pub(super) monitors: Vec<Monitor>,
    pub(super) procs: Vec<Sig<'a>>,
    pub(super) proc_names: HashMap<&'a str, ProcId>,
    /// Objects and specifications that are parts of it.
    pub(super) parts: Vec<Part<'a>>,
    /// Index among the objects or specifications of the program.
    pub(super) index: u32,
}

impl<'a> Elab<'a> {
    /// The signatures of all objects and specifications.
    pub(super) fn signatures(&mut self, file: &'a File<'a>) -> Vec<Sigs<'a>> {
        let mut seen: HashMap<(bool, &str), Span> = HashMap::new();
        let mut counts = [0, 0];
        let mut result = Vec::new();
        for (i, unit) in file.units.iter().enumerate() {
            if let Some(span) = seen.insert((unit.spec, unit.name.text), unit.name.span) {
                let what = if unit.spec { "specification" } else { "object" };
                self.duplicate(unit.name, what, span);
            }
            if unit.spec && unit.name.text == ITSELF {
                let text = format!("`{ITSELF}` cannot be the name of a specification");
                let d = Diagnostic::error(codes::KEYWORD, unit.name.span, text);
                self.sink.push(d.note("`against itself` compares an object with itself"));
            }
            let mut sigs = self.unit_signature(unit, Some(i), file);
            let counter = &mut counts[usize::from(unit.spec)];
            sigs.index = *counter;
            *counter += 1;
            result.push(sigs);
        }
        self.operations_of_parts(file, &mut result);
        result
    }

    fn unit_signature(
        &mut self,
        unit: &'a ast::Unit<'a>,
        scope: ScopeRef,
        file: &'a File<'a>,
    ) -> Sigs<'a> {
        let mut sigs = Sigs {
            scope,
            memory: unit.memory.map_or(Memory::Collected, |m| m.0),
            ..Sigs::default()
        };
        if let (true, Some((_, span))) = (unit.spec, unit.memory) {
            self.error(codes::ONLY_OBJECTS, span, "specifications have no heap and no `memory`");
        }
        let (var, local) = if unit.spec {
            (Place::SpecVar, Place::SpecLocal)
        } else {
            (Place::ObjectVar, Place::ObjectLocal)
        };
        for v in &unit.vars {
            if self.part(unit, v, file, &mut sigs) {
                continue;
            }
            let id = VarId(sigs.vars.len() as u32);
            let ty = match is_condition(&v.ty) && !unit.spec {
                true => {
                    sigs.monitors.push(Monitor { who: id, many: id });
                    if let Some(e) = &v.init {
                        let text = "a `condition` has no initial value: nobody waits";
                        self.error(codes::INIT, e.span, text);
                    }
                    Some(Monitor::ty())
                }
                false => self.resolve_type(&v.ty, scope).filter(|t| self.admit(t, v.ty.span, var)),
            };
            if let Some(old) = sigs.var_names.insert(v.name.text, id) {
                self.duplicate(v.name, "variable", sigs.vars[old.index()].0.span);
            }
            self.record.typed(v.name.span, ty.as_ref());
            sigs.vars.push((v.name, ty));
        }
        // The numbers of those who wait come behind all variables that are declared.
        for (many, monitor) in (sigs.vars.len() as u32..).zip(&mut sigs.monitors) {
            monitor.many = VarId(many);
        }
        let mut ops = 0;
        for p in &unit.procs {
            let mut params = Vec::new();
            let mut seen = HashMap::new();
            for f in &p.params {
                if let Some(span) = seen.insert(f.name.text, f.name.span) {
                    self.duplicate(f.name, "parameter", span);
                }
                params.push((f.name, self.proc_type(&f.ty, scope, local, p.op)));
            }
            let result = match &p.result {
                None => Some(Type::Unit),
                Some(t) => self.proc_type(t, scope, local, p.op),
            };
            if !p.op && PRIMITIVES.contains(&p.name.text) {
                let text = format!("`{}` is the name of a primitive", p.name.text);
                self.error(codes::DUPLICATE, p.name.span, text);
            }
            let id = ProcId(sigs.procs.len() as u32);
            if let Some(old) = sigs.proc_names.insert(p.name.text, id) {
                let first = sigs.procs[old.index()].name.span;
                self.duplicate(p.name, if p.op { "operation" } else { "procedure" }, first);
            }
            let end = p.result.as_ref().map(|t| t.span).or(p.params.last().map(|f| f.ty.span));
            let span = p.name.span.to(end.unwrap_or(p.name.span));
            let op_id = OpId(ops);
            ops += u32::from(p.op);
            let depth = p.depth.as_ref().and_then(|(n, at)| {
                if p.op {
                    let text = "nobody calls an operation but clients: no `depth` here";
                    self.error(codes::RECURSION, *at, text);
                    return None;
                }
                self.number_in(n, 1, MAX_RECURSION, "`depth`").map(|n| (n, *at))
            });
            let (name, op, closed) = (p.name, p.op, p.closed);
            sigs.procs.push(Sig { name, op, op_id, params, result, depth, span, closed });
        }
        sigs
    }

    /// The type of a parameter or result.
    fn proc_type(
        &mut self,
        t: &'a ast::TypeExpr<'a>,
        scope: ScopeRef,
        local: Place,
        op: bool,
    ) -> Option<Type> {
        let ty = self.resolve_type(t, scope)?;
        let traits = self.traits_of(&ty);
        if op && (traits.refs || traits.locks || traits.threads) {
            let what = match (traits.refs, traits.locks) {
                (true, _) => "references",
                (_, true) => "locks",
                _ => "threads",
            };
            let text = format!("operations cannot take or return {what}");
            let d = Diagnostic::error(codes::SIGNATURE, t.span, text)
                .label(format!("`{}`", show(&ty, &self.program)))
                .note("what an operation takes and returns is seen by the specification");
            self.sink.push(d.help("use a `fn` for code inside the object"));
            return None;
        }
        self.admit(&ty, t.span, local).then_some(ty)
    }

    /// The code of an object or specification.
    pub(super) fn unit(&mut self, unit: &'a ast::Unit<'a>, sigs: &Sigs<'a>) {
        let mut out = Unit { name: unit.name.text.into(), span: unit.name.span, ..Unit::default() };
        let mut called = vec![false; unit.procs.len()];
        let mut calls = Vec::new();
        let init = self.unit_init(unit, sigs, &mut out.vars, &mut called);
        for (p, sig) in unit.procs.iter().zip(&sigs.procs) {
            let role = if unit.spec { Role::Spec } else { Role::Object };
            let mut body = Body::new(self, sigs.scope, role, sigs);
            let proc = body.proc(p, sig);
            for &(to, _) in &body.calls {
                called[to.index()] = true;
            }
            calls.push(std::mem::take(&mut body.calls));
            if p.op {
                out.ops.push(ProcId(out.procs.len() as u32));
            }
            out.procs.push(proc);
        }
        let errors = self.sink.errors();
        let order = self.check_recursion(sigs, &calls);
        if let Some(init) = &init {
            self.check_init_calls(sigs, &out.procs, &order, init);
        }
        if self.sink.errors() == errors {
            self.unroll(unit, sigs, &calls, &mut out);
        }
        for (sig, _) in sigs.procs.iter().zip(called).filter(|(s, called)| !s.op && !called) {
            if !sig.name.text.starts_with('_') {
                let text = format!("the procedure `{}` is never called", sig.name.text);
                self.sink.push(Diagnostic::warning(codes::UNUSED, sig.name.span, text));
            }
        }
        if out.ops.is_empty() {
            let what = if unit.spec { "specification" } else { "object" };
            let text = format!("the {what} `{}` has no operations", unit.name.text);
            let d = Diagnostic::error(codes::EXPECTED, unit.name.span, text);
            self.sink.push(d.help("declare one: `op name(x: T) -> R { ... }`"));
        }
        out.init = init;
        if unit.spec {
            self.program.specs.push(Spec { unit: out });
        } else {
            self.program.objects.push(Object { unit: out, memory: sigs.memory });
        }
    }

    /// Initial values: constants go to the variables, everything else to the code that runs first.
    fn unit_init(
        &mut self,
        unit: &'a ast::Unit<'a>,
        sigs: &Sigs<'a>,
        vars: &mut Vec<Var>,
        called: &mut [bool],
    ) -> Option<Proc> {
        let role = if unit.spec { Role::SpecInit } else { Role::ObjectInit };
        let mut body = Body::new(self, sigs.scope, role, sigs);
        let mut code = Vec::new();
        let own = unit.vars.iter().filter(|v| sigs.part_named(v.name.text).is_none());
        for (i, v) in own.enumerate() {
            let ty = sigs.vars[i].1.clone();
            let ty = ty.filter(|t| body.cx.afford(t, v.name.span));
            let mut init = Value::Unit;
            if let Some(ty) = &ty {
                init = Value::default_of(ty, &body.cx.program);
                if let Some(e) = &v.init
                    && !is_condition(&v.ty)
                {
                    body.var_init(VarId(i as u32), ty, e, &mut init, &mut code);
                }
            }
            let ty = ty.unwrap_or(Type::Unit);
            vars.push(Var { name: v.name.text.into(), ty, init, span: v.name.span });
        }
        let names = sigs.monitors.iter().map(|m| sigs.vars[m.who.index()].0);
        vars.extend(names.map(Monitor::counter));
        let mut span = unit.name.span;
        if let Some((block, at)) = &unit.init {
            span = *at;
            body.result = Some(Type::Unit);
            code.extend(body.block(block));
        }
        body.warn_unused();
        for &(to, _) in &body.calls {
            called[to.index()] = true;
        }
        let locals = body.take_locals();
        if code.is_empty() {
            return None;
        }
        Some(Proc {
            name: "init".into(),
            params: 0,
            locals,
            result: Type::Unit,
            body: code,
            meet: None,
            span,
        })
    }
}

impl<'a> Body<'_, 'a> {
    /// `var x: T = e`
    fn var_init(
        &mut self,
        id: VarId,
        ty: &Type,
        e: &'a ast::Expr<'a>,
        init: &mut Value,
        code: &mut Vec<Stmt>,
    ) {
        let global = Expr { kind: ExprKind::Global(id), ty: ty.clone(), span: e.span };
        if let Type::PerThread(element) = ty {
            let ast::ExprKind::Repeat(x, n) = &e.kind else {
                let d = Diagnostic::error(
                    codes::MISMATCH,
                    e.span,
                    "every thread has an element of its own here",
                );
                self.cx.sink.push(d.help("write `[x; threads]`: every element is `x` at first"));
                return;
            };
            if !matches!(n.kind, ast::ExprKind::Threads) {
                self.cx.error(codes::MISMATCH, n.span, "expected `threads`");
                return;
            }
            let Some(value) = self.check(x, element) else {
                return;
            };
            match self.initial(&value) {
                Some(Ok(v)) => *init = v,
                Some(Err(())) => {}
                None => self.each_thread(global, value, code),
            }
            return;
        }
        if let Type::Endless(..) = ty {
            let text = "`[T; ..]` has no initial value: every cell begins with that of `T`";
            let d = Diagnostic::error(codes::INIT, e.span, text);
            self.cx.sink.push(d.help("leave it out, or write cells in `init`"));
            return;
        }
        let Some(value) = self.check(e, ty) else {
            return;
        };
        match self.initial(&value) {
            Some(Ok(v)) => {
                self.check_range(&v, ty, e.span);
                *init = v;
            }
            Some(Err(())) => {}
            None => {
                let kind = StmtKind::Assign { place: global, value };
                code.push(Stmt { kind, span: e.span });
            }
        }
    }

    /// The value of an initial value, if it is constant; an error if it is a fault.
    fn initial(&mut self, e: &Expr) -> Option<Result<Value, ()>> {
        match fold(e) {
            Ok(v) => Some(Ok(v)),
            Err(Unfolded::Fault(span, text)) => {
                self.cx.error(codes::CONSTANT_FAULT, span, text);
                Some(Err(()))
            }
            Err(Unfolded::Variable(_)) => None,
        }
    }

    /// Reports an initial number that its variable cannot hold.
    fn check_range(&mut self, v: &Value, ty: &Type, span: Span) {
        if let Some((n, lo, hi)) = out_of_range(v, ty, &self.cx.program) {
            let text = format!("{n} is outside of the range {lo}..={hi}");
            self.cx.error(codes::RANGE, span, text);
        }
    }
}

/// A number in the value that is outside of the range its type has for it.
pub(super) fn out_of_range(
    v: &Value,
    ty: &Type,
    program: &crate::program::Program,
) -> Option<(i32, i32, i32)> {
    match (v, ty) {
        (Value::Int(n), Type::Int { lo, hi }) => {
            (!(*lo..=*hi).contains(n)).then_some((*n, *lo, *hi))
        }
        (Value::Option(Some(v)), Type::Option(ty)) => out_of_range(v, ty, program),
        (Value::Tuple(vs), Type::Tuple(ts)) => {
            vs.iter().zip(ts).find_map(|(v, t)| out_of_range(v, t, program))
        }
        (Value::Tuple(vs), Type::Struct(id)) => {
            let fields = &program.structs[id.index()].fields;
            vs.iter().zip(fields).find_map(|(v, f)| out_of_range(v, &f.ty, program))
        }
        (Value::Tuple(vs), Type::Array(t, _)) => {
            vs.iter().find_map(|v| out_of_range(v, t, program))
        }
        (Value::Seq(vs), Type::Seq(t)) => vs.iter().find_map(|v| out_of_range(v, t, program)),
        (Value::Set(vs), Type::Set(t)) => vs.iter().find_map(|v| out_of_range(v, t, program)),
        (Value::Bag(vs), Type::Bag(t)) => vs.keys().find_map(|v| out_of_range(v, t, program)),
        _ => None,
    }
}
