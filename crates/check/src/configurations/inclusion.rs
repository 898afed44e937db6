//! Inclusion of closed sets, for antichains.
//!
//! A set is given by its generators; the smaller set is included if its generators are in the closure of
//! the larger one, or worse than something in it, where the condition can compare configurations
//! ([`crate::rules::Rules::allows`]). Answers about pairs, and the closures behind them, are remembered for a
//! while.
//!
//! Most answers are *no*, and there are many pairs. So every set has two *shadows*, of its generators and of
//! its closure: bits for the abstract states with the parts of the threads that occur. A set whose shadow
//! is not part of that of the closure is not included, which takes two words of memory instead of a table
//! of pairs.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linchpin_engine::{Forgetting, SharedCache};
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

use super::{Configuration, Configurations, EMPTY, Memory, Set, SetId};
use crate::part::plain_hasher;

/// At most so many answers about pairs are remembered.
const PAIRS: usize = 1 << 20;
/// Of at most so many sets the shadows are remembered.
const SHADOWS: usize = 1 << 20;
/// Closures are remembered as long as they have at most so many configurations together. (Thirty times as many are
/// not faster, also with five threads.)
const CLOSED: usize = 1 << 12;

/// A closed set, all of it, sorted.
type Closure = Arc<[Configuration]>;

/// What is known about inclusions.
pub(super) struct Inclusions {
    answers: SharedCache<(SetId, SetId), bool>,
    generators: SharedCache<SetId, Shadow>,
    shadows: SharedCache<SetId, Shadow>,
    closures: Mutex<Closures>,
}

/// Closures that are remembered. They may be of any size, so they are counted by that.
struct Closures {
    known: HashMap<SetId, Closure, RandomState>,
    size: usize,
    forgetting: Forgetting,
}

impl Closures {
    fn put(&mut self, set: SetId, closure: Closure) {
        if self.size + closure.len() > self.forgetting.size() {
            self.forgetting.forgot(self.size);
            self.known.clear();
            self.size = 0;
        }
        self.size += closure.len();
        self.known.insert(set, closure);
    }
}

/// Some bits for every abstract state with the parts of the threads in a set of configurations.
#[derive(Clone, Copy, Default)]
struct Shadow([u32; 4]);

impl Shadow {
    /// Of configurations of which so many words count.
    fn of(set: &[Configuration], words: usize) -> Self {
        let mut shadow = Shadow::default();
        for c in set {
            let mut hasher = plain_hasher();
            c[..words].hash(&mut hasher);
            let hash = hasher.finish();
            shadow.0[(hash >> 5 & 3) as usize] |= 1 << (hash & 31);
        }
        shadow
    }

    fn is_part_of(self, other: Shadow) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }
}

impl Inclusions {
    pub(super) fn new() -> Self {
        Inclusions {
            answers: SharedCache::new(PAIRS),
            generators: SharedCache::new(SHADOWS),
            shadows: SharedCache::new(SHADOWS),
            closures: Mutex::new(Closures {
                known: HashMap::default(),
                size: 0,
                forgetting: Forgetting::new(CLOSED),
            }),
        }
    }

    fn closures(&self) -> MutexGuard<'_, Closures> {
        self.closures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer, if it is known or obvious.
    fn known(&self, small: SetId, large: SetId) -> Option<bool> {
        match (self.generators.get(&small), self.shadows.get(&large)) {
            (Some(small), Some(large)) if !small.is_part_of(large) => Some(false),
            _ => self.answers.get(&(small, large)),
        }
    }
}

impl Configurations {
    /// Is the closed set `small` contained in the closed set `large`?
    pub(crate) fn contains(&self, small: SetId, large: SetId) -> bool {
        if small == large || small == EMPTY {
            return true;
        }
        if let Some(known) = self.inclusions.known(small, large) {
            return known;
        }
        self.with_spare(|memory| self.is_contained(memory, small, large))
    }

    fn is_contained(&self, memory: &mut Memory, small: SetId, large: SetId) -> bool {
        let known = &self.inclusions;
        let generators = self.configurations(memory, small);
        let shadow = Shadow::of(&generators, self.threads + 1);
        known.generators.put(small, shadow);
        let closure = self.closure(memory, large);
        let all = known.shadows.get(&large).unwrap_or_else(|| {
            let all = Shadow::of(&closure, self.threads + 1);
            known.shadows.put(large, all);
            all
        });
        let contained = shadow.is_part_of(all) && self.is_within(memory, &generators, &closure);
        known.answers.put((small, large), contained);
        contained
    }

    /// Everything in a set.
    fn closure(&self, memory: &mut Memory, set: SetId) -> Closure {
        if let Some(closure) = self.inclusions.closures().known.get(&set) {
            return closure.clone();
        }
        let generators = self.configurations(memory, set);
        let mut all = Set::default();
        let mut terms = self.vocabulary.terms(memory);
        for c in generators {
            self.below(&mut terms, &c, &mut all);
            all.insert(c);
        }
        terms.forget_since(0);
        let mut all: Vec<Configuration> = all.into_iter().collect();
        all.sort_unstable();
        let closure = Closure::from(all);
        self.inclusions.closures().put(set, closure.clone());
        closure
    }

    fn is_within(
        &self,
        memory: &mut Memory,
        small: &[Configuration],
        closure: &[Configuration],
    ) -> bool {
        let missing = small.iter().filter(|c| closure.binary_search(c).is_err());
        let missing: SmallVec<[&Configuration; 8]> = missing.collect();
        if missing.is_empty() || !self.rules.compares() {
            return missing.is_empty();
        }
        // Those with the same state and threads, one of which may be better than it.
        let alike = |c: &Configuration| {
            let front = &c[..self.threads + 1];
            let from = closure.partition_point(|o| &o[..self.threads + 1] < front);
            let to = closure.partition_point(|o| &o[..self.threads + 1] <= front);
            &closure[from..to]
        };
        if missing.iter().any(|c| alike(c).is_empty()) {
            return false;
        }
        let mut terms = self.vocabulary.terms(memory);
        missing.iter().all(|c| {
            alike(c).iter().any(|other| {
                terms.learn(other);
                self.rules.allows(&terms, other, c)
            })
        })
    }
}
