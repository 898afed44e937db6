//! `OnceLock`: that of `std`, behind an explored lock for who initialises it.

use std::fmt;
use std::panic::Location;
use std::sync as real;
use std::sync::atomic::Ordering;

use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::OnceLock`].
pub struct OnceLock<T>(real::OnceLock<T>);

impl<T> OnceLock<T> {
    /// A new one without a value.
    #[inline]
    pub const fn new() -> Self {
        OnceLock(real::OnceLock::new())
    }

    fn address(&self) -> usize {
        (&raw const *self).cast::<u8>() as usize
    }

    /// See [`std::sync::OnceLock::get`].
    #[inline]
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if is_explored(self.address()) {
            let at = Location::caller();
            point(self.address(), Kind::Read, at);
            with(|world| world.read(self.address(), Ordering::Acquire));
            let found = if self.0.get().is_some() { "a value" } else { "no value" };
            note(at, || format!("finds {found}"));
        }
        self.0.get()
    }

    /// See [`std::sync::OnceLock::get_mut`].
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.get_mut()
    }

    /// See [`std::sync::OnceLock::set`].
    ///
    /// # Errors
    /// The value, if there is one already.
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        if is_explored(self.address()) {
            let at = Location::caller();
            point(self.address(), Kind::Lock, at);
            let result = self.0.set(value);
            let done = if result.is_ok() { "is the first" } else { "is not the first" };
            note(at, || format!("sets the value and {done}"));
            point(self.address(), Kind::Unlock, at);
            return result;
        }
        self.0.set(value)
    }

    /// See [`std::sync::OnceLock::get_or_init`].
    #[inline]
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        if is_explored(self.address()) {
            let at = Location::caller();
            // Whoever comes while somebody initialises it waits.
            point(self.address(), Kind::Lock, at);
            let made = self.0.get().is_none().then(|| {
                note(at, || "initialises".into());
                f()
            });
            point(self.address(), Kind::Unlock, at);
            // Others see it from this event on, and no earlier: one of `f` is about something else.
            return self.0.get_or_init(|| made.unwrap_or_else(|| unreachable!("it was there")));
        }
        self.0.get_or_init(f)
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
