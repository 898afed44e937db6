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

use hashbrown::HashTable;
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

/// The shard of a hash.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    // The table uses the low and the highest bits.
    (hash >> 40) as usize % SHARDS
}

/// One part of the store.
#[derive(Default)]
pub(crate) struct Shard {
    table: HashTable<u32>,
    bytes: Vec<u8>,
    /// End of every state in `bytes`.
    ends: Vec<u64>,
    /// First node of every state; further ones are linked.
    first: Vec<u32>,
    state: Vec<u32>,
    tag: Vec<u32>,
    next: Vec<u32>,
    parent: Vec<u32>,
    parent_shard: Vec<u8>,
    /// Nodes from here on belong to the level being discovered.
    level: usize,
}

/// What became of a discovered node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    New,
    Covered,
}

impl Shard {
    fn bytes_of(&self, state: u32) -> &[u8] {
        let i = state as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        self.table.find(hash, |&i| self.bytes_of(i) == bytes).copied()
    }

    /// Is a node with this state and tag, or one that covers it, already there?
    pub(crate) fn covered(&self, bytes: &[u8], hash: u64, tag: u32, cover: &dyn Cover) -> bool {
        self.find(bytes, hash).is_some_and(|state| {
            self.nodes_of(state).any(|n| {
                let known = self.tag[n as usize];
                known == tag || cover.covers(known, tag)
            })
        })
    }

    fn nodes_of(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.first[state as usize];
        std::iter::from_fn(move || {
            let node = at;
            (node != NONE).then(|| {
                at = self.next[node as usize];
                node
            })
        })
    }

    /// Enters a node.
    pub(crate) fn enter(
        &mut self,
        bytes: &[u8],
        hash: u64,
        tag: u32,
        parent: NodeId,
        cover: &dyn Cover,
    ) -> Entered {
        let state = match self.find(bytes, hash) {
            Some(state) => {
                if self.covered_state(state, tag, cover) {
                    return Entered::Covered;
                }
                self.drop_covered(state, tag, cover);
                state
            }
            None => self.add_state(bytes, hash),
        };
        let node = self.state.len() as u32;
        self.state.push(state);
        self.tag.push(tag);
        self.parent.push(parent.index);
        self.parent_shard.push(parent.shard);
        self.next.push(self.first[state as usize]);
        self.first[state as usize] = node;
        Entered::New
    }

    fn covered_state(&self, state: u32, tag: u32, cover: &dyn Cover) -> bool {
        self.nodes_of(state).any(|n| {
            let known = self.tag[n as usize];
            known == tag || cover.covers(known, tag)
        })
    }

    fn drop_covered(&mut self, state: u32, tag: u32, cover: &dyn Cover) {
        let mut before = NONE;
        let mut at = self.first[state as usize];
        while at != NONE {
            let next = self.next[at as usize];
            if cover.covers(tag, self.tag[at as usize]) {
                match before {
                    NONE => self.first[state as usize] = next,
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

    fn add_state(&mut self, bytes: &[u8], hash_value: u64) -> u32 {
        let state = self.ends.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as u64);
        self.first.push(NONE);
        let (all, ends) = (&self.bytes, &self.ends);
        self.table.insert_unique(hash_value, state, |&i| {
            let i = i as usize;
            let start = if i == 0 { 0 } else { ends[i - 1] as usize };
            hash(&all[start..ends[i] as usize])
        });
        state
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
        NodeId {
            shard: self.parent_shard[index as usize],
            index: self.parent[index as usize],
        }
    }

    pub(crate) fn states(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.state.len()
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * 8
            + (self.first.capacity()
                + self.state.capacity()
                + self.tag.capacity()
                + self.next.capacity()
                + self.parent.capacity())
                * 4
            + self.parent_shard.capacity()
            + self.table.capacity() * 5
    }
}
