//! How far a search may go, and who watches it.

use linchpin_lts::{Figures, Limit, Watch};

use crate::keeping::Keeper;
use crate::together::Peers;

static NOBODY: Watch = Watch::NEVER;

/// Limits of a search. The clock, the terminal and the operating system are on the other side of
/// `watch`, the allocator is behind `memory`.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// How many threads of the machine to use; no result depends on it.
    pub workers: usize,
    /// Most nodes to store.
    pub max_states: Option<u64>,
    /// Most bytes in use.
    pub max_memory: Option<u64>,
    /// The bytes in use now. Nobody below knows them: a sum of the sizes of tables leaves out
    /// whatever was forgotten.
    pub memory: &'a (dyn Fn() -> u64 + Sync),
    /// Called again and again, by all workers, after little work; may end the search.
    pub watch: &'a (dyn Fn(&Progress) -> Option<Limit> + Sync),
    /// The same limits except that of states, for whoever asks in the middle of something: systems keep it.
    pub within: &'a Watch,
    /// Who keeps searches for another run, if anybody does.
    pub keeper: Option<&'a dyn Keeper>,
    /// The other processes, if several search together.
    pub peers: Option<&'a dyn Peers>,
}

impl Budget<'_> {
    /// No limit, one worker.
    pub const UNLIMITED: Budget<'static> = Budget {
        workers: 1,
        max_states: None,
        max_memory: None,
        memory: &|| 0,
        watch: &|_| None,
        within: &NOBODY,
        keeper: None,
        peers: None,
    };

    /// The limit that a search has reached, if any.
    pub fn exceeded(&self, progress: &Progress) -> Option<Limit> {
        match self.max_states {
            Some(max) if progress.statistics.nodes > max => Some(Limit::States),
            _ => self.told(progress),
        }
    }

    /// The limit that has been reached from outside, if any: memory, time, an interrupt.
    pub(crate) fn told(&self, progress: &Progress) -> Option<Limit> {
        match self.max_memory {
            Some(max) if (self.memory)() > max => Some(Limit::Memory),
            _ => (self.watch)(progress),
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Figures so far.
    pub statistics: Figures,
    /// Nodes of the current level that are still to be expanded.
    pub frontier: u64,
}
