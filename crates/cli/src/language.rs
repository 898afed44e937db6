//! Which language a file is in. Its extension says so, and nothing else does.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::outcome::{Kind, Problem};

/// The languages of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Objects, specifications and checks.
    Lin,
    /// Processes with shared variables, as PAT reads them.
    Csp,
    /// Specifications of mCRL2.
    Mcrl2,
    /// Transition systems with all their states; they have nothing to check.
    #[value(skip)]
    Aut,
}

impl Language {
    /// All of them.
    pub(crate) const ALL: &[Language] =
        &[Language::Lin, Language::Csp, Language::Mcrl2, Language::Aut];

    /// Those of models, which have something to check.
    pub(crate) const MODELS: &[Language] = &[Language::Lin, Language::Csp, Language::Mcrl2];

    /// How the names of such files end.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Language::Lin => "lin",
            Language::Csp => "csp",
            Language::Mcrl2 => "mcrl2",
            Language::Aut => "aut",
        }
    }

    /// The language that the name of a file says.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        let ending = path.extension()?;
        Language::ALL
            .iter()
            .copied()
            .find(|language| ending.eq_ignore_ascii_case(language.extension()))
    }

    /// The language of a file, which must be one of those that `who` is for.
    pub(crate) fn among(path: &Path, known: &[Language], who: &str) -> Result<Language, Problem> {
        let message = match Language::of(path) {
            Some(language) if known.contains(&language) => return Ok(language),
            Some(language) => format!(
                "{who} is for {} files, and this is a `.{}` one",
                endings(known, "and"),
                language.extension()
            ),
            None => format!(
                "the name does not say which language this is: it does not end in {}",
                endings(known, "or")
            ),
        };
        Err(Problem::new(Kind::Unsupported, path, message))
    }
}

/// `.lin`, `.csp` and `.mcrl2`
pub(crate) fn endings(languages: &[Language], and: &str) -> String {
    let names: Vec<_> = languages.iter().map(|l| format!("`.{}`", l.extension())).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {and} {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// A file, and the process of it that is meant: `stack.csp:Impl` is `Impl` of `stack.csp`.
pub(crate) fn process(path: &Path) -> (PathBuf, Option<String>) {
    let split = path.to_str().and_then(|text| text.rsplit_once(':'));
    match split.map(|(file, process)| (PathBuf::from(file), process)) {
        Some((file, process)) if Language::of(&file) == Some(Language::Csp) => {
            (file, Some(process.to_string()))
        }
        _ => (path.to_path_buf(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_alone_says_the_language() {
        let of = |name: &str| Language::of(Path::new(name));
        assert_eq!(of("a.lin"), Some(Language::Lin));
        assert_eq!(of("A.CSP"), Some(Language::Csp));
        assert_eq!(of("x.csp-models/a.lin"), Some(Language::Lin));
        assert_eq!(of("x.csp/a.Mcrl2"), Some(Language::Mcrl2));
        assert_eq!(of("a.lin.txt"), None);
        assert_eq!(of("lin"), None);
    }

    #[test]
    fn a_process_is_named_after_its_file() {
        let of = |name: &str| process(Path::new(name));
        assert_eq!(of("d/a.csp:P"), (PathBuf::from("d/a.csp"), Some("P".to_string())));
        assert_eq!(of("A.CSP:P"), (PathBuf::from("A.CSP"), Some("P".to_string())));
        assert_eq!(of("a.csp"), (PathBuf::from("a.csp"), None));
        assert_eq!(of("c:a.lin"), (PathBuf::from("c:a.lin"), None));
    }

    #[test]
    fn languages_are_listed_in_words() {
        assert_eq!(endings(Language::MODELS, "and"), "`.lin`, `.csp` and `.mcrl2`");
        assert_eq!(endings(&[Language::Csp], "or"), "`.csp`");
    }
}
