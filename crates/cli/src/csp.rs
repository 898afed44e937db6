//! Models of PAT (`.csp`): reading them, deciding their assertions, and which options are not for them.

use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use linchpin_check::Reductions;
use linchpin_csp::ast::{Claim, Comparison};
use linchpin_csp::{
    Asserted, Failure, Model, Operations, Options, Report, check, load as understand,
};
use linchpin_engine::Budget;
use linchpin_lts::Verdict;
use linchpin_syntax::Diagnostic;

use crate::again;
use crate::args::{BoundOptions, CheckOptions, Fair, MINIMISE, Method};
use crate::exit::Exit;
use crate::input::{self, InputError, Passages};
use crate::outcome::{Kind, Problem};
use crate::render::verdict::Limits;
use crate::screen::Screen;
use crate::watch::Watch;

/// The reductions by name: partial order reduction, and antichains in refinement.
pub(crate) const ORDER: &str = "order";
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

/// Is it a model of PAT, as far as its name says?
pub(crate) fn is_csp(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csp"))
}

/// The model in a file.
pub(crate) fn load(path: &Path) -> Result<Source, Problem> {
    let text = input::read_foreign(path).map_err(|error| Problem::of_input(path, error))?;
    match understand(&text) {
        Ok(loaded) => {
            let (model, warnings) = (loaded.model, loaded.warnings);
            Ok(Source { path: path.to_path_buf(), text, model, warnings })
        }
        Err(diagnostics) => {
            let wrong = InputError::Wrong(Passages { text, diagnostics });
            Err(Problem::of_input(path, wrong))
        }
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

/// An option of `check` that was given but means nothing for these models, and why.
pub(crate) fn refused(options: &CheckOptions) -> Option<String> {
    let lin = "is for `.lin` models";
    let mcrl2 = "is for `.mcrl2` models";
    let given = [
        (options.classify, "--classify", "decides conditions of objects in `.lin` models"),
        (options.method != Method::Refinement, "--method", lin),
        (options.check_facts, "--check-facts", lin),
        (options.explain, "--explain", lin),
        (options.minimise != MINIMISE, "--minimise", "is for histories of `.lin` models"),
        (
            options.workers.is_some_and(|n| n > 1),
            "--workers",
            "is for `.lin` models; assertions of `.csp` models are decided by one worker",
        ),
        (options.atomic, "--atomic", mcrl2),
        (options.against.is_some(), "--against", mcrl2),
        (
            options.calls.is_empty() != options.returns.is_empty(),
            if options.calls.is_empty() { "--returns" } else { "--calls" },
            "needs both: events that begin operations and events that end them",
        ),
        (
            !options.calls.is_empty() && !options.reductions.order,
            "--calls",
            "is a kind of partial order reduction, which is switched off",
        ),
    ];
    let mut given = given.into_iter().filter(|(given, ..)| *given);
    let message = given.next().map(|(_, flag, why)| format!("`{flag}` {why}"));
    let on = options.reductions.reductions.names();
    let foreign = |name: &str| name != ANTICHAIN && !on.contains(&name);
    let mut off = Reductions::TABLE.iter().filter(|r| !options.reductions.none && foreign(r.name));
    let reduction = || off.next().map(|r| format!("`--no-{}` {lin}", r.name));
    message.or_else(|| refused_bounds(&options.bounds)).or_else(reduction)
}

/// The names of the reductions that are on.
pub(crate) fn reductions(options: &CheckOptions) -> Vec<&'static str> {
    let on =
        [(options.reductions.order, ORDER), (options.reductions.reductions.antichain, ANTICHAIN)];
    on.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect()
}

/// A bound that was given: the models have none.
pub(crate) fn refused_bounds(bounds: &BoundOptions) -> Option<String> {
    let given = [
        (!bounds.threads.is_empty(), "--threads"),
        (bounds.ops.is_some(), "--ops"),
        (bounds.heap.is_some(), "--heap"),
        (!bounds.values.is_empty(), "--values"),
        (!bounds.set.is_empty(), "--set"),
    ];
    let (_, flag) = given.into_iter().find(|(given, _)| *given)?;
    let instead = "a `.csp` model has its bounds in its text (`#define`)";
    Some(format!("`{flag}` is for `.lin` models; {instead}"))
}

/// Decides an assertion.
pub(crate) fn decide<'a>(
    options: &CheckOptions,
    screen: &Screen,
    limits: &Limits,
    source: &'a Source,
    i: usize,
) -> Result<Decided<'a>, Problem> {
    let asserted = &source.model.assertions()[i];
    let progress = std::io::stderr().is_terminal() && !options.quiet;
    let watch = Watch::new(screen, &asserted.text, limits, progress);
    let operations = (!options.calls.is_empty()).then(|| Operations {
        invocations: options.calls.clone(),
        responses: options.returns.clone(),
    });
    let decide = |budget: Budget<'_>| {
        let how = Options {
            budget,
            workers: options.workers.map_or(1, usize::from),
            fairness: options.fairness.known(),
            order: options.reductions.order,
            antichain: options.reductions.reductions.antichain,
            operations: operations.as_ref(),
        };
        check(&source.model, i, &how)
    };
    // A panic is a defect like any other; the other assertions are still decided.
    let report = catch_unwind(AssertUnwindSafe(|| watch.within(decide)));
    let elapsed = watch.end();
    let mut report = report.map_err(|_| {
        let message = "the search panicked".to_string();
        let problem = Problem::new(Kind::Internal, &source.path, message);
        Problem { check: Some(asserted.text.clone()), ..problem }
    })?;
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
        &source.path,
        several.then_some(i + 1),
        fairness,
        &reductions,
        operations.as_ref(),
    );
    let number = i + 1;
    Ok(Decided { source, asserted, number, report, elapsed, fairness, reductions, again })
}
