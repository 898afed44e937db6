//! Checking strong linearizability (`strong_linearizability`): first everything else, then the game.

use std::sync::Arc;

use linchpin_lin::program::{Check, Condition, Program};
use linchpin_lin::specify::SpecFault;
use linchpin_lin::{Model, Unsupported};
use linchpin_lts::Verdict;

use crate::configurations::Configurations;
use crate::game::{self, End};
use crate::linearizability::Linearizability;
use crate::method::Method;
use crate::product::{Product, Violation};
use crate::reductions::Reductions;
use crate::report::{CheckError, Counterexample, Options, Report, check_by, operations};
use crate::strong_linearizability::{object_chooses, script_chooses};

/// Checks strong linearizability: linearizability, faults and deadlocks as always, then the game.
pub(crate) fn check_strong(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    options.method.accepts(check).map_err(CheckError::Unsupported)?;
    if script_chooses(check) {
        let message = "`strong` cannot be decided for scripts that choose".to_string();
        return Err(CheckError::Unsupported(Unsupported { message, span: check.span }));
    }
    let linearizable = Check { condition: Condition::Linearizable, ..check.clone() };
    let report = check_by(program, &linearizable, options, Box::new(Linearizability))?;
    if report.verdict != Verdict::Holds {
        return Ok(report);
    }
    let mut reductions = Reductions {
        antichain: false,
        locks: false,
        once: false,
        reuse: false,
        ..report.reductions
    };
    let chooses = object_chooses(program, check);
    reductions.private &= !chooses;
    reductions.constant &= !chooses;
    let (report, fault) = play(program, check, reductions, false, options)?;
    match (&report.verdict, fault) {
        // The checker may have lost because the specification went wrong.
        (Verdict::Violated(_), Some(fault)) => {
            match play(program, check, reductions, true, options)? {
                (report, _) if report.verdict.evidence().is_some() => Ok(report),
                _ => Err(CheckError::Specification(fault)),
            }
        }
        _ => Ok(report),
    }
}

/// Plays the game of strong linearizability. Tells also what went wrong in the specification, if anything did.
fn play(
    program: &Arc<Program>,
    check: &Check,
    reductions: Reductions,
    lenient: bool,
    options: &Options<'_>,
) -> Result<(Report, Option<SpecFault>), CheckError> {
    // Names that occur in the specification only are not always canonical, so a play may not be found
    // again; without renaming it is.
    let plain = Reductions { heap: false, threads: false, data: false, ..reductions };
    match play_once(program, check, reductions, lenient, options)? {
        None if reductions != plain => play_once(program, check, plain, lenient, options)?,
        played => played,
    }
    .ok_or(CheckError::Internal("a lost game has no play"))
}

/// The same; `None` if it is lost and nobody knows how.
fn play_once(
    program: &Arc<Program>,
    check: &Check,
    reductions: Reductions,
    lenient: bool,
    options: &Options<'_>,
) -> Result<Option<(Report, Option<SpecFault>)>, CheckError> {
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?
        .within(options.budget.within);
    let spec = model.specification().map_err(CheckError::Specification)?;
    let ops = operations(program, check, &spec)?;
    let configurations = Configurations::new(spec, ops, Box::new(Linearizability));
    let product = Product {
        model: &model,
        configurations: &configurations,
        reductions,
        check_facts: false,
        beyond: true,
    };
    let (end, statistics) = game::solve(&product, lenient, &options.budget);
    let verdict = match end {
        End::Won => Verdict::Holds,
        End::Stopped(limit) => Verdict::Unknown(limit),
        End::Lost(schedule, branches) => Verdict::Violated(Counterexample {
            violation: Violation::Branching(branches),
            schedule,
        }),
        End::NoPlay => return Ok(None),
    };
    let sets = configurations.sets();
    let method = Method::Refinement;
    let covered = model.covered();
    let report = Report { verdict, statistics, sets, reductions, method, minimal: None, covered };
    Ok(Some((report, configurations.fault())))
}
