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
//! no thread has anything left to do must satisfy the definition itself (`settle`, which says how far
//! extensions are looked for).
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

mod groups;
mod loose;
mod settle;
mod steps;

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use linchpin_model::program::{Check, QuasiGroup};
use linchpin_model::specify::SpecFault;

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::part::Part;
use crate::rules::Rules;
use groups::Groups;
use loose::Note;
use steps::Then;

/// Larger factors are refused; nobody could check anything with them.
pub(crate) const MAX_FACTOR: u32 = 1000;

/// The rules of quasi linearizability.
pub(crate) struct Quasi {
    groups: Groups,
    /// What is known about extensions.
    settles: Mutex<HashMap<Configuration, bool>>,
}

impl Quasi {
    pub(crate) fn new(check: &Check, groups: &[QuasiGroup]) -> Self {
        Quasi { groups: Groups::new(check, groups), settles: Mutex::default() }
    }

    fn can_settle(&self, terms: &mut Terms<'_>, c: &Configuration) -> Result<bool, SpecFault> {
        if c[1..].iter().all(|&part| loose::note(terms, part).is_none()) {
            return Ok(true);
        }
        let lock = || self.settles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = lock().get(c) {
            return Ok(known);
        }
        let settles = self.groups.can_settle(terms, c)?;
        lock().insert(c.clone(), settles);
        Ok(settles)
    }

    /// Lets steps happen until the operation of `thread` has taken effect and may return `done`.
    fn until(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        done: PartId,
        seen: &mut HashSet<Configuration>,
        out: &mut Vec<Configuration>,
    ) -> Result<(), SpecFault> {
        if !seen.insert(c.clone()) {
            return Ok(());
        }
        self.groups.takes_effect(terms, c, thread, Then::Returns(done), out)?;
        let mut next = Vec::new();
        self.groups.steps(terms, c, thread, &mut next)?;
        for c in next {
            self.until(terms, &c, thread, done, seen, out)?;
        }
        Ok(())
    }
}

impl Rules for Quasi {
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
        let mut found = Vec::new();
        let part = terms.part(configuration[thread]).clone();
        match &*part {
            Part::Pending { .. } => {
                let mut seen = HashSet::new();
                self.until(terms, configuration, thread, done, &mut seen, &mut found)?;
            }
            // It took effect and waits for a place: now its result is known.
            Part::Loose { call, note, .. } => {
                let group = Note::unpack(*note).group;
                if self.groups.of_done(terms, done) == Some(group) {
                    let done = Some(Box::new((**terms.part(done)).clone()));
                    let whose = if terms.uses_caller() { thread as u32 } else { 0 };
                    let call = call.clone();
                    let mut next = configuration.clone();
                    next[thread] = IDLE;
                    next.push(terms.intern(Part::Loose { call, done, thread: whose, note: *note }));
                    loose::arrange(terms, &mut next);
                    found.push(next);
                }
            }
            _ if configuration[thread] == done => {
                let mut next = configuration.clone();
                next[thread] = IDLE;
                found.push(next);
            }
            _ => {}
        }
        found.sort_unstable();
        found.dedup();
        for c in found {
            if self.can_settle(terms, &c)? {
                out.push(c);
            }
        }
        Ok(())
    }

    fn moves(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
    ) -> Result<Vec<Configuration>, SpecFault> {
        let mut moves = Vec::new();
        self.groups.steps(terms, configuration, 0, &mut moves)?;
        Ok(moves)
    }

    fn accepts(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        finished: bool,
    ) -> Result<bool, SpecFault> {
        if finished {
            self.groups.is_settled(terms, configuration)
        } else {
            self.can_settle(terms, configuration)
        }
    }

    fn arrange(&self, terms: &Terms<'_>, configuration: &mut Configuration) {
        loose::arrange(terms, configuration);
    }
}
