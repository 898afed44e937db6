//! From a path to a text or a program: finding, reading, decoding, loading.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linchpin_lin::program::Program;
use linchpin_lin::{Diagnostic, Files, MAX_BYTES, Span, decode, syntax};

use crate::language::{Language, endings};
use crate::names::shown;
use crate::outcome::{Kind, Problem};
use crate::shelf::Shelf;
use crate::watch::reading;

/// A file that was read and understood.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// It, and what it uses. Places of the program are in them.
    pub(crate) files: Files,
    /// What it says.
    pub(crate) program: Arc<Program>,
    /// What is suspicious, by the numbers of the files.
    warnings: Vec<(usize, Vec<Diagnostic>)>,
}

impl Source {
    /// The file in which a place is: its path, its text, and where in it.
    pub(crate) fn place(&self, span: Span) -> (&Path, &str, Span) {
        place(&self.files, &self.path, span)
    }

    /// What is suspicious, file by file.
    pub(crate) fn warnings(&self, mut warn: impl FnMut(&Path, &str, &[Diagnostic])) {
        for (number, warnings) in &self.warnings {
            let (name, text) = self.files.part(*number);
            warn(if *number == 0 { &self.path } else { Path::new(name) }, text, warnings);
        }
    }
}

/// The file in which a place is. The main one is at this path.
pub(crate) fn place<'f>(files: &'f Files, path: &'f Path, span: Span) -> (&'f Path, &'f str, Span) {
    let place = files.place(span);
    let path = if place.number == 0 { path } else { Path::new(place.name) };
    (path, place.text, place.span)
}

/// Messages about a text.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    /// The text.
    pub(crate) text: String,
    /// What is to be said about it.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Does a path stand for standard input?
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The files that were given, and instead of a directory all models below it, sorted.
pub(crate) fn models(paths: &[PathBuf]) -> Vec<Result<PathBuf, Problem>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(Ok(path.clone()));
            continue;
        }
        let mut below = Vec::new();
        descend(path, &mut below);
        if below.is_empty() {
            let endings = endings(Language::MODELS, "or");
            let message = format!("there is no model ({endings}) in this directory");
            below.push(Err(Problem::new(Kind::NoSuchCheck, path, message)));
        }
        found.append(&mut below);
    }
    found
}

/// Adds all models below a directory. What a link leads to is elsewhere, and so is not below it.
fn descend(folder: &Path, found: &mut Vec<Result<PathBuf, Problem>>) {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return found.push(Err(unreadable(folder, &error))),
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => descend(&path, found),
            Ok(_) if Language::of(&path).is_some_and(|l| Language::MODELS.contains(&l)) => {
                found.push(Ok(path));
            }
            Ok(_) => {}
            Err(error) => found.push(Err(unreadable(&path, &error))),
        }
    }
}

/// The text of a file. Texts of this program are UTF-8. Other programs also write UTF-16 with a mark,
/// or one of the old encodings, in which only comments differ.
pub(crate) fn read(path: &Path, language: Language) -> Result<String, Problem> {
    let bytes = reading(|| bytes(path)).map_err(|error| unreadable(path, &error))?;
    let text = match language {
        Language::Lin => decode(&bytes).map(str::to_string).map_err(|error| error.message),
        _ => foreign(&bytes),
    };
    text.map_err(|why| Problem::new(Kind::Undecodable, path, why))
}

/// A text in any of the encodings of other programs.
fn foreign(bytes: &[u8]) -> Result<String, String> {
    let error = match decode(bytes) {
        Ok(text) => return Ok(text.to_string()),
        Err(error) => error.message,
    };
    let wide = |of: fn([u8; 2]) -> u16| -> Result<String, String> {
        let (pairs, _) = bytes[2..].as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
        String::from_utf16(&units).map_err(|e| e.to_string())
    };
    match bytes {
        _ if bytes.len() > MAX_BYTES => Err(error),
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ if bytes.contains(&0) => Err(error),
        _ => Ok(bytes.iter().map(|&b| char::from(b)).collect()),
    }
}

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    // One byte more than is allowed, so that the decoder sees that it is too much.
    let most = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if is_standard(path) {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let file = File::open(path)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(std::io::Error::other("this is a directory"));
    }
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// That a file cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    let message = format!("cannot read the file: {}", reason(error));
    Problem::new(Kind::Unreadable, path, message)
}

/// The program in a file, with the values of some parameters replaced.
pub(crate) fn load(path: &Path, set: &[(String, String)]) -> Result<Source, Problem> {
    let text = read(path, Language::Lin)?;
    understood(path, text, set)
}

/// The program in a text, which would be in a file at this path.
pub(crate) fn understood(
    path: &Path,
    text: String,
    set: &[(String, String)],
) -> Result<Source, Problem> {
    let mut shelf = Shelf { main: path, lib: &[], language: Language::Lin };
    match syntax::load_files(&text, set, &mut |wanted, from| shelf.find(wanted, from)) {
        Ok(syntax::Loaded { program, warnings, files }) => {
            let (path, program) = (path.to_path_buf(), Arc::new(program));
            let warnings = files.divide(warnings);
            Ok(Source { path, text, files, program, warnings })
        }
        Err(syntax::Unread { files, diagnostics }) => Err(wrong(path, &files, diagnostics)),
    }
}

/// That something is wrong with the files of a model: with the first of them at length, with others in short.
pub(crate) fn wrong(path: &Path, files: &Files, diagnostics: Vec<Diagnostic>) -> Problem {
    let mut divided = files.divide(diagnostics).into_iter();
    let (number, mut diagnostics) = divided.next().unwrap_or_default();
    let (name, text) = files.part(number);
    let file = if number == 0 { path } else { Path::new(name) };
    if let Some(first) = diagnostics.first_mut().filter(|_| number > 0) {
        first.notes.push(format!("this file is a part of {}", shown(path)));
    }
    let mut problem = Problem::wrong(file, text.to_string(), diagnostics);
    for (number, others) in divided {
        let name = files.part(number).0;
        let errors = if others.len() == 1 { "error" } else { "errors" };
        problem.message += &format!("; `{name}` has {} {errors}", others.len());
    }
    problem
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
        assert_eq!(foreign(b"P = Skip; // caf\xe9").unwrap(), "P = Skip; // caf\u{e9}");
        assert_eq!(foreign("P // \u{e9}".as_bytes()).unwrap(), "P // \u{e9}");
        assert_eq!(foreign(b"\xff\xfeP\0;\0").unwrap(), "P;");
        assert_eq!(foreign(b"\xfe\xff\0P\0;").unwrap(), "P;");
        assert!(foreign(b"P\0\xe9").is_err());
    }

    #[test]
    fn instead_of_a_directory_the_models_below_it_are_meant() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("b/c")).unwrap();
        for name in ["z.lin", "b/a.CSP", "b/c/x.mcrl2", "b/notes.txt", "b/s.aut"] {
            std::fs::write(at(name), "").unwrap();
        }
        let found = models(&[folder.path().to_path_buf(), at("b/notes.txt")]);
        let found: Vec<_> = found.into_iter().map(|path| path.unwrap()).collect();
        assert_eq!(found, ["b/a.CSP", "b/c/x.mcrl2", "z.lin", "b/notes.txt"].map(at));
    }
}
