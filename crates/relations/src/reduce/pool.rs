//! Signatures, each kept once: equal ones have equal numbers.

use linchpin_engine::Table;

/// A collection of sorted sequences.
#[derive(Debug)]
pub(crate) struct Pool {
    /// In pieces that never grow: a vector that doubles would need three times its memory for a while.
    pieces: Vec<Vec<u64>>,
    /// Where each is: the piece, and from where to where in it.
    places: Vec<(u32, u32, u32)>,
    table: Table,
}

/// The words of a piece, unless one signature has more.
const PIECE: usize = 1 << 16;

impl Pool {
    /// Only the empty signature, whose number is 0.
    pub(crate) fn new() -> Self {
        let mut pool = Pool { pieces: Vec::new(), places: Vec::new(), table: Table::default() };
        pool.enter(&[]);
        pool
    }

    /// The number of a signature.
    pub(crate) fn enter(&mut self, signature: &[u64]) -> u32 {
        let mut table = std::mem::take(&mut self.table);
        table.reserve(1, self.places.len() + 1, |known| hash(self.get(known)));
        self.table = table;
        let hash = hash(signature);
        match self.table.find(hash, |known| self.get(known) == signature) {
            Ok(known) => known,
            Err(place) => {
                let number = self.places.len() as u32;
                self.table.insert(place, hash, number);
                let fits = |piece: &Vec<u64>| piece.capacity() - piece.len() >= signature.len();
                if !self.pieces.last().is_some_and(fits) {
                    self.pieces.push(Vec::with_capacity(signature.len().max(PIECE)));
                }
                let last = self.pieces.len() - 1;
                let piece = &mut self.pieces[last];
                let from = piece.len();
                piece.extend_from_slice(signature);
                self.places.push((last as u32, from as u32, piece.len() as u32));
                number
            }
        }
    }

    /// A signature.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u64] {
        let (piece, from, to) = self.places[number as usize];
        &self.pieces[piece as usize][from as usize..to as usize]
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
