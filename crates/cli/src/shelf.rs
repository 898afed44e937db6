//! Where the files are that a model needs: what it uses or includes, and the C# code it imports.

use std::fs;
use std::path::{Path, PathBuf};

use linchpin_lsp::path_of;
use linchpin_text::{Files, Found, Wanted};

use crate::input;
use crate::language::Language;

/// The places that are looked at.
pub(crate) struct Shelf<'a> {
    /// The model.
    pub(crate) main: &'a Path,
    /// Directories with C# code.
    pub(crate) lib: &'a [PathBuf],
    /// The language of the model, which says how texts are encoded.
    pub(crate) language: Language,
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
            Wanted::Include(path) => self.read(&beside.join(path.replace('\\', "/"))),
            Wanted::Library(name) => {
                let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
                let name = name.strip_suffix(".dll").unwrap_or(name);
                let short = name.rsplit('.').next().unwrap_or(name);
                let folders = [beside.to_path_buf(), beside.join(LIB)];
                for folder in folders.iter().chain(self.lib) {
                    for name in [name, short] {
                        let found = self.read(&folder.join(format!("{name}.cs")))?;
                        if found.is_some() {
                            return Ok(found);
                        }
                    }
                }
                Ok(None)
            }
        }
    }

    fn read(&self, path: &Path) -> Result<Option<Found>, String> {
        if !path.exists() {
            return Ok(None);
        }
        let text = input::read(path, self.language).map_err(|problem| problem.message)?;
        let name = path.to_string_lossy().into_owned();
        let key = fs::canonicalize(path).map_or(name.clone(), |p| p.to_string_lossy().into_owned());
        Ok(Some(Found { name, key, text }))
    }
}

/// All files of a model, whether it is correct or not.
pub(crate) fn files(path: &Path, lib: &[PathBuf]) -> Option<Files> {
    let language = Language::of(path)?;
    let text = input::read(path, language).ok()?;
    let mut shelf = Shelf { main: path, lib, language };
    let mut find = |wanted: Wanted<'_>, from: &str| shelf.find(wanted, from);
    match language {
        Language::Lin => Some(linchpin_lin::syntax::analyse_files(&text, &mut find).files),
        Language::Csp => Some(match linchpin_csp::load_files(&text, &[], &mut find) {
            Ok(loaded) => loaded.model.files().clone(),
            Err(unread) => unread.files,
        }),
        Language::Mcrl2 | Language::Aut => None,
    }
}

/// The same for a text that is open in an editor, by its address.
pub(crate) fn find_for(uri: &str, wanted: Wanted<'_>, from: &str) -> Result<Option<Found>, String> {
    let Some(path) = path_of(uri) else { return Ok(None) };
    let main = Path::new(&path);
    let language = Language::of(main).unwrap_or(Language::Lin);
    Shelf { main, lib: &[], language }.find(wanted, from)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
