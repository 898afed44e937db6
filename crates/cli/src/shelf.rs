//! Where the files are that a `.csp` model needs: what it includes, and the C# code it imports.

use std::fs;
use std::path::{Path, PathBuf};

use linchpin_csp::{Found, Wanted};

use crate::input;
use crate::language::Language;

/// The places that are looked at.
pub(crate) struct Shelf<'a> {
    /// The model.
    pub(crate) main: &'a Path,
    /// Directories with C# code.
    pub(crate) lib: &'a [PathBuf],
}

/// The folder of PAT in which libraries are.
const LIB: &str = "Lib";

impl Shelf<'_> {
    /// A file that is needed by another one of this name (empty: by the model).
    pub(crate) fn find(&mut self, wanted: Wanted<'_>, from: &str) -> Result<Option<Found>, String> {
        let from = if from.is_empty() { self.main } else { Path::new(from) };
        // What comes from standard input is nowhere.
        let beside = if input::is_standard(from) { Path::new("") } else { parent(from) };
        match wanted {
            Wanted::Include(path) => read(&beside.join(path.replace('\\', "/"))),
            Wanted::Library(name) => {
                let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
                let name = name.strip_suffix(".dll").unwrap_or(name);
                let short = name.rsplit('.').next().unwrap_or(name);
                let folders = [beside.to_path_buf(), beside.join(LIB)];
                for folder in folders.iter().chain(self.lib) {
                    for name in [name, short] {
                        let found = read(&folder.join(format!("{name}.cs")))?;
                        if found.is_some() {
                            return Ok(found);
                        }
                    }
                }
                Ok(None)
            }
        }
    }
}

/// The same for a text that is open in an editor, by its address.
pub(crate) fn find_for(uri: &str, wanted: Wanted<'_>, from: &str) -> Result<Option<Found>, String> {
    let Some(path) = uri.strip_prefix("file://") else { return Ok(None) };
    Shelf { main: Path::new(&unescaped(path)), lib: &[] }.find(wanted, from)
}

/// `%20` is a space.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn read(path: &Path) -> Result<Option<Found>, String> {
    if !path.exists() {
        return Ok(None);
    }
    let text = input::read(path, Language::Csp).map_err(|problem| problem.message)?;
    let name = path.to_string_lossy().into_owned();
    let key = fs::canonicalize(path).map_or(name.clone(), |p| p.to_string_lossy().into_owned());
    Ok(Some(Found { name, key, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths_with_signs_by_their_numbers() {
        assert_eq!(unescaped("/a%20b/c%C3%A9.csp"), "/a b/c\u{e9}.csp");
        assert_eq!(unescaped("/100%"), "/100%");
        assert_eq!(unescaped("/%zz"), "/%zz");
    }
}
