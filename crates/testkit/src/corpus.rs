//! The corpora, one for each language: models with known verdicts.
//!
//! `corpus/lin/OBJECT/` holds the models of one object and `expect.toml`, which says where the object
//! is from, what is particular about each file and which broken *twins* a correct file has.
//! `corpus/csp` and `corpus/mcrl2` are one such folder each. Verdicts stand in the models: `expect`
//! settings in `.lin`, comments in the others. The loader is strict: a file that is not listed, a
//! question without an expectation or a correct model without a twin is a problem, because a corpus
//! that nobody checks decays.
//!
//! [`counts`] are the figures measured for every question, [`run`] multiplies the questions by
//! configurations of the search. What a [`Language`] is made of is in the private `lin`, `csp` and
//! `mcrl2`.

pub mod counts;
mod csp;
mod lin;
mod mcrl2;
pub mod run;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linchpin_lin::program::Program;
use linchpin_lin::{Diagnostic, Files, Found, Wanted, line_column};
use serde::Deserialize;

pub use csp::Csp;
pub use mcrl2::Mcrl2;
use run::{Configuration, Decided, Extent};

/// Models that a defect of Linchpin was found with; they need no twins.
const REGRESSIONS: &str = "regress/";

/// A language of models: its programs.
pub trait Language: Sized + Send + Sync {
    /// Its folder in `corpus`, and how the names of its files end.
    const NAME: &str;

    /// The program of a text, and the files that it consists of, or the first thing that is wrong with it. The text is that
    /// of the file at this path.
    fn read(text: &str, path: &Path) -> Result<(Self, Files), String>;

    /// What is asked about a program, in this order.
    fn questions(&self) -> Vec<Question>;

    /// Is a model with these questions correct, so that it has a broken twin?
    fn is_correct(questions: &[Question]) -> bool {
        questions.iter().all(|q| q.expect.as_deref() == Some("holds"))
    }

    /// Answers a question of a model and judges the answer.
    ///
    /// # Errors
    /// If there is no answer, or it is not confirmed, in words.
    fn decide(case: &Case<Self>, question: usize, how: &Configuration) -> Result<Decided, String>;

    /// Ways to decide that must agree.
    fn configurations(extent: &Extent) -> Vec<Configuration>;
}

/// A question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name in the model.
    pub name: String,
    /// The verdict that the model says it has.
    pub expect: Option<String>,
}

/// All models of a language.
#[derive(Debug)]
pub struct Corpus<P = Program> {
    /// By name of the folder, then as listed.
    pub cases: Vec<Case<P>>,
}

/// A model.
#[derive(Debug)]
pub struct Case<P = Program> {
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
    /// Its text and those of the files that it uses.
    pub files: Files,
    /// The text as a program.
    pub program: Arc<P>,
}

impl<P: Language> Case<P> {
    /// Is it correct, as far as its questions go?
    pub fn is_correct(&self) -> bool {
        P::is_correct(&self.program.questions())
    }

    /// Does it break another one: is a question of that answered in another way, or one added that
    /// does not hold?
    fn breaks(&self, original: &Case<P>) -> bool {
        let known = original.program.questions();
        self.program.questions().iter().any(|q| match known.iter().find(|k| k.name == q.name) {
            Some(known) => known.expect != q.expect,
            None => q.expect.as_deref() != Some("holds"),
        })
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
    /// This check has no expected verdict.
    NoExpectation(String),
    /// Two checks have this name.
    SameName(String),
    /// It is correct and names no broken twin.
    NoTwin,
    /// This twin does not exist, or nothing about it is wrong.
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
            Flaw::NoExpectation(check) => write!(f, "the check `{check}` has no expected verdict"),
            Flaw::SameName(check) => write!(f, "has two checks `{check}`"),
            Flaw::NoTwin => write!(f, "is correct and names no broken twin"),
            Flaw::NotBroken(twin) => write!(f, "its twin `{twin}` is no broken model"),
        }
    }
}

/// The name of the list of cases in a folder.
const LIST: &str = "expect.toml";

/// The list of cases.
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

/// The corpus of a language in this repository.
pub fn folder<P: Language>() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(P::NAME)
}

/// The corpus of `.lin` models in this repository.
pub fn root() -> PathBuf {
    folder::<Program>()
}

/// Reads a corpus of `.lin` models.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(root: &Path) -> Result<Corpus, Vec<Problem>> {
    read(root)
}

/// Reads a corpus.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read<P: Language>(root: &Path) -> Result<Corpus<P>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut cases = Vec::new();
    for name in names(root, "", &mut problems) {
        match root.join(&name) {
            _ if name == LIST => load_folder(root, "", &mut cases, &mut problems),
            path if path.is_dir() => {
                load_folder(root, &format!("{name}/"), &mut cases, &mut problems)
            }
            _ => {}
        }
    }
    let twins: BTreeSet<&String> = cases.iter().flat_map(|c: &Case<P>| &c.twins).collect();
    for case in &cases {
        let mut flaw = |flaw| problems.push(Problem { path: case.path.clone(), flaw });
        let questions = case.program.questions();
        if questions.is_empty() {
            flaw(Flaw::NoCheck);
        }
        for (i, question) in questions.iter().enumerate() {
            if question.expect.is_none() {
                flaw(Flaw::NoExpectation(question.name.clone()));
            }
            if questions[..i].iter().any(|q| q.name == question.name) {
                flaw(Flaw::SameName(question.name.clone()));
            }
        }
        let exempt = twins.contains(&case.path) || case.path.starts_with(REGRESSIONS);
        if case.is_correct() && case.twins.is_empty() && !exempt {
            flaw(Flaw::NoTwin);
        }
        for twin in &case.twins {
            if !cases.iter().any(|c| c.path == *twin && c.breaks(case)) {
                flaw(Flaw::NotBroken(twin.clone()));
            }
        }
    }
    if problems.is_empty() { Ok(Corpus { cases }) } else { Err(problems) }
}

/// Reads a folder, whose name ends in a slash or is empty.
fn load_folder<P: Language>(
    root: &Path,
    folder: &str,
    cases: &mut Vec<Case<P>>,
    problems: &mut Vec<Problem>,
) {
    let list_path = format!("{folder}{LIST}");
    let Some(text) = text_of(root, &list_path, problems) else { return };
    let list: List = match toml::from_str(&text) {
        Ok(list) => list,
        Err(error) => {
            let flaw = Flaw::BadList(error.to_string());
            return problems.push(Problem { path: list_path, flaw });
        }
    };
    let ending = format!(".{}", P::NAME);
    let files: BTreeSet<String> =
        names(root, folder, problems).into_iter().filter(|n| n.ends_with(&ending)).collect();
    let mut listed = BTreeSet::new();
    // What others use need not be a model by itself.
    let mut used: BTreeSet<OsString> = BTreeSet::new();
    for Entry { file, note, twin } in list.case {
        let path = format!("{folder}{file}");
        let flaw = match () {
            () if !listed.insert(file.clone()) => Flaw::ListedTwice,
            () if !files.contains(&file) => Flaw::Missing,
            () => {
                let twins = match twin {
                    Twins::One(twin) => vec![twin],
                    Twins::Many(twins) => twins,
                };
                let twins = twins.into_iter().map(|t| format!("{folder}{t}")).collect();
                let Some(text) = text_of(root, &path, problems) else { continue };
                match P::read(&text, &root.join(&path)) {
                    Ok((program, files)) => {
                        let program = Arc::new(program);
                        let source = list.source.clone();
                        let names = files.others().iter().map(|(name, _)| Path::new(name));
                        used.extend(names.filter_map(|name| Some(name.file_name()?.to_owned())));
                        cases.push(Case { path, source, note, twins, text, files, program });
                        continue;
                    }
                    Err(error) => Flaw::NotAModel(error),
                }
            }
        };
        problems.push(Problem { path, flaw });
    }
    let alone = |file: &&String| !used.contains(OsStr::new(file));
    for file in files.difference(&listed).filter(alone) {
        problems.push(Problem { path: format!("{folder}{file}"), flaw: Flaw::NotListed });
    }
}

/// Finds what the `.lin` model at a path uses.
pub fn beside(
    path: &Path,
) -> impl FnMut(Wanted<'_>, &str) -> Result<Option<Found>, String> + use<> {
    let main = path.to_path_buf();
    move |wanted, from| {
        let Wanted::Include(name) = wanted else { return Ok(None) };
        let from = if from.is_empty() { &main } else { Path::new(from) };
        let path = from.with_file_name(name);
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let name = path.display().to_string();
        Ok(Some(Found { key: name.clone(), name, text }))
    }
}

/// The first of some diagnostics, with its line.
fn first(text: &str, diagnostics: &[Diagnostic]) -> String {
    let Some(first) = diagnostics.first() else { return "cannot be loaded".to_string() };
    let (line, _) = line_column(text, first.primary.span.start);
    format!("line {line}: {}", first.message)
}

fn text_of(root: &Path, path: &str, problems: &mut Vec<Problem>) -> Option<String> {
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
