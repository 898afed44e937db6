//! Memory that threads share without atomics, and that must not be accessed at the same time.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::runtime::{checked, is_explored, note};

/// See [`std::cell::UnsafeCell`]. Accesses in closures are known in a test; two of them race if nothing orders them, and
/// one is a write.
///
/// ```
/// use linchpin::cell::UnsafeCell;
///
/// let cell = UnsafeCell::new(1);
/// // SAFETY: nobody else has the cell.
/// cell.with_mut(|value| unsafe { *value += 1 });
/// assert_eq!(cell.with(|value| unsafe { *value }), 2);
/// ```
#[derive(Default)]
pub struct UnsafeCell<T: ?Sized> {
    /// The execution in which it has a number, and that number.
    number: AtomicU64,
    value: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A new cell.
    #[inline]
    pub const fn new(value: T) -> Self {
        UnsafeCell { number: AtomicU64::new(0), value: std::cell::UnsafeCell::new(value) }
    }

    /// The value.
    #[inline]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls a function with a pointer to the value, through which it may read while it runs.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        self.access(false);
        f(self.value.get())
    }

    /// Calls a function with a pointer to the value, through which it may write while it runs.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        self.access(true);
        f(self.value.get())
    }

    /// A pointer to the value. In a test this counts as a write, here and now.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> *mut T {
        self.access(true);
        self.value.get()
    }

    /// The value, if nobody else can have it.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    #[inline]
    #[track_caller]
    fn access(&self, write: bool) {
        let address = (&raw const *self).cast::<u8>() as usize;
        if is_explored(address) {
            self.check(address, write, Location::caller());
        }
    }

    #[cold]
    fn check(&self, address: usize, write: bool, at: &'static Location<'static>) {
        checked(|world| {
            let tag = world.serial << 32;
            let mut number = self.number.load(Ordering::Relaxed);
            if number & !0xffff_ffff != tag {
                number = tag | u64::from(world.memory.cell());
                self.number.store(number, Ordering::Relaxed);
            }
            let thread = world.running;
            let now = world.threads[thread].clock;
            world.memory.touch(address, thread, &now, at)?;
            world.memory.access(number as u32, write, thread, &now, at)
        });
        note(at, || if write { "writes the cell" } else { "reads the cell" }.into());
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnsafeCell")
    }
}
