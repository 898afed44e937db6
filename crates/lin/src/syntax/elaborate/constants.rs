//! Constants: expressions that are computed while the file is read.
//!
//! A constant goes through the same checks as any expression and is then computed from its tree;
//! what is not constant (a variable, `new`, a call) is found there.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{BinOp, Expr, ExprKind, FaultKind, Type, UnOp};
use crate::{Span, Value};

use super::body::{Body, Role};
use super::types::{same, show};
use super::units::Sigs;
use super::{Const, Elab, Lazy, ScopeRef, codes};
use crate::syntax::ast;
use crate::syntax::{lexer, parse};
use linchpin_text::{Diagnostic, Sink};

/// Why there is no value.
pub(super) enum Unfolded {
    /// It depends on the execution.
    Variable(Span),
    /// It is a fault.
    Fault(Span, String),
}

impl<'a> Elab<'a> {
    /// The value and type of a declared constant.
    pub(super) fn constant(&mut self, i: usize) -> Option<(Value, Type)> {
        match &self.consts[i].state {
            Lazy::Done(value) => return value.clone(),
            Lazy::Running => {
                let name = self.consts[i].name;
                let text = format!("the constant `{}` is defined by itself", name.text);
                self.error(codes::CYCLE, name.span, text);
                return None;
            }
            Lazy::Waiting => {}
        }
        let Const { name, value, scope, .. } = self.consts[i];
        self.consts[i].state = Lazy::Running;
        let value = self.nested(value.height, name, |cx| cx.constant_expr(value, None, scope));
        self.consts[i].state = Lazy::Done(value.clone());
        value
    }

    /// The value of an expression that has to be constant.
    pub(super) fn constant_expr(
        &mut self,
        e: &'a ast::Expr<'a>,
        want: Option<&Type>,
        scope: ScopeRef,
    ) -> Option<(Value, Type)> {
        let sigs = Sigs::default();
        let mut body = Body::new(self, scope, Role::Constant, &sigs);
        let expr = match want {
            Some(want) => body.check(e, want)?,
            None => body.infer(e, None)?,
        };
        match fold(&expr) {
            Ok(value) => {
                let ty = match expr.ty {
                    Type::Int { .. } => Type::INT,
                    ty => ty,
                };
                Some((value, ty))
            }
            Err(Unfolded::Variable(span)) => {
                let text = "this is not a constant";
                let d = Diagnostic::error(codes::NOT_CONSTANT, span, text);
                self.sink.push(d.label("its value is not known before the execution"));
                None
            }
            Err(Unfolded::Fault(span, text)) => {
                self.error(codes::CONSTANT_FAULT, span, text);
                None
            }
        }
    }

    /// The value of a constant number.
    pub(super) fn constant_int(&mut self, e: &'a ast::Expr<'a>, scope: ScopeRef) -> Option<i32> {
        match self.constant_expr(e, Some(&Type::INT), scope)?.0 {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// Replaces the values of parameters by those given from outside.
    pub(super) fn override_params(&mut self, overrides: &[(String, String)]) {
        for (name, text) in overrides {
            let ids: Vec<usize> = (0..self.consts.len())
                .filter(|&i| self.consts[i].param && self.consts[i].name.text == name)
                .collect();
            if ids.is_empty() {
                self.unknown_param(name);
            }
            for i in ids {
                self.override_param(i, text);
            }
        }
        // What was computed with values that are now replaced is computed again.
        for c in self.consts.iter_mut().filter(|c| !c.overridden) {
            c.state = Lazy::Waiting;
        }
    }

    fn unknown_param(&mut self, name: &str) {
        let params: Vec<&str> =
            self.consts.iter().filter(|c| c.param).map(|c| c.name.text).collect();
        let constant = self.consts.iter().find(|c| c.name.text == name);
        let span = constant.map_or(Span::default(), |c| c.name.span);
        let text = format!("there is no `param {name}` that could be set");
        let mut d = Diagnostic::error(codes::OVERRIDE, span, text);
        if constant.is_some() {
            d = d.note(format!("`{name}` is a `const`; declare it as `param` to set it"));
        }
        d = d.note(match params.as_slice() {
            [] => "the file has no parameters".into(),
            some => format!("the parameters are {}", some.join(", ")),
        });
        if let Some(near) = self.suggest(name, params.iter().copied()) {
            d = d.help(format!("did you mean `{near}`?"));
        }
        self.sink.push(d);
    }

    fn override_param(&mut self, i: usize, text: &str) {
        let Some((_, ty)) = self.constant(i) else {
            return;
        };
        let (name, scope) = (self.consts[i].name, self.consts[i].scope);
        let mut inner = Sink::default();
        let tokens = lexer::lex(text, Span::new(0, text.len()), &mut inner);
        let expr = parse::expression(text, &tokens, &mut inner);
        let value = expr.and_then(|e| self.outside_value(&e, &ty, scope, &mut inner));
        match value {
            Some(value) if inner.errors() == 0 => {
                self.consts[i].state = Lazy::Done(Some((value, ty)));
                self.consts[i].overridden = true;
            }
            _ => {
                let shown = show(&ty, &self.program);
                let message = format!("`{}={text}` is not a value of type `{shown}`", name.text);
                let mut d = Diagnostic::error(codes::OVERRIDE, name.span, message)
                    .label("the parameter that is set");
                if let Some(first) = inner.finish().into_iter().next() {
                    d = d.note(first.message);
                }
                self.sink.push(d);
            }
        }
    }

    /// A constant that is not part of the file: literals only, so that it needs no scope of its
    /// own.
    fn outside_value(
        &self,
        e: &ast::Expr<'_>,
        ty: &Type,
        scope: ScopeRef,
        sink: &mut Sink,
    ) -> Option<Value> {
        let value = match (&e.kind, ty) {
            (ast::ExprKind::Int(n), Type::Int { .. }) => i32::try_from(*n).ok().map(Value::Int),
            (ast::ExprKind::Unary(UnOp::Neg, n), Type::Int { .. }) => match n.kind {
                ast::ExprKind::Int(n) => i32::try_from(-n).ok().map(Value::Int),
                _ => None,
            },
            (ast::ExprKind::Bool(b), Type::Bool) => Some(Value::Bool(*b)),
            (
                ast::ExprKind::Name(ast::Name { text: v, .. })
                | ast::ExprKind::Member(_, ast::Name { text: v, .. }),
                Type::Enum(id),
            ) => {
                let variants = &self.program.enums[id.index()].variants;
                variants.iter().position(|x| x == v).map(|i| Value::Enum(i as u32))
            }
            (ast::ExprKind::Name(name), _) => {
                let constant =
                    self.scopes(scope).find_map(|s| s.consts.get(name.text)).map(|c| c.0);
                match constant.map(|i| &self.consts[i].state) {
                    Some(Lazy::Done(Some((value, found)))) if same(found, ty) => {
                        Some(value.clone())
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if value.is_none() {
            sink.push(Diagnostic::error(
                codes::MISMATCH,
                e.span,
                "a number, `true`, `false` or a value of an enum is expected",
            ));
        }
        value
    }
}

/// The value of an expression that does not depend on the execution.
pub(super) fn fold(e: &Expr) -> Result<Value, Unfolded> {
    let all = |es: &[Expr]| es.iter().map(fold).collect::<Result<Vec<_>, _>>();
    let fault = |text: &str| Err(Unfolded::Fault(e.span, text.into()));
    Ok(match &e.kind {
        ExprKind::Const(value) => value.clone(),
        ExprKind::Unary(op, a) => match (op, fold(a)?) {
            (UnOp::Neg, Value::Int(n)) => match n.checked_neg() {
                Some(n) => Value::Int(n),
                None => return fault("the number is out of the range of 32 bits"),
            },
            (UnOp::Not, Value::Bool(b)) => Value::Bool(!b),
            _ => return Err(Unfolded::Variable(e.span)),
        },
        ExprKind::Binary(op, a, b) => {
            let left = fold(a)?;
            match (op, &left) {
                (BinOp::And, Value::Bool(false)) | (BinOp::Or, Value::Bool(true)) => {
                    return Ok(left);
                }
                _ => {}
            }
            match binary(*op, &left, &fold(b)?) {
                Some(Ok(value)) => value,
                Some(Err(text)) => return fault(text),
                None => return Err(Unfolded::Variable(e.span)),
            }
        }
        ExprKind::Select(c, a, b) => match fold(c)? {
            Value::Bool(true) => fold(a)?,
            _ => fold(b)?,
        },
        ExprKind::Some(a) => Value::Option(Some(Box::new(fold(a)?))),
        ExprKind::Unwrap(a) => match fold(a)? {
            Value::Option(Some(value)) => *value,
            _ => return fault("`unwrap` of `empty`"),
        },
        ExprKind::Part(a, i) => match fold(a)? {
            Value::Tuple(mut parts) if (*i as usize) < parts.len() => {
                parts.swap_remove(*i as usize)
            }
            _ => return Err(Unfolded::Variable(e.span)),
        },
        ExprKind::Index(a, i) => match (fold(a)?, fold(i)?) {
            (Value::Tuple(parts) | Value::Seq(parts), Value::Int(i)) => {
                match usize::try_from(i).ok().and_then(|i| parts.into_iter().nth(i)) {
                    Some(value) => value,
                    None => return fault("the index is out of range"),
                }
            }
            _ => return Err(Unfolded::Variable(e.span)),
        },
        ExprKind::Aggregate(parts) => {
            let parts = all(parts)?;
            match &e.ty {
                Type::Seq(_) => Value::Seq(parts),
                Type::Set(_) => Value::Set(parts.into_iter().collect::<BTreeSet<_>>()),
                Type::Bag(_) => {
                    let mut bag = BTreeMap::new();
                    for part in parts {
                        *bag.entry(part).or_insert(0) += 1;
                    }
                    Value::Bag(bag)
                }
                _ => Value::Tuple(parts),
            }
        }
        _ => return Err(Unfolded::Variable(e.span)),
    })
}

fn binary(op: BinOp, a: &Value, b: &Value) -> Option<Result<Value, &'static str>> {
    use BinOp::*;
    match op {
        Eq => return Some(Ok(Value::Bool(a == b))),
        Ne => return Some(Ok(Value::Bool(a != b))),
        And | Or => return Some(Ok(b.clone())),
        _ => {}
    }
    let (&Value::Int(a), &Value::Int(b)) = (a, b) else {
        return None;
    };
    let result = match op {
        Lt => return Some(Ok(Value::Bool(a < b))),
        Le => return Some(Ok(Value::Bool(a <= b))),
        Gt => return Some(Ok(Value::Bool(a > b))),
        Ge => return Some(Ok(Value::Bool(a >= b))),
        Eq | Ne | And | Or => return None,
        _ => op.arithmetic(a, b),
    };
    Some(result.map(Value::Int).map_err(|kind| match kind {
        FaultKind::DivisionByZero => "division by zero",
        _ => "the number is out of the range of 32 bits",
    }))
}
