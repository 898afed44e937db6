//! How far a search may go, and who watches it.

use linchpin_lts::{Figures as Statistics, Limit};

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
