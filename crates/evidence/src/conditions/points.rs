//! The judge of points: is it the object that is wrong, or only where it is said to take effect?
//!
//! Liu, Chen, Liu, Sun, "Model checking linearizability via refinement" (FM 2009), Theorem 2, for one
//! execution: its history is judged without points first (`wing_gong`). If no order explains it, the
//! object is wrong wherever its points are. Otherwise the specification is run in lockstep with the
//! points of the execution, from the definition in `check::points` and without its code, until
//! something does not fit: that is what is wrong about the points.

mod words;

use linchpin_lin::program::OpId;
use linchpin_lin::replay::{Replay, ReplayEvent};
use linchpin_lin::specify::{AbstractState, Specification};
use linchpin_lin::{Model, Span, Value};
use linchpin_lts::EventKind;

use crate::history::{History, Operation};
use crate::judge::{Disagreement, Reason, counterparts, linearization};
use crate::narrative::operations;
use crate::wing_gong::{Explicable, HistoryError, Linearization};

pub(crate) use words::words;

/// Points that are wrong although the history is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The operation that is concerned; index into [`History::operations`].
    pub operation: Option<usize>,
    /// What does not fit.
    pub mistake: Mistake,
    /// An order that explains the history, unless it was too long to be judged.
    pub order: Option<Linearization>,
}

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A point for a thread (from 1; 0 is none) that is in no operation.
    Outside(Mark, u32),
    /// A point of an operation that has taken effect already, and changed the state, in one of these
    /// ways.
    Second(Mark, Vec<Effect>),
    /// A point where the operation cannot happen, in none of these states.
    Impossible(Mark, Vec<AbstractState>),
    /// A return without a point before.
    Missing,
    /// A return with a result that is none of these.
    Result(Vec<Effect>),
}

/// A point of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The statement.
    pub at: Span,
    /// The thread that executed it, from 1.
    pub by: u32,
}

/// What the specification did at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The point.
    pub mark: Mark,
    /// The result.
    pub result: Value,
    /// The state before.
    pub before: AbstractState,
    /// The state afterwards.
    pub after: AbstractState,
}

/// Says what is wrong with an execution that does not fit its points.
///
/// # Errors
/// If nothing is, or if that cannot be decided.
pub(crate) fn judge(
    model: &Model,
    replay: &Replay,
    history: &History,
) -> Result<Reason, Disagreement> {
    let order = match linearization(model, history) {
        Ok(Explicable::NotLinearizable(refutation)) => {
            return Ok(Reason::NotLinearizable(refutation));
        }
        Ok(Explicable::Linearizable(order)) => Some(order),
        // In other orders than that of the points the specification may go wrong.
        Ok(Explicable::Unknown) | Err(Disagreement::History(HistoryError::Specification(_))) => {
            None
        }
        Err(error) => return Err(error),
    };
    match lockstep(model, replay, history)? {
        Some((operation, mistake)) => {
            Ok(Reason::Misplaced(Misplaced { operation, mistake, order }))
        }
        None => Err(Disagreement::FitsPoints),
    }
}

/// The specification with the operations of all threads.
#[derive(Clone, PartialEq, Eq)]
struct Configuration {
    state: AbstractState,
    /// Per thread: what its operation did at its last point.
    effects: Vec<Option<Effect>>,
    /// The specification has gone wrong: anything may follow, but for results that are certain.
    wrong: bool,
}

/// The first thing that does not fit, and the operation it concerns.
fn lockstep(
    model: &Model,
    replay: &Replay,
    history: &History,
) -> Result<Option<(Option<usize>, Mistake)>, Disagreement> {
    let wrong = |fault| Disagreement::History(HistoryError::Specification(fault));
    let spec = model.specification().map_err(wrong)?;
    let ops = counterparts(model, &spec)?;
    let all = operations(history);
    let threads = model.threads() as usize;
    let mut current: Vec<Option<usize>> = vec![None; threads];
    let mut called = 0;
    let mut set: Vec<Configuration> = spec
        .initial()
        .map_err(wrong)?
        .into_iter()
        .map(|state| Configuration { state, effects: vec![None; threads], wrong: false })
        .collect();
    let events = replay.steps.iter().flat_map(|s| s.events.iter().map(move |e| (s.thread + 1, e)));
    for (by, event) in events {
        let thread = event.thread as usize;
        match event.kind {
            EventKind::Call => {
                current[thread] = Some(called);
                called += 1;
                set.iter_mut().for_each(|c| c.effects[thread] = None);
            }
            EventKind::Point => {
                let mark = Mark { at: event.statement, by };
                let Some(operation) = current.get(thread).copied().flatten() else {
                    set.retain(|c| c.wrong);
                    if !set.is_empty() {
                        continue;
                    }
                    return Ok(Some((None, Mistake::Outside(mark, event.thread.wrapping_add(1)))));
                };
                let next = point(&spec, &ops, &set, thread, &all[operation], mark);
                if next.is_empty() {
                    let second = effects(&set, thread);
                    let mistake = match second.is_empty() || second.iter().any(is_pure) {
                        true => Mistake::Impossible(mark, states(&set)),
                        false => Mistake::Second(mark, second),
                    };
                    return Ok(Some((Some(operation), mistake)));
                }
                set = next;
            }
            EventKind::Return => {
                let before = effects(&set, thread);
                set.retain(|c| match &c.effects[thread] {
                    Some(effect) => returned(effect, event) || c.wrong && is_pure(effect),
                    None => c.wrong,
                });
                if set.is_empty() {
                    let mistake = match before.is_empty() {
                        true => Mistake::Missing,
                        false => Mistake::Result(before),
                    };
                    return Ok(Some((current[thread], mistake)));
                }
                set.iter_mut().for_each(|c| c.effects[thread] = None);
                current[thread] = None;
            }
        }
    }
    Ok(None)
}

/// The configurations after a point of an operation.
fn point(
    spec: &Specification,
    ops: &[OpId],
    set: &[Configuration],
    thread: usize,
    operation: &Operation,
    mark: Mark,
) -> Vec<Configuration> {
    let mut next = Vec::new();
    for c in set {
        if c.wrong {
            next.push(c.clone());
            continue;
        }
        if c.effects[thread].as_ref().is_some_and(|e| !is_pure(e)) {
            continue;
        }
        let op = ops[operation.op.index()];
        let Ok(outcomes) = spec.execute(&c.state, op, &operation.args, thread as u32 + 1) else {
            next.push(Configuration { wrong: true, ..c.clone() });
            continue;
        };
        for (state, result) in outcomes {
            let effect = Effect { mark, result, before: c.state.clone(), after: state.clone() };
            let mut after = Configuration { state, effects: c.effects.clone(), wrong: false };
            after.effects[thread] = Some(effect);
            if !next.contains(&after) {
                next.push(after);
            }
        }
    }
    next
}

/// Did it leave the abstract state as it was?
fn is_pure(effect: &Effect) -> bool {
    effect.before == effect.after
}

fn returned(effect: &Effect, event: &ReplayEvent) -> bool {
    event.values.first().unwrap_or(&Value::Unit) == &effect.result
}

/// What the operation of a thread may have done at its point.
fn effects(set: &[Configuration], thread: usize) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    for effect in set.iter().filter_map(|c| c.effects[thread].as_ref()) {
        if !effects.contains(effect) {
            effects.push(effect.clone());
        }
    }
    effects
}

fn states(set: &[Configuration]) -> Vec<AbstractState> {
    let mut states: Vec<AbstractState> = set.iter().map(|c| c.state.clone()).collect();
    states.sort();
    states.dedup();
    states
}
