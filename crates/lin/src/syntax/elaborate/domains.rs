//! Which arguments clients pass: the values of the parameters of operations.

use std::collections::BTreeSet;

use crate::program::{Domain, Struct, Type};
use crate::{Span, Value};

use super::checks::Settings;
use super::types::show;
use super::units::{Sigs, out_of_range};
use super::{Elab, codes};
use crate::syntax::ast::{self, Values};
use linchpin_text::Diagnostic;

/// The most values one parameter can have.
const MAX_VALUES: usize = 64;

impl<'a> Elab<'a> {
    /// Per operation, per parameter: its values. Those that are not `needed` may stay empty.
    pub(super) fn domains(
        &mut self,
        check: &'a ast::Check<'a>,
        settings: &Settings<'a>,
        object: &Sigs<'a>,
        needed: &BTreeSet<(usize, usize)>,
    ) -> Vec<Vec<Domain>> {
        let mut result = Vec::new();
        for (p, sig) in object.procs.iter().enumerate().filter(|(_, s)| s.op) {
            let mut domains = Vec::new();
            for (i, (name, ty)) in sig.params.iter().enumerate() {
                let values = settings.values.get(&(p, i));
                let domain = match (ty, values) {
                    (None, _) => None,
                    (Some(ty), Some((values, span))) => {
                        self.given_values(values, *span, ty, object)
                    }
                    (Some(Type::Data(id)), None) => Some(Domain::Data(*id)),
                    (Some(_), None) if !needed.contains(&(p, i)) => None,
                    (Some(ty), None) => self.all_values(
                        ty,
                        &format!("{}.{}", sig.name.text, name.text),
                        name,
                        check,
                    ),
                };
                domains.push(domain.unwrap_or(Domain::OneOf(Vec::new())));
            }
            result.push(domains);
        }
        result
    }

    /// The values listed in the check.
    fn given_values(
        &mut self,
        values: &'a Values<'a>,
        setting: Span,
        ty: &Type,
        object: &Sigs<'a>,
    ) -> Option<Domain> {
        if self.traits_of(ty).data {
            let shown = show(ty, &self.program);
            let text = format!("the values of `{shown}` are opaque and cannot be listed");
            let d = Diagnostic::error(codes::SETTING, setting, text);
            self.sink.push(d.help(format!("say how many there are: `values {shown}: 2`")));
            return None;
        }
        let mut list = Vec::new();
        match values {
            Values::List(items) => {
                for e in items {
                    let (value, _) = self.constant_expr(e, Some(ty), object.scope)?;
                    if let Some((n, lo, hi)) = out_of_range(&value, ty, &self.program) {
                        let text =
                            format!("{n} is outside of the range {lo}..={hi} of the parameter");
                        self.error(codes::RANGE, e.span, text);
                        return None;
                    }
                    list.push(value);
                }
                if items.is_empty() {
                    self.error(codes::SETTING, setting, "there has to be at least one value");
                    return None;
                }
            }
            Values::Range(r) => {
                let span = r.lo.span.to(r.hi.span);
                let Type::Int { lo: least, hi: greatest } = *ty else {
                    let text = format!("a range needs numbers, not `{}`", show(ty, &self.program));
                    self.error(codes::MISMATCH, span, text);
                    return None;
                };
                let (lo, hi) = (self.constant_int(&r.lo, None), self.constant_int(&r.hi, None));
                let (lo, hi) = (i64::from(lo?), i64::from(hi?) - i64::from(!r.inclusive));
                if hi < lo {
                    self.error(codes::RANGE, span, "the range is empty");
                    return None;
                }
                if lo < i64::from(least) || hi > i64::from(greatest) {
                    let text =
                        format!("the parameter takes values from {least} to {greatest} only");
                    self.error(codes::RANGE, span, text);
                    return None;
                }
                if hi - lo >= MAX_VALUES as i64 {
                    let text =
                        format!("these are {} values; at most {MAX_VALUES} are tried", hi - lo + 1);
                    self.error(codes::DOMAIN_LARGE, span, text);
                    return None;
                }
                list.extend((lo..=hi).map(|n| Value::Int(n as i32)));
            }
        }
        list.sort();
        list.dedup();
        Some(Domain::OneOf(list))
    }

    /// All values of a type.
    fn all_values(
        &mut self,
        ty: &Type,
        who: &str,
        name: &ast::Name<'a>,
        check: &'a ast::Check<'a>,
    ) -> Option<Domain> {
        let shown = show(ty, &self.program);
        let d = if self.traits_of(ty).data {
            let text = format!("`{shown}` is not supported as type of a parameter");
            Diagnostic::error(codes::DOMAIN_TYPE, name.span, text)
                .note("opaque values can be parameters of their own, but not parts of one")
                .help("pass the parts as parameters of their own")
        } else if *ty == Type::INT {
            let text = format!("which values of the `int` parameter `{who}` are to be tried?");
            Diagnostic::error(codes::NEEDS_VALUES, check.span, text)
                .also(name.span, "the parameter")
                .help(format!("add `values {who}: 0..=2` to the check, or give the parameter a type such as `0..=2`"))
        } else {
            match self.enumerate(ty) {
                Some(list) => return Some(Domain::OneOf(list)),
                None => {
                    let text = format!("the parameter `{who}` has more than {MAX_VALUES} values");
                    Diagnostic::error(codes::DOMAIN_LARGE, check.span, text)
                        .also(name.span, format!("its type is `{shown}`"))
                        .help(format!(
                            "add `values {who}: {{...}}` to the check, with those to be tried"
                        ))
                }
            }
        };
        self.sink.push(d);
        None
    }

    /// The values of a type in order, unless there are too many.
    fn enumerate(&self, ty: &Type) -> Option<Vec<Value>> {
        let product = |types: &mut dyn Iterator<Item = &Type>| {
            let mut rows = vec![Vec::new()];
            for ty in types {
                let values = self.enumerate(ty)?;
                if rows.len() * values.len() > MAX_VALUES {
                    return None;
                }
                rows = rows
                    .iter()
                    .flat_map(|row: &Vec<Value>| {
                        values.iter().map(move |v| row.iter().cloned().chain([v.clone()]).collect())
                    })
                    .collect();
            }
            Some(rows.into_iter().map(Value::Tuple).collect())
        };
        match ty {
            Type::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
            Type::Int { lo, hi } => {
                let many = i64::from(*hi) - i64::from(*lo) >= MAX_VALUES as i64;
                (!many).then(|| (*lo..=*hi).map(Value::Int).collect())
            }
            Type::Enum(id) => {
                let n = self.program.enums[id.index()].variants.len();
                (n <= MAX_VALUES).then(|| (0..n as u32).map(Value::Enum).collect())
            }
            Type::Option(t) => {
                let some = self.enumerate(t)?.into_iter().map(|v| Value::Option(Some(Box::new(v))));
                let all: Vec<_> = [Value::Option(None)].into_iter().chain(some).collect();
                (all.len() <= MAX_VALUES).then_some(all)
            }
            Type::Tuple(types) => product(&mut types.iter()),
            Type::Struct(id) => {
                let Struct { fields, sum, .. } = &self.program.structs[id.index()];
                let Some(sum) = sum else { return product(&mut fields.iter().map(|f| &f.ty)) };
                let mut all = Vec::new();
                for (variant, carried) in (0..).zip(&sum.carried) {
                    for row in product(&mut fields[carried.clone()].iter().map(|f| &f.ty))? {
                        let Value::Tuple(carried) = row else { return None };
                        all.push(Value::of_variant(*id, variant, carried, &self.program));
                    }
                }
                (all.len() <= MAX_VALUES).then_some(all)
            }
            Type::Array(t, n) => product(&mut (0..*n).map(|_| &**t)),
            _ => None,
        }
    }
}
