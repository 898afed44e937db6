//! `linchpin check`: decides checks, has violations confirmed, reports.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Report, Violation, check};
use linchpin_engine::Limit;
use linchpin_evidence::explain::{Explanation, explain};
use linchpin_evidence::{Claim, Disagreement, judge};
use linchpin_lts::{Schedule, Verdict};
use linchpin_model::program::Check;

use crate::args::{CheckOptions, Fair, Format, MINIMISE, Method};
use crate::exit::Exit;
use crate::input::{self, Source};
use crate::names::stands_for;
use crate::outcome::{Decided, Kind, Problem};
use crate::render::html::Page;
use crate::render::junit::Suites;
use crate::render::verdict::Limits;
use crate::render::{classified, csp as assertion, github, json, text};
use crate::screen::Screen;
use crate::watch::{self, Watch};
use crate::{again, bounds, browser, classify, csp, lts};

/// An option that was given but means nothing for any of the files, and what it is for. What means
/// nothing for a `.csp` model among others is refused there.
fn misplaced(options: &CheckOptions) -> Option<String> {
    let some = |is: fn(&Path) -> bool| options.files.iter().any(|path| is(path));
    let (csp, mcrl2) = (some(csp::is_csp), some(lts::is_mcrl2));
    let other = some(|path| !lts::is_mcrl2(path));
    let reductions = &options.reductions;
    let off = reductions.reductions != Reductions::ALL && !reductions.none;
    let lin = "is for `.lin` models";
    let only_csp = "is for `.csp` models";
    let only_mcrl2 = "is for `.mcrl2` models";
    let processes = "is for `.csp` and `.mcrl2` models";
    let fair = "is for formulas of `.csp` models; a `.lin` check names its fairness itself";
    let given = [
        (options.fairness != Fair::None, csp, "--fairness", fair),
        (!reductions.order && !reductions.none, csp, "--no-order", only_csp),
        (options.atomic, csp || mcrl2, "--atomic", only_mcrl2),
        (options.against.is_some(), csp || mcrl2, "--against", only_mcrl2),
        (!options.calls.is_empty(), csp || mcrl2, "--calls", processes),
        (!options.returns.is_empty(), csp || mcrl2, "--returns", processes),
        (options.classify, other, "--classify", lin),
        (options.method != Method::Refinement, other, "--method", lin),
        (options.check_facts, other, "--check-facts", lin),
        (options.explain, other, "--explain", lin),
        (options.minimise != MINIMISE, other, "--minimise", lin),
        (off, other, "--no-...", "switches off a reduction of `.lin` and `.csp` models"),
    ];
    let mut wrong = given.into_iter().filter(|(given, means, ..)| *given && !*means);
    wrong.next().map(|(_, _, flag, why)| format!("`{flag}` {why}"))
}

/// Decides the checks of all files; everything is reported, the worst outcome is the exit code.
pub(crate) fn run(options: &CheckOptions, screen: &Screen) -> Exit {
    watch::catch_interrupts();
    let format = if options.open { Format::Html } else { options.format };
    if options.output.is_some() && format != Format::Html {
        screen
            .complain("`--output` is for `--format html`; send other formats where you want them");
        return Exit::BadInput;
    }
    if options.classify && !matches!(format, Format::Text | Format::Json) {
        screen.complain("`--classify` shows text or JSON");
        return Exit::BadInput;
    }
    if let Some(message) = misplaced(options) {
        screen.complain(&message);
        return Exit::BadInput;
    }
    let runner =
        Runner { options, screen, format, page: RefCell::default(), suites: RefCell::default() };
    let mut known = BTreeSet::new();
    let mut worst = Exit::Holds;
    for path in &options.files {
        worst = worst.max(match lts::is_mcrl2(path) {
            true => lts::check_mcrl2(options, path, screen),
            false => runner.file(path, &mut known),
        });
    }
    let is_known = |given: &String| known.iter().any(|name| stands_for(given, name));
    for name in options.names.iter().filter(|name| !is_known(name)) {
        let has: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        let has = if has.is_empty() { "none".to_string() } else { has.join(", ") };
        let message = format!("there is no check `{name}` (there is: {has})");
        let path = if let [path] = options.files.as_slice() { path } else { Path::new("") };
        worst = worst.max(runner.refuse(&Problem::new(Kind::NoSuchCheck, path, message)));
    }
    if format == Format::Html {
        worst = worst.max(browser::publish(options, screen, &runner.page.borrow()));
    }
    if format == Format::Junit {
        screen.print(&runner.suites.borrow().render());
    }
    worst
}

struct Runner<'a> {
    options: &'a CheckOptions,
    screen: &'a Screen,
    format: Format,
    page: RefCell<Page>,
    suites: RefCell<Suites>,
}

impl Runner<'_> {
    /// Decides the checks of a file and collects their names.
    fn file(&self, path: &Path, known: &mut BTreeSet<String>) -> Exit {
        if csp::is_csp(path) {
            return self.assertions(path, known).unwrap_or_else(|problem| self.refuse(&problem));
        }
        let source = match input::load(path, &self.options.bounds.set) {
            Ok(source) => source,
            Err(error) => return self.refuse(&Problem::of_input(path, error)),
        };
        if matches!(self.format, Format::Text | Format::Html) {
            text::warnings(self.screen, &source.path, &source.text, &source.warnings);
        }
        let checks = &source.program.checks;
        known.extend(checks.iter().map(|c| c.name.clone()));
        if checks.is_empty() {
            let message = "the file has no checks".to_string();
            return self.refuse(&Problem::new(Kind::NoSuchCheck, path, message));
        }
        let names = &self.options.names;
        let chosen = checks
            .iter()
            .filter(|c| names.is_empty() || names.iter().any(|n| stands_for(n, &c.name)));
        if self.options.classify {
            return self.classify(&source, &chosen.collect::<Vec<_>>());
        }
        chosen.map(|check| self.one(&source, check)).max().unwrap_or(Exit::Holds)
    }

    /// Decides the assertions of a CSP model and collects their names.
    fn assertions(&self, path: &Path, known: &mut BTreeSet<String>) -> Result<Exit, Problem> {
        if let Some(message) = csp::refused(self.options) {
            return Err(Problem::new(Kind::Unsupported, path, message));
        }
        let source = csp::load(path)?;
        if matches!(self.format, Format::Text | Format::Html) {
            text::warnings(self.screen, &source.path, &source.text, &source.warnings);
        }
        let count = source.model.assertions().len();
        if count == 0 {
            return Err(csp::without_assertions(&source));
        }
        let limits = self.limits();
        let mut worst = Exit::Holds;
        for i in 0..count {
            let names = csp::names(&source, i);
            let given = &self.options.names;
            let chosen = given.is_empty() || names.iter().any(|n| given.contains(n));
            known.extend(names);
            if chosen {
                let decided = csp::decide(self.options, self.screen, &limits, &source, i);
                worst = worst.max(match decided {
                    Ok(decided) => self.show_assertion(&decided, &limits),
                    Err(problem) => self.refuse(&problem),
                });
            }
        }
        Ok(worst)
    }

    fn show_assertion(&self, decided: &csp::Decided<'_>, limits: &Limits) -> Exit {
        let exit = decided.exit(self.options.expect);
        match self.format {
            Format::Text => {
                self.screen.print(&assertion::text(self.options, self.screen, decided, limits));
            }
            Format::Json => self.screen.print(&assertion::json(decided)),
            Format::Html => self.page.borrow_mut().add_assertion(decided, limits),
            Format::Junit => self.suites.borrow_mut().add_assertion(decided, limits, exit),
            Format::Github => self.screen.print(&github::assertion(decided, limits, exit)),
        }
        exit
    }

    /// Decides a check and reports.
    fn one(&self, source: &Source, check: &Check) -> Exit {
        let limits = self.limits();
        let bounded = match bounds::apply(&source.program, check, &self.options.bounds) {
            Ok(bounded) => bounded,
            Err(message) => {
                return self.refuse(&Problem::of_check(Kind::Bounds, source, check, message));
            }
        };
        match self.decide(source, &bounded, &limits) {
            Ok(decided) => {
                let exit = decided.exit(self.options.expect);
                match self.format {
                    Format::Text => text::decided(self.options, self.screen, &decided, &limits),
                    Format::Json => json::decided(self.screen, &decided),
                    Format::Html => self.page.borrow_mut().add(&decided, &limits),
                    Format::Junit => self.suites.borrow_mut().add(&decided, &limits, exit),
                    Format::Github => {
                        self.screen.print(&github::decided(&decided, &limits, exit));
                    }
                }
                exit
            }
            Err(problem) => self.refuse(&problem),
        }
    }

    /// Reports that there is no verdict.
    fn refuse(&self, problem: &Problem) -> Exit {
        match self.format {
            Format::Text | Format::Html => text::problem(self.screen, problem),
            Format::Json => json::problem(self.screen, problem),
            Format::Junit => self.suites.borrow_mut().problem(problem),
            Format::Github => self.screen.print(&github::problem(problem)),
        }
        problem.exit()
    }

    fn limits(&self) -> Limits {
        let CheckOptions { max_states, max_memory, timeout, .. } = *self.options;
        Limits::new(max_states, max_memory, timeout)
    }

    /// Decides all conditions for the objects of some checks.
    fn classify(&self, source: &Source, checks: &[&Check]) -> Exit {
        let limits = self.limits();
        let one = |(name, checks): (String, Vec<Check>)| {
            let bounded = checks.iter().map(|check| {
                bounds::apply(&source.program, check, &self.options.bounds)
                    .map_err(|message| Problem::of_check(Kind::Bounds, source, check, message))
            });
            let bounded: Vec<Check> = match bounded.collect() {
                Ok(bounded) => bounded,
                Err(problem) => return self.refuse(&problem),
            };
            let mut decide = |check| self.decide(source, check, &limits);
            match classify::classify(source, name, &bounded, &mut decide) {
                Ok(all) => {
                    match self.format {
                        Format::Json => classified::json(self.screen, &all),
                        _ => classified::text(self.options, self.screen, &all, &limits),
                    }
                    all.exit()
                }
                Err(problem) => self.refuse(&problem),
            }
        };
        classify::groups(checks).into_iter().map(one).max().unwrap_or(Exit::Holds)
    }

    /// Searches, and has a violation confirmed. A panic of the search is a defect like any other; the
    /// other checks are still decided.
    fn decide<'a>(
        &self,
        source: &'a Source,
        check: &'a Check,
        limits: &Limits,
    ) -> Result<Decided<'a>, Problem> {
        let decided =
            catch_unwind(AssertUnwindSafe(|| self.search_and_confirm(source, check, limits)));
        decided.unwrap_or_else(|_| {
            let message = "the search panicked".to_string();
            Err(Problem::of_check(Kind::Internal, source, check, message))
        })
    }

    fn search_and_confirm<'a>(
        &self,
        source: &'a Source,
        check: &'a Check,
        limits: &Limits,
    ) -> Result<Decided<'a>, Problem> {
        let problem = |kind, message| Problem::of_check(kind, source, check, message);
        let (result, elapsed) = self.search(source, check, limits);
        let mut report = result.map_err(|error| match error {
            CheckError::Unsupported(u) => problem(Kind::Unsupported, u.message).at(source, u.span),
            CheckError::Specification(fault) => {
                let message = format!("the specification goes wrong: {fault}");
                problem(Kind::Specification, message).at(source, fault.span)
            }
            CheckError::Internal(what) => problem(Kind::Internal, what.to_string()),
            CheckError::BrokenFact(claim) => {
                problem(Kind::Internal, format!("the model is not what it claims to be: {claim}"))
            }
        })?;
        let violation = match confirm(source, check, &report.verdict) {
            Ok(violation) => violation,
            Err(Disagreement::Undecided) => {
                report.verdict = Verdict::Unknown(Limit::Unconfirmed);
                None
            }
            Err(disagreement) => {
                let message = format!("the violation is not confirmed by replay: {disagreement}");
                return Err(problem(Kind::Internal, message));
            }
        };
        let again = again::command(self.options, source, check);
        Ok(Decided { source, check, report, elapsed, violation, again })
    }

    fn search(
        &self,
        source: &Source,
        bounded: &Check,
        limits: &Limits,
    ) -> (Result<Report, CheckError>, std::time::Duration) {
        let progress = std::io::stderr().is_terminal() && !self.options.quiet;
        let watch = Watch::new(self.screen, &bounded.name, limits, progress);
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let result = watch.within(|budget| {
            let options = Options {
                reductions: self.options.reductions.reductions,
                workers: self.options.workers.map_or_else(cores, usize::from),
                budget,
                check_facts: self.options.check_facts,
                method: self.options.method.known(),
                minimise: self.options.minimise,
            };
            check(&source.program, bounded, &options)
        });
        let result = result.map(|mut report| {
            report.statistics.memory = watch.peak();
            report
        });
        (result, watch.end())
    }
}

/// Has a violation judged, and explains it.
fn confirm(
    source: &Source,
    check: &Check,
    verdict: &Verdict<Counterexample>,
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
    let judged = judge(&source.program, check, claim, schedule)?;
    let explanation = explain(&judged, &source.text);
    Ok(Some((judged.schedule, explanation)))
}
