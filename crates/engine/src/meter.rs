//! The one way to ask whether to go on, for work that is not a search: on what a search has found.

use linchpin_lts::{Figures, Limit, Trouble};

use crate::budget::{Budget, Progress};

/// Units of work between two questions.
const INTERVAL: u64 = 4_096;

/// Why work ends without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The system cannot say what comes after a state.
    Trouble(Trouble),
    /// A limit was reached.
    Limit(Limit),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        match trouble.limit {
            Some(limit) => Stop::Limit(limit),
            None => Stop::Trouble(trouble),
        }
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// Counts work and asks a budget now and then.
pub struct Meter<'a, 'b> {
    budget: &'a Budget<'b>,
    /// Figures of the search before, which the user goes on to see.
    statistics: Figures,
    work: u64,
    next: u64,
}

impl<'a, 'b> Meter<'a, 'b> {
    /// Nothing done yet.
    pub fn new(budget: &'a Budget<'b>) -> Self {
        Meter::after(budget, Figures::default())
    }

    /// Nothing done yet after a search with these figures.
    pub fn after(budget: &'a Budget<'b>, statistics: Figures) -> Self {
        Meter { budget, statistics, work: 0, next: INTERVAL }
    }

    /// So many states or nodes are known, which may be too many.
    pub fn seen(&mut self, nodes: u64) {
        self.statistics.nodes = self.statistics.nodes.max(nodes);
    }

    /// Some work was done.
    #[inline]
    pub fn tick(&mut self, work: u64) -> Result<(), Limit> {
        self.work += work;
        if self.work < self.next { Ok(()) } else { self.ask() }
    }

    /// Is there room for so many more? Asked before something large is made.
    pub fn room<T>(&self, count: usize) -> Result<(), Limit> {
        self.budget.within.room::<T>(count)
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Limit> {
        self.next = self.work + INTERVAL;
        let progress = Progress { statistics: self.statistics, frontier: 0 };
        self.budget.exceeded(&progress).map_or(Ok(()), Err)
    }
}
