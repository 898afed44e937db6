//! Set and interval linearizability: operations take effect together, or in more than one moment.
//!
//! *Definitions.* A *set-sequential* history is a sequence of sets of operations, each of which takes effect as one (Neiger, PODC
//! 1994). A history is set linearizable if pending operations can be completed or dropped so that the operations can be
//! divided into such sets, put in an order that keeps that of operations of which one returned before the other was called, and
//! the specification allows it. In an *interval-sequential* history an operation may belong to several consecutive sets: it is
//! called in one of them and returns in the same or in a later one (Castaneda, Rajsbaum, Raynal, JACM 65(6), 2018). What is
//! linearizable is set linearizable (every set has one operation), and that is interval linearizable.
//!
//! *Specifications.* The papers have machines that take a set of calls and give a set of results. Here an operation says `meet`: what is
//! before it is what the operation does when it is called, what is after it what it does when it returns, each in one
//! step. A set of calls is any order of the first parts, a set of results any order of the second parts; which
//! operations are there together is something that the specification can keep in its variables. An operation without
//! `meet` takes effect in one step: it is a set by itself.
//!
//! *Interval linearizability* is then linearizability with operations that take effect twice, both times between call and return.
//! Where it is asked for, `Terms::outcomes` gives the first part, after which the operation is pending again; so its rules are
//! those of `linearizability`.
//!
//! *Set linearizability:* operations of a set overlap each other, so there is a moment at which all of them are pending
//! (intervals that meet in pairs have a point in common). There the set takes effect as a whole: between two events nobody is
//! halfway. What a configuration leads to is any set of pending operations, their first parts in any order and then their second parts
//! in any order.
//!
//! *Reductions.* As for linearizability: an order for an execution with shorter operations is one for the execution, so interval
//! tightening carries over; rules tell neither threads nor values apart; a larger set of configurations accepts more.
//! *Just in time* as there, too: a run to a configuration in which a thread is done has the form `u t v`, where `t` is the
//! set (or the end) of its operation.

use crate::configurations::{Configuration, PartId, Set, Terms};
use crate::linearizability::{effects, until};
use crate::rules::Rules;

/// The rules of set linearizability.
pub(crate) struct SetLinearizability;

impl Rules for SetLinearizability {
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
            if !terms.meets(configuration[thread]) {
                effects(terms, configuration, thread, &mut moves);
            }
        }
        // Some begin, one after the other; then all of these come to their end.
        let begun = closure(configuration.clone(), |c| steps(terms, c, |t, p| t.meets(p)));
        let mut ended = Set::default();
        for c in begun.into_iter().filter(|c| c != configuration) {
            ended.extend(closure(c, |c| steps(terms, c, |t, p| t.is_halfway(p))));
        }
        moves.extend(ended.into_iter().filter(|c| !c[1..].iter().any(|&p| terms.is_halfway(p))));
        moves
    }
}

/// What a configuration leads to by parts of those operations for which `goes_on` is true.
fn steps(
    terms: &mut Terms<'_>,
    c: &Configuration,
    goes_on: fn(&Terms<'_>, PartId) -> bool,
) -> Vec<Configuration> {
    let mut next = Vec::new();
    for thread in 1..=terms.threads() {
        if goes_on(terms, c[thread]) {
            effects(terms, c, thread, &mut next);
        }
    }
    next
}

/// A configuration and all that it leads to by steps.
fn closure(
    from: Configuration,
    mut steps: impl FnMut(&Configuration) -> Vec<Configuration>,
) -> Set {
    let mut seen = Set::default();
    let mut todo = vec![from];
    while let Some(c) = todo.pop() {
        if seen.insert(c.clone()) {
            todo.extend(steps(&c));
        }
    }
    seen
}
