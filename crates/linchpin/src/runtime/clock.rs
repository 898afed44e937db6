//! Vector clocks: what of every thread has happened before (Fidge 1988; Mattern 1989).
//!
//! Fixed in size, so that they are copied and joined without a thought. Two orders are kept with them: the *trace* order of
//! `explore`, in which everything that does not commute is ordered, and the order of *synchronisation*, by which data
//! races are found.

/// Most threads of one execution, the first one included.
pub(crate) const MAX_THREADS: usize = 16;

/// How many events of every thread have happened before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock([u32; MAX_THREADS]);

impl Clock {
    pub(crate) fn get(&self, thread: usize) -> u32 {
        self.0[thread]
    }

    pub(crate) fn set(&mut self, thread: usize, time: u32) {
        self.0[thread] = time;
    }

    /// The next event of a thread.
    pub(crate) fn tick(&mut self, thread: usize) -> u32 {
        self.0[thread] += 1;
        self.0[thread]
    }

    /// What has happened before one or the other.
    pub(crate) fn join(&mut self, other: &Clock) {
        for (mine, other) in self.0.iter_mut().zip(other.0) {
            *mine = (*mine).max(other);
        }
    }

    /// The first thread of which the other clock does not know everything.
    pub(crate) fn beyond(&self, other: &Clock) -> Option<usize> {
        (0..MAX_THREADS).find(|&t| self.0[t] > other.0[t])
    }
}
