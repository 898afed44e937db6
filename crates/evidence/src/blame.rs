//! Who is to blame for a `cas` that failed: the write that came between.
//!
//! A thread that finds a word changed wants to know by whom. The culprit is the last write to the same
//! place by another thread since the thread itself read or wrote it.

use linchpin_lin::replay::{Action, ActionKind};

use crate::narrative::{Culprit, Deed, Entry};

/// Finds the culprit for every access that failed because of a write of another thread.
pub(crate) fn blame(entries: &mut [Entry]) {
    for failed in 0..entries.len() {
        entries[failed].blame = culprit(entries, failed).map(|entry| {
            let Entry { thread, step, .. } = entries[entry];
            Culprit { entry, thread, step }
        });
    }
}

fn culprit(entries: &[Entry], failed: usize) -> Option<usize> {
    let (thread, action) = (entries[failed].thread, access(&entries[failed])?);
    if !fails(action.kind) {
        return None;
    }
    let same = |entry: &&(usize, &Entry)| access(entry.1).is_some_and(|a| a.place == action.place);
    let before: Vec<_> = entries[..failed].iter().enumerate().collect();
    // Going back: the first write of another thread, unless the thread itself looked later.
    let mut culprit = None;
    for (i, entry) in before.iter().rev().filter(same) {
        let Some(access) = access(entry) else { continue };
        if entry.thread == thread {
            return culprit;
        }
        if culprit.is_none() && writes(access) {
            culprit = Some(*i);
        }
    }
    culprit
}

pub(crate) fn access(entry: &Entry) -> Option<&Action> {
    match &entry.deed {
        Deed::Access(action) => Some(action),
        _ => None,
    }
}

fn fails(kind: ActionKind) -> bool {
    use ActionKind as A;
    matches!(kind, A::CasFailed | A::StoreFailed | A::Invalid | A::TryLockFailed)
}

pub(crate) fn writes(action: &Action) -> bool {
    use ActionKind as A;
    match action.kind {
        A::Write | A::CasSucceeded | A::Swap | A::FetchAdd | A::Fetch | A::StoreSucceeded => true,
        A::Lock | A::Unlock | A::TryLockSucceeded => true,
        A::Read | A::CasFailed | A::LoadLinked | A::StoreFailed | A::Valid | A::Invalid => false,
        A::TryLockFailed | A::New | A::Free | A::Point => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::narrative::Location;
    use linchpin_lin::Span;

    pub(crate) fn entry(thread: u32, kind: ActionKind, place: &str) -> Entry {
        let action = Action {
            kind,
            statement: Span::default(),
            expression: Span::default(),
            place: place.to_string(),
            before: String::new(),
            after: String::new(),
        };
        let at = Location { line: 1, text: String::new(), file: None };
        Entry { thread, step: 0, at, deed: Deed::Access(action), blame: None, alone: false }
    }

    fn culprits(entries: &[Entry]) -> Vec<Option<usize>> {
        entries.iter().map(|e| e.blame.map(|c| c.entry)).collect()
    }

    #[test]
    fn the_last_write_since_the_thread_looked_is_to_blame() {
        let mut entries = [
            entry(2, ActionKind::Write, "top"),
            entry(1, ActionKind::Read, "top"),
            entry(2, ActionKind::CasSucceeded, "top"),
            entry(3, ActionKind::Write, "tail"),
            entry(3, ActionKind::Write, "top"),
            entry(1, ActionKind::CasFailed, "top"),
        ];
        blame(&mut entries);
        assert_eq!(culprits(&entries), [None, None, None, None, None, Some(4)]);
    }

    #[test]
    fn nobody_is_to_blame_for_what_the_thread_knew() {
        let mut entries = [
            entry(2, ActionKind::Write, "top"),
            entry(1, ActionKind::Read, "top"),
            entry(1, ActionKind::CasFailed, "top"),
        ];
        blame(&mut entries);
        assert_eq!(culprits(&entries), [None; 3]);
    }
}
