//! Sorted sets of numbers, each kept once: equal sets have equal numbers.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

const SEED: RapidSecrets = RapidSecrets::seed(0);
const EMPTY: u32 = u32::MAX;

/// The hash of a sequence of words.
pub(crate) fn hash_words(words: &[u32], bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    rapidhash_v3_seeded(bytes, &SEED)
}

/// A collection of sets.
#[derive(Debug)]
pub(crate) struct Interned {
    members: Vec<u32>,
    starts: Vec<usize>,
    hashes: Vec<u64>,
    /// One bit per member, several members may share one: tells most sets apart at once.
    sketches: Vec<u64>,
    table: Vec<u32>,
    bytes: Vec<u8>,
}

impl Default for Interned {
    fn default() -> Self {
        Interned {
            members: Vec::new(),
            starts: vec![0],
            hashes: Vec::new(),
            sketches: Vec::new(),
            table: vec![EMPTY; 256],
            bytes: Vec::new(),
        }
    }
}

impl Interned {
    /// The number of a sorted set without repetitions.
    pub(crate) fn enter(&mut self, set: &[u32]) -> u32 {
        debug_assert!(set.is_sorted_by(|a, b| a < b));
        if self.hashes.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = hash_words(set, &mut self.bytes);
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != EMPTY {
            let known = self.table[place];
            if self.hashes[known as usize] == hash && self.get(known) == set {
                return known;
            }
            place = (place + 1) & mask;
        }
        let number = self.hashes.len() as u32;
        self.table[place] = number;
        self.members.extend_from_slice(set);
        self.starts.push(self.members.len());
        self.hashes.push(hash);
        self.sketches.push(set.iter().fold(0, |all, m| all | 1 << spread(*m)));
        number
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut wider = vec![EMPTY; size];
        for (number, hash) in self.hashes.iter().enumerate() {
            let mut place = *hash as usize & (size - 1);
            while wider[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            wider[place] = number as u32;
        }
        self.table = wider;
    }

    /// The members of a set, sorted.
    #[inline]
    pub(crate) fn get(&self, set: u32) -> &[u32] {
        &self.members[self.starts[set as usize]..self.starts[set as usize + 1]]
    }

    /// Is everything in `small` also in `large`?
    #[inline]
    pub(crate) fn subset(&self, small: u32, large: u32) -> bool {
        if small == large {
            return true;
        }
        if self.sketches[small as usize] & !self.sketches[large as usize] != 0 {
            return false;
        }
        included(self.get(small), self.get(large))
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        (self.members.capacity() + self.table.capacity()) * 4
            + (self.starts.capacity() + self.hashes.capacity() + self.sketches.capacity()) * 8
    }
}

fn spread(member: u32) -> u32 {
    member.wrapping_mul(0x9E37_79B1) >> 26
}

/// Inclusion of sorted sets.
pub(crate) fn included(small: &[u32], large: &[u32]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large;
    for member in small {
        let skip = rest.partition_point(|m| m < member);
        match rest.get(skip) {
            Some(m) if m == member => rest = &rest[skip + 1..],
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_numbers_and_inclusion_is_that_of_the_members() {
        let mut sets = Interned::default();
        let of = |bits: u32| (0..10).filter(|i| bits >> i & 1 == 1).map(|i| i * 37).collect();
        let all: Vec<Vec<u32>> = (0..1_024).map(of).collect();
        for round in 0..2 {
            for (i, set) in all.iter().enumerate() {
                assert_eq!(sets.enter(set), i as u32, "round {round}");
                assert_eq!(sets.get(i as u32), set);
            }
        }
        for a in 0..1_024u32 {
            for b in (0..1_024u32).step_by(7) {
                assert_eq!(sets.subset(a, b), a & !b == 0, "{a} {b}");
            }
        }
    }
}
