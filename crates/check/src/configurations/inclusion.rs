//! Inclusion of closed sets, for antichains.
//!
//! A set is given by its generators; the smaller set is included if its generators are in the closure of
//! the larger one, or worse than something in it, where the condition can compare configurations
//! ([`crate::rules::Rules::allows`]). Closures are computed once per set, answers once per pair.
//!
//! Most answers are *no*, and there are many pairs. So every set has two *shadows*, of its generators and of
//! its closure: bits for the abstract states with the parts of the threads that occur. A set whose shadow
//! is not part of that of the closure is not included, which takes two words of memory instead of a table
//! of pairs.

use std::hash::BuildHasher as _;
use std::sync::{Arc, PoisonError, RwLock};

use smallvec::SmallVec;

use super::{Configuration, Configurations, EMPTY, Map, Set, SetId, Tables, hasher};
use rapidhash::quality::RandomState;

/// A closed set, all of it.
pub(super) struct Closure {
    all: Set,
    /// The same in order, if the condition compares configurations with loose parts.
    sorted: Vec<Configuration>,
}

/// What is known about inclusions.
pub(super) struct Inclusions {
    known: RwLock<Known>,
    hasher: RandomState,
}

struct Known {
    answers: Map<(SetId, SetId), bool>,
    /// Per set, of generators and of the closure.
    shadows: Vec<[Option<Shadow>; 2]>,
}

/// Some bits for every abstract state with the parts of the threads in a set of configurations.
#[derive(Clone, Copy, Default)]
struct Shadow([u64; 4]);

impl Shadow {
    fn add(&mut self, hash: u64) {
        self.0[(hash >> 6 & 3) as usize] |= 1 << (hash & 63);
    }

    fn is_part_of(self, other: Shadow) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }
}

impl Inclusions {
    pub(super) fn new() -> Self {
        let known = Known { answers: Map::with_hasher(hasher()), shadows: Vec::new() };
        Inclusions { known: RwLock::new(known), hasher: hasher() }
    }

    /// The answer, if it is known or obvious.
    fn known(&self, small: SetId, large: SetId) -> Option<bool> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let shadow = |set: SetId, which: usize| known.shadows.get(set as usize)?[which];
        match (shadow(small, 0), shadow(large, 1)) {
            (Some(small), Some(large)) if !small.is_part_of(large) => Some(false),
            _ => known.answers.get(&(small, large)).copied(),
        }
    }

    fn learn(&self, pair: (SetId, SetId), answer: bool, shadows: [Shadow; 2]) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let n = pair.0.max(pair.1) as usize + 1;
        if known.shadows.len() < n {
            known.shadows.resize(n, [None; 2]);
        }
        known.shadows[pair.0 as usize][0] = Some(shadows[0]);
        known.shadows[pair.1 as usize][1] = Some(shadows[1]);
        if answer || shadows[0].is_part_of(shadows[1]) {
            known.answers.insert(pair, answer);
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
        let mut tables = self.lock();
        let Some(closure) = self.closure(&mut tables, large) else {
            // The fault is met again, and reported, when the operation returns.
            return false;
        };
        let info = tables.infos[small as usize].clone();
        drop(tables);
        let shadows = [self.shadow(&info.configurations), self.shadow(&closure.all)];
        let contained =
            shadows[0].is_part_of(shadows[1]) && self.is_within(&info.configurations, &closure);
        self.inclusions.learn((small, large), contained, shadows);
        contained
    }

    fn shadow<'c>(&self, set: impl IntoIterator<Item = &'c Configuration>) -> Shadow {
        let mut shadow = Shadow::default();
        for c in set {
            shadow.add(self.inclusions.hasher.hash_one(&c[..self.threads + 1]));
        }
        shadow
    }

    /// Everything in a set; `None` if the specification goes wrong.
    fn closure(&self, tables: &mut Tables, set: SetId) -> Option<Arc<Closure>> {
        if let Some(closure) = tables.closures.get(&set) {
            return Some(closure.clone());
        }
        let info = tables.infos[set as usize].clone();
        let mut all = Set::with_hasher(hasher());
        for c in &info.configurations {
            all.insert(c.clone());
            self.below(tables, c, &mut all).ok()?;
        }
        tables.bytes += all.len() * (self.threads + 1) * 8;
        let mut sorted: Vec<Configuration> = Vec::new();
        if self.rules.compares() {
            sorted.extend(all.iter().cloned());
            sorted.sort_unstable();
        }
        let closure = Arc::new(Closure { all, sorted });
        tables.closures.insert(set, closure.clone());
        Some(closure)
    }

    fn is_within(&self, small: &[Configuration], closure: &Closure) -> bool {
        let missing = small.iter().filter(|c| !closure.all.contains(*c));
        let missing: SmallVec<[&Configuration; 8]> = missing.collect();
        if missing.is_empty() || !self.rules.compares() {
            return missing.is_empty();
        }
        // Those with the same state and threads, one of which may be better than it.
        let alike = |c: &Configuration| {
            let front = &c[..self.threads + 1];
            let from = closure.sorted.partition_point(|o| &o[..self.threads + 1] < front);
            let to = closure.sorted.partition_point(|o| &o[..self.threads + 1] <= front);
            &closure.sorted[from..to]
        };
        if missing.iter().any(|c| alike(c).is_empty()) {
            return false;
        }
        let mut tables = self.lock();
        let terms = self.terms(&mut tables);
        missing.iter().all(|c| alike(c).iter().any(|other| self.rules.allows(&terms, other, c)))
    }
}
