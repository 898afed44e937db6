//! The same names without the feature `explore`: the types of `std`, so that a crate that uses them pays nothing.
//!
//! Two things are not in `std`: cells whose accesses are in closures, and taking the value out of a box.

pub mod boxed {
    //! See [`std::boxed`].
    pub use std::boxed::Box;

    /// The value of a box.
    #[inline]
    #[expect(clippy::boxed_local, reason = "that is what it is for")]
    pub fn into_inner<T>(this: Box<T>) -> T {
        *this
    }
}

pub mod hint {
    //! See [`std::hint`].
    pub use std::hint::spin_loop;
}

pub mod thread {
    //! See [`std::thread`].
    pub use std::thread::{JoinHandle, LocalKey, Result, Thread, current, park, spawn, yield_now};
}

pub mod sync {
    //! See [`std::sync`].
    pub use std::sync::{
        Arc, Condvar, LockResult, Mutex, MutexGuard, OnceLock, PoisonError, RwLock,
        RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, Weak, atomic,
    };
}

pub mod cell {
    //! See [`std::cell`].
    use std::fmt;

    /// See [`std::cell::UnsafeCell`]; accesses are in closures.
    #[derive(Default)]
    #[repr(transparent)]
    pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        /// A new cell.
        #[inline]
        pub const fn new(value: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        /// The value.
        #[inline]
        pub fn into_inner(self) -> T {
            self.0.into_inner()
        }
    }

    impl<T: ?Sized> UnsafeCell<T> {
        /// Calls a function with a pointer to the value, through which it may read while it runs.
        #[inline]
        pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Calls a function with a pointer to the value, through which it may write while it runs.
        #[inline]
        pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }

        /// A pointer to the value.
        #[inline]
        pub fn get(&self) -> *mut T {
            self.0.get()
        }

        /// The value, if nobody else can have it.
        #[inline]
        pub fn get_mut(&mut self) -> &mut T {
            self.0.get_mut()
        }
    }

    impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("UnsafeCell")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{boxed, cell, sync};

    #[test]
    fn nothing_is_larger_than_in_std() {
        assert_eq!(size_of::<cell::UnsafeCell<u8>>(), 1);
        assert_eq!(size_of::<boxed::Box<u8>>(), size_of::<usize>());
        assert_eq!(size_of::<sync::atomic::AtomicU8>(), 1);
        let mut cell = cell::UnsafeCell::new(1);
        cell.with_mut(|value| assert!(!value.is_null()));
        *cell.get_mut() += 1;
        assert_eq!(boxed::into_inner(boxed::Box::new(cell.into_inner())), 2);
    }
}
