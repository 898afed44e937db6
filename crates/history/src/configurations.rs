//! Configurations: how far an order has come, and which of two is at least as good.
//!
//! Everything that has returned has taken effect and nothing that was not called has, so a configuration is a state of
//! the specification, which of the open operations have taken effect, and which of those that never return.
//!
//! *Dominance.* Of two configurations with the same state and the same open operations in effect, the one in which fewer
//! never-returning operations have taken effect is at least as good: whatever the other can do, it can do too, since an
//! operation that never returns need not take effect and may do so later. So per state and set of open operations only
//! the minimal sets of never-returning ones are kept. Among equal never-returning operations the first one that was
//! called is taken first; which of them it was makes no difference later.

use std::collections::HashMap;
use std::hash::Hash;

use rapidhash::fast::RandomState;
use smallvec::SmallVec;

use crate::bits::Bits;

/// Minimal sets of never-returning operations, per key.
#[derive(Debug)]
pub(crate) struct Minimal<K> {
    sets: HashMap<K, SmallVec<[Bits; 1]>, RandomState>,
    /// Is a set covered by smaller ones, or only by itself?
    dominance: bool,
}

impl<K: Hash + Eq> Minimal<K> {
    pub(crate) fn new(dominance: bool) -> Self {
        Minimal { sets: HashMap::default(), dominance }
    }

    /// Adds a set unless one that is as good is there.
    pub(crate) fn insert(&mut self, key: K, set: &Bits) -> bool {
        let sets = self.sets.entry(key).or_default();
        let dominance = self.dominance;
        let covers = |a: &Bits, b: &Bits| if dominance { a.is_subset(b) } else { a == b };
        if sets.iter().any(|known| covers(known, set)) {
            return false;
        }
        sets.retain(|known| !covers(set, known));
        sets.push(set.clone());
        true
    }

    /// Is a set among the minimal ones?
    pub(crate) fn contains(&self, key: &K, set: &Bits) -> bool {
        self.sets.get(key).is_some_and(|sets| sets.contains(set))
    }
}
