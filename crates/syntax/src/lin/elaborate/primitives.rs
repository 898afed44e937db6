//! Calls: atomic primitives, structs, helper procedures and, in scripts, operations; and `new`.

use linchpin_model::Span;
use linchpin_model::program::{Expr, ExprKind, Primitive, RecordId, StructId, Type};

use super::body::{Body, Role};
use super::types::show;
use super::{TypeDef, codes, count, sound};
use crate::diagnostic::Diagnostic;
use crate::lin::ast;

/// Names of the atomic primitives.
pub(super) const PRIMITIVES: [&str; 10] =
    ["cas", "dcas", "swap", "fetch_add", "ll", "sc", "vl", "lock", "unlock", "try_lock"];

type Args<'a> = &'a [ast::Expr<'a>];

impl<'a> Body<'_, 'a> {
    pub(super) fn call(&mut self, name: ast::Name<'a>, args: Args<'a>, span: Span) -> Option<Expr> {
        if self.role == Role::Script
            && let Some(&id) = self.sigs.proc_names.get(name.text)
        {
            return self.invoke(id, name, args, span);
        }
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text)).map(|d| d.0);
        if let Some(TypeDef::Struct(id)) = def {
            return self.new_struct(id, name, args, span);
        }
        if PRIMITIVES.contains(&name.text) {
            return self.primitive(name, args, span);
        }
        if self.role != Role::Script
            && self.role != Role::Constant
            && let Some(&id) = self.sigs.proc_names.get(name.text)
        {
            let sig = &self.sigs.procs[id.index()];
            if sig.op {
                let text = format!("`{}` is an operation; only clients call operations", name.text);
                let d = Diagnostic::error(codes::UNKNOWN_PROC, name.span, text)
                    .also(sig.name.span, "declared here")
                    .help("move what both need into a `fn`");
                self.cx.sink.push(d);
                self.discard(args);
                return None;
            }
            self.calls.push((id, span));
            let types: Vec<_> = sig.params.iter().map(|p| p.1.clone()).collect();
            let result = sig.result.clone();
            self.arity(name, args, types.len(), Some(sig.span))?;
            let args: Vec<_> = args.iter().zip(types).map(|(e, t)| self.argument(e, t)).collect();
            let args = args.into_iter().collect::<Option<Vec<_>>>()?;
            return Some(Expr { kind: ExprKind::Call(id, args), ty: result?, span });
        }
        self.unknown_call(name);
        self.discard(args);
        None
    }

    fn unknown_call(&mut self, name: ast::Name<'a>) {
        let (script, constant) = (self.role == Role::Script, self.role == Role::Constant);
        let (code, text) = if script {
            (codes::UNKNOWN_OP, format!("the object has no operation `{}`", name.text))
        } else if constant {
            (codes::NOT_CONSTANT, format!("a constant cannot call `{}`", name.text))
        } else {
            (codes::UNKNOWN_PROC, format!("there is no procedure `{}`", name.text))
        };
        let mut d = Diagnostic::error(code, name.span, text);
        let mut known: Vec<&str> = if constant {
            Vec::new()
        } else {
            let procs = self.sigs.procs.iter().filter(|p| p.op == script);
            procs.map(|p| p.name.text).collect()
        };
        if self.role.is_object() {
            known.extend(PRIMITIVES);
        }
        if let Some(near) = self.cx.suggest(name.text, known.iter().copied()) {
            d = d.help(format!("did you mean `{near}`?")).edit(name.span, near);
        } else if script && !known.is_empty() {
            d = d.help(format!("the operations are `{}`", known.join("`, `")));
        } else if let Some((TypeDef::Record(_), _)) =
            self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text))
        {
            d = d.help(format!("a node is made with `new {} {{ ... }}`", name.text));
        }
        self.cx.sink.push(d);
    }

    /// Checks arguments of something unknown, for the errors in them.
    fn discard(&mut self, args: Args<'a>) {
        for e in args.iter().filter(|e| !super::literals::needs_context(e)) {
            if !matches!(e.kind, ast::ExprKind::Any) {
                self.raw(e, None);
            }
        }
    }

    /// An argument for a parameter whose type may be in doubt.
    fn argument(&mut self, e: &'a ast::Expr<'a>, ty: Option<Type>) -> Option<Expr> {
        match ty {
            Some(ty) => self.check(e, &ty),
            None => {
                self.discard(std::slice::from_ref(e));
                None
            }
        }
    }

    fn arity(
        &mut self,
        name: ast::Name<'a>,
        args: Args<'a>,
        wanted: usize,
        declared: Option<Span>,
    ) -> Option<()> {
        if args.len() == wanted {
            return Some(());
        }
        let wants = count(wanted, "argument");
        let found =
            if args.len() == 1 { "1 is given".into() } else { format!("{} are given", args.len()) };
        let text = format!("`{}` takes {wants}, but {found}", name.text);
        let mut d = Diagnostic::error(codes::ARITY, name.span, text);
        if let Some(span) = declared {
            d = d.also(span, "declared here");
        }
        self.cx.sink.push(d);
        self.discard(args);
        None
    }

    fn new_struct(
        &mut self,
        id: StructId,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
    ) -> Option<Expr> {
        if !self.cx.structs_known {
            let text = "a constant that types depend on cannot contain a struct";
            self.cx.error(codes::CYCLE, span, text);
            return None;
        }
        let fields = self.cx.program.structs[id.index()].fields.clone();
        self.arity(name, args, fields.len(), None)?;
        let args: Vec<_> = args
            .iter()
            .zip(&fields)
            .map(|(e, f)| self.argument(e, sound(&f.ty).cloned()))
            .collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Expr { kind: ExprKind::Aggregate(args), ty: Type::Struct(id), span })
    }

    /// In a script: calls an operation of the object.
    fn invoke(
        &mut self,
        id: linchpin_model::program::ProcId,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
    ) -> Option<Expr> {
        let sigs = self.sigs;
        let sig = &sigs.procs[id.index()];
        if !sig.op {
            let text = format!("`{}` is a helper procedure; scripts call operations", name.text);
            let d = Diagnostic::error(codes::UNKNOWN_OP, name.span, text);
            self.cx.sink.push(d.also(sig.name.span, "declared here"));
            self.discard(args);
            return None;
        }
        self.arity(name, args, sig.params.len(), Some(sig.span))?;
        let mut values = Vec::new();
        for (i, (e, p)) in args.iter().zip(&sig.params).enumerate() {
            values.push(if let ast::ExprKind::Any = e.kind {
                self.any.push((id, i, e.span));
                Some(None)
            } else {
                self.argument(e, p.1.clone()).map(Some)
            });
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;

        Some(Expr { kind: ExprKind::Invoke(sig.op_id, values), ty: sig.result.clone()?, span })
    }

    /// `lock(p)` and `unlock(p)` as statements; gives the place.
    pub(super) fn lock_place(&mut self, name: ast::Name<'a>, args: Args<'a>) -> Option<Expr> {
        self.allowed(name)?;
        self.arity(name, args, 1, None)?;
        let place = self.shared_place(&args[0], name.text)?;
        self.is_lock(place)
    }

    fn is_lock(&mut self, place: Expr) -> Option<Expr> {
        if place.ty == Type::Lock {
            return Some(place);
        }
        let shown = show(&place.ty, &self.cx.program);
        let text = format!("expected a place of type `lock`, found `{shown}`");
        let mut d = Diagnostic::error(codes::MISMATCH, place.span, text);
        if let Type::Ref(_) = place.ty {
            d = d.help("name the field of the node that is the lock");
        }
        self.cx.sink.push(d);
        None
    }

    /// Are primitives allowed here?
    fn allowed(&mut self, name: ast::Name<'a>) -> Option<()> {
        let who = name.text;
        let d = match self.role {
            Role::Object => return Some(()),
            Role::ObjectInit if matches!(who, "cas" | "dcas" | "swap" | "fetch_add") => {
                return Some(());
            }
            Role::ObjectInit => {
                let text = format!("`init` runs before there are threads: no `{who}` here");
                Diagnostic::error(codes::INIT, name.span, text)
            }
            Role::Spec | Role::SpecInit => {
                let text = format!("specifications are sequential: no `{who}` here");
                let d = Diagnostic::error(codes::ONLY_OBJECTS, name.span, text);
                match who {
                    "cas" => d.help("write `if p == old { p = new }`"),
                    "swap" | "fetch_add" => d.help("read the variable, then assign to it"),
                    _ => d,
                }
            }
            Role::Script => {
                let text = format!("the object has no operation `{who}`");
                let d = Diagnostic::error(codes::UNKNOWN_OP, name.span, text);
                d.note("scripts have no shared variables, so no atomic primitives")
            }
            Role::Constant => {
                let text = format!("a constant cannot call `{who}`");
                Diagnostic::error(codes::NOT_CONSTANT, name.span, text)
            }
        };
        self.cx.sink.push(d);
        None
    }

    fn primitive(&mut self, name: ast::Name<'a>, args: Args<'a>, span: Span) -> Option<Expr> {
        self.allowed(name)?;
        let make = |p, place, args, ty| {
            Some(Expr { kind: ExprKind::Atomic(p, Box::new(place), args), ty, span })
        };
        let arity = match name.text {
            "cas" => 3,
            "dcas" => 6,
            "swap" | "fetch_add" | "sc" => 2,
            _ => 1,
        };
        self.arity(name, args, arity, None)?;
        if name.text == "dcas" {
            return self.dcas(args, span);
        }
        let place = self.shared_place(&args[0], name.text);
        let Some(place) = place else {
            self.discard(&args[1..]);
            return None;
        };
        match name.text {
            "lock" | "unlock" => {
                let text = format!("`{}` is a statement and has no value", name.text);
                let d = Diagnostic::error(codes::NO_VALUE, span, text);
                self.cx.sink.push(d.help("`try_lock(p)` tells whether it took the lock"));
                return None;
            }
            "try_lock" => {
                let place = self.is_lock(place)?;
                return make(Primitive::TryLock, place, Vec::new(), Type::Bool);
            }
            _ => self.check_whole(&place, "operated on")?,
        }
        let ty = place.ty.clone();
        match name.text {
            "cas" => {
                let (old, new) = (self.check(&args[1], &ty), self.check(&args[2], &ty));
                make(Primitive::Cas, place, vec![old?, new?], Type::Bool)
            }
            "swap" => {
                let new = self.check(&args[1], &ty)?;
                make(Primitive::Swap, place, vec![new], ty)
            }
            "fetch_add" => {
                if !matches!(ty, Type::Int { .. }) {
                    let shown = show(&ty, &self.cx.program);
                    let text = format!("`fetch_add` needs a number, found `{shown}`");
                    self.cx.error(codes::MISMATCH, place.span, text);
                    return None;
                }
                let n = self.check(&args[1], &Type::INT)?;
                make(Primitive::FetchAdd, place, vec![n], ty)
            }
            "ll" => make(Primitive::LoadLinked, place, Vec::new(), ty),
            "sc" => {
                let new = self.check(&args[1], &ty)?;
                make(Primitive::StoreConditional, place, vec![new], Type::Bool)
            }
            _ => make(Primitive::Validate, place, Vec::new(), Type::Bool),
        }
    }

    fn dcas(&mut self, args: Args<'a>, span: Span) -> Option<Expr> {
        let places = [self.shared_place(&args[0], "dcas"), self.shared_place(&args[1], "dcas")];
        let [p, q] = places;
        let (p, q) = (p?, q?);
        self.check_whole(&p, "operated on")?;
        self.check_whole(&q, "operated on")?;
        let (a, b) = (self.check(&args[2], &p.ty), self.check(&args[3], &q.ty));
        let (c, d) = (self.check(&args[4], &p.ty), self.check(&args[5], &q.ty));
        let kind = ExprKind::Dcas {
            places: Box::new([p, q]),
            old: Box::new([a?, b?]),
            new: Box::new([c?, d?]),
        };
        Some(Expr { kind, ty: Type::Bool, span })
    }

    /// `new Node { f: e }`
    pub(super) fn new_record(
        &mut self,
        name: ast::Name<'a>,
        fields: &'a [(ast::Name<'a>, ast::Expr<'a>)],
        span: Span,
    ) -> Option<Expr> {
        if !self.role.is_object() {
            let text = "only code of objects can make nodes";
            self.cx.error(codes::ONLY_OBJECTS, span, text);
            return None;
        }
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text)).map(|d| d.0);
        let id = match def {
            Some(TypeDef::Record(id)) => id,
            Some(TypeDef::Alias(i)) => match self.cx.alias(i)? {
                Type::Ref(id) => id,
                _ => return self.not_a_node(name),
            },
            _ => return self.not_a_node(name),
        };
        let mut values: Vec<(u32, Expr)> = Vec::new();
        let mut failed = false;
        for (field, value) in fields {
            match self.new_field(id, *field, value) {
                Some((i, _)) if values.iter().any(|v| v.0 == i) => {
                    let text = format!("the field `{}` is given twice", field.text);
                    self.cx.error(codes::DUPLICATE, field.span, text);
                    failed = true;
                }
                Some(value) => values.push(value),
                None => failed = true,
            }
        }
        (!failed).then_some(())?;
        Some(Expr { kind: ExprKind::New(id, values), ty: Type::Ref(id), span })
    }

    fn new_field(
        &mut self,
        id: RecordId,
        field: ast::Name<'a>,
        value: &'a ast::Expr<'a>,
    ) -> Option<(u32, Expr)> {
        let record = &self.cx.program.records[id.index()];
        let Some(i) = record.fields.iter().position(|f| f.name == field.text) else {
            let names: Vec<String> = record.fields.iter().map(|f| f.name.clone()).collect();
            let text = format!("`{}` has no field `{}`", record.name, field.text);
            self.no_such(codes::UNKNOWN_FIELD, field, text, &names);
            self.discard(std::slice::from_ref(value));
            return None;
        };
        let ty = sound(&record.fields[i].ty)?.clone();
        if self.cx.traits_of(&ty).locks {
            let text = format!("the lock `{}` is free at first; it cannot be given", field.text);
            self.cx.error(codes::LOCK_VALUE, field.span, text);
            return None;
        }
        Some((i as u32, self.check(value, &ty)?))
    }

    fn not_a_node(&mut self, name: ast::Name<'a>) -> Option<Expr> {
        let text = format!("there is no node type `{}`", name.text);
        let mut d = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, text);
        let scopes = self.cx.scopes(self.scope);
        let records: Vec<&str> = scopes
            .flat_map(|s| s.types.iter())
            .filter(|(_, d)| matches!(d.0, TypeDef::Record(_)))
            .map(|(n, _)| *n)
            .collect();
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text));
        if let Some((TypeDef::Struct(_), _)) = def {
            d = d.help(format!("a struct is built without `new`: `{}(...)`", name.text));
        } else if let Some(near) = self.cx.suggest(name.text, records) {
            d = d.help(format!("did you mean `{near}`?")).edit(name.span, near);
        }
        self.cx.sink.push(d);
        None
    }
}
