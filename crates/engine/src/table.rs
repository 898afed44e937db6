//! The one hash table: numbers of things that lie elsewhere, found by what the things are.
//!
//! Open addressing with linear probing. An entry is one word, half of the hash and the number, so a
//! look-up mostly touches one place here and then the thing itself. The caller keeps the things and
//! compares them: no hash stands for one.
//!
//! *Any size.* A hash is brought into range by multiplication instead of a mask (Lemire, *Fast random
//! integer generation in an interval*, TOMACS 2019), so the table grows by a third and not by doubling:
//! between nine sixteenths and three quarters of it are in use, 11 to 14 bytes for each number. Larger
//! hashes then have later places, so a table grows in one pass from front to back.

/// A free place, for [`Table::insert`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

/// Numbers by hashes.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Half of the hash above, number plus one below; 0 is free.
    entries: Vec<u64>,
    len: usize,
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

    /// Makes room for so many more, so that their places stay as they are until they are taken.
    pub fn reserve(&mut self, more: usize) {
        let needed = (self.len + more) * 4;
        let mut size = self.entries.len();
        while needed > size * 3 {
            size = (size + size.div_ceil(3)).max(SMALLEST);
        }
        if size > self.entries.len() {
            self.resize(size);
        }
    }

    fn resize(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.entries, vec![0; size]);
        for entry in old.into_iter().filter(|e| *e != 0) {
            let mut at = self.home((entry >> 32) as u32);
            while self.entries[at] != 0 {
                at = self.after(at);
            }
            self.entries[at] = entry;
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

    /// The number with this hash of which `same` says that it is the one, or the place for it. Only the
    /// lower half of a hash counts; the upper one is free to choose among tables. There is a place
    /// only after [`Table::reserve`].
    #[inline]
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, Place> {
        let half = hash as u32;
        let mut at = self.home(half);
        while let Some(&entry) = self.entries.get(at) {
            if entry == 0 {
                break;
            }
            if (entry >> 32) as u32 == half && same(entry as u32 - 1) {
                return Ok(entry as u32 - 1);
            }
            at = self.after(at);
        }
        Err(Place(at))
    }

    /// Enters a number, less than `u32::MAX`, at the place where it was looked for. In between nothing
    /// else has been entered, nor has room been made.
    #[inline]
    pub fn insert(&mut self, place: Place, hash: u64, number: u32) {
        debug_assert!(self.entries[place.0] == 0 && number < u32::MAX);
        self.entries[place.0] = hash << 32 | u64::from(number + 1);
        self.len += 1;
    }

    /// The number that [`Table::find`] will look at first, if it looks like the one. For who looks up
    /// many things and wants the waits for memory to overlap.
    #[inline]
    pub fn glance(&self, hash: u64) -> Option<u32> {
        let entry = *self.entries.get(self.home(hash as u32))?;
        (entry != 0 && (entry >> 32) as u32 == hash as u32).then(|| entry as u32 - 1)
    }

    /// All numbers, each with the half of its hash that is known.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let taken = self.entries.iter().filter(|entry| **entry != 0);
        taken.map(|&entry| (entry as u32 - 1, (entry >> 32) as u32))
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u64>()
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
        table.reserve(1);
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
            let used = (item as usize + 1) * size_of::<u64>();
            assert!(table.bytes() <= used * 2 + 128, "{} bytes for {}", table.bytes(), item + 1);
            assert!(table.bytes() * 3 >= used * 4, "probing ends at a free place");
        }
    }

    #[test]
    fn places_stay_while_there_is_room() {
        let mut table = Table::default();
        table.reserve(1_000);
        let bytes = table.bytes();
        for number in 0..1_000 {
            let Err(place) = table.find(scattered(number), |_| false) else { panic!("entered") };
            table.insert(place, scattered(number), number as u32);
        }
        assert_eq!(table.bytes(), bytes);
    }

    #[test]
    fn a_glance_gives_the_number_or_nothing() {
        let (mut table, mut items) = (Table::default(), Vec::new());
        assert_eq!(table.glance(5), None);
        for item in 0..10_000 {
            let _ = intern(&mut table, &mut items, item, scattered);
        }
        let seen = (0..10_000u32).filter(|&i| table.glance(scattered(u64::from(i))) == Some(i));
        assert!(seen.count() > 4_000, "most numbers are where they belong");
        assert_eq!(table.glance(1), None, "another hash is not taken for it");
    }

    #[test]
    fn nothing_is_found_in_a_table_without_room() {
        assert!(Table::default().find(3, |_| true).is_err());
        assert!(Table::default().is_empty());
    }
}
