//! Can what a history owes be settled: every operation placed, every promise kept?
//!
//! At the end of a bounded client nothing more happens, so what is left must be placed as it is. A
//! history that goes on is judged by its *extensions*: further operations, of these or other threads,
//! with arguments that the check allows.
//!
//! Three things make the search for an extension small. Promises can be kept at once, oldest first: a
//! configuration in which that is too late has been dropped before (`loose::feasible`), and whoever
//! does it later is not better off. Further operations may take effect in the moment in which they
//! are placed: with the same order of places each of them is then no further away from its place than
//! the operations that wait, which are at most as many as the factor. So what remains is a search in
//! the specification for a way to place those that wait in time, with further operations in between.
//!
//! *Bound.* Of a group in which somebody waits only so many further operations are possible as the
//! factor leaves room for: each of them makes those that wait older. Of the others there is no
//! bound that the factors could give. With `deq -> empty: 1` the history of ten enqueues and a `deq`
//! that found nothing is completed by ten dequeues, which have the factor 0, and by no less; and whether
//! some sequence of operations leads a specification to a certain state is as hard a question as there
//! is. So there are three answers: it can be settled, since an extension has been found; it cannot,
//! since everything has been tried (or a value is missing that nobody can bring); or the search was cut
//! off by its [`Effort`], and nobody knows. Who asks must not take the last one for a refusal, unless
//! a refusal is only an occasion to look more closely (`quasi_check`).

use std::collections::HashSet;

use crate::configurations::{Configuration, Terms};
use crate::part::Part;
use crate::quasi::groups::Groups;
use crate::quasi::loose::{self, Kind};

/// How far extensions are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// So many further operations an extension may have.
    pub(super) further: usize,
    /// So many configurations are visited to find one, or a few more.
    pub(super) visited: usize,
}

/// Can everything be settled?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settles {
    /// By no extension.
    No,
    /// By none that was tried.
    Unsure,
    /// By one that was found.
    Yes,
}

impl Groups {
    /// Can everything be settled without further operations?
    pub(super) fn is_settled(&self, terms: &mut Terms<'_>, c: &Configuration) -> bool {
        let loose = loose::all(terms, c);
        if loose.iter().any(|(_, note)| note.kind != Kind::Unplaced) {
            return false;
        }
        if loose.is_empty() {
            return true;
        }
        let mut next = Vec::new();
        self.placed(terms, c, &mut next);
        for c in next {
            if self.is_settled(terms, &c) {
                return true;
            }
        }
        false
    }

    /// Can everything be settled with further operations?
    pub(super) fn can_settle(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        effort: Effort,
    ) -> Settles {
        if loose::all(terms, c).is_empty() {
            return Settles::Yes;
        }
        let Some(start) = self.keep_promises(terms, c) else { return Settles::No };
        if self.misses_a_value(terms, &start) {
            return Settles::No;
        }
        let mut seen = HashSet::from([start.clone()]);
        let mut layer = vec![start];
        for further in 0..=effort.further {
            // Everything that needs no further operation.
            let mut done = 0;
            while done < layer.len() {
                let c = layer[done].clone();
                done += 1;
                if loose::all(terms, &c).is_empty() {
                    return Settles::Yes;
                }
                let mut next = Vec::new();
                self.placed(terms, &c, &mut next);
                for thread in 1..=terms.threads() {
                    if terms.is_pending(c[thread]) {
                        self.with_place(terms, &c, thread, &mut next);
                    }
                }
                layer.extend(next.into_iter().filter(|c| seen.insert(c.clone())));
            }
            if further == effort.further || seen.len() > effort.visited {
                break;
            }
            let mut next = Vec::new();
            for c in &layer {
                self.further(terms, c, &mut next);
            }
            layer = next.into_iter().filter(|c| seen.insert(c.clone())).collect();
            if layer.is_empty() {
                return Settles::No;
            }
        }
        Settles::Unsure
    }

    /// Does an operation that waits return an opaque value that no call to come can bring? The
    /// specification cannot make one up: it must be in the state or in a call that is still to be
    /// placed, and where every call has values of its own, no further call has this one.
    fn misses_a_value(&self, terms: &Terms<'_>, c: &Configuration) -> bool {
        let mut there = Vec::new();
        terms.visit_state(c, &mut |id, value| there.push((id, value)));
        for &part in &c[1..] {
            match &**terms.part(part) {
                call @ Part::Pending { .. } => {
                    terms.visit_part(call, &mut |id, value| there.push((id, value)));
                }
                Part::Loose { call: Some(call), .. } => {
                    terms.visit_part(call, &mut |id, value| there.push((id, value)));
                }
                _ => {}
            }
        }
        let mut missing = false;
        for &part in &c[1..] {
            if let Part::Loose { done: Some(done), .. } = &**terms.part(part) {
                terms.visit_part(done, &mut |id, value| {
                    missing |= self.is_fresh(id) && !there.contains(&(id, value));
                });
            }
        }
        missing
    }

    /// All promises are kept, now.
    fn keep_promises(&self, terms: &mut Terms<'_>, c: &Configuration) -> Option<Configuration> {
        let mut next = c.clone();
        while let Some(i) = (terms.threads() + 1..next.len())
            .find(|&i| loose::note(terms, next[i]).is_some_and(|n| n.kind != Kind::Unplaced))
        {
            let group = loose::note(terms, next[i])?.group;
            let part = terms.part(next[i]).clone();
            next.remove(i);
            if let Part::Loose { call: Some(call), done: Some(done), .. } = &*part
                && matches!(&**call, Part::Pending { op, .. } if self.unique(*op))
                && let Some(thread) =
                    (1..=terms.threads()).find(|&t| **terms.part(next[t]) == **call)
            {
                next[thread] = terms.intern((**done).clone());
            }
            loose::take(terms, &mut next, group);
        }
        let mut groups = loose::all(terms, &next).into_iter().map(|(_, n)| n.group);
        groups.all(|g| loose::feasible(terms, &next, self, g)).then_some(next)
    }

    /// One further operation is called, takes effect, is placed and returns.
    fn further(&self, terms: &mut Terms<'_>, c: &Configuration, out: &mut Vec<Configuration>) {
        let threads = if terms.uses_caller() { terms.threads() } else { 1 };
        for (op, args) in self.calls() {
            let call = self.invent(terms, c, *op, args);
            for thread in 1..=threads {
                for &(state, done) in &*terms.outcomes(c, call, thread) {
                    let mut next = c.clone();
                    next[0] = state;
                    let group = self.of_done(terms, done);
                    if let Some(group) = group {
                        loose::take(terms, &mut next, group);
                    }
                    self.keep(terms, next, group, out);
                }
            }
        }
    }
}
