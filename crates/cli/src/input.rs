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
    let bytes = bytes(path)?;
    decode(&bytes).map(str::to_string).map_err(|d| InputError::Undecodable(d.message))
}

/// The text of a file that another program has written: UTF-8, UTF-16 with a mark, or else one of the
/// old encodings, in which only comments differ.
pub(crate) fn read_foreign(path: &Path) -> Result<String, InputError> {
    let bytes = bytes(path)?;
    let error = match decode(&bytes) {
        Ok(text) => return Ok(text.to_string()),
        Err(error) => InputError::Undecodable(error.message),
    };
    let wide = |of: fn([u8; 2]) -> u16| -> Result<String, InputError> {
        let (pairs, _) = bytes[2..].as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
        String::from_utf16(&units).map_err(|e| InputError::Undecodable(e.to_string()))
    };
    match bytes.as_slice() {
        _ if bytes.len() > MAX_BYTES => Err(error),
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ if bytes.contains(&0) => Err(error),
        _ => Ok(bytes.iter().map(|&b| char::from(b)).collect()),
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, InputError> {
    let unreadable = |e: std::io::Error| InputError::Unreadable(reason(&e));
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(InputError::Unreadable("this is a directory".to_string()));
    }
    // One byte more than is allowed, so that the decoder sees that it is too much.
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_read_in_their_encodings() {
        let folder = std::env::temp_dir().join(format!("linchpin-input-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("model.csp");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read_foreign(&path)
        };
        assert_eq!(read(b"P = Skip; // caf\xe9").unwrap(), "P = Skip; // caf\u{e9}");
        assert_eq!(read("P // \u{e9}".as_bytes()).unwrap(), "P // \u{e9}");
        assert_eq!(read(b"\xff\xfeP\0;\0").unwrap(), "P;");
        assert_eq!(read(b"\xfe\xff\0P\0;").unwrap(), "P;");
        assert!(read(b"P\0\xe9").is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
