//! Quasi linearizability: operations out of order by at most so many places.
//!
//! *Definition* (Adhikari, Street, Wang, Liu, Zhang, SPIN 2013, Definition 4, after Afek, Korland,
//! Yanovsky, OPODIS 2010): a history is quasi linearizable if there are an order of its operations
//! that respects the order of those that do not overlap (the order of *effects*) and an order of them
//! that the specification allows (the order of *places*), such that in each group of operations the
//! index of an operation within its group is the same in both up to the factor of the group.
//!
//! *Departure.* Taken literally that compares groups one by one, and operations of different groups
//! may drift apart without bound: with the factor 0 for `enq` and for `deq`, `enq(1); deq -> empty;
//! deq -> 1` would be allowed, although the authors say (and everybody expects) that factors of 0 mean
//! linearizability. So the factors bound the drift as well. Both orders are built together, step by
//! step. At every moment, in each group, at most as many operations have taken effect without a place
//! (*unplaced*) as the factor says, and at most as many places have been given to operations that have
//! not taken effect (*promised*); operations with the factor 0, and those in no group, take effect and
//! are placed in the same moment. So zero factors mean linearizability whatever the groups are;
//! whatever is accepted here satisfies Definition 4; and a configuration is finite however long the
//! history is.
//!
//! *Which histories.* A history that goes on is accepted if some extension of it by further operations
//! satisfies the definition, where operations that have not returned may be left out; one after which
//! no thread has anything left to do must satisfy the definition itself. Not every question for an
//! extension has an answer (`settle`); a [`Manner`] says what to do then.
//!
//! *Configurations.* The abstract state after the places given so far, the threads, and as loose parts
//! what is unplaced or promised (`loose`). A thread whose operation took effect without a place has a
//! loose part in its own place: its result is open, but not its group, which is guessed. A promised
//! place holds a call that the check allows and its result.
//!
//! *Method.* Nothing happens before a return asks for it (see `linearizability`): a return of `t` lets
//! steps happen in every order that ends with the effect of `t`. What else could happen before can
//! happen afterwards as well.
//!
//! *Why the reductions carry over.* Sets are closed under `moves`: every step of these rules. It has no
//! cycle: a step lowers the number of pending operations, or keeps it and lowers the number of unplaced
//! ones, or keeps both and adds a promise, of which there is a bounded number. So minimal generators
//! are unique, and inclusion of closed sets is inclusion of what they allow in the future: with a
//! larger set everything that can be settled still can. Steps do not depend on names: the values for
//! promised calls are all those of the domain, and one that nobody has used stands for any such, until
//! the promise is kept. Interval tightening only adds order between operations, and an order of effects
//! for more order is one for less.

mod eager;
mod groups;
mod loose;
mod settle;
mod steps;

use std::sync::Arc;

use linchpin_engine::SharedCache;
use linchpin_lin::program::{Check, QuasiGroup};

use crate::configurations::{Configuration, PartId, Set, Terms};
use crate::rules::Rules;
use groups::Groups;
use settle::{Effort, Settles};
use steps::PROMISE;

/// Larger factors are refused; nobody could check anything with them.
pub(crate) const MAX_FACTOR: u32 = 1000;

/// A history has been completed by no extension with so many further operations, if that is why nothing
/// is known about it.
pub const FURTHER: usize = 16;

/// Which steps there are, and what becomes of histories of which it is not known whether an extension
/// completes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Some steps (`eager`), and what is not known after a short search is refused. What is accepted is
    /// right; what is refused may be right as well.
    Quick,
    /// Some steps, but only what is certainly wrong with these is refused. What is accepted with
    /// certainty is right.
    Careful,
    /// All steps of the definition, with the refusals of the quick manner; for tests.
    Plain,
    /// All steps of the definition; what is refused is wrong, what is accepted with certainty right.
    Exact,
}

impl Manner {
    fn is_eager(self) -> bool {
        matches!(self, Manner::Quick | Manner::Careful)
    }

    /// Is everything kept that is not known to be wrong?
    fn doubts(self) -> bool {
        matches!(self, Manner::Careful | Manner::Exact)
    }

    fn effort(self) -> Effort {
        match self.doubts() {
            true => Effort { further: FURTHER, visited: 1_000 },
            false => Effort { further: 8, visited: 20_000 },
        }
    }
}

/// The rules of quasi linearizability.
pub(crate) struct Quasi {
    groups: Groups,
    manner: Manner,
    known_steps: SharedCache<Configuration, Steps>,
    known_settles: SharedCache<Configuration, Settles>,
}

/// Of so many configurations the steps are remembered.
const STEPS: usize = 1 << 15;
/// Of so many configurations it is remembered whether they can be settled.
const SETTLES: usize = 1 << 17;

/// Where a step of a thread, or of none (0), leads.
type Steps = Arc<[(u32, Configuration)]>;

impl Quasi {
    pub(crate) fn new(check: &Check, groups: &[QuasiGroup], manner: Manner) -> Self {
        Quasi {
            groups: Groups::new(check, groups),
            manner,
            known_steps: SharedCache::new(STEPS),
            known_settles: SharedCache::new(SETTLES),
        }
    }

    fn settles(&self, terms: &mut Terms<'_>, c: &Configuration) -> Settles {
        if let Some(known) = self.known_settles.get(c) {
            return known;
        }
        let mark = terms.mark();
        let settles = self.groups.can_settle(terms, c, self.manner.effort());
        // What goes wrong on the way has to be noted each time.
        if !terms.went_wrong_since(mark) {
            self.known_settles.put(c.clone(), settles);
        }
        settles
    }

    /// May a history that goes on have led here?
    fn goes_on(&self, terms: &mut Terms<'_>, c: &Configuration) -> bool {
        match self.settles(terms, c) {
            Settles::Yes => true,
            Settles::Unsure => self.manner.doubts(),
            Settles::No => false,
        }
    }

    /// All steps from a configuration.
    fn steps(&self, terms: &mut Terms<'_>, c: &Configuration) -> Steps {
        if let Some(known) = self.known_steps.get(c) {
            known.iter().for_each(|(_, next)| terms.learn(next));
            return known;
        }
        let mark = terms.mark();
        let steps: Steps = match self.manner.is_eager() {
            true => self.groups.eager_steps(terms, c).into(),
            false => self.groups.steps(terms, c).into(),
        };
        if !terms.went_wrong_since(mark) {
            self.known_steps.put(c.clone(), steps.clone());
        }
        steps
    }

    /// Lets steps happen until the operation of `thread` has taken effect and may return `done`.
    fn until(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        done: PartId,
        seen: &mut Set,
        out: &mut Vec<Configuration>,
    ) {
        if !seen.insert(c.clone()) {
            return;
        }
        let before = out.len();
        for (whose, next) in &*self.steps(terms, c) {
            if *whose == thread as u32 {
                out.extend(self.groups.returned(terms, next, thread, done));
            }
        }
        if self.manner.is_eager() && out.len() == before {
            self.groups.waits(terms, c, thread, done, out);
        }
        for (whose, next) in &*self.steps(terms, c) {
            if *whose != thread as u32 {
                self.until(terms, next, thread, done, seen, out);
            }
        }
    }
}

impl Rules for Quasi {
    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    ) {
        let mut found = Vec::new();
        if terms.is_pending(configuration[thread]) {
            let mut seen = Set::default();
            self.until(terms, configuration, thread, done, &mut seen, &mut found);
        } else {
            found.extend(self.groups.returned(terms, configuration, thread, done));
        }
        found.sort_unstable();
        found.dedup();
        let mut kept = Vec::new();
        let mark = terms.mark();
        for c in found {
            // What goes wrong in an extension is none of this history's: `accepts` finds it again.
            if self.goes_on(terms, &c) | terms.forget_since(mark) {
                kept.push(c);
            }
        }
        if kept.len() > 1 {
            let mut generated = Set::default();
            for c in &kept {
                generated.extend(self.steps(terms, c).iter().map(|(_, next)| next.clone()));
            }
            terms.forget_since(mark);
            kept.retain(|c| !generated.contains(c));
        }
        out.append(&mut kept);
    }

    fn moves(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration> {
        let steps = self.steps(terms, configuration);
        steps.iter().filter(|s| s.0 != PROMISE).map(|(_, next)| next.clone()).collect()
    }

    fn accepts(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        finished: bool,
    ) -> bool {
        if finished {
            self.groups.is_settled(terms, configuration)
        } else {
            self.goes_on(terms, configuration)
        }
    }

    fn is_sure(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> bool {
        self.settles(terms, configuration) == Settles::Yes
    }

    fn compares(&self) -> bool {
        true
    }

    fn allows(&self, terms: &Terms<'_>, other: &Configuration, c: &Configuration) -> bool {
        loose::is_younger(terms, other, c)
    }

    fn prune(&self, terms: &mut Terms<'_>, set: &mut Vec<Configuration>) {
        loose::keep_younger(terms, set);
        if self.manner.is_eager() {
            eager::prune(terms, set);
        }
    }

    fn arrange(&self, terms: &Terms<'_>, configuration: &mut Configuration) {
        loose::arrange(terms, configuration);
    }
}
