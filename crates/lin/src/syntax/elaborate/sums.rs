//! Enums whose values carry others: `enum Word { Value(int), Descriptor(Desc), Gone }`.
//!
//! Such an enum is written out as a struct ([`Sum`]): which variant it is, and what all of them carry. What belongs to
//! other variants has its initial value, so comparing, storing and swapping such values is what it is for structs: one
//! atomic word. Nothing in a text names the parts: a value is made here and taken apart by `match`.

use crate::Span;
use crate::program::{EnumId, Expr, ExprKind, Field, Struct, StructId, Sum, Type};
use crate::value::Value;

use super::body::Body;
use super::primitives::Args;
use super::{Elab, Receiver, ScopeRef, TypeDef, codes, count, sound};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// Does one of these values carry others?
pub(super) fn carry(variants: &[ast::Variant<'_>]) -> bool {
    variants.iter().any(|v| !v.carries.is_empty())
}

/// A variant with the same sign for everything that it carries: `Pair(_, _)`.
pub(super) fn shape(name: &str, carried: usize, sign: &str) -> String {
    match carried {
        0 => name.to_string(),
        n => format!("{name}({})", vec![sign; n].join(", ")),
    }
}

impl<'a> Elab<'a> {
    /// The struct that an enum is written out as; its fields come later.
    pub(super) fn declare_sum(&mut self, name: ast::Name<'a>, tag: EnumId) {
        self.sums.insert(tag, StructId(self.program.structs.len() as u32));
        let sum = Some(Sum { tag, carried: Vec::new() });
        self.program.structs.push(Struct { name: name.text.to_string(), fields: Vec::new(), sum });
    }

    /// Its fields. Their names cannot be written.
    pub(super) fn resolve_sum(
        &mut self,
        index: usize,
        variants: &'a [ast::Variant<'a>],
        scope: ScopeRef,
    ) {
        let Some(tag) = self.program.structs[index].sum.as_ref().map(|sum| sum.tag) else { return };
        let mut fields = vec![Field { name: "variant".into(), ty: Type::Enum(tag) }];
        let mut carried = Vec::new();
        for v in variants {
            let first = fields.len();
            for (i, ty) in v.carries.iter().enumerate() {
                let ty = self.resolve_type(ty, scope).unwrap_or(Type::Unit);
                fields.push(Field { name: format!("{}.{i}", v.name.text), ty });
            }
            carried.push(first..fields.len());
        }
        let written = &mut self.program.structs[index];
        (written.fields, written.sum) = (fields, Some(Sum { tag, carried }));
    }

    /// The type that an enum is.
    pub(super) fn enum_type(&self, id: EnumId) -> Type {
        self.sums.get(&id).map_or(Type::Enum(id), |sum| Type::Struct(*sum))
    }

    /// The enum that a type is.
    pub(super) fn enum_of(&self, ty: &Type) -> Option<EnumId> {
        match ty {
            Type::Enum(id) => Some(*id),
            ty => self.program.sum(ty).map(|sum| sum.tag),
        }
    }
}

impl<'a> Body<'_, 'a> {
    /// The enum whose name stands before a dot.
    pub(super) fn enum_before(&mut self, base: &ast::Expr<'a>) -> Option<EnumId> {
        let ast::ExprKind::Name(name) = base.kind else { return None };
        if self.find_local(name.text).is_some() || self.sigs.var_names.contains_key(name.text) {
            return None;
        }
        self.enum_named(name)
    }

    pub(super) fn enum_named(&mut self, name: ast::Name<'a>) -> Option<EnumId> {
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text)).copied();
        let Some((TypeDef::Enum(id), declared)) = def else { return None };
        self.cx.record.used(name.span, declared);
        Some(id)
    }

    /// Which value of an enum a name after a dot is; reported if it has none.
    pub(super) fn variant_in(&mut self, id: EnumId, name: ast::Name<'a>) -> Option<u32> {
        self.cx.record.receivers.push((name.span, Receiver::Enum(id)));
        let def = &self.cx.program.enums[id.index()];
        if let Some(i) = def.variants.iter().position(|v| v == name.text) {
            return Some(i as u32);
        }
        let text = format!("the enum `{}` has no value `{}`", def.name, name.text);
        self.no_such(codes::UNKNOWN_FIELD, name, text, &def.variants.clone());
        None
    }

    /// A value of an enum that carries nothing.
    pub(super) fn variant_of(
        &mut self,
        id: EnumId,
        i: u32,
        name: ast::Name<'a>,
        span: Span,
    ) -> Option<Expr> {
        self.cx.record.used_variant(name.span, id, i as usize);
        let value = match self.cx.sums.get(&id).copied() {
            None => Value::Enum(i),
            Some(sum) => {
                self.fields_are_known(span)?;
                let wanted = self.carried(id, i).len();
                if wanted > 0 {
                    return self.carries(name, 0, wanted).and(None);
                }
                Value::of_variant(sum, i, [], &self.cx.program)
            }
        };
        Some(Expr { kind: ExprKind::Const(value), ty: self.cx.enum_type(id), span })
    }

    fn fields_are_known(&mut self, span: Span) -> Option<()> {
        if !self.cx.structs_known {
            let text = "a constant that types depend on cannot contain a value that carries others";
            self.cx.error(codes::CYCLE, span, text);
        }
        self.cx.structs_known.then_some(())
    }

    /// `Value(3)`, if an enum has such a value.
    pub(super) fn carrier(
        &mut self,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Option<Expr>> {
        let mut found = self.variants_named(name.text, hint);
        found.retain(|(id, _)| self.cx.sums.contains_key(id));
        match found.as_slice() {
            [] => None,
            &[(id, i)] => Some(self.carrying(id, i, name, args, span)),
            several => {
                self.ambiguous(name, several);
                self.discard(args);
                Some(None)
            }
        }
    }

    /// A value of an enum with what it carries.
    pub(super) fn carrying(
        &mut self,
        id: EnumId,
        i: u32,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
    ) -> Option<Expr> {
        self.cx.record.used_variant(name.span, id, i as usize);
        self.fields_are_known(span)?;
        let types = self.carried(id, i);
        if types.is_empty() || args.len() != types.len() {
            self.carries(name, args.len(), types.len());
            self.discard(args);
            return None;
        }
        let args = args.iter().zip(types).map(|(e, (_, t))| self.argument(e, sound(&t).cloned()));
        let args: Vec<_> = args.collect();
        let mut args = args.into_iter().collect::<Option<Vec<_>>>()?.into_iter();
        let sum = *self.cx.sums.get(&id)?;
        let Value::Tuple(initial) = Value::of_variant(sum, i, [], &self.cx.program) else {
            return None;
        };
        let ty = Type::Struct(sum);
        let own = self.cx.program.sum(&ty)?.carried.get(i as usize)?.clone();
        let fields = &self.cx.program.structs[sum.index()].fields;
        let parts = initial.into_iter().zip(fields).enumerate().map(|(at, (value, field))| {
            let constant = Expr { kind: ExprKind::Const(value), ty: field.ty.clone(), span };
            if own.contains(&at) { args.next().unwrap_or(constant) } else { constant }
        });
        Some(Expr { kind: ExprKind::Aggregate(parts.collect()), ty, span })
    }

    /// What a value of an enum carries: parts of the struct with their types.
    pub(super) fn carried(&self, id: EnumId, i: u32) -> Vec<(u32, Type)> {
        let Some(sum) = self.cx.sums.get(&id) else { return Vec::new() };
        let written = &self.cx.program.structs[sum.index()];
        let fields = written.sum.as_ref().and_then(|sum| sum.carried.get(i as usize));
        let fields = fields.cloned().unwrap_or_default();
        fields.map(|at| (at as u32, written.fields[at].ty.clone())).collect()
    }

    /// Reports a value or pattern that carries too little or too much, or that has brackets for nothing.
    pub(super) fn carries(
        &mut self,
        name: ast::Name<'a>,
        given: usize,
        wanted: usize,
    ) -> Option<()> {
        if given == wanted && given > 0 {
            return Some(());
        }
        let carries = count(wanted, "value");
        let are = if given == 1 { "is" } else { "are" };
        let text = match given {
            0 => format!("`{}` carries {carries}", name.text),
            _ => format!("`{}` carries {carries}, but {given} {are} given", name.text),
        };
        let d = Diagnostic::error(codes::ARITY, name.span, text);
        self.cx.sink.push(match wanted {
            0 => d.help(format!("it stands alone: `{}`", name.text)),
            n => d.help(format!("it is written `{}`", shape(name.text, n, "..."))),
        });
        None
    }
}
