//! Executions at random, when there are too many: a uniform choice at every event, or priorities with few changes.
//!
//! Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs" (ASPLOS
//! 2010): threads have random priorities, and at a few random events that of whoever runs becomes the lowest. A mistake
//! that needs d events in a certain order is found with probability at least 1/(n k^(d-1)).

use crate::runtime::event::{Event, Mask};
use crate::runtime::scheduler::Chooser;

/// How it is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Every thread that can go on with the same probability.
    Uniform,
    /// By priorities, with so many changes.
    Priorities(u32),
}

/// Numbers at random: SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
}

/// Random executions.
pub(crate) struct Walk {
    way: Way,
    random: Random,
    priorities: Vec<u64>,
    changes: Vec<u64>,
    events: u64,
    /// How long executions are, as far as is known.
    longest: u64,
}

impl Walk {
    pub(crate) fn new(way: Way, seed: u64) -> Walk {
        let random = Random(seed);
        let (priorities, changes) = (Vec::new(), Vec::new());
        let mut walk = Walk { way, random, priorities, changes, events: 0, longest: 20 };
        walk.next(0);
        walk
    }

    /// Prepares the next execution, after one of this length.
    pub(crate) fn next(&mut self, length: usize) {
        self.longest = self.longest.max(length as u64);
        self.events = 0;
        self.priorities.clear();
        if let Way::Priorities(changes) = self.way {
            self.changes = (0..changes).map(|_| self.random.below(self.longest)).collect();
        }
    }
}

impl Chooser for Walk {
    fn choose(&mut self, enabled: Mask, _last: Option<u8>) -> Option<u8> {
        let possible = (0..32u8).filter(|t| enabled & 1 << t != 0);
        let chosen = match self.way {
            Way::Uniform => {
                let which = self.random.below(u64::from(enabled.count_ones()));
                possible
                    .skip(1)
                    .take(which as usize)
                    .last()
                    .unwrap_or(enabled.trailing_zeros() as u8)
            }
            Way::Priorities(_) => {
                while self.priorities.len() < 32 - enabled.leading_zeros() as usize {
                    // Above all that were lowered.
                    self.priorities.push(self.random.next() | 1 << 63);
                }
                let priorities = &self.priorities;
                let chosen = possible.max_by_key(|&t| priorities[usize::from(t)])?;
                if let Some(lowered) = self.changes.iter().position(|&c| c == self.events) {
                    self.priorities[usize::from(chosen)] = lowered as u64;
                }
                chosen
            }
        };
        self.events += 1;
        Some(chosen)
    }

    fn executed(&mut self, _events: &[Event]) -> bool {
        true
    }
}
