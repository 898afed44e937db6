//! What is known about a check, or about a file, in the end. Renderers show it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use linchpin_check::Report;
use linchpin_evidence::explain::{self, Explanation};
use linchpin_lin::program::{Check, Condition, Expect};
use linchpin_lin::{Diagnostic, Label, Severity};
use linchpin_lin::{Returned, Span};
use linchpin_lts::{Limit, Schedule};

use crate::exit::Exit;
use crate::input::{Passages, Source};

/// A check that was decided.
pub(crate) struct Decided<'a> {
    /// The file.
    pub(crate) source: &'a Source,
    /// The check, with the bounds that were used.
    pub(crate) check: &'a Check,
    /// Verdict and figures.
    pub(crate) report: Report,
    /// How long it took.
    pub(crate) elapsed: Duration,
    /// The violation, judged and explained, with the schedule as it was replayed.
    pub(crate) violation: Option<(Schedule, Explanation)>,
    /// The command that shows it again.
    pub(crate) again: String,
    /// What to try, if it is not known.
    pub(crate) advice: Vec<String>,
}

impl Decided<'_> {
    /// What the author of the file expects: as it stands there, or `holds`.
    pub(crate) fn expected(&self) -> &Expect {
        self.check.expect.as_ref().unwrap_or(&Expect::Holds)
    }

    /// What the object is, or is not: of a check of points that found the object itself wrong, that.
    pub(crate) fn adjective(&self) -> &'static str {
        let object = self
            .violation
            .as_ref()
            .is_some_and(|(_, e)| matches!(e.failure, explain::Failure::Response { .. }));
        match object {
            true => Condition::Linearizable.adjective(),
            false => self.check.condition.adjective(),
        }
    }

    /// The operations because of which a verdict says less than it seems to: they never return.
    pub(crate) fn never_returns(&self) -> impl Iterator<Item = &Returned> {
        self.report.covered.never_return().filter(|_| self.report.verdict.holds())
    }

    /// Does the bound on the heap end every execution of clients that call for ever?
    pub(crate) fn all_end(&self) -> bool {
        self.report.covered.all_end && self.report.verdict.holds()
    }

    /// The exit code; with `expect`, according to what the file expects; if it is `strict`, what holds for want of
    /// executions is as bad as a violation.
    pub(crate) fn exit(&self, expect: bool, strict: bool) -> Exit {
        if strict && (self.all_end() || self.never_returns().next().is_some()) {
            return Exit::Violated;
        }
        match expect {
            true if self.report.is_as_expected(self.expected()) => Exit::Holds,
            true => Exit::Violated,
            false => (&self.report.verdict).into(),
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The file cannot be read.
    Unreadable,
    /// The file is not a text.
    Undecodable,
    /// The text has errors.
    Diagnostics,
    /// The file has no checks, or none of that name.
    NoSuchCheck,
    /// A bound given on the command line does not fit.
    Bounds,
    /// The model is correct but cannot be checked.
    Unsupported,
    /// The specification goes wrong.
    Specification,
    /// A defect of Linchpin.
    Internal,
}

impl Kind {
    /// The name for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Unreadable => "unreadable",
            Kind::Undecodable => "undecodable",
            Kind::Diagnostics => "diagnostics",
            Kind::NoSuchCheck => "no_such_check",
            Kind::Bounds => "bounds",
            Kind::Unsupported => "unsupported",
            Kind::Specification => "specification",
            Kind::Internal => "internal",
        }
    }
}

/// Something that cannot be decided.
#[derive(Debug)]
pub(crate) struct Problem {
    /// Why.
    pub(crate) kind: Kind,
    /// The file; empty if no file in particular.
    pub(crate) path: PathBuf,
    /// The check, if it is about one.
    pub(crate) check: Option<String>,
    /// In a sentence.
    pub(crate) message: String,
    /// With places in the text.
    pub(crate) passages: Box<Passages>,
}

impl Problem {
    /// A problem without a place in a text.
    pub(crate) fn new(kind: Kind, path: &Path, message: String) -> Self {
        Problem { kind, path: path.to_path_buf(), check: None, message, passages: Box::default() }
    }

    /// A problem of a check.
    pub(crate) fn of_check(kind: Kind, source: &Source, check: &Check, message: String) -> Self {
        Problem { check: Some(check.name.clone()), ..Problem::new(kind, &source.path, message) }
    }

    /// The same at a place of the file.
    pub(crate) fn at(self, source: &Source, span: Span) -> Self {
        let (path, text, span) = source.place(span);
        Problem { path: path.to_path_buf(), ..self }.inside(text.to_string(), span)
    }

    /// The same at a place of a text.
    pub(crate) fn inside(self, text: String, span: Span) -> Self {
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            code: "",
            message: self.message.clone(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            edits: Vec::new(),
        };
        let passages = Passages { text, diagnostics: vec![diagnostic] };
        Problem { passages: Box::new(passages), ..self }
    }

    /// A text with errors.
    pub(crate) fn wrong(path: &Path, text: String, diagnostics: Vec<Diagnostic>) -> Self {
        let errors = |d: &&Diagnostic| d.severity == Severity::Error;
        let message = match diagnostics.iter().filter(errors).count() {
            1 => "the text has an error".to_string(),
            n => format!("the text has {n} errors"),
        };
        let passages = Box::new(Passages { text, diagnostics });
        Problem { passages, ..Problem::new(Kind::Diagnostics, path, message) }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        if self.kind == Kind::Internal { Exit::Internal } else { Exit::BadInput }
    }
}

/// What ends the work on a question without an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It cannot be decided.
    Problem(Box<Problem>),
    /// A limit was reached.
    Limit(Limit),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::Problem(Box::new(problem))
    }
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}
