//! Comparing something for many seeds on all cores; a difference is made small before it is shown.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::differential::{Agreement, Disagreement};
use crate::{minimise, parallel};

/// What `compare` finds out about the text of each seed, in the order of the seeds.
///
/// # Panics
/// If it finds a difference, with that, and with a smaller text for which it finds one, too.
pub fn on_all<R: Send>(
    seeds: &[u64],
    text: impl Fn(u64) -> String + Sync,
    compare: impl Fn(&str, u64) -> Result<R, String> + Sync,
) -> Vec<R> {
    let differs = AtomicBool::new(false);
    let results = parallel::map(seeds, parallel::cores(), |&seed| {
        if differs.load(Ordering::Relaxed) {
            return None;
        }
        let result = compare(&text(seed), seed);
        differs.fetch_or(result.is_err(), Ordering::Relaxed);
        Some((seed, result))
    });
    let mut found = Vec::new();
    for (seed, result) in results.into_iter().flatten() {
        match result {
            Ok(result) => found.push(result),
            Err(what) => {
                let small = minimise(&text(seed), |t: &str| {
                    compare(t, seed).is_err_and(|d| !d.starts_with(Disagreement::NOT_LOADED))
                });
                panic!("seed {seed} (run again with LINCHPIN_SEED={seed}): {what}\n{small}");
            }
        }
    }
    found
}

/// How often each agreement was reached, and of how many programs.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    programs: usize,
    counts: [usize; 7],
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [holds, histories, faults, deadlocks, too_big, open, unspecified] = self.counts;
        write!(
            f,
            "{holds} hold, {histories} violated, {faults} faults, {deadlocks} deadlocks ({} % wrong), {too_big} \
             too big for the oracle, {open} depend on the heap bound, {unspecified} without specification",
            self.wrong()
        )
    }
}

impl Tally {
    /// Counts the agreements about programs, of which each can have several checks.
    pub fn of(programs: &[Vec<Agreement>]) -> Tally {
        let mut counts = [0; 7];
        programs.iter().flatten().for_each(|a| counts[*a as usize] += 1);
        Tally { programs: programs.len(), counts }
    }

    /// How often was this one reached?
    pub fn count(&self, agreement: Agreement) -> usize {
        self.counts[agreement as usize]
    }

    /// How many of a hundred programs that were decided are violated in some way.
    pub fn wrong(&self) -> usize {
        let [holds, histories, faults, deadlocks, ..] = self.counts;
        let wrong = histories + faults + deadlocks;
        100 * wrong / (holds + wrong).max(1)
    }

    /// Prints the figures.
    ///
    /// # Panics
    /// If there are many programs and the oracle decides less than one in `decided` of them, or less
    /// than one in `holding` or `violated` of these holds or is violated: the comparison would say
    /// little.
    pub fn expect(&self, what: &str, decided: usize, holding: usize, violated: usize) {
        println!("{what}: {self}");
        if self.programs >= 100 {
            let [holds, histories, faults, deadlocks, ..] = self.counts;
            let wrong = histories + faults + deadlocks;
            let all = holds + wrong;
            assert!(holds * holding > all, "too few programs hold");
            assert!(wrong * violated > all, "too few programs are violated");
            assert!(all * decided > self.programs, "the oracle decides too few programs");
        }
    }
}
