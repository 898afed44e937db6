//! mCRL2 specifications (`.mcrl2`): reading them, and checking them against the same with atomic bodies
//! or against another system.
//!
//! `linchpin check concrete.mcrl2 --atomic` is the method of Paval's thesis (2018) without the work:
//! the abstract specification is derived ([`linchpin_mcrl2::Specification::atomic`]), and
//! [`linchpin_relations::histories`] compares the two.

use std::path::{Path, PathBuf};
use std::time::Duration;

use linchpin_lin::Diagnostic;
use linchpin_lts::Limit;
use linchpin_mcrl2::{Events, Specification, System as McrlSystem, with_clients};
use linchpin_relations::{Histories, Source, histories};

use crate::again;
use crate::args::{BoundOptions, CheckOptions};
use crate::exit::Exit;
use crate::input;
use crate::language::Language;
use crate::lts::{Common, Size, System, Systems, failed, name};
use crate::outcome::{Failure, Kind, Problem};
use crate::session::Session;
use crate::watch::Watch;

/// The specification in a file, with the clients that were asked for.
pub(crate) fn read(path: &Path, bounds: &BoundOptions) -> Result<(Specification, String), Problem> {
    let mut text = input::read(path, Language::Mcrl2)?;
    if !bounds.threads.is_empty() || bounds.ops.is_some() {
        let threads = bounds.threads.last().map_or(2, |(_, n)| *n as usize);
        let ops = bounds.ops.map_or(Some(2), |ops| ops.0.map(|n| n as usize));
        text = ops.and_then(|ops| with_clients(&text, threads, ops)).ok_or_else(|| {
            let message = "`--threads` and `--ops` are for specifications that say where their \
                           clients are (`% clients` ... `% end`), up to four threads and operations"
                .to_string();
            Problem::new(Kind::Bounds, path, message)
        })?;
    }
    match Specification::read(&text) {
        Ok(specification) => Ok((specification, text)),
        Err(diagnostics) => Err(Problem::wrong(path, text, diagnostics)),
    }
}

/// The system in a file, for walking through it, and its text.
pub(crate) fn walked(path: &Path, bounds: &BoundOptions) -> Result<(McrlSystem, String), Problem> {
    let (specification, text) = read(path, bounds)?;
    match specification.system() {
        Ok(system) => Ok((system, text)),
        Err(problem) => Err(Problem::wrong(path, text, vec![*problem])),
    }
}

/// The system in a file.
pub(crate) fn load(
    path: &Path,
    bounds: &BoundOptions,
    watch: &Watch<'_>,
) -> Result<System, Problem> {
    let (specification, text) = read(path, bounds)?;
    match specification.system_until(watch.question()) {
        Ok(system) => Ok(System::Computed(Box::new(system))),
        Err(problem) => Err(Problem::wrong(path, text, vec![*problem])),
    }
}

/// What came of a comparison of histories.
pub(crate) struct Compared<'a> {
    pub(crate) path: &'a Path,
    /// The text of the file.
    pub(crate) text: String,
    /// The other file; without one, it is the same with atomic bodies.
    pub(crate) against: Option<&'a Path>,
    /// What was found, and how large the two are; or the limit that was in the way.
    pub(crate) found: Result<(Histories, [Size; 2]), Limit>,
    pub(crate) elapsed: Duration,
    pub(crate) memory: u64,
    /// The command that shows it again.
    pub(crate) again: String,
}

/// `linchpin check x.mcrl2`
pub(crate) fn check(
    session: &Session<'_>,
    options: &CheckOptions,
    path: &Path,
) -> Result<Exit, Problem> {
    if let Some(message) = inconsistent(options) {
        return Err(Problem::new(Kind::Unsupported, path, message.to_string()));
    }
    let common = Common {
        limits: options.limits.clone(),
        name: None,
        quiet: options.quiet,
        bounds: options.bounds.clone(),
    };
    let decided = session.attempt(path, &name(path), |watch| {
        let systems = Systems { session, common: &common, watch };
        let found = match decide(&systems, options, path) {
            Ok(found) => Ok(found),
            Err(Failure::Limit(limit)) => Err(limit),
            Err(Failure::Problem(problem)) => return Err(*problem),
        };
        Ok::<_, Problem>(Compared {
            path,
            text: input::read(path, Language::Mcrl2).unwrap_or_default(),
            against: options.against.as_deref(),
            found,
            elapsed: watch.end(),
            memory: watch.peak(),
            again: again::specification(options, path),
        })
    });
    decided.map(|compared| session.show(&compared, compared.exit()))
}

/// Options that are missing or do not fit together.
fn inconsistent(options: &CheckOptions) -> Option<&'static str> {
    let named = !options.calls.is_empty() || !options.returns.is_empty();
    match (options.atomic, options.against.is_some()) {
        (false, false) => Some(
            "an mCRL2 specification is checked against itself with atomic bodies (`--atomic`) or \
             against another one (`--against FILE`)",
        ),
        (_, true) if named => Some(
            "`--calls` and `--returns` say what is atomic with `--atomic`; with `--against` nothing is",
        ),
        _ => None,
    }
}

fn decide(
    systems: &Systems<'_>,
    options: &CheckOptions,
    path: &Path,
) -> Result<(Histories, [Size; 2]), Failure> {
    let (specification, text) = read(path, &options.bounds)?;
    let refused = |problem: Box<Diagnostic>| Problem::wrong(path, text.clone(), vec![*problem]);
    let watch = systems.watch.question();
    let concrete = systems.or_limit(specification.system_until(watch).map_err(refused))?;
    let (file, other): (PathBuf, System) = match &options.against {
        Some(against) => (against.clone(), systems.load(against)?),
        None => {
            let found = specification.events();
            let given = |given: &[String], found: Vec<String>| match given.is_empty() {
                true => found,
                false => given.to_vec(),
            };
            let events = Events {
                calls: given(&options.calls, found.calls),
                returns: given(&options.returns, found.returns),
            };
            let system = specification.atomic_until(&events, watch).map_err(refused);
            let system = systems.or_limit(system)?;
            (path.to_path_buf(), System::Computed(Box::new(system)))
        }
    };
    let first = System::Computed(Box::new(concrete));
    let sources = [&first, &other].map(|system| match system {
        System::Explicit(lts) => Source::Whole(lts),
        System::Computed(_) => Source::Computed(system),
    });
    let found = systems.within(|budget| histories(sources, budget));
    let at = |side: usize| if side == 0 { path } else { &file };
    let found = found.map_err(|(side, failure)| failed(at(side), failure));
    let (found, whole) = systems.or_limit(found)?;
    whole.iter().try_for_each(|lts| systems.small_enough(lts))?;
    Ok((found, whole.each_ref().map(|lts| Size::of(lts))))
}

impl Compared<'_> {
    fn exit(&self) -> Exit {
        match &self.found {
            Ok((found, _)) => found.verdict().into(),
            Err(_) => Exit::Unknown,
        }
    }
}
