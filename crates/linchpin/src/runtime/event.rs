//! What a thread does between two places where it can be interrupted: one access, and everything local after it.
//!
//! *Dependence.* Two events of different threads commute unless they access the same object and one of them changes it,
//! or one lets an operation return and the other calls one. The second is what histories are made of: whether a return
//! comes before a call is the whole difference between two histories with the same results. A call belongs to the first
//! access of its operation and a return to the last, so intervals are as short as the code allows, which makes every
//! history as hard to explain as it can be.

use std::panic::Location;

use smallvec::SmallVec;

/// A set of threads.
pub(crate) type Mask = u32;

/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None: an operation without accesses still takes place at some time.
    Nothing,
    Read,
    /// Also read-modify-write. One that turns out to change nothing by failing is recorded as `Read`.
    Write,
    /// An increment of a reference counter, which nobody looks at.
    Add,
    /// Waits until nobody has the lock.
    Lock,
    Unlock,
    /// Waits until nobody has the lock for writing.
    ReadLock,
    ReadUnlock,
    /// Waits until a thread has ended.
    Join(u8),
    /// Waits for a notification.
    Wake,
}

impl Kind {
    fn conflicts(self, other: Kind) -> bool {
        use Kind::{Add, Nothing, Read, ReadLock, ReadUnlock};
        match (self, other) {
            (Nothing, _) | (_, Nothing) | (Read, Read) | (Add, Add) => false,
            // Of the reference counter only who looks at it sees increments.
            (Add, other) | (other, Add) => other == Read,
            (ReadLock | ReadUnlock, ReadLock | ReadUnlock) => false,
            _ => true,
        }
    }

    /// May this only happen after the other one, which has made it possible? Then they are ordered, but no race.
    pub(crate) fn is_enabled_by(self, earlier: Kind) -> bool {
        use Kind::{Lock, ReadLock, ReadUnlock, Unlock};
        matches!((earlier, self), (Unlock, Lock | ReadLock) | (ReadUnlock, Lock))
    }

    /// Does it wait for a lock?
    pub(crate) fn locks(self) -> bool {
        matches!(self, Kind::Lock | Kind::ReadLock)
    }
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) thread: u8,
    pub(crate) kind: Kind,
    /// What it could have been in another order: an update that fails is a read.
    pub(crate) may: Kind,
    /// Is it part of an operation? In another order that may return here.
    pub(crate) within: bool,
    /// The object, by its number in this execution.
    pub(crate) object: u32,
    /// Does an operation begin here?
    pub(crate) call: bool,
    /// Does an operation end here?
    pub(crate) ret: bool,
    /// Does the thread end here?
    pub(crate) finish: bool,
    /// Has the object another value afterwards?
    pub(crate) changed: bool,
    /// How many events there were when the thread arrived at this one.
    pub(crate) since: u32,
    /// What the thread had read in vain before: one of these had to change.
    pub(crate) waits: SmallVec<[u32; 2]>,
    /// The event in which its thread was started.
    pub(crate) started: Option<u32>,
    /// Where in the user's code.
    pub(crate) at: &'static Location<'static>,
}

impl Event {
    /// Is this, by a thread in the same situation, the same?
    pub(crate) fn same(&self, other: &Event) -> bool {
        (self.thread, self.kind, self.object, self.call, self.ret, self.finish)
            == (other.thread, other.kind, other.object, other.call, other.ret, other.finish)
            && self.at == other.at
    }

    /// What its thread may do instead of it in another order, as far as it can depend on something.
    pub(crate) fn otherwise(&self) -> Event {
        Event { kind: self.may, ret: self.within, ..self.clone() }
    }

    /// Do they not commute?
    pub(crate) fn depends(&self, other: &Event) -> bool {
        self.thread == other.thread
            || (self.ret && other.call)
            || (self.call && other.ret)
            || (self.finish && other.kind == Kind::Join(self.thread))
            || (other.finish && self.kind == Kind::Join(other.thread))
            || (self.object == other.object && self.kind.conflicts(other.kind))
    }
}
