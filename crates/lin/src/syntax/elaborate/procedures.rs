//! Calls: helper procedures, structs and, in scripts, operations.

use crate::Span;
use crate::program::{Expr, ExprKind, ProcId, StructId, Type};

use super::body::{Body, Role};
use super::primitives::{Args, PRIMITIVES};
use super::{TypeDef, codes, count, sound};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

impl<'a> Body<'_, 'a> {
    /// `f(a, b)`
    pub(super) fn call(
        &mut self,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        if self.role == Role::Script
            && let Some(&id) = self.sigs.proc_names.get(name.text)
        {
            return self.invoke(id, name, args, span);
        }
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text)).copied();
        if let Some((TypeDef::Struct(id), declared)) = def {
            self.cx.record.used(name.span, declared);
            return self.new_struct(id, name, args, span);
        }
        if let Some(value) = self.carrier(name, args, span, hint) {
            return value;
        }
        if PRIMITIVES.contains(&name.text) {
            return self.primitive(name, args, span);
        }
        if self.role != Role::Script
            && self.role != Role::Constant
            && let Some(&id) = self.sigs.proc_names.get(name.text)
        {
            let sig = &self.sigs.procs[id.index()];
            self.cx.record.used(name.span, sig.name.span);
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
            let id = self.renamed.get(&id).copied().unwrap_or(id);
            return Some(Expr { kind: ExprKind::Call(id, args), ty: result?, span });
        }
        if name.text == "Some" && args.len() == 1 && self.role != Role::Script {
            return self.some(args, span);
        }
        if self.role != Role::Script && self.foreign_call(name) {
            return None;
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
    pub(super) fn discard(&mut self, args: Args<'a>) {
        for e in args.iter().filter(|e| !super::literals::needs_context(e)) {
            if !matches!(e.kind, ast::ExprKind::Any) {
                self.raw(e, None);
            }
        }
    }

    /// An argument for a parameter whose type may be in doubt.
    pub(super) fn argument(&mut self, e: &'a ast::Expr<'a>, ty: Option<Type>) -> Option<Expr> {
        match ty {
            Some(ty) => self.check(e, &ty),
            None => {
                self.discard(std::slice::from_ref(e));
                None
            }
        }
    }

    pub(super) fn arity(
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
        } else if let Some(call) = super::primitives::call_of(name.text) {
            d = d.help(format!("it is written `{}{call}`", name.text));
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

    /// `Pair { a: x, b: y }`: all fields, in any order; they are evaluated as they stand.
    pub(super) fn named_fields(
        &mut self,
        name: ast::Name<'a>,
        fields: &'a [(ast::Name<'a>, ast::Expr<'a>)],
        span: Span,
    ) -> Option<Expr> {
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text)).copied();
        let Some((TypeDef::Struct(id), declared)) = def else {
            self.not_a_struct(name, def);
            return None;
        };
        self.cx.record.used(name.span, declared);
        let known = self.cx.program.structs[id.index()].fields.clone();
        let names: Vec<String> = known.iter().map(|f| f.name.clone()).collect();
        let mut places = Vec::new();
        for (field, _) in fields {
            let Some(i) = names.iter().position(|n| n == field.text) else {
                let text = format!("`{}` has no field `{}`", name.text, field.text);
                self.no_such(codes::UNKNOWN_FIELD, *field, text, &names);
                return None;
            };
            self.cx.record.used_field(field.span, &Type::Struct(id), i);
            places.push(i);
        }
        // Values are evaluated from left to right, and parts are in the order of the declaration.
        if places != (0..known.len()).collect::<Vec<_>>() {
            let text =
                format!("the fields of `{}` are given in their order, all of them", name.text);
            let d = Diagnostic::error(codes::ARITY, span, text);
            self.cx.sink.push(d.help(format!("they are `{}`", names.join("`, `"))));
            return None;
        }
        let values = fields.iter().zip(&known);
        let values: Vec<_> =
            values.map(|((_, e), f)| self.argument(e, sound(&f.ty).cloned())).collect();
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Expr { kind: ExprKind::Aggregate(values), ty: Type::Struct(id), span })
    }

    /// Reports `Name { ... }` where `Name` is no struct.
    fn not_a_struct(&mut self, name: ast::Name<'a>, def: Option<(TypeDef, Span)>) {
        let text = format!("there is no struct `{}`", name.text);
        let d = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, text);
        let before = Span { end: name.span.start, ..name.span };
        self.cx.sink.push(match def {
            Some((TypeDef::Record(_), _)) => {
                d.help("a node is made with `new`").edit(before, "new ")
            }
            _ => d,
        });
    }

    /// In a script: calls an operation of the object.
    fn invoke(
        &mut self,
        id: ProcId,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
    ) -> Option<Expr> {
        let sigs = self.sigs;
        let sig = &sigs.procs[id.index()];
        self.cx.record.used(name.span, sig.name.span);
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
}
