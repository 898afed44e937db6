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

use linchpin_model::specify::SpecFault;

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::part::Part;
use crate::rules::Rules;

/// The rules of given points. The part of a thread is `Idle`, `Pending` before the first point, `Done`
/// after one that changed the abstract state, and a `Loose` part that still knows its call after one
/// that did not.
pub(crate) struct Points;

impl Rules for Points {
    fn call(
        &self,
        _: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        call: PartId,
    ) -> Result<Vec<Configuration>, SpecFault> {
        let mut next = configuration.clone();
        next[thread] = call;
        Ok(vec![next])
    }

    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) -> Result<(), SpecFault> {
        let part = terms.part(configuration[thread]);
        let happened = match &**part {
            Part::Loose { done: Some(outcome), .. } => **outcome == **terms.part(done),
            _ => configuration[thread] == done,
        };
        if happened {
            let mut next = configuration.clone();
            next[thread] = IDLE;
            out.push(next);
        }
        Ok(())
    }

    fn point(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        out: &mut Vec<Configuration>,
    ) -> Result<(), SpecFault> {
        if thread > terms.threads() {
            return Ok(());
        }
        let part = terms.part(configuration[thread]).clone();
        let (call, pending) = match &*part {
            Part::Pending { .. } => (configuration[thread], part.clone()),
            Part::Loose { call: Some(pending), .. } => {
                (terms.intern((**pending).clone()), pending.clone().into())
            }
            _ => return Ok(()),
        };
        for &(state, done) in &*terms.outcomes(configuration[0], call, thread)? {
            let mut next = configuration.clone();
            next[0] = state;
            next[thread] = if state == configuration[0] {
                let done = Some(Box::new((**terms.part(done)).clone()));
                let call = Some(Box::new((*pending).clone()));
                terms.intern(Part::Loose { call, done, thread: 0, note: 0 })
            } else {
                done
            };
            out.push(next);
        }
        Ok(())
    }

    fn moves(&self, _: &mut Terms<'_>, _: &Configuration) -> Result<Vec<Configuration>, SpecFault> {
        Ok(Vec::new())
    }
}
