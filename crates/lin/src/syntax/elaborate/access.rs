//! Parts of values: fields, parts of tuples, elements.

use crate::program::{Expr, ExprKind, Type};
use crate::{Span, Value};

use super::body::Body;
use super::types::show;
use super::{Receiver, codes, sound};
use crate::syntax::ast;
use linchpin_text::{Code, Diagnostic};

impl<'a> Body<'_, 'a> {
    /// `x.f`, or `Enum.Value`
    pub(super) fn member(
        &mut self,
        base: &'a ast::Expr<'a>,
        name: ast::Name<'a>,
        span: Span,
    ) -> Option<Expr> {
        if let Some(id) = self.enum_before(base) {
            let i = self.variant_in(id, name)?;
            return self.variant_of(id, i, name, span);
        }
        if let Some(given) = self.given_member(base, name, span) {
            return given;
        }
        if let Some(variable) = self.own_variable(base, name, span) {
            return variable;
        }
        let base = self.raw(base, None)?;
        self.cx.record.receivers.push((name.span, Receiver::Value(base.ty.clone())));
        let fields = match &base.ty {
            Type::Ref(id) => &self.cx.program.records[id.index()].fields,
            ty @ Type::Struct(id) if self.cx.enum_of(ty).is_none() => {
                &self.cx.program.structs[id.index()].fields
            }
            ty => {
                let shown = show(ty, &self.cx.program);
                let text = format!("`{shown}` has no fields, so no `.{}`", name.text);
                let mut d = Diagnostic::error(codes::UNKNOWN_FIELD, name.span, text);
                if let Type::Option(_) = ty {
                    d = d.help("take the value out first: `.unwrap()`");
                } else if let Type::Struct(_) = ty {
                    d = d.help(format!("`match` says what a `{shown}` carries"));
                }
                self.cx.sink.push(d);
                return None;
            }
        };
        let Some(i) = fields.iter().position(|f| f.name == name.text) else {
            let names: Vec<String> = fields.iter().map(|f| f.name.clone()).collect();
            let shown = show(&base.ty, &self.cx.program);
            let text = format!("`{shown}` has no field `{}`", name.text);
            self.no_such(codes::UNKNOWN_FIELD, name, text, &names);
            return None;
        };
        self.cx.record.used_field(name.span, &base.ty, i);
        let ty = sound(&fields[i].ty)?.clone();
        let i = i as u32;
        let kind = match base.ty {
            Type::Ref(_) => ExprKind::Field(Box::new(base), i),
            _ => ExprKind::Part(Box::new(base), i),
        };
        Some(Expr { kind, ty, span })
    }

    /// Reports a name that is not among those that are possible.
    pub(super) fn no_such(
        &mut self,
        code: Code,
        name: ast::Name<'a>,
        text: String,
        known: &[String],
    ) {
        let mut d = Diagnostic::error(code, name.span, text);
        if let Some(near) = self.cx.suggest(name.text, known.iter().map(String::as_str)) {
            d = d.help(format!("did you mean `{near}`?")).edit(name.span, near);
        } else if !known.is_empty() {
            let shown: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
            d = d.help(format!("there is {}", shown.join(", ")));
        }
        self.cx.sink.push(d);
    }

    /// `t.0`
    pub(super) fn part(
        &mut self,
        base: &'a ast::Expr<'a>,
        n: u32,
        at: Span,
        span: Span,
    ) -> Option<Expr> {
        let base = self.raw(base, None)?;
        let parts = match &base.ty {
            Type::Tuple(parts) => parts.clone(),
            ty => {
                let text = format!("`{}` is not a tuple", show(ty, &self.cx.program));
                self.cx.error(codes::UNKNOWN_FIELD, at, text);
                return None;
            }
        };
        match parts.get(n as usize) {
            Some(ty) => {
                Some(Expr { kind: ExprKind::Part(Box::new(base), n), ty: ty.clone(), span })
            }
            None => {
                let shown = show(&base.ty, &self.cx.program);
                let text = format!(
                    "`{shown}` has {} parts; the last one is `.{}`",
                    parts.len(),
                    parts.len() - 1
                );
                self.cx.error(codes::UNKNOWN_FIELD, at, text);
                None
            }
        }
    }

    /// `a[i]`, `threads[i]`
    pub(super) fn index(
        &mut self,
        base: &'a ast::Expr<'a>,
        index: &'a ast::Expr<'a>,
        span: Span,
    ) -> Option<Expr> {
        if let ast::ExprKind::Threads = base.kind {
            let i = self.check(index, &Type::INT)?;
            return Some(Expr { kind: ExprKind::ThreadAt(Box::new(i)), ty: Type::Thread, span });
        }
        let base = self.raw(base, None);
        let Some(base) = base else {
            self.infer(index, None);
            return None;
        };
        let (key, element) = match &base.ty {
            Type::Array(t, _) | Type::Endless(t, _) | Type::Seq(t) => (Type::INT, (**t).clone()),
            Type::PerThread(t) => (Type::Thread, (**t).clone()),
            Type::Map(k, v) => ((**k).clone(), (**v).clone()),
            ty => {
                let text = format!("`{}` has no elements", show(ty, &self.cx.program));
                self.cx.error(codes::UNKNOWN_FIELD, base.span, text);
                return None;
            }
        };
        let i = self.check(index, &key)?;
        if let (Type::Array(_, n), ExprKind::Const(Value::Int(i))) = (&base.ty, &i.kind)
            && (*i < 0 || *i as u32 >= *n)
        {
            let text = format!("the array has {n} elements, from 0: this is always a fault");
            self.cx.sink.push(Diagnostic::warning(codes::SURE_FAULT, index.span, text));
        }
        if let (Type::Endless(..), ExprKind::Const(Value::Int(..0))) = (&base.ty, &i.kind) {
            let text = "the array begins at 0: this is always a fault";
            self.cx.sink.push(Diagnostic::warning(codes::SURE_FAULT, index.span, text));
        }
        Some(Expr { kind: ExprKind::Index(Box::new(base), Box::new(i)), ty: element, span })
    }
}
