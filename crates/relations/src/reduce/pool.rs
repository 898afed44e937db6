//! Signatures, each kept once: equal ones have equal numbers.

const EMPTY: u32 = u32::MAX;

/// A collection of sorted sequences.
#[derive(Debug)]
pub(crate) struct Pool {
    words: Vec<u64>,
    /// Where each begins, and its hash.
    heads: Vec<(usize, u64)>,
    table: Vec<u32>,
}

impl Pool {
    /// Only the empty signature, whose number is 0.
    pub(crate) fn new() -> Self {
        let mut pool = Pool { words: Vec::new(), heads: Vec::new(), table: vec![EMPTY; 1 << 10] };
        pool.enter(&[]);
        pool
    }

    /// The number of a signature.
    pub(crate) fn enter(&mut self, signature: &[u64]) -> u32 {
        if self.heads.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = hash(signature);
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != EMPTY {
            let known = self.table[place];
            if self.heads[known as usize].1 == hash && self.get(known) == signature {
                return known;
            }
            place = (place + 1) & mask;
        }
        let number = self.heads.len() as u32;
        self.table[place] = number;
        self.heads.push((self.words.len(), hash));
        self.words.extend_from_slice(signature);
        number
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut wider = vec![EMPTY; size];
        for (number, (_, hash)) in self.heads.iter().enumerate() {
            let mut place = *hash as usize & (size - 1);
            while wider[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            wider[place] = number as u32;
        }
        self.table = wider;
    }

    /// A signature.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u64] {
        let number = number as usize;
        let end = self.heads.get(number + 1).map_or(self.words.len(), |(start, _)| *start);
        &self.words[self.heads[number].0..end]
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.words.capacity() * 8 + self.heads.capacity() * 16 + self.table.capacity() * 4
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const SALT: u64 = 0xF39C_C060_5CED_C835;

/// Words are multiplied one after the other, both halves of each product counting.
fn hash(signature: &[u64]) -> u64 {
    let mut hash = signature.len() as u64;
    for word in signature {
        let wide = u128::from(hash ^ word ^ SALT) * u128::from(FACTOR);
        hash = (wide >> 64) as u64 ^ wide as u64;
    }
    hash ^ (hash >> 32)
}
