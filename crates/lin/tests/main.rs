//! All tests of this crate are one program, which is linked once.

mod contract;
#[path = "diagnostics/main.rs"]
mod diagnostics;
mod elaboration;
mod formatting;
mod habits;
mod index;
mod parts;
mod print;
mod robustness;
mod uses;
