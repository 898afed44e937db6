//! How far a search may go, and who watches it.

use crate::search::Statistics;

/// Limits of a search. The clock, the terminal and the operating system are on the other side of
/// `watch`.
pub struct Budget<'a> {
    /// Most nodes to store.
    pub max_states: Option<u64>,
    /// Most bytes to use, as the search counts them.
    pub max_memory: Option<u64>,
    /// Called again and again, by all workers, after little work; may end the search.
    pub watch: &'a (dyn Fn(&Progress) -> Option<Limit> + Sync),
}

impl Budget<'_> {
    /// No limit.
    pub const UNLIMITED: Budget<'static> =
        Budget { max_states: None, max_memory: None, watch: &|_| None };

    /// The limit that a search has reached, if any.
    pub fn exceeded(&self, progress: &Progress) -> Option<Limit> {
        let s = &progress.statistics;
        match () {
            () if self.max_states.is_some_and(|max| s.nodes > max) => Some(Limit::States),
            () if self.max_memory.is_some_and(|max| s.memory > max) => Some(Limit::Memory),
            () => (self.watch)(progress),
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Figures so far.
    pub statistics: Statistics,
    /// Nodes of the current level that are still to be expanded.
    pub frontier: u64,
}

/// Why a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}
