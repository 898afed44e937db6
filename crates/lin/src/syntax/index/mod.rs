//! What the names of a text mean, for editors: declarations, uses, and what can be written where.
//!
//! Names are resolved once, by the elaborator, which notes what it found on its way; here that
//! becomes an index by place. It exists for texts with errors, too, as far as they were understood.

mod build;

use std::sync::Arc;

use crate::Span;
use crate::program::{Program, Struct, Type};

use super::elaborate::{Receiver, methods_of, show};

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Object,
    Spec,
    Operation,
    Procedure,
    /// Of an object: shared; of a specification: abstract state.
    Variable,
    Parameter,
    Local,
    Constant,
    /// `param`
    Setting,
    Alias,
    Data,
    Enum,
    Variant,
    Struct,
    Node,
    Field,
    Label,
    Check,
    Role,
}

/// A declaration. Its index among [`Index::symbols`] is its identity.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where its name stands; of a check without a name, its head.
    pub span: Span,
    /// All of the declaration.
    pub whole: Span,
    /// The declaration it is part of.
    pub within: Option<usize>,
    /// The type of a variable, parameter, field or constant, if it is known.
    pub ty: Option<Type>,
    /// What follows the name: `: Node`, `(v: Value) -> bool`, ` = 3`.
    pub signature: String,
    /// Where the name alone means this declaration, unless another one hides it; `None` for what
    /// is named after a dot or in a check only.
    pub seen: Option<Span>,
}

/// A name that can follow a dot, or stand in the braces of `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: String,
    /// What follows the name: `: Node`, `(x: T) -> bool`.
    pub signature: String,
    /// Is it a method?
    pub method: bool,
}

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct Index {
    symbols: Vec<Symbol>,
    /// Where names stand and which symbol they mean, declarations included; in order.
    uses: Vec<(Span, usize)>,
    receivers: Vec<(Span, Receiver)>,
    /// Per symbol: the first one that has to keep the same name.
    family: Vec<usize>,
    program: Arc<Program>,
}

impl Index {
    /// All declarations, in the order of their names.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The name at an offset (or ending there), and the declaration it means.
    pub fn at(&self, offset: u32) -> Option<(Span, usize)> {
        let after = self.uses.partition_point(|(span, _)| span.start <= offset);
        let before = self.uses[..after].iter().rev().take(2);
        before.filter(|(span, _)| offset <= span.end).copied().next()
    }

    /// Where a symbol is named, its declaration included, in order.
    pub fn uses(&self, symbol: usize) -> impl Iterator<Item = Span> {
        self.uses.iter().filter(move |(_, s)| *s == symbol).map(|(span, _)| *span)
    }

    /// All places of names with what they mean, in order.
    pub fn names(&self) -> &[(Span, usize)] {
        &self.uses
    }

    /// The symbols that have to have the same name as this one, itself included: the operations of
    /// an object and those of the specifications it is checked against.
    pub fn family(&self, symbol: usize) -> Vec<usize> {
        let Some(first) = self.family.get(symbol) else { return Vec::new() };
        (0..self.symbols.len()).filter(|&s| self.family[s] == *first).collect()
    }

    /// The symbols whose names can be used alone at an offset, inner ones first; one that another
    /// hides is left out.
    pub fn visible(&self, offset: u32) -> Vec<usize> {
        let there = |s: &Symbol| s.seen.is_some_and(|s| s.start <= offset && offset <= s.end);
        let mut found: Vec<usize> =
            (0..self.symbols.len()).filter(|&i| there(&self.symbols[i])).collect();
        let size = |i: usize| self.symbols[i].seen.map_or(0, |s| s.end - s.start);
        found.sort_by_key(|&i| (size(i), self.symbols[i].span.start));
        let mut names = std::collections::HashSet::new();
        found.retain(|&i| {
            let s = &self.symbols[i];
            names.insert((space(s.kind), s.name.clone()))
        });
        found
    }

    /// What the name at an offset (or ending there), after a dot or in the braces of `new`, could
    /// be; `None` if it is no such name, or nobody knows of what.
    pub fn members_at(&self, offset: u32) -> Option<Vec<Member>> {
        let covers = |span: &Span| span.start <= offset && offset <= span.end;
        let (_, receiver) = self.receivers.iter().rev().find(|(span, _)| covers(span))?;
        Some(match receiver {
            Receiver::Value(ty) => self.members_of(ty),
            Receiver::New(id) => self.members_of(&Type::Ref(*id)),
            Receiver::Enum(id) => {
                let Some(def) = self.program.enums.get(id.index()) else { return Some(Vec::new()) };
                let sum = self
                    .program
                    .structs
                    .iter()
                    .find(|s| s.sum.as_ref().is_some_and(|s| s.tag == *id));
                let variant = |(i, name): (usize, &String)| Member {
                    name: name.clone(),
                    signature: format!("{}: {}", self.carried(sum, i), def.name),
                    method: false,
                };
                def.variants.iter().enumerate().map(variant).collect()
            }
        })
    }

    /// What a value of an enum carries: `(int, Node)`, or nothing.
    fn carried(&self, sum: Option<&Struct>, variant: usize) -> String {
        let carried =
            sum.and_then(|s| Some(&s.fields[s.sum.as_ref()?.carried.get(variant)?.clone()]));
        let types: Vec<_> = carried.unwrap_or_default().iter().map(|f| self.show(&f.ty)).collect();
        if types.is_empty() { String::new() } else { format!("({})", types.join(", ")) }
    }

    /// The fields and methods of a type.
    pub fn members_of(&self, ty: &Type) -> Vec<Member> {
        let fields = match ty {
            Type::Ref(id) => self.program.records.get(id.index()).map(|r| &r.fields),
            // Nobody can name what a value of an enum carries.
            Type::Struct(id) if self.program.sum(ty).is_none() => {
                self.program.structs.get(id.index()).map(|s| &s.fields)
            }
            _ => None,
        };
        let field = |f: &crate::program::Field| Member {
            name: f.name.clone(),
            signature: format!(": {}", self.show(&f.ty)),
            method: false,
        };
        let method = |(name, args, result): (&str, Vec<Type>, Type)| {
            let args: Vec<_> = args.iter().map(|t| self.show(t)).collect();
            let result = match &result {
                Type::Unit => String::new(),
                ty => format!(" -> {}", self.show(ty)),
            };
            let signature = format!("({}){result}", args.join(", "));
            Member { name: name.to_string(), signature, method: true }
        };
        let fields = fields.into_iter().flatten().map(field);
        fields.chain(methods_of(ty).into_iter().map(method)).collect()
    }

    /// The type of a field, by name.
    pub fn field(&self, ty: &Type, name: &str) -> Option<&Type> {
        let fields = match ty {
            Type::Ref(id) => &self.program.records.get(id.index())?.fields,
            Type::Struct(id) => &self.program.structs.get(id.index())?.fields,
            _ => return None,
        };
        fields.iter().find(|f| f.name == name).map(|f| &f.ty)
    }

    /// A type as it is written.
    pub fn show(&self, ty: &Type) -> String {
        show(ty, &self.program)
    }
}

/// Names of different spaces do not hide each other.
fn space(kind: Kind) -> u8 {
    match kind {
        Kind::Operation | Kind::Procedure => 1,
        Kind::Alias | Kind::Data | Kind::Enum | Kind::Struct | Kind::Node => 2,
        Kind::Object | Kind::Spec | Kind::Check | Kind::Role | Kind::Label => 3,
        _ => 0,
    }
}
