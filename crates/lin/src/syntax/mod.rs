//! The model language (`.lin`), described in the language reference of the book.
//!
//! Text goes through `lexer`, `parse` and `elaborate`; the last one resolves names, checks types
//! and writes the typed program. `format` is a pretty-printer that works on tokens, `index` says
//! what every name means, `words` lists the words that are no names.

mod ast;
mod codes;
mod elaborate;
mod format;
pub mod index;
mod lexer;
mod parse;
mod token;
pub mod words;

use std::sync::Arc;

use crate::program::Program;

use linchpin_text::check_size;
use linchpin_text::{Diagnostic, Severity, Sink};

pub use codes::ALL as CODES;
pub use format::format;
pub use linchpin_text::{decode, did_you_mean};

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
    let (program, sink, _) = elaborate::program(&file, overrides, sink);
    let failed = sink.errors() > 0;
    let diagnostics = sink.finish();
    if failed {
        return Err(diagnostics);
    }
    debug_assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
    Ok(Loaded { program, warnings: diagnostics })
}

/// A text as an editor wants it: whatever can be said about it, right or wrong.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The program, if there are no errors.
    pub program: Option<Arc<Program>>,
    /// Errors and warnings, as [`load`] gives them.
    pub diagnostics: Vec<Diagnostic>,
    /// What the names mean, as far as the text was understood.
    pub index: index::Index,
    /// Could declarations be missing from the index because of errors of syntax?
    pub incomplete: bool,
}

/// Reads a model that is perhaps being written. The parameters have the values in the text.
pub fn analyse(text: &str) -> Analysis {
    if let Err(d) = check_size(text.len()) {
        return Analysis { diagnostics: vec![d], incomplete: true, ..Analysis::default() };
    }
    let mut sink = Sink::default();
    let tokens = lexer::lex(text, &mut sink);
    let (file, incomplete) = parse::file(text, &tokens, &mut sink);
    // Of a tree with holes the names are of interest, but not what is wrong with them.
    let (kept, used) = if incomplete { (Some(sink), Sink::default()) } else { (None, sink) };
    let (program, sink, record) = elaborate::program(&file, &[], used);
    let program = Arc::new(program);
    let sink = kept.unwrap_or(sink);
    let sound = sink.errors() == 0;
    let index = index::Index::new(text, &file, record, program.clone());
    let program = sound.then_some(program);
    Analysis { program, diagnostics: sink.finish(), index, incomplete }
}
