//! Methods: `unwrap` of options, and what collections can do.

use crate::Span;
use crate::program::{Expr, ExprKind, Method, Type};

use super::body::Body;
use super::places::{Root, root};
use super::types::show;
use super::{Receiver, codes, count};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// What a method takes and gives, once the type of the collection is known.
struct Shape {
    method: Method,
    args: Vec<Type>,
    result: Type,
    changes: bool,
    /// Needs elements that are numbers.
    ordered: bool,
}

/// All methods of a type, with what they take and give.
fn shape(ty: &Type, name: &str) -> Option<Shape> {
    use Method::*;
    let element = match ty {
        Type::Seq(t) | Type::Set(t) | Type::Bag(t) => (**t).clone(),
        Type::Map(k, _) => (**k).clone(),
        _ => return None,
    };
    let (seq, set) = (matches!(ty, Type::Seq(_)), matches!(ty, Type::Set(_)));
    let (bag, map) = (matches!(ty, Type::Bag(_)), matches!(ty, Type::Map(..)));
    let read =
        |method, args, result| Some(Shape { method, args, result, changes: false, ordered: false });
    let write =
        |method, args, result| Some(Shape { method, args, result, changes: true, ordered: false });
    let value = match ty {
        Type::Map(_, v) => (**v).clone(),
        _ => element.clone(),
    };
    match name {
        "len" => read(Len, vec![], Type::INT),
        "is_empty" => read(IsEmpty, vec![], Type::Bool),
        "contains" => read(Contains, vec![element], Type::Bool),
        "clear" => write(Clear, vec![], Type::Unit),
        "push_back" if seq => write(PushBack, vec![element], Type::Unit),
        "push_front" if seq => write(PushFront, vec![element], Type::Unit),
        "pop_back" if seq => write(PopBack, vec![], element),
        "pop_front" if seq => write(PopFront, vec![], element),
        "first" if seq => read(First, vec![], element),
        "last" if seq => read(Last, vec![], element),
        "remove_at" if seq => write(RemoveAt, vec![Type::INT], element),
        "insert_at" if seq => write(InsertAt, vec![Type::INT, element], Type::Unit),
        "insert" if set || bag => write(Insert, vec![element], Type::Bool),
        "remove" if set || bag || map => write(Remove, vec![element], Type::Bool),
        "count" if bag => read(Count, vec![element], Type::INT),
        "get" if map => read(Get, vec![element], Type::Option(Box::new(value))),
        "put" if map => write(Put, vec![element, value], Type::Unit),
        "min" if !map => Some(Shape {
            method: Min,
            args: vec![],
            result: element,
            changes: false,
            ordered: true,
        }),
        "max" if !map => Some(Shape {
            method: Max,
            args: vec![],
            result: element,
            changes: false,
            ordered: true,
        }),
        _ => None,
    }
}

/// The names of all methods.
pub(in crate::syntax) const NAMES: [&str; 20] = [
    "len",
    "is_empty",
    "contains",
    "clear",
    "push_back",
    "push_front",
    "pop_back",
    "pop_front",
    "first",
    "last",
    "remove_at",
    "insert_at",
    "insert",
    "remove",
    "count",
    "get",
    "put",
    "min",
    "max",
    "unwrap",
];

/// The methods of a type: name, types of the arguments, type of the result.
pub(in crate::syntax) fn methods_of(ty: &Type) -> Vec<(&'static str, Vec<Type>, Type)> {
    if let Type::Option(inner) = ty {
        return vec![("unwrap", Vec::new(), (**inner).clone())];
    }
    let fits = |s: &Shape| !s.ordered || matches!(s.result, Type::Int { .. });
    let known = |name| shape(ty, name).filter(fits).map(|s| (name, s.args, s.result));
    NAMES.into_iter().filter_map(known).collect()
}

impl<'a> Body<'_, 'a> {
    /// `x.f(a, b)`
    pub(super) fn method(
        &mut self,
        base: &'a ast::Expr<'a>,
        name: ast::Name<'a>,
        args: &'a [ast::Expr<'a>],
        span: Span,
    ) -> Option<Expr> {
        if let Some(part) = self.part_at(base) {
            return self.part_call(part, base.span, name, args, span);
        }
        if let Some(id) = self.enum_before(base) {
            let i = self.variant_in(id, name)?;
            return self.carrying(id, i, name, args, span);
        }
        self.locked = matches!(name.text, "lock" | "unlock" | "acquire" | "release");
        let base = self.raw(base, None);
        self.locked = false;
        let base = base?;
        self.cx.record.receivers.push((name.span, Receiver::Value(base.ty.clone())));
        if let Type::Option(inner) = &base.ty
            && name.text == "unwrap"
        {
            self.check_read(&base)?;
            self.method_arity(name, args.len(), 0)?;
            let ty = (**inner).clone();
            return Some(Expr { kind: ExprKind::Unwrap(Box::new(base)), ty, span });
        }
        let Some(shape) = shape(&base.ty, name.text) else {
            if !self.foreign_method(base.span, &base.ty, name, args, span) {
                self.unknown_method(&base, name);
            }
            return None;
        };
        if shape.ordered && !matches!(shape.result, Type::Int { .. }) {
            let shown = show(&shape.result, &self.cx.program);
            let text = format!("`{}` needs numbers; `{shown}` has no order", name.text);
            self.cx.error(codes::OPAQUE, name.span, text);
            return None;
        }
        if shape.changes && root(&base) == Root::None {
            let text = format!("`{}` changes a variable, and this is a value", name.text);
            self.cx.error(codes::NOT_A_PLACE, base.span, text);
            return None;
        }
        self.method_arity(name, args.len(), shape.args.len())?;
        let args: Vec<_> = args.iter().zip(&shape.args).map(|(e, t)| self.check(e, t)).collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        let kind = ExprKind::Method(shape.method, Box::new(base), args);
        Some(Expr { kind, ty: shape.result, span })
    }

    fn method_arity(&mut self, name: ast::Name<'a>, found: usize, wanted: usize) -> Option<()> {
        if found == wanted {
            return Some(());
        }
        let wants = count(wanted, "argument");
        let are = if found == 1 { "is" } else { "are" };
        let text = format!("`{}` takes {wants}, but {found} {are} given", name.text);
        self.cx.error(codes::ARITY, name.span, text);
        None
    }

    fn unknown_method(&mut self, base: &Expr, name: ast::Name<'a>) {
        let shown = show(&base.ty, &self.cx.program);
        let text = format!("`{shown}` has no method `{}`", name.text);
        let mut d = Diagnostic::error(codes::UNKNOWN_METHOD, name.span, text);
        let known: Vec<&str> = NAMES
            .into_iter()
            .filter(|n| {
                shape(&base.ty, n).is_some() || *n == "unwrap" && matches!(base.ty, Type::Option(_))
            })
            .collect();
        let other = match (name.text, &base.ty) {
            ("push" | "append" | "add" | "enqueue", Type::Seq(_)) => Some("push_back"),
            ("pop", Type::Seq(_)) => Some("pop_back"),
            ("dequeue", Type::Seq(_)) => Some("pop_front"),
            ("add", Type::Set(_) | Type::Bag(_)) => Some("insert"),
            ("size" | "length" | "count", _) if !known.is_empty() => Some("len"),
            ("insert" | "set", Type::Map(..)) => Some("put"),
            _ => self.cx.suggest(name.text, known.iter().copied()),
        };
        d = match (other, &base.ty) {
            (Some(near), _) => d.help(format!("did you mean `{near}`?")).edit(name.span, near),
            (None, Type::Option(_)) => {
                d.help("compare with `== empty`, or take the value out with `unwrap()`")
            }
            (None, _) if known.is_empty() => d.note("only collections and options have methods"),
            (None, _) => d.help(format!("it has `{}`", known.join("`, `"))),
        };
        self.cx.sink.push(d);
    }
}
