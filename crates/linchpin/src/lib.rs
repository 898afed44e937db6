//! Linearizability tests of Rust code: explores the schedules of a concurrent structure and judges its histories.
//!
//! Write the structure with the types of this crate, which are those of `std` outside a test, and say what it should do:
//!
//! ```
//! use linchpin::sync::atomic::{AtomicBool, Ordering::SeqCst};
//!
//! linchpin::test! {
//!     fn flag(flag: AtomicBool = AtomicBool::new(false), spec: bool = false, threads = 3, ops = 1) {
//!         set() => flag.swap(true, SeqCst), std::mem::replace(spec, true);
//!         get() => flag.load(SeqCst), *spec;
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! Every execution of every client within the bounds is explored, up to the order of what commutes, under sequential
//! consistency; every different history is judged. Deadlocks, livelocks, panics, data races and leaks are found on the
//! way.
//!
//! *In the code itself.* A crate whose structures use these types depends on this one without its feature `explore`, and its
//! tests with it; then they are the types of `std` in the program (`plain`), and explored in tests:
//!
//! ```toml
//! [dependencies]
//! linchpin = { version = "0.1", default-features = false }
//! [dev-dependencies]
//! linchpin = "0.1"
//! ```
//!
//! Suggested reading order: `runtime` (threads under control), `explore` (which executions), `client`, `judge` and
//! `check` (which histories), `report` (what is said).

/// What there is in a test.
macro_rules! explored {
    ($($item:item)*) => {
        $(#[cfg(feature = "explore")] $item)*
    };
}

explored! {
    pub mod boxed;
    mod brute;
    pub mod cell;
    mod check;
    mod client;
    mod draw;
    mod explore;
    pub mod hint;
    mod judge;
    mod lin;
    mod macros;
    mod model;
    mod page;
    mod report;
    mod runtime;
    mod spec;
    pub mod sync;
    #[cfg(test)]
    mod tests;
    pub mod thread;

    pub use check::Check;
    pub use lin::{Call, Given, Lin};
    pub use linchpin_history::Datum;
    pub use model::{explore, model};
    pub use report::Report;
    pub use runtime::failure::{Failure, Wrong};
    pub use spec::{Argument, Operation, Ret, Spec};
    #[doc(hidden)]
    pub use spec::{Printed, Unprinted, Words};
}

// Without exploration these are the types of `std`.
#[cfg(any(test, not(feature = "explore")))]
#[cfg_attr(feature = "explore", allow(unreachable_pub, unused, reason = "only its test is wanted"))]
mod plain;
#[cfg(not(feature = "explore"))]
pub use plain::{boxed, cell, hint, sync, thread};
#[cfg(not(feature = "explore"))]
pub use std::thread_local;
