//! The steps by which an order of effects and an order of places are built together.

use linchpin_lin::Value;
use linchpin_lin::program::DataId;

use crate::configurations::{Configuration, IDLE, PartId, Terms};
use crate::part::Part;
use crate::quasi::groups::{Argument, Groups};
use crate::quasi::loose::{self, Kind, Note};

/// Names for opaque values that nobody has used begin here; no client counts so far.
const UNUSED: u32 = 1 << 31;

/// Marks a step that promises a place.
pub(super) const PROMISE: u32 = u32::MAX;

impl Groups {
    /// The group of a [`Part::Done`].
    pub(super) fn of_done(&self, terms: &Terms<'_>, done: PartId) -> Option<u32> {
        match &**terms.part(done) {
            Part::Done { op, result } => self.of(*op, result),
            _ => None,
        }
    }

    /// Every step from a configuration, with the thread whose operation takes effect, 0 where an
    /// operation gets its place, [`PROMISE`] where a place is promised.
    pub(super) fn steps(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
    ) -> Vec<(u32, Configuration)> {
        let mut steps = Vec::new();
        let mut out = Vec::new();
        for thread in 1..=terms.threads() {
            self.takes_effect(terms, c, thread, &mut out);
            steps.extend(out.drain(..).map(|next| (thread as u32, next)));
        }
        self.placed(terms, c, &mut out);
        steps.extend(out.drain(..).map(|next| (0, next)));
        self.promised(terms, c, &mut out);
        steps.extend(out.into_iter().map(|next| (PROMISE, next)));
        steps
    }

    /// The operation of a thread, if it is pending, takes effect.
    fn takes_effect(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        out: &mut Vec<Configuration>,
    ) {
        if !terms.is_pending(c[thread]) {
            return;
        }
        let bound = self.is_promised(terms, c, thread);
        if !bound {
            self.with_place(terms, c, thread, out);
            self.without_place(terms, c, thread, out);
        }
        self.in_promised_place(terms, c, thread, bound, out);
    }

    /// Is a place promised to this very operation?
    pub(super) fn is_promised(&self, terms: &Terms<'_>, c: &Configuration, thread: usize) -> bool {
        let pending = &**terms.part(c[thread]);
        let Part::Pending { op, .. } = pending else { return false };
        self.unique(*op)
            && c[1..].iter().any(|&part| match &**terms.part(part) {
                Part::Loose { call: Some(call), note, .. } => {
                    Note::unpack(*note).kind == Kind::Promised && **call == *pending
                }
                _ => false,
            })
    }

    /// It takes effect and is placed at the same moment.
    pub(super) fn with_place(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        out: &mut Vec<Configuration>,
    ) {
        for &(state, done) in &*terms.outcomes(c, c[thread], thread) {
            let mut next = c.clone();
            next[0] = state;
            next[thread] = done;
            let group = self.of_done(terms, done);
            if let Some(group) = group {
                loose::take(terms, &mut next, group);
                loose::place(terms, &mut next, group);
            }
            self.keep(terms, next, group, out);
        }
    }

    /// It takes effect and gets its place later.
    fn without_place(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        out: &mut Vec<Configuration>,
    ) {
        let call = (**terms.part(c[thread])).clone();
        let Part::Pending { op, .. } = call else { return };
        for &group in self.possible(op) {
            let mut next = c.clone();
            loose::take(terms, &mut next, group);
            let note = Note { kind: Kind::Unplaced, group, age: 0 }.pack();
            let call = Some(Box::new(call.clone()));
            next[thread] = terms.intern(Part::Loose { call, done: None, thread: 0, note });
            self.keep(terms, next, Some(group), out);
        }
    }

    /// The thread returns after its operation took effect, if this can be its result.
    pub(super) fn returned(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        done: PartId,
    ) -> Option<Configuration> {
        let mut next = c.clone();
        next[thread] = IDLE;
        if c[thread] == done {
            return Some(next);
        }
        // It waits for a place: now its result is known.
        let part = terms.part(c[thread]).clone();
        let Part::Loose { call, note, .. } = &*part else { return None };
        if self.of_done(terms, done) != Some(Note::unpack(*note).group) {
            return None;
        }
        let done = Some(Box::new((**terms.part(done)).clone()));
        let whose = if terms.uses_caller() { thread as u32 } else { 0 };
        next.push(terms.intern(Part::Loose {
            call: call.clone(),
            done,
            thread: whose,
            note: *note,
        }));
        loose::arrange(terms, &mut next);
        Some(next)
    }

    /// It takes effect and has had its place before: a promise is kept. If a place is promised to
    /// this very operation (`bound`), it can be no other.
    pub(super) fn in_promised_place(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        thread: usize,
        bound: bool,
        out: &mut Vec<Configuration>,
    ) {
        let pending = terms.part(c[thread]).clone();
        let Part::Pending { op, args } = &*pending else { return };
        for i in terms.threads() + 1..c.len() {
            let part = terms.part(c[i]).clone();
            let Part::Loose { call: Some(call), done: Some(done), thread: whose, note } = &*part
            else {
                continue;
            };
            let note = Note::unpack(*note);
            let Part::Pending { op: promised, args: with } = &**call else { continue };
            if note.kind == Kind::Unplaced
                || (bound && note.kind == Kind::PromisedNew)
                || promised != op
                || (*whose != 0 && *whose != thread as u32)
                || is_older(terms, c, i)
            {
                continue;
            }
            let mut names = Vec::new();
            let same =
                with.iter().zip(args).zip(self.fresh(*op)).all(|((promised, arg), fresh)| {
                    match (fresh, promised, arg) {
                        (Some(id), Value::Data(from), Value::Data(to))
                            if note.kind == Kind::PromisedNew =>
                        {
                            names.push((*id, *from, *to));
                            true
                        }
                        _ => promised == arg,
                    }
                });
            if !same {
                continue;
            }
            let mut next = c.clone();
            next.remove(i);
            next[thread] = terms.intern((**done).clone());
            if !names.is_empty() {
                let mut rename = |id: DataId, value: u32| {
                    let name = names.iter().find(|n| n.0 == id && n.1 == value);
                    name.map_or(value, |n| n.2)
                };
                next = terms.rename_data(&next, &mut rename);
                loose::arrange(terms, &mut next);
            }
            loose::take(terms, &mut next, note.group);
            self.keep(terms, next, Some(note.group), out);
        }
    }

    /// An operation that took effect gets its place.
    pub(super) fn placed(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        out: &mut Vec<Configuration>,
    ) {
        for i in 1..c.len() {
            self.placed_one(terms, c, i, out);
        }
    }

    /// The part with this index, if it waits for a place, gets one.
    pub(super) fn placed_one(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        i: usize,
        out: &mut Vec<Configuration>,
    ) {
        let part = terms.part(c[i]).clone();
        let Part::Loose { call: Some(call), done, thread, note } = &*part else { return };
        let note = Note::unpack(*note);
        if note.kind != Kind::Unplaced || is_older(terms, c, i) {
            return;
        }
        let thread = if i <= terms.threads() { i } else { (*thread).max(1) as usize };
        let call = terms.intern((**call).clone());
        for &(state, outcome) in &*terms.outcomes(c, call, thread) {
            let fits = match done {
                Some(done) => **terms.part(outcome) == **done,
                None => self.of_done(terms, outcome) == Some(note.group),
            };
            if !fits {
                continue;
            }
            let mut next = c.clone();
            next[0] = state;
            if i <= terms.threads() {
                next[i] = outcome;
            } else {
                next.remove(i);
            }
            loose::place(terms, &mut next, note.group);
            self.keep(terms, next, Some(note.group), out);
        }
    }

    /// A place is given to an operation that has not taken effect.
    pub(super) fn promised(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        out: &mut Vec<Configuration>,
    ) {
        let mut calls = Vec::new();
        for thread in 1..=terms.threads() {
            if let Part::Pending { op, .. } = **terms.part(c[thread])
                && self.unique(op)
                && !self.possible(op).is_empty()
                && !self.is_promised(terms, c, thread)
            {
                calls.push((c[thread], thread, Kind::Promised));
            }
        }
        for (op, args) in self.calls() {
            if self.possible(*op).is_empty() {
                continue;
            }
            let call = self.invent(terms, c, *op, args);
            let kind = if self.unique(*op) { Kind::PromisedNew } else { Kind::Promised };
            let threads = if terms.uses_caller() { terms.threads() } else { 1 };
            calls.extend((1..=threads).map(|thread| (call, thread, kind)));
        }
        for (call, thread, kind) in calls {
            for &(state, done) in &*terms.outcomes(c, call, thread) {
                let Some(group) = self.of_done(terms, done) else { continue };
                let mut next = c.clone();
                next[0] = state;
                loose::place(terms, &mut next, group);
                let call = Some(Box::new((**terms.part(call)).clone()));
                let done = Some(Box::new((**terms.part(done)).clone()));
                let thread = if terms.uses_caller() { thread as u32 } else { 0 };
                let note = Note { kind, group, age: 0 }.pack();
                next.push(terms.intern(Part::Loose { call, done, thread, note }));
                self.keep(terms, next, Some(group), out);
            }
        }
    }

    /// A call that has not happened, with values that the configuration does not know.
    pub(super) fn invent(
        &self,
        terms: &mut Terms<'_>,
        c: &Configuration,
        op: u32,
        args: &[Argument],
    ) -> PartId {
        let mut known: Vec<(DataId, u32)> = Vec::new();
        if self.unique(op) {
            terms.visit_data(c, &mut |id, value| known.push((id, value)));
        }
        let args = args
            .iter()
            .map(|arg| match arg {
                Argument::Is(value) => value.clone(),
                Argument::New(id) => {
                    let name = (UNUSED..).find(|&v| !known.contains(&(*id, v))).unwrap_or(UNUSED);
                    known.push((*id, name));
                    Value::Data(name)
                }
            })
            .collect();
        terms.intern(Part::Pending { op, args })
    }

    /// Keeps a configuration if what it owes to a group can be settled.
    pub(super) fn keep(
        &self,
        terms: &Terms<'_>,
        mut c: Configuration,
        group: Option<u32>,
        out: &mut Vec<Configuration>,
    ) {
        if group.is_none_or(|group| loose::feasible(terms, &c, self, group)) {
            loose::arrange(terms, &mut c);
            out.push(c);
        }
    }
}

/// Is there another part that differs from a loose one only in being older? It is as good to settle
/// that one first: what is left is younger then, and may wait longer.
fn is_older(terms: &Terms<'_>, c: &Configuration, i: usize) -> bool {
    let first = terms.threads() + 1;
    let Part::Loose { call, done, thread, note } = &**terms.part(c[i]) else { return false };
    let note = Note::unpack(*note);
    i >= first
        && (first..c.len()).filter(|&k| k != i).any(|k| match &**terms.part(c[k]) {
            Part::Loose { call: c2, done: d2, thread: t2, note: n2 } => {
                let other = Note::unpack(*n2);
                (other.kind, other.group) == (note.kind, note.group)
                    && other.age > note.age
                    && (c2, d2, t2) == (call, done, thread)
            }
            _ => false,
        })
}
