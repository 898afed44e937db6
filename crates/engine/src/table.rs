//! The one hash table: numbers of things that lie elsewhere, found by what the things are.
//!
//! Open addressing with linear probing. An entry is four bytes: the number, and as many bits of the hash as the numbers
//! leave free. Most entries that are not the one are told by these bits; the others are compared by the caller, who keeps
//! the things: no hash stands for one. (Cleary, *Compact hash tables using bidirectional linear probing*, 1984, also saves
//! the part of the hash that the place says; then places of entries depend on each other, which we do not need.)
//!
//! *Any size.* A hash is brought into range by multiplication instead of a mask (Lemire, *Fast random
//! integer generation in an interval*, TOMACS 2019), so the table grows by a fifth and not by doubling:
//! between two thirds and five sixths of it are in use, 4.8 to 6 bytes for each number.
//!
//! *Growing.* Hashes are not kept; whoever makes room says what they are. It is asked for them in the order of the
//! numbers, so that things which lie one after the other are read one after the other. The old table is gone
//! before the new one is made.

/// A free place, for [`Table::insert`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

/// Numbers by hashes.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Number plus one below, bits of the hash above; 0 is free.
    entries: Vec<u32>,
    len: usize,
    /// So many bits are for the number.
    bits: u32,
}

/// The smallest table with entries.
const SMALLEST: usize = 16;

impl Table {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes room for so many more, all less than `below`, so that their places stay as they are until they are taken.
    /// `hash_of` gives the hash of a number that was entered.
    #[inline]
    pub fn reserve(&mut self, more: usize, below: usize, hash_of: impl FnMut(u32) -> u64) {
        let needed = (self.len + more) * 6;
        if needed > self.entries.len() * 5 || below >> self.bits != 0 {
            self.grow(needed, below, hash_of);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize, below: usize, mut hash_of: impl FnMut(u32) -> u64) {
        let mut size = self.entries.len();
        while needed > size * 5 {
            size = (size + size.div_ceil(5)).max(SMALLEST);
        }
        let mut present = vec![0u64; below / 64 + 1];
        for entry in std::mem::take(&mut self.entries).into_iter().filter(|e| *e != 0) {
            let number = self.number(entry) as usize;
            present[number / 64] |= 1 << (number % 64);
        }
        // Some room for numbers, so that this is rarely done for their sake.
        self.bits = (usize::BITS - (below + below / 4).leading_zeros()).clamp(1, u32::BITS);
        self.entries = vec![0; size];
        for (word, mut bits) in (0u32..).zip(present) {
            while bits != 0 {
                let number = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let half = hash_of(number) as u32;
                let mut at = self.home(half);
                while self.entries[at] != 0 {
                    at = self.after(at);
                }
                self.entries[at] = self.mark(half) | (number + 1);
            }
        }
    }

    /// Where probing for a hash begins.
    #[inline]
    fn home(&self, half: u32) -> usize {
        ((u64::from(half) * self.entries.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.entries.len() { 0 } else { at + 1 }
    }

    /// What an entry has of a hash: its lowest bits, since the place has been made of the highest.
    #[inline]
    fn mark(&self, half: u32) -> u32 {
        half.checked_shl(self.bits).unwrap_or(0)
    }

    /// The number of an entry that is not free.
    #[inline]
    fn number(&self, entry: u32) -> u32 {
        (entry & !self.mark(u32::MAX)) - 1
    }

    /// The number with this hash of which `same` says that it is the one, or the place for it. Only the
    /// lower half of a hash counts; the upper one is free to choose among tables. There is a place
    /// only after [`Table::reserve`].
    #[inline]
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, Place> {
        let half = hash as u32;
        let (mark, mask) = (self.mark(half), self.mark(u32::MAX));
        let mut at = self.home(half);
        while let Some(&entry) = self.entries.get(at) {
            if entry == 0 {
                break;
            }
            if entry & mask == mark && same((entry & !mask) - 1) {
                return Ok((entry & !mask) - 1);
            }
            at = self.after(at);
        }
        Err(Place(at))
    }

    /// Enters a number at the place where it was looked for. In between nothing else has been entered, nor has room
    /// been made.
    #[inline]
    pub fn insert(&mut self, place: Place, hash: u64, number: u32) {
        debug_assert!(self.entries[place.0] == 0 && (number as usize + 1) >> self.bits == 0);
        self.entries[place.0] = self.mark(hash as u32) | (number + 1);
        self.len += 1;
    }

    /// Enters another number in the place of one that is there, with the same hash.
    pub fn replace(&mut self, hash: u64, old: u32, new: u32) {
        let mark = self.mark(hash as u32);
        let mut at = self.home(hash as u32);
        while self.entries[at] != 0 && self.entries[at] != mark | (old + 1) {
            at = self.after(at);
        }
        debug_assert!(self.entries[at] != 0 && (new as usize + 1) >> self.bits == 0);
        self.entries[at] = mark | (new + 1);
    }

    /// The number that [`Table::find`] will look at first, if there is one. For who looks up
    /// many things and wants the waits for memory to overlap.
    #[inline]
    pub fn glance(&self, hash: u64) -> Option<u32> {
        self.find(hash, |_| true).ok()
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interns numbers, with a hash that `hash` makes of them.
    fn intern(
        table: &mut Table,
        items: &mut Vec<u64>,
        item: u64,
        hash: fn(u64) -> u64,
    ) -> Result<u32, u32> {
        table.reserve(1, items.len() + 1, |i| hash(items[i as usize]));
        match table.find(hash(item), |i| items[i as usize] == item) {
            Ok(known) => Ok(known),
            Err(place) => {
                table.insert(place, hash(item), items.len() as u32);
                items.push(item);
                Err(items.len() as u32 - 1)
            }
        }
    }

    fn scattered(item: u64) -> u64 {
        item.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31)
    }

    /// Few different hashes, all of which begin at the end of the table.
    fn crowded(item: u64) -> u64 {
        u64::from(u32::MAX) - item % 3
    }

    #[test]
    fn things_have_one_number_whatever_their_hashes_are() {
        for (hash, count) in [(scattered as fn(u64) -> u64, 50_000), (crowded, 500)] {
            let (mut table, mut items) = (Table::default(), Vec::new());
            for item in 0..count {
                assert_eq!(intern(&mut table, &mut items, item * 7, hash), Err(item as u32));
            }
            for item in 0..count {
                assert_eq!(intern(&mut table, &mut items, item * 7, hash), Ok(item as u32));
                assert!(table.find(hash(item * 7 + 1), |i| items[i as usize] == 1).is_err());
            }
            assert_eq!(table.len(), count as usize);
        }
    }

    #[test]
    fn a_table_takes_little_more_than_its_numbers() {
        let (mut table, mut items) = (Table::default(), Vec::new());
        for item in 0..100_000 {
            let _ = intern(&mut table, &mut items, item, scattered);
            let used = (item as usize + 1) * size_of::<u32>();
            assert!(
                table.bytes() * 2 <= used * 3 + 128,
                "{} bytes for {}",
                table.bytes(),
                item + 1
            );
            assert!(table.bytes() * 5 >= used * 6, "probing ends at a free place");
        }
    }

    #[test]
    fn places_stay_while_there_is_room() {
        let mut table = Table::default();
        table.reserve(1_000, 1_000, |_| 0);
        let bytes = table.bytes();
        for number in 0..1_000 {
            let Err(place) = table.find(scattered(number), |_| false) else { panic!("entered") };
            table.insert(place, scattered(number), number as u32);
        }
        assert_eq!(table.bytes(), bytes);
    }

    /// Numbers that are not dense, replaced now and then, against a map; numbers take all bits in the end.
    #[test]
    fn what_is_entered_and_replaced_is_found_as_in_a_map() {
        for (hash, count) in [(scattered as fn(u64) -> u64, 30_000u64), (crowded, 400)] {
            let (mut table, mut map) = (Table::default(), std::collections::HashMap::new());
            let mut content: Vec<u64> = Vec::new();
            for round in 0..count * 3 {
                let item = scattered(round) % count;
                content.push(item);
                let number = content.len() as u32 - 1;
                table.reserve(1, content.len(), |n| hash(content[n as usize]));
                match table.find(hash(item), |n| content[n as usize] == item) {
                    Ok(old) => {
                        assert_eq!(map.insert(item, number), Some(old));
                        table.replace(hash(item), old, number);
                    }
                    Err(place) => {
                        assert_eq!(map.insert(item, number), None);
                        table.insert(place, hash(item), number);
                    }
                }
            }
            assert_eq!(table.len(), map.len());
            // Room for the largest numbers: nothing is left for the hash.
            table.reserve(1, u32::MAX as usize / 64, |n| hash(content[n as usize]));
            assert!(map.into_iter().all(|(item, number)| {
                table.find(hash(item), |n| content[n as usize] == item) == Ok(number)
            }));
        }
    }

    #[test]
    fn a_glance_gives_a_number_that_may_be_the_one() {
        let (mut table, mut items) = (Table::default(), Vec::new());
        assert_eq!(table.glance(5), None);
        for item in 0..10_000 {
            let _ = intern(&mut table, &mut items, item, scattered);
        }
        let seen = (0..10_000u32).filter(|&i| table.glance(scattered(u64::from(i))) == Some(i));
        assert!(seen.count() > 9_900, "bits of the hash tell nearly all others");
    }

    #[test]
    fn nothing_is_found_in_a_table_without_room() {
        assert!(Table::default().find(3, |_| true).is_err());
        assert!(Table::default().is_empty());
    }
}
