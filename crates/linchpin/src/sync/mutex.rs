//! `Mutex`: that of `std`, which is free whenever an explored thread takes it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync as real;

use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::Mutex`].
#[derive(Default)]
pub struct Mutex<T: ?Sized>(real::Mutex<T>);

/// See [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    pub(super) lock: &'a Mutex<T>,
    /// `None` while a condition variable has taken it back.
    pub(super) real: Option<real::MutexGuard<'a, T>>,
    at: &'static Location<'static>,
}

impl<T> Mutex<T> {
    /// A new lock.
    #[inline]
    pub const fn new(value: T) -> Self {
        Mutex(real::Mutex::new(value))
    }

    /// See [`std::sync::Mutex::into_inner`].
    ///
    /// # Errors
    /// If a thread panicked while it had it.
    #[inline]
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    fn address(&self) -> usize {
        (&raw const *self).cast::<u8>() as usize
    }

    /// See [`std::sync::Mutex::lock`].
    ///
    /// # Errors
    /// If a thread panicked while it had it.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let at = Location::caller();
        if is_explored(self.address()) {
            point(self.address(), Kind::Lock, at);
            note(at, || "takes the lock".into());
        }
        let guard = |real| MutexGuard { lock: self, real: Some(real), at };
        match self.0.lock() {
            Ok(real) => Ok(guard(real)),
            Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
        }
    }

    /// See [`std::sync::Mutex::try_lock`].
    ///
    /// # Errors
    /// If somebody has it, or a thread panicked while it had it.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let at = Location::caller();
        if is_explored(self.address()) {
            point(self.address(), Kind::Write, at);
            let free = with(|world| world.try_lock(self.address(), true)) != Some(false);
            note(at, || {
                format!("tries the lock, which is {}", if free { "free" } else { "taken" })
            });
            if !free {
                return Err(TryLockError::WouldBlock);
            }
        }
        let guard = |real| MutexGuard { lock: self, real: Some(real), at };
        match self.0.try_lock() {
            Ok(real) => Ok(guard(real)),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(p)) => {
                Err(TryLockError::Poisoned(PoisonError::new(guard(p.into_inner()))))
            }
        }
    }

    /// The value, if nobody else can have it.
    ///
    /// # Errors
    /// If a thread panicked while it had it.
    #[inline]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let Some(real) = self.real.take() else { return };
        if is_explored(self.lock.address()) {
            point(self.lock.address(), Kind::Unlock, self.at);
            note(self.at, || "gives the lock back".into());
        }
        drop(real);
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[expect(clippy::expect_used, reason = "a guard is without the lock only inside `wait`")]
    fn deref(&self) -> &T {
        self.real.as_deref().expect("the lock is held")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[expect(clippy::expect_used, reason = "a guard is without the lock only inside `wait`")]
    fn deref_mut(&mut self) -> &mut T {
        self.real.as_deref_mut().expect("the lock is held")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
