//! Linearizability with given points: the specification runs in lockstep.
//!
//! *Definition* (Liu, Chen, Liu, Sun, FM 2009, Theorem 2): the source marks where each operation takes
//! effect, `lin(op, resp)`; if every execution with its marks is one of the specification, the object
//! is linearizable. Here a mark is a statement, `point` or `point for t` (helping), that belongs to the
//! access before it:
//!
//! * a point for a thread that is in no operation is a violation of the points;
//! * at the first point of an operation the specification executes it, with all its outcomes;
//! * at a later point, if the operation left the abstract state as it was, it happens there *instead*
//!   (so `read, validate, retry` can be marked where it reads); if it changed the state there must be
//!   no second point;
//! * a return needs the operation to have happened, with that result.
//!
//! Nothing happens between events, so sets of configurations are as small as the nondeterminism of the
//! specification makes them: one configuration for a deterministic one. That is what makes this check
//! smaller than the automatic one, which keeps every order that is still possible.
//!
//! *Why it implies linearizability.* Each point is between the call and the return of its operation. Put
//! every operation at the last of its points: an earlier one left the state as it was, so leaving it out
//! changes nothing. The result is an order that the specification allows and that respects real time.
//! An operation that is pending at the end either has happened or can be left out.
//!
//! *Departures.* The paper has the marks as the only visible events and the result in the mark; here
//! calls and returns stay visible and the specification computes the result, so the two need not be
//! given twice. The rule about later points is not in the paper, which would need a prophecy instead.
//!
//! *Reductions.* Points stay with the access they follow (`model::lower::points`), symmetries rename the
//! thread of a point like that of any event, and a set with fewer configurations is still the worse one.

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::linearizability::effects;
use crate::part::Part;
use crate::rules::Rules;

/// The rules of given points. The part of a thread is `Idle`, `Pending` before the first point, `Done`
/// after one that changed the abstract state, and a `Loose` part that still knows its call after one
/// that did not.
#[derive(Default)]
pub(crate) struct Points {
    /// Operations that take effect whenever it suits, as in `linearizability`; their points mean
    /// nothing. For inferring the points of the others.
    pub(crate) free: Vec<u32>,
}

impl Points {
    /// Is it an operation that has not taken effect and may do so at any time?
    fn is_free(&self, part: &Part) -> bool {
        match part {
            Part::Pending { op, .. } | Part::Done { op, .. } => self.free.contains(op),
            _ => false,
        }
    }

    /// A configuration and all that it leads to.
    fn closed(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration> {
        let mut all = vec![configuration.clone()];
        let mut next = 0;
        while next < all.len() {
            for c in self.moves(terms, &all[next].clone()) {
                if !all.contains(&c) {
                    all.push(c);
                }
            }
            next += 1;
        }
        all
    }
}

impl Rules for Points {
    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) {
        let part = terms.part(configuration[thread]).clone();
        let sources = match self.is_free(&part) {
            true => self.closed(terms, configuration),
            false => vec![configuration.clone()],
        };
        for mut next in sources {
            let happened = match &**terms.part(next[thread]) {
                Part::Loose { done: Some(outcome), .. } => **outcome == **terms.part(done),
                _ => next[thread] == done,
            };
            if happened {
                next[thread] = IDLE;
                out.push(next);
            }
        }
    }

    fn point(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        out: &mut Vec<Configuration>,
    ) {
        if thread > terms.threads() {
            return;
        }
        let part = terms.part(configuration[thread]).clone();
        if self.is_free(&part) {
            out.push(configuration.clone());
            return;
        }
        let (call, pending) = match &*part {
            Part::Pending { .. } => (configuration[thread], part.clone()),
            Part::Loose { call: Some(pending), .. } => {
                (terms.intern((**pending).clone()), pending.clone().into())
            }
            _ => return,
        };
        for source in self.closed(terms, configuration) {
            for &(state, done) in &*terms.outcomes(&source, call, thread) {
                let mut next = source.clone();
                next[0] = state;
                next[thread] = if state == source[0] {
                    let done = Some(Box::new((**terms.part(done)).clone()));
                    let call = Some(Box::new((*pending).clone()));
                    terms.intern(Part::Loose { call, done, thread: 0, note: 0 })
                } else {
                    done
                };
                out.push(next);
            }
        }
    }

    fn moves(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration> {
        let mut moves = Vec::new();
        if self.free.is_empty() {
            return moves;
        }
        for thread in 1..=terms.threads() {
            let part = terms.part(configuration[thread]).clone();
            if self.is_free(&part) {
                effects(terms, configuration, thread, &mut moves);
            }
        }
        moves
    }
}
