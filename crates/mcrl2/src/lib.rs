//! The mCRL2 front end of Linchpin: text to a labelled system, or diagnostics.
//!
//! The way of a specification: `parse` (text to a tree), `check` (names and sorts), `net` (parallel
//! components and what they do together), `data` (values and their functions), `system` (the whole
//! as a [`linchpin_lts::LabelledSystem`]). The transition system is, up to strong bisimulation, that
//! of mCRL2's `lps2lts`.

mod ast;
mod builtin;
mod check;
mod code;
mod data;
mod lexer;
mod net;
mod parse;
mod report;
mod sorts;
mod system;

use std::sync::Arc;

use linchpin_syntax::Diagnostic;

pub use system::{Scratch, System};

/// Reads a specification.
pub fn load(text: &str) -> Result<System, Vec<Diagnostic>> {
    let tree = parse::parse(text)?;
    let spec = check::check(text, &tree)?;
    System::new(Arc::new(spec)).map_err(|problem| vec![problem])
}
