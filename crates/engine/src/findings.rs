//! What the nodes of one chunk lead to, on its way to the shards.
//!
//! Whoever expands a chunk writes to buffers of its own, one per shard, and every shard takes in what it is meant for, in the
//! order of the chunks (`search`). If several processes search, some of it comes from another one (`together`).

use std::ops::Range;

use crate::blocks::Root;
use crate::store::{NodeId, SHARDS};
use crate::together::Came;

/// A node that a chunk found for one shard.
pub(crate) struct Entry {
    pub(crate) state: Root,
    pub(crate) tag: u32,
    pub(crate) parent: u32,
    pub(crate) cost: u64,
}

/// What one chunk found. Chunks that are expanded at the same time are side by side: no two share a cache line.
#[repr(align(128))]
pub(crate) struct Findings<V> {
    pub(crate) shard: usize,
    /// For every shard.
    pub(crate) parcels: Vec<Vec<Entry>>,
    pub(crate) transitions: u64,
    /// The node from which there is one.
    pub(crate) violation: Option<(NodeId, V)>,
    /// For every node how many steps it has, and for every step its name and the shard it leads to.
    pub(crate) nodes: Vec<(u32, u32)>,
    pub(crate) steps: Vec<(u32, u8)>,
}

/// The shard of a step that leads nowhere.
pub(crate) const NO_SHARD: u8 = u8::MAX;

impl<V> Default for Findings<V> {
    fn default() -> Self {
        Findings {
            shard: 0,
            parcels: (0..SHARDS).map(|_| Vec::new()).collect(),
            transitions: 0,
            violation: None,
            nodes: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl<V> Findings<V> {
    /// Forgets what was taken in; the buffers stay.
    pub(crate) fn clear(&mut self) {
        self.parcels.iter_mut().for_each(Vec::clear);
        self.nodes.clear();
        self.steps.clear();
    }

    /// What the chunk has come to.
    pub(crate) fn came(&self) -> Came {
        (self.transitions, self.violation.as_ref().map(|(node, _)| *node))
    }

    /// Do the steps of the nodes of a range lead to what was found?
    pub(crate) fn is_consistent(&self, range: &Range<u32>) -> bool {
        let steps: u64 = self.nodes.iter().map(|(_, count)| u64::from(*count)).sum();
        let to = |shard: usize| self.steps.iter().filter(|(_, s)| usize::from(*s) == shard).count();
        let known = |(_, shard): &(u32, u8)| usize::from(*shard) < SHARDS || *shard == NO_SHARD;
        steps == self.steps.len() as u64
            && self.steps.iter().all(known)
            && self.nodes.iter().all(|(node, _)| range.contains(node))
            && self.parcels.iter().enumerate().all(|(shard, p)| p.len() == to(shard))
    }
}
