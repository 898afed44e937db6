//! Which way each condition is decided.

use std::sync::Arc;

use linchpin_lin::program::{Check, Condition, Program};
use linchpin_lin::specify::SpecFault;
use linchpin_lts::{FaultKind, Verdict};

use crate::product::Violation;
use crate::progress::check_progress;
use crate::quasi::Manner;
use crate::quasi_check::check_quasi;
use crate::report::{CheckError, Counterexample, Options, Report, check_by, rules};
use crate::strong_check::check_strong;
use crate::temporal::check_temporal;

/// Checks an object against its specification.
pub fn check(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    let mut report = match decide(program, check, options) {
        Err(CheckError::Specification(SpecFault { kind: FaultKind::Stopped(limit), .. })) => {
            return Ok(Report::stopped(limit, options));
        }
        // In the middle of the way to a violation that was found.
        Err(CheckError::Internal(what)) => match options.budget.within.told() {
            Some(limit) => return Ok(Report::stopped(limit, options)),
            None => return Err(CheckError::Internal(what)),
        },
        decided => decided?,
    };
    // What a step that was given up would do is not known.
    if let Verdict::Violated(Counterexample { violation: Violation::Fault(kind), .. }) =
        &report.verdict
        && let Some(limit) = kind.limit()
    {
        report.verdict = Verdict::Unknown(limit);
    }
    Ok(report)
}

fn decide(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    match &check.condition {
        Condition::Strong => check_strong(program, check, options),
        Condition::Quasi(_) => check_quasi(program, check, options),
        Condition::Ltl(temporal) => check_temporal(program, check, temporal, options),
        condition if condition.is_progress() => check_progress(program, check, options),
        _ => check_by(program, check, options, rules(check, Manner::Exact)?),
    }
}
