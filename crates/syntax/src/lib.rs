//! Front ends of Linchpin: text to [`linchpin_model::program::Program`], or diagnostics.
//!
//! One module per language. Every front end takes text that is already in memory and gives back
//! either a program that keeps the contract stated in `linchpin_model::program`, or a list of
//! [`Diagnostic`]s: data that says what is wrong, where, and how to mend it. Nothing here reads
//! files, prints or panics, whatever the input.

pub mod lin;

pub use linchpin_text::{Code, Diagnostic, Edit, Label, MAX_BYTES, Severity, decode, line_column};
