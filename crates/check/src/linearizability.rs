//! Linearizability: every history of the object refines the specification.
//!
//! *Definition* (Herlihy, Wing, TOPLAS 1990): a history is linearizable if pending operations can be
//! completed or dropped so that some sequential order of the operations respects the order of those
//! that do not overlap and is allowed by the specification. An object is linearizable if all its
//! histories are.
//!
//! *Method* (Liu, Chen, Liu, Sun, FM 2009, Theorem 1): trace refinement. A configuration says where the
//! specification can be after a history: the abstract state, and for each thread whether it is idle,
//! has called an operation that has not taken effect yet (pending), or one that has taken effect and
//! will return this result (done). Between events a pending operation may take effect.
//!
//! *Just in time* (compare Lowe, CCPE 2017): nothing takes effect before a return asks for it. A
//! return of thread `t` lets pending operations take effect in every order that ends with `t`'s. Any
//! run to a configuration in which `t` is done has the form `u t v`; the configuration after `u t`
//! generates the one after `v`, so nothing is lost.

use crate::configurations::{Configuration, IDLE, PartId, Set, Terms};
use crate::rules::Rules;

/// The rules of linearizability.
pub(crate) struct Linearizability;

impl Rules for Linearizability {
    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) {
        until(self, terms, configuration.clone(), (thread, done), &mut Set::default(), out);
    }

    fn moves(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration> {
        let mut moves = Vec::new();
        for thread in 1..=terms.threads() {
            effects(terms, configuration, thread, &mut moves);
        }
        moves
    }
}

/// Lets operations take effect, as rules say, until `thread`'s has, and keeps the outcome if it is `done`.
pub(crate) fn until(
    rules: &dyn Rules,
    terms: &mut Terms<'_>,
    configuration: Configuration,
    (thread, done): (usize, PartId),
    seen: &mut Set,
    out: &mut Vec<Configuration>,
) {
    if !seen.insert(configuration.clone()) {
        return;
    }
    if !terms.is_pending(configuration[thread]) {
        if configuration[thread] == done {
            let mut next = configuration;
            next[thread] = IDLE;
            out.push(next);
        }
        return;
    }
    for next in rules.moves(terms, &configuration) {
        until(rules, terms, next, (thread, done), seen, out);
    }
}

/// Pushes the configurations after the operation of `thread`, if it is pending, took effect.
pub(crate) fn effects(
    terms: &mut Terms<'_>,
    configuration: &Configuration,
    thread: usize,
    out: &mut Vec<Configuration>,
) {
    if !terms.is_pending(configuration[thread]) {
        return;
    }
    for &(state, done) in &*terms.outcomes(configuration, configuration[thread], thread) {
        let mut next = configuration.clone();
        next[0] = state;
        next[thread] = done;
        out.push(next);
    }
}
