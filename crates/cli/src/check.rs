//! `linchpin check`: decides checks, has violations confirmed, reports.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Report, Violation, check};
use linchpin_evidence::explain::{Explanation, explain};
use linchpin_evidence::{Claim, Disagreement, judge_until};
use linchpin_lin::Files;
use linchpin_lin::program::Check;
use linchpin_lts::{self as lts, Limit, Schedule, Verdict};

use crate::answer::View;
use crate::args::{CheckOptions, MINIMISE};
use crate::exit::Exit;
use crate::input::{self, Source};
use crate::language::Language;
use crate::names::stands_for;
use crate::outcome::{Decided, Kind, Problem};
use crate::output::Outputs;
use crate::refused::{Given, refused};
use crate::screen::Screen;
use crate::session::{LOADING, Session};
use crate::watch::Watch;
use crate::{advice, again, bounds, classify, csp, mcrl2};

/// Decides the checks of all files; everything is reported, the worst outcome is the exit code.
pub(crate) fn run(options: &CheckOptions, screen: &Screen) -> Exit {
    let files = input::models(&options.files);
    let CheckOptions { quiet, verbose, explain, .. } = *options;
    let view = View { several: files.len() > 1, quiet, verbose, explain };
    let report = &options.report;
    let read: Vec<_> = files.iter().flatten().map(PathBuf::as_path).collect();
    let outputs = Outputs::new(Some(report.format), &report.output, &read, options.open);
    let outputs = outputs.map(|outputs| outputs.with_figures(&options.figure));
    let CheckOptions { limits, together, .. } = options;
    Session::run_together(screen, limits, together, view, outputs, |session| {
        let runner = Runner { options, session, used: RefCell::default() };
        let mut known = BTreeSet::new();
        let mut worst = Exit::Holds;
        let mut without = Vec::new();
        for file in &files {
            let exit = match file {
                Ok(path) => match runner.questions(path, &mut known) {
                    Ok(exit) => exit,
                    // Of a directory, what is there for other models only is no model.
                    Err(problem) if problem.kind == Kind::NoSuchCheck && !given(options, path) => {
                        without.push((path, problem));
                        continue;
                    }
                    Err(problem) => session.refuse(&problem),
                },
                Err(problem) => session.refuse(problem),
            };
            worst = worst.max(exit);
        }
        let used = runner.used.take();
        for (_, problem) in without.iter().filter(|(path, _)| !used.contains(&canonical(path))) {
            worst = worst.max(session.refuse(problem));
        }
        let is_known = |given: &String| known.iter().any(|name| stands_for(given, name));
        for name in options.names.iter().filter(|name| !is_known(name)) {
            let has: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
            let has = if has.is_empty() { "none".to_string() } else { has.join(", ") };
            let message = format!("there is no check `{name}` (there is: {has})");
            let path = if let [path] = options.files.as_slice() { path } else { Path::new("") };
            worst = worst.max(session.refuse(&Problem::new(Kind::NoSuchCheck, path, message)));
        }
        worst
    })
}

/// Was this file asked for by name, and not by its directory?
fn given(options: &CheckOptions, path: &Path) -> bool {
    options.files.iter().any(|file| file == path)
}

/// What tells a file from all others.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

struct Runner<'a> {
    options: &'a CheckOptions,
    session: &'a Session<'a>,
    /// Files that models use.
    used: RefCell<BTreeSet<PathBuf>>,
}

impl Runner<'_> {
    /// Notes which files a model uses.
    fn uses(&self, files: &Files) {
        let paths = files.others().iter().map(|(name, _)| canonical(Path::new(name)));
        self.used.borrow_mut().extend(paths);
    }

    /// Decides what is asked in a file, and collects the names of the questions.
    fn questions(&self, path: &Path, known: &mut BTreeSet<String>) -> Result<Exit, Problem> {
        let options = self.options;
        let language = match options.language {
            Some(language) => language,
            None => Language::among(path, Language::MODELS, "`linchpin check`")?,
        };
        let given = Given { check: Some(options), name: false, bounds: &options.bounds };
        if let Some(message) = refused(&[language], &given) {
            return Err(Problem::new(Kind::Unsupported, path, message));
        }
        match language {
            Language::Lin => self.checks(path, known),
            Language::Csp => self.assertions(path, known),
            Language::Mcrl2 => mcrl2::check(self.session, options, path),
            Language::Aut => {
                let message = "a transition system has nothing to check; see `linchpin compare`";
                Err(Problem::new(Kind::Unsupported, path, message.to_string()))
            }
        }
    }

    /// The checks of a `.lin` model.
    fn checks(&self, path: &Path, known: &mut BTreeSet<String>) -> Result<Exit, Problem> {
        let source =
            self.session.attempt(path, LOADING, |_| input::load(path, &self.options.bounds.set))?;
        source.warnings(|path, text, warnings| self.session.warn(path, text, warnings));
        self.uses(&source.files);
        let checks = &source.program.checks;
        known.extend(checks.iter().map(|c| c.name.clone()));
        if checks.is_empty() {
            let object = source.program.objects.first().map(|o| o.unit.name.as_str());
            let spec = source.program.specs.first().map_or("SPEC", |s| s.unit.name.as_str());
            let message = match object {
                Some(object) => format!(
                    "the file has no checks (for example: check {object} against {spec} {{ threads 2, ops 2 }})"
                ),
                None => "the file has no checks (other models can `use` it)".to_string(),
            };
            return Err(Problem::new(Kind::NoSuchCheck, path, message));
        }
        let names = &self.options.names;
        let chosen = checks
            .iter()
            .filter(|c| names.is_empty() || names.iter().any(|n| stands_for(n, &c.name)));
        if self.options.classify {
            return Ok(self.classify(&source, &chosen.collect::<Vec<_>>()));
        }
        Ok(chosen.map(|check| self.one(&source, check)).max().unwrap_or(Exit::Holds))
    }

    /// The assertions of a CSP model.
    fn assertions(&self, path: &Path, known: &mut BTreeSet<String>) -> Result<Exit, Problem> {
        if let Some(message) = csp::inconsistent(self.options) {
            return Err(Problem::new(Kind::Unsupported, path, message));
        }
        let source =
            self.session.attempt(path, LOADING, |_| csp::load(path, &self.options.bounds))?;
        source.warnings(|path, text, warnings| self.session.warn(path, text, warnings));
        self.uses(source.model.files());
        let count = source.model.assertions().len();
        if count == 0 {
            return Err(csp::without_assertions(&source));
        }
        let mut worst = Exit::Holds;
        for i in 0..count {
            let names = csp::names(&source, i);
            let given = &self.options.names;
            let chosen = given.is_empty() || names.iter().any(|n| given.contains(n));
            known.extend(names);
            if chosen {
                let text = &source.model.assertions()[i].text;
                let decided: Result<_, Problem> = self
                    .session
                    .attempt(path, text, |watch| Ok(csp::decide(self.options, watch, &source, i)));
                worst = worst.max(match decided {
                    Ok(decided) => self.session.show(&decided, decided.exit(self.options.expect)),
                    Err(problem) => self.session.refuse(&problem),
                });
            }
        }
        Ok(worst)
    }

    /// Decides a check and reports.
    fn one(&self, source: &Source, check: &Check) -> Exit {
        let bounded = match self.bounded(source, check) {
            Ok(bounded) => bounded,
            Err(problem) => return self.session.refuse(&problem),
        };
        match self.decide(source, &bounded) {
            Ok(decided) => {
                let CheckOptions { expect, strict, .. } = *self.options;
                self.session.show(&decided, decided.exit(expect, strict))
            }
            Err(problem) => self.session.refuse(&problem),
        }
    }

    fn bounded(&self, source: &Source, check: &Check) -> Result<Check, Problem> {
        bounds::apply(&source.program, check, &self.options.bounds)
            .map_err(|message| Problem::of_check(Kind::Bounds, source, check, message))
    }

    /// Decides all conditions for the objects of some checks.
    fn classify(&self, source: &Source, checks: &[&Check]) -> Exit {
        let one = |(name, checks): (String, Vec<Check>)| {
            let bounded = checks.iter().map(|check| self.bounded(source, check));
            let bounded: Vec<Check> = match bounded.collect() {
                Ok(bounded) => bounded,
                Err(problem) => return self.session.refuse(&problem),
            };
            let mut decide = |check| self.decide(source, check);
            let again = again::classification(self.options, source, &name);
            match classify::classify(source, name, again, &bounded, &mut decide) {
                Ok(all) => self.session.show(&all, all.exit()),
                Err(problem) => self.session.refuse(&problem),
            }
        };
        classify::groups(checks).into_iter().map(one).max().unwrap_or(Exit::Holds)
    }

    /// Searches, and has a violation confirmed.
    fn decide<'a>(&self, source: &'a Source, check: &'a Check) -> Result<Decided<'a>, Problem> {
        let options = self.options;
        let manner = Manner {
            reductions: options.reductions.reductions,
            check_facts: options.check_facts,
            method: options.method.known(),
            minimise: options.minimise,
        };
        self.session.attempt(&source.path, &check.name, |watch| {
            let again = again::command(options, source, check);
            search_and_confirm(&manner, source, check, watch, again)
        })
    }
}

/// How a check is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) reductions: Reductions,
    pub(crate) check_facts: bool,
    pub(crate) method: linchpin_check::Method,
    /// States that are looked at for a simpler violation.
    pub(crate) minimise: u64,
}

impl Manner {
    /// Unless told otherwise.
    pub(crate) const USUAL: Manner = Manner {
        reductions: Reductions::ALL,
        check_facts: false,
        method: linchpin_check::Method::Refinement,
        minimise: MINIMISE,
    };
}

/// Searches, and has a violation confirmed; `again` is the command that does it again.
pub(crate) fn search_and_confirm<'a>(
    manner: &Manner,
    source: &'a Source,
    check: &'a Check,
    watch: &Watch<'_>,
    again: String,
) -> Result<Decided<'a>, Problem> {
    let report = search(manner, source, check, watch);
    let mut report = report.map_err(|e| failed(source, check, e))?;
    let elapsed = watch.end();
    let confirming = watch.confirming();
    let violation = match confirm(source, check, &report.verdict, &confirming) {
        Ok(violation) => violation,
        Err(Disagreement::Undecided) => {
            let limit = match confirming.told() {
                Some(Limit::Interrupted) => Limit::Interrupted,
                _ => Limit::Unconfirmed,
            };
            report.verdict = Verdict::Unknown(limit);
            None
        }
        Err(disagreement) => {
            let message = format!("the violation is not confirmed by replay: {disagreement}");
            return Err(Problem::of_check(Kind::Internal, source, check, message));
        }
    };
    let advice = match report.verdict {
        Verdict::Unknown(limit) => advice::advice(source, check, limit),
        _ => Vec::new(),
    };
    Ok(Decided { source, check, report, elapsed, violation, again, advice })
}

fn search(
    manner: &Manner,
    source: &Source,
    bounded: &Check,
    watch: &Watch<'_>,
) -> Result<Report, CheckError> {
    let Manner { reductions, check_facts, method, minimise } = *manner;
    let mut report = watch.within(|budget| {
        let options = Options { reductions, budget, check_facts, method, minimise };
        check(&source.program, bounded, &options)
    })?;
    report.statistics.memory = watch.peak();
    Ok(report)
}

/// Why a check has no verdict.
pub(crate) fn failed(source: &Source, check: &Check, error: CheckError) -> Problem {
    let problem = |kind, message| Problem::of_check(kind, source, check, message);
    match error {
        CheckError::Unsupported(u) => problem(Kind::Unsupported, u.message).at(source, u.span),
        CheckError::Specification(fault) => {
            let message = format!("the specification goes wrong: {fault}");
            problem(Kind::Specification, message).at(source, fault.span)
        }
        CheckError::Internal(what) => problem(Kind::Internal, what.to_string()),
        CheckError::BrokenFact(claim) => {
            problem(Kind::Internal, format!("the model is not what it claims to be: {claim}"))
        }
    }
}

/// Has a violation judged, and explains it.
fn confirm(
    source: &Source,
    check: &Check,
    verdict: &Verdict<Counterexample>,
    watch: &lts::Watch,
) -> Result<Option<(Schedule, Explanation)>, Disagreement> {
    let Verdict::Violated(Counterexample { violation, schedule }) = verdict else {
        return Ok(None);
    };
    let claim = match violation {
        Violation::History => Claim::History,
        Violation::Branching(branches) => Claim::Branching(branches),
        Violation::Fault(kind) => Claim::Fault(*kind),
        Violation::Deadlock => Claim::Deadlock,
        Violation::Endless { cycle, thread } => Claim::Endless(cycle, *thread),
        Violation::Temporal(tail) => Claim::Temporal(tail.as_deref()),
    };
    let judged = judge_until(&source.program, check, claim, schedule, watch)?;
    let explanation = explain(&judged, &source.files);
    Ok(Some((judged.schedule, explanation)))
}
