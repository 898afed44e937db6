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

use linchpin_engine::Unfolded;
use linchpin_formula::Formula;
use linchpin_ltl::{Fairness, Graph, Tail, Taken, Walk, is_safety};
use linchpin_lts::{Label, Trouble, Verdict};
use linchpin_model::program::{Check, Program, Temporal, ThreadFairness};
use linchpin_model::{Model, Unsupported};

use crate::method::Method;
use crate::product::Violation;
use crate::report::{CheckError, Counterexample, NO_SCHEDULE, Options, Report};
use crate::retrace::{Edge, Retrace};
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
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?;
    let system = Threads::new(&model, reductions, Mode::Rest);
    let mut graph = Executions { walk: Walk::new(&system, |_, _: &[u32]| Ok(false)) };
    let no_fault = Formula::event(FAULT).not().always();
    let formula = match is_safety(&temporal.formula) {
        true => temporal.formula.clone(),
        false => temporal.formula.clone().or(Formula::event(EXCLUDED).eventually()),
    };
    let answer = linchpin_ltl::check(&mut graph, &formula.and(no_fault), fairness, &options.budget)
        .map_err(|trouble| {
            let message = trouble.message;
            CheckError::Unsupported(Unsupported { message, span: check.span })
        })?;
    let verdict = match answer.verdict {
        Verdict::Holds => Verdict::Holds,
        Verdict::Unknown(limit) => Verdict::Unknown(limit),
        Verdict::Violated(lasso) => {
            let mut path = edges(lasso.initial, &lasso.stem);
            let mut from = path.len();
            let around = match &lasso.tail {
                Tail::Cycle(cycle) => {
                    edges(lasso.stem.last().map_or(lasso.initial, |s| s.state), cycle)
                }
                Tail::End | Tail::Open => Vec::new(),
            };
            path.extend(around);
            // Silence at the end is no step of the model; the first step is the beginning.
            let silence = |i: usize, edge: &Edge| i > 0 && graph.group(edge.1.group).is_empty();
            if let Some(end) = path.iter().enumerate().position(|(i, edge)| silence(i, edge)) {
                path.truncate(end);
                from = from.min(end);
            }
            let walked = Retrace::new(&system).walk(graph.walk.unfolding(), &path);
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
    Ok(Report { verdict, statistics, sets: 0, reductions, method, minimal: None })
}

/// Events of formulas that users do not write.
const FAULT: &str = "fault";
const EXCLUDED: &str = "excluded";

/// The steps of a witness with the states they begin at.
fn edges(from: u32, steps: &[Taken]) -> Vec<Edge> {
    let mut state = from;
    let edge = |step: &Taken| {
        let unfolded = Unfolded { label: step.label, group: step.group, target: step.state };
        (std::mem::replace(&mut state, step.state), unfolded)
    };
    steps.iter().map(edge).collect()
}

/// The executions of an object: events go by patterns such as `call.push`.
struct Executions<'m, 's, C> {
    walk: Walk<'s, Threads<'m>, C>,
}

impl<C: FnMut(u32, &[u32]) -> Result<bool, Trouble>> Graph for Executions<'_, '_, C> {
    fn initial(&mut self) -> Result<u32, Trouble> {
        self.walk.initial()
    }

    fn steps(&mut self, state: u32, steps: &mut Vec<Unfolded>) -> Result<(), Trouble> {
        self.walk.steps(state, steps)
    }

    fn label(&self, label: Label) -> String {
        self.walk.label(label)
    }

    fn is_event(&self, label: Label, event: &str) -> bool {
        let system = self.walk.unfolding().system();
        let mut parts = event.split('.').peekable();
        let (kind, thread, op) = match system.happening(label) {
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
        let name = &system.model.object().unit.op(op).name;
        parts.next() == Some(kind) && parts.next().is_none_or(|p| p == name)
    }

    fn one_event_at_a_time(&self) -> bool {
        false
    }

    fn group(&self, group: u32) -> &[u32] {
        self.walk.group(group)
    }

    fn holds(&mut self, condition: u32, state: u32) -> Result<bool, Trouble> {
        self.walk.holds(condition, state)
    }

    fn size(&self) -> (u64, u64, u64) {
        self.walk.size()
    }
}
