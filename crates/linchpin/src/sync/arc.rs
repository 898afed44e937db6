//! `Arc` and `Weak`: those of `std`, where who drops the last one, and who comes too late, is explored.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync as real;
use std::sync::atomic::Ordering;

use crate::runtime::event::Kind;
use crate::runtime::world::Place;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::Arc`].
pub struct Arc<T: ?Sized>(
    /// `None` when it is given up.
    Option<real::Arc<T>>,
    /// Where this reference was made: `drop` does not know where it is called.
    Place,
);

impl<T> Arc<T> {
    /// A new one.
    #[inline]
    #[track_caller]
    pub fn new(value: T) -> Self {
        Arc(Some(real::Arc::new(value)), Location::caller())
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
            Some(Err(inner)) => Err(Arc(Some(inner), this.1)),
            None => Err(this),
        }
    }
}

impl<T: ?Sized> Arc<T> {
    #[expect(clippy::expect_used, reason = "it is `None` only while it is dropped")]
    fn inner(&self) -> &real::Arc<T> {
        self.0.as_ref().expect("it is not given up")
    }

    fn address(&self) -> usize {
        counter(real::Arc::as_ptr(self.inner()))
    }

    /// Looks at the counter.
    #[track_caller]
    fn look(&self) {
        look(self.address());
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
        look(weak(this.address()));
        this.look();
        this.0.as_mut().and_then(real::Arc::get_mut)
    }

    /// See [`std::sync::Arc::weak_count`].
    #[track_caller]
    pub fn weak_count(this: &Self) -> usize {
        look(weak(this.address()));
        real::Arc::weak_count(this.inner())
    }

    /// See [`std::sync::Arc::downgrade`].
    #[track_caller]
    pub fn downgrade(this: &Self) -> Weak<T> {
        more(weak(this.address()));
        Weak(real::Arc::downgrade(this.inner()), Location::caller())
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
        more(self.address());
        Arc(self.0.clone(), Location::caller())
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_none() {
            return;
        }
        less(self.address(), self.1, "gives up its reference");
        self.0.take();
    }
}

/// See [`std::sync::Weak`].
pub struct Weak<T: ?Sized>(real::Weak<T>, Place);

impl<T> Weak<T> {
    /// One that never was anything.
    #[track_caller]
    pub const fn new() -> Self {
        Weak(real::Weak::new(), Location::caller())
    }
}

impl<T: ?Sized> Weak<T> {
    fn address(&self) -> usize {
        counter(real::Weak::as_ptr(&self.0))
    }

    /// See [`std::sync::Weak::upgrade`].
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let (address, at) = (self.address(), Location::caller());
        if !is_explored(address) {
            return self.0.upgrade().map(|inner| Arc(Some(inner), at));
        }
        point(address, Kind::Write, at);
        let upgraded = self.0.upgrade();
        with(|world| {
            world.read(address, Ordering::Acquire);
            match upgraded {
                Some(_) => world.wrote(address, Ordering::Relaxed, true, true),
                None => world.only_read(),
            }
        });
        let found = upgraded.is_some();
        note(at, || if found { "gets a reference" } else { "gets no reference" }.into());
        upgraded.map(|inner| Arc(Some(inner), at))
    }

    /// See [`std::sync::Weak::strong_count`].
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        look(self.address());
        self.0.strong_count()
    }

    /// See [`std::sync::Weak::weak_count`].
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        look(weak(self.address()));
        look(self.address());
        self.0.weak_count()
    }

    /// See [`std::sync::Weak::ptr_eq`].
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        more(weak(self.address()));
        Weak(self.0.clone(), Location::caller())
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        less(weak(self.address()), self.1, "gives up its weak reference");
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}

/// The counter of references is before the value, which may be an object itself.
fn counter<T: ?Sized>(value: *const T) -> usize {
    (value.cast::<u8>() as usize).wrapping_sub(8)
}

/// The counter of weak references.
fn weak(counter: usize) -> usize {
    counter.wrapping_sub(8)
}

/// Looks at a counter.
#[track_caller]
fn look(counter: usize) {
    if is_explored(counter) {
        point(counter, Kind::Read, Location::caller());
        with(|world| world.read(counter, Ordering::Acquire));
    }
}

/// One more. Whoever has one can have another, whatever others do.
#[inline]
#[track_caller]
fn more(counter: usize) {
    if is_explored(counter) {
        point(counter, Kind::Add, Location::caller());
    }
}

/// One less.
#[inline]
fn less(counter: usize, at: Place, what: &str) {
    if is_explored(counter) {
        point(counter, Kind::Write, at);
        with(|world| {
            world.read(counter, Ordering::AcqRel);
            world.wrote(counter, Ordering::AcqRel, true, true);
        });
        note(at, || what.into());
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
    #[track_caller]
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Arc::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
