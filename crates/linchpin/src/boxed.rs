//! Boxes that are watched in a test: one that is never freed is a leak, and an atomic, a lock or a cell in one that was
//! freed must not be used.
//!
//! *Unsafe.* A box is that of `std`, so `from_raw` has the contract of `std`'s. In a test the value of a box that is dropped
//! is dropped at once but its memory is kept until the execution is over, so that nobody gets the same address and a
//! use after free is found instead of happening. Contract: what is in `KEPT` was allocated by a box of `std` with this
//! layout, its value was dropped, and it is given back once.
#![allow(unsafe_code)]

use std::alloc::Layout;
use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use crate::runtime::{checked, is_explored, note, with};

/// See [`std::boxed::Box`].
pub struct Box<T>(
    /// `None` when it was taken or freed.
    Option<std::boxed::Box<T>>,
);

thread_local! {
    /// Memory of freed boxes of the execution under way.
    static KEPT: RefCell<Vec<(*mut u8, Layout)>> = const { RefCell::new(Vec::new()) };
}

/// The execution is over. What was freed is given back, unless threads were left behind that may still look at it.
pub(crate) fn over(ended: bool) {
    for (memory, layout) in KEPT.take() {
        if ended {
            // SAFETY: the contract above.
            unsafe { std::alloc::dealloc(memory, layout) };
        }
    }
}

impl<T> Box<T> {
    /// A new box.
    #[inline]
    #[track_caller]
    pub fn new(value: T) -> Self {
        let real = std::boxed::Box::new(value);
        let address = &raw const *real as usize;
        if is_explored(address) {
            let at = Location::caller();
            with(|world| world.memory.made(address, size_of::<T>(), at));
            note(at, || "makes a box".into());
        }
        Box(Some(real))
    }

    /// See [`std::boxed::Box::into_raw`].
    #[inline]
    pub fn into_raw(mut this: Self) -> *mut T {
        this.0.take().map_or(std::ptr::null_mut(), std::boxed::Box::into_raw)
    }

    /// See [`std::boxed::Box::from_raw`]. In a test it is checked that the box was not freed.
    ///
    /// # Safety
    /// The pointer comes from [`Box::into_raw`] and nobody else makes a box of it, as with `std`'s.
    #[inline]
    #[track_caller]
    pub unsafe fn from_raw(pointer: *mut T) -> Self {
        let address = pointer as usize;
        if is_explored(address) {
            let at = Location::caller();
            checked(|world| world.memory.taken(address, world.running, at));
        }
        // SAFETY: the caller's contract.
        Box(Some(unsafe { std::boxed::Box::from_raw(pointer) }))
    }

}

/// The value of a box.
#[inline]
#[track_caller]
pub fn into_inner<T>(mut this: Box<T>) -> T {
    #[expect(clippy::expect_used, reason = "it is `None` only while it is dropped")]
    let real = this.0.take().expect("a box has a value");
    let address = &raw const *real as usize;
    if is_explored(address) && freed(address) {
        let pointer = std::boxed::Box::into_raw(real);
        // SAFETY: the pointer comes from a box; its value is moved out and its memory given back later.
        let value = unsafe { pointer.read() };
        keep(pointer);
        return value;
    }
    *real
}

/// A box is freed; does its memory have to stay?
fn freed(address: usize) -> bool {
    let kept = checked(|world| {
        let now = world.threads[world.running].clock;
        world.memory.freed(address, world.running, &now)
    });
    if let Some(at) = kept {
        note(at, || "frees a box".into());
    }
    kept.is_some()
}

fn keep<T>(pointer: *mut T) {
    let layout = Layout::new::<T>();
    if layout.size() > 0 {
        KEPT.with_borrow_mut(|kept| kept.push((pointer.cast(), layout)));
    }
}

impl<T> Drop for Box<T> {
    #[inline]
    fn drop(&mut self) {
        let Some(real) = self.0.take() else { return };
        let address = &raw const *real as usize;
        if is_explored(address) && freed(address) {
            let pointer = std::boxed::Box::into_raw(real);
            keep(pointer);
            // SAFETY: the pointer comes from a box that nobody has any more.
            unsafe { pointer.drop_in_place() };
        }
    }
}

impl<T> Deref for Box<T> {
    type Target = T;

    #[inline]
    #[expect(clippy::expect_used, reason = "it is `None` only while it is dropped")]
    fn deref(&self) -> &T {
        self.0.as_deref().expect("a box has a value")
    }
}

impl<T> DerefMut for Box<T> {
    #[inline]
    #[expect(clippy::expect_used, reason = "it is `None` only while it is dropped")]
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect("a box has a value")
    }
}

impl<T: fmt::Debug> fmt::Debug for Box<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
