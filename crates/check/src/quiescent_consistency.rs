//! Quiescent consistency: every history can be explained by an order that keeps apart what is separated
//! by a moment of rest.
//!
//! *Definition* (Aspnes, Herlihy, Shavit, JACM 41(5), 1994, for counting networks; Herlihy, Shavit, *The
//! Art of Multiprocessor Programming*, 2008, section 3.3): a history is quiescently consistent if
//! pending operations can be completed or dropped so that some order of the operations is allowed by the
//! specification and keeps the order of every two operations between which there is a moment at which no
//! operation is pending. In between, even the operations of one thread may be exchanged. An object is
//! quiescently consistent if all its histories are, beginnings of histories included: the condition is
//! not closed under prefixes (a value may be dequeued before it is enqueued, as long as something else
//! is pending all the time), so every event is judged.
//!
//! *Configurations:* the abstract state, each thread idle, pending or done as in `linearizability`, and
//! the operations that have returned and have no place in the order yet, with their results. Between
//! events any of them, or a pending operation, takes its place. When nothing is pending any more, all of
//! them must have a place. A history may end in a configuration that leads to one in which everything
//! that has returned has its place.
//!
//! Between two moments of rest the loose operations are kept, so there must be a bound on them: clients
//! are bounded, unless there is only one thread, which rests after every operation.
//!
//! *Interval tightening* carries over: a moment of rest of an execution is one of its tightened form,
//! between the same operations, since what had returned by then still has and what was called later
//! still is. So an order for the tightened form keeps apart what the execution asks for; it contains all
//! that has returned there and nothing that has not been called. Conversely the tightened form is an
//! execution itself. The other reductions carry over as in `sequential_consistency`. Loose operations do
//! not remember their threads (unless the specification asks who calls), which merges more.

use std::collections::HashSet;

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::linearizability::effects;
use crate::part::Part;
use crate::rules::Rules;

/// The rules of quiescent consistency.
pub(crate) struct QuiescentConsistency;

impl Rules for QuiescentConsistency {
    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) {
        let mut next = configuration.clone();
        next[thread] = IDLE;
        if terms.is_pending(configuration[thread]) {
            let call = Some(Box::new((**terms.part(configuration[thread])).clone()));
            let done = Some(Box::new((**terms.part(done)).clone()));
            let caller = if terms.uses_caller() { thread as u32 } else { 0 };
            next.push(terms.intern(Part::Loose { call, done, thread: caller, note: 0 }));
            self.arrange(terms, &mut next);
        } else if configuration[thread] != done {
            return;
        }
        let threads = terms.threads();
        if next[1..=threads].iter().any(|&part| part != IDLE) {
            out.push(next);
        } else {
            self.below(terms, next, &mut |c| {
                if c.len() == threads + 1 {
                    out.push(c.clone());
                }
                false
            });
        }
    }

    fn moves(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration> {
        let mut moves = Vec::new();
        let threads = terms.threads();
        for thread in 1..=threads {
            effects(terms, configuration, thread, &mut moves);
        }
        for loose in threads + 1..configuration.len() {
            if configuration[loose] == configuration[loose - 1] {
                continue;
            }
            let part = terms.part(configuration[loose]).clone();
            let Part::Loose { call: Some(call), done: Some(done), thread, .. } = &*part else {
                continue;
            };
            let call = terms.intern((**call).clone());
            let done = terms.intern((**done).clone());
            let caller = (*thread).max(1) as usize;
            for &(state, outcome) in &*terms.outcomes(configuration, call, caller) {
                if outcome == done {
                    let mut next = configuration.clone();
                    next.remove(loose);
                    next[0] = state;
                    moves.push(next);
                }
            }
        }
        moves
    }

    fn accepts(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        _finished: bool,
    ) -> bool {
        let placed = terms.threads() + 1;
        self.below(terms, configuration.clone(), &mut |c| c.len() == placed)
    }

    fn arrange(&self, terms: &Terms<'_>, configuration: &mut Configuration) {
        let loose = &mut configuration[terms.threads() + 1..];
        loose.sort_by(|&a, &b| terms.part(a).cmp(terms.part(b)));
    }
}

impl QuiescentConsistency {
    /// Shows everything that a configuration leads to, itself included, until `stop` says so.
    fn below(
        &self,
        terms: &mut Terms<'_>,
        configuration: Configuration,
        stop: &mut dyn FnMut(&Configuration) -> bool,
    ) -> bool {
        let mut seen = HashSet::from([configuration.clone()]);
        let mut todo = vec![configuration];
        while let Some(c) = todo.pop() {
            if stop(&c) {
                return true;
            }
            todo.extend(self.moves(terms, &c).into_iter().filter(|c| seen.insert(c.clone())));
        }
        false
    }
}
