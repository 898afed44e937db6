//! What comes of a question: a verdict, and how much work it was.
//!
//! Every question of every language ends in one of three ways. It holds; it does not, and something
//! shows that; or it is not known, and a [`Limit`] says why. What shows a violation depends on the
//! question (a schedule, a path, a formula), so that a verdict is generic over it. What cannot be
//! asked at all is no verdict but an error, and has types of its own.

use serde::{Deserialize, Serialize};

/// The answer to a question, with `W` as the evidence of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<W> {
    /// It holds, within the bounds that were given.
    Holds,
    /// It does not, and this shows it.
    Violated(W),
    /// It is not known.
    Unknown(Limit),
}

impl<W> Verdict<W> {
    /// Does it hold?
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Holds)
    }

    /// Is it violated?
    pub fn is_violated(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }

    /// The limit because of which it is not known, if it is not.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Verdict::Unknown(limit) => Some(*limit),
            _ => None,
        }
    }

    /// The evidence of a violation.
    pub fn evidence(&self) -> Option<&W> {
        match self {
            Verdict::Violated(evidence) => Some(evidence),
            _ => None,
        }
    }

    /// The same verdict with other evidence.
    pub fn map<V>(self, evidence: impl FnOnce(W) -> V) -> Verdict<V> {
        match self {
            Verdict::Holds => Verdict::Holds,
            Verdict::Violated(w) => Verdict::Violated(evidence(w)),
            Verdict::Unknown(limit) => Verdict::Unknown(limit),
        }
    }

    /// The name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Why a verdict is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Limit {
    /// Too many states.
    States,
    /// Too much memory.
    Memory,
    /// Out of time.
    Time,
    /// A step of the model was given up: it is too long, or has too many choices.
    Step,
    /// The user interrupted it.
    Interrupted,
    /// It ended, but it was never going to look at everything.
    Method,
    /// It found a violation, but what happened is too long to be judged again.
    Unconfirmed,
    /// It found a history that may or may not be completed by one that is longer than what was tried.
    Continuations,
    /// A process that searched together with this one is lost.
    Lost,
}

impl Limit {
    /// [`Limit::Step`] in words.
    pub const TOO_LONG: &str =
        "a step was given up: with all its choices it takes more than 16 777 216 instructions";

    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Limit::States => "states",
            Limit::Memory => "memory",
            Limit::Time => "time",
            Limit::Step => "step",
            Limit::Interrupted => "interrupted",
            Limit::Method => "method",
            Limit::Unconfirmed => "unconfirmed",
            Limit::Continuations => "continuations",
            Limit::Lost => "lost",
        }
    }
}

/// How much work a search was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Different states.
    pub states: u64,
    /// Different nodes: states with their tags.
    pub nodes: u64,
    /// Steps computed.
    pub transitions: u64,
    /// Levels completed.
    pub depth: u32,
    /// Largest level.
    pub widest: u64,
    /// The most bytes that were in use.
    pub memory: u64,
}
