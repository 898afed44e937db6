//! Flat storage that grows without moving what it holds.
//!
//! A vector that doubles keeps up to twice the memory it uses, and three times while it moves; a search
//! is nearly all storage, so its limits would be wrong by that much. Here elements lie in parts of a
//! fixed size. Elements that are appended together lie together, in one part; those that are larger
//! than a part get one of their own.

/// Elements in parts of `2^BITS`. An address is the number of a part and a place in it.
#[derive(Debug)]
pub(crate) struct Segments<T, const BITS: u32> {
    parts: Vec<Vec<T>>,
}

impl<T, const BITS: u32> Default for Segments<T, BITS> {
    fn default() -> Self {
        Segments { parts: Vec::new() }
    }
}

impl<T: Copy, const BITS: u32> Segments<T, BITS> {
    const SIZE: usize = 1 << BITS;

    /// Appends elements that stay together; gives the address of the first.
    pub(crate) fn extend(&mut self, items: &[T]) -> usize {
        let room = self.parts.last().map_or(0, |part| Self::SIZE.saturating_sub(part.len()));
        if room == 0 || items.len() > room {
            self.parts.push(Vec::new());
        }
        let number = self.parts.len() - 1;
        let part = &mut self.parts[number];
        let (length, needed) = (part.len(), part.len() + items.len());
        if needed > part.capacity() {
            let wanted = needed.max((part.capacity() * 2).min(Self::SIZE));
            part.reserve_exact(wanted - length);
        }
        part.extend_from_slice(items);
        number << BITS | length
    }

    /// Appends one element. If nothing else is ever appended, addresses are 0, 1, 2 and so on.
    pub(crate) fn push(&mut self, item: T) -> usize {
        self.extend(&[item])
    }

    /// The element at an address.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &T {
        &self.parts[at >> BITS][at & (Self::SIZE - 1)]
    }

    /// The element at an address.
    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> &mut T {
        &mut self.parts[at >> BITS][at & (Self::SIZE - 1)]
    }

    /// The elements of the part of an address, from there on.
    #[inline]
    pub(crate) fn from(&self, at: usize) -> &[T] {
        &self.parts[at >> BITS][at & (Self::SIZE - 1)..]
    }

    /// The address of the next element, if it is one alone.
    pub(crate) fn end(&self) -> usize {
        match self.parts.last() {
            None => 0,
            Some(part) if part.len() >= Self::SIZE => self.parts.len() << BITS,
            Some(part) => (self.parts.len() - 1) << BITS | part.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_stays_where_it_is_and_together() {
        let mut segments = Segments::<u16, 4>::default();
        let mut known = Vec::new();
        for length in (0..50).chain([3, 200, 16, 15, 1]) {
            let items: Vec<u16> = (0..length).map(|i| length * 7 + i).collect();
            let at = segments.extend(&items);
            known.push((at, items));
        }
        for (at, items) in known.iter().filter(|(_, items)| !items.is_empty()) {
            assert_eq!(segments.from(*at)[..items.len()], items[..]);
            assert_eq!(*segments.get(*at), items[0]);
        }
    }

    #[test]
    fn single_elements_have_their_numbers_as_addresses() {
        let mut segments = Segments::<u32, 3>::default();
        for i in 0..100 {
            assert_eq!(segments.end(), i);
            assert_eq!(segments.push(i as u32), i);
        }
        *segments.get_mut(77) = 1;
        assert_eq!((*segments.get(77), *segments.get(78)), (1, 78));
    }

    #[test]
    fn little_more_is_allocated_than_is_used() {
        let mut segments = Segments::<u64, 10>::default();
        (0..100_000).for_each(|i| {
            segments.push(i);
        });
        let allocated: usize = segments.parts.iter().map(Vec::capacity).sum();
        assert!(allocated < 100_000 + 1024);
    }
}
