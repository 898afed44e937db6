//! Temporal logic: does every execution of an object under its clients satisfy a formula?
//!
//! The formula is about calls and returns; all other steps are silent. It is decided by the crate `ltl`
//! on the labelled system of `threads`. Formulas cannot tell executions apart that differ in silent
//! steps only (there is no `X`), so it does not matter how fine the steps are.
//!
//! * An execution that ends (all threads have finished or wait) goes on in silence.
//! * An execution that the model excludes from going on (`assume`, the bound on the heap) is
//!   considered as far as it goes: it can show that something happens that never should, but
//!   not that something never happens.
//! * A fault is a violation of its own kind, as always.
//!
//! Reductions: see `threads`. With fairness, work on private memory is not merged with the step
//! before it, so that what is enabled is what it says.

use std::sync::Arc;

use linchpin_engine::Taken;
use linchpin_formula::Formula;
use linchpin_lin::program::{Check, Program, Temporal, ThreadFairness};
use linchpin_lin::{Model, Unsupported};
use linchpin_ltl::{Atoms, Fairness, Tail, is_safety};
use linchpin_lts::{Label, Trouble, Verdict};

use crate::method::Method;
use crate::product::Violation;
use crate::report::{CheckError, Counterexample, NO_SCHEDULE, Options, Report};
use crate::retrace::Retrace;
use crate::threads::{Happening, Mode, Threads};

/// Decides a formula, and faults on the way.
pub(crate) fn check_temporal(
    program: &Arc<Program>,
    check: &Check,
    temporal: &Temporal,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    options.method.accepts(check).map_err(CheckError::Unsupported)?;
    let mut reductions = Threads::kept(options.reductions);
    let fairness = match temporal.fairness {
        ThreadFairness::None => Fairness::None,
        ThreadFairness::Weak => Fairness::WeakProcesses,
        ThreadFairness::Strong => Fairness::StrongProcesses,
    };
    reductions.private &= fairness == Fairness::None;
    reductions.constant &= fairness == Fairness::None;
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?
        .within(options.budget.within);
    let system = Threads::new(&model, reductions, Mode::Rest);
    let no_fault = Formula::event(FAULT).not().always();
    let formula = match is_safety(&temporal.formula) {
        true => temporal.formula.clone(),
        false => temporal.formula.clone().or(Formula::event(EXCLUDED).eventually()),
    };
    let formula = formula.and(no_fault);
    let budget = &options.budget;
    let answer = linchpin_ltl::check(&system, &system, &formula, fairness, false, budget).map_err(
        |trouble| {
            let message = trouble.message;
            CheckError::Unsupported(Unsupported { message, span: check.span })
        },
    )?;
    let verdict = match answer.verdict {
        Verdict::Holds => Verdict::Holds,
        Verdict::Unknown(limit) => Verdict::Unknown(limit),
        Verdict::Violated(lasso) => {
            let (steps, repeats) = lasso.steps();
            let mut path: Vec<Taken> = steps.cloned().collect();
            let mut from = repeats.unwrap_or(path.len());
            // Silence at the end is no step of the model; the first step is the beginning.
            let silence = |(i, step): (usize, &Taken)| i > 0 && step.by.is_empty();
            if let Some(end) = path.iter().enumerate().position(silence) {
                path.truncate(end);
                from = from.min(end);
            }
            let walked = Retrace::new(&system).walk(&path);
            let (mut schedule, ends, fault) = walked.ok_or(NO_SCHEDULE)?;
            let violation = match (fault, &lasso.tail) {
                (Some(kind), _) => Violation::Fault(kind),
                (None, Tail::Open) => Violation::Temporal(None),
                (None, _) => Violation::Temporal(Some(schedule.turns.split_off(ends[from]))),
            };
            Verdict::Violated(Counterexample { violation, schedule })
        }
    };
    let (statistics, method) = (answer.statistics, Method::Refinement);
    let covered = model.covered();
    Ok(Report { verdict, statistics, sets: 0, reductions, method, minimal: None, covered })
}

/// Events of formulas that users do not write.
const FAULT: &str = "fault";
const EXCLUDED: &str = "excluded";

/// The executions of an object: events go by patterns such as `call.push`.
impl Atoms for Threads<'_> {
    fn holds(&self, _: u32, _: &[u32]) -> Result<bool, Trouble> {
        Ok(false)
    }

    fn is_event(&self, label: Label, event: &str) -> bool {
        let mut parts = event.split('.').peekable();
        let (kind, thread, op) = match self.happening(label) {
            Happening::Silent | Happening::Wait(_) => return false,
            Happening::Fault => return event == FAULT,
            Happening::Excluded => return event == EXCLUDED,
            Happening::Call(thread, op) => ("call", thread, op),
            Happening::Return(thread, op) => ("return", thread, op),
        };
        if parts.peek().is_some_and(|p| *p != "call" && *p != "return")
            && parts.next() != Some(&format!("T{}", thread + 1))
        {
            return false;
        }
        let name = &self.model.object().unit.op(op).name;
        parts.next() == Some(kind) && parts.next().is_none_or(|p| p == name)
    }

    fn one_event_at_a_time(&self) -> bool {
        false
    }
}
