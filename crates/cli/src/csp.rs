//! Models of PAT (`.csp`): reading them, deciding their assertions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use linchpin_csp::ast::{Claim, Comparison};
use linchpin_csp::{
    Asserted, Failure, Loaded, Model, Operations, Options, Report, Unread, Wanted, check,
    load_files,
};
use linchpin_lin::{Diagnostic, Span};
use linchpin_lts::Verdict;

use crate::again;
use crate::args::{BoundOptions, CheckOptions, Fair};
use crate::exit::Exit;
use crate::input;
use crate::language::Language;
use crate::outcome::{Kind, Problem};
use crate::shelf::Shelf;
use crate::watch::Watch;

/// The reductions by name: partial order reduction, equal processes, and antichains in refinement.
pub(crate) const ORDER: &str = "order";
pub(crate) const EQUAL: &str = "equal";
pub(crate) const ANTICHAIN: &str = "antichain";
/// Events that begin and end operations.
pub(crate) const OPERATIONS: &str = "operations";

/// A model that was read.
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What it says.
    pub(crate) model: Model,
    /// What is suspicious about it.
    pub(crate) warnings: Vec<Diagnostic>,
    /// What is suspicious about its other files, by their numbers.
    elsewhere: Vec<(usize, Vec<Diagnostic>)>,
}

/// An assertion that was decided.
pub(crate) struct Decided<'a> {
    /// The file.
    pub(crate) source: &'a Source,
    /// The assertion.
    pub(crate) asserted: &'a Asserted,
    /// Its number in the file, from 1.
    pub(crate) number: usize,
    /// The answer.
    pub(crate) report: Report,
    /// How long it took.
    pub(crate) elapsed: Duration,
    /// Which executions count, if that makes a difference for the assertion.
    pub(crate) fairness: Option<Fair>,
    /// The reductions that were on.
    pub(crate) reductions: Vec<&'static str>,
    /// Events that begin and end operations, if the assertion compares histories of them.
    pub(crate) operations: Option<Operations>,
    /// The command that shows it again.
    pub(crate) again: String,
}

impl Decided<'_> {
    /// The exit code; with `expect`, according to what is expected: assertions are expected to be true.
    pub(crate) fn exit(&self, expect: bool) -> Exit {
        match &self.report.verdict {
            Ok(Verdict::Unknown(_)) if expect => Exit::Violated,
            Ok(verdict) => verdict.into(),
            Err(Failure::Trouble(_)) => Exit::BadInput,
            Err(Failure::Defect(_)) => Exit::Internal,
        }
    }
}

impl Source {
    /// The file in which a place of the model is: its path, its text, and where in it.
    pub(crate) fn place(&self, span: Span) -> (&Path, &str, Span) {
        input::place(self.model.files(), &self.path, span)
    }

    /// What is suspicious, file by file.
    pub(crate) fn warnings(&self, mut warn: impl FnMut(&Path, &str, &[Diagnostic])) {
        warn(&self.path, &self.text, &self.warnings);
        for (number, warnings) in &self.elsewhere {
            let (name, text) = self.model.files().part(*number);
            warn(Path::new(name), text, warnings);
        }
    }
}

/// The model in a file and in those that it needs.
pub(crate) fn load(path: &Path, options: &BoundOptions) -> Result<Source, Problem> {
    let text = input::read(path, Language::Csp)?;
    let mut shelf = Shelf { main: path, lib: &options.lib, language: Language::Csp };
    let mut find = |wanted: Wanted<'_>, from: &str| shelf.find(wanted, from);
    match load_files(&text, &options.set, &mut find) {
        Ok(Loaded { model, warnings }) => {
            let mut elsewhere = model.files().divide(warnings);
            let here = elsewhere.iter().position(|(number, _)| *number == 0);
            let warnings = here.map(|i| elsewhere.remove(i).1).unwrap_or_default();
            Ok(Source { path: path.to_path_buf(), text, model, warnings, elsewhere })
        }
        Err(Unread { files, diagnostics, .. }) => Err(input::wrong(path, &files, diagnostics)),
    }
}

/// That a file has nothing to decide, with what could be written.
pub(crate) fn without_assertions(source: &Source) -> Problem {
    let process = source.model.tree().processes.iter().find(|p| p.parameters.is_empty());
    let message = match process {
        Some(process) => {
            let name = &process.name.text;
            format!("the file has no assertions (for example: #assert {name} deadlockfree;)")
        }
        None => "the file has no assertions".to_string(),
    };
    Problem::new(Kind::NoSuchCheck, &source.path, message)
}

/// The names of an assertion on the command line: its text and its number.
pub(crate) fn names(source: &Source, i: usize) -> [String; 2] {
    [source.model.assertions()[i].text.clone(), (i + 1).to_string()]
}

/// Options that were given and do not fit together, and why.
pub(crate) fn inconsistent(options: &CheckOptions) -> Option<String> {
    let (calls, returns) = (!options.calls.is_empty(), !options.returns.is_empty());
    let flag = if calls { "--calls" } else { "--returns" };
    let why = match () {
        () if calls != returns => {
            "needs both: events that begin operations and events that end them"
        }
        () if calls && !options.reductions.order => {
            "is a kind of partial order reduction, which is switched off"
        }
        () => return None,
    };
    Some(format!("`{flag}` {why}"))
}

/// The names of the reductions that are on.
pub(crate) fn reductions(options: &CheckOptions) -> Vec<&'static str> {
    let on = [
        (options.reductions.order, ORDER),
        (options.reductions.equal, EQUAL),
        (options.reductions.reductions.antichain, ANTICHAIN),
    ];
    on.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect()
}

/// Decides an assertion.
pub(crate) fn decide<'a>(
    options: &CheckOptions,
    watch: &Watch<'_>,
    source: &'a Source,
    i: usize,
) -> Decided<'a> {
    let asserted = &source.model.assertions()[i];
    let operations = (!options.calls.is_empty()).then(|| Operations {
        invocations: options.calls.clone(),
        responses: options.returns.clone(),
    });
    let mut report = watch.within(|budget| {
        let how = Options {
            budget,
            fairness: options.fairness.known(),
            order: options.reductions.order,
            join: options.reductions.order,
            equal: options.reductions.equal,
            symmetry: options.reductions.equal,
            search: options.search.known(),
            antichain: options.reductions.reductions.antichain,
            operations: operations.as_ref(),
        };
        check(&source.model, i, &how)
    });
    let elapsed = watch.end();
    report.statistics.memory = watch.peak();
    let claim = source.model.tree().assertions.get(i).map(|a| &a.claim);
    let temporal = matches!(claim, Some(Claim::Ltl(..)));
    let fairness = Some(options.fairness).filter(|f| temporal && *f != Fair::None);
    let several = source.model.assertions().len() > 1;
    let mut reductions = reductions(options);
    let traces = matches!(claim, Some(Claim::Refines(Comparison::Traces, ..)));
    if operations.is_some() && traces && report.notes.is_empty() {
        reductions.push(OPERATIONS);
    }
    let again = again::assertion(
        options,
        &source.path,
        several.then_some(i + 1),
        fairness,
        &reductions,
        operations.as_ref(),
    );
    let operations = operations.filter(|_| reductions.contains(&OPERATIONS));
    let number = i + 1;
    Decided { source, asserted, number, report, elapsed, fairness, reductions, operations, again }
}
