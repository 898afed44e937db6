//! `match`: the value is computed once, then compared with one pattern after the other.
//!
//! It becomes a chain of `if`s on a local variable. Every value must be met, so the last pattern needs no comparison: what
//! is left is its own.

use crate::Span;
use crate::program::{BinOp, Block, Expr, ExprKind, Stmt, StmtKind, Type};
use crate::value::Value;

use super::body::Body;
use super::codes;
use super::constants::fold;
use super::literals::widen;
use super::loops::{assign, binary, local};
use super::types::show;
use crate::syntax::ast::{self, Arm, Pattern};
use linchpin_text::Diagnostic;

/// What a pattern is for, and the variable that gets the value.
struct Case<'a> {
    /// When; `None`: always.
    cond: Option<Expr>,
    /// The value that it is for, if that is one; `Some(_)` is for all others.
    value: Option<Value>,
    binds: Option<(ast::Name<'a>, Expr)>,
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
            let case =
                subject.as_ref().and_then(|subject| self.case(&arm.pattern, subject, arm.span));
            let binds = case.as_ref().and_then(|case| case.binds.clone());
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
        binds: Option<(ast::Name<'a>, Expr)>,
        body: &'a ast::Block<'a>,
        span: Span,
    ) -> Block {
        self.enter_block();
        let mut block = Block::new();
        match (binds, pattern) {
            (Some((name, value)), _) => {
                let ty = widen(&value.ty);
                let id = self.declare(name, Some(ty.clone()));
                block.push(assign(local(id, ty, name.span), value, span));
            }
            (None, Pattern::Some(Some(name))) => {
                self.declare(*name, None);
            }
            _ => {}
        }
        block.extend(self.block(body));
        self.leave_block(body.close);
        block
    }

    fn case(&mut self, pattern: &'a Pattern<'a>, subject: &Expr, span: Span) -> Option<Case<'a>> {
        let always = Case { cond: None, value: None, binds: None };
        match pattern {
            Pattern::Rest => Some(always),
            Pattern::Some(name) => {
                let Type::Option(inner) = &subject.ty else {
                    let shown = show(&subject.ty, &self.cx.program);
                    let text = format!("`{shown}` is no option, so there is no `Some` of it");
                    self.cx.error(codes::MISMATCH, span, text);
                    return None;
                };
                let none = Expr {
                    kind: ExprKind::Const(Value::Option(None)),
                    ty: subject.ty.clone(),
                    span,
                };
                let cond = binary(BinOp::Ne, subject.clone(), none, Type::Bool);
                let kind = ExprKind::Unwrap(Box::new(subject.clone()));
                let inner = Expr { kind, ty: (**inner).clone(), span };
                let binds = name.map(|name| (name, inner));
                Some(Case { cond: Some(cond), value: None, binds })
            }
            Pattern::Value(e) => {
                let value = self.check(e, &subject.ty)?;
                Some(self.equals(subject, value))
            }
            Pattern::Name(name) => {
                let known = self.cx.scopes(self.scope).any(|s| s.consts.contains_key(name.text));
                if known || matches!(subject.ty, Type::Enum(_)) {
                    let value = self.named(*name, &subject.ty)?;
                    return Some(self.equals(subject, value));
                }
                Some(Case { binds: Some((*name, subject.clone())), ..always })
            }
        }
    }

    fn equals(&self, subject: &Expr, value: Expr) -> Case<'a> {
        let constant = fold(&value).ok();
        let cond = binary(BinOp::Eq, subject.clone(), value, Type::Bool);
        Case { cond: Some(cond), value: constant, binds: None }
    }

    /// Reports values that no pattern is for, and patterns that nothing is left for.
    fn every_value_is_met(
        &mut self,
        cases: &[(Case<'a>, Block, Span)],
        ty: &Type,
        span: Span,
    ) -> Option<()> {
        let met = |value: &Value| cases.iter().any(|(case, ..)| case.value.as_ref() == Some(value));
        let some = cases.iter().any(|(case, ..)| case.cond.is_some() && case.value.is_none());
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
                none.into_iter().chain((!some).then(|| "Some(_)".to_string())).collect()
            }
            _ => vec!["other values".to_string()],
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
