//! `Condvar`. In a test nobody is woken without a notification, and whom one is for is tried in all ways.

use std::fmt;
use std::panic::Location;
use std::sync as real;

use super::{LockResult, MutexGuard, PoisonError};
use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::Condvar`].
#[derive(Default)]
pub struct Condvar(real::Condvar);

impl Condvar {
    /// A new condition variable.
    #[inline]
    pub const fn new() -> Self {
        Condvar(real::Condvar::new())
    }

    fn address(&self) -> usize {
        &raw const *self as usize
    }

    /// See [`std::sync::Condvar::wait`].
    ///
    /// # Errors
    /// If a thread panicked while it had the lock.
    #[inline]
    #[track_caller]
    pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let at = Location::caller();
        let lock = guard.lock;
        if is_explored(self.address()) {
            // Who is notified between these two has waited.
            point(self.address(), Kind::Write, at);
            with(|world| world.sleeps(self.address()));
            drop(guard);
            note(at, || "waits".into());
            point(self.address(), Kind::Wake, at);
            note(at, || "is notified".into());
            return lock.lock();
        }
        let Some(real) = guard.real.take() else { return Ok(guard) };
        match self.0.wait(real) {
            Ok(real) => {
                guard.real = Some(real);
                Ok(guard)
            }
            Err(poisoned) => {
                guard.real = Some(poisoned.into_inner());
                Err(PoisonError::new(guard))
            }
        }
    }

    /// See [`std::sync::Condvar::wait_while`].
    ///
    /// # Errors
    /// If a thread panicked while it had the lock.
    #[inline]
    #[track_caller]
    pub fn wait_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// See [`std::sync::Condvar::notify_one`].
    #[inline]
    #[track_caller]
    pub fn notify_one(&self) {
        self.notify(false);
        self.0.notify_one();
    }

    /// See [`std::sync::Condvar::notify_all`].
    #[inline]
    #[track_caller]
    pub fn notify_all(&self) {
        self.notify(true);
        self.0.notify_all();
    }

    #[inline]
    #[track_caller]
    fn notify(&self, all: bool) {
        if is_explored(self.address()) {
            let at = Location::caller();
            point(self.address(), Kind::Write, at);
            with(|world| world.notify(self.address(), all));
            note(at, || format!("notifies {}", if all { "all" } else { "one" }));
        }
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
