//! Histories given as such: what the rules of a condition say about each of their prefixes.
//!
//! One history is judged on its own so, which `quasi_check` does with what quick rules refuse (`refuses`).
//! What is public is for tests of conditions against oracles, where no object is executed.

use std::sync::Arc;

use linchpin_lin::program::{Check, OpId, Program, Role};
use linchpin_lin::specify::Specification;
use linchpin_lin::{Granularity, Model, Value};
use linchpin_lts::{Event, EventKind, Liveness, Schedule, TransitionSystem};

use crate::configurations::{Configurations, EMPTY, Says};
use crate::quasi::Manner;
use crate::report::{CheckError, operations, rules};

/// An event of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The thread, from 1.
    pub thread: u32,
    /// The operation of the object.
    pub op: OpId,
    /// Call or return.
    pub kind: EventKind,
    /// The arguments, or the result alone.
    pub values: Vec<Value>,
}

/// What the rules say about a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// A history that goes on may begin so.
    pub accepts: bool,
    /// That is certain, or that it may not, if the rules are exact.
    pub sure: bool,
    /// A history may end so, if no operation is pending.
    pub ends: bool,
    /// One of the two is said only because the specification goes wrong.
    pub wrong: bool,
}

/// Does the history of a schedule certainly break the condition of its check?
pub(crate) fn refuses(
    program: &Arc<Program>,
    check: &Check,
    schedule: &Schedule,
) -> Result<bool, CheckError> {
    let model = Model::new(program.clone(), check, Granularity::UNREDUCED)
        .map_err(CheckError::Unsupported)?;
    let replay = model
        .replay(schedule)
        .map_err(|_| CheckError::Internal("the witness of a violation cannot be replayed"))?;
    let history: Vec<Fed> = replay
        .steps
        .iter()
        .flat_map(|step| {
            step.events.iter().map(|e| Fed {
                thread: step.thread + 1,
                op: e.op,
                kind: e.kind,
                values: e.values.clone(),
            })
        })
        .collect();
    let end = replay.steps.last().map_or(&replay.initial, |s| &s.state);
    let finished = model.successors(&mut model.scratch(), end, &mut |_| {}) == Liveness::Finished;
    let said = feed_exactly(program, check, &history)?;
    Ok(said.last().is_some_and(|last| !last.accepts || finished && !last.ends))
}

/// Feeds a history to the condition of a check; the answers are for its non-empty prefixes. What
/// is not known is refused.
///
/// # Errors
/// As [`crate::check`].
pub fn feed(
    program: &Arc<Program>,
    check: &Check,
    history: &[Fed],
) -> Result<Vec<Said>, CheckError> {
    feed_to(program, check, history, Manner::Plain)
}

/// The same, but what is not known is accepted.
///
/// # Errors
/// As [`crate::check`].
pub fn feed_exactly(
    program: &Arc<Program>,
    check: &Check,
    history: &[Fed],
) -> Result<Vec<Said>, CheckError> {
    feed_to(program, check, history, Manner::Exact)
}

/// The same with rules that may refuse more; what they accept must be accepted.
///
/// # Errors
/// As [`crate::check`].
pub fn feed_eagerly(
    program: &Arc<Program>,
    check: &Check,
    history: &[Fed],
) -> Result<Vec<Said>, CheckError> {
    feed_to(program, check, history, Manner::Quick)
}

fn feed_to(
    program: &Arc<Program>,
    check: &Check,
    history: &[Fed],
    manner: Manner,
) -> Result<Vec<Said>, CheckError> {
    let threads = check.roles.iter().map(|r: &Role| r.threads).sum();
    let spec = Specification::of(program, check, threads).map_err(CheckError::Specification)?;
    let ops = operations(program, check, &spec)?;
    let configurations = Configurations::new(spec, ops, rules(check, manner)?);
    let mut memory = configurations.memory();
    let (mut set, wrong) = configurations.initial();
    if wrong && let Some(fault) = configurations.fault() {
        return Err(CheckError::Specification(fault));
    }
    let object = &program.objects[check.object.index()].unit;
    let mut said = Vec::new();
    for event in history {
        let mut wrong = false;
        let proc = object.op(event.op);
        let mut slots = Vec::new();
        match event.kind {
            EventKind::Call => {
                for (value, param) in event.values.iter().zip(&proc.locals) {
                    value.flatten(&param.ty, program, &mut slots);
                }
            }
            EventKind::Point => {}
            EventKind::Return => {
                for value in &event.values {
                    value.flatten(&proc.result, program, &mut slots);
                }
            }
        }
        if set != EMPTY {
            let (thread, op) = (event.thread - 1, event.op.0);
            let event = Event { kind: event.kind, thread, op, values: &slots };
            (set, wrong) = configurations.after(&mut memory, set, event);
        }
        let sure = configurations.is_sure(&mut memory, set);
        let end = configurations.ends(&mut memory, set);
        let ends = end != Says::No;
        wrong |= end == Says::Wrong;
        said.push(Said { accepts: set != EMPTY, sure, ends, wrong });
    }
    Ok(said)
}
