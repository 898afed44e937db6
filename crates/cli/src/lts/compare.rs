//! `linchpin compare`: are two systems related?

use std::time::Duration;

use linchpin_lts::{Limit, Verdict};
use linchpin_relations::{
    Equivalence, Related, Semantics, bisimilar, merged_refinement, refinement,
};

use super::options::{CompareOptions, Relation};
use super::report::can_be_shown;
use super::{System, Systems, failed, name, refuse};
use crate::again;
use crate::answer::View;
use crate::exit::Exit;
use crate::language;
use crate::outcome::{Failure, Problem};
use crate::output::Outputs;
use crate::screen::Screen;
use crate::session::Session;

/// What came of a comparison.
pub(super) struct Compared<'a> {
    pub(super) options: &'a CompareOptions,
    pub(super) related: Related,
    pub(super) elapsed: Duration,
    /// The command that shows it again.
    pub(super) again: String,
}

/// `linchpin compare`
pub(crate) fn run(options: &CompareOptions, screen: &Screen) -> Exit {
    if options.refines && equivalence(options.relation).is_some() {
        screen.complain(&format!(
            "`--refines` is for trace, weak-trace, failures and failures-divergences; `{}` is an \
             equivalence",
            options.relation.name()
        ));
        return Exit::BadInput;
    }
    let view = View { quiet: options.common.quiet, verbose: options.verbose, ..View::default() };
    let report = &options.report;
    let (first, second) = (&*options.first, &*options.second);
    let (of_first, of_second) = (language::process(first).0, language::process(second).0);
    let read = [&*of_first, &*of_second];
    let outputs = Outputs::new(Some(report.format), &report.output, &read, false);
    Session::run(screen, &options.common.limits, view, outputs, |session| {
        let names = format!("{} and {}", name(first), name(second));
        let compared = session.attempt(first, &names, |watch| {
            refuse(&options.common, &[first, second])?;
            let systems = Systems { session, common: &options.common, watch };
            let related = match decide(&systems, options) {
                Ok(Related { verdict: Verdict::Holds, .. }) if watch.stopped().is_some() => {
                    stopped(watch.stopped().unwrap_or(Limit::Step))
                }
                Ok(related) => related,
                Err(Failure::Limit(limit)) => stopped(limit),
                Err(Failure::Problem(problem)) => return Err(*problem),
            };
            let again = again::comparison(options);
            Ok::<_, Problem>(Compared { options, related, elapsed: watch.end(), again })
        });
        match compared {
            Ok(compared) => session.show(&compared, (&compared.related.verdict).into()),
            Err(problem) => session.refuse(&problem),
        }
    })
}

fn stopped(limit: Limit) -> Related {
    Related { verdict: Verdict::Unknown(limit), figures: None, blocks: None }
}

fn equivalence(relation: Relation) -> Option<Equivalence> {
    match relation {
        Relation::Strong => Some(Equivalence::Strong),
        Relation::Branching => Some(Equivalence::Branching),
        Relation::DivergenceBranching => Some(Equivalence::DivergenceBranching),
        _ => None,
    }
}

fn semantics(relation: Relation) -> Semantics {
    match relation {
        Relation::WeakTrace => Semantics::WeakTrace,
        Relation::Failures => Semantics::Failures,
        Relation::FailuresDivergences => Semantics::FailuresDivergences,
        _ => Semantics::Trace,
    }
}

fn decide(systems: &Systems<'_>, options: &CompareOptions) -> Result<Related, Failure> {
    let (first, second) = (systems.load(&options.first)?, systems.load(&options.second)?);
    let semantics = semantics(options.relation);
    if options.refines && !options.quotient {
        let found = systems.within(|budget| match (&first, &second) {
            (System::Explicit(a), System::Explicit(b)) => refinement(a, b, semantics, budget),
            (a, b) => refinement(a, b, semantics, budget),
        });
        return systems.or_limit(found.map_err(|failure| failed(&options.first, failure)));
    }
    let first = systems.generated(&options.first, first)?;
    let second = systems.generated(&options.second, second)?;
    let found = systems.within(|budget| match equivalence(options.relation) {
        Some(equivalence) => bisimilar(&first, &second, equivalence, &can_be_shown, budget),
        None => merged_refinement(&first, &second, semantics, !options.refines, budget),
    });
    systems.or_limit(found.map_err(|failure| failed(&options.first, failure)))
}
