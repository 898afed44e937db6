//! In the place of `portable-atomic`: atomics that Linchpin explores, and that are those of `std` otherwise.
//!
//! A crate that can use `portable-atomic` is explored without a change by `[patch.crates-io]`. An `AtomicU128` is a number behind a
//! lock. There are no floats and no `cfg_` macros; a crate that needs them does not compile.

use std::sync::PoisonError;

pub use linchpin::hint;
pub use linchpin::sync::atomic::*;
use linchpin::sync::{Mutex, MutexGuard};

/// A number of 128 bits, behind a lock.
#[derive(Debug, Default)]
pub struct AtomicU128(Mutex<u128>);

impl AtomicU128 {
    /// A new one.
    pub const fn new(value: u128) -> Self {
        AtomicU128(Mutex::new(value))
    }

    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, u128> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value.
    #[track_caller]
    pub fn load(&self, _order: Ordering) -> u128 {
        *self.lock()
    }

    /// Another value.
    #[track_caller]
    pub fn store(&self, value: u128, _order: Ordering) {
        *self.lock() = value;
    }

    /// Another value, for the one that is there.
    #[track_caller]
    pub fn swap(&self, value: u128, _order: Ordering) -> u128 {
        std::mem::replace(&mut *self.lock(), value)
    }

    /// Another value, if it is what is expected.
    ///
    /// # Errors
    /// The value, if it is not.
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: u128,
        new: u128,
        _success: Ordering,
        _failure: Ordering,
    ) -> Result<u128, u128> {
        let mut value = self.lock();
        if *value != current {
            return Err(*value);
        }
        *value = new;
        Ok(current)
    }

    /// The same.
    ///
    /// # Errors
    /// The value, if it is not what is expected.
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: u128,
        new: u128,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u128, u128> {
        self.compare_exchange(current, new, success, failure)
    }
}
