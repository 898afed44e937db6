//! The languages of texts. `.lin` is the one of this project; of the others an editor learns what is wrong, what names mean, and,
//! where the text asks something, the answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use linchpin_csp::{Find, Found, Loaded, Model, Unread, Wanted, load_files};
use linchpin_lin::Diagnostic;
use linchpin_text::{Files, Names, Severity, Span};

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Lin,
    Csp,
    Mcrl2,
}

impl Language {
    /// That of an address, by how it ends.
    pub(crate) fn of(uri: &str) -> Language {
        let ends = |ending: &str| uri.to_ascii_lowercase().ends_with(ending);
        match () {
            () if ends(".csp") => Language::Csp,
            () if ends(".mcrl2") => Language::Mcrl2,
            () => Language::Lin,
        }
    }

    /// How blocks of code are marked.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Language::Lin => "lin",
            Language::Csp => "csp",
            Language::Mcrl2 => "mcrl2",
        }
    }
}

/// Finds files that a text needs: the address of the text, what is wanted, and by which file (empty: by the text).
pub type Shelf = fn(&str, Wanted<'_>, &str) -> Result<Option<Found>, String>;

/// Texts that are open, by the paths of their files: what is in the editor comes before what is on the disk.
pub(crate) type Buffers = Arc<Mutex<BTreeMap<String, Arc<str>>>>;

/// The path that an address of a file means; `%20` is a space.
pub fn path_of(uri: &str) -> Option<String> {
    let mut rest = uri.strip_prefix("file://")?.as_bytes();
    let mut bytes = Vec::new();
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
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The address of a file.
pub(crate) fn address_of(path: &str) -> Option<lsp_types::Uri> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-._~".contains(&b);
    let sign = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    format!("file://{}", path.bytes().map(sign).collect::<String>()).parse().ok()
}

/// Finds a file that a text needs. Its name is its whole path, so that the editor can be led there.
pub(crate) fn find(
    shelf: Shelf,
    buffers: &Buffers,
    uri: &str,
    wanted: Wanted<'_>,
    from: &str,
) -> Result<Option<Found>, String> {
    let found = shelf(uri, wanted, from)?;
    Ok(found.map(|found| {
        let open = buffers.lock().ok().and_then(|open| {
            open.get(&found.key).or_else(|| open.get(&found.name)).map(|text| text.to_string())
        });
        Found { text: open.unwrap_or(found.text), name: found.key.clone(), key: found.key }
    }))
}

/// What is known about a text in another language than `.lin`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foreign {
    pub(crate) names: Names,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// A model with assertions, if the text has no errors.
    pub(crate) model: Option<Arc<Model>>,
}

/// Reads a text in this language.
pub(crate) fn analyse(language: Language, text: &str, find: &mut Find<'_>) -> Foreign {
    match language {
        Language::Lin => Foreign::default(),
        Language::Csp => csp(text, find),
        Language::Mcrl2 => Foreign {
            names: linchpin_mcrl2::names(text),
            diagnostics: linchpin_mcrl2::Specification::read(text).err().unwrap_or_default(),
            model: None,
        },
    }
}

fn csp(text: &str, find: &mut Find<'_>) -> Foreign {
    match load_files(text, &[], find) {
        Ok(Loaded { model, warnings }) => Foreign {
            names: model.names(),
            diagnostics: here(model.files(), warnings),
            model: Some(Arc::new(model)),
        },
        Err(Unread { files, tree, diagnostics }) => Foreign {
            names: linchpin_csp::names(&tree, &files),
            diagnostics: here(&files, diagnostics),
            model: None,
        },
    }
}

/// What is wrong with other files is said at the beginning of this one.
pub(crate) fn here(files: &Files, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (number, mut list) in files.divide(diagnostics) {
        if number > 0 {
            let (name, text) = files.part(number);
            for d in &mut list {
                let (line, column) = linchpin_text::line_column(text, d.primary.span.start);
                let kind = if d.severity == Severity::Error { "error" } else { "warning" };
                d.message = format!("{kind} in {name}:{line}:{column}: {}", d.message);
                d.primary.span = Span::default();
                d.secondary.clear();
                d.edits.clear();
            }
        }
        all.extend(list);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths_with_signs_by_their_numbers() {
        let path = |uri: &str| path_of(uri).unwrap();
        assert_eq!(path("file:///a%20b/c%C3%A9.csp"), "/a b/c\u{e9}.csp");
        assert_eq!(path("file:///100%"), "/100%");
        assert_eq!(path("file:///%zz"), "/%zz");
        assert_eq!(path_of("untitled:1"), None);
        let uri = address_of("/a b/c\u{e9}.lin").unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/c%C3%A9.lin");
        assert_eq!(path(uri.as_str()), "/a b/c\u{e9}.lin");
    }
}
