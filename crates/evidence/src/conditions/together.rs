//! The judges of set and of interval linearizability.
//!
//! A history is *set linearizable* (Neiger, PODC 1994) if its operations, pending ones completed or dropped, can be divided into
//! sets, in an order that keeps the order of operations of which one returned before the other was called, so that the
//! specification allows the sets to take effect one after the other. It is *interval linearizable* (Castaneda, Rajsbaum,
//! Raynal, JACM 65(6), 2018) if every operation can be given a moment at which it begins to take effect and one, not earlier, at
//! which it ends, so that nothing begins before what had returned when it was called has ended. See
//! `set_linearizability` in the crate `check` for the definitions; here they are decided by trying sets, and moments, one after
//! the other.

use std::collections::{BTreeSet, HashSet};

use linchpin_lin::specify::AbstractState;
use linchpin_lin::{Model, Value};

use super::Refusal;
use super::order::{BUDGET, Effects, Found, Specified, refuse_by};
use crate::history::{History, Operation};
use crate::judge::Disagreement;
use crate::wing_gong::HistoryError;

/// Decides that a beginning of the history is not set linearizable.
pub(super) fn refuse_sets(model: &Model, history: &History) -> Result<Refusal, Disagreement> {
    refuse_by(model, history, &find::<true>, "puts sets of operations one after the other")
}

/// Decides that a beginning of the history is not interval linearizable.
pub(super) fn refuse_intervals(model: &Model, history: &History) -> Result<Refusal, Disagreement> {
    refuse_by(model, history, &find::<false>, "gives every operation its interval")
}

/// How far an operation has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Nothing of it has taken effect.
    Ahead,
    /// It has met others; with what it goes on.
    Halfway(Vec<Value>),
    /// It has taken effect.
    Over,
}

/// Is a set of operations coming in, going out, or neither? (Of intervals it is always neither.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Door {
    Closed,
    In,
    Out,
}

/// Where a search is.
#[derive(Clone, PartialEq, Eq, Hash)]
struct At {
    stages: Vec<Stage>,
    state: AbstractState,
    door: Door,
    /// Of the open operation.
    result: Option<Value>,
}

struct Search<'a, const SETS: bool> {
    specified: &'a Specified,
    operations: &'a [Operation],
    /// This operation has returned, but what is left open; the results it can have are collected.
    open: Option<usize>,
    results: BTreeSet<Value>,
    tried: HashSet<At>,
    /// What has happened: who, and with what result, if it ended.
    effects: Vec<(usize, Option<Value>)>,
}

fn find<const SETS: bool>(
    specified: &Specified,
    operations: &[Operation],
    open: Option<usize>,
) -> Result<Found, Disagreement> {
    let (results, tried, effects) = (BTreeSet::new(), HashSet::new(), Vec::new());
    let mut search = Search::<SETS> { specified, operations, open, results, tried, effects };
    let initial = specified
        .specification
        .initial()
        .map_err(|fault| Disagreement::History(HistoryError::Specification(fault)))?;
    for state in initial {
        let stages = vec![Stage::Ahead; operations.len()];
        if search.complete(&At { stages, state, door: Door::Closed, result: None })? {
            return Ok((Some(search.shown()), search.results));
        }
    }
    Ok((None, search.results))
}

impl<const SETS: bool> Search<'_, SETS> {
    /// Goes on until everything that has returned is over; with an open operation, finds all its results and never
    /// succeeds.
    fn complete(&mut self, at: &At) -> Result<bool, Disagreement> {
        let all = || self.operations.iter().zip(&at.stages);
        if at.door == Door::Closed
            && all().all(|(o, stage)| o.response.is_none() || *stage == Stage::Over)
        {
            self.results.extend(at.result.clone());
            return Ok(self.open.is_none());
        }
        let stopped = self.specified.specification.watch().over_at(self.tried.len()).is_some();
        if stopped || self.tried.len() >= BUDGET {
            return Err(Disagreement::Undecided);
        }
        if !self.tried.insert(at.clone()) {
            return Ok(false);
        }
        for i in 0..self.operations.len() {
            for next in self.steps(at, i) {
                let ended = match next.stages[i] {
                    Stage::Over => Some(next.result_of.clone()),
                    _ => None,
                };
                self.effects.push((i, ended));
                let Next { stages, state, door, result, .. } = next;
                if self.complete(&At { stages, state, door, result })? {
                    return Ok(true);
                }
                self.effects.pop();
            }
        }
        Ok(false)
    }

    /// What one operation can do next.
    fn steps(&self, at: &At, i: usize) -> Vec<Next> {
        let operation = &self.operations[i];
        let op = self.specified.ops[operation.op.index()];
        let halves = self.specified.specification.halves(op);
        let earlier =
            |(j, o): (usize, &Operation)| o.precedes(operation) && at.stages[j] != Stage::Over;
        let (now, args, door) = match &at.stages[i] {
            Stage::Over => return Vec::new(),
            Stage::Ahead if self.operations.iter().enumerate().any(earlier) => return Vec::new(),
            // A set lets others in until the first goes out.
            Stage::Ahead => match halves {
                None if at.door != Door::Closed => return Vec::new(),
                None => (op, &operation.args, Door::Closed),
                Some(_) if at.door == Door::Out => return Vec::new(),
                Some([before, _]) => {
                    (before, &operation.args, if SETS { Door::In } else { Door::Closed })
                }
            },
            Stage::Halfway(kept) => {
                let others = at.stages.iter().filter(|s| matches!(s, Stage::Halfway(_))).count();
                let door = if SETS && others > 1 { Door::Out } else { Door::Closed };
                (halves.map_or(op, |[_, after]| after), kept, door)
            }
        };
        let begins = halves.is_some() && at.stages[i] == Stage::Ahead;
        let outcomes = self.specified.outcomes_of(&at.state, now, args, operation.thread);
        let next = outcomes.into_iter().filter_map(|(state, given)| {
            let open = self.open == Some(i);
            let mut stages = at.stages.clone();
            let mut result = at.result.clone();
            let result_of = given.clone();
            match given {
                Value::Tuple(kept) if begins => stages[i] = Stage::Halfway(kept),
                given => {
                    let response = operation.response.as_ref().filter(|_| !open);
                    if response.is_some_and(|r| r.result != given) {
                        return None;
                    }
                    stages[i] = Stage::Over;
                    result = if open { Some(given) } else { result };
                }
            }
            Some(Next { stages, state, door, result, result_of })
        });
        next.collect()
    }

    /// What happened, for readers: sets with their results; or who begins and who ends, unless one does so at once.
    fn shown(&self) -> Effects {
        let mut shown = Effects::new();
        let mut inside = 0;
        for (n, (i, ended)) in self.effects.iter().enumerate() {
            match ended {
                None if SETS => {
                    if inside == 0 {
                        shown.push(Vec::new());
                    }
                    inside += 1;
                }
                None if self.effects.get(n + 1).is_some_and(|next| next.0 == *i) => {}
                Some(_) if inside > 0 => {
                    inside -= 1;
                    shown.last_mut().into_iter().for_each(|set| set.push((*i, ended.clone())));
                }
                _ => shown.push(vec![(*i, ended.clone())]),
            }
        }
        shown
    }
}

/// What comes after a step of an operation, and what it gave.
struct Next {
    stages: Vec<Stage>,
    state: AbstractState,
    door: Door,
    result: Option<Value>,
    result_of: Value,
}
