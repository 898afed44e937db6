//! Atomics: like those of `std::sync::atomic`, with the same layout, and explored in a test.
//!
//! In a test every access is a place where another thread can go on. Executions are sequentially consistent whatever the
//! orderings; orderings decide what happens before what, by which data races are found.

use std::fmt;
use std::panic::Location;
use std::sync::atomic as real;

pub use std::sync::atomic::{Ordering, compiler_fence};

use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, with};

/// See [`std::sync::atomic::fence`].
#[inline]
pub fn fence(order: Ordering) {
    if is_explored(0) {
        with(|world| world.fence(order));
    }
    real::fence(order);
}

/// A load in an explored thread.
fn load<T: Copy + fmt::Debug>(
    address: usize,
    at: &'static Location<'static>,
    order: Ordering,
    load: impl FnOnce() -> T,
) -> T {
    point(address, Kind::Read, at);
    let value = load();
    with(|world| world.read(address, order));
    note(at, || format!("reads {}", shown(value)));
    value
}

/// A value: addresses would be others in the next execution, and say nothing.
fn shown<T: fmt::Debug>(value: T) -> String {
    let text = format!("{value:?}");
    match text.strip_prefix("0x") {
        Some("0") => "null".into(),
        Some(_) => {
            let address = usize::from_str_radix(&text[2..], 16).unwrap_or(0);
            with(|world| format!("#{}", world.name(address))).unwrap_or(text)
        }
        None => text,
    }
}

/// A store in an explored thread.
fn store<T: Copy + PartialEq + fmt::Debug>(
    address: usize,
    at: &'static Location<'static>,
    order: Ordering,
    value: T,
    swap: impl FnOnce() -> T,
) {
    point(address, Kind::Write, at);
    let old = swap();
    with(|world| world.wrote(address, order, false, old != value));
    note(at, || format!("writes {}", shown(value)));
}

/// A read-modify-write that cannot fail.
fn update<T: Copy + PartialEq + fmt::Debug>(
    address: usize,
    at: &'static Location<'static>,
    order: Ordering,
    update: impl FnOnce() -> (T, T),
) -> T {
    point(address, Kind::Write, at);
    let (old, new) = update();
    with(|world| {
        world.read(address, order);
        world.wrote(address, order, true, old != new);
    });
    note(at, || format!("replaces {} by {}", shown(old), shown(new)));
    old
}

/// A read-modify-write that may fail.
fn exchange<T: Copy + PartialEq + fmt::Debug>(
    address: usize,
    at: &'static Location<'static>,
    (success, failure): (Ordering, Ordering),
    new: T,
    exchange: impl FnOnce() -> Result<T, T>,
) -> Result<T, T> {
    point(address, Kind::Write, at);
    let result = exchange();
    with(|world| match result {
        Ok(old) => {
            world.read(address, success);
            world.wrote(address, success, true, old != new);
        }
        Err(_) => {
            world.read(address, failure);
            world.only_read();
        }
    });
    note(at, || match result {
        Ok(old) => format!("replaces {} by {}", shown(old), shown(new)),
        Err(found) => format!("finds {} and writes nothing", shown(found)),
    });
    result
}

/// What all atomics have.
macro_rules! common {
    ([$($generics:tt)*] $name:ident [$($args:tt)*] $value:ty) => {
        impl<$($generics)*> $name<$($args)*> {
            /// A new atomic.
            #[inline]
            pub const fn new(value: $value) -> Self {
                Self(real::$name::new(value))
            }

            fn address(&self) -> usize {
                &raw const *self as usize
            }

            /// The value, if nobody else can have it.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// Calls a function with the value, if nobody else can have it. As loom has it.
            #[inline]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                f(self.0.get_mut())
            }

            /// The value.
            #[inline]
            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            /// A pointer to the value. Accesses through it are not explored.
            #[inline]
            pub const fn as_ptr(&self) -> *mut $value {
                self.0.as_ptr()
            }

            /// See [`std::sync::atomic`].
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                if is_explored(self.address()) {
                    return load(self.address(), Location::caller(), order, || self.0.load(order));
                }
                self.0.load(order)
            }

            /// See [`std::sync::atomic`].
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                if is_explored(self.address()) {
                    let swap = || {
                        let old = self.0.load(Ordering::Relaxed);
                        self.0.store(value, order);
                        old
                    };
                    return store(self.address(), Location::caller(), order, value, swap);
                }
                self.0.store(value, order);
            }

            /// See [`std::sync::atomic`].
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                if is_explored(self.address()) {
                    let swap = || (self.0.swap(value, order), value);
                    return update(self.address(), Location::caller(), order, swap);
                }
                self.0.swap(value, order)
            }

            /// See [`std::sync::atomic`].
            ///
            /// # Errors
            /// The value, if it is another one than `current`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let exchange_it = || self.0.compare_exchange(current, new, success, failure);
                if is_explored(self.address()) {
                    let (at, orders) = (Location::caller(), (success, failure));
                    return exchange(self.address(), at, orders, new, exchange_it);
                }
                exchange_it()
            }

            /// See [`std::sync::atomic`]; old code has it.
            #[deprecated(note = "use `compare_exchange`")]
            #[inline]
            #[track_caller]
            pub fn compare_and_swap(
                &self,
                current: $value,
                new: $value,
                order: Ordering,
            ) -> $value {
                let failure = match order {
                    Ordering::AcqRel => Ordering::Acquire,
                    Ordering::Release => Ordering::Relaxed,
                    order => order,
                };
                match self.compare_exchange(current, new, order, failure) {
                    Ok(old) | Err(old) => old,
                }
            }

            /// See [`std::sync::atomic`]. In a test it does not fail without a reason.
            ///
            /// # Errors
            /// The value, if it is another one than `current`, or without a reason.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if is_explored(self.address()) {
                    return self.compare_exchange(current, new, success, failure);
                }
                self.0.compare_exchange_weak(current, new, success, failure)
            }

            /// See [`std::sync::atomic`].
            ///
            /// # Errors
            /// The value, if the function gives nothing for it.
            #[inline]
            #[track_caller]
            pub fn fetch_update<F: FnMut($value) -> Option<$value>>(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut f: F,
            ) -> Result<$value, $value> {
                let mut old = self.load(fetch);
                while let Some(next) = f(old) {
                    match self.compare_exchange_weak(old, next, set, fetch) {
                        done @ Ok(_) => return done,
                        Err(now) => old = now,
                    }
                }
                Err(old)
            }
        }

        impl<$($generics)*> fmt::Debug for $name<$($args)*> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // To print is not to access.
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl<$($generics)*> From<$value> for $name<$($args)*> {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

/// Updates with a result that does not depend on who looks.
macro_rules! updates {
    ($name:ident $value:ty: $($method:ident($old:ident, $with:ident) $new:expr;)*) => {
        impl $name {
            $(
                /// See [`std::sync::atomic`].
                #[inline]
                #[track_caller]
                pub fn $method(&self, $with: $value, order: Ordering) -> $value {
                    if is_explored(self.address()) {
                        let all = || {
                            let $old = self.0.$method($with, order);
                            ($old, $new)
                        };
                        return update(self.address(), Location::caller(), order, all);
                    }
                    self.0.$method($with, order)
                }
            )*
        }
    };
}

macro_rules! integers {
    ($($name:ident $value:ty,)*) => {
        $(
            #[doc = concat!("See [`std::sync::atomic::", stringify!($name), "`].")]
            #[derive(Default)]
            #[repr(transparent)]
            pub struct $name(real::$name);

            common!([] $name [] $value);
            updates! { $name $value:
                fetch_add(old, with) old.wrapping_add(with);
                fetch_sub(old, with) old.wrapping_sub(with);
                fetch_and(old, with) old & with;
                fetch_nand(old, with) !(old & with);
                fetch_or(old, with) old | with;
                fetch_xor(old, with) old ^ with;
                fetch_max(old, with) old.max(with);
                fetch_min(old, with) old.min(with);
            }
        )*
    };
}

integers! {
    AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize,
}

/// See [`std::sync::atomic::AtomicBool`].
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicBool(real::AtomicBool);

common!([] AtomicBool [] bool);
updates! { AtomicBool bool:
    fetch_and(old, with) old & with;
    fetch_nand(old, with) !(old & with);
    fetch_or(old, with) old | with;
    fetch_xor(old, with) old ^ with;
}

/// See [`std::sync::atomic::AtomicPtr`].
#[repr(transparent)]
pub struct AtomicPtr<T>(real::AtomicPtr<T>);

common!([T] AtomicPtr [T] *mut T);

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}
