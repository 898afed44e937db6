//! The languages of texts. `.lin` is the one of this project; of the others an editor learns what is wrong, what names mean, and,
//! where the text asks something, the answer.

use std::sync::Arc;

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

/// What is known about a text in another language than `.lin`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foreign {
    pub(crate) names: Names,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// A model with assertions, if the text has no errors.
    pub(crate) model: Option<Arc<Model>>,
}

/// Reads a text in this language.
pub(crate) fn analyse(language: Language, uri: &str, text: &str, shelf: Shelf) -> Foreign {
    match language {
        Language::Lin => Foreign::default(),
        Language::Csp => csp(text, &mut |wanted, from| shelf(uri, wanted, from)),
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
fn here(files: &Files, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
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
