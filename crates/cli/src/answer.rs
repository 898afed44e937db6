//! An answer, as every format needs it.
//!
//! A question of any language ends in an [`Answer`], and whoever shows answers knows nothing else. A
//! new language or question writes its text and its JSON; test results, annotations and pages come
//! from what all answers have in common, unless there is more to show.

use std::path::Path;
use std::time::Duration;

use linchpin_evidence::explain::Explanation;
use linchpin_lin::{Span, line_column};
use serde_json::{Value as Json, json};

use crate::exit::Exit;
use crate::render::numbers::seconds;
use crate::render::verdict::Limits;
use crate::screen::Screen;

/// How much of an answer people want to see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct View {
    /// Is it one of several files, so that the file has to be named?
    pub(crate) several: bool,
    /// The verdict only.
    pub(crate) quiet: bool,
    /// Everything.
    pub(crate) verbose: bool,
    /// Why no order of the operations explains a history, at length.
    pub(crate) explain: bool,
}

/// What was asked.
pub(crate) struct Asked<'a> {
    /// The file.
    pub(crate) path: &'a Path,
    /// Its text, and where the question is in it; nothing, if it is not in the text.
    pub(crate) place: Option<(&'a str, Span)>,
    /// The question by name.
    pub(crate) name: String,
    /// The command that asks it again.
    pub(crate) command: &'a str,
    /// How long the answer took.
    pub(crate) elapsed: Duration,
}

/// What came of a question.
pub(crate) trait Answer {
    /// What was asked.
    fn asked(&self) -> Asked<'_>;

    /// The text of the file, if the question is in it.
    fn source(&self) -> &str {
        self.asked().place.map_or("", |(text, _)| text)
    }

    /// The other files of the model: path and text.
    fn others(&self) -> Vec<(&Path, &str)> {
        Vec::new()
    }

    /// The line of the question, from 1.
    fn line(&self) -> usize {
        self.asked().place.map_or(1, |(text, span)| line_column(text, span.start).0)
    }

    /// The verdict in a sentence, without the name.
    fn sentence(&self, screen: &Screen, limits: &Limits) -> String;

    /// What shows it, in sentences.
    fn details(&self) -> Vec<String>;

    /// Do the details stand under each other, as lines of a program do?
    fn aligned(&self) -> bool {
        false
    }

    /// The sentence in a few words.
    fn headline(&self, sentence: &str) -> String {
        sentence.split([':', ';', ',']).next().unwrap_or_default().to_string()
    }

    /// Figures with their names.
    fn figures(&self) -> Vec<(&'static str, String)> {
        vec![("time", seconds(self.asked().elapsed))]
    }

    /// Is it what the file expects? `None`: the file does not say, or nothing is known.
    fn expected(&self) -> Option<bool> {
        None
    }

    /// What shows it, if it is an execution of an object.
    fn explanation(&self) -> Option<&Explanation> {
        None
    }

    /// How many states were looked at.
    fn searched(&self) -> u64 {
        0
    }

    /// The execution that shows it, as a page draws it.
    fn witness(&self) -> Option<Json> {
        None
    }

    /// The answer in sentences, with figures and pictures of lines.
    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String;

    /// For programs.
    fn json(&self) -> Json;

    /// For a browser; `file` is the number of the file on the page.
    fn page(&self, limits: &Limits, exit: Exit, file: usize) -> Json {
        page(self, limits, exit, file)
    }
}

/// An answer on a page, as all answers are.
pub(crate) fn page<A: Answer + ?Sized>(
    answer: &A,
    limits: &Limits,
    exit: Exit,
    file: usize,
) -> Json {
    let (sentence, asked) = (answer.sentence(&Screen::PLAIN, limits), answer.asked());
    json!({
        "name": asked.name,
        "source": file,
        "line": answer.line(),
        "verdict": exit.word(),
        "headline": answer.headline(&sentence),
        "sentence": format!("{}: {sentence}.", asked.name),
        "bounds": "",
        "command": asked.command,
        "figures": answer.figures(),
        "because": answer.details(),
        "aligned": answer.aligned(),
        "reductions": [],
        "witness": answer.witness(),
    })
}
