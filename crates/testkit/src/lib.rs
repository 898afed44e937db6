//! Random programs, brute-force oracles and helpers to shrink what they find.
//!
//! Read in this order: [`brute`] decides a small check by enumerating everything, on top of the
//! private `reference` interpreter; [`generate`] writes random `.lin` texts; [`minimise`] makes a
//! failing text small, [`agree`] does that for many seeds. [`corpus`] holds models with known verdicts, [`mutate`] damages
//! them. [`histories`] are those of recorded logs, [`recorded`] decides them in every way. [`sample`] says how much of all this
//! a test tries.

pub mod agree;
pub mod brute;
mod claim;
pub mod corpus;
pub mod differential;
pub mod generate;
pub mod histories;
pub mod keeping;
mod minimise;
pub mod mutate;
pub mod parallel;
pub mod quasi;
pub mod recorded;
mod reference;
pub mod relaxed;
pub mod sample;
pub mod together;

pub use claim::claim;
pub use minimise::minimise;
