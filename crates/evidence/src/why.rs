//! Why no order works: the longest orders that do, and what stands in the way of every operation that
//! would have to come next.
//!
//! The history up to the return that has no explanation is searched for orders of its operations that
//! the specification allows (as `wing_gong` does, but without stopping at the first return). Where none
//! of the operations that returned can be next, the order is *stuck*. Those that place most operations
//! are kept, with the reason for each operation that is left over.

use std::collections::HashSet;

use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, Specification};

use crate::history::Operation;
use crate::wing_gong::{Linearization, Linearized};

/// Most configurations to visit, and most orders to give.
const BUDGET: usize = 100_000;
const MOST: usize = 4;

/// An order that explains as much as possible, and why it cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The order.
    pub order: Linearization,
    /// The operations that returned and have no place in it, each with what stands in the way.
    pub stuck: Vec<(usize, Obstacle)>,
}

/// Why an operation cannot be next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// This operation had returned before it was called, and has no place yet.
    After(usize),
    /// The specification would give one of these results instead.
    Result(Vec<Value>),
    /// The specification does not allow the operation in this state.
    Impossible,
}

/// The longest orders of the operations up to and including the return at `event`, which must have
/// none that places all. Empty if the search would take too long.
pub fn attempts(
    operations: &[Operation],
    event: usize,
    specification: &Specification,
    ops: &[OpId],
) -> Vec<Attempt> {
    let returned = |o: &Operation| o.response.as_ref().is_some_and(|r| r.event <= event);
    let called: Vec<usize> =
        (0..operations.len()).filter(|&i| operations[i].call < event).collect();
    let mut search = Search {
        operations,
        must: called.iter().copied().filter(|&i| returned(&operations[i])).collect(),
        may: called.iter().copied().filter(|&i| !returned(&operations[i])).collect(),
        specification,
        ops,
        seen: HashSet::new(),
        best: Vec::new(),
        placed: 0,
    };
    let Ok(initial) = specification.initial() else { return Vec::new() };
    for state in initial {
        let start = Linearization { initial: state.clone(), steps: Vec::new() };
        if search.visit(&start, &state).is_none() {
            return Vec::new();
        }
    }
    search.best
}

struct Search<'a> {
    operations: &'a [Operation],
    /// Operations that returned, and operations that are pending.
    must: Vec<usize>,
    may: Vec<usize>,
    specification: &'a Specification,
    ops: &'a [OpId],
    seen: HashSet<(Vec<usize>, AbstractState)>,
    best: Vec<Attempt>,
    /// How many operations that returned the best attempts place.
    placed: usize,
}

impl Search<'_> {
    /// Goes on from an order; `None` if that takes too long or the specification goes wrong.
    fn visit(&mut self, order: &Linearization, state: &AbstractState) -> Option<()> {
        let mut placed: Vec<usize> = order.steps.iter().map(|s| s.operation).collect();
        placed.sort_unstable();
        if !self.seen.insert((placed.clone(), state.clone())) {
            return Some(());
        }
        let stopped = self.specification.watch().over_at(self.seen.len()).is_some();
        if stopped || self.seen.len() > BUDGET {
            return None;
        }
        let left: Vec<usize> = self.must.iter().copied().filter(|i| !placed.contains(i)).collect();
        let mut stuck = Vec::new();
        for &i in &left {
            match self.obstacle(i, &left, state)? {
                Err(obstacle) => stuck.push((i, obstacle)),
                Ok(outcomes) => {
                    for (next, result) in outcomes {
                        self.place(order, i, next, result)?;
                    }
                }
            }
        }
        if stuck.len() == left.len() {
            self.keep(order, stuck, self.must.len() - left.len());
        }
        let may: Vec<usize> = self.may.iter().copied().filter(|i| !placed.contains(i)).collect();
        for i in may {
            if let Ok(outcomes) = self.obstacle(i, &left, state)? {
                for (next, result) in outcomes {
                    self.place(order, i, next, result)?;
                }
            }
        }
        Some(())
    }

    fn place(
        &mut self,
        order: &Linearization,
        operation: usize,
        state: AbstractState,
        result: Value,
    ) -> Option<()> {
        let mut order = order.clone();
        order.steps.push(Linearized { operation, result, state: state.clone() });
        self.visit(&order, &state)
    }

    /// The outcomes of an operation as the next one, or why it cannot be.
    #[allow(clippy::type_complexity)]
    fn obstacle(
        &self,
        i: usize,
        left: &[usize],
        state: &AbstractState,
    ) -> Option<Result<Vec<(AbstractState, Value)>, Obstacle>> {
        let operation = &self.operations[i];
        if let Some(&first) =
            left.iter().find(|&&o| o != i && self.operations[o].precedes(operation))
        {
            return Some(Err(Obstacle::After(first)));
        }
        let op = *self.ops.get(operation.op.index())?;
        let outcomes =
            self.specification.execute(state, op, &operation.args, operation.thread).ok()?;
        let wanted = operation.response.as_ref().filter(|_| self.must.contains(&i));
        let Some(wanted) = wanted else { return Some(Ok(outcomes)) };
        if outcomes.is_empty() {
            return Some(Err(Obstacle::Impossible));
        }
        let (fits, others): (Vec<_>, Vec<_>) =
            outcomes.into_iter().partition(|(_, result)| *result == wanted.result);
        if fits.is_empty() {
            let mut results: Vec<Value> = others.into_iter().map(|(_, r)| r).collect();
            results.sort();
            results.dedup();
            return Some(Err(Obstacle::Result(results)));
        }
        Some(Ok(fits))
    }

    fn keep(&mut self, order: &Linearization, stuck: Vec<(usize, Obstacle)>, placed: usize) {
        if placed > self.placed {
            self.best.clear();
            self.placed = placed;
        }
        if placed == self.placed && self.best.len() < MOST {
            self.best.push(Attempt { order: order.clone(), stuck });
        }
    }
}
