//! Things stored once, for all workers: equal ones have one number, which fits into a slot.
//!
//! Numbers are given as things arrive, so with several workers they differ from run to run. They say
//! which things are equal and nothing else. Where an order or a choice could be seen, the *content hash*
//! is used instead: whoever stores a thing computes it from what the thing says, and from the content
//! hashes of its parts where it has numbers of others ([`Content`]). It is the same in every run and on
//! every machine.
//!
//! What has a number is never moved, so it is read without a lock: the places are in blocks, each twice as
//! long as the one before, and both blocks and places are written once. A lock, one of many, is taken to
//! look for something that may be new.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A hasher whose results depend on what is hashed only. (Those of `std` may change with its version.)
#[derive(Clone, Copy, Debug, Default)]
pub struct Content(u64);

impl Content {
    /// The hash of one thing.
    pub fn of(thing: impl Hash) -> u64 {
        let mut content = Content::default();
        thing.hash(&mut content);
        content.finish()
    }

    /// Adds a word: a product of 64 bits by 64, folded.
    #[inline]
    pub fn add(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
        self.0 = (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(32);
    }
}

impl Hasher for Content {
    #[inline]
    fn finish(&self) -> u64 {
        let mut last = *self;
        last.add(0xe703_7ed1_a0b4_28db);
        last.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }
}

/// How maps with small keys hash.
pub type ByContent = BuildHasherDefault<Content>;

/// The numbers of things by their hashes; in case of a collision by the next number that is free.
type Shard = HashMap<u64, u32, ByContent>;

/// How many locks there are.
const SHARDS: usize = 64;

/// The length of the first block, as a power of two, and the number of blocks.
const FIRST: u32 = 6;
const BLOCKS: usize = (33 - FIRST) as usize;

/// Places, written once, each with the content hash of what is there.
type Block<T> = Box<[OnceLock<(u64, T)>]>;

/// Things by number.
#[derive(Debug)]
pub struct Interned<T> {
    blocks: [OnceLock<Block<T>>; BLOCKS],
    count: AtomicU32,
    shards: [Mutex<Shard>; SHARDS],
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned {
            blocks: [const { OnceLock::new() }; BLOCKS],
            count: AtomicU32::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }
}

/// Block and place of a number.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let shifted = u64::from(number) + (1 << FIRST);
    let power = shifted.ilog2();
    ((power - FIRST) as usize, (shifted - (1 << power)) as usize)
}

impl<T> Interned<T> {
    #[inline]
    fn entry(&self, number: u32) -> &(u64, T) {
        let (block, place) = place(number);
        let entry = self.blocks[block].get().and_then(|block| block[place].get());
        entry.expect("a number that was given")
    }

    /// The thing of a number that was given.
    #[inline]
    pub fn get(&self, number: u32) -> &T {
        &self.entry(number).1
    }

    /// The content hash of a number that was given.
    #[inline]
    pub fn hash(&self, number: u32) -> u64 {
        self.entry(number).0
    }

    /// All things, in the order of their numbers; as long as nobody enters any.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        (0..self.count.load(Ordering::Relaxed)).map(|number| self.get(number))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed) as usize
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // Nothing is left half done by a worker that panics.
        self.shards[hash as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a thing, if it has one.
    pub fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<u32> {
        let shard = self.shard(hash);
        let mut key = hash;
        loop {
            let number = *shard.get(&key)?;
            if is(self.get(number)) {
                return Some(number);
            }
            key = key.wrapping_add(1);
        }
    }

    /// The number of a thing with this content hash, a new one if it is new.
    pub fn intern(&self, hash: u64, thing: T) -> u32
    where
        T: PartialEq,
    {
        let mut shard = self.shard(hash);
        let mut key = hash;
        loop {
            match shard.entry(key) {
                Entry::Occupied(known) if *self.get(*known.get()) == thing => return *known.get(),
                Entry::Occupied(_) => key = key.wrapping_add(1),
                Entry::Vacant(free) => {
                    let number = self.count.fetch_add(1, Ordering::Relaxed);
                    let (block, place) = place(number);
                    let places = self.blocks[block].get_or_init(|| {
                        let length = 1_usize << (FIRST as usize + block);
                        (0..length).map(|_| OnceLock::new()).collect()
                    });
                    places[place].get_or_init(|| (hash, thing));
                    return *free.insert(number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_have_one_number_whoever_comes_first() {
        let table = Interned::default();
        let numbers: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let table = &table;
            let worker = |k: u64| {
                move || {
                    let order = (0..5_000).map(move |i| (i * (2 * k + 1)) % 5_000);
                    let mut numbers = vec![0; 5_000];
                    order.for_each(|i| numbers[i as usize] = table.intern(Content::of(i), i));
                    numbers
                }
            };
            let workers: Vec<_> = [0, 1, 5].map(|k| scope.spawn(worker(k))).into();
            workers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        assert!(numbers[0] == numbers[1] && numbers[1] == numbers[2]);
        assert_eq!(table.len(), 5_000);
        for (i, &number) in numbers[0].iter().enumerate() {
            assert_eq!((*table.get(number), table.hash(number)), (i as u64, Content::of(i as u64)));
        }
    }

    #[test]
    fn things_with_the_same_hash_are_told_apart() {
        let table = Interned::default();
        let numbers: Vec<u32> = (0..300).map(|i| table.intern(u64::MAX, i)).collect();
        assert_eq!(numbers, (0..300).collect::<Vec<u32>>());
        assert_eq!(table.find(u64::MAX, |&i| i == 299), Some(299));
        assert_eq!(table.find(u64::MAX, |&i| i == 300), None);
    }

    #[test]
    fn blocks_follow_each_other() {
        assert_eq!((place(0), place(63), place(64)), ((0, 0), (0, 63), (1, 0)));
        assert_eq!(place(u32::MAX), (BLOCKS - 1, 63));
    }

    #[test]
    fn content_hashes_do_not_change() {
        assert_eq!(Content::of("linchpin"), 2_701_719_472_831_032_036);
        assert_ne!(Content::of([1, 2]), Content::of([2, 1]));
        assert_ne!(Content::of(0_u64), Content::of((0_u64, 0_u64)));
    }
}
