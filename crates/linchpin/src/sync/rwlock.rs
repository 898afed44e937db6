//! `RwLock`: that of `std`, which is free whenever an explored thread takes it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync as real;

use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::RwLock`].
#[derive(Default)]
pub struct RwLock<T: ?Sized>(real::RwLock<T>);

macro_rules! guards {
    ($($guard:ident $real:ident $unlock:ident $note:literal;)*) => {
        $(
            #[doc = concat!("See [`std::sync::", stringify!($guard), "`].")]
            #[must_use = "if unused the RwLock will immediately unlock"]
            pub struct $guard<'a, T: ?Sized> {
                address: usize,
                real: real::$real<'a, T>,
                at: &'static Location<'static>,
            }

            impl<T: ?Sized> Drop for $guard<'_, T> {
                #[inline]
                fn drop(&mut self) {
                    if is_explored(self.address) {
                        point(self.address, Kind::$unlock, self.at);
                        note(self.at, || $note.into());
                    }
                }
            }

            impl<T: ?Sized> Deref for $guard<'_, T> {
                type Target = T;
                fn deref(&self) -> &T {
                    &self.real
                }
            }

            impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    (**self).fmt(f)
                }
            }
        )*
    };
}

guards! {
    RwLockReadGuard RwLockReadGuard ReadUnlock "gives the lock for reading back";
    RwLockWriteGuard RwLockWriteGuard Unlock "gives the lock for writing back";
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

impl<T> RwLock<T> {
    /// A new lock.
    #[inline]
    pub const fn new(value: T) -> Self {
        RwLock(real::RwLock::new(value))
    }

    /// See [`std::sync::RwLock::into_inner`].
    ///
    /// # Errors
    /// If a thread panicked while it had it for writing.
    #[inline]
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }
}

macro_rules! locking {
    ($($take:ident $try_take:ident $guard:ident $kind:ident $write:literal;)*) => {
        $(
            #[doc = concat!("See [`std::sync::RwLock::", stringify!($take), "`].")]
            ///
            /// # Errors
            /// If a thread panicked while it had it for writing.
            #[inline]
            #[track_caller]
            pub fn $take(&self) -> LockResult<$guard<'_, T>> {
                let (address, at) = (self.address(), Location::caller());
                if is_explored(address) {
                    point(address, Kind::$kind, at);
                    let how = if $write { "writing" } else { "reading" };
                    note(at, || format!("takes the lock for {how}"));
                }
                let guard = |real| $guard { address, real, at };
                match self.0.$take() {
                    Ok(real) => Ok(guard(real)),
                    Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
                }
            }

            #[doc = concat!("See [`std::sync::RwLock::", stringify!($try_take), "`].")]
            ///
            /// # Errors
            /// If it is taken, or a thread panicked while it had it for writing.
            #[inline]
            #[track_caller]
            pub fn $try_take(&self) -> TryLockResult<$guard<'_, T>> {
                let (address, at) = (self.address(), Location::caller());
                if is_explored(address) {
                    point(address, Kind::Write, at);
                    let free = with(|world| world.try_lock(address, $write)) != Some(false);
                    let what = if free { "free" } else { "taken" };
                    note(at, || format!("tries the lock, which is {what}"));
                    if !free {
                        return Err(TryLockError::WouldBlock);
                    }
                }
                let guard = |real| $guard { address, real, at };
                match self.0.$try_take() {
                    Ok(real) => Ok(guard(real)),
                    Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                    Err(TryLockError::Poisoned(p)) => {
                        Err(TryLockError::Poisoned(PoisonError::new(guard(p.into_inner()))))
                    }
                }
            }
        )*
    };
}

impl<T: ?Sized> RwLock<T> {
    fn address(&self) -> usize {
        (&raw const *self).cast::<u8>() as usize
    }

    locking! {
        read try_read RwLockReadGuard ReadLock false;
        write try_write RwLockWriteGuard Lock true;
    }

    /// The value, if nobody else can have it.
    ///
    /// # Errors
    /// If a thread panicked while it had it for writing.
    #[inline]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
