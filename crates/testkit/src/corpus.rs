//! The corpus: models with known verdicts.
//!
//! `corpus/lin/OBJECT/` holds the models of one object (`*.lin`, the verdicts are their `expect`
//! settings) and `expect.toml`, which says where the object is from, what is particular about each
//! file and which broken *twins* a correct file has. The loader is strict: a file that is not
//! listed, a check without an expectation or a correct model without a twin is a problem, because a
//! corpus that nobody checks decays.
//!
//! [`counts`] are the figures measured for every check, [`run`] multiplies the checks by
//! configurations of the search.

pub mod counts;
pub mod run;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linchpin_lin::program::{Expect, Program};
use linchpin_lin::{line_column, syntax};
use serde::Deserialize;

/// Models that a defect of Linchpin was found with; they need no twins.
const REGRESSIONS: &str = "regress/";

/// All models.
#[derive(Debug)]
pub struct Corpus {
    /// By name of the folder, then as listed.
    pub cases: Vec<Case>,
}

/// A model.
#[derive(Debug)]
pub struct Case {
    /// Its path in the corpus: `treiber_stack/gc.lin`.
    pub path: String,
    /// Where the object is from.
    pub source: String,
    /// What is particular about it.
    pub note: String,
    /// Paths of broken versions of it.
    pub twins: Vec<String>,
    /// Its text.
    pub text: String,
    /// The text as a program.
    pub program: Arc<Program>,
}

impl Case {
    /// Is every check expected to hold?
    pub fn is_correct(&self) -> bool {
        self.program.checks.iter().all(|c| c.expect == Some(Expect::Holds))
    }
}

/// What is wrong with the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: String,
    /// What is wrong with it.
    pub flaw: Flaw,
}

/// What is wrong with a file of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It cannot be read.
    Unreadable(String),
    /// The list of cases is not what it should be.
    BadList(String),
    /// It is not a model.
    NotAModel(String),
    /// It exists but is not listed.
    NotListed,
    /// It is listed but does not exist.
    Missing,
    /// It is listed more than once.
    ListedTwice,
    /// It has no check.
    NoCheck,
    /// This check has no `expect` setting.
    NoExpectation(String),
    /// It is correct and names no broken twin.
    NoTwin,
    /// This twin does not exist, or every check of it holds.
    NotBroken(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.flaw {
            Flaw::Unreadable(error) => write!(f, "{error}"),
            Flaw::BadList(error) => write!(f, "{}", error.trim_end()),
            Flaw::NotAModel(error) => write!(f, "{error}"),
            Flaw::NotListed => write!(f, "not listed in expect.toml"),
            Flaw::Missing => write!(f, "listed in expect.toml, but there is no such file"),
            Flaw::ListedTwice => write!(f, "listed more than once in expect.toml"),
            Flaw::NoCheck => write!(f, "has no check"),
            Flaw::NoExpectation(check) => write!(f, "the check `{check}` has no `expect`"),
            Flaw::NoTwin => write!(f, "is correct and names no broken twin"),
            Flaw::NotBroken(twin) => write!(f, "its twin `{twin}` is no broken model"),
        }
    }
}

/// `expect.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// Where the object is from; for readers.
    source: String,
    case: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    note: String,
    #[serde(default)]
    twin: Twins,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Twins {
    One(String),
    Many(Vec<String>),
}

impl Default for Twins {
    fn default() -> Self {
        Twins::Many(Vec::new())
    }
}

/// The corpus of this repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/lin")
}

/// Reads a corpus.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(root: &Path) -> Result<Corpus, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut cases = Vec::new();
    for folder in names(root, "", &mut problems) {
        if root.join(&folder).is_dir() {
            load_folder(root, &folder, &mut cases, &mut problems);
        }
    }
    let broken: BTreeSet<&str> =
        cases.iter().filter(|c| !c.is_correct()).map(|c| c.path.as_str()).collect();
    for case in &cases {
        let mut flaw = |flaw| problems.push(Problem { path: case.path.clone(), flaw });
        if case.program.checks.is_empty() {
            flaw(Flaw::NoCheck);
        }
        for check in case.program.checks.iter().filter(|c| c.expect.is_none()) {
            flaw(Flaw::NoExpectation(check.name.clone()));
        }
        let regression = case.path.starts_with(REGRESSIONS);
        if case.is_correct() && case.twins.is_empty() && !regression {
            flaw(Flaw::NoTwin);
        }
        for twin in case.twins.iter().filter(|t| !broken.contains(t.as_str())) {
            flaw(Flaw::NotBroken(twin.clone()));
        }
    }
    if problems.is_empty() { Ok(Corpus { cases }) } else { Err(problems) }
}

fn load_folder(root: &Path, folder: &str, cases: &mut Vec<Case>, problems: &mut Vec<Problem>) {
    let list_path = format!("{folder}/expect.toml");
    let Some(text) = read(root, &list_path, problems) else { return };
    let list: List = match toml::from_str(&text) {
        Ok(list) => list,
        Err(error) => {
            let flaw = Flaw::BadList(error.to_string());
            return problems.push(Problem { path: list_path, flaw });
        }
    };
    let files: BTreeSet<String> =
        names(root, folder, problems).into_iter().filter(|n| n.ends_with(".lin")).collect();
    let mut listed = BTreeSet::new();
    for Entry { file, note, twin } in list.case {
        let path = format!("{folder}/{file}");
        let flaw = match () {
            () if !listed.insert(file.clone()) => Flaw::ListedTwice,
            () if !files.contains(&file) => Flaw::Missing,
            () => {
                let twins = match twin {
                    Twins::One(twin) => vec![twin],
                    Twins::Many(twins) => twins,
                };
                let twins = twins.into_iter().map(|t| format!("{folder}/{t}")).collect();
                let Some(text) = read(root, &path, problems) else { continue };
                match program(&text) {
                    Ok(program) => {
                        let source = list.source.clone();
                        cases.push(Case { path, source, note, twins, text, program });
                        continue;
                    }
                    Err(error) => Flaw::NotAModel(error),
                }
            }
        };
        problems.push(Problem { path, flaw });
    }
    for file in files.difference(&listed) {
        problems.push(Problem { path: format!("{folder}/{file}"), flaw: Flaw::NotListed });
    }
}

/// The program of a text, or the first thing that is wrong with it.
fn program(text: &str) -> Result<Arc<Program>, String> {
    match syntax::load(text, &[]) {
        Ok(loaded) => Ok(Arc::new(loaded.program)),
        Err(diagnostics) => Err(match diagnostics.first() {
            Some(first) => {
                let (line, _) = line_column(text, first.primary.span.start);
                format!("line {line}: {}", first.message)
            }
            None => "cannot be loaded".to_string(),
        }),
    }
}

fn read(root: &Path, path: &str, problems: &mut Vec<Problem>) -> Option<String> {
    match fs::read_to_string(root.join(path)) {
        Ok(text) => Some(text),
        Err(error) => {
            let flaw = Flaw::Unreadable(error.to_string());
            problems.push(Problem { path: path.to_string(), flaw });
            None
        }
    }
}

/// The names in a folder, sorted.
fn names(root: &Path, folder: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    match fs::read_dir(root.join(folder)) {
        Ok(entries) => {
            let mut names: Vec<String> =
                entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
        Err(error) => {
            let flaw = Flaw::Unreadable(error.to_string());
            problems.push(Problem { path: folder.to_string(), flaw });
            Vec::new()
        }
    }
}
