//! Values that are written out, and several expressions that must have one type.

use crate::program::{Expr, ExprKind, Type};
use crate::{Span, Value};

use super::body::Body;
use super::constants::fold;
use super::types::{fits, same, show};
use super::{codes, count};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// Does the type of the expression depend on where it stands?
pub(super) fn needs_context(e: &ast::Expr<'_>) -> bool {
    match &e.kind {
        ast::ExprKind::Null | ast::ExprKind::Empty | ast::ExprKind::Braces(_) => true,
        ast::ExprKind::Name(name) => name.text == "None",
        ast::ExprKind::List(items) => items.is_empty() || items.iter().any(needs_context),
        ast::ExprKind::Tuple(items) => items.iter().any(needs_context),
        ast::ExprKind::Select(_, a, b) => needs_context(a) && needs_context(b),
        _ => false,
    }
}

/// Is the expression written out, so that it takes the type of what it is compared with?
fn is_literal(e: &ast::Expr<'_>) -> bool {
    match &e.kind {
        ast::ExprKind::List(_) | ast::ExprKind::Repeat(..) => true,
        ast::ExprKind::Tuple(items) => items.iter().any(is_literal),
        _ => needs_context(e),
    }
}

impl<'a> Body<'_, 'a> {
    /// `null`
    pub(super) fn null(&mut self, span: Span, hint: Option<&Type>) -> Option<Expr> {
        match strip(hint) {
            Some(ty @ Type::Ref(_)) => {
                Some(Expr { kind: ExprKind::Const(Value::Ref(0)), ty: ty.clone(), span })
            }
            hint => self.no_context("null", "a reference to a node", "Node", span, hint),
        }
    }

    /// `empty`
    pub(super) fn empty(&mut self, span: Span, hint: Option<&Type>) -> Option<Expr> {
        match hint {
            Some(ty @ Type::Option(_)) => {
                Some(Expr { kind: ExprKind::Const(Value::Option(None)), ty: ty.clone(), span })
            }
            hint => self.no_context("empty", "an option such as `T?`", "T?", span, hint),
        }
    }

    fn no_context(
        &mut self,
        literal: &str,
        what: &str,
        example: &str,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        let d = match hint {
            Some(Type::Unit) => return None,
            Some(Type::Struct(id)) if self.cx.cyclic.contains(&id.index()) => return None,
            Some(ty) => {
                let shown = show(ty, &self.cx.program);
                let text = format!("expected `{shown}`, found `{literal}`");
                let d = Diagnostic::error(codes::MISMATCH, span, text)
                    .label(format!("`{literal}` is {what}"));
                match (literal, ty) {
                    ("empty", Type::Ref(_)) => d.help("no node is `null`").edit(span, "null"),
                    ("null", _) => {
                        d.help(format!("declare the type as `{shown}?` and use `empty`"))
                    }
                    ("empty", _) => d.help(format!("declare the type as `{shown}?`")),
                    _ => d,
                }
            }
            None => {
                let text = format!("the type of `{literal}` cannot be told here");
                Diagnostic::error(codes::NO_TYPE, span, text)
                    .help(format!("say it, as in `let x: {example} = {literal}`"))
            }
        };
        self.cx.sink.push(d);
        None
    }

    /// `(a, b)`
    pub(super) fn tuple(
        &mut self,
        items: &'a [ast::Expr<'a>],
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        let parts = match strip(hint) {
            Some(Type::Tuple(types)) if types.len() == items.len() => {
                let parts: Vec<_> =
                    items.iter().zip(types).map(|(e, t)| self.check(e, t)).collect();
                parts
            }
            _ => items.iter().map(|e| self.infer(e, None)).collect(),
        };
        let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        let ty = Type::Tuple(parts.iter().map(|p| p.ty.clone()).collect());
        self.cx.check_size(&ty, span).then_some(())?;
        Some(Expr { kind: ExprKind::Aggregate(parts), ty, span })
    }

    /// `[a, b]`
    pub(super) fn list(
        &mut self,
        items: &'a [ast::Expr<'a>],
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        let kind = ExprKind::Aggregate;
        match strip(hint) {
            Some(ty @ Type::Seq(element)) => {
                let items = self.check_all(items, element)?;
                Some(Expr { kind: kind(items), ty: ty.clone(), span })
            }
            Some(ty @ Type::Array(element, n)) if items.len() == *n as usize => {
                let items = self.check_all(items, element)?;
                Some(Expr { kind: kind(items), ty: ty.clone(), span })
            }
            Some(ty @ Type::Array(_, n)) => {
                let shown = show(ty, &self.cx.program);
                let found = count(items.len(), "element");
                let text = format!("`{shown}` has {}, not {found}", count(*n as usize, "element"));
                self.cx.error(codes::MISMATCH, span, text);
                None
            }
            Some(ty @ (Type::Set(_) | Type::Bag(_) | Type::Map(..))) => {
                let shown = show(ty, &self.cx.program);
                let text = format!("a `{shown}` is written with braces");
                let d = Diagnostic::error(codes::MISMATCH, span, text);
                self.cx.sink.push(d.help("`{a, b}`, or `{}` if it is empty"));
                None
            }
            hint if items.is_empty() => {
                self.no_context("[]", "an empty array or `seq`", "seq<T>", span, hint)
            }
            _ => {
                let items = self.join(&items.iter().collect::<Vec<_>>(), None)?;
                let element = items[0].ty.clone();
                let ty = Type::Array(Box::new(element), items.len() as u32);
                self.cx.check_size(&ty, span).then_some(())?;
                Some(Expr { kind: kind(items), ty, span })
            }
        }
    }

    /// `{a, b}`
    pub(super) fn braces(
        &mut self,
        items: &'a [ast::Expr<'a>],
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        match strip(hint) {
            Some(ty @ (Type::Set(element) | Type::Bag(element))) => {
                let items = self.check_all(items, element)?;
                Some(Expr { kind: ExprKind::Aggregate(items), ty: ty.clone(), span })
            }
            Some(ty @ Type::Map(..)) if items.is_empty() => {
                let kind = ExprKind::Const(Value::Map(Default::default()));
                Some(Expr { kind, ty: ty.clone(), span })
            }
            Some(Type::Map(..)) => {
                let d =
                    Diagnostic::error(codes::MISMATCH, span, "only empty maps can be written out");
                self.cx.sink.push(d.help("begin with `{}` and use `m[k] = v`"));
                None
            }
            Some(ty @ Type::Seq(_)) => {
                let shown = show(ty, &self.cx.program);
                let text = format!("a `{shown}` is written with square brackets");
                self.cx.error(codes::MISMATCH, span, text);
                None
            }
            hint => self.no_context("{}", "a `set`, `bag` or `map`", "set<T>", span, hint),
        }
    }

    /// `[x; n]`
    pub(super) fn repeat(
        &mut self,
        x: &'a ast::Expr<'a>,
        n: &'a ast::Expr<'a>,
        span: Span,
        hint: Option<&Type>,
    ) -> Option<Expr> {
        if matches!(n.kind, ast::ExprKind::Threads) {
            let text = "`[x; threads]` is for the initial values of variables only";
            self.cx.error(codes::TYPE_PLACE, span, text);
            return None;
        }
        let element = match strip(hint) {
            Some(Type::Array(element, _) | Type::Seq(element)) => self.check(x, element),
            _ => self.infer(x, None),
        };
        let n = self.cx.constant_int(n, self.scope);
        let (element, n) = (element?, n?);
        let ty = Type::Array(Box::new(element.ty.clone()), u32::try_from(n).unwrap_or(u32::MAX));
        self.cx.check_size(&ty, span).then_some(())?;
        if fold(&element).is_err() && !matches!(element.kind, ExprKind::Local(_)) {
            let text = "the element of `[x; n]` has to be a constant or a local variable";
            let d = Diagnostic::error(codes::NOT_CONSTANT, x.span, text);
            self.cx.sink.push(d.help("name it with `let`, or fill the array in a loop"));
            return None;
        }
        let items = vec![element; n as usize];
        let ty = match strip(hint) {
            Some(ty @ Type::Seq(_)) => ty.clone(),
            _ => ty,
        };
        Some(Expr { kind: ExprKind::Aggregate(items), ty, span })
    }

    fn check_all(&mut self, items: &'a [ast::Expr<'a>], ty: &Type) -> Option<Vec<Expr>> {
        let items: Vec<_> = items.iter().map(|e| self.check(e, ty)).collect();
        items.into_iter().collect()
    }

    /// Several expressions of one type: that which is wanted, or that which fits them all.
    pub(super) fn join(
        &mut self,
        items: &[&'a ast::Expr<'a>],
        want: Option<&Type>,
    ) -> Option<Vec<Expr>> {
        if let Some(want) = want {
            let items: Vec<_> = items.iter().map(|e| self.check(e, want)).collect();
            return items.into_iter().collect();
        }
        // Those with a type of their own say what the others are.
        let mut done: Vec<Option<Expr>> = Vec::new();
        let mut failed = false;
        for e in items {
            let value = if is_literal(e) { None } else { Some(self.infer(e, None)) };
            failed |= matches!(value, Some(None));
            done.push(value.flatten());
        }
        if failed {
            return None;
        }
        let mut common: Option<Type> = None;
        for e in done.iter().flatten() {
            common = Some(match common {
                None => e.ty.clone(),
                Some(c) if c == e.ty => c,
                Some(c) if same(&c, &e.ty) => widen(&c),
                Some(c) if fits(&c, &e.ty) => e.ty.clone(),
                Some(c) => c,
            });
        }
        if common.is_none() {
            // Only literals: the first one that can say it does.
            let first = items.iter().position(|e| !needs_context(e)).unwrap_or(0);
            let value = self.infer(items[first], None)?;
            common = Some(value.ty.clone());
            done[first] = Some(value);
        }
        let mut common = common?;
        let empties = items.iter().any(|e| match e.kind {
            ast::ExprKind::Name(name) => name.text == "None" && self.cx.enum_of(&common).is_none(),
            _ => matches!(e.kind, ast::ExprKind::Empty),
        });
        if empties && !matches!(common, Type::Option(_)) {
            common = Type::Option(Box::new(common));
        }
        let mut result = Vec::new();
        for (e, value) in items.iter().zip(done) {
            result.push(match value {
                Some(value) => self.coerce(value, &common),
                None => self.check(e, &common),
            });
        }
        result.into_iter().collect()
    }
}

/// What is inside of an option, since a value is accepted for an option.
pub(super) fn strip(hint: Option<&Type>) -> Option<&Type> {
    let mut hint = hint;
    while let Some(Type::Option(inner)) = hint {
        hint = Some(inner);
    }
    hint
}

/// The type without ranges at the top.
pub(super) fn widen(ty: &Type) -> Type {
    match ty {
        Type::Int { .. } => Type::INT,
        ty => ty.clone(),
    }
}
