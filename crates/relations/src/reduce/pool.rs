//! Signatures, each kept once: equal ones have equal numbers.

use linchpin_engine::Table;

/// A collection of sorted sequences.
#[derive(Debug)]
pub(crate) struct Pool {
    words: Vec<u64>,
    /// Where each begins.
    starts: Vec<usize>,
    table: Table,
}

impl Pool {
    /// Only the empty signature, whose number is 0.
    pub(crate) fn new() -> Self {
        let mut pool = Pool { words: Vec::new(), starts: Vec::new(), table: Table::default() };
        pool.enter(&[]);
        pool
    }

    /// The number of a signature.
    pub(crate) fn enter(&mut self, signature: &[u64]) -> u32 {
        self.table.reserve(1);
        let hash = hash(signature);
        match self.table.find(hash, |known| self.get(known) == signature) {
            Ok(known) => known,
            Err(place) => {
                let number = self.starts.len() as u32;
                self.table.insert(place, hash, number);
                self.starts.push(self.words.len());
                self.words.extend_from_slice(signature);
                number
            }
        }
    }

    /// A signature.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u64] {
        let number = number as usize;
        let end = self.starts.get(number + 1).map_or(self.words.len(), |start| *start);
        &self.words[self.starts[number]..end]
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
