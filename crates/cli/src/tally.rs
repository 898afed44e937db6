//! Several answers in one line: how many are as expected, how many are not, how many are missing.
//!
//! Where a file says what is expected, that decides. Where nothing is said, what holds is expected.

use std::time::Duration;

use crate::answer::Answer;
use crate::exit::Exit;
use crate::render::numbers::{counted, seconds};
use crate::screen::{Screen, Tone};

/// How answers are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Expected,
    Unexpected,
    Unknown,
}

/// Answers that were counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    expected: usize,
    unexpected: usize,
    unknown: usize,
    /// How many of them have an answer.
    answers: usize,
    states: u64,
    elapsed: Duration,
}

impl Tally {
    /// Counts an answer.
    pub(crate) fn add(&mut self, answer: &dyn Answer, exit: Exit) {
        let kind = match (answer.expected(), exit) {
            (Some(true), _) | (None, Exit::Holds) => Kind::Expected,
            (Some(false), _) => Kind::Unexpected,
            (None, Exit::Unknown) => Kind::Unknown,
            (None, _) => Kind::Unexpected,
        };
        *self.count(kind) += 1;
        self.answers += 1;
        self.states += answer.searched();
        self.elapsed += answer.asked().elapsed;
    }

    /// Counts that there is no answer.
    pub(crate) fn problem(&mut self) {
        *self.count(Kind::Unexpected) += 1;
    }

    fn count(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Expected => &mut self.expected,
            Kind::Unexpected => &mut self.unexpected,
            Kind::Unknown => &mut self.unknown,
        }
    }

    fn checks(&self) -> usize {
        self.expected + self.unexpected + self.unknown
    }

    /// Are there several, with anything to say about them but that there is no answer?
    pub(crate) fn is_worth_a_line(&self) -> bool {
        self.checks() > 1 && self.answers > 0
    }

    /// `12 345 states, 1.2 s`
    pub(crate) fn total(&self) -> String {
        let states = match self.states {
            0 => String::new(),
            n => format!("{}, ", counted(n, "state")),
        };
        format!("{states}{}", seconds(self.elapsed))
    }

    /// `5 checks: 3 as expected, 1 unexpected, 1 unknown; 12 345 states, 1.2 s`
    pub(crate) fn sentence(&self, screen: &Screen) -> String {
        let part = |n: usize, word: &str, tone: Tone| match n {
            0 => format!("{n} {word}"),
            _ => screen.paint(tone, format!("{n} {word}")),
        };
        format!(
            "{} checks: {}, {}, {}; {}",
            self.checks(),
            part(self.expected, "as expected", Tone::Good),
            part(self.unexpected, "unexpected", Tone::Bad),
            part(self.unknown, "unknown", Tone::Doubtful),
            screen.paint(Tone::Quiet, self.total())
        )
    }
}
