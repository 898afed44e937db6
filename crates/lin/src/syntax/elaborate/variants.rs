//! Checks that give parameters other values: `check broken: Queue(recheck = false) against ...`.
//!
//! An object with other parameters is another object. So the file is read once more for every set of values, and what
//! its checks are about is added to the program: the object, and the specification. Types are declared in the same order
//! each time and have the same numbers; a parameter on which the fields of a struct or node depend cannot be given.

use crate::Span;
use crate::program::{Against, ObjectId, Program, SpecId};

use super::{Elab, codes, with_params};
use crate::syntax::ast::{self, File};
use linchpin_text::{Diagnostic, Severity, Sink};

/// The parameters of a check, as they are given.
pub(super) fn params(check: &ast::Check<'_>) -> Vec<(String, String)> {
    check.params.iter().map(|p| (p.name.text.to_string(), p.value.to_string())).collect()
}

/// Adds the checks that give parameters other values.
pub(super) fn add<'a>(
    file: &'a File<'a>,
    overrides: &[(String, String)],
    mut program: Program,
    mut sink: Sink,
) -> (Program, Sink) {
    let mut done: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for check in &file.checks {
        let given = params(check);
        if done.contains(&given) || sink.errors() > 0 {
            continue;
        }
        let (variant, said, _) = with_params(file, overrides, &given, Sink::default());
        let failed = said.errors() > 0;
        // Warnings are those of the whole file.
        let errors = said.finish().into_iter().filter(|d| d.severity == Severity::Error);
        errors.for_each(|d| sink.push(d));
        if !failed {
            merge(&mut program, variant, check.span, &mut sink);
        }
        done.push(given);
    }
    program.checks.sort_by_key(|check| check.span.start);
    (program, sink)
}

/// Adds the checks of a variant, and what they are about.
fn merge(program: &mut Program, variant: Program, span: Span, sink: &mut Sink) {
    let types = |p: &Program| format!("{:?} {:?}", p.structs, p.records);
    if types(program) != types(&variant) {
        let text = "a field of a struct or node depends on this parameter";
        let d = Diagnostic::error(codes::OVERRIDE, span, text);
        return sink.push(d.help("it can be set for the whole file, with `--set`"));
    }
    for mut check in variant.checks {
        let object = variant.objects[check.object.index()].clone();
        check.object = ObjectId(program.objects.len() as u32);
        program.objects.push(object);
        if let Against::Spec(spec) = check.against {
            check.against = Against::Spec(SpecId(program.specs.len() as u32));
            program.specs.push(variant.specs[spec.index()].clone());
        }
        program.checks.push(check);
    }
}

impl<'a> Elab<'a> {
    /// Gives parameters the values that some checks want.
    pub(super) fn given_params(&mut self, file: &'a File<'a>, params: &[(String, String)]) {
        for given in file.checks.iter().flat_map(|check| &check.params) {
            let known = self.consts.iter().find(|c| c.param && c.name.text == given.name.text);
            match known.map(|c| c.name.span) {
                Some(declared) => self.record.used(given.name.span, declared),
                None if params.is_empty() => {
                    let text = format!("there is no `param {}`", given.name.text);
                    let names: Vec<&str> =
                        self.consts.iter().filter(|c| c.param).map(|c| c.name.text).collect();
                    let d = Diagnostic::error(codes::OVERRIDE, given.name.span, text);
                    let d = match self.suggest(given.name.text, names.iter().copied()) {
                        Some(near) => {
                            d.help(format!("did you mean `{near}`?")).edit(given.name.span, near)
                        }
                        None => d.help("declare it with `param NAME = VALUE`"),
                    };
                    self.sink.push(d);
                }
                None => {}
            }
        }
        if !params.is_empty() {
            self.override_params(params);
        }
    }
}
