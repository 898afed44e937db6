//! Sequential consistency: every history can be explained by an order that keeps the order of each
//! thread.
//!
//! *Definition* (Lamport, IEEE Transactions on Computers C-28(9), 1979, as histories: Herlihy, Wing,
//! TOPLAS 1990, section 3): a history is sequentially consistent if pending operations can be completed
//! or dropped so that some order of the operations keeps the order of the operations of each thread and
//! is allowed by the specification. An object is sequentially consistent if all its histories are. That
//! includes the beginnings of histories: unlike linearizability the condition is not closed under
//! prefixes (a value may be dequeued before another thread enqueues it), so every event is judged.
//!
//! *Configurations:* the abstract state, and for each thread its operations that have no place in the
//! order yet, first to last: returned ones with their results, then perhaps a pending one. Between
//! events the first of a thread takes its place (a returned one only with its result); the pending one
//! then is done, and may return nothing else. A history may end in a configuration that leads to one in
//! which everything that has returned has its place.
//!
//! *Laziness.* Nothing has to take its place before a history is judged, so what is kept of a set is
//! one configuration per initial state of the specification, in which nothing has a place: the
//! histories of the threads, side by side. It grows with them, so clients must be bounded. (That is no
//! accident: for unbounded ones the question is undecidable, Alur, McMillan, Peled, LICS 1996.)
//!
//! *Interval tightening* carries over: the tightened form of an execution has the same operations in
//! the order of each thread, except that calls without an access are missing and operations after their
//! last access have returned. An order for it contains everything that has returned in the execution,
//! and nothing that has not been called there; so it explains the execution, too. Conversely the
//! tightened form is an execution itself. The other reductions rename or compare sets and know nothing
//! about the condition; the antichain needs that a larger set accepts more, which holds because one
//! configuration of it suffices.

use std::collections::HashSet;

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::part::Part;
use crate::rules::Rules;

/// The rules of sequential consistency.
pub(crate) struct SequentialConsistency;

impl Rules for SequentialConsistency {
    fn call(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        call: PartId,
    ) -> Vec<Configuration> {
        let mut items = items(terms, configuration[thread]);
        items.push((**terms.part(call)).clone());
        let mut next = configuration.clone();
        next[thread] = terms.intern(Part::List(items));
        vec![next]
    }

    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) {
        let mut next = configuration.clone();
        let mut items = items(terms, configuration[thread]);
        match items.pop() {
            // It has its place.
            None if configuration[thread] == done => next[thread] = IDLE,
            None => return,
            Some(call) => {
                let done = Some(Box::new((**terms.part(done)).clone()));
                items.push(Part::Loose { call: Some(Box::new(call)), done, thread: 0, note: 0 });
                next[thread] = terms.intern(Part::List(items));
            }
        }
        out.push(next);
    }

    fn moves(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration> {
        let mut moves = Vec::new();
        for thread in 1..=terms.threads() {
            let mut items = items(terms, configuration[thread]);
            if items.is_empty() {
                continue;
            }
            let (call, result) = match items.remove(0) {
                Part::Loose { call: Some(call), done, .. } => (*call, done),
                first => (first, None),
            };
            let call = terms.intern(call);
            let result = result.map(|done| terms.intern(*done));
            let rest = if items.is_empty() { IDLE } else { terms.intern(Part::List(items)) };
            for &(state, done) in &*terms.outcomes(configuration, call, thread) {
                if result.is_none_or(|result| result == done) {
                    let mut next = configuration.clone();
                    next[0] = state;
                    next[thread] = if result.is_some() { rest } else { done };
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
        let mut seen = HashSet::from([configuration.clone()]);
        let mut todo = vec![configuration.clone()];
        while let Some(c) = todo.pop() {
            if c[1..].iter().all(|&part| has_all_places(terms.part(part))) {
                return true;
            }
            todo.extend(self.moves(terms, &c).into_iter().filter(|c| seen.insert(c.clone())));
        }
        false
    }
}

/// The operations of a thread that have no place.
fn items(terms: &Terms<'_>, part: PartId) -> Vec<Part> {
    match &**terms.part(part) {
        Part::List(items) => items.clone(),
        _ => Vec::new(),
    }
}

/// Does everything that has returned have its place?
fn has_all_places(part: &Part) -> bool {
    match part {
        Part::List(items) => matches!(items[..], [Part::Pending { .. }]),
        _ => true,
    }
}
