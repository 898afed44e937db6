//! The judge of strong linearizability.
//!
//! The claim is a tree of executions: a schedule, ways to go on, ways to go on from there. It shows that
//! no order of the operations can be decided on and kept: for every linearization of the history so far
//! there is a way to go on such that every linearization of the longer history that *extends* it is
//! refuted in the same way further on, or there is none. (See `strong_linearizability` in the crate
//! `check` for the definition.) Only linearizations that end with an operation that has returned are
//! looked at: if one is refuted, so are all that begin with it.
//!
//! A confirmed tree is made small: if two of its executions suffice, only these are kept, with what they
//! have in common as the schedule. Then the linearizations of that which the one leaves and those which
//! the other leaves have nothing in common.

use std::collections::BTreeSet;

use linchpin_lin::replay::Replay;
use linchpin_lin::specify::AbstractState;
use linchpin_lin::{Model, Value};
use linchpin_lts::{Branch, Schedule};

use super::order::{Order, Specified, operations};
use crate::history::{History, Operation};
use crate::judge::{Disagreement, history};
use crate::wing_gong::HistoryError;

/// Most operations a search may place.
const BUDGET: usize = 5_000_000;
/// Pairs of executions are tried if there are at most so many executions.
const MOST_EXECUTIONS: usize = 40;

/// Why no order can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branching {
    /// Ways to go on.
    pub continuations: Vec<Continuation>,
    /// Each linearization is excluded by one of them. Otherwise it takes several decisions: what one
    /// leaves is excluded further on, where the executions part again.
    pub at_once: bool,
}

/// A way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The whole execution, from the beginning.
    pub schedule: Schedule,
    /// How it was executed.
    pub replay: Replay,
    /// Its calls and returns.
    pub history: History,
    /// The linearizations of what comes before the continuation that are still possible with it.
    pub leaves: Vec<Order>,
}

/// An order and the abstract states that it can lead to.
#[derive(Clone)]
struct Track {
    order: Order,
    states: BTreeSet<AbstractState>,
    /// The specification goes wrong with the next operation, so that anything may follow.
    wrong: bool,
}

/// An execution and how it goes on.
struct Node {
    schedule: Schedule,
    operations: Vec<Operation>,
    nodes: Vec<Node>,
}

struct Judge<'m> {
    model: &'m Model,
    specified: Specified,
    placed: usize,
}

/// Decides that every linearization of a schedule's history is refuted by how it can go on. Gives the
/// schedule, perhaps extended, and the evidence.
pub(crate) fn refuse(
    model: &Model,
    schedule: &Schedule,
    branches: &[Branch],
) -> Result<(Schedule, Branching), Disagreement> {
    let mut judge = Judge { model, specified: Specified::new(model)?, placed: 0 };
    let root = judge.node(schedule.clone(), branches)?;
    for track in judge.linearizations(&root.operations, &judge.empty()?)? {
        if !judge.refuted(&root, &track)? {
            return Err(Disagreement::Satisfied);
        }
    }
    let mut executions = Vec::new();
    leaves(&root, &mut executions);
    executions.dedup();
    if let Some(pair) = judge.pair(&executions)? {
        return Ok(pair);
    }
    let continuations = judge.continuations(schedule, &executions)?;
    let at_once = have_nothing_in_common(&continuations);
    Ok((schedule.clone(), Branching { continuations, at_once }))
}

fn leaves(node: &Node, out: &mut Vec<Schedule>) {
    if node.nodes.is_empty() {
        out.push(node.schedule.clone());
    }
    node.nodes.iter().for_each(|node| leaves(node, out));
}

fn have_nothing_in_common(continuations: &[Continuation]) -> bool {
    let Some((first, rest)) = continuations.split_first() else { return false };
    !first.leaves.iter().any(|order| rest.iter().all(|c| c.leaves.contains(order)))
}

impl Judge<'_> {
    fn replay(&self, schedule: &Schedule) -> Result<Replay, Disagreement> {
        let replay = self.model.replay(schedule).map_err(Disagreement::Replay)?;
        match replay.fault {
            Some(fault) => Err(Disagreement::Ends(Some(fault.kind))),
            None => Ok(replay),
        }
    }

    fn node(&self, schedule: Schedule, branches: &[Branch]) -> Result<Node, Disagreement> {
        let operations = operations(&history(&self.replay(&schedule)?))?;
        let further = |branch: &Branch| {
            let mut schedule = schedule.clone();
            schedule.turns.extend(branch.turns.iter().cloned());
            self.node(schedule, &branch.branches)
        };
        let nodes = branches.iter().map(further).collect::<Result<_, _>>()?;
        Ok(Node { schedule, operations, nodes })
    }

    fn empty(&self) -> Result<Track, Disagreement> {
        let states = self
            .specified
            .specification
            .initial()
            .map_err(|fault| Disagreement::History(HistoryError::Specification(fault)))?;
        Ok(Track { order: Vec::new(), states: states.into_iter().collect(), wrong: false })
    }

    /// Can the object go on so that this linearization of the execution so far cannot be kept?
    fn refuted(&mut self, node: &Node, track: &Track) -> Result<bool, Disagreement> {
        'nodes: for next in &node.nodes {
            for longer in self.linearizations(&next.operations, track)? {
                if !self.refuted(next, &longer)? {
                    continue 'nodes;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// The linearizations that extend an order and end, if they are longer, with an operation that
    /// has returned.
    fn linearizations(
        &mut self,
        operations: &[Operation],
        begin: &Track,
    ) -> Result<Vec<Track>, Disagreement> {
        let mut found = Vec::new();
        // An operation that was pending may have returned something else than what was decided.
        let differs = |(i, decided): &(usize, Value)| {
            operations[*i].response.as_ref().is_some_and(|r| r.result != *decided)
        };
        if begin.order.iter().any(differs) {
            return Ok(found);
        }
        let mut todo = vec![begin.clone()];
        while let Some(track) = todo.pop() {
            let has = |i: usize| track.order.iter().any(|(placed, _)| *placed == i);
            let missing: Vec<usize> = (0..operations.len())
                .filter(|&i| !has(i) && operations[i].response.is_some())
                .collect();
            if missing.is_empty() || track.wrong {
                found.push(track);
                continue;
            }
            for (i, operation) in operations.iter().enumerate() {
                if has(i) || missing.iter().any(|&j| operations[j].precedes(operation)) {
                    continue;
                }
                self.placed += 1;
                let stopped = self.specified.specification.watch().over_at(self.placed).is_some();
                if stopped || self.placed > BUDGET {
                    return Err(Disagreement::Undecided);
                }
                todo.extend(self.place(&track, i, operation));
            }
        }
        Ok(found)
    }

    /// The order with one more operation, with each result that it can have.
    fn place(&self, track: &Track, i: usize, operation: &Operation) -> Vec<Track> {
        let mut longer: Vec<(Value, BTreeSet<AbstractState>)> = Vec::new();
        for state in &track.states {
            for (state, result) in self.specified.outcomes(state, operation) {
                if operation.response.as_ref().is_some_and(|r| r.result != result) {
                    continue;
                }
                match longer.iter_mut().find(|(known, _)| *known == result) {
                    Some((_, states)) => drop(states.insert(state)),
                    None => longer.push((result, BTreeSet::from([state]))),
                }
            }
        }
        let extend = |(result, states)| {
            let mut order = track.order.clone();
            order.push((i, result));
            Track { order, states, wrong: false }
        };
        let mut tracks: Vec<Track> = longer.into_iter().map(extend).collect();
        if self.specified.take_fault().is_some() {
            tracks.push(Track { wrong: true, ..track.clone() });
        }
        tracks
    }

    /// Each execution, with the linearizations of the schedule that it leaves.
    fn continuations(
        &mut self,
        schedule: &Schedule,
        executions: &[Schedule],
    ) -> Result<Vec<Continuation>, Disagreement> {
        let before = operations(&history(&self.replay(schedule)?))?;
        let orders = self.linearizations(&before, &self.empty()?)?;
        executions
            .iter()
            .map(|execution| {
                let replay = self.replay(execution)?;
                let history = history(&replay);
                let after = operations(&history)?;
                let mut leaves = Vec::new();
                for track in &orders {
                    if !self.linearizations(&after, track)?.is_empty() {
                        leaves.push(track.order.clone());
                    }
                }
                leaves.sort_by_key(Vec::len);
                Ok(Continuation { schedule: execution.clone(), replay, history, leaves })
            })
            .collect()
    }

    /// Two of the executions that suffice, after what they have in common; the shortest such.
    fn pair(
        &mut self,
        executions: &[Schedule],
    ) -> Result<Option<(Schedule, Branching)>, Disagreement> {
        let mut pairs = Vec::new();
        if executions.len() <= MOST_EXECUTIONS {
            for (i, a) in executions.iter().enumerate() {
                pairs.extend(executions[i + 1..].iter().map(|b| (a, b)));
            }
        }
        pairs.sort_by_key(|(a, b)| a.turns.len() + b.turns.len());
        for (a, b) in pairs {
            let both = a.turns.iter().zip(&b.turns);
            let common = both.take_while(|(a, b)| a == b).map(|(turn, _)| turn.clone()).collect();
            let schedule = Schedule { initial: a.initial, turns: common };
            let continuations = self.continuations(&schedule, &[a.clone(), b.clone()])?;
            let linearizable = continuations.iter().all(|c| !c.leaves.is_empty());
            if linearizable && have_nothing_in_common(&continuations) {
                return Ok(Some((schedule, Branching { continuations, at_once: true })));
            }
        }
        Ok(None)
    }
}
