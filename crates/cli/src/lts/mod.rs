//! `linchpin lts`, `reduce` and `compare`: labelled transition systems.

mod clients;
mod compare;
mod mcrl2;
mod options;
mod report;
mod system;
mod write;

use std::io::IsTerminal;
use std::path::Path;

use linchpin_engine::{Budget, Limit};
use linchpin_lts::{Explicit, Trouble};
use linchpin_model::Span;
use linchpin_relations::{Equivalence, Generated, generate, quotient, weak_trace_normal_form};

use crate::exit::Exit;
use crate::input;
use crate::outcome::{Kind, Problem};
use crate::render::numbers::{grouped, seconds};
use crate::render::text;
use crate::render::verdict::Limits;
use crate::screen::{Screen, Tone};
use crate::watch::{self, Watch};

pub(crate) use compare::run as compare;
pub(crate) use mcrl2::{check as check_mcrl2, is_mcrl2};
use options::{Common, Modulo};
pub(crate) use options::{CompareOptions, LtsOptions, ReduceOptions};
use system::{Failure, System};

/// `linchpin lts`
pub(crate) fn lts(options: &LtsOptions, screen: &Screen) -> Exit {
    let work = |session: &Session<'_>| {
        let mut lts = session.explicit(&options.file)?;
        if let Some(modulo) = options.reduced {
            lts = session.reduced(&lts, modulo)?;
        }
        write::write(&lts, &options.target)?;
        session.say(&figures(&lts));
        Ok(Exit::Holds)
    };
    Session::run(&options.common, screen, &name(&options.file), work)
}

/// `linchpin reduce`
pub(crate) fn reduce(options: &ReduceOptions, screen: &Screen) -> Exit {
    let work = |session: &Session<'_>| {
        let lts = session.explicit(&options.file)?;
        let small = session.reduced(&lts, options.modulo)?;
        write::write(&small, &options.target)?;
        session.say(&format!("{}, reduced to {}", figures(&lts), figures(&small)));
        Ok(Exit::Holds)
    };
    Session::run(&options.common, screen, &name(&options.file), work)
}

/// `237 states, 544 steps`
fn figures(lts: &Explicit) -> String {
    format!("{} states, {} steps", grouped(u64::from(lts.states())), grouped(lts.steps() as u64))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A command that is being executed.
struct Session<'a> {
    common: &'a Common,
    screen: &'a Screen,
    limits: &'a Limits,
    watch: &'a Watch<'a>,
}

impl Session<'_> {
    /// Does the work, and reports what ends it otherwise.
    fn run(
        common: &Common,
        screen: &Screen,
        name: &str,
        work: impl FnOnce(&Session<'_>) -> Result<Exit, Failure>,
    ) -> Exit {
        watch::catch_interrupts();
        let limits = Limits::new(common.max_states, common.max_memory, common.timeout);
        let progress = std::io::stderr().is_terminal() && !common.quiet;
        let watch = Watch::new(screen, name, &limits, progress);
        let session = Session { common, screen, limits: &limits, watch: &watch };
        let result = work(&session);
        watch.end();
        match result {
            Ok(exit) => exit,
            Err(Failure::Problem(problem)) => {
                text::problem(screen, &problem);
                problem.exit()
            }
            Err(Failure::Limit(limit)) => {
                let word = screen.paint(Tone::Doubtful, "unknown");
                screen.error(&format!("{name}: {word}: {}\n", limits.words(limit)));
                Exit::Unknown
            }
        }
    }

    /// Does something within the limits.
    fn within<T>(&self, work: impl FnOnce(&Budget<'_>) -> T) -> T {
        self.watch.within(|budget| work(&budget))
    }

    /// The system in a file.
    fn load(&self, path: &Path) -> Result<System, Failure> {
        system::load(path, self.common, self.screen, self.watch)
    }

    /// The same with all its states.
    fn explicit(&self, path: &Path) -> Result<Explicit, Failure> {
        let system = self.load(path)?;
        self.generated(path, system)
    }

    fn generated(&self, path: &Path, system: System) -> Result<Explicit, Failure> {
        if let System::Explicit(lts) = system {
            return Ok(lts);
        }
        match self.within(|budget| generate(&system, 1, budget)) {
            Ok(Generated::Whole(lts)) => Ok(lts),
            Ok(Generated::Stopped { limit, .. }) => Err(Failure::Limit(limit)),
            Err(trouble) => Err(troubled(path, trouble)),
        }
    }

    fn reduced(&self, lts: &Explicit, modulo: Modulo) -> Result<Explicit, Failure> {
        let reduced = |equivalence| self.within(|budget| quotient(lts, equivalence, budget));
        let result = match modulo {
            Modulo::Strong => reduced(Equivalence::Strong),
            Modulo::Branching => reduced(Equivalence::Branching),
            Modulo::DivergenceBranching => reduced(Equivalence::DivergenceBranching),
            Modulo::WeakTrace => self.within(|budget| weak_trace_normal_form(lts, 1, budget)),
        };
        result.map_err(Failure::Limit)
    }

    /// Says something that is not the result, with the time it took.
    fn say(&self, message: &str) {
        let elapsed = self.watch.end();
        if !self.common.quiet {
            let note = format!("{message} ({})\n", seconds(elapsed));
            self.screen.error(&note);
        }
    }
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}

/// A model that cannot say what comes next.
fn troubled(path: &Path, trouble: Trouble) -> Failure {
    let problem = Problem::new(Kind::Unsupported, path, trouble.message);
    let place = trouble.at.map(|(from, to)| Span::new(from as usize, to as usize));
    match (place, input::read(path)) {
        (Some(span), Ok(text)) if span.end as usize <= text.len() => {
            problem.inside(text, span).into()
        }
        _ => problem.into(),
    }
}
