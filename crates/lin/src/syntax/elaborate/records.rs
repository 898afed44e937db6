//! Making nodes: `new`.

use crate::Span;
use crate::program::{Expr, ExprKind, RecordId, Type};

use super::body::Body;
use super::{Receiver, TypeDef, codes, sound};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

impl<'a> Body<'_, 'a> {
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
        let def = self.cx.type_def(name.text, name.span, self.scope);
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
        self.cx.record.receivers.push((field.span, Receiver::New(id)));
        let record = &self.cx.program.records[id.index()];
        let Some(i) = record.fields.iter().position(|f| f.name == field.text) else {
            let names: Vec<String> = record.fields.iter().map(|f| f.name.clone()).collect();
            let text = format!("`{}` has no field `{}`", record.name, field.text);
            self.no_such(codes::UNKNOWN_FIELD, field, text, &names);
            self.discard(std::slice::from_ref(value));
            return None;
        };
        self.cx.record.used_field(field.span, &Type::Ref(id), i);
        let ty = sound(&record.fields[i].ty)?.clone();
        if self.cx.traits_of(&ty).locks {
            let text = format!("the lock `{}` is free at first; it cannot be given", field.text);
            self.cx.error(codes::LOCK_VALUE, field.span, text);
            return None;
        }
        Some((i as u32, self.check(value, &ty)?))
    }

    fn not_a_node(&mut self, name: ast::Name<'a>) -> Option<Expr> {
        let def = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text));
        if let Some((TypeDef::Struct(id), _)) = def
            && self.cx.cyclic.contains(&id.index())
        {
            return None;
        }
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
