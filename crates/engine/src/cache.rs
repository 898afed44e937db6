//! A bounded memory of answers. What is forgotten is asked again, so nothing can go wrong by forgetting.
//!
//! Every key has one place; a new answer replaces the one that was there. There is no list of what was
//! used last: answers that are asked for again soon are mostly still there, and a place costs no more
//! than the answer.
//!
//! *How large.* A cache of a fixed size is too large for small searches and too small for large ones: with
//! 8 192 places for sets of configurations, Treiber's stack with five threads took three times as long. So a
//! cache doubles each time it has forgotten a number of answers in proportion to its places: twice as many, or an
//! eighth of them where places are small and answers are dear. What is found again because it was forgotten is thus
//! no more than a few times what the cache can hold, and the cache takes memory only where that saves work.
//!
//! A [`Cache`] belongs to one worker. A [`SharedCache`] is for answers that take long to
//! find, so that two workers do not find the same ones; it is locked in shards, to look and to enter.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rapidhash::fast::RapidHasher;

use crate::workers::Apart;

/// Answers by keys.
pub struct Cache<K, V> {
    places: Vec<Option<(K, V)>>,
    forgetting: Forgetting,
}

/// Says how large a memory that forgets should be.
pub struct Forgetting {
    /// It may hold so much now.
    size: usize,
    /// And so much at most.
    most: usize,
    /// So much was forgotten since it had this size.
    forgotten: usize,
    /// It grows when it has forgotten so many eighths of what it can hold.
    patience: usize,
}

/// A memory begins with so many places.
const SMALLEST: usize = 1 << 6;
/// And has twice as many when it has forgotten so many eighths of what it can hold.
const PATIENCE: usize = 16;
/// The same of answers that take no memory but their places.
const EAGERNESS: usize = 1;

impl Forgetting {
    /// At most so much.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Forgetting { size: SMALLEST.min(most), most, forgotten: 0, patience: PATIENCE }
    }

    /// How much may be held.
    pub fn size(&self) -> usize {
        self.size
    }

    /// So much was forgotten. Is there to be more room from now on?
    pub fn forgot(&mut self, count: usize) -> bool {
        self.forgotten += count;
        let grows = self.size < self.most && self.forgotten * 8 >= self.size * self.patience;
        if grows {
            (self.size, self.forgotten) = ((self.size * 2).min(self.most), 0);
        }
        grows
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// With at most so many answers.
    pub fn new(most: usize) -> Self {
        Cache { places: Vec::new(), forgetting: Forgetting::new(most) }
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
        if self.places.is_empty() {
            self.resize();
        }
        let place = self.place(hash);
        let forgets = self.places[place].as_ref().is_some_and(|(known, _)| *known != key);
        self.places[place] = Some((key, value));
        if forgets && self.forgetting.forgot(1) {
            self.resize();
        }
    }

    fn resize(&mut self) {
        let empty = std::iter::repeat_with(|| None).take(self.forgetting.size()).collect();
        let old = std::mem::replace(&mut self.places, empty);
        for (key, value) in old.into_iter().flatten() {
            let place = self.place(self::hash(&key));
            self.places[place] = Some((key, value));
        }
    }
}

#[inline]
fn hash<K: Hash>(key: &K) -> u64 {
    let mut hasher = RapidHasher::default_const();
    key.hash(&mut hasher);
    hasher.finish()
}

const SHARDS: usize = 64;

/// A part of the answers, which one worker looks at at a time.
type Shard<K, V> = Apart<Mutex<Cache<K, V>>>;

/// Answers by keys, for all workers.
pub struct SharedCache<K, V> {
    shards: Box<[Shard<K, V>]>,
}

impl<K: Eq + Hash, V: Clone> SharedCache<K, V> {
    /// With at most so many answers.
    pub fn new(most: usize) -> Self {
        let shard = || Apart(Mutex::new(Cache::new(most.div_ceil(SHARDS))));
        SharedCache { shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    /// The same, for small answers that are asked for often and take long to find: forgets little, and so is larger.
    pub fn eager(most: usize) -> Self {
        let mut cache = SharedCache::new(most);
        for shard in &mut cache.shards {
            let shard = shard.0.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.forgetting.patience = EAGERNESS;
        }
        cache
    }

    /// The shard of a hash, by its lower bits; the place in a shard is by the upper ones.
    #[inline]
    fn shard(&self, hash: u64) -> MutexGuard<'_, Cache<K, V>> {
        // An answer is entered whole or not at all.
        self.shards[hash as usize % SHARDS].0.lock().unwrap_or_else(PoisonError::into_inner)
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
                assert!(kept <= most && kept >= most.min(1_000) / 2, "{kept} of {most}");
            }
            assert!(cache.places.len() <= most);
            // What was given: five thousand answers, three times, most of them forgotten at first.
            assert!(cache.places.len() <= 15_000, "{}", cache.places.len());
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
        assert!(known.len() > 1_500, "{}", known.len());
        assert_eq!(cache.get(&(1, 2)), None);
    }
}
