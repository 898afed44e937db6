//! Fewer steps, for speed: operations that wait are placed as soon as they can be.
//!
//! With the steps of `steps` an operation that took effect may wait although the specification would
//! allow it now, and does so until somebody needs its place, so that sets remember the order of
//! operations long gone. Here it does not: after every step all that wait and can be placed are, and an
//! operation waits only if it cannot be placed when it takes effect. Nor does an operation wait before
//! its result is known.
//!
//! And of configurations that agree in the threads, only those are kept that owe least: one with an
//! operation that waits is dropped if there is one without it and with the same promises. Mostly they
//! differ in the order of operations that overlapped, and who took the better guess has the better future.
//!
//! *Why no verdict depends on it.* Every step here is a step, or several, of the definition, and dropping
//! configurations only makes a set smaller. So by induction on the history the set is at each moment part
//! of the one that the definition gives (of the closed set, up to younger versions of its members, which
//! allow more). Antichains keep that: a node is left out only if the set of another one, at the same
//! state, is part of its own, hence of the definition's. If no set is ever empty, then, and every finished
//! client can settle, the same is true with all steps, and the object is quasi linearizable.
//!
//! What is refused here is judged again by all steps (`quasi_check`), which may show that something
//! was lost: for the queue, the stack and their like that does not happen, for what can be placed commutes
//! with what could come before it, but in general it can.

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::part::Part;
use crate::quasi::groups::Groups;
use crate::quasi::loose::{self, Kind, Note};
use crate::quasi::steps::PROMISE;

/// Drops configurations that owe more than others.
pub(super) fn prune(terms: &Terms<'_>, set: &mut Vec<Configuration>) {
    let first = terms.threads() + 1;
    if set.iter().all(|c| c.len() == first) {
        return;
    }
    // What waits and what is promised, without ages.
    type Owes = [Vec<(u32, Option<Box<Part>>)>; 2];
    let owes = |c: &Configuration| -> Owes {
        let mut owes = Owes::default();
        for &part in &c[first..] {
            if let Part::Loose { done, note, .. } = &**terms.part(part) {
                let note = Note::unpack(*note);
                let which = usize::from(note.kind != Kind::Unplaced);
                owes[which].push((Note { age: 0, ..note }.pack(), done.clone()));
            }
        }
        owes[1].sort();
        owes
    };
    let all: Vec<(Configuration, Owes)> = set.iter().map(|c| (c.clone(), owes(c))).collect();
    set.retain(|c| {
        let mine = owes(c);
        let less = |(other, theirs): &(Configuration, Owes)| {
            theirs[0].len() < mine[0].len()
                && other[1..first] == c[1..first]
                && theirs[1] == mine[1]
                && theirs[0].iter().all(|part| mine[0].contains(part))
        };
        !all.iter().any(less)
    });
}

impl Groups {
    /// Some of the steps from a configuration in which nobody waits without need.
    pub(super) fn eager_steps(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
    ) -> Vec<(u32, Configuration)> {
        let (mut steps, mut out) = (Vec::new(), Vec::new());
        for thread in 1..=terms.threads() {
            if !terms.is_pending(c[thread]) {
                continue;
            }
            let bound = self.is_promised(terms, c, thread);
            if !bound {
                self.with_place(terms, c, thread, &mut out);
            }
            self.in_promised_place(terms, c, thread, bound, &mut out);
            for next in out.drain(..) {
                self.press(terms, next, thread as u32, &mut steps);
            }
        }
        self.promised(terms, c, &mut out);
        for next in out {
            self.press(terms, next, PROMISE, &mut steps);
        }
        steps
    }

    /// Places what waits and can be placed, in every way in which the specification allows it, but
    /// always the same one first.
    fn press(
        &self,
        terms: &mut Terms<'_>,
        c: Configuration,
        whose: u32,
        out: &mut Vec<(u32, Configuration)>,
    ) {
        for i in terms.threads() + 1..c.len() {
            let mut next = Vec::new();
            self.placed_one(terms, &c, i, &mut next);
            if !next.is_empty() {
                for c in next {
                    self.press(terms, c, whose, out);
                }
                return;
            }
        }
        out.push((whose, c));
    }

    /// The pending operation of a thread takes effect, returns this, and waits for a place.
    pub(super) fn waits(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) {
        let Some(group) = self.of_done(terms, done) else { return };
        if self.is_promised(terms, c, thread) {
            return;
        }
        let call = Some(Box::new((**terms.part(c[thread])).clone()));
        let done = Some(Box::new((**terms.part(done)).clone()));
        let whose = if terms.uses_caller() { thread as u32 } else { 0 };
        let note = Note { kind: Kind::Unplaced, group, age: 0 }.pack();
        let mut next = c.clone();
        next[thread] = IDLE;
        loose::take(terms, &mut next, group);
        next.push(terms.intern(Part::Loose { call, done, thread: whose, note }));
        self.keep(terms, next, Some(group), out);
    }
}
