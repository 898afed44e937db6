//! `linchpin lts`, `reduce` and `compare`: labelled transition systems.

mod compare;
mod options;
pub(crate) mod report;
mod system;
mod write;
mod written;

use std::path::Path;

use linchpin_engine::Budget;
use linchpin_lin::Span;
use linchpin_lts::{Explicit, Figures, Trouble};
use linchpin_relations::{Equivalence, Generated, generate, quotient, weak_trace_normal_form};

use crate::again;
use crate::answer::View;
use crate::exit::Exit;
use crate::input;
use crate::language::{self, Language};
use crate::names::shown;
use crate::outcome::{Failure, Kind, Problem};
use crate::refused::{Given, refused};
use crate::screen::Screen;
use crate::session::Session;
use crate::watch::Watch;

pub(crate) use compare::run as compare;
pub(crate) use options::{Common, CompareOptions, LtsOptions, ReduceOptions};
use options::{Modulo, Target};
pub(crate) use system::System;
pub(crate) use written::Size;
use written::Written;

/// `linchpin lts`
pub(crate) fn lts(options: &LtsOptions, screen: &Screen) -> Exit {
    let work = |systems: &Systems<'_>| {
        let whole = systems.explicit(&options.file)?;
        Ok(match options.reduced {
            None => (whole, None),
            Some(modulo) => (systems.reduced(&whole, modulo)?, Some(Size::of(&whole))),
        })
    };
    run("lts", &options.file, &options.target, &options.common, screen, work)
}

/// `linchpin reduce`
pub(crate) fn reduce(options: &ReduceOptions, screen: &Screen) -> Exit {
    let work = |systems: &Systems<'_>| {
        let whole = systems.explicit(&options.file)?;
        Ok((systems.reduced(&whole, options.modulo)?, Some(Size::of(&whole))))
    };
    run("reduce", &options.file, &options.target, &options.common, screen, work)
}

/// Makes a system and writes it. The work says how large it was before it was reduced, if it was.
fn run(
    command: &str,
    path: &Path,
    target: &Target,
    common: &Common,
    screen: &Screen,
    work: impl FnOnce(&Systems<'_>) -> Result<(Explicit, Option<Size>), Failure>,
) -> Exit {
    let view = View { quiet: common.quiet, ..View::default() };
    let (files, outputs) = match target.split(&language::process(path).0) {
        Ok((files, outputs)) => (files, Ok(outputs)),
        Err(message) => (Vec::new(), Err(message)),
    };
    Session::run(screen, &common.limits, view, outputs, |session| {
        let done = session.attempt(path, &name(path), |watch| {
            refuse(common, &[path])?;
            let systems = Systems { session, common, watch };
            let (lts, before) = work(&systems)?;
            write::write(&lts, &files, watch)?;
            Ok((Size::of(&lts), before, watch.end()))
        });
        let command = again::system(command, path, common);
        let answer = match done {
            Ok((size, before, elapsed)) => {
                Written { path, size: Ok(size), before, elapsed, command }
            }
            Err(Failure::Limit(limit)) => Written::stopped(path, limit, command),
            Err(Failure::Problem(problem)) => return session.refuse(&problem),
        };
        session.show(&answer, answer.exit());
        session.note(&answer);
        answer.exit()
    })
}

pub(crate) fn name(path: &Path) -> String {
    shown(Path::new(path.file_name().unwrap_or(path.as_os_str())))
}

/// Systems of files, within the limits.
pub(crate) struct Systems<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) common: &'a Common,
    pub(crate) watch: &'a Watch<'a>,
}

/// Refuses an option that means nothing for any of these files.
fn refuse(common: &Common, paths: &[&Path]) -> Result<(), Problem> {
    let language = |path: &&Path| match input::is_standard(path) {
        true => Some(Language::Aut),
        false => Language::of(&language::process(path).0),
    };
    let languages: Option<Vec<Language>> = paths.iter().map(language).collect();
    let given = Given { check: None, name: common.name.is_some(), bounds: &common.bounds };
    // A file in no language is refused when it is read.
    match languages.and_then(|languages| refused(&languages, &given)) {
        Some(message) => Err(Problem::new(Kind::Unsupported, paths[0], message)),
        None => Ok(()),
    }
}

impl Systems<'_> {
    /// Does something within the limits.
    pub(crate) fn within<T>(&self, work: impl FnOnce(&Budget<'_>) -> T) -> T {
        self.watch.within(|budget| work(&budget))
    }

    /// The system in a file.
    pub(crate) fn load(&self, path: &Path) -> Result<System, Failure> {
        self.or_limit(system::load(path, self.common, self.session, self.watch))
    }

    /// If somebody was told to stop, that is why something did not go well.
    pub(crate) fn or_limit<T, E: Into<Failure>>(&self, done: Result<T, E>) -> Result<T, Failure> {
        done.map_err(|why| self.watch.stopped().map_or_else(|| why.into(), Failure::Limit))
    }

    /// The same with all its states.
    fn explicit(&self, path: &Path) -> Result<Explicit, Failure> {
        let system = self.load(path)?;
        self.generated(path, system)
    }

    /// A system with all its states.
    pub(crate) fn generated(&self, path: &Path, system: System) -> Result<Explicit, Failure> {
        let lts = match system {
            System::Explicit(lts) => lts,
            System::Computed(_) => match self.within(|budget| generate(&system, budget)) {
                Ok(Generated::Whole(lts)) => lts,
                Ok(Generated::Stopped { limit, .. }) => return Err(Failure::Limit(limit)),
                Err(trouble) => return self.or_limit(Err(troubled(path, trouble))),
            },
        };
        self.small_enough(&lts)?;
        Ok(lts)
    }

    /// Does a system have no more states than are allowed? Small ones are complete before anybody asks.
    pub(crate) fn small_enough(&self, lts: &Explicit) -> Result<(), Failure> {
        let figures = Figures { nodes: u64::from(lts.states()), ..Figures::default() };
        self.watch.over(figures).map_or(Ok(()), |limit| Err(Failure::Limit(limit)))
    }

    fn reduced(&self, lts: &Explicit, modulo: Modulo) -> Result<Explicit, Failure> {
        let reduced = |equivalence| self.within(|budget| quotient(lts, equivalence, budget));
        let result = match modulo {
            Modulo::Strong => reduced(Equivalence::Strong),
            Modulo::Branching => reduced(Equivalence::Branching),
            Modulo::DivergenceBranching => reduced(Equivalence::DivergenceBranching),
            Modulo::WeakTrace => self.within(|budget| weak_trace_normal_form(lts, budget)),
        };
        result.map_err(Failure::Limit)
    }
}

/// A model that cannot say what comes next.
pub(crate) fn troubled(path: &Path, trouble: Trouble) -> Problem {
    let problem = Problem::new(Kind::Unsupported, path, trouble.message);
    let place = trouble.at.map(|(from, to)| Span::new(from as usize, to as usize));
    let (file, _) = language::process(path);
    let text = Language::of(&file).map(|language| input::read(&file, language));
    match (place, text) {
        (Some(span), Some(Ok(text))) if span.end as usize <= text.len() => {
            problem.inside(text, span)
        }
        _ => problem,
    }
}

/// Why nothing is known about two systems; `path` is the first.
pub(crate) fn failed(path: &Path, failure: linchpin_relations::Failure) -> Failure {
    use linchpin_relations::Failure as Known;
    match failure {
        Known::Limit(limit) => Failure::Limit(limit),
        Known::Trouble(trouble) => troubled(path, trouble).into(),
        Known::Defect(why) => Problem::new(Kind::Internal, path, why).into(),
    }
}
