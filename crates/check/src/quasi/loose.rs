//! Operations without a place and places without an operation, as parts of a configuration.
//!
//! Within a group the operations are numbered in the order in which they take effect, and the places
//! in the order of the specification. A configuration keeps *ages* instead of these numbers: how many
//! operations of the group took effect after an unplaced one, how many places of the group were given
//! after a promised one. So configurations do not grow with the history.

use crate::configurations::{Configuration, PartId, Terms};
use crate::part::Part;
use crate::quasi::groups::Groups;

/// What a [`Part::Loose`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operation that took effect and has no place.
    Unplaced,
    /// A place of an operation that has not taken effect.
    Promised,
    /// The same, whose opaque arguments are values that nobody has used: they stand for those of the
    /// call that will take it.
    PromisedNew,
}

/// The note of a loose part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) kind: Kind,
    pub(super) group: u32,
    pub(super) age: u32,
}

/// Ages have ten bits: no factor is greater than [`MAX_FACTOR`](crate::quasi::MAX_FACTOR), 1000. Groups have twenty: no
/// text names a million.
impl Note {
    pub(super) fn pack(self) -> u32 {
        let kind = match self.kind {
            Kind::Unplaced => 0,
            Kind::Promised => 1,
            Kind::PromisedNew => 2,
        };
        self.group << 12 | kind << 10 | self.age
    }

    pub(super) fn unpack(note: u32) -> Note {
        let kind = match note >> 10 & 3 {
            0 => Kind::Unplaced,
            1 => Kind::Promised,
            _ => Kind::PromisedNew,
        };
        Note { kind, group: note >> 12, age: note & 0x3ff }
    }

    fn promised(self) -> bool {
        self.kind != Kind::Unplaced
    }
}

/// The note of a part, if it is loose.
pub(super) fn note(terms: &Terms<'_>, part: PartId) -> Option<Note> {
    match **terms.part(part) {
        Part::Loose { note, .. } => Some(Note::unpack(note)),
        _ => None,
    }
}

/// The loose parts of a configuration: of threads that have not returned, and of nobody.
pub(super) fn all(terms: &Terms<'_>, c: &Configuration) -> Vec<(usize, Note)> {
    (1..c.len()).filter_map(|i| note(terms, c[i]).map(|n| (i, n))).collect()
}

/// An operation of a group takes effect: those without a place get older.
pub(super) fn take(terms: &mut Terms<'_>, c: &mut Configuration, group: u32) {
    grow(terms, c, group, false);
}

/// A place is given to a group: those that are promised get older.
pub(super) fn place(terms: &mut Terms<'_>, c: &mut Configuration, group: u32) {
    grow(terms, c, group, true);
}

fn grow(terms: &mut Terms<'_>, c: &mut Configuration, group: u32, promised: bool) {
    for part in &mut c[1..] {
        let Some(mut note) = note(terms, *part) else { continue };
        if note.group == group && note.promised() == promised {
            note.age += 1;
            *part = noted(terms, *part, note);
        }
    }
}

fn noted(terms: &mut Terms<'_>, part: PartId, with: Note) -> PartId {
    match (**terms.part(part)).clone() {
        Part::Loose { call, done, thread, .. } => {
            terms.intern(Part::Loose { call, done, thread, note: with.pack() })
        }
        _ => part,
    }
}

/// Can everything of a group still be settled in time, and is there not too much of it?
///
/// With `e` operations that took effect, `p` places, `d = e - p` (which is the number of unplaced
/// operations minus the number of promises), an unplaced operation of age `a` has the index `e - a`
/// and needs a place of at most `e - a + factor`. The `k`-th oldest gets the place `p + k` at the
/// earliest. Promises likewise. That a place must not be too *early* says nothing: at most `factor`
/// operations wait, so the next place is never further back than that.
pub(super) fn feasible(terms: &Terms<'_>, c: &Configuration, groups: &Groups, group: u32) -> bool {
    let factor = groups.factor(group);
    let (mut unplaced, mut promised) = (Vec::new(), Vec::new());
    for (_, note) in all(terms, c).into_iter().filter(|(_, n)| n.group == group) {
        (if note.promised() { &mut promised } else { &mut unplaced }).push(i64::from(note.age));
    }
    let ahead = unplaced.len() as i64 - promised.len() as i64;
    let in_time = |ages: &mut Vec<i64>, slack: i64| {
        ages.sort_unstable_by(|a, b| b.cmp(a));
        ages.len() as i64 <= factor
            && ages.iter().zip(1..).all(|(age, k): (_, i64)| age + k <= slack)
    };
    in_time(&mut unplaced, factor + ahead) && in_time(&mut promised, factor - ahead)
}

/// Does a configuration differ from another one only in that what it owes is younger? A younger
/// operation may wait longer for its place, a younger promise for its operation, and nothing else
/// depends on ages; so whatever the older one can do the younger one can.
pub(super) fn is_younger(
    terms: &Terms<'_>,
    younger: &Configuration,
    older: &Configuration,
) -> bool {
    let first = terms.threads() + 1;
    // Parts are sorted, those that differ in age only by age.
    younger.len() == older.len()
        && younger.len() > first
        && younger[..first] == older[..first]
        && younger[first..].iter().zip(&older[first..]).all(|(&a, &b)| {
            a == b
                || match (&**terms.part(a), &**terms.part(b)) {
                    (
                        Part::Loose { call: c1, done: d1, thread: t1, note: n1 },
                        Part::Loose { call: c2, done: d2, thread: t2, note: n2 },
                    ) => {
                        let (n1, n2) = (Note::unpack(*n1), Note::unpack(*n2));
                        n1.age <= n2.age
                            && (n1.kind, n1.group) == (n2.kind, n2.group)
                            && (c1, d1, t1) == (c2, d2, t2)
                    }
                    _ => false,
                }
        })
}

/// Drops every configuration that is an older version of another one of the set.
pub(super) fn keep_younger(terms: &Terms<'_>, set: &mut Vec<Configuration>) {
    let older = |c: &Configuration| set.iter().any(|d| d != c && is_younger(terms, d, c));
    let kept: Vec<Configuration> = set.iter().filter(|c| !older(c)).cloned().collect();
    *set = kept;
}

/// Sorts the loose parts that belong to no thread.
pub(super) fn arrange(terms: &Terms<'_>, c: &mut Configuration) {
    let threads = terms.threads();
    if c.len() > threads + 2 {
        c[threads + 1..].sort_by(|a, b| terms.part(*a).cmp(terms.part(*b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_can_be_packed_and_unpacked() {
        for kind in [Kind::Unplaced, Kind::Promised, Kind::PromisedNew] {
            for (group, age) in [(0, 0), (3, 7), (4095, 1_023), ((1 << 20) - 1, 1_000)] {
                let note = Note { kind, group, age };
                assert_eq!(Note::unpack(note.pack()), note);
            }
        }
    }
}
