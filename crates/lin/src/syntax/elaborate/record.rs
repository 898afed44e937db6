//! What is found out about names on the way, for editors: which name means which declaration.
//!
//! A declaration is known by the place of its name, which no other declaration has. Nothing here
//! changes what a text means; whoever only wants the program drops it.

use std::collections::HashMap;

use crate::Span;
use crate::program::{EnumId, RecordId, StructId, Type};

/// Names and what they mean.
#[derive(Default)]
pub(in crate::syntax) struct Record {
    /// Places where a name is used, and its declaration; a place may occur several times.
    pub(in crate::syntax) uses: Vec<(Span, Span)>,
    /// The types of variables, parameters, fields and constants, by declaration.
    pub(in crate::syntax) types: HashMap<Span, Type>,
    /// The values of constants, by declaration.
    pub(in crate::syntax) values: HashMap<Span, String>,
    /// Local variables and up to where they can be seen.
    pub(in crate::syntax) locals: Vec<(Span, u32)>,
    /// Labels of loops.
    pub(in crate::syntax) labels: Vec<Span>,
    /// Names of fields, values of enums and methods, and what they are asked of.
    pub(in crate::syntax) receivers: Vec<(Span, Receiver)>,
    /// Operations of an object and of its specification: they need the same name.
    pub(in crate::syntax) same: Vec<(Span, Span)>,
    /// By type: the declarations of its values or fields.
    pub(super) variants: Vec<Vec<Span>>,
    pub(super) struct_fields: Vec<Vec<Span>>,
    pub(super) record_fields: Vec<Vec<Span>>,
}

/// What stands before a dot.
#[derive(Clone, Debug)]
pub(in crate::syntax) enum Receiver {
    /// A value.
    Value(Type),
    /// The name of an enum.
    Enum(EnumId),
    /// Nothing: in the braces after `new`.
    New(RecordId),
}

impl Record {
    /// A name means a declaration.
    pub(super) fn used(&mut self, name: Span, declaration: Span) {
        self.uses.push((name, declaration));
    }

    /// A name means a value of an enum.
    pub(super) fn used_variant(&mut self, name: Span, id: EnumId, variant: usize) {
        let declared = self.variants.get(id.index()).and_then(|v| v.get(variant));
        self.uses.extend(declared.map(|d| (name, *d)));
    }

    /// A name means a field of a node or struct.
    pub(super) fn used_field(&mut self, name: Span, owner: &Type, field: usize) {
        let fields = match owner {
            Type::Ref(RecordId(i)) => self.record_fields.get(*i as usize),
            Type::Struct(StructId(i)) => self.struct_fields.get(*i as usize),
            _ => None,
        };
        self.uses.extend(fields.and_then(|f| f.get(field)).map(|d| (name, *d)));
    }

    /// The type of what is declared here.
    pub(super) fn typed(&mut self, declaration: Span, ty: Option<&Type>) {
        if let Some(ty) = ty {
            self.types.insert(declaration, ty.clone());
        }
    }
}
