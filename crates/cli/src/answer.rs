//! An answer, as every format needs it.
//!
//! A question of any language ends in an [`Answer`], and whoever shows answers knows nothing else. A
//! new language or question writes its text and its JSON; test results, annotations and pages come
//! from what all answers have in common, unless there is more to show.

use std::path::Path;
use std::time::Duration;

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

/// What came of a question.
pub(crate) trait Answer {
    /// The file.
    fn path(&self) -> &Path;

    /// Its text, if that is of interest.
    fn source(&self) -> &str {
        ""
    }

    /// The line of the question, from 1.
    fn line(&self) -> usize {
        1
    }

    /// The question by name.
    fn name(&self) -> String;

    /// How long it took.
    fn elapsed(&self) -> Duration;

    /// The verdict in a sentence, without the name.
    fn sentence(&self, screen: &Screen, limits: &Limits) -> String;

    /// What shows it, in sentences.
    fn details(&self) -> Vec<String>;

    /// The command that shows it again.
    fn command(&self) -> &str;

    /// Figures with their names.
    fn figures(&self) -> Vec<(&'static str, String)> {
        vec![("time", seconds(self.elapsed()))]
    }

    /// The execution that shows it, as a page draws it.
    fn witness(&self) -> Option<Json> {
        None
    }

    /// For people.
    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String;

    /// For programs.
    fn json(&self) -> Json;

    /// For a browser; `file` is the number of the file on the page.
    fn page(&self, limits: &Limits, exit: Exit, file: usize) -> Json {
        let sentence = self.sentence(&Screen::PLAIN, limits);
        json!({
            "name": self.name(),
            "source": file,
            "line": self.line(),
            "verdict": exit.word(),
            "headline": sentence.split([':', ';', ',']).next(),
            "sentence": format!("{}: {sentence}.", self.name()),
            "bounds": "",
            "command": self.command(),
            "figures": self.figures(),
            "because": self.details(),
            "reductions": [],
            "witness": self.witness(),
        })
    }
}
