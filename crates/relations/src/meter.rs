//! Asks now and then whether the budget allows going on.

use linchpin_engine::{Budget, Limit, Progress, Statistics};
use linchpin_lts::Trouble;

/// Units of work between two questions.
const INTERVAL: u64 = 4_096;

/// Why an algorithm ends without an answer.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The system cannot say what comes after a state.
    Trouble(Trouble),
    /// A limit was reached.
    Limit(Limit),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Stop::Trouble(trouble)
    }
}

/// A budget and the figures that are compared with it.
pub(crate) struct Meter<'a, 'b> {
    budget: &'a Budget<'b>,
    /// Figures as far as they are known; the algorithm keeps them up to date.
    pub(crate) statistics: Statistics,
    /// Work that is still to be done, for the user.
    pub(crate) frontier: u64,
    work: u64,
    next: u64,
}

impl<'a, 'b> Meter<'a, 'b> {
    /// Nothing done yet.
    pub(crate) fn new(budget: &'a Budget<'b>) -> Self {
        Meter { budget, statistics: Statistics::default(), frontier: 0, work: 0, next: INTERVAL }
    }

    /// Some work was done; is it time to ask?
    #[inline]
    pub(crate) fn due(&mut self, work: u64) -> bool {
        self.work += work;
        self.work >= self.next
    }

    /// Asks.
    pub(crate) fn ask(&mut self) -> Result<(), Stop> {
        self.next = self.work + INTERVAL;
        let progress = Progress { statistics: self.statistics, frontier: self.frontier };
        self.budget.exceeded(&progress).map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// Some work was done on a system of which so many states are known.
    #[inline]
    pub(crate) fn tick(&mut self, work: u64, states: u32) -> Result<(), Stop> {
        if self.due(work) {
            self.statistics.nodes = self.statistics.nodes.max(u64::from(states));
            self.ask()?;
        }
        Ok(())
    }
}
