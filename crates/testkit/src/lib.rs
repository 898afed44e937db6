//! Random programs, brute-force oracles and helpers to shrink what they find.
//!
//! Read in this order: [`brute`] decides a small check by enumerating everything, on top of the
//! private `reference` interpreter; [`generate`] writes random `.lin` texts; [`minimise`] makes a
//! failing text small.

pub mod brute;
pub mod generate;
mod minimise;
mod reference;

pub use minimise::minimise;
