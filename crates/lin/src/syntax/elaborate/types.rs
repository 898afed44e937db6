//! Types: from what is written to what is meant, what fits where, and how they are shown.

use crate::Span;
use crate::program::{Program, Type};

use super::declare::BUILTIN_TYPES;
use super::habits::{about_type, is_number};
use super::monitors::CONDITION;
use super::traits::MAX_SIZE;
use super::{Elab, Lazy, ScopeRef, TypeDef, codes, count};
use crate::syntax::ast::{ExprKind, Range, TypeExpr, TypeKind};
use linchpin_text::Diagnostic;

/// Where a type is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    ObjectVar,
    SpecVar,
    NodeField,
    StructField,
    /// What a value of an enum carries.
    Carried,
    /// A local variable, parameter or result in an object, or in a specification.
    ObjectLocal,
    SpecLocal,
}

impl<'a> Elab<'a> {
    /// The type that is meant, if it is one.
    pub(super) fn resolve_type(&mut self, t: &'a TypeExpr<'a>, scope: ScopeRef) -> Option<Type> {
        let ty = match &t.kind {
            TypeKind::Name(name) => return self.named_type(name.text, name.span, scope),
            TypeKind::Range(range) => self.range_type(range, t.span, scope)?,
            TypeKind::Option(inner) => Type::Option(Box::new(self.resolve_type(inner, scope)?)),
            TypeKind::Tuple(parts) if parts.is_empty() => {
                self.error(codes::UNKNOWN_TYPE, t.span, "there is no empty tuple");
                return None;
            }
            TypeKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.resolve_type(p, scope)).collect();
                Type::Tuple(parts.into_iter().collect::<Option<_>>()?)
            }
            TypeKind::Array(element, size) => {
                let element = self.resolve_type(element, scope);
                if let ExprKind::Threads = size.kind {
                    Type::PerThread(Box::new(element?))
                } else {
                    let n = self.constant_int(size, scope)?;
                    if n < 0 || n as u64 > MAX_SIZE {
                        let text = format!("an array has from 0 to {MAX_SIZE} elements, not {n}");
                        self.error(codes::TOO_LARGE, size.span, text);
                        return None;
                    }
                    Type::Array(Box::new(element?), n as u32)
                }
            }
            TypeKind::Endless(element) => {
                Type::Endless(Box::new(self.resolve_type(element, scope)?), 0)
            }
            TypeKind::Generic(name, args) => {
                let wanted = match name.text {
                    "seq" | "set" | "bag" => 1,
                    "map" => 2,
                    _ => {
                        if let Some(ty) = self.foreign_generic(*name, args, t.span, scope) {
                            return ty;
                        }
                        let text = format!("`{}` takes no types in `<` `>`", name.text);
                        let d = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, text);
                        self.sink.push(d.help("only `seq`, `set`, `bag` and `map` do"));
                        return None;
                    }
                };
                if args.len() != wanted {
                    let found = count(args.len(), "type");
                    let text =
                        format!("`{}` takes {}, not {found}", name.text, count(wanted, "type"));
                    self.error(codes::ARITY, t.span, text);
                    return None;
                }
                let args: Vec<_> = args.iter().map(|a| self.resolve_type(a, scope)).collect();
                let mut args =
                    args.into_iter().collect::<Option<Vec<_>>>()?.into_iter().map(Box::new);
                let first = args.next()?;
                match name.text {
                    "seq" => Type::Seq(first),
                    "set" => Type::Set(first),
                    "bag" => Type::Bag(first),
                    _ => Type::Map(first, args.next()?),
                }
            }
        };
        self.check_size(&ty, t.span).then_some(ty)
    }

    fn named_type(&mut self, name: &str, span: Span, scope: ScopeRef) -> Option<Type> {
        match self.type_def(name, span, scope) {
            Some(TypeDef::Alias(i)) => return self.alias(i),
            Some(TypeDef::Enum(id)) => return Some(self.enum_type(id)),
            Some(TypeDef::Data(id)) => return Some(Type::Data(id)),
            Some(TypeDef::Struct(id)) => return Some(Type::Struct(id)),
            Some(TypeDef::Record(id)) => return Some(Type::Ref(id)),
            None => {}
        }
        match name {
            "bool" => return Some(Type::Bool),
            "int" => return Some(Type::INT),
            _ if is_number(name) => return Some(Type::INT),
            "thread" => return Some(Type::Thread),
            "lock" => return Some(Type::Lock),
            CONDITION => {
                let text = "a `condition` is a variable of an object, and no part of anything";
                self.error(codes::TYPE_PLACE, span, text);
                return None;
            }
            "seq" | "set" | "bag" | "map" => {
                let example = if name == "map" { "map<Key, Value>" } else { "seq<Value>" };
                let text = format!("`{name}` needs the type of its elements");
                let d = Diagnostic::error(codes::ARITY, span, text);
                self.sink.push(d.help(format!("as in `{example}`")));
                return None;
            }
            _ => {}
        }
        let mut d =
            Diagnostic::error(codes::UNKNOWN_TYPE, span, format!("there is no type `{name}`"));
        if self.unit_names.contains(name) {
            let note = format!("`{name}` is an object or a specification");
            let help = "it can be a part of an object: a variable of its own, and no array of them";
            self.sink.push(d.note(note).help(help));
            return None;
        }
        let known = self.scopes(scope).flat_map(|s| s.types.keys().copied());
        let near = self.suggest(name, known.chain(BUILTIN_TYPES));
        if let Some((help, instead)) = about_type(name) {
            d = d.help(help);
            d = instead.into_iter().fold(d, |d, instead| d.edit(span, instead));
        } else if let Some(near) = near {
            d = d.help(format!("did you mean `{near}`?")).edit(span, near);
        } else if self.scopes(scope).any(|s| s.consts.contains_key(name)) {
            d = d.note(format!("`{name}` is a constant")).help(format!("a range is `0..{name}`"));
        } else {
            d = d
                .help(format!("declare it, for example as `data {name}` if its values are opaque"));
        }
        self.sink.push(d);
        None
    }

    fn range_type(&mut self, range: &'a Range<'a>, span: Span, scope: ScopeRef) -> Option<Type> {
        let lo = self.constant_int(&range.lo, scope);
        let hi = self.constant_int(&range.hi, scope);
        let (lo, mut hi) = (lo?, i64::from(hi?));
        if !range.inclusive {
            hi -= 1;
        }
        match i32::try_from(hi) {
            Ok(hi) if lo <= hi => Some(Type::Int { lo, hi }),
            _ => {
                let text = format!("the range is empty: nothing is from {lo} to {hi}");
                self.error(codes::RANGE, span, text);
                None
            }
        }
    }

    /// The meaning of `type T = ...`.
    pub(super) fn alias(&mut self, i: usize) -> Option<Type> {
        match &self.aliases[i].state {
            Lazy::Done(ty) => return ty.clone(),
            Lazy::Running => {
                let name = self.aliases[i].name;
                let text = format!("the type `{}` is defined by itself", name.text);
                self.error(codes::CYCLE, name.span, text);
                return None;
            }
            Lazy::Waiting => {}
        }
        let (name, ty, scope) = (self.aliases[i].name, self.aliases[i].ty, self.aliases[i].scope);
        self.aliases[i].state = Lazy::Running;
        let ty = self.nested(ty.height, name, |cx| cx.resolve_type(ty, scope));
        self.aliases[i].state = Lazy::Done(ty.clone());
        ty
    }

    /// Reports types that are not allowed in a place.
    pub(super) fn admit(&mut self, ty: &Type, span: Span, place: Place) -> bool {
        use Place::*;
        let traits = self.traits_of(ty);
        let shown = show(ty, &self.program);
        let spec = matches!(place, SpecVar | SpecLocal);
        let object = matches!(place, ObjectVar | ObjectLocal | NodeField);
        let var = matches!(place, ObjectVar | SpecVar);
        let endless = traits.endless && !(place == ObjectVar && endless_outside(ty));
        let d = if endless {
            let text = match place {
                ObjectVar => "`[T; ..]` cannot be inside of another type",
                _ => "`[T; ..]` is for variables of objects only",
            };
            Diagnostic::error(codes::TYPE_PLACE, span, text).help(match spec {
                true => "specifications have `seq<T>`, which has no end either",
                false => "inside, use an array of a fixed size",
            })
        } else if object && traits.collections {
            Diagnostic::error(codes::TYPE_PLACE, span, format!("objects cannot use `{shown}`"))
                .note("`seq`, `set`, `bag` and `map` are for specifications")
                .help("build it from nodes or arrays")
        } else if spec && traits.refs {
            Diagnostic::error(
                codes::TYPE_PLACE,
                span,
                format!("specifications cannot use `{shown}`"),
            )
            .note("references to nodes are for objects")
            .help("use `seq`, `set`, `bag` or `map` for the abstract state")
        } else if traits.locks && !(matches!(place, ObjectVar | NodeField) && locks_outside(ty)) {
            let text = match place {
                SpecVar | SpecLocal => "specifications need no locks".into(),
                ObjectVar | NodeField => format!("a lock cannot be inside `{shown}`"),
                Carried => "a value of an enum cannot carry a lock".into(),
                _ => "a lock cannot be a local variable, parameter, result or part of a struct"
                    .into(),
            };
            Diagnostic::error(codes::TYPE_PLACE, span, text)
                .help("locks are variables of objects, fields of nodes, or arrays of locks")
        } else if traits.per_thread && !(var && per_thread_outside(ty)) {
            let text = match var {
                true => "`[T; threads]` cannot be inside of another type",
                false => "`[T; threads]` is for variables of objects and specifications only",
            };
            let d = Diagnostic::error(codes::TYPE_PLACE, span, text);
            match var {
                true => d
                    .help("inside, use an array of a fixed size, as in `[[int; 3]; threads]`")
                    .note("`x[a][b as int]` tells threads apart"),
                false => d,
            }
        } else {
            return true;
        };
        self.sink.push(d);
        false
    }
}

/// Is every lock in it a place of its own?
fn locks_outside(ty: &Type) -> bool {
    match ty {
        Type::Lock => true,
        Type::Array(t, _) | Type::Endless(t, _) | Type::PerThread(t) => locks_outside(t),
        _ => false,
    }
}

/// Is it an array without a stated end, and nothing inside of it one?
fn endless_outside(ty: &Type) -> bool {
    fn inside(ty: &Type) -> bool {
        match ty {
            Type::Endless(..) => true,
            Type::Option(t) | Type::Array(t, _) | Type::PerThread(t) => inside(t),
            Type::Tuple(ts) => ts.iter().any(inside),
            _ => false,
        }
    }
    matches!(ty, Type::Endless(t, _) if !inside(t))
}

fn per_thread_outside(ty: &Type) -> bool {
    fn inside(ty: &Type) -> bool {
        match ty {
            Type::PerThread(_) => true,
            Type::Option(t) | Type::Array(t, _) | Type::Endless(t, _) => inside(t),
            Type::Seq(t) | Type::Set(t) | Type::Bag(t) => inside(t),
            Type::Map(k, v) => inside(k) || inside(v),
            Type::Tuple(ts) => ts.iter().any(inside),
            _ => false,
        }
    }
    matches!(ty, Type::PerThread(t) if !inside(t))
}

/// Are the types the same up to the ranges of numbers?
pub(super) fn same(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Int { .. }, Type::Int { .. }) => true,
        (Type::Option(a), Type::Option(b)) | (Type::PerThread(a), Type::PerThread(b)) => same(a, b),
        (Type::Seq(a), Type::Seq(b)) | (Type::Set(a), Type::Set(b)) => same(a, b),
        (Type::Bag(a), Type::Bag(b)) => same(a, b),
        (Type::Array(a, n), Type::Array(b, m)) => n == m && same(a, b),
        (Type::Endless(a, _), Type::Endless(b, _)) => same(a, b),
        (Type::Map(a, x), Type::Map(b, y)) => same(a, b) && same(x, y),
        (Type::Tuple(a), Type::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

/// Does a value of type `a` fit where `b` is wanted, perhaps as an option?
pub(super) fn fits(a: &Type, b: &Type) -> bool {
    same(a, b) || matches!(b, Type::Option(b) if fits(a, b))
}

/// A type as it is written.
pub(in crate::syntax) fn show(ty: &Type, program: &Program) -> String {
    match ty {
        Type::Unit => "nothing".into(),
        Type::Bool => "bool".into(),
        Type::Int { lo: i32::MIN, hi: i32::MAX } => "int".into(),
        Type::Int { lo, hi } => format!("{lo}..={hi}"),
        Type::Enum(id) => program.enums[id.index()].name.clone(),
        Type::Data(id) => program.data[id.index()].name.clone(),
        Type::Ref(id) => program.records[id.index()].name.clone(),
        Type::Thread => "thread".into(),
        Type::Lock => "lock".into(),
        Type::Option(t) => format!("{}?", show(t, program)),
        Type::Tuple(ts) => {
            let parts: Vec<_> = ts.iter().map(|t| show(t, program)).collect();
            format!("({})", parts.join(", "))
        }
        Type::Struct(id) => program.structs[id.index()].name.clone(),
        Type::Endless(t, _) => format!("[{}; ..]", show(t, program)),
        Type::Array(t, n) => format!("[{}; {n}]", show(t, program)),
        Type::PerThread(t) => format!("[{}; threads]", show(t, program)),
        Type::Seq(t) => format!("seq<{}>", show(t, program)),
        Type::Set(t) => format!("set<{}>", show(t, program)),
        Type::Bag(t) => format!("bag<{}>", show(t, program)),
        Type::Map(k, v) => format!("map<{}, {}>", show(k, program), show(v, program)),
    }
}
