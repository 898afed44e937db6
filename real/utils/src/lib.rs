//! In the place of `crossbeam-utils`: what the queues of crossbeam need of it.

use std::ops::{Deref, DerefMut};

/// Waits. `spin` comes after an exchange that failed because somebody else went on, so there is nothing to wait for;
/// `snooze` waits for somebody.
#[derive(Debug, Default)]
pub struct Backoff;

impl Backoff {
    /// A new one.
    pub fn new() -> Self {
        Backoff
    }

    /// Nothing.
    pub fn spin(&self) {}

    /// Waits until something that was read has changed.
    pub fn snooze(&self) {
        linchpin::hint::spin_loop();
    }
}

/// A value; where it lies does not matter here.
#[derive(Clone, Copy, Debug, Default)]
pub struct CachePadded<T>(T);

impl<T> CachePadded<T> {
    /// A new one.
    pub const fn new(value: T) -> Self {
        CachePadded(value)
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for CachePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for CachePadded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
