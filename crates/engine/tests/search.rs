//! The search stops soon after it is told to, and being watched changes nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use linchpin_engine::{
    Budget, Cover, Ending, Figures, Found, Limit, Plan, Progress, Space, search,
};

/// From every pair of numbers below `side` to the two pairs with one number more. Counts expansions.
struct Grid {
    side: u32,
    wrong: Option<[u32; 2]>,
    expanded: AtomicU64,
    met: AtomicBool,
}

impl Grid {
    fn new(side: u32) -> Self {
        Grid { side, wrong: None, expanded: AtomicU64::new(0), met: AtomicBool::new(false) }
    }
}

impl Cover for Grid {
    fn covers(&self, small: u32, large: u32) -> bool {
        small == large
    }
}

impl Space for Grid {
    type Worker = ();
    type Violation = [u32; 2];

    fn worker(&self) {}

    fn initial(&self, (): &mut (), found: &mut dyn FnMut(Found<'_, [u32; 2]>)) {
        // A wide level from the beginning: the search is in a batch all the time.
        for x in 0..self.side {
            found(Found::node(&[x, 0], 0));
        }
    }

    fn expand(
        &self,
        (): &mut (),
        state: &[u32],
        tag: u32,
        found: &mut dyn FnMut(Found<'_, [u32; 2]>),
    ) {
        self.expanded.fetch_add(1, Ordering::Relaxed);
        for next in [[state[0] + 1, state[1]], [state[0], state[1] + 1]] {
            if self.wrong == Some(next) {
                self.met.store(true, Ordering::Relaxed);
                found(Found::Violation(next));
            } else if next.iter().all(|&n| n < self.side) {
                found(Found::node(&next, tag));
            }
        }
    }
}

fn watched(
    grid: &Grid,
    workers: usize,
    watch: &(dyn Fn(&Progress) -> Option<Limit> + Sync),
) -> (Ending<[u32; 2]>, Figures) {
    search(grid, Plan::default(), &Budget { workers, watch, ..Budget::UNLIMITED })
}

#[test]
fn a_search_stops_within_a_few_nodes_of_each_worker() {
    for workers in [1, 2, 8] {
        for told in [1, 2, 10, 50, 500] {
            let grid = Grid::new(30_000);
            let asked = AtomicU64::new(0);
            let expanded_then = AtomicU64::new(0);
            let (ending, _) = watched(&grid, workers, &|_| {
                let stop = asked.fetch_add(1, Ordering::Relaxed) >= told;
                let now = grid.expanded.load(Ordering::Relaxed);
                if stop {
                    let _ = expanded_then.compare_exchange(
                        0,
                        now,
                        Ordering::Relaxed,
                        Ordering::Relaxed,
                    );
                }
                stop.then_some(Limit::Time)
            });
            assert!(matches!(ending, Ending::Stopped(Limit::Time)), "{ending:?}");
            let then = expanded_then.into_inner();
            let late = grid.expanded.into_inner() - then;
            assert!(then > 0, "it had begun");
            assert!(late <= 4 * workers as u64, "{late} nodes late with {workers} workers");
        }
    }
}

#[test]
fn being_watched_changes_nothing() {
    for wrong in [None, Some([150, 120])] {
        let plain = || Grid { wrong, ..Grid::new(200) };
        let (first, figures) = watched(&plain(), 1, &|_| None);
        for workers in [2, 5] {
            let asked = AtomicU64::new(0);
            let (ending, again) = watched(&plain(), workers, &|_| {
                asked.fetch_add(1, Ordering::Relaxed);
                None
            });
            assert_eq!(format!("{ending:?}"), format!("{first:?}"));
            assert_eq!(again, figures);
            assert!(asked.into_inner() > 1000);
        }
    }
}

#[test]
fn what_was_found_before_the_search_was_told_to_stop_counts() {
    let told = AtomicBool::new(false);
    for x in 0..10 {
        let wrong = [x * 1000, 1];
        let grid = Grid { wrong: Some(wrong), ..Grid::new(30_000) };
        let (ending, _) = watched(&grid, 1, &|_| {
            let met = grid.met.load(Ordering::Relaxed);
            told.fetch_or(met, Ordering::Relaxed);
            met.then_some(Limit::Time)
        });
        assert!(matches!(ending, Ending::Violation { violation, .. } if violation == wrong));
    }
    assert!(told.into_inner(), "chunks were left");
}

#[test]
fn limits_of_states_do_not_depend_on_workers() {
    let stopped = |workers| {
        let budget = Budget { workers, max_states: Some(10_000), ..Budget::UNLIMITED };
        let (ending, figures) = search(&Grid::new(400), Plan::default(), &budget);
        assert!(matches!(ending, Ending::Stopped(Limit::States)));
        figures
    };
    assert_eq!(stopped(1), stopped(4));
}
