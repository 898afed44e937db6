//! A small pseudo-random generator: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, *Fast splittable
//! pseudorandom number generators*, OOPSLA 2014). Own code, so that a seed means the same text
//! forever.

/// A stream of numbers that depends on the seed only.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n` (0 if `n` is 0).
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// True in that many of a hundred cases.
    pub(crate) fn percent(&mut self, p: usize) -> bool {
        self.below(100) < p
    }

    /// An element; `None` if there is none.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_streams_and_numbers_stay_below_the_bound() {
        let (mut a, mut b, mut c) = (Rng::new(7), Rng::new(7), Rng::new(8));
        let first: Vec<usize> = (0..100).map(|_| a.below(10)).collect();
        assert_eq!(first, (0..100).map(|_| b.below(10)).collect::<Vec<_>>());
        assert_ne!(first, (0..100).map(|_| c.below(10)).collect::<Vec<_>>());
        assert!((0..10).all(|n| first.contains(&n)) && first.iter().all(|n| *n < 10));
    }
}
