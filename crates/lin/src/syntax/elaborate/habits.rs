//! Names of other languages: types, calls and methods that people write who come from Rust, C or Java.
//!
//! What has one meaning is taken for it: `usize` is a number, `Option<T>` is `T?`, `None` is `empty`, `Some(x)` is `x`,
//! `self.top` is the variable `top`. The rest is reported with the edit that mends it.

use crate::Span;
use crate::program::{Expr, ExprKind, Type};

use super::body::{Body, Role};
use super::primitives::Args;
use super::types::show;
use super::{Elab, ScopeRef, codes};
use crate::syntax::ast;
use linchpin_text::{Diagnostic, Edit};

/// Types of numbers elsewhere. Here numbers have 32 bits, and going beyond is a fault.
const NUMBERS: [&str; 12] =
    ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "uint", "Int"];

/// Orders of memory accesses elsewhere.
const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

const SEQUENTIAL: &str = "memory is sequentially consistent here";

pub(super) const LIKE_THIS: &str = "write it like this";

/// Is it a type of numbers?
pub(super) fn is_number(name: &str) -> bool {
    NUMBERS.contains(&name)
}

/// What to do about a type that there is not, and what to write instead, if that is a word.
pub(super) fn about_type(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "float" | "double" | "f32" | "f64" => ("there are no fractions; numbers are `int`", None),
        "string" | "String" | "str" | "char" => {
            ("use an `enum` for named values, `data` for opaque ones", None)
        }
        "void" | "unit" | "Unit" => ("an operation without a result has no `->`", None),
        "boolean" | "Boolean" | "AtomicBool" | "atomic_bool" => (LIKE_THIS, Some("bool")),
        "Mutex" | "mutex" | "SpinLock" | "pthread_mutex_t" => (LIKE_THIS, Some("lock")),
        _ if name.starts_with("Atomic") || name.starts_with("atomic_") => {
            ("every variable can be read, written and `cas`ed atomically", Some("int"))
        }
        _ => return None,
    })
}

impl<'a> Elab<'a> {
    /// `Option<T>`, `Box<T>` and others; nothing if it is none of these.
    pub(super) fn foreign_generic(
        &mut self,
        name: ast::Name<'a>,
        args: &'a [ast::TypeExpr<'a>],
        span: Span,
        scope: ScopeRef,
    ) -> Option<Option<Type>> {
        let [arg] = args else { return None };
        let instead = match name.text {
            "Option" | "Optional" => {
                let inner = self.resolve_type(arg, scope);
                let Some(inner @ Type::Ref(_)) = inner else {
                    return Some(inner.map(|ty| Type::Option(Box::new(ty))));
                };
                let text = format!(
                    "a `{}` may be `null`: no option is needed",
                    show(&inner, &self.program)
                );
                self.alone(name, arg, span, &text);
                return Some(None);
            }
            "Vec" | "VecDeque" | "List" | "Queue" | "Stack" | "ArrayList" => "seq",
            "HashSet" | "BTreeSet" | "Set" => "set",
            "AtomicPtr" | "Atomic" | "AtomicReference" | "Box" | "Arc" | "Rc" | "Cell"
            | "RefCell" | "NonNull" | "Ptr" | "Shared" | "Owned" | "atomic" | "unique_ptr"
            | "shared_ptr" => {
                let text = format!("there is no `{}`: every variable can be shared", name.text);
                self.alone(name, arg, span, &text);
                return Some(None);
            }
            _ => return None,
        };
        let text = format!("this is written `{instead}`");
        let d = Diagnostic::error(codes::HABIT, name.span, text).help(LIKE_THIS);
        self.sink.push(d.edit(name.span, instead));
        Some(None)
    }
}

impl<'a> Elab<'a> {
    /// Reports `Name<T>` where `T` alone is meant.
    fn alone(&mut self, name: ast::Name<'a>, arg: &ast::TypeExpr<'a>, span: Span, text: &str) {
        let before = Span::new(name.span.start as usize, arg.span.start as usize);
        let after = Span::new(arg.span.end as usize, span.end as usize);
        let d = Diagnostic::error(codes::HABIT, name.span, text).help("name the type alone");
        self.sink.push(d.edit(before, "").edit(after, ""));
    }
}

impl<'a> Body<'_, 'a> {
    /// `self.top`: the variable of the object, if there is one of that name.
    pub(super) fn own_variable(
        &mut self,
        base: &ast::Expr<'a>,
        name: ast::Name<'a>,
        span: Span,
    ) -> Option<Option<Expr>> {
        if !matches!(base.kind, ast::ExprKind::SelfThread) || self.role == Role::Script {
            return None;
        }
        let &id = self.sigs.var_names.get(name.text)?;
        let (declared, ty) = &self.sigs.vars[id.index()];
        self.cx.record.used(name.span, declared.span);
        let ty = ty.clone().filter(|_| self.is_no_condition(id, name).is_some());
        Some(ty.map(|ty| Expr { kind: ExprKind::Global(id), ty, span }))
    }

    /// `Some(x)`
    pub(super) fn some(&mut self, args: Args<'a>, span: Span) -> Option<Expr> {
        let [inner] = args else { return None };
        let inner = self.infer(inner, None)?;
        let ty = Type::Option(Box::new(super::literals::widen(&inner.ty)));
        Some(Expr { kind: ExprKind::Some(Box::new(inner)), ty, span })
    }

    /// Adds what is to be said about a name that is not declared, if it is one of another language.
    pub(super) fn about_name(&self, name: &str, d: &mut Diagnostic) -> bool {
        let span = d.primary.span;
        let mut help = |text: &str, instead: Option<&str>| {
            d.help = Some(text.to_string());
            d.edits.extend(instead.map(|word| Edit { span, replacement: word.to_string() }));
        };
        match name {
            "nil" | "NIL" | "Nil" | "nullptr" | "NULL" | "undefined" => {
                help("no node is `null`", Some("null"));
            }
            "Nothing" | "nothing" => help("no value is `empty`", Some("empty")),
            "this" => help("variables of the object are named without it", None),
            _ if ORDERINGS.contains(&name) || name == "Ordering" => {
                d.notes.push(SEQUENTIAL.to_string());
            }
            _ => return false,
        }
        true
    }

    /// Reports a call of something that exists in other languages.
    pub(super) fn foreign_call(&mut self, name: ast::Name<'a>) -> bool {
        let instead = match name.text {
            "compare_exchange"
            | "compare_exchange_weak"
            | "compare_exchange_strong"
            | "compare_and_swap"
            | "compare_and_set"
            | "compareAndSet"
            | "CompareAndSwap"
            | "atomic_compare_exchange"
            | "CompareAndSet"
            | "cmpxchg" => "cas",
            "exchange" | "atomic_exchange" | "getAndSet" | "xchg" => "swap",
            "atomic_fetch_add" | "getAndAdd" | "faa" | "FAA" | "fetch_and_add" => "fetch_add",
            "acquire" | "mutex_lock" => "lock",
            "release" | "mutex_unlock" => "unlock",
            "fence" | "atomic_thread_fence" | "mfence" | "barrier" | "memory_barrier" => {
                let text = "there are no fences";
                let d = Diagnostic::error(codes::HABIT, name.span, text).note(SEQUENTIAL);
                self.cx.sink.push(d.help("leave it out"));
                return true;
            }
            _ => return false,
        };
        if !self.role.is_object() {
            return false;
        }
        let text = format!("this is written `{instead}`");
        let d = Diagnostic::error(codes::HABIT, name.span, text).help(LIKE_THIS);
        self.cx.sink.push(d.edit(name.span, instead));
        true
    }

    /// The arguments without the memory orders at their end, which are reported.
    pub(super) fn without_orderings(&mut self, args: Args<'a>, wanted: usize) -> Args<'a> {
        let is_ordering = |e: &ast::Expr<'a>| match &e.kind {
            ast::ExprKind::Name(name) => ORDERINGS.contains(&name.text),
            ast::ExprKind::Member(_, name) => ORDERINGS.contains(&name.text),
            _ => false,
        };
        if args.len() <= wanted || wanted == 0 || !args[wanted..].iter().all(is_ordering) {
            return args;
        }
        let from = args[wanted - 1].span.end as usize;
        let to = args[args.len() - 1].span.end as usize;
        let text = "memory orders mean nothing here";
        let d = Diagnostic::error(codes::HABIT, args[wanted].span, text).note(SEQUENTIAL);
        self.cx.sink.push(d.help("leave them out").edit(Span::new(from, to), ""));
        &args[..wanted]
    }

    /// Reports a method of another language on a place or value: `top.load()`, `top.compare_exchange(a, b)`.
    pub(super) fn foreign_method(
        &mut self,
        base: Span,
        ty: &Type,
        name: ast::Name<'a>,
        args: Args<'a>,
        span: Span,
    ) -> bool {
        let at = |start: u32, end: u32| Span::new(start as usize, end as usize);
        let first = args.first().map_or(span.end.saturating_sub(1), |e| e.span.start);
        let (before, opening) = (at(base.start, base.start), at(base.end, first));
        let rest = at(base.end, span.end);
        // The sign after the last argument that counts, with memory orders before it.
        let tail = |n: usize| at(args.get(n - 1).map_or(span.end, |e| e.span.end), span.end);
        let (text, edits): (&str, Vec<(Span, &str)>) = match (name.text, args.len()) {
            ("load" | "get" | "read", _) if !matches!(ty, Type::Map(..)) => {
                ("a variable is read by naming it", vec![(rest, "")])
            }
            ("store" | "set" | "write", 1..) if !matches!(ty, Type::Map(..)) => {
                ("a variable is written with `=`", vec![(opening, " = "), (tail(1), "")])
            }
            ("compare_exchange" | "compare_exchange_weak" | "compareAndSet" | "cas", 2..) => (
                "this is written `cas(place, old, new)`",
                vec![(before, "cas("), (opening, ", "), (tail(2), ")")],
            ),
            ("swap" | "exchange" | "getAndSet", 1..) => (
                "this is written `swap(place, new)`",
                vec![(before, "swap("), (opening, ", "), (tail(1), ")")],
            ),
            ("fetch_add" | "getAndAdd", 1..) => (
                "this is written `fetch_add(place, n)`",
                vec![(before, "fetch_add("), (opening, ", "), (tail(1), ")")],
            ),
            ("fetch_sub", 1..) => (
                "this is written `fetch_add(place, -n)`",
                vec![(before, "fetch_add("), (opening, ", -"), (tail(1), ")")],
            ),
            ("lock" | "acquire", 0) => {
                ("this is written `lock(place)`", vec![(before, "lock("), (rest, ")")])
            }
            ("unlock" | "release", 0) => {
                ("this is written `unlock(place)`", vec![(before, "unlock("), (rest, ")")])
            }
            ("is_some", 0) => ("an option is compared with `empty`", vec![(rest, " != empty")]),
            ("is_none", 0) => ("an option is compared with `empty`", vec![(rest, " == empty")]),
            ("is_ok", 0) if *ty == Type::Bool => {
                ("`cas` says whether it was done", vec![(rest, "")])
            }
            ("is_null", 0) => ("a reference is compared with `null`", vec![(rest, " == null")]),
            ("unwrap" | "clone" | "as_ref" | "borrow", 0) if matches!(ty, Type::Ref(_)) => {
                ("a reference is used as it is", vec![(rest, "")])
            }
            _ => return false,
        };
        let d = Diagnostic::error(codes::HABIT, name.span, text).help(LIKE_THIS);
        self.cx.sink.push(edits.into_iter().fold(d, |d, (span, text)| d.edit(span, text)));
        true
    }

    /// `new Node(a, b)`: fields have names.
    pub(super) fn new_call(&mut self, name: ast::Name<'a>, args: Args<'a>, span: Span) {
        let record = self.cx.scopes(self.scope).find_map(|s| s.types.get(name.text)).copied();
        let fields: Vec<String> = match record {
            Some((super::TypeDef::Record(id), _)) => {
                let record = &self.cx.program.records[id.index()];
                record.fields.iter().map(|f| f.name.clone()).collect()
            }
            _ => Vec::new(),
        };
        let text = "the fields of a new node are named";
        let mut d = Diagnostic::error(codes::HABIT, span, text);
        if !args.is_empty() && args.len() <= fields.len() {
            let at = |start: u32, end: u32| Span::new(start as usize, end as usize);
            let opening = at(name.span.end, args[0].span.start);
            d = d.help(LIKE_THIS).edit(opening, format!(" {{ {}: ", fields[0]));
            for (arg, field) in args.iter().zip(&fields).skip(1) {
                d = d.edit(at(arg.span.start, arg.span.start), format!("{field}: "));
            }
            d = d.edit(at(args[args.len() - 1].span.end, span.end), " }");
        } else {
            let named: Vec<_> = fields.iter().map(|f| format!("{f}: ...")).collect();
            d = d.help(format!("as in `new {} {{ {} }}`", name.text, named.join(", ")));
        }
        self.cx.sink.push(d);
        self.discard(args);
    }
}
