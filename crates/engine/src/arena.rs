//! Sequences of words, each kept once, shared by all workers: equal sequences have equal numbers.
//!
//! The arena is divided into shards by the hash of a sequence, each behind a lock that is held only to
//! look up, copy or append; whatever is computed from sequences is computed without it. Sequences are
//! kept exactly, as bytes in segments of a fixed size, so nothing is moved when the arena grows and
//! little is allocated that is not used. Next to the bytes a sequence takes four for its place and
//! five or six in the table.
//!
//! Numbers are given first come, so they depend on timing; nothing that can be seen may depend on
//! them. They are nearly dense: a vector can be indexed by them.

use std::io;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use linchpin_lts::{Loading, NewNumbers, Saving, damaged};
use smallvec::SmallVec;

use crate::store::hash;
use crate::table::Table;
use crate::workers::Apart;

/// The lower bits of a number are the shard.
const SHARD_BITS: u32 = 6;
/// The lower bits of a place are the place within a segment.
const SEGMENT_BITS: u32 = 13;
const SEGMENT: usize = 1 << SEGMENT_BITS;
/// So many places lie together.
const PLACES: usize = 1 << 8;
/// Numbers and segments that are kept in reserve, for a search that is about to be stopped.
const RESERVE: usize = 1 << 12;

/// Sequences by number.
pub struct Arena {
    shards: Box<[Apart<RwLock<Shard>>]>,
    sorted: bool,
}

#[derive(Default)]
struct Shard {
    /// Bytes. A sequence lies in one segment; a long one has a segment of its own.
    segments: Vec<Vec<u8>>,
    /// Per sequence: segment and place in it, where its length and its words are.
    places: Vec<Vec<u32>>,
    table: Table,
}

type Bytes = SmallVec<[u8; 256]>;

impl Arena {
    /// For any sequences.
    pub fn new() -> Self {
        let shards = (0..1 << SHARD_BITS).map(|_| Apart::default()).collect();
        Arena { shards, sorted: false }
    }

    /// For sequences that increase, of which the differences are kept.
    pub fn sorted() -> Self {
        Arena { sorted: true, ..Arena::new() }
    }

    fn read_shard(&self, shard: usize) -> RwLockReadGuard<'_, Shard> {
        // Whoever panicked did not do so while it appended.
        self.shards[shard].0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a sequence. That of the empty one is 0.
    pub fn intern(&self, words: &[u32]) -> u32 {
        if words.is_empty() {
            return 0;
        }
        let mut bytes = Bytes::new();
        let mut before = 0;
        for &word in words {
            debug_assert!(word >= before, "words of a sorted sequence increase");
            write(word - before, &mut bytes);
            before = if self.sorted { word } else { 0 };
        }
        self.intern_bytes(&bytes, hash(&bytes))
    }

    /// The number of some bytes, given their hash. One arena has words or bytes, not both.
    pub(crate) fn intern_bytes(&self, bytes: &[u8], hash: u64) -> u32 {
        if bytes.is_empty() {
            return 0;
        }
        let shard = (hash >> (64 - SHARD_BITS)) as usize;
        let number = |index: u32| (index + 1) << SHARD_BITS | shard as u32;
        if let Ok(index) = self.read_shard(shard).find(bytes, hash) {
            return number(index);
        }
        let mut table = self.shards[shard].0.write().unwrap_or_else(PoisonError::into_inner);
        number(table.enter(bytes, hash))
    }

    /// Adds the bytes of a number.
    pub(crate) fn read_bytes(&self, number: u32, bytes: &mut Vec<u8>) {
        if number != 0 {
            let shard = self.read_shard(number as usize % self.shards.len());
            bytes.extend_from_slice(shard.bytes_of((number >> SHARD_BITS) - 1));
        }
    }

    /// Replaces the contents of `words` by a sequence.
    pub fn read(&self, number: u32, words: &mut Vec<u32>) {
        words.clear();
        if number == 0 {
            return;
        }
        let shard = self.read_shard(number as usize % self.shards.len());
        let mut rest = shard.bytes_of((number >> SHARD_BITS) - 1);
        let mut before = 0;
        while let Some(word) = next(&mut rest) {
            words.push(before + word);
            before = if self.sorted { before + word } else { 0 };
        }
    }

    /// Is everything in one sequence also in another? Both increase.
    pub fn includes(&self, large: u32, small: u32) -> bool {
        debug_assert!(self.sorted);
        if small == large || small == 0 {
            return true;
        }
        if large == 0 {
            return false;
        }
        let shard = |number: u32| number as usize % self.shards.len();
        let (first, last) = (shard(small).min(shard(large)), shard(small).max(shard(large)));
        // One after the other in a fixed order, and never the same twice: whoever waits to append
        // keeps others from reading.
        let first = self.read_shard(first);
        let last = (shard(small) != shard(large)).then(|| self.read_shard(last));
        let last = last.as_deref().unwrap_or(&first);
        let (of_small, of_large) = match shard(small) < shard(large) {
            true => (&*first, last),
            false => (last, &*first),
        };
        let mut small = of_small.bytes_of((small >> SHARD_BITS) - 1);
        let mut large = of_large.bytes_of((large >> SHARD_BITS) - 1);
        let (mut member, mut other) = (0, None);
        while let Some(step) = next(&mut small) {
            member += step;
            while other.is_none_or(|other| other < member) {
                let Some(step) = next(&mut large) else { return false };
                other = Some(other.unwrap_or(0) + step);
            }
            if other != Some(member) {
                return false;
            }
        }
        true
    }

    /// Writes all sequences down, for another run.
    pub fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        out.number(self.shards.len() as u64)?;
        let mut words = Vec::new();
        for shard in 0..self.shards.len() as u32 {
            let length = self.read_shard(shard as usize).table.len();
            for index in out.list(length)?..length {
                self.read((index as u32 + 1) << SHARD_BITS | shard, &mut words);
                out.numbers(&words)?;
            }
        }
        Ok(())
    }

    /// Reads sequences that another run has written down; `enter` gives each a new number. The sequences of an arena may
    /// have other numbers in it, so they come in no particular order.
    pub fn load(
        from: &mut Loading<'_>,
        enter: impl FnMut(u32, Vec<u32>) -> io::Result<u32>,
    ) -> io::Result<NewNumbers> {
        Arena::load_and_settle(from, enter, |_| Ok(()))
    }

    /// The same, if what the new ones are called is known only when all have been read.
    pub fn load_and_settle(
        from: &mut Loading<'_>,
        mut enter: impl FnMut(u32, Vec<u32>) -> io::Result<u32>,
        settle: impl FnOnce(&mut NewNumbers) -> io::Result<()>,
    ) -> io::Result<NewNumbers> {
        if from.number::<u32>()? != 1 << SHARD_BITS {
            return Err(damaged("sequences that are divided in another way"));
        }
        let number = |index: usize, shard: usize| (index + 1) << SHARD_BITS | shard;
        let first = from.lists();
        let mut all = NewNumbers(vec![0]);
        let mut lengths = Vec::new();
        for shard in 0..1 << SHARD_BITS {
            let of_shard = from.list(|from, new| {
                new.0.push(enter(number(new.0.len(), shard) as u32, from.numbers()?)?);
                Ok(())
            })?;
            for (index, new) in of_shard.0.iter().enumerate() {
                let number = number(index, shard);
                all.0.resize(all.0.len().max(number + 1), NewNumbers::NONE);
                all.0[number] = *new;
            }
            lengths.push(of_shard.0.len());
        }
        settle(&mut all)?;
        for (shard, &length) in lengths.iter().enumerate() {
            let settled = (0..length).map(|index| all.0[number(index, shard)]).collect();
            from.note(first + shard, &NewNumbers(settled));
        }
        Ok(all)
    }

    /// How many sequences there are, without the empty one.
    pub fn len(&self) -> usize {
        (0..self.shards.len()).map(|shard| self.read_shard(shard).table.len()).sum()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is there so little room for numbers that the search must end? (There are four billion, for 256
    /// GiB of bytes.)
    pub fn is_full(&self) -> bool {
        (0..self.shards.len()).any(|shard| {
            let shard = self.read_shard(shard);
            shard.table.len() + RESERVE > u32::MAX as usize >> SHARD_BITS
                || shard.segments.len() + RESERVE > u32::MAX as usize >> SEGMENT_BITS
        })
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        let bytes = |shard| {
            let shard = self.read_shard(shard);
            let segments: usize = shard.segments.iter().map(Vec::capacity).sum();
            segments + shard.places.len() * PLACES * size_of::<u32>() + shard.table.bytes()
        };
        (0..self.shards.len()).map(bytes).sum()
    }
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

impl Shard {
    fn bytes_of(&self, index: u32) -> &[u8] {
        let place = self.places[index as usize / PLACES][index as usize % PLACES];
        let segment = &self.segments[(place >> SEGMENT_BITS) as usize];
        let mut rest = &segment[place as usize % SEGMENT..];
        let length = next(&mut rest).unwrap_or(0);
        &rest[..length as usize]
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Result<u32, crate::table::Place> {
        self.table.find(hash, |index| self.bytes_of(index) == bytes)
    }

    fn enter(&mut self, bytes: &[u8], hash: u64) -> u32 {
        let mut table = std::mem::take(&mut self.table);
        table.reserve(1, table.len() + 1, |index| self::hash(self.bytes_of(index)));
        self.table = table;
        // Somebody else may have been faster.
        let free = match self.find(bytes, hash) {
            Ok(index) => return index,
            Err(free) => free,
        };
        let index = self.table.len();
        self.table.insert(free, hash, index as u32);
        let mut length = SmallVec::<[u8; 8]>::new();
        write(bytes.len() as u32, &mut length);
        let size = length.len() + bytes.len();
        if self.segments.last().is_none_or(|s| s.len() + size > s.capacity().min(SEGMENT)) {
            self.segments.push(Vec::with_capacity(size.max(SEGMENT)));
        }
        let number = self.segments.len() - 1;
        let segment = &mut self.segments[number];
        let place = (number << SEGMENT_BITS | segment.len()) as u32;
        segment.extend_from_slice(&length);
        segment.extend_from_slice(bytes);
        if index.is_multiple_of(PLACES) {
            self.places.push(Vec::with_capacity(PLACES));
        }
        self.places[index / PLACES].push(place);
        index as u32
    }
}

/// Seven bits to a byte, the lowest first; the highest bit says that more follow.
#[inline]
fn write<A: smallvec::Array<Item = u8>>(mut word: u32, bytes: &mut SmallVec<A>) {
    while word >= 0x80 {
        bytes.push(word as u8 | 0x80);
        word >>= 7;
    }
    bytes.push(word as u8);
}

/// Takes off the next word.
#[inline]
fn next(bytes: &mut &[u8]) -> Option<u32> {
    let mut word = 0;
    let mut shift = 0;
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        word |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(word);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(arena: &Arena, number: u32) -> Vec<u32> {
        let mut words = vec![7];
        arena.read(number, &mut words);
        words
    }

    #[test]
    fn equal_sequences_have_equal_numbers_and_come_back_as_they_were() {
        let arena = Arena::new();
        let long: Vec<u32> = (0..20_000).collect();
        let mut all =
            vec![vec![], vec![0], vec![0, 0], vec![127, 128, 16_384], vec![u32::MAX], long];
        all.extend((0..5_000).map(|i| vec![i, i * i, 3, i % 7]));
        let numbers: Vec<u32> = all.iter().map(|words| arena.intern(words)).collect();
        assert_eq!(numbers[0], 0);
        for (words, &number) in all.iter().zip(&numbers) {
            assert_eq!(contents(&arena, number), *words);
            assert_eq!(arena.intern(words), number);
        }
        let different: std::collections::HashSet<_> = numbers.iter().collect();
        assert_eq!(different.len(), all.len());
        assert_eq!(arena.len(), all.len() - 1);
    }

    #[test]
    fn sorted_sequences_take_a_byte_for_a_small_difference() {
        let (plain, sorted) = (Arena::new(), Arena::sorted());
        for from in 0..20_000 {
            let words: Vec<u32> = (0..40).map(|i| 1_000_000 + from * 3 + i * i).collect();
            assert_eq!(contents(&plain, plain.intern(&words)), words);
            assert_eq!(contents(&sorted, sorted.intern(&words)), words);
        }
        assert!(sorted.bytes() * 9 < plain.bytes() * 5, "{} {}", sorted.bytes(), plain.bytes());
    }

    #[test]
    fn inclusion_is_that_of_the_members() {
        let arena = Arena::sorted();
        // Subsets of nine numbers, some of which take two bytes, some of which are far apart.
        let numbers = [0, 1, 5, 127, 128, 300, 20_000, 20_001, u32::MAX];
        let set = |bits: u32| -> Vec<u32> {
            (0..9).filter(|i| bits >> i & 1 == 1).map(|i| numbers[i as usize]).collect()
        };
        let all: Vec<u32> = (0..1 << 9).map(|bits| arena.intern(&set(bits))).collect();
        for (small, &number) in (0u32..).zip(&all) {
            for (large, &other) in (0u32..).zip(&all) {
                assert_eq!(
                    arena.includes(other, number),
                    small & !large == 0,
                    "{small:b} {large:b}"
                );
            }
        }
    }

    #[test]
    fn many_workers_agree_on_numbers() {
        let arena = Arena::new();
        let intern =
            || -> Vec<u32> { (0..20_000).map(|i| arena.intern(&[i % 5_000, 1])).collect() };
        let (a, b) = std::thread::scope(|scope| {
            let other = scope.spawn(intern);
            (intern(), other.join())
        });
        assert_eq!(Some(a), b.ok());
        assert_eq!(arena.len(), 5_000);
    }

    #[test]
    fn memory_stays_close_to_what_is_kept() {
        let arena = Arena::new();
        for i in 0..200_000u32 {
            arena.intern(&[i % 100, i / 100, 5, 5, 5, 5, 5, 5]);
        }
        let each = arena.bytes() / arena.len();
        assert!((8 + 1 + 4 + 4..24).contains(&each), "{each} bytes for nine and a length");
        assert!(!arena.is_full());
    }
}
