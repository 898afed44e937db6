//! From the syntax tree and what the elaborator noted to an index.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::Span;
use crate::program::Program;

use super::{Index, Kind, Symbol};
use crate::syntax::ast::{Behaviour, Check, Decl, DeclKind, Field, File, Name, Proc, SettingKind};
use crate::syntax::elaborate::{Record, show};

impl Index {
    /// The names of a file. `text` is what the file was parsed from.
    pub(in crate::syntax) fn new(
        text: &str,
        file: &File<'_>,
        record: Record,
        program: Arc<Program>,
    ) -> Index {
        let mut builder =
            Builder { text, record: &record, program: &program, symbols: Vec::new(), within: None };
        builder.file(file);
        builder.locals();
        let symbols = builder.finish();
        let by_place: HashMap<Span, usize> =
            symbols.iter().enumerate().map(|(i, s)| (s.span, i)).collect();
        let mut uses: BTreeMap<Span, usize> = BTreeMap::new();
        for (at, declared) in &record.uses {
            uses.extend(by_place.get(declared).map(|&i| (*at, i)));
        }
        let named = |s: &Symbol| text.get(s.span.range()) == Some(s.name.as_str());
        uses.extend(symbols.iter().enumerate().filter(|(_, s)| named(s)).map(|(i, s)| (s.span, i)));
        let mut family: Vec<usize> = (0..symbols.len()).collect();
        for (a, b) in &record.same {
            if let (Some(&a), Some(&b)) = (by_place.get(a), by_place.get(b)) {
                let (a, b) = (first(&family, a), first(&family, b));
                family[a.max(b)] = a.min(b);
            }
        }
        for i in 0..family.len() {
            family[i] = first(&family, i);
        }
        let uses = uses.into_iter().collect();
        Index { symbols, uses, receivers: record.receivers, family, program }
    }
}

/// The first of the family of a symbol.
fn first(family: &[usize], mut symbol: usize) -> usize {
    while family[symbol] != symbol {
        symbol = family[symbol];
    }
    symbol
}

struct Builder<'a> {
    text: &'a str,
    record: &'a Record,
    program: &'a Program,
    symbols: Vec<Symbol>,
    within: Option<usize>,
}

impl Builder<'_> {
    /// A declaration with its type, if that is known. Gives its index.
    fn add(&mut self, name: Name<'_>, kind: Kind, whole: Span, seen: Option<Span>) -> usize {
        let ty = self.record.types.get(&name.span).cloned();
        let mut signature = match &ty {
            Some(ty) => format!(": {}", show(ty, self.program)),
            None => String::new(),
        };
        if let Some(value) = self.record.values.get(&name.span) {
            signature += &format!(" = {value}");
        }
        let (name, span) = (name.text.to_string(), name.span);
        self.symbols.push(Symbol {
            name,
            kind,
            span,
            whole,
            within: self.within,
            ty,
            signature,
            seen,
        });
        self.symbols.len() - 1
    }

    /// Adds what is inside of a declaration.
    fn inside(&mut self, outer: usize, add: impl FnOnce(&mut Self)) {
        let before = self.within.replace(outer);
        add(self);
        self.within = before;
    }

    fn file(&mut self, file: &File<'_>) {
        let everywhere = Span::new(0, self.text.len());
        for decl in &file.decls {
            self.decl(decl, everywhere);
        }
        for unit in &file.units {
            let kind = if unit.spec { Kind::Spec } else { Kind::Object };
            let outer = self.add(unit.name, kind, unit.whole, None);
            self.inside(outer, |b| {
                for decl in &unit.decls {
                    b.decl(decl, unit.whole);
                }
                for v in &unit.vars {
                    b.add(v.name, Kind::Variable, v.whole, Some(unit.whole));
                }
                for proc in &unit.procs {
                    b.proc(proc, unit.whole);
                }
            });
        }
        for check in &file.checks {
            self.check(check);
        }
    }

    fn decl(&mut self, decl: &Decl<'_>, seen: Span) {
        let kind = match &decl.kind {
            DeclKind::Const { param: false, .. } => Kind::Constant,
            DeclKind::Const { param: true, .. } => Kind::Setting,
            DeclKind::Alias(_) => Kind::Alias,
            DeclKind::Data => Kind::Data,
            DeclKind::Enum(_) => Kind::Enum,
            DeclKind::Struct(_) => Kind::Struct,
            DeclKind::Node(_) => Kind::Node,
        };
        let outer = self.add(decl.name, kind, decl.whole, Some(seen));
        if let DeclKind::Alias(ty) = &decl.kind {
            self.symbols[outer].signature =
                format!(" = {}", self.text.get(ty.span.range()).unwrap_or("?"));
        }
        self.inside(outer, |b| match &decl.kind {
            DeclKind::Enum(variants) => {
                for v in variants {
                    let i = b.add(v.name, Kind::Variant, v.whole, Some(seen));
                    let carries = Span { start: v.name.span.end, ..v.whole };
                    b.symbols[i].signature = b.text.get(carries.range()).unwrap_or("").to_string();
                }
            }
            DeclKind::Struct(fields) | DeclKind::Node(fields) => {
                for f in fields {
                    b.add(f.name, Kind::Field, extent(f), None);
                }
            }
            _ => {}
        });
    }

    fn proc(&mut self, proc: &Proc<'_>, unit: Span) {
        let kind = if proc.op { Kind::Operation } else { Kind::Procedure };
        let outer = self.add(proc.name, kind, proc.whole, Some(unit));
        let written = |span: Span| self.text.get(span.range()).unwrap_or("?");
        let params: Vec<_> = proc.params.iter().map(|f| written(extent(f))).collect();
        let result =
            proc.result.as_ref().map_or(String::new(), |t| format!(" -> {}", written(t.span)));
        self.symbols[outer].signature = format!("({}){result}", params.join(", "));
        self.inside(outer, |b| {
            for f in &proc.params {
                b.add(f.name, Kind::Parameter, extent(f), Some(proc.whole));
            }
        });
    }

    fn check(&mut self, check: &Check<'_>) {
        let name = check.name.unwrap_or(Name { text: check.object.text, span: check.span });
        let outer = self.add(name, Kind::Check, check.whole, None);
        self.symbols[outer].signature =
            format!(": {} against {}", check.object.text, check.spec.text);
        self.inside(outer, |b| {
            for setting in &check.settings {
                if let SettingKind::Role(role) = &setting.kind {
                    let i = b.add(role.name, Kind::Role, role.whole, None);
                    if let Behaviour::Script(_) = role.behaviour {
                        b.symbols[i].signature = " script".to_string();
                    }
                }
            }
        });
    }

    /// Variables and labels inside of code; they belong to the smallest declaration around them.
    fn locals(&mut self) {
        let known: HashSet<Span> = self.symbols.iter().map(|s| s.span).collect();
        let mut outer: Vec<(Span, usize)> =
            self.symbols.iter().enumerate().map(|(i, s)| (s.whole, i)).collect();
        outer.sort_by_key(|(w, i)| (w.start, Reverse(w.end), *i));
        let locals = self.record.locals.iter().map(|&(at, until)| {
            (at, Kind::Local, Some(Span { start: at.end, end: until.max(at.end) }))
        });
        let labels = self.record.labels.iter().map(|&at| (at, Kind::Label, None));
        let mut all: Vec<_> = locals.chain(labels).filter(|l| !known.contains(&l.0)).collect();
        all.sort_by_key(|l| l.0);
        let mut outer = outer.into_iter().peekable();
        let mut around: Vec<(Span, usize)> = Vec::new();
        for (at, kind, seen) in all {
            while let Some(next) = outer.next_if(|(w, _)| w.start <= at.start) {
                around.retain(|(w, _)| w.end >= next.0.end);
                around.push(next);
            }
            around.retain(|(w, _)| w.end >= at.end);
            let Some(text) = self.text.get(at.range()) else { continue };
            self.within = around.last().map(|(_, i)| *i);
            self.add(Name { text, span: at }, kind, at, seen);
        }
        self.within = None;
    }

    /// The symbols in the order of the text.
    fn finish(self) -> Vec<Symbol> {
        let mut order: Vec<usize> = (0..self.symbols.len()).collect();
        order.sort_by_key(|&i| (self.symbols[i].span, i));
        order.dedup_by_key(|i| self.symbols[*i].span);
        let mut place = vec![None; self.symbols.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = Some(new);
        }
        let moved = |&old: &usize| {
            let s = self.symbols[old].clone();
            Symbol { within: s.within.and_then(|w| place[w]), ..s }
        };
        order.iter().map(moved).collect()
    }
}

/// `name: type`
fn extent(field: &Field<'_>) -> Span {
    field.name.span.to(field.ty.span)
}
