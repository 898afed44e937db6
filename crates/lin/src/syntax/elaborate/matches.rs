//! `match`: the value is computed once, then compared with one pattern after the other.
//!
//! It becomes a chain of `if`s on a local variable. Every value must be met, so the last pattern needs no comparison: what
//! is left is its own. A variant that carries values is met by patterns that are for all that it carries; one that compares
//! some of it (`Value(0)`) meets none of them for sure, so that what is missing can be said in one line.

use crate::Span;
use crate::program::{BinOp, Block, Expr, ExprKind, Stmt, StmtKind, Type};
use crate::value::Value;

use super::body::Body;
use super::constants::fold;
use super::literals::widen;
use super::loops::{assign, binary, local};
use super::sums::shape;
use super::types::show;
use super::{codes, sound};
use crate::syntax::ast::{self, Arm, Pattern};
use linchpin_text::Diagnostic;

/// What a pattern is for, and the variables that get values.
struct Case<'a> {
    /// When; `None`: always.
    cond: Option<Expr>,
    meets: Meets,
    binds: Vec<(ast::Name<'a>, Expr)>,
}

/// All conditions, from the first to the last, as a tree that is not deep.
fn both_halves(mut conds: Vec<Expr>) -> Option<Expr> {
    if conds.len() < 2 {
        return conds.pop();
    }
    let rest = conds.split_off(conds.len() / 2);
    Some(binary(BinOp::And, both_halves(conds)?, both_halves(rest)?, Type::Bool))
}

/// The values that a pattern is surely for.
enum Meets {
    All,
    One(Value),
    /// All of this variant. (Of an option: all but `empty`.)
    Variant(u32),
    /// It depends on what they carry, or on variables.
    Some,
}

impl<'a> Body<'_, 'a> {
    pub(super) fn match_statement(
        &mut self,
        value: &'a ast::Expr<'a>,
        arms: &'a [Arm<'a>],
        span: Span,
        out: &mut Block,
    ) -> Option<()> {
        let value = self.infer(value, None);
        let ty = value.as_ref().map(|v| widen(&v.ty));
        let id = ty.clone().map(|ty| self.hidden("matched", ty, span));
        let subject = ty.clone().zip(id).map(|(ty, id)| local(id, ty, span));
        let mut cases = Vec::new();
        for arm in arms {
            let case = subject.as_ref().and_then(|s| self.case(&arm.pattern, s, arm.span, false));
            let binds = case.as_ref().map(|case| case.binds.clone());
            let body = self.arm(&arm.pattern, binds, &arm.body, arm.span);
            cases.push(case.map(|case| (case, body, arm.span)));
        }
        let (value, subject) = (value?, subject?);
        let cases = cases.into_iter().collect::<Option<Vec<_>>>()?;
        self.every_value_is_met(&cases, &subject.ty, span)?;
        out.push(assign(subject, value, span));
        let mut rest = Block::new();
        for (i, (case, body, at)) in cases.into_iter().enumerate().rev() {
            rest = match case.cond {
                Some(cond) if i + 1 < arms.len() => {
                    vec![Stmt { kind: StmtKind::If { cond, then: body, els: rest }, span: at }]
                }
                _ => body,
            };
        }
        out.extend(rest);
        Some(())
    }

    /// The code of an arm; names are known in it even if the pattern is wrong.
    fn arm(
        &mut self,
        pattern: &'a Pattern<'a>,
        binds: Option<Vec<(ast::Name<'a>, Expr)>>,
        body: &'a ast::Block<'a>,
        span: Span,
    ) -> Block {
        self.enter_block();
        let mut block = Block::new();
        match (binds, pattern) {
            (Some(binds), _) => {
                for (name, value) in binds {
                    let ty = widen(&value.ty);
                    let id = self.declare(name, Some(ty.clone()));
                    block.push(assign(local(id, ty, name.span), value, span));
                }
            }
            (None, Pattern::Variant(.., carried)) => self.declare_unknown(carried),
            (None, _) => {}
        }
        block.extend(self.block(body));
        self.leave_block(body.close);
        block
    }

    /// The names in patterns that are wrong.
    fn declare_unknown(&mut self, patterns: &'a [Pattern<'a>]) {
        for pattern in patterns {
            match pattern {
                Pattern::Name(name) => {
                    self.declare(*name, None);
                }
                Pattern::Variant(.., carried) => self.declare_unknown(carried),
                Pattern::Rest | Pattern::Value(_) => {}
            }
        }
    }

    /// What a pattern is for; `inside` of another one a name that is no value of an enum is new.
    fn case(
        &mut self,
        pattern: &'a Pattern<'a>,
        subject: &Expr,
        span: Span,
        inside: bool,
    ) -> Option<Case<'a>> {
        match pattern {
            Pattern::Rest => Some(Case { cond: None, meets: Meets::All, binds: Vec::new() }),
            Pattern::Variant(of, name, carried) => {
                self.variant_case(*of, *name, carried, subject, span)
            }
            Pattern::Value(e) => {
                let value = self.check(e, &subject.ty)?;
                Some(self.equals(subject, value))
            }
            Pattern::Name(name) => {
                let mut known =
                    self.cx.scopes(self.scope).any(|s| s.consts.contains_key(name.text));
                if let Some(id) = self.cx.enum_of(&subject.ty) {
                    let variants = &self.cx.program.enums[id.index()].variants;
                    known |= !inside || variants.iter().any(|v| v == name.text);
                }
                if known {
                    let value = self.named(*name, &subject.ty)?;
                    return Some(self.equals(subject, value));
                }
                let binds = vec![(*name, subject.clone())];
                Some(Case { cond: None, meets: Meets::All, binds })
            }
        }
    }

    fn equals(&self, subject: &Expr, value: Expr) -> Case<'a> {
        let meets = match fold(&value) {
            Ok(Value::Tuple(parts)) if self.cx.enum_of(&subject.ty).is_some() => {
                match (&parts[0], self.cx.program.variant(&subject.ty, &parts)) {
                    (Value::Enum(i), Some((_, carried))) if carried.is_empty() => {
                        Meets::Variant(*i)
                    }
                    _ => Meets::Some,
                }
            }
            Ok(value) => Meets::One(value),
            Err(_) => Meets::Some,
        };
        let cond = binary(BinOp::Eq, subject.clone(), value, Type::Bool);
        Case { cond: Some(cond), meets, binds: Vec::new() }
    }

    /// `Some(x)`, `Value(x)`: the variant is compared, then what it carries.
    fn variant_case(
        &mut self,
        of: Option<ast::Name<'a>>,
        name: ast::Name<'a>,
        carried: &'a [Pattern<'a>],
        subject: &Expr,
        span: Span,
    ) -> Option<Case<'a>> {
        let constant = |value, ty| Expr { kind: ExprKind::Const(value), ty, span };
        let (cond, variant, parts) = match (&subject.ty, self.cx.enum_of(&subject.ty)) {
            (_, Some(id)) => {
                if let Some(of) = of
                    && self.enum_named(of) != Some(id)
                {
                    self.other_enum(of, &subject.ty);
                    return None;
                }
                let i = self.variant_in(id, name)?;
                self.cx.record.used_variant(name.span, id, i as usize);
                let types = self.carried(id, i);
                self.carries(name, carried.len(), types.len())?;
                let part = |(at, ty)| Expr {
                    kind: ExprKind::Part(Box::new(subject.clone()), at),
                    ty,
                    span,
                };
                let tag = part((0, Type::Enum(id)));
                let cond =
                    binary(BinOp::Eq, tag, constant(Value::Enum(i), Type::Enum(id)), Type::Bool);
                (cond, i, types.into_iter().map(part).collect::<Vec<_>>())
            }
            (Type::Option(inner), None) if name.text == "Some" && of.is_none() => {
                self.carries(name, carried.len(), 1)?;
                let none = constant(Value::Option(None), subject.ty.clone());
                let cond = binary(BinOp::Ne, subject.clone(), none, Type::Bool);
                let kind = ExprKind::Unwrap(Box::new(subject.clone()));
                (cond, 1, vec![Expr { kind, ty: (**inner).clone(), span }])
            }
            (ty, None) => {
                let shown = show(ty, &self.cx.program);
                let what = if name.text == "Some" { "option" } else { "enum" };
                let text = format!("`{shown}` is no {what}, so there is no `{}` of it", name.text);
                self.cx.error(codes::MISMATCH, span, text);
                return None;
            }
        };
        let (mut meets, mut binds, mut conds) = (Meets::Variant(variant), Vec::new(), vec![cond]);
        for (pattern, part) in carried.iter().zip(parts) {
            sound(&part.ty)?;
            let inner = self.case(pattern, &part, span, true)?;
            if let Some(inner) = inner.cond {
                conds.push(inner);
                meets = Meets::Some;
            }
            binds.extend(inner.binds);
        }
        Some(Case { cond: both_halves(conds), meets, binds })
    }

    fn other_enum(&mut self, of: ast::Name<'a>, ty: &Type) {
        let shown = show(ty, &self.cx.program);
        let text = format!("this is for values of `{}`, and the value is of `{shown}`", of.text);
        let d = Diagnostic::error(codes::MISMATCH, of.span, text);
        self.cx.sink.push(d.help(format!("write `{shown}`")).edit(of.span, &shown));
    }

    /// Reports values that no pattern is for, and patterns that nothing is left for.
    fn every_value_is_met(
        &mut self,
        cases: &[(Case<'a>, Block, Span)],
        ty: &Type,
        span: Span,
    ) -> Option<()> {
        let met = |value: &Value| {
            cases.iter().any(|(case, ..)| matches!(&case.meets, Meets::One(v) if v == value))
        };
        let variant = |i: u32| {
            cases.iter().any(|(case, ..)| matches!(case.meets, Meets::Variant(v) if v == i))
        };
        let always = cases.iter().position(|(case, ..)| case.cond.is_none());
        let missing: Vec<String> = match ty {
            _ if always.is_some() => Vec::new(),
            Type::Bool => [true, false]
                .iter()
                .filter(|b| !met(&Value::Bool(**b)))
                .map(|b| b.to_string())
                .collect(),
            Type::Enum(id) => {
                let variants = &self.cx.program.enums[id.index()].variants;
                let is_missing = |(i, _): &(usize, &String)| !met(&Value::Enum(*i as u32));
                variants.iter().enumerate().filter(is_missing).map(|(_, v)| v.clone()).collect()
            }
            Type::Option(_) => {
                let none = (!met(&Value::Option(None))).then(|| "empty".to_string());
                none.into_iter().chain((!variant(1)).then(|| "Some(_)".to_string())).collect()
            }
            _ => match self.cx.program.sum(ty) {
                Some(sum) => {
                    let variants = &self.cx.program.enums[sum.tag.index()].variants;
                    let all = (0..).zip(variants).zip(&sum.carried);
                    let missing = all.filter(|((i, _), _)| !variant(*i));
                    missing.map(|((_, name), carried)| shape(name, carried.len(), "_")).collect()
                }
                None => vec!["other values".to_string()],
            },
        };
        if let Some((.., late)) = always.and_then(|i| cases.get(i + 1)) {
            let d = Diagnostic::warning(codes::UNREACHABLE, *late, "this is never reached");
            self.cx.sink.push(d);
        }
        if missing.is_empty() {
            return Some(());
        }
        let open = |m: &String| m == "other values";
        let quoted = |m: &String| if open(m) { m.clone() } else { format!("`{m}`") };
        let shown = missing.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let text = format!("`match` has no arm for {shown}");
        let d = Diagnostic::error(codes::MATCH, span, text);
        self.cx.sink.push(d.help("`_ => { }` is for all other values"));
        None
    }
}
