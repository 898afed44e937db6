//! `linchpin check model.csp`: decides the assertions of a CSP model.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use linchpin_csp::{Asserted, Model, Options, Report, Verdict, check as decide, load};
use linchpin_engine::Budget;
use linchpin_syntax::Diagnostic;

use crate::args::{CheckOptions, Format};
use crate::exit::Exit;
use crate::input::{self, InputError, Passages};
use crate::outcome::{Kind, Problem};
use crate::render::csp as render;
use crate::render::diagnostics;
use crate::render::verdict::Limits;
use crate::screen::Screen;
use crate::watch::Watch;

/// A model that was read.
pub(crate) struct Source<'a> {
    /// Where it is.
    pub(crate) path: &'a Path,
    /// Its text.
    pub(crate) text: String,
    /// What is suspicious about it.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// An assertion that was decided.
pub(crate) struct Decided<'a> {
    /// The file.
    pub(crate) source: &'a Source<'a>,
    /// The assertion.
    pub(crate) asserted: &'a Asserted,
    /// Its number in the file, from 1.
    pub(crate) number: usize,
    /// The answer.
    pub(crate) report: Report,
    /// How long it took.
    pub(crate) elapsed: Duration,
}

impl Decided<'_> {
    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match &self.report.verdict {
            Verdict::Holds => Exit::Holds,
            Verdict::Violated => Exit::Violated,
            Verdict::Unknown(_) => Exit::Unknown,
            Verdict::Trouble(_) => Exit::BadInput,
            Verdict::Defect(_) => Exit::Internal,
        }
    }
}

/// Decides the assertions of a file and collects their names: their texts, and their numbers.
pub(crate) fn check(
    options: &CheckOptions,
    screen: &Screen,
    limits: &Limits,
    path: &Path,
    known: &mut BTreeSet<String>,
) -> Result<Exit, Problem> {
    if !matches!(options.format, Format::Text | Format::Json) || options.open || options.classify {
        let message = "assertions of CSP models are shown as text or JSON".to_string();
        return Err(Problem::new(Kind::Unsupported, path, message));
    }
    let text = input::read_foreign(path).map_err(|error| Problem::of_input(path, error))?;
    let loaded = match load(&text) {
        Ok(loaded) => loaded,
        Err(diagnostics) => {
            let wrong = InputError::Wrong(Passages { text, diagnostics });
            return Err(Problem::of_input(path, wrong));
        }
    };
    let source = Source { path, text, warnings: loaded.warnings };
    if options.format == Format::Text {
        screen.error(&diagnostics::render(screen, path, &source.text, &source.warnings));
    }
    let model = loaded.model;
    if model.assertions().is_empty() {
        let message = "the file has no assertions".to_string();
        return Err(Problem::new(Kind::NoSuchCheck, path, message));
    }
    let mut worst = Exit::Holds;
    for (i, asserted) in model.assertions().iter().enumerate() {
        let names = [asserted.text.clone(), (i + 1).to_string()];
        let chosen = options.names.is_empty() || names.iter().any(|n| options.names.contains(n));
        known.extend(names);
        if chosen {
            let decided = one(options, screen, limits, &source, &model, i)?;
            match options.format {
                Format::Json => screen.print(&render::json(&decided)),
                _ => screen.print(&render::text(options, screen, &decided, limits)),
            }
            worst = worst.max(decided.exit());
        }
    }
    Ok(worst)
}

fn one<'a>(
    options: &CheckOptions,
    screen: &Screen,
    limits: &Limits,
    source: &'a Source<'a>,
    model: &'a Model,
    i: usize,
) -> Result<Decided<'a>, Problem> {
    let asserted = &model.assertions()[i];
    let progress = std::io::stderr().is_terminal() && !options.quiet;
    let watch = Watch::new(screen, &asserted.text, limits, progress);
    let how = Options {
        budget: Budget {
            max_states: limits.states,
            max_memory: limits.memory,
            watch: &|progress| watch.look(progress),
        },
        fairness: options.fairness.known(),
        ..Options::DEFAULT
    };
    // A panic is a defect like any other; the other assertions are still decided.
    let report = catch_unwind(AssertUnwindSafe(|| decide(model, i, &how)));
    let elapsed = watch.end();
    match report {
        Ok(report) => Ok(Decided { source, asserted, number: i + 1, report, elapsed }),
        Err(_) => {
            let mut problem =
                Problem::new(Kind::Internal, source.path, "the search panicked".to_string());
            problem.check = Some(asserted.text.clone());
            Err(problem)
        }
    }
}
