//! `Arc`: that of `std`, where who drops the last one is explored.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync as real;
use std::sync::atomic::Ordering;

use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::Arc`]. There is no `Weak`.
pub struct Arc<T: ?Sized>(
    /// `None` when it is given up.
    Option<real::Arc<T>>,
);

impl<T> Arc<T> {
    /// A new one.
    #[inline]
    pub fn new(value: T) -> Self {
        Arc(Some(real::Arc::new(value)))
    }

    /// See [`std::sync::Arc::try_unwrap`].
    ///
    /// # Errors
    /// Itself, if there are others.
    #[track_caller]
    pub fn try_unwrap(mut this: Self) -> Result<T, Self> {
        this.look();
        match this.0.take().map(real::Arc::try_unwrap) {
            Some(Ok(value)) => Ok(value),
            Some(Err(inner)) => Err(Arc(Some(inner))),
            None => Err(this),
        }
    }
}

impl<T: ?Sized> Arc<T> {
    #[expect(clippy::expect_used, reason = "it is `None` only while it is dropped")]
    fn inner(&self) -> &real::Arc<T> {
        self.0.as_ref().expect("it is not given up")
    }

    /// The counter is before the value, which may be an object itself.
    fn address(&self) -> usize {
        (real::Arc::as_ptr(self.inner()).cast::<u8>() as usize).wrapping_sub(8)
    }

    /// Looks at the counter.
    #[track_caller]
    fn look(&self) {
        let address = self.address();
        if is_explored(address) {
            point(address, Kind::Read, Location::caller());
            with(|world| world.read(address, Ordering::Acquire));
        }
    }

    /// See [`std::sync::Arc::strong_count`].
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        this.look();
        real::Arc::strong_count(this.inner())
    }

    /// See [`std::sync::Arc::get_mut`].
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        this.look();
        this.0.as_mut().and_then(real::Arc::get_mut)
    }

    /// See [`std::sync::Arc::ptr_eq`].
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        real::Arc::ptr_eq(this.inner(), other.inner())
    }

    /// See [`std::sync::Arc::as_ptr`].
    pub fn as_ptr(this: &Self) -> *const T {
        real::Arc::as_ptr(this.inner())
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[inline]
    #[track_caller]
    fn clone(&self) -> Self {
        if is_explored(self.address()) {
            point(self.address(), Kind::Add, Location::caller());
        }
        Arc(self.0.clone())
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_none() {
            return;
        }
        let address = self.address();
        if is_explored(address) {
            let at = Location::caller();
            point(address, Kind::Write, at);
            with(|world| {
                world.read(address, Ordering::AcqRel);
                world.wrote(address, Ordering::AcqRel, true, true);
            });
            note(at, || "gives up its reference".into());
        }
        self.0.take();
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.inner()
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Default> Default for Arc<T> {
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    fn from(value: T) -> Self {
        Arc::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
