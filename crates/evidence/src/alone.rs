//! Which steps no other thread takes notice of.
//!
//! Most steps of an execution are a thread's own affair: they touch memory that nobody else touches, or only
//! read what nobody writes. Such a step commutes with every step of the other threads: it could happen at any
//! moment between the steps of its own thread before and after it, and everybody would do and see the same. It has
//! no part in what went wrong, so renderers may fold it. (That it commutes is tested by moving steps and replaying,
//! `crates/testkit/tests/evidence.rs`.)
//!
//! Never folded: calls, returns, points, faults, `free` (it concerns whoever still has the node), and whatever
//! takes or releases locks, which others wait for without having a step. Where there are more nodes than the heap
//! has room for at a time, the last step with a node makes room, so neither making nodes is folded nor anything in threads beside
//! one that does.

use std::collections::HashMap;

use linchpin_lin::replay::{Action, ActionKind};

use crate::blame::{access, writes};
use crate::narrative::{Deed, Entry};

/// Marks the entries of steps that no other thread takes notice of. `heap` is how many nodes there may be
/// at a time.
pub(crate) fn mark(entries: &mut [Entry], heap: Option<u32>) {
    // Where one thread does everything, everything is what went wrong.
    if entries.windows(2).all(|pair| pair[0].thread == pair[1].thread) {
        return;
    }
    let scarce = heap.is_some_and(|most| entries.iter().filter_map(made).any(|n| n > most));
    let waits = |entry: &Entry| {
        let makes = |other: &Entry| other.thread != entry.thread && made(other).is_some();
        scarce && (made(entry).is_some() || entries.iter().any(makes))
    };
    let own = entries.iter().map(|entry| is_own(entry, entries) && !waits(entry));
    let own: Vec<bool> = own.collect();
    // Of a step with several entries all must be.
    let mut alone: HashMap<usize, bool> = HashMap::new();
    for (entry, own) in entries.iter().zip(own) {
        *alone.entry(entry.step).or_insert(true) &= own;
    }
    for entry in entries {
        entry.alone = alone[&entry.step];
    }
}

/// The number of the node that a step makes.
fn made(entry: &Entry) -> Option<u32> {
    let new = access(entry).filter(|a| a.kind == ActionKind::New)?;
    new.after.strip_prefix('n').and_then(|number| number.parse().ok())
}

fn is_own(entry: &Entry, all: &[Entry]) -> bool {
    match &entry.deed {
        Deed::Nothing => true,
        Deed::Access(action) => {
            let conflicts = |other: &Entry| {
                let other = access(other).filter(|_| other.thread != entry.thread);
                other.is_some_and(|o| {
                    (writes(o) || writes(action)) && overlap(&o.place, &action.place)
                })
            };
            let frees = |e: &Entry| access(e).is_some_and(|a| a.kind == ActionKind::Free);
            // Which node `new` gives depends on those that are free.
            let gives_again = action.kind == ActionKind::New && all.iter().any(frees);
            !concerns_everybody(action) && !gives_again && !all.iter().any(conflicts)
        }
        Deed::Call(_) | Deed::Return(_) | Deed::Point(_) | Deed::Fault(_) => false,
    }
}

fn concerns_everybody(action: &Action) -> bool {
    use ActionKind as A;
    matches!(action.kind, A::Free | A::Lock | A::Unlock | A::TryLockSucceeded | A::TryLockFailed)
}

/// Can two places have something in common?
fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (root(a), root(b));
    let part = |whole: &str, part: &str| {
        part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    part(a, b) || part(b, a)
}

/// The variable or the field of a node that a place is or is part of: `slots` of `slots[2].full`,
/// `n1.next` of `n1.next`.
fn root(place: &str) -> &str {
    let node = place.strip_prefix('n').and_then(|rest| {
        let dot = rest.find('.')?;
        let number = !rest[..dot].is_empty() && rest[..dot].bytes().all(|b| b.is_ascii_digit());
        number.then_some(dot + 2)
    });
    let from = node.unwrap_or(0);
    let end = place[from..].find(['.', '[']).map_or(place.len(), |at| from + at);
    &place[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::tests::entry;

    fn marked(entries: &mut [Entry]) -> Vec<bool> {
        for (step, entry) in entries.iter_mut().enumerate() {
            entry.step = step;
        }
        mark(entries, None);
        entries.iter().map(|e| e.alone).collect()
    }

    #[test]
    fn what_others_only_read_or_do_not_touch_is_a_threads_own_affair() {
        let mut entries = [
            entry(1, ActionKind::Read, "top"),
            entry(2, ActionKind::Read, "top"),
            entry(1, ActionKind::Write, "n1.next"),
            entry(2, ActionKind::Write, "n2.next"),
            entry(2, ActionKind::Read, "n1.value"),
            entry(1, ActionKind::Write, "n1.value"),
            entry(1, ActionKind::Lock, "mine"),
        ];
        assert_eq!(marked(&mut entries), [true, true, true, true, false, false, false]);
    }

    #[test]
    fn where_room_is_scarce_any_step_may_make_some() {
        let steps = || {
            [
                entry(1, ActionKind::Read, "top"),
                entry(2, ActionKind::New, "n3"),
                entry(2, ActionKind::Read, "top"),
            ]
        };
        let alone = |heap| {
            let mut entries = steps();
            if let Deed::Access(action) = &mut entries[1].deed {
                (action.place, action.after) = (String::new(), "n3".into());
            }
            entries.iter_mut().enumerate().for_each(|(step, entry)| entry.step = step);
            mark(&mut entries, heap);
            entries.map(|e| e.alone)
        };
        assert_eq!(alone(None), [true, true, true]);
        assert_eq!(alone(Some(3)), [true, true, true]);
        assert_eq!(alone(Some(2)), [false, false, true]);
    }

    #[test]
    fn parts_of_one_variable_are_not_told_apart() {
        let mut entries = [
            entry(1, ActionKind::Write, "slots[2].full"),
            entry(2, ActionKind::Read, "slots[1]"),
            entry(2, ActionKind::Read, "next"),
            entry(1, ActionKind::Write, "n12.next[1]"),
            entry(2, ActionKind::Read, "n12.next"),
        ];
        assert_eq!(marked(&mut entries), [false, false, true, false, false]);
    }
}
