//! In the place of `portable-atomic`: atomics that Linchpin explores, and that are those of `std` otherwise.
//!
//! A crate that can use `portable-atomic` is explored without a change by `[patch.crates-io]`. There are no 128-bit atomics, no
//! floats and no `cfg_` macros; a crate that needs them does not compile.

pub use linchpin::hint;
pub use linchpin::sync::atomic::*;
