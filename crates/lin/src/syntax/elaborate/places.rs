//! Places: what can be read, written and operated on atomically, and what of it is shared.

use crate::program::{Expr, ExprKind, LocalId, Type, VarId};

use super::body::{Body, Role};
use super::codes;
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// Where a place lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Local(LocalId),
    Global(VarId),
    /// A field of a node.
    Field,
    /// It is no place.
    None,
}

/// Where an expression lives, if it is a place.
pub(super) fn root(mut e: &Expr) -> Root {
    loop {
        match &e.kind {
            ExprKind::Local(id) => return Root::Local(*id),
            ExprKind::Global(id) => return Root::Global(*id),
            ExprKind::Field(..) => return Root::Field,
            ExprKind::Part(base, _) | ExprKind::Index(base, _) => e = base,
            _ => return Root::None,
        }
    }
}

impl<'a> Body<'_, 'a> {
    /// Reports values that cannot be read as a whole.
    pub(super) fn check_read(&mut self, e: &Expr) -> Option<()> {
        self.check_whole(e, "read")
    }

    pub(super) fn check_whole(&mut self, e: &Expr, verb: &str) -> Option<()> {
        if self.role == Role::Watch {
            return Some(());
        }
        let traits = self.cx.traits_of(&e.ty);
        if traits.locks {
            let text = format!("a lock cannot be {verb}");
            let d = Diagnostic::error(codes::LOCK_VALUE, e.span, text);
            self.cx.sink.push(d.help("use `lock(p)`, `unlock(p)` and `try_lock(p)`"));
            return None;
        }
        if let Type::PerThread(_) = e.ty {
            let text = format!("`[T; threads]` cannot be {verb} as a whole");
            let d = Diagnostic::error(codes::WHOLE_ARRAY, e.span, text);
            self.cx.sink.push(d.help("name an element, for example that of `self`"));
            return None;
        }
        if let Type::Endless(..) = e.ty {
            let text = format!("an array without a stated end cannot be {verb} as a whole");
            let d = Diagnostic::error(codes::WHOLE_ARRAY, e.span, text);
            self.cx.sink.push(d.help("name an element"));
            return None;
        }
        let shared = matches!(root(e), Root::Global(_) | Root::Field);
        let alone = self.atomic || self.role != Role::Object;
        if shared && !alone && matches!(e.ty, Type::Array(..)) {
            let text = format!("a shared array is {verb} as a whole, which is not one access");
            let d = Diagnostic::error(codes::WHOLE_ARRAY, e.span, text);
            self.cx.sink.push(d.help("do it element by element, or inside `atomic { }`"));
            return None;
        }
        Some(())
    }

    /// The place that an expression names; reported if it is none.
    pub(super) fn place(&mut self, e: &'a ast::Expr<'a>, what: &str) -> Option<Expr> {
        // To assign to a variable is not to use it.
        let used = match e.kind {
            ast::ExprKind::Name(name) => self.find_local(name.text),
            _ => None,
        };
        let before = used.map(|id| self.locals[id.index()].used);
        let place = self.raw(e, None)?;
        if let (Some(id), Some(before)) = (used, before) {
            self.locals[id.index()].used = before;
        }
        if root(&place) != Root::None {
            return Some(place);
        }
        let d = match (&place.kind, &e.kind) {
            (ExprKind::Const(_), ast::ExprKind::Name(name)) => {
                let text = format!("`{}` is a constant and cannot be {what}", name.text);
                Diagnostic::error(codes::NOT_A_PLACE, e.span, text)
            }
            _ => {
                let text = format!("this is a value, not a place that can be {what}");
                Diagnostic::error(codes::NOT_A_PLACE, e.span, text)
                    .note("places are variables, fields of nodes, elements and parts of places")
            }
        };
        self.cx.sink.push(d);
        None
    }

    /// A place that other threads can see: the first argument of an atomic primitive.
    pub(super) fn shared_place(&mut self, e: &'a ast::Expr<'a>, who: &str) -> Option<Expr> {
        let place = self.place(e, "operated on")?;
        if let Root::Local(id) = root(&place) {
            let local = &self.locals[id.index()];
            let text =
                format!("`{who}` needs a shared place; `{}` is a local variable", local.name);
            let mut d = Diagnostic::error(codes::NOT_SHARED, e.span, text)
                .label("nobody else can see this")
                .also(local.span, "declared here");
            d = match &place.ty {
                Type::Ref(_) => d.help(format!("name a field of the node: `{}.field`", local.name)),
                _ => d.help("name a variable of the object or a field of a node"),
            };
            self.locals[id.index()].used = true;
            self.cx.sink.push(d);
            return None;
        }
        Some(place)
    }
}
