//! The language `.lin`: its text ([`syntax`]), the typed program that the text stands for ([`program`]), and the one
//! interpreter of it ([`Model`]).
//!
//! Nothing here reads files, prints or panics, whatever the input: text that is already in memory becomes a program that
//! keeps the contract stated in [`program`], or a list of [`Diagnostic`]s that say what is wrong, where, and how to mend
//! it.

mod allocate;
mod code;
mod coverage;
pub mod display;
mod endless;
mod facts;
mod flatten;
mod fresh;
mod lower;
mod machine;
mod model;
mod movers;
mod ownership;
pub mod program;
pub mod replay;
mod sizes;
pub mod specify;
pub mod syntax;
mod value;
pub mod walk;

pub use coverage::{Covered, Results, Returned};
pub use facts::BrokenFact;
pub use linchpin_text::{
    Code, Diagnostic, Edit, Files, Find, Found, Label, MAX_BYTES, Place, Severity, Span, Wanted,
    decode, line_column,
};
pub use lower::Unsupported;
pub use machine::Scratch;
pub use model::{Granularity, Model};
pub use value::Value;
