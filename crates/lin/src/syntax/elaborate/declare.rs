//! Declarations of constants and types: collected first, so that they can be used before they are
//! written, then resolved.

use std::collections::HashMap;

use crate::Span;
use crate::display::display_value;
use crate::program::{
    DataId, DataType, Enum, EnumId, Field, Record, RecordId, Struct, StructId, Type,
};

use super::sums::carry;
use super::traits::MAX_SIZE;
use super::types::Place;
use super::{Alias, Const, Elab, Lazy, Scope, ScopeRef, TypeDef, codes};
use crate::syntax::ast::{self, Decl, DeclKind, File};
use linchpin_text::Diagnostic;

/// Names of types that are always there.
pub(in crate::syntax) const BUILTIN_TYPES: [&str; 9] =
    ["bool", "int", "thread", "lock", "condition", "seq", "set", "bag", "map"];

impl<'a> Elab<'a> {
    /// Enters all names and gives every type its index.
    pub(super) fn declare(&mut self, file: &'a File<'a>) {
        for decl in &file.decls {
            self.declare_one(decl, None);
        }
        for (i, unit) in file.units.iter().enumerate() {
            self.units.push(Scope::default());
            for decl in &unit.decls {
                self.declare_one(decl, Some(i));
            }
        }
    }

    fn declare_one(&mut self, decl: &'a Decl<'a>, scope: ScopeRef) {
        let name = decl.name;
        let text = name.text.to_string();
        let def = match &decl.kind {
            DeclKind::Const { value, param } => {
                let (param, state) = (*param, Lazy::Waiting);
                let id = self.consts.len();
                self.consts.push(Const { name, value, param, scope, state, overridden: false });
                let old = self.scope_mut(scope).consts.insert(name.text, (id, name.span));
                if let Some((_, span)) = old {
                    self.duplicate(name, "constant", span);
                }
                return;
            }
            DeclKind::Alias(ty) => {
                self.aliases.push(Alias { name, ty, scope, state: Lazy::Waiting });
                TypeDef::Alias(self.aliases.len() - 1)
            }
            DeclKind::Data => {
                self.program.data.push(DataType { name: text });
                TypeDef::Data(DataId(self.program.data.len() as u32 - 1))
            }
            DeclKind::Enum(variants) => self.declare_enum(name, variants, scope),
            DeclKind::Struct(_) => {
                self.program.structs.push(Struct { name: text, fields: Vec::new(), sum: None });
                TypeDef::Struct(StructId(self.program.structs.len() as u32 - 1))
            }
            DeclKind::Node(_) => {
                self.program.records.push(Record {
                    name: text,
                    fields: Vec::new(),
                    span: name.span,
                });
                TypeDef::Record(RecordId(self.program.records.len() as u32 - 1))
            }
        };
        if BUILTIN_TYPES.contains(&name.text) {
            let text = format!("`{}` is the name of a type that is always there", name.text);
            self.error(codes::DUPLICATE, name.span, text);
        }
        if let Some((_, span)) = self.scope_mut(scope).types.insert(name.text, (def, name.span)) {
            self.duplicate(name, "type", span);
        }
    }

    fn declare_enum(
        &mut self,
        name: ast::Name<'a>,
        variants: &[ast::Variant<'a>],
        scope: ScopeRef,
    ) -> TypeDef {
        let id = EnumId(self.program.enums.len() as u32);
        if variants.is_empty() {
            self.error(codes::EXPECTED, name.span, "an `enum` needs at least one value");
        }
        if variants.len() as u64 > MAX_SIZE {
            let text = format!("an `enum` has at most {MAX_SIZE} values");
            self.error(codes::TOO_LARGE, name.span, text);
        }
        self.record.variants.push(variants.iter().map(|v| v.name.span).collect());
        let mut seen = HashMap::new();
        for (i, v) in variants.iter().enumerate() {
            if let Some(span) = seen.insert(v.name.text, v.name.span) {
                self.duplicate(v.name, "value", span);
            }
            self.scope_mut(scope).variants.entry(v.name.text).or_default().push((id, i as u32));
        }
        let names = variants.iter().map(|v| v.name.text.to_string()).collect();
        self.program.enums.push(Enum { name: name.text.to_string(), variants: names });
        if carry(variants) {
            self.declare_sum(name, id);
        }
        TypeDef::Enum(id)
    }

    /// Reports that a name is declared twice.
    pub(super) fn duplicate(&mut self, name: ast::Name<'_>, what: &str, first: Span) {
        let text = format!("the {what} `{}` is declared twice", name.text);
        let (first, second) =
            if first <= name.span { (first, name.span) } else { (name.span, first) };
        let d = Diagnostic::error(codes::DUPLICATE, second, text).label("declared again");
        self.sink.push(d.also(first, "first declared here"));
    }

    /// Gives every declaration its meaning.
    pub(super) fn resolve_declarations(&mut self, file: &'a File<'a>) {
        let units = file
            .units
            .iter()
            .enumerate()
            .flat_map(|(i, u)| u.decls.iter().map(move |d| (Some(i), d)));
        let all: Vec<_> = file.decls.iter().map(|d| (None, d)).chain(units).collect();
        let (mut structs, mut records) = (0, 0);
        let mut spans = Vec::new();
        for &(scope, decl) in &all {
            match &decl.kind {
                DeclKind::Struct(fields) => {
                    self.program.structs[structs].fields = self.fields(fields, scope);
                    let spans_of = fields.iter().map(|f| f.name.span).collect();
                    self.record.struct_fields.push(spans_of);
                    spans.push(decl.name.span);
                    structs += 1;
                }
                DeclKind::Enum(variants) if carry(variants) => {
                    self.resolve_sum(structs, variants, scope);
                    // Nobody can name them.
                    self.record.struct_fields.push(Vec::new());
                    spans.push(decl.name.span);
                    structs += 1;
                }
                DeclKind::Node(fields) => {
                    self.program.records[records].fields = self.fields(fields, scope);
                    let spans_of = fields.iter().map(|f| f.name.span).collect();
                    self.record.record_fields.push(spans_of);
                    records += 1;
                }
                _ => {}
            }
        }
        let spoilt = self.finish_structs(&spans);
        self.structs_known = true;
        (structs, records) = (0, 0);
        for &(_, decl) in &all {
            let written = |fields: &[ast::Field<'_>]| fields.iter().map(|f| f.ty.span).collect();
            let (place, types): (_, Vec<Span>) = match &decl.kind {
                DeclKind::Struct(fields) => (Place::StructField, written(fields)),
                DeclKind::Node(fields) => (Place::NodeField, written(fields)),
                DeclKind::Enum(variants) if carry(variants) => {
                    let carried = variants.iter().flat_map(|v| &v.carries).map(|t| t.span);
                    // Which variant it is comes first.
                    (Place::Carried, [decl.name.span].into_iter().chain(carried).collect())
                }
                _ => continue,
            };
            let node = place == Place::NodeField;
            let fields = if node {
                records += 1;
                self.program.records[records - 1].fields.clone()
            } else {
                structs += 1;
                self.program.structs[structs - 1].fields.clone()
            };
            if !node && spoilt[structs - 1] {
                continue;
            }
            let whole = Type::Tuple(fields.iter().map(|f| f.ty.clone()).collect());
            self.check_size(&whole, decl.name.span);
            for (field, at) in fields.iter().zip(types) {
                self.admit(&field.ty, at, place);
            }
        }
        for i in 0..self.aliases.len() {
            self.alias(i);
        }
        for i in 0..self.consts.len() {
            let value = self.constant(i);
            if let Some((value, ty)) = &value {
                let declared = self.consts[i].name.span;
                self.record.values.insert(declared, display_value(value, ty, &self.program));
                self.record.typed(declared, Some(ty));
            }
            if self.consts[i].param {
                let name = self.consts[i].name.text.to_string();
                let overridden = self.consts[i].overridden;
                if let Some((value, _)) = value {
                    self.program.params.push((name, value, overridden));
                }
            }
        }
    }

    fn fields(&mut self, fields: &'a [ast::Field<'a>], scope: ScopeRef) -> Vec<Field> {
        let mut seen = HashMap::new();
        let mut result = Vec::new();
        for f in fields {
            if let Some(span) = seen.insert(f.name.text, f.name.span) {
                self.duplicate(f.name, "field", span);
            }
            let ty = self.resolve_type(&f.ty, scope);
            self.record.typed(f.name.span, ty.as_ref());
            let ty = ty.unwrap_or(Type::Unit);
            result.push(Field { name: f.name.text.to_string(), ty });
        }
        result
    }

    /// Looks for structs that contain themselves or too much and notes what the others contain.
    /// Those that are wrong become empty, so that nobody runs around in them or writes them out;
    /// says which.
    fn finish_structs(&mut self, spans: &[Span]) -> Vec<bool> {
        let n = self.program.structs.len();
        let mut spoilt = vec![false; n];
        self.traits = vec![Default::default(); n];
        // 0: not seen, 1: on the path, 2: done
        let mut state = vec![0u8; n];
        for start in 0..n {
            let mut path = vec![(start, 0usize)];
            if state[start] != 0 {
                continue;
            }
            state[start] = 1;
            while let Some(&mut (s, ref mut next)) = path.last_mut() {
                let inside = self.structs_in(s);
                if let Some(&inner) = inside.get(*next) {
                    *next += 1;
                    match state[inner] {
                        0 => {
                            state[inner] = 1;
                            path.push((inner, 0));
                        }
                        1 => {
                            self.struct_cycle(inner, &path, spans);
                            self.empty_struct(s);
                            spoilt[s] = true;
                        }
                        _ => {}
                    }
                } else {
                    let parts: Vec<Type> =
                        self.program.structs[s].fields.iter().map(|f| f.ty.clone()).collect();
                    let whole = Type::Tuple(parts);
                    self.traits[s] = self.traits_of(&whole);
                    // Of structs that grow with one another only the first is reported.
                    spoilt[s] |= inside.iter().any(|&i| spoilt[i]);
                    if spoilt[s] || !self.check_size(&whole, spans[s]) {
                        self.empty_struct(s);
                        self.traits[s] = self.traits_of(&Type::Bool);
                        spoilt[s] = true;
                    }
                    state[s] = 2;
                    path.pop();
                }
            }
        }
        spoilt
    }

    fn empty_struct(&mut self, s: usize) {
        for f in &mut self.program.structs[s].fields {
            f.ty = Type::Unit;
        }
    }

    /// The structs that are part of a struct.
    fn structs_in(&self, s: usize) -> Vec<usize> {
        fn collect(ty: &Type, out: &mut Vec<usize>) {
            match ty {
                Type::Struct(id) => out.push(id.index()),
                Type::Option(t) | Type::Array(t, _) | Type::PerThread(t) => collect(t, out),
                Type::Endless(t, _) => collect(t, out),
                Type::Seq(t) | Type::Set(t) | Type::Bag(t) => collect(t, out),
                Type::Map(k, v) => {
                    collect(k, out);
                    collect(v, out);
                }
                Type::Tuple(ts) => ts.iter().for_each(|t| collect(t, out)),
                _ => {}
            }
        }
        let mut out = Vec::new();
        for f in &self.program.structs[s].fields {
            collect(&f.ty, &mut out);
        }
        out
    }

    fn struct_cycle(&mut self, inner: usize, path: &[(usize, usize)], spans: &[Span]) {
        let from = path.iter().position(|p| p.0 == inner).unwrap_or(0);
        let names: Vec<String> = path[from..]
            .iter()
            .map(|p| p.0)
            .chain([inner])
            .map(|i| format!("`{}`", self.program.structs[i].name))
            .collect();
        self.cyclic.push(inner);
        let Struct { name, sum, .. } = &self.program.structs[inner];
        let (what, article) = if sum.is_some() { ("enum", "an") } else { ("struct", "a") };
        let text = format!("the {what} `{name}` contains itself");
        self.sink.push(
            Diagnostic::error(codes::CYCLE, spans[inner], text)
                .note(names.join(" contains "))
                .help(format!("{article} `{what}` is a value; use a `node`, which is referred to")),
        );
    }
}
