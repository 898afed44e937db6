//! Checks: which object against which specification, and their settings.

use std::collections::{HashMap, HashSet};

use crate::Span;
use crate::program::{Against, Check, DataDomain, Expect, FaultKind, ObjectId, SpecId, Type};

use super::conditions::Asked;
use super::types::show;
use super::units::{Sig, Sigs};
use super::{Elab, TypeDef, codes, variants};
use crate::syntax::ast::{self, File, SettingKind, Values};
use linchpin_text::Diagnostic;

/// What stands in the place of a specification where the object is its own.
pub(super) const ITSELF: &str = "itself";

/// The most threads a check can have.
pub(super) const MAX_THREADS: u32 = 8;

/// The most values an opaque type can be given.
const MAX_DATA: i32 = 64;

/// The settings of a check, each at most once.
#[derive(Default)]
pub(super) struct Settings<'a> {
    pub(super) threads: Option<&'a ast::Expr<'a>>,
    pub(super) threads_span: Option<Span>,
    pub(super) ops: Option<&'a Option<ast::Expr<'a>>>,
    pub(super) roles: Vec<&'a ast::Role<'a>>,
    /// By procedure and position of the parameter; with the place of the setting.
    pub(super) values: HashMap<(usize, usize), (&'a Values<'a>, Span)>,
    data: HashMap<usize, DataDomain>,
    heap: Option<u32>,
    expect: Option<Expect>,
}

impl<'a> Elab<'a> {
    /// All checks of the file.
    pub(super) fn checks(
        &mut self,
        file: &'a File<'a>,
        sigs: &[Sigs<'a>],
        params: &[(String, String)],
    ) {
        let units: HashMap<(bool, &str), usize> =
            file.units.iter().enumerate().rev().map(|(i, u)| ((u.spec, u.name.text), i)).collect();
        let mut names: HashSet<String> = HashSet::new();
        let mut first: HashMap<&str, Span> = HashMap::new();
        for name in file.checks.iter().filter_map(|c| c.name) {
            if let Some(span) = first.insert(name.text, name.span) {
                self.duplicate(name, "check", span);
            }
            names.insert(name.text.into());
        }
        let mut uses: HashMap<&str, usize> = HashMap::new();
        let mut compared = HashSet::new();
        let mut used = vec![false; file.units.len()];
        for check in &file.checks {
            let object = self.unit_named(&units, file, false, check.object);
            let itself = check.spec.text == ITSELF;
            let spec =
                if itself { object } else { self.unit_named(&units, file, true, check.spec) };
            let name = match check.name {
                Some(name) => name.text.to_string(),
                None => {
                    let uses = uses.entry(check.object.text).or_default();
                    unnamed(check.object.text, uses, &mut names)
                }
            };
            for unit in [object, spec].into_iter().flatten() {
                used[unit] = true;
            }
            let (Some(object), Some(spec)) = (object, spec) else {
                continue;
            };
            if variants::params(check) != params {
                continue;
            }
            let agree = itself
                || !compared.insert((object, spec))
                || self.agree(&sigs[object], &sigs[spec], check);
            let against = match itself {
                true => Against::Itself,
                false => Against::Spec(SpecId(sigs[spec].index)),
            };
            let checks = self.check(check, name, &sigs[object], against);
            if agree {
                self.program.checks.extend(checks);
            }
        }
        for unit in sigs.iter().flat_map(Sigs::parts_used) {
            used[unit] = true;
        }
        // What is there for other files has no checks.
        let own = if file.checks.is_empty() { 0 } else { file.own };
        for (unit, _) in file.units.iter().zip(used).take(own).filter(|(_, used)| !used) {
            if unit.spec && unit.name.text == ITSELF {
                continue;
            }
            let what = if unit.spec { "specification" } else { "object" };
            let text = format!("no check uses the {what} `{}`", unit.name.text);
            let mut d = Diagnostic::warning(codes::UNCHECKED, unit.name.span, text);
            if !unit.spec {
                let name = unit.name.text;
                d = d.help(format!("`check {name} against SPEC {{ threads 2, ops 2 }}`"));
            }
            self.sink.push(d);
        }
    }

    fn unit_named(
        &mut self,
        units: &HashMap<(bool, &str), usize>,
        file: &File<'a>,
        spec: bool,
        name: ast::Name<'a>,
    ) -> Option<usize> {
        if let Some(&i) = units.get(&(spec, name.text)) {
            self.record.used(name.span, file.units[i].name.span);
            return Some(i);
        }
        let what = if spec { "specification" } else { "object" };
        let text = format!("there is no {what} `{}`", name.text);
        let mut d = Diagnostic::error(codes::UNKNOWN_UNIT, name.span, text);
        let known = file.units.iter().filter(|u| u.spec == spec).map(|u| u.name.text);
        let known = known.chain(spec.then_some(ITSELF));
        if let Some(near) = self.suggest(name.text, known) {
            d = d.help(format!("did you mean `{near}`?")).edit(name.span, near);
        } else if units.contains_key(&(!spec, name.text)) {
            let other = if spec { "an object" } else { "a specification" };
            d = d.note(format!("`{}` is {other}; write `check OBJECT against SPEC`", name.text));
            if spec {
                d = d.help("to compare an object with itself, write `against itself`");
            }
        } else if let [only] = file.units.iter().filter(|u| u.spec == spec).collect::<Vec<_>>()[..]
        {
            d = d.help(format!("there is `{}`", only.name.text)).edit(name.span, only.name.text);
        }
        self.sink.push(d);
        None
    }

    /// Has the specification every operation of the object, with the same types?
    fn agree(&mut self, object: &Sigs<'a>, spec: &Sigs<'a>, check: &ast::Check<'a>) -> bool {
        let mut agree = true;
        for op in object.procs.iter().filter(|p| p.op) {
            let same = spec.proc_names.get(op.name.text).map(|p| &spec.procs[p.index()]);
            let same = same.filter(|p| p.op);
            let Some(same) = same else {
                let text = format!(
                    "the specification `{}` has no operation `{}`",
                    check.spec.text, op.name.text
                );
                let d = Diagnostic::error(codes::DISAGREE, op.name.span, text)
                    .label(format!("an operation of `{}`", check.object.text))
                    .also(check.span, "checked here");
                let spec_ops = spec.procs.iter().filter(|p| p.op).map(|p| p.name.text);
                let d = match self.suggest(op.name.text, spec_ops) {
                    Some(near) => d.help(format!("it has `{near}`; is that the same?")),
                    None => d.help("every operation of the object needs one in the specification"),
                };
                self.sink.push(d);
                agree = false;
                continue;
            };
            self.record.same.push((op.name.span, same.name.span));
            let types = |s: &Sig<'a>| {
                let params: Option<Vec<Type>> = s.params.iter().map(|p| p.1.clone()).collect();
                params.zip(s.result.clone())
            };
            // A type in doubt was reported where it is written.
            let (Some(a), Some(b)) = (types(op), types(same)) else {
                continue;
            };
            if a != b {
                let text = format!(
                    "`{}` is not the same in `{}` and `{}`",
                    op.name.text, check.object.text, check.spec.text
                );
                let shown = |t: &(Vec<Type>, Type)| signature(&t.0, &t.1, &self.program);
                let (ours, theirs) = (shown(&a), shown(&b));
                let mut d = Diagnostic::error(codes::DISAGREE, op.span, text)
                    .label(format!("here it is `{ours}`"))
                    .also(same.span, format!("here it is `{theirs}`"));
                if ours == theirs {
                    d = d.note("types of the same name are declared in both");
                    d = d.help("declare the type once, at the top of the file");
                } else if a.0 == b.0
                    && a.1 == Type::Unit
                    && self.returns.remove(&op.name.span).is_some()
                {
                    // That it returns something is the same mistake.
                    let (end, result) = (op.closed.end as usize, show(&b.1, &self.program));
                    d = d
                        .help("declare its result")
                        .edit(Span::new(end, end), format!(" -> {result}"));
                } else {
                    d = d.help("write the same in both");
                }
                self.sink.push(d);
                agree = false;
            }
        }
        agree
    }

    /// One check for each condition.
    fn check(
        &mut self,
        check: &'a ast::Check<'a>,
        name: String,
        object: &Sigs<'a>,
        against: Against,
    ) -> Vec<Check> {
        let errors = self.sink.errors();
        let settings = self.settings(check, object);
        let (roles, needed) = self.roles(check, &settings, object);
        let domains = self.domains(check, &settings, object, &needed);
        let data: Vec<_> = (0..self.program.data.len())
            .map(|i| settings.data.get(&i).copied().unwrap_or(DataDomain::Fresh))
            .collect();
        let threads = roles.iter().map(|role| role.threads).sum();
        let conditions = self.conditions(check, object, against, threads);
        if self.sink.errors() > errors {
            return Vec::new();
        }
        let given = variants::params(check);
        let one = |asked: Asked| Check {
            name: asked.name(&name),
            object: ObjectId(object.index),
            against,
            condition: asked.condition,
            roles: roles.clone(),
            domains: domains.clone(),
            data: data.clone(),
            heap: settings.heap,
            expect: asked.expect.or(settings.expect.clone()),
            params: given.clone(),
            span: check.span,
        };
        conditions.into_iter().map(one).collect()
    }

    fn settings(&mut self, check: &'a ast::Check<'a>, object: &Sigs<'a>) -> Settings<'a> {
        let mut out = Settings::default();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for s in &check.settings {
            let once = matches!(s.word.text, "threads" | "ops" | "heap" | "expect");
            if once && let Some(first) = seen.insert(s.word.text, s.word.span) {
                self.duplicate(s.word, "setting", first);
                continue;
            }
            match &s.kind {
                SettingKind::Threads(e) => {
                    out.threads = Some(e);
                    out.threads_span = Some(s.word.span);
                }
                SettingKind::Ops(n) => out.ops = Some(n),
                SettingKind::Heap(e) => out.heap = self.number_in(e, 0, 1 << 16, "`heap`"),
                SettingKind::Expect(expect) => out.expect = self.expect(*expect),
                SettingKind::Role(role) => out.roles.push(role),
                SettingKind::Data(name, n) => {
                    self.data_setting(*name, n.as_ref(), object, &mut out)
                }
                SettingKind::Values(op, param, values) => {
                    if let Some(key) = self.param_named(*op, *param, object)
                        && out.values.insert(key, (values, s.word.span)).is_some()
                    {
                        let text =
                            format!("the values of `{}.{}` are given twice", op.text, param.text);
                        self.error(codes::DUPLICATE, s.word.span, text);
                    }
                }
            }
        }
        out
    }

    /// A constant number within bounds.
    pub(super) fn number_in(
        &mut self,
        e: &'a ast::Expr<'a>,
        lo: i32,
        hi: i32,
        what: &str,
    ) -> Option<u32> {
        let n = self.constant_int(e, None)?;
        if (lo..=hi).contains(&n) {
            return u32::try_from(n).ok();
        }
        let text = format!("{what} is from {lo} to {hi}, not {n}");
        self.error(codes::SETTING, e.span, text);
        None
    }

    /// The verdict that is expected.
    pub(super) fn expect(&mut self, expect: ast::Expectation<'a>) -> Option<Expect> {
        let ast::Expectation { what, kind } = expect;
        let expect = match what.text {
            "holds" => Expect::Holds,
            "violated" => Expect::Violated,
            "deadlock" => Expect::Deadlock,
            "fault" => {
                let Some(kind) = kind else {
                    let text = "`expect fault` needs the kind of fault";
                    let d = Diagnostic::error(codes::SETTING, what.span, text);
                    self.sink.push(d.help(format!("one of {}", fault_names())));
                    return None;
                };
                let found = FaultKind::NAMES.iter().find(|(_, n)| *n == kind.text);
                let Some((fault, _)) = found else {
                    let text = format!("there is no fault `{}`", kind.text);
                    let d = Diagnostic::error(codes::SETTING, kind.span, text);
                    let d = match self.suggest(kind.text, FaultKind::NAMES.iter().map(|n| n.1)) {
                        Some(near) => {
                            d.help(format!("did you mean `{near}`?")).edit(kind.span, near)
                        }
                        None => d.help(format!("one of {}", fault_names())),
                    };
                    self.sink.push(d);
                    return None;
                };
                return Some(Expect::Fault(*fault));
            }
            _ => {
                let text = format!("`{}` cannot be expected", what.text);
                let d = Diagnostic::error(codes::SETTING, what.span, text);
                self.sink.push(d.help("`holds`, `violated`, `deadlock` or `fault KIND`"));
                return None;
            }
        };
        if let Some(kind) = kind {
            let text = format!("nothing follows `expect {}`", what.text);
            self.error(codes::SETTING, kind.span, text);
        }
        Some(expect)
    }

    /// `values T: n`
    fn data_setting(
        &mut self,
        name: ast::Name<'a>,
        n: Option<&'a ast::Expr<'a>>,
        object: &Sigs<'a>,
        out: &mut Settings<'a>,
    ) {
        let ty = match self.type_def(name.text, name.span, object.scope) {
            Some(TypeDef::Data(id)) => Some(Type::Data(id)),
            Some(TypeDef::Alias(i)) => self.alias(i),
            Some(_) => Some(Type::Unit),
            None => None,
        };
        let Some(Type::Data(id)) = ty else {
            let text = match ty {
                Some(_) => {
                    format!("`{}` is not a `data` type; it has the values it has", name.text)
                }
                None => format!("there is no `data` type `{}`", name.text),
            };
            let mut d = Diagnostic::error(codes::SETTING, name.span, text);
            let known = self.program.data.iter().map(|d| d.name.as_str());
            if let Some(near) = self.suggest(name.text, known) {
                d = d.help(format!("did you mean `{near}`?")).edit(name.span, near);
            } else if object.proc_names.contains_key(name.text) {
                let help = format!("name the parameter: `values {}.param: ...`", name.text);
                d = d.help(help);
            }
            self.sink.push(d);
            return;
        };
        let domain = match n {
            None => Some(DataDomain::Fresh),
            Some(e) => {
                self.number_in(e, 1, MAX_DATA, "the number of values").map(DataDomain::Finite)
            }
        };
        if let Some(domain) = domain
            && out.data.insert(id.index(), domain).is_some()
        {
            let text = format!("the values of `{}` are given twice", name.text);
            self.error(codes::DUPLICATE, name.span, text);
        }
    }

    /// The procedure and position of `op.param`.
    fn param_named(
        &mut self,
        op: ast::Name<'a>,
        param: ast::Name<'a>,
        object: &Sigs<'a>,
    ) -> Option<(usize, usize)> {
        let proc = self.op_named(op, object)?;
        let params = &object.procs[proc].params;
        if let Some(i) = params.iter().position(|p| p.0.text == param.text) {
            self.record.used(param.span, params[i].0.span);
            return Some((proc, i));
        }
        let text = format!("the operation `{}` has no parameter `{}`", op.text, param.text);
        let mut d = Diagnostic::error(codes::SETTING, param.span, text);
        if let Some(near) = self.suggest(param.text, params.iter().map(|p| p.0.text)) {
            d = d.help(format!("did you mean `{near}`?")).edit(param.span, near);
        }
        self.sink.push(d.also(object.procs[proc].span, "the operation"));
        None
    }

    /// The index of the procedure of an operation.
    pub(super) fn op_named(&mut self, name: ast::Name<'a>, object: &Sigs<'a>) -> Option<usize> {
        let found = object.proc_names.get(name.text).map(|p| p.index());
        if let Some(p) = found.filter(|&p| object.procs[p].op) {
            self.record.used(name.span, object.procs[p].name.span);
            return Some(p);
        }
        let text = format!("the object has no operation `{}`", name.text);
        let mut d = Diagnostic::error(codes::UNKNOWN_OP, name.span, text);
        let ops: Vec<&str> = object.procs.iter().filter(|p| p.op).map(|p| p.name.text).collect();
        d = match self.suggest(name.text, ops.iter().copied()) {
            Some(near) => d.help(format!("did you mean `{near}`?")).edit(name.span, near),
            None => d.help(format!("the operations are `{}`", ops.join("`, `"))),
        };
        self.sink.push(d);
        None
    }
}

/// The name of a check that has none.
fn unnamed(object: &str, uses: &mut usize, names: &mut HashSet<String>) -> String {
    loop {
        *uses += 1;
        let name = if *uses == 1 { object.to_string() } else { format!("{object}#{uses}") };
        if names.insert(name.clone()) {
            return name;
        }
    }
}

fn fault_names() -> String {
    FaultKind::NAMES.map(|(_, n)| format!("`{n}`")).join(", ")
}

fn signature(params: &[Type], result: &Type, program: &crate::program::Program) -> String {
    let params: Vec<_> = params.iter().map(|t| show(t, program)).collect();
    let params = params.join(", ");
    match result {
        Type::Unit => format!("({params})"),
        ty => format!("({params}) -> {}", show(ty, program)),
    }
}
