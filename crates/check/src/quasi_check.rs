//! Checking quasi linearizability: quick rules first, better ones where they are needed.
//!
//! The quick rules refuse too much (`quasi`, [`Manner`]), so if they refuse nothing, the check holds.
//! What they refuse is judged again by the exact rules, as one history. If these refuse it as well, it is
//! a violation, and a shortest one, since no violation is accepted by the quick rules. If they do not,
//! the check is repeated with rules that keep what is not known to be wrong, first with few steps,
//! then with all. A violation may take more operations then: `deq` returns a value that is too far back,
//! nobody can know whether enqueues without end would help, but the next dequeues show that they did not.
//! Such a violation is not said to be the simplest one.
//! If there is none, and a history was accepted of which nobody knows, the verdict is unknown.

use std::sync::Arc;

use linchpin_lin::program::{Check, Program};
use linchpin_lts::Verdict;

use crate::feed;
use crate::product::Violation;
use crate::quasi::Manner;
use crate::reductions::Reductions;
use crate::report::{CheckError, Counterexample, NO_SCHEDULE, Options, Report, check_by, rules};

/// Checks quasi linearizability.
pub(crate) fn check_quasi(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    let report = decide(program, check, options);
    // Promises have values that nobody has used, and how many names they take depends on how the
    // execution went, so it may not be found again behind its canonical nodes. Without renaming it is.
    // Any other error would be hidden by another attempt.
    if report.as_ref().err() != Some(&NO_SCHEDULE) || !options.reductions.data {
        return report;
    }
    let reductions = Reductions { data: false, ..options.reductions };
    decide(program, check, &options.with(reductions, options.minimise))
}

fn decide(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    let by = |options: &Options<'_>, manner: Manner| {
        check_by(program, check, options, rules(check, manner)?)
    };
    let is_right = |report: &Report| match &report.verdict {
        Verdict::Violated(Counterexample { violation: Violation::History, schedule }) => {
            feed::refuses(program, check, schedule)
        }
        _ => Ok(true),
    };
    for manner in [Manner::Quick, Manner::Careful] {
        // The specification may go wrong in extensions that exact rules do not need.
        let report = match by(options, manner) {
            Err(CheckError::Specification(_)) => continue,
            report => report?,
        };
        if is_right(&report)? {
            return Ok(report);
        }
        // The simplest execution that is refused may be all right where another one is not.
        if options.minimise > 0 {
            let report = by(&options.with(options.reductions, 0), manner)?;
            if is_right(&report)? {
                return Ok(report);
            }
        }
    }
    by(options, Manner::Exact)
}
