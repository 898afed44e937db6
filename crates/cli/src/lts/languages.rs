//! Which languages systems can be written in; what is wrong with a text is shown in the text.
//!
//! A language adds itself in [`load`]: anything that is a [`linchpin_lts::LabelledSystem`] will do.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use linchpin_engine::{Limit, Progress, Statistics};
use linchpin_lts::{Trouble, read_aut};
use linchpin_model::Span;
use linchpin_syntax::{Diagnostic, Label, Severity};

use super::clients::Clients;
use super::options::Common;
use super::system::{Given, System};
use super::{Failure, Session};
use crate::input::{self, InputError, Passages, reason};
use crate::outcome::{Kind, Problem};
use crate::screen::Screen;
use crate::watch::Watch;

/// The extensions that are known, for messages.
const KNOWN: &str = ".aut, .lin, .mcrl2, .csp";

impl Session<'_> {
    /// The system in a file.
    pub(super) fn load(&self, path: &Path) -> Result<Given, Failure> {
        load(path, self.common, self.screen, self.watch)
    }
}

fn load(
    path: &Path,
    common: &Common,
    screen: &Screen,
    watch: &Watch<'_>,
) -> Result<Given, Failure> {
    let (file, process) = named_process(path);
    let given = |system: System, text: String| Given { path: file.clone(), text, system };
    if path.as_os_str() == "-" {
        return Ok(given(aut(path, std::io::stdin().lock(), watch)?, String::new()));
    }
    match file.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "aut" => {
            let unreadable =
                |e: std::io::Error| Problem::of_input(&file, InputError::Unreadable(reason(&e)));
            let input = File::open(&file).map_err(unreadable)?;
            Ok(given(aut(&file, input, watch)?, String::new()))
        }
        "lin" => {
            let clients = Clients::load(&file, common, screen)?;
            Ok(given(System::Computed(Box::new(clients)), String::new()))
        }
        "mcrl2" => {
            let text = input::read(&file).map_err(|e| Problem::of_input(&file, e))?;
            let system = linchpin_mcrl2::load(&text).map_err(|d| wrong(&file, &text, d))?;
            Ok(given(System::Computed(Box::new(system)), text))
        }
        "csp" => {
            let text = input::read(&file).map_err(|e| Problem::of_input(&file, e))?;
            let loaded = linchpin_csp::load(&text).map_err(|d| wrong(&file, &text, d))?;
            let Some(process) = process else {
                let message = "say which process is meant: FILE.csp:PROCESS".to_string();
                return Err(Problem::new(Kind::NoSuchCheck, &file, message).into());
            };
            let Some(system) = loaded.model.system(&process) else {
                let message = format!("there is no process `{process}` without parameters");
                return Err(Problem::new(Kind::NoSuchCheck, &file, message).into());
            };
            let given_text = text.clone();
            let system = system.map_err(|trouble| troubled(&file, &text, trouble))?;
            Ok(given(System::Computed(Box::new(system)), given_text))
        }
        _ => {
            let message = format!("this is none of the kinds of systems and models ({KNOWN})");
            Err(Problem::new(Kind::Unsupported, &file, message).into())
        }
    }
}

/// `stack.csp:Push` is the process `Push` of `stack.csp`.
fn named_process(path: &Path) -> (PathBuf, Option<String>) {
    let text = path.to_string_lossy();
    match text.rsplit_once(".csp:") {
        Some((file, process)) => (PathBuf::from(format!("{file}.csp")), Some(process.to_string())),
        None => (path.to_path_buf(), None),
    }
}

fn wrong(path: &Path, text: &str, diagnostics: Vec<Diagnostic>) -> Problem {
    let passages = Passages { text: text.to_string(), diagnostics };
    Problem::of_input(path, InputError::Wrong(passages))
}

/// A model that cannot say what comes next, with the place in its text if there is one.
pub(super) fn troubled(path: &Path, text: &str, trouble: Trouble) -> Failure {
    let problem = Problem::new(Kind::Unsupported, path, trouble.message.clone());
    let Some((from, to)) = trouble.at.filter(|(_, to)| *to as usize <= text.len()) else {
        return problem.into();
    };
    let span = Span::new(from as usize, to as usize);
    let diagnostic = Diagnostic {
        severity: Severity::Error,
        code: "",
        message: trouble.message,
        primary: Label { span, text: String::new() },
        secondary: Vec::new(),
        notes: Vec::new(),
        help: None,
        edits: Vec::new(),
    };
    let passages = Passages { text: text.to_string(), diagnostics: vec![diagnostic] };
    Problem { passages: Box::new(passages), ..problem }.into()
}

/// Reads an Aldebaran file.
fn aut(path: &Path, input: impl Read, watch: &Watch<'_>) -> Result<System, Failure> {
    let stopped = Cell::new(None);
    let watched = BufReader::with_capacity(1 << 20, Watched { input, watch, stopped: &stopped });
    let result = read_aut(watched);
    if let Some(limit) = stopped.get() {
        return Err(Failure::Limit(limit));
    }
    let wrong =
        |error: linchpin_lts::AutError| Problem::new(Kind::Undecodable, path, error.to_string());
    Ok(System::Explicit(result.map_err(wrong)?))
}

/// Input that ends when the user or the clock says so.
struct Watched<'a, R> {
    input: R,
    watch: &'a Watch<'a>,
    stopped: &'a Cell<Option<Limit>>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let progress = Progress { statistics: Statistics::default(), frontier: 0 };
        if let Some(limit) = self.watch.look(&progress) {
            self.stopped.set(Some(limit));
            return Err(std::io::Error::other("stopped"));
        }
        self.input.read(buffer)
    }
}
