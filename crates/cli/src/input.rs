//! From a path to a program: reading, decoding, loading.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linchpin_model::program::Program;
use linchpin_syntax::{Diagnostic, MAX_BYTES, decode, lin};

/// A file that was read and understood.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What it says.
    pub(crate) program: Arc<Program>,
    /// What is suspicious about it.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Why a file cannot be used.
#[derive(Debug)]
pub(crate) enum InputError {
    /// It cannot be read.
    Unreadable(String),
    /// It is not a text: why not.
    Undecodable(String),
    /// The text has errors.
    Wrong(Passages),
}

/// Messages about a text.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    /// The text.
    pub(crate) text: String,
    /// What is to be said about it.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, InputError> {
    let unreadable = |e: std::io::Error| InputError::Unreadable(reason(&e));
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(InputError::Unreadable("this is a directory".to_string()));
    }
    // One byte more than is allowed, so that the decoder sees that it is too much.
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    decode(&bytes).map(str::to_string).map_err(|d| InputError::Undecodable(d.message))
}

/// The program in a file, with the values of some parameters replaced.
pub(crate) fn load(path: &Path, set: &[(String, String)]) -> Result<Source, InputError> {
    let text = read(path)?;
    match lin::load(&text, set) {
        Ok(lin::Loaded { program, warnings }) => {
            Ok(Source { path: path.to_path_buf(), text, program: Arc::new(program), warnings })
        }
        Err(diagnostics) => Err(InputError::Wrong(Passages { text, diagnostics })),
    }
}

/// An error of the operating system without its number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}
