//! In the place of `loom`: the same names, explored by Linchpin.
//!
//! A crate that can be compiled with `cfg(loom)` is explored without a change by `[patch.crates-io]`. There are no futures, no
//! `lazy_static!` and no `mpsc`; a crate that needs them does not compile.

pub use linchpin::{cell, hint, model, sync, thread, thread_local};
