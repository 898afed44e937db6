//! Syntax tree to typed program: names are resolved, types checked, short forms written out.
//!
//! One file per concern. An expression whose meaning is in doubt becomes `None` after the error
//! was reported, and everything that depends on it stays silent: one mistake, one message. In the
//! same spirit a field or variable whose *type* is in doubt has the type [`Type::Unit`], which no
//! sound field or variable has (see [`sound`]).

mod access;
mod body;
mod call_graph;
mod checks;
mod clients;
mod conditions;
mod constants;
mod declare;
mod domains;
mod expressions;
mod flow;
mod habits;
mod literals;
mod loops;
mod matches;
mod methods;
mod monitors;
mod parts;
mod places;
mod primitives;
mod procedures;
mod record;
mod records;
mod statements;
mod sums;
mod traits;
mod types;
mod units;
mod unroll;
mod variants;
mod watch;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::Span;
use crate::program::{DataId, EnumId, Program, RecordId, StructId, Type};

use super::ast::{self, File, MAX_DEPTH};
use super::codes;
use linchpin_text::did_you_mean;
use linchpin_text::{Code, Diagnostic, Sink};

pub(super) use declare::BUILTIN_TYPES;
pub(super) use methods::{NAMES as METHODS, methods_of};
pub(super) use primitives::PRIMITIVES;
pub(super) use record::{Receiver, Record};
pub(super) use types::show;
pub(super) use watch::watches;

/// The program of a file, complete only if the sink has no errors, and what its names mean.
pub(super) fn program<'a>(
    file: &'a File<'a>,
    overrides: &[(String, String)],
    sink: Sink,
) -> (Program, Sink, Record) {
    let (program, sink, record) = with_params(file, overrides, &[], sink);
    let (program, sink) = variants::add(file, overrides, program, sink);
    (program, sink, record)
}

/// The program with the checks that give exactly these parameters other values.
fn with_params<'a>(
    file: &'a File<'a>,
    overrides: &[(String, String)],
    params: &[(String, String)],
    sink: Sink,
) -> (Program, Sink, Record) {
    let (cx, _) = elaborated(file, overrides, params, sink);
    (cx.program, cx.sink, cx.record)
}

/// The same with everything that is known afterwards.
fn elaborated<'a>(
    file: &'a File<'a>,
    overrides: &[(String, String)],
    params: &[(String, String)],
    sink: Sink,
) -> (Elab<'a>, Vec<units::Sigs<'a>>) {
    let mut cx = Elab {
        sink,
        program: Program::default(),
        file: Scope::default(),
        units: Vec::new(),
        unit_names: file.units.iter().map(|unit| unit.name.text).collect(),
        consts: Vec::new(),
        aliases: Vec::new(),
        sums: HashMap::new(),
        traits: Vec::new(),
        structs_known: false,
        cyclic: Vec::new(),
        nesting: 0,
        parts: 0,
        record: Record::default(),
        returns: BTreeMap::new(),
    };
    cx.declare(file);
    cx.override_params(overrides);
    cx.given_params(file, params);
    cx.resolve_declarations(file);
    let sigs = cx.signatures(file);
    for (unit, sig) in file.units.iter().zip(&sigs) {
        cx.unit(unit, sig);
    }
    cx.write_parts_out(file, &sigs);
    cx.checks(file, &sigs, params);
    for (_, d) in std::mem::take(&mut cx.returns) {
        cx.sink.push(d);
    }
    (cx, sigs)
}

/// The names of a file or unit; `None` is the file, a number an object or specification.
type ScopeRef = Option<usize>;

/// What the name of a type stands for.
#[derive(Clone, Copy, Debug)]
enum TypeDef {
    Alias(usize),
    Enum(EnumId),
    Data(DataId),
    Struct(StructId),
    Record(RecordId),
}

/// Names declared at one level.
#[derive(Default)]
struct Scope<'a> {
    types: HashMap<&'a str, (TypeDef, Span)>,
    consts: HashMap<&'a str, (usize, Span)>,
    variants: HashMap<&'a str, Vec<(EnumId, u32)>>,
}

/// A constant or parameter.
struct Const<'a> {
    name: ast::Name<'a>,
    value: &'a ast::Expr<'a>,
    param: bool,
    scope: ScopeRef,
    state: Lazy<(crate::Value, Type)>,
    overridden: bool,
}

/// `type T = ...`
struct Alias<'a> {
    name: ast::Name<'a>,
    ty: &'a ast::TypeExpr<'a>,
    scope: ScopeRef,
    state: Lazy<Type>,
}

/// Something that is computed when it is first needed.
#[derive(Clone, Debug)]
enum Lazy<T> {
    Waiting,
    Running,
    /// `None` after an error.
    Done(Option<T>),
}

/// The file being elaborated.
struct Elab<'a> {
    sink: Sink,
    program: Program,
    file: Scope<'a>,
    units: Vec<Scope<'a>>,
    /// Names of objects and specifications.
    unit_names: HashSet<&'a str>,
    consts: Vec<Const<'a>>,
    aliases: Vec<Alias<'a>>,
    /// Enums whose values carry others, and the structs that they are written out as.
    sums: HashMap<EnumId, StructId>,
    /// Per struct, once its fields are known.
    traits: Vec<traits::Traits>,
    /// Are the fields of structs known?
    structs_known: bool,
    /// Operations without a declared result that return a value: what is to be said about them, unless a check says it better.
    returns: BTreeMap<Span, Diagnostic>,
    /// Structs that contain themselves: nothing more is said about them.
    cyclic: Vec<usize>,
    /// How deep constants and types that are being resolved nest.
    nesting: u32,
    /// How many parts the variables, constants and literals have so far.
    parts: u64,
    record: Record,
}

impl<'a> Elab<'a> {
    /// Reports an error.
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, span, message));
    }

    /// Resolves a declaration that another one needs, unless that goes too deep: `height` is that
    /// of its text.
    fn nested<T>(
        &mut self,
        height: u32,
        name: ast::Name<'_>,
        resolve: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.nesting + height > 2 * MAX_DEPTH {
            let text = format!("`{}` is defined through too many other declarations", name.text);
            self.error(codes::TOO_DEEP, name.span, text);
            return None;
        }
        self.nesting += height;
        let result = resolve(self);
        self.nesting -= height;
        result
    }

    /// The candidate nearest to a name that is not known.
    fn suggest<'n>(
        &self,
        wrong: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        // Not worth the time if nobody sees it.
        if self.sink.is_full() { None } else { did_you_mean(wrong, candidates) }
    }

    /// The scopes in which names of `scope` are looked up, inner first.
    fn scopes(&self, scope: ScopeRef) -> impl Iterator<Item = &Scope<'a>> {
        scope.map(|i| &self.units[i]).into_iter().chain([&self.file])
    }

    /// What the name of a type stands for; a name that is used is noted.
    fn type_def(&mut self, name: &str, at: Span, scope: ScopeRef) -> Option<TypeDef> {
        let (def, declared) = *self.scopes(scope).find_map(|s| s.types.get(name))?;
        self.record.used(at, declared);
        Some(def)
    }

    fn scope_mut(&mut self, scope: ScopeRef) -> &mut Scope<'a> {
        match scope {
            Some(i) => &mut self.units[i],
            None => &mut self.file,
        }
    }
}

/// The type of a field or variable, unless it is in doubt.
fn sound(ty: &Type) -> Option<&Type> {
    (*ty != Type::Unit).then_some(ty)
}

/// `1 argument`, `2 arguments`
fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
