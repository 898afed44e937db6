//! Atomic primitives on shared places.

use crate::program::{BinOp, Expr, ExprKind, Primitive, Type};
use crate::{Span, Value};

use super::body::{Body, Role};
use super::codes;
use super::types::show;
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// Names of the atomic primitives.
pub(in crate::syntax) const PRIMITIVES: [&str; 18] = [
    "cas",
    "cas_value",
    "weak_cas",
    "dcas",
    "swap",
    "fetch_add",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
    "ll",
    "sc",
    "vl",
    "lock",
    "unlock",
    "try_lock",
    "wait",
    "signal",
    "broadcast",
];

/// How a primitive is called, if that needs to be said.
pub(super) fn call_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "cas" | "cas_value" | "weak_cas" => "(place, old, new)",
        "dcas" => "(place, place, old, old, new, new)",
        "swap" | "sc" => "(place, new)",
        "fetch_add" | "fetch_and" | "fetch_or" | "fetch_xor" => "(place, n)",
        "wait" => "(condition, lock)",
        "signal" | "broadcast" => "(condition)",
        "ll" | "vl" | "lock" | "unlock" | "try_lock" => "(place)",
        _ => return None,
    })
}

/// The arguments of a call.
pub(super) type Args<'a> = &'a [ast::Expr<'a>];

impl<'a> Body<'_, 'a> {
    /// `lock(p)` and `unlock(p)` as statements; gives the place.
    pub(super) fn lock_place(&mut self, name: ast::Name<'a>, args: Args<'a>) -> Option<Expr> {
        self.allowed(name)?;
        self.arity(name, args, 1, None)?;
        let place = self.shared_place(&args[0], name.text)?;
        self.is_lock(place)
    }

    pub(super) fn is_lock(&mut self, place: Expr) -> Option<Expr> {
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
    pub(super) fn allowed(&mut self, name: ast::Name<'a>) -> Option<()> {
        let who = name.text;
        let d = match self.role {
            Role::Object | Role::Watch => return Some(()),
            Role::ObjectInit
                if who.starts_with("fetch_")
                    || matches!(who, "cas" | "cas_value" | "weak_cas" | "dcas" | "swap") =>
            {
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
                    "swap" | "cas_value" | "fetch_add" | "fetch_and" | "fetch_or" | "fetch_xor" => {
                        d.help("read the variable, then assign to it")
                    }
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

    pub(super) fn primitive(
        &mut self,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
    ) -> Option<Expr> {
        self.allowed(name)?;
        if matches!(name.text, "lock" | "unlock" | "wait" | "signal" | "broadcast") {
            let text = format!("`{}` is a statement and has no value", name.text);
            let mut d = Diagnostic::error(codes::NO_VALUE, span, text);
            if name.text == "lock" {
                d = d.help("`try_lock(p)` tells whether it took the lock");
            }
            self.cx.sink.push(d);
            return None;
        }
        let make = |p, place, args, ty| {
            Some(Expr { kind: ExprKind::Atomic(p, Box::new(place), args), ty, span })
        };
        let arity = match name.text {
            "cas" | "cas_value" | "weak_cas" => 3,
            "dcas" => 6,
            "swap" | "fetch_add" | "fetch_and" | "fetch_or" | "fetch_xor" | "sc" => 2,
            _ => 1,
        };
        let args = self.without_orderings(args, arity);
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
            "cas_value" => {
                let (old, new) = (self.check(&args[1], &ty), self.check(&args[2], &ty));
                make(Primitive::CasValue, place, vec![old?, new?], ty)
            }
            // It fails for no reason, or does what `cas` does.
            "weak_cas" => {
                let (old, new) = (self.check(&args[1], &ty), self.check(&args[2], &ty));
                let cas = make(Primitive::Cas, place, vec![old?, new?], Type::Bool)?;
                let truth =
                    |b| Expr { kind: ExprKind::Const(Value::Bool(b)), ty: Type::Bool, span };
                let kind = ExprKind::Choose(vec![truth(true), truth(false)]);
                let tries = Box::new(Expr { kind, ty: Type::Bool, span });
                let kind = ExprKind::Select(tries, Box::new(cas), Box::new(truth(false)));
                Some(Expr { kind, ty: Type::Bool, span })
            }
            "swap" => {
                let new = self.check(&args[1], &ty)?;
                make(Primitive::Swap, place, vec![new], ty)
            }
            "fetch_add" | "fetch_and" | "fetch_or" | "fetch_xor" => {
                let op = match name.text {
                    "fetch_add" => BinOp::Add,
                    "fetch_and" => BinOp::BitAnd,
                    "fetch_or" => BinOp::BitOr,
                    _ => BinOp::BitXor,
                };
                if !matches!(ty, Type::Int { .. }) {
                    let shown = show(&ty, &self.cx.program);
                    let text = format!("`{}` needs a number, found `{shown}`", name.text);
                    self.cx.error(codes::MISMATCH, place.span, text);
                    return None;
                }
                let n = self.check(&args[1], &Type::INT)?;
                make(Primitive::Fetch(op), place, vec![n], ty)
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
}
