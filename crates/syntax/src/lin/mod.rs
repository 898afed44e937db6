//! The model language (`.lin`), described in the language reference of the book.
//!
//! Text goes through `lexer`, `parse` and `elaborate`; the last one resolves names, checks types
//! and writes the typed program. `format` is a pretty-printer that works on tokens.

mod ast;
mod codes;
mod elaborate;
mod format;
mod lexer;
mod names;
mod parse;
mod token;

use linchpin_model::program::Program;

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::source::check_size;

pub use crate::source::decode;
pub use codes::ALL as CODES;
pub use format::format;

/// A program and what is suspicious about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// In the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model. `overrides` are names and values of `param`s that replace the values in the
/// text. All errors of the text are reported (up to a limit), in the order of the text.
pub fn load(text: &str, overrides: &[(String, String)]) -> Result<Loaded, Vec<Diagnostic>> {
    check_size(text.len()).map_err(|d| vec![d])?;
    let mut sink = Sink::default();
    let tokens = lexer::lex(text, &mut sink);
    let (file, incomplete) = parse::file(text, &tokens, &mut sink);
    if incomplete {
        return Err(sink.finish());
    }
    let (program, sink) = elaborate::program(&file, overrides, sink);
    let failed = sink.errors() > 0;
    let diagnostics = sink.finish();
    if failed {
        return Err(diagnostics);
    }
    debug_assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
    Ok(Loaded { program, warnings: diagnostics })
}
