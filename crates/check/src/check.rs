//! Which way each condition is decided.

use std::sync::Arc;

use linchpin_lin::program::{Check, Condition, Program};
use linchpin_lts::{FaultKind, Limit, Verdict};

use crate::product::Violation;
use crate::progress::check_progress;
use crate::quasi::Manner;
use crate::quasi_check::check_quasi;
use crate::report::{CheckError, Options, Report, check_by, rules};
use crate::strong_check::check_strong;
use crate::temporal::check_temporal;

/// Checks an object against its specification.
pub fn check(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    let mut report = decide(program, check, options)?;
    // What a step that was given up would do is not known.
    let given_up = |v: &Violation| *v == Violation::Fault(FaultKind::TooLong);
    if report.verdict.evidence().is_some_and(|found| given_up(&found.violation)) {
        report.verdict = Verdict::Unknown(Limit::Step);
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
