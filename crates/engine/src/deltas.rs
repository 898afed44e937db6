//! Numbers one after the other, kept by their differences.
//!
//! Parents of nodes are entered in the order in which the parents are expanded, so within a level they increase, mostly by
//! little: a difference takes about one byte where the number takes four. Numbers may be any; differences that are large or
//! negative take up to five bytes. Reading one goes through the block in which it is, which is fast enough for who
//! follows a path and for nobody else.

use crate::segments::Segments;

/// So many numbers begin with one that is kept whole.
const BLOCK: usize = 128;

/// A list of numbers.
#[derive(Default)]
pub(crate) struct Deltas {
    /// Of each block that is whole: its first number, and where the differences are.
    blocks: Segments<(u32, u64), 10>,
    bytes: Segments<u8, 16>,
    /// The block that is not.
    first: u32,
    last: u32,
    open: Vec<u8>,
    len: usize,
}

impl Deltas {
    pub(crate) fn push(&mut self, number: u32) {
        if self.len.is_multiple_of(BLOCK) {
            self.first = number;
        } else {
            let difference = number.wrapping_sub(self.last) as i32;
            // The sign is the lowest bit, so that small ones are small.
            let mut rest = (difference << 1 ^ difference >> 31) as u32;
            while rest >= 0x80 {
                self.open.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            self.open.push(rest as u8);
        }
        self.last = number;
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) {
            let at = self.bytes.extend(&self.open);
            self.blocks.push((self.first, at as u64));
            self.open.clear();
        }
    }

    /// The number at a place.
    pub(crate) fn get(&self, at: usize) -> u32 {
        let (mut number, bytes) = match at / BLOCK < self.blocks.end() {
            true => {
                let (first, from) = *self.blocks.get(at / BLOCK);
                (first, self.bytes.from(from as usize))
            }
            false => (self.first, &self.open[..]),
        };
        let mut bytes = bytes.iter();
        for _ in 0..at % BLOCK {
            let (mut rest, mut shift) = (0, 0);
            for &byte in bytes.by_ref() {
                rest |= u32::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            number = number.wrapping_add(rest >> 1 ^ (rest & 1).wrapping_neg());
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_come_back() {
        let (mut deltas, mut plain) = (Deltas::default(), Vec::new());
        let mut x = 1u64;
        for i in 0..20_000u32 {
            x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            let number = match x >> 61 {
                0 => (x >> 20) as u32,
                1 => u32::MAX - (x >> 50) as u32,
                2 => 0,
                _ => i * 5 + (x >> 60) as u32,
            };
            deltas.push(number);
            plain.push(number);
            let at = (x >> 33) as usize % plain.len();
            assert_eq!(deltas.get(at), plain[at]);
        }
        assert!((0..plain.len()).all(|at| deltas.get(at) == plain[at]));
    }

    #[test]
    fn what_increases_by_little_takes_a_byte() {
        let mut deltas = Deltas::default();
        (0..100_000).for_each(|i| deltas.push(i * 31));
        assert!(deltas.bytes.end() < 105_000, "{}", deltas.bytes.end());
    }
}
