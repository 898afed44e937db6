//! States as two numbers: a state is cut in two, each half is kept once, and the state is the pair.
//!
//! A state of a concurrent program is a combination of parts: shared variables and some threads, other threads and the
//! heap. Few of the halves are different where many of the pairs are, so what a state takes is the pair, eight bytes,
//! however wide it is. This is the root of the tree of Laarman, van de Pol and Weber (*Parallel recursive state compression
//! for free*, SPIN 2011). They cut every half again, down to single slots, always in the middle. We cut once, but in the
//! right place: how many different halves there are depends on the place more than on anything else. Measured with
//! Treiber's stack, 3 x 2 without reductions, 3.3 million states of 23 to 41 slots: trees that cut in the middle have
//! 0.55 to 0.97 inner nodes for each state, one cut after slot 12 has 0.11 halves.
//!
//! *Where to cut* is found out by looking ([`Blocks::better_cut`]): to the left of a place there are more different halves the
//! further right it is, to the right of it fewer, and the best place is near the one where both are equal. A search begins
//! without a cut. Each time it has eight times as many nodes and not far fewer halves than states it looks at
//! some states and writes all of them down again if there is a better place.
//!
//! *Exact.* Equal halves have equal numbers (`arena`), so equal states are equal pairs and different ones are different.
//! Numbers are given first come, and nothing that can be seen depends on them.
//!
//! *Fast.* A step changes little: a half that is that of the state before has its number (`Halves`). Others are mostly among
//! those that this worker has looked up before (`Known`), and only then in the arena, which all workers share.

use std::collections::HashSet;
use std::ops::Range;

use crate::arena::Arena;
use crate::pack::{append, pack, unpack};
use crate::store::hash;

/// A state: the numbers of both halves.
pub(crate) type Root = u64;

/// Halves by number.
#[derive(Default)]
pub(crate) struct Blocks {
    arena: Arena,
    /// So many slots are to the left.
    cut: usize,
    /// How often the cut was changed.
    version: u32,
}

/// A state as it is packed, with what is known of its halves.
#[derive(Default)]
pub(crate) struct Halves {
    bytes: Vec<u8>,
    /// Where the right one begins.
    middle: usize,
    left: u32,
    right: u32,
    /// Halves that were looked up before, by hash, and in which version.
    recent: (u32, Vec<Known>),
}

impl Halves {
    /// A hash of what the state is.
    pub(crate) fn hash(&self) -> u64 {
        hash(&self.bytes)
    }
}

/// A half of which a worker knows the number.
#[derive(Clone, Copy)]
struct Known {
    bytes: [u8; INLINE],
    length: u32,
    number: u32,
}

/// Halves of more bytes are looked up in the arena.
const INLINE: usize = 40;
/// So many halves are remembered.
const RECENT: usize = 1 << 14;

impl Blocks {
    /// Cuts after so many slots. The one before it is not used any more.
    pub(crate) fn cutting(cut: usize, before: &Blocks) -> Self {
        Blocks { arena: Arena::new(), cut, version: before.version + 1 }
    }

    /// The number of a state. Halves that are those of `near` are not looked up.
    #[inline]
    pub(crate) fn enter(&self, state: &[u32], near: &Halves, new: &mut Halves) -> Root {
        let (left, right) = state.split_at(self.cut.min(state.len()));
        let Halves { bytes, middle, .. } = new;
        pack(left, bytes);
        *middle = bytes.len();
        append(right, bytes);
        let ((left, right), (l, r)) = (bytes.split_at(*middle), near.bytes.split_at(near.middle));
        let recent = &mut new.recent;
        new.left = if left == l { near.left } else { self.intern(left, recent) };
        new.right = if right == r { near.right } else { self.intern(right, recent) };
        u64::from(new.left) << 32 | u64::from(new.right)
    }

    fn intern(&self, half: &[u8], (version, recent): &mut (u32, Vec<Known>)) -> u32 {
        let hash = hash(half);
        // What is small is near anyway.
        if half.len() > INLINE || self.cut == 0 {
            return self.arena.intern_bytes(half, hash);
        }
        if recent.is_empty() || *version != self.version {
            recent.clear();
            recent.resize(RECENT, Known { bytes: [0; INLINE], length: 0, number: 0 });
            *version = self.version;
        }
        let known = &mut recent[hash as usize % RECENT];
        if known.bytes[..known.length as usize] != *half {
            known.number = self.arena.intern_bytes(half, hash);
            known.length = half.len() as u32;
            known.bytes[..half.len()].copy_from_slice(half);
        }
        known.number
    }

    /// Writes a state to `slots`, and what is known of it to `halves`.
    #[inline]
    pub(crate) fn read(&self, root: Root, halves: &mut Halves, slots: &mut Vec<u32>) {
        (halves.left, halves.right) = ((root >> 32) as u32, root as u32);
        halves.bytes.clear();
        self.arena.read_bytes(halves.left, &mut halves.bytes);
        halves.middle = halves.bytes.len();
        self.arena.read_bytes(halves.right, &mut halves.bytes);
        slots.clear();
        unpack(&halves.bytes, slots);
    }

    /// The number of a state that may be anywhere.
    pub(crate) fn number(&self, state: &[u32]) -> Root {
        self.enter(state, &Halves::default(), &mut Halves::default())
    }

    /// The state of a number.
    pub(crate) fn state(&self, root: Root) -> Vec<u32> {
        let mut slots = Vec::new();
        self.read(root, &mut Halves::default(), &mut slots);
        slots
    }

    /// Are there nearly no numbers left?
    pub(crate) fn is_full(&self) -> bool {
        self.arena.is_full()
    }

    /// How many halves there are.
    pub(crate) fn len(&self) -> usize {
        self.arena.len()
    }

    /// The place at which these states, a sample, have fewer different halves on the side with more of them than at this
    /// one, if there is one. (Of a half that many states have a sample has few, so that sums of both sides say little.)
    pub(crate) fn better_cut(&self, sample: &[Vec<u32>]) -> Option<usize> {
        let different = |side: &dyn Fn(&[u32]) -> Range<usize>| {
            let (mut bytes, mut seen) = (Vec::new(), HashSet::new());
            for state in sample {
                pack(&state[side(state)], &mut bytes);
                seen.insert(hash(&bytes));
            }
            seen.len()
        };
        let sides = |cut: usize| {
            let left = different(&|state| 0..cut.min(state.len()));
            (left, different(&|state| cut.min(state.len())..state.len()))
        };
        // The first place with no fewer to the left than to the right; the best is this one or the one before.
        let (mut low, mut high) = (0, sample.iter().map(Vec::len).max()?);
        while low < high {
            let middle = low.midpoint(high);
            let (left, right) = sides(middle);
            if left >= right { high = middle } else { low = middle + 1 }
        }
        let most = |cut: usize| {
            let (left, right) = sides(cut);
            left.max(right)
        };
        let best = [low.saturating_sub(1), low].into_iter().min_by_key(|&cut| most(cut))?;
        (most(best) < most(self.cut)).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States of so many threads and a heap that is longer or shorter; some slots are large.
    fn states(count: u64) -> Vec<Vec<u32>> {
        let mut x = 3u64;
        let mut draw = |below: u64| {
            x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            ((x >> 33) % below) as u32
        };
        let state = |_| {
            let length = 3 + draw(4) as usize;
            let mut slots = vec![draw(3), draw(2) * 300, 7, 7, draw(5)];
            slots.extend((0..length).map(|_| draw(4)));
            slots
        };
        (0..count).map(state).collect()
    }

    #[test]
    fn states_come_back_and_are_the_same_number_if_they_are_the_same() {
        for cut in [0, 1, 4, 100] {
            let blocks = Blocks::cutting(cut, &Blocks::default());
            let mut known = std::collections::HashMap::new();
            let (mut near, mut now) = (Halves::default(), Halves::default());
            for state in states(20_000) {
                let root = blocks.enter(&state, &near, &mut now);
                assert_eq!(now.hash(), {
                    let mut bytes = Vec::new();
                    pack(&state, &mut bytes);
                    hash(&bytes)
                });
                std::mem::swap(&mut near, &mut now);
                assert_eq!((blocks.number(&state), blocks.state(root)), (root, state.clone()));
                assert_eq!(*known.entry(state).or_insert(root), root);
            }
            let different: HashSet<Root> = known.values().copied().collect();
            assert_eq!(different.len(), known.len());
        }
    }

    #[test]
    fn a_cut_is_found_that_leaves_few_halves() {
        let states = states(20_000);
        let all: HashSet<&Vec<u32>> = states.iter().collect();
        let found = Blocks::default().better_cut(&states);
        let blocks =
            Blocks::cutting(found.expect("anything is better than not to cut"), &Blocks::default());
        states.iter().for_each(|state| {
            blocks.number(state);
        });
        assert!(blocks.len() * 4 < all.len(), "{} halves of {}", blocks.len(), all.len());
        assert_eq!(blocks.better_cut(&states), None);
        assert_eq!(blocks.better_cut(&[]), None);
    }
}
