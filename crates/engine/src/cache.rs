//! A bounded memory of answers. What is forgotten is asked again, so nothing can go wrong by forgetting.
//!
//! Every key has one place; a new answer replaces the one that was there. There is no list of what was
//! used last: answers that are asked for again soon are mostly still there, and a place costs no more
//! than the answer. A [`Cache`] belongs to one worker. A [`SharedCache`] is for answers that take long to
//! find, so that two workers do not find the same ones; it is locked in shards, to look and to enter.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rapidhash::fast::RapidHasher;

/// Answers by keys.
pub struct Cache<K, V> {
    places: Vec<Option<(K, V)>>,
    /// Answers given since the cache had this size.
    entered: usize,
    most: usize,
}

/// A cache begins with so many places.
const SMALLEST: usize = 1 << 6;
/// And has so many times as many when half of them may be taken.
const GROWTH: usize = 4;

impl<K: Eq + Hash, V> Cache<K, V> {
    /// With at most so many answers. Small searches need little, so a cache grows up to that.
    pub fn new(most: usize) -> Self {
        Cache { places: Vec::new(), entered: 0, most: most.max(1) }
    }

    /// The answer, if it has not been forgotten.
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.find(hash(key), key)
    }

    /// Remembers an answer.
    #[inline]
    pub fn put(&mut self, key: K, value: V) {
        self.enter(hash(&key), key, value);
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.places.len() as u128) >> 64) as usize
    }

    #[inline]
    fn find(&self, hash: u64, key: &K) -> Option<&V> {
        let (known, value) = self.places.get(self.place(hash))?.as_ref()?;
        (known == key).then_some(value)
    }

    fn enter(&mut self, hash: u64, key: K, value: V) {
        if self.entered >= self.places.len() / 2 && self.places.len() < self.most {
            let size = (self.places.len() * GROWTH).max(SMALLEST).min(self.most);
            let empty = std::iter::repeat_with(|| None).take(size).collect();
            let old = std::mem::replace(&mut self.places, empty);
            self.entered = 0;
            for (key, value) in old.into_iter().flatten() {
                self.put(key, value);
            }
        }
        self.entered += 1;
        let place = self.place(hash);
        self.places[place] = Some((key, value));
    }
}

#[inline]
fn hash<K: Hash>(key: &K) -> u64 {
    let mut hasher = RapidHasher::default_const();
    key.hash(&mut hasher);
    hasher.finish()
}

const SHARDS: usize = 64;

/// Answers by keys, for all workers.
pub struct SharedCache<K, V> {
    shards: Box<[Mutex<Cache<K, V>>]>,
}

impl<K: Eq + Hash, V: Clone> SharedCache<K, V> {
    /// With at most so many answers.
    pub fn new(most: usize) -> Self {
        let shard = || Mutex::new(Cache::new(most.div_ceil(SHARDS)));
        SharedCache { shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    /// The shard of a hash, by its lower bits; the place in a shard is by the upper ones.
    #[inline]
    fn shard(&self, hash: u64) -> MutexGuard<'_, Cache<K, V>> {
        // An answer is entered whole or not at all.
        self.shards[hash as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer, if it has not been forgotten.
    #[inline]
    pub fn get(&self, key: &K) -> Option<V> {
        let hash = hash(key);
        self.shard(hash).find(hash, key).cloned()
    }

    /// Remembers an answer.
    #[inline]
    pub fn put(&self, key: K, value: V) {
        let hash = hash(&key);
        self.shard(hash).enter(hash, key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_last_one_given_or_none() {
        for most in [1, 10, 1_000, 1 << 16] {
            let mut cache = Cache::new(most);
            assert_eq!(cache.get(&3), None);
            for round in 0..3u32 {
                for key in 0..5_000u32 {
                    cache.put(key, key * 10 + round);
                    assert_eq!(cache.get(&key), Some(&(key * 10 + round)));
                }
                let kept = (0..5_000).filter(|key| match cache.get(key) {
                    Some(answer) => {
                        assert_eq!(*answer, key * 10 + round);
                        true
                    }
                    None => false,
                });
                let kept = kept.count();
                assert!(kept <= most && kept >= most.min(5_000) / 2, "{kept} of {most}");
            }
            assert!(cache.places.len() <= most);
        }
    }

    #[test]
    fn workers_share_what_they_found() {
        let cache = SharedCache::new(1 << 14);
        let fill = |from: u32| {
            (from..from + 3_000).for_each(|key| cache.put((key, 1), key * 2));
        };
        std::thread::scope(|scope| {
            scope.spawn(|| fill(0));
            fill(2_000);
        });
        let known: Vec<u32> = (0..6_000).filter_map(|key| cache.get(&(key, 1))).collect();
        assert!(known.iter().all(|answer| answer % 2 == 0 && *answer < 10_000));
        assert!(known.len() > 3_500, "{}", known.len());
        assert_eq!(cache.get(&(1, 2)), None);
    }
}
