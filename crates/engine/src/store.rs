//! The state store: exact states, and the search nodes on top of them.
//!
//! A *node* of the search is a state with a tag (for linearizability: the set of specification
//! configurations; otherwise 0). The store is divided into shards by the hash of the state, so that
//! workers can fill different shards at the same time without locks; the division does not depend
//! on the number of workers, and so neither does any result.
//!
//! Antichain (Laveaux, Groote, Willemse, LMCS 2021, whose correction of the published algorithm is
//! what we follow): per state only nodes with minimal tags are kept. A node is entered when it is
//! *discovered*, not when it is expanded; a stored node that a new one covers leaves the list, but
//! it is only taken out of the search if it is of the same depth as the new one, so that breadth
//! first search still finds a shortest violation.

use std::hint::black_box;

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

use crate::search::Cover;

/// Number of shards.
pub(crate) const SHARDS: usize = 16;

const NONE: u32 = u32::MAX;

/// A node: shard and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId {
    pub(crate) shard: u8,
    pub(crate) index: u32,
}

/// The parent of an initial node.
pub(crate) const ROOT: NodeId = NodeId { shard: u8::MAX, index: NONE };

const SEED: RapidSecrets = RapidSecrets::seed(0);

/// The hash of a packed state.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    rapidhash_v3_seeded(bytes, &SEED)
}

/// The shard of a hash. The table of the shard uses the lower half.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> 60) as usize % SHARDS
}

/// Records begin at multiples of this, so that 32 bits address 16 GiB per shard.
const ALIGN: usize = 4;
/// First node, length; then the packed state.
const HEADER: usize = 8;

/// A state: where its record begins, in units of [`ALIGN`].
type StateId = u32;

/// One part of the store.
///
/// The search spends most of its time waiting for memory, so a look-up touches two places: one word
/// of an open-addressing table (half of the hash and the place of the record) and the record itself,
/// which has the packed state next to its list of nodes. What a batch will need is touched first, for
/// many states at once ([`Shard::warm`]), so that the waits overlap.
pub(crate) struct Shard {
    /// Half of the hash above, [`StateId`] plus one below; 0 is free. Linear probing.
    table: Vec<u64>,
    states: usize,
    records: Vec<u8>,
    state: Vec<StateId>,
    tag: Vec<u32>,
    next: Vec<u32>,
    parent: Vec<u32>,
    parent_shard: Vec<u8>,
    /// Nodes from here on belong to the level being discovered.
    level: usize,
}

impl Default for Shard {
    fn default() -> Self {
        Shard {
            table: vec![0; 64],
            states: 0,
            records: Vec::new(),
            state: Vec::new(),
            tag: Vec::new(),
            next: Vec::new(),
            parent: Vec::new(),
            parent_shard: Vec::new(),
            level: 0,
        }
    }
}

/// What became of a discovered node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    New,
    Covered,
}

impl Shard {
    fn bytes_of(&self, state: StateId) -> &[u8] {
        let at = state as usize * ALIGN;
        let length = word(&self.records, at + 4) as usize;
        &self.records[at + HEADER..at + HEADER + length]
    }

    fn first(&self, state: StateId) -> u32 {
        word(&self.records, state as usize * ALIGN)
    }

    fn set_first(&mut self, state: StateId, node: u32) {
        let at = state as usize * ALIGN;
        self.records[at..at + 4].copy_from_slice(&node.to_le_bytes());
    }

    /// The state, or the free place of the table where it belongs.
    fn find(&self, bytes: &[u8], hash: u64) -> Result<StateId, usize> {
        let mask = self.table.len() - 1;
        let half = hash as u32;
        let mut at = half as usize & mask;
        loop {
            match self.table[at] {
                0 => return Err(at),
                entry => {
                    let state = entry as u32 - 1;
                    if (entry >> 32) as u32 == half && self.bytes_of(state) == bytes {
                        return Ok(state);
                    }
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Touches what look-ups of these hashes will need, and makes room for that many states.
    pub(crate) fn warm(&mut self, hashes: impl ExactSizeIterator<Item = u64> + Clone) {
        while (self.states + hashes.len()) * 3 > self.table.len() * 2 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let (table, records) = (&self.table, &self.records);
        let entries = hashes.clone().map(|h| table[h as u32 as usize & mask]);
        black_box(entries.clone().fold(0, |all, e| all ^ e));
        let found = entries.zip(hashes).filter(|(e, h)| (e >> 32) as u32 == *h as u32);
        black_box(found.fold(0, |all, (e, _)| {
            all ^ records.get((e as u32 as usize).wrapping_sub(1) * ALIGN).copied().unwrap_or(0)
        }));
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        for entry in old.into_iter().filter(|e| *e != 0) {
            let mut at = (entry >> 32) as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = entry;
        }
    }

    fn nodes_of(&self, state: StateId) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.first(state);
        std::iter::from_fn(move || {
            let node = at;
            (node != NONE).then(|| {
                at = self.next[node as usize];
                node
            })
        })
    }

    /// Enters a node. Room for its state has been made by [`Shard::warm`].
    pub(crate) fn enter(
        &mut self,
        bytes: &[u8],
        hash: u64,
        tag: u32,
        parent: NodeId,
        cover: &dyn Cover,
    ) -> Entered {
        let state = match self.find(bytes, hash) {
            Ok(state) => {
                let covered = self.nodes_of(state).any(|n| {
                    let known = self.tag[n as usize];
                    known == tag || cover.covers(known, tag)
                });
                if covered {
                    return Entered::Covered;
                }
                self.drop_covered(state, tag, cover);
                state
            }
            Err(free) => self.add_state(bytes, hash, free),
        };
        let node = self.state.len() as u32;
        self.state.push(state);
        self.tag.push(tag);
        self.parent.push(parent.index);
        self.parent_shard.push(parent.shard);
        self.next.push(self.first(state));
        self.set_first(state, node);
        Entered::New
    }

    fn drop_covered(&mut self, state: StateId, tag: u32, cover: &dyn Cover) {
        let mut before = NONE;
        let mut at = self.first(state);
        while at != NONE {
            let next = self.next[at as usize];
            if cover.covers(tag, self.tag[at as usize]) {
                match before {
                    NONE => self.set_first(state, next),
                    b => self.next[b as usize] = next,
                }
                if at as usize >= self.level {
                    self.state[at as usize] = NONE;
                }
            } else {
                before = at;
            }
            at = next;
        }
    }

    fn add_state(&mut self, bytes: &[u8], hash: u64, free: usize) -> StateId {
        let state = (self.records.len() / ALIGN) as StateId;
        self.records.extend_from_slice(&NONE.to_le_bytes());
        self.records.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.records.extend_from_slice(bytes);
        self.records.resize(self.records.len().next_multiple_of(ALIGN), 0);
        self.table[free] = (hash << 32) | u64::from(state + 1);
        self.states += 1;
        state
    }

    /// Is there still room for addresses? (The limit is 16 GiB per shard.)
    pub(crate) fn is_full(&self) -> bool {
        self.records.len() / ALIGN > (u32::MAX - (1 << 24)) as usize
            || self.state.len() > (u32::MAX - (1 << 24)) as usize
    }

    /// The next level begins; gives the nodes of the one that was just discovered.
    pub(crate) fn finish_level(&mut self) -> std::ops::Range<u32> {
        let range = self.level as u32..self.state.len() as u32;
        self.level = self.state.len();
        range
    }

    /// Packed state and tag of a node; `None` if it was taken out of the search.
    pub(crate) fn node(&self, index: u32) -> Option<(&[u8], u32)> {
        let state = self.state[index as usize];
        (state != NONE).then(|| (self.bytes_of(state), self.tag[index as usize]))
    }

    pub(crate) fn parent(&self, index: u32) -> NodeId {
        NodeId { shard: self.parent_shard[index as usize], index: self.parent[index as usize] }
    }

    pub(crate) fn states(&self) -> usize {
        self.states
    }

    pub(crate) fn nodes(&self) -> usize {
        self.state.len()
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.table.capacity() * 8
            + self.records.capacity()
            + (self.state.capacity()
                + self.tag.capacity()
                + self.next.capacity()
                + self.parent.capacity())
                * 4
            + self.parent_shard.capacity()
    }
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Smaller tags cover larger ones of the same parity.
    struct Parity;
    impl Cover for Parity {
        fn covers(&self, small: u32, large: u32) -> bool {
            small <= large && small % 2 == large % 2
        }
    }

    fn enter(shard: &mut Shard, bytes: &[u8], tag: u32) -> Entered {
        let h = hash(bytes);
        shard.warm([h].into_iter());
        shard.enter(bytes, h, tag, ROOT, &Parity)
    }

    #[test]
    fn every_state_is_kept_exactly_once() {
        let mut shard = Shard::default();
        let mut known = std::collections::HashSet::new();
        let mut x = 1u32;
        for _ in 0..20_000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bytes = &(x >> 18).to_le_bytes()[..1 + (x >> 31) as usize];
            let new = known.insert(bytes.to_vec());
            assert_eq!(enter(&mut shard, bytes, 0) == Entered::New, new);
        }
        assert_eq!(shard.states(), known.len());
        assert_eq!(shard.nodes(), known.len());
    }

    #[test]
    fn only_minimal_tags_of_a_state_stay_in_the_search() {
        let mut shard = Shard::default();
        assert_eq!(enter(&mut shard, b"s", 5), Entered::New);
        assert_eq!(enter(&mut shard, b"s", 7), Entered::Covered);
        assert_eq!(enter(&mut shard, b"s", 4), Entered::New);
        assert_eq!(enter(&mut shard, b"s", 3), Entered::New);
        // 5 was of the same level as 3 and has left the search; 4 is not comparable.
        let alive: Vec<_> = (0..3).filter_map(|i| shard.node(i)).map(|(_, tag)| tag).collect();
        assert_eq!(alive, [4, 3]);
        shard.finish_level();
        // 3 has been handed out already: it is no longer in the list, but still expanded.
        assert_eq!(enter(&mut shard, b"s", 1), Entered::New);
        assert!(shard.node(2).is_some());
        assert_eq!(shard.states(), 1);
    }
}
