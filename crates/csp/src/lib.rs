//! CSP with shared variables (CSP#), as the model checker PAT reads it.
//!
//! Suggested reading order: [`ast`] (what can be written), [`load`] (text to [`Model`]), [`System`]
//! (a process as a labelled system), [`check`](check()) (an assertion to a [`Report`]).
//!
//! The grammar is that of PAT's manual; the semantics is that of PAT 3.5, down to which steps are
//! silent and when arguments are evaluated. What is not supported is refused by name.

mod alphabet;
pub mod ast;
mod bounds;
mod check;
mod codes;
mod contents;
mod counted;
mod eval;
mod expand;
mod footprint;
mod futures;
mod gather;
mod hidden;
mod joined;
mod labels;
mod lexer;
mod math;
mod model;
mod multiset;
mod names;
mod network;
mod objects;
mod operations;
mod order;
mod parse;
mod program;
mod reduced;
mod resolve;
mod saved;
mod select;
mod settings;
mod sharp;
mod special;
mod starts;
mod steps;
mod symmetry;
mod system;
mod term;
mod touch;
mod value;
mod worker;

pub use check::{
    Answer, Change, Failure, Options, Refused, Report, Search, Witness, WitnessStep, check,
};
pub use codes::ALL as CODES;
pub use labels::TICK_TEXT as TERMINATION;
pub use linchpin_text::{Find, Found, Wanted};
pub use model::{Asserted, Loaded, Model, Unread, load, load_files};
pub use names::names;
pub use operations::Operations;
pub use reduced::{Preserve, Reduced, ReducedScratch};
pub use system::{Scratch, System};
