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
//! it is only taken out of the search if it has not been expanded and costs no less than the new one, so
//! that a search by cost still finds a cheapest violation. Whoever was led to it is led to the new one.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

use crate::search::Cover;
use crate::segments::Segments;
use crate::table::Table;

/// Number of shards: a power of two.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 4;

const NONE: u32 = u32::MAX;

/// A node, by number: the shard above, its place there below.
pub type NodeId = u32;

/// The parent of an initial node; where an edge leads that leads nowhere.
pub const NOWHERE: NodeId = u32::MAX;

const PLACE: u32 = u32::MAX >> SHARD_BITS;

#[inline]
pub(crate) fn node_id(shard: usize, place: u32) -> NodeId {
    (shard as u32) << (32 - SHARD_BITS) | place
}

#[inline]
pub(crate) fn shard_and_place(node: NodeId) -> (usize, u32) {
    ((node >> (32 - SHARD_BITS)) as usize, node & PLACE)
}

const SEED: RapidSecrets = RapidSecrets::seed(0);

/// A hash that is the same in every run.
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    rapidhash_v3_seeded(bytes, &SEED)
}

/// The shard of a hash. The table of the shard uses the lower half.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

/// Records begin at multiples of this, so that 32 bits address 16 GiB per shard.
const ALIGN: usize = 4;
/// First node, length; then the packed state.
const HEADER: usize = 8;

/// A state: where its record begins, in units of [`ALIGN`].
pub(crate) type StateId = u32;

#[derive(Clone, Copy, Debug)]
struct Node {
    /// [`NONE`] if the node was taken out of the search; then `next` is the one that covers it.
    state: StateId,
    tag: u32,
    /// The next node of the same state.
    next: u32,
    parent: NodeId,
}

/// Where an edge leads and what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What the space calls it.
    pub label: u32,
    /// Where it leads; [`NOWHERE`] if the space says so.
    pub target: NodeId,
}

/// One part of the store.
///
/// The search spends most of its time waiting for memory, so a look-up touches two places: one word
/// of the table and the record of the state, which has the packed state next to its list of nodes. What
/// a batch will need is touched first, for many states at once ([`Shard::warm`]), so that the waits overlap.
#[derive(Default)]
pub(crate) struct Shard {
    table: Table,
    records: Segments<u8, 18>,
    nodes: Segments<Node, 14>,
    /// Has a node been taken out of the search?
    covers: bool,
    /// What every node costs, if a search goes by cost.
    costs: Segments<u64, 14>,
    /// Nodes from here on have not been expanded yet, if a search goes level by level.
    level: u32,
    /// Nodes to be expanded, by cost.
    open: BTreeMap<u64, Vec<Range<u32>>>,
    /// Where the edges of a node lie, if they are written down.
    spans: Segments<(u32, u32), 14>,
    edges: Segments<Edge, 14>,
}

/// What a shard is in the middle of, for who keeps it.
pub(crate) struct Kept<'s> {
    pub(crate) covers: bool,
    pub(crate) level: u32,
    pub(crate) open: &'s BTreeMap<u64, Vec<Range<u32>>>,
}

/// What became of a discovered node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    New(u32),
    Known(u32),
}

impl Shard {
    pub(crate) fn bytes_of(&self, state: StateId) -> &[u8] {
        let record = self.records.from(state as usize * ALIGN);
        let length = word(record, 4) as usize;
        &record[HEADER..HEADER + length]
    }

    pub(crate) fn first(&self, state: StateId) -> u32 {
        word(self.records.from(state as usize * ALIGN), 0)
    }

    fn set_first(&mut self, state: StateId, node: u32) {
        for (i, byte) in node.to_le_bytes().into_iter().enumerate() {
            *self.records.get_mut(state as usize * ALIGN + i) = byte;
        }
    }

    /// Touches what look-ups of these hashes will need, and makes room for that many states.
    pub(crate) fn warm(&mut self, hashes: impl ExactSizeIterator<Item = u64> + Clone) {
        self.table.reserve(hashes.len());
        let (table, records) = (&self.table, &self.records);
        let seen = hashes.map(|h| table.glance(h));
        black_box(seen.clone().fold(0, |all, s| all ^ s.unwrap_or(0)));
        black_box(seen.flatten().fold(0, |all, s| all ^ records.get(s as usize * ALIGN)));
    }

    fn nodes_of(&self, state: StateId) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.first(state);
        std::iter::from_fn(move || {
            let node = at;
            (node != NONE).then(|| {
                at = self.nodes.get(node as usize).next;
                node
            })
        })
    }

    /// What a node costs: nothing, in a search that does not go by cost.
    pub(crate) fn cost(&self, node: u32) -> u64 {
        if self.costs.end() == 0 { 0 } else { *self.costs.get(node as usize) }
    }

    /// Enters a node. Room for its state has been made by [`Shard::warm`]. A node with the same state
    /// and a covering tag that costs no more takes its place.
    pub(crate) fn enter(
        &mut self,
        bytes: &[u8],
        hash: u64,
        tag: u32,
        parent: NodeId,
        cost: Option<u64>,
        cover: &dyn Cover,
    ) -> Entered {
        let price = cost.unwrap_or(0);
        let (state, new) = match self.table.find(hash, |s| self.bytes_of(s) == bytes) {
            Ok(state) => {
                let known = self.nodes_of(state).find(|&n| {
                    let known = self.nodes.get(n as usize).tag;
                    (known == tag || cover.covers(known, tag)) && self.cost(n) <= price
                });
                if let Some(known) = known {
                    return Entered::Known(known);
                }
                (state, false)
            }
            Err(place) => {
                let state = self.add_record(bytes);
                self.table.insert(place, hash, state);
                (state, true)
            }
        };
        let node = self.nodes.end() as u32;
        if !new {
            self.drop_covered(state, node, tag, price, cover);
        }
        self.nodes.push(Node { state, tag, next: self.first(state), parent });
        if let Some(cost) = cost {
            self.costs.push(cost);
        }
        self.set_first(state, node);
        Entered::New(node)
    }

    /// Takes nodes out of the list of a state that a new one covers, and those out of the search that
    /// have not been expanded.
    fn drop_covered(&mut self, state: StateId, by: u32, tag: u32, price: u64, cover: &dyn Cover) {
        let mut before = NONE;
        let mut at = self.first(state);
        while at != NONE {
            let Node { tag: known, next, .. } = *self.nodes.get(at as usize);
            if (tag == known || cover.covers(tag, known)) && self.cost(at) >= price {
                match before {
                    NONE => self.set_first(state, next),
                    b => self.nodes.get_mut(b as usize).next = next,
                }
                if at >= self.level || self.costs.end() > 0 {
                    let node = self.nodes.get_mut(at as usize);
                    (node.state, node.next) = (NONE, by);
                    self.covers = true;
                }
            } else {
                before = at;
            }
            at = next;
        }
    }

    fn add_record(&mut self, bytes: &[u8]) -> StateId {
        let mut record = smallvec::SmallVec::<[u8; 128]>::new();
        record.extend_from_slice(&NONE.to_le_bytes());
        record.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        record.extend_from_slice(bytes);
        record.resize(record.len().next_multiple_of(ALIGN), 0);
        (self.records.extend(&record) / ALIGN) as StateId
    }

    /// Is there still room for addresses?
    pub(crate) fn is_full(&self) -> bool {
        self.records.end() / ALIGN > (u32::MAX - (1 << 24)) as usize
            || self.nodes.end() > (PLACE - (1 << 24)) as usize
            || self.edges.end() > (u32::MAX - (1 << 28)) as usize
    }

    /// Notes that a node is to be expanded when its cost is due.
    pub(crate) fn open(&mut self, node: u32, cost: u64) {
        let ranges = self.open.entry(cost).or_default();
        match ranges.last_mut() {
            Some(range) if range.end == node => range.end += 1,
            _ => ranges.push(node..node + 1),
        }
    }

    /// The nodes that are to be expanded at least cost, and that cost.
    pub(crate) fn next(&self) -> Option<(u64, Vec<Range<u32>>)> {
        self.open.first_key_value().map(|(cost, ranges)| (*cost, ranges.clone()))
    }

    /// The nodes of a cost are being expanded now; what is discovered from now on is later.
    pub(crate) fn begin(&mut self, cost: u64) {
        self.level = self.nodes.end() as u32;
        self.open.remove(&cost);
    }

    /// No node that is known will be taken out of the search any more.
    pub(crate) fn keep_all(&mut self) {
        self.level = self.nodes.end() as u32;
    }

    /// Packed state and tag of a node; `None` if it was taken out of the search.
    pub(crate) fn node(&self, place: u32) -> Option<(&[u8], u32)> {
        let Node { state, tag, .. } = *self.nodes.get(place as usize);
        (state != NONE).then(|| (self.bytes_of(state), tag))
    }

    /// The record of the state of a node.
    pub(crate) fn state_of(&self, place: u32) -> StateId {
        self.nodes.get(self.stands_for(place) as usize).state
    }

    /// The node that stands for one: itself, or the one that covered it before it was expanded.
    pub(crate) fn stands_for(&self, mut place: u32) -> u32 {
        if !self.covers {
            return place;
        }
        loop {
            let Node { state, next, .. } = *self.nodes.get(place as usize);
            if state != NONE {
                return place;
            }
            place = next;
        }
    }

    /// The node of a state and a tag, if there is one.
    pub(crate) fn find(&self, bytes: &[u8], hash: u64, tag: u32) -> Option<u32> {
        let state = self.table.find(hash, |s| self.bytes_of(s) == bytes).ok()?;
        self.nodes_of(state).find(|&n| self.nodes.get(n as usize).tag == tag)
    }

    pub(crate) fn parent(&self, place: u32) -> NodeId {
        self.nodes.get(place as usize).parent
    }

    pub(crate) fn states(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes.end()
    }

    /// Writes down the edges of a node.
    pub(crate) fn set_edges(&mut self, place: u32, edges: &[Edge]) {
        let at = if edges.is_empty() { 0 } else { self.edges.extend(edges) as u32 };
        while self.spans.end() <= place as usize {
            self.spans.push((0, 0));
        }
        *self.spans.get_mut(place as usize) = (at, edges.len() as u32);
    }

    /// The edges of a node that were written down; none if it was not expanded.
    pub(crate) fn edges(&self, place: u32) -> &[Edge] {
        if place as usize >= self.spans.end() {
            return &[];
        }
        match *self.spans.get(place as usize) {
            (_, 0) => &[],
            (at, count) => &self.edges.from(at as usize)[..count as usize],
        }
    }
}

/// For who keeps a search (`keeping`).
impl Shard {
    pub(crate) fn kept(&self) -> Kept<'_> {
        Kept { covers: self.covers, level: self.level, open: &self.open }
    }

    /// All states in the order of their places, with the half of the hash that the table knows.
    pub(crate) fn states_by_place(&self) -> Vec<(StateId, u32)> {
        let mut states: Vec<(StateId, u32)> = self.table.iter().collect();
        states.sort_unstable();
        states
    }

    /// State, tag, next and parent of a node.
    pub(crate) fn row(&self, place: u32) -> (StateId, u32, u32, NodeId) {
        let Node { state, tag, next, parent } = *self.nodes.get(place as usize);
        (state, tag, next, parent)
    }

    pub(crate) fn has_costs(&self) -> bool {
        self.costs.end() > 0
    }

    /// Edges may have been written down for so many nodes.
    pub(crate) fn with_edges(&self) -> u32 {
        self.spans.end() as u32
    }

    /// Adds a state that is not there yet.
    pub(crate) fn restore_state(&mut self, bytes: &[u8], half: u32, first: u32) -> StateId {
        let state = self.add_record(bytes);
        self.set_first(state, first);
        self.table.reserve(1);
        if let Err(place) = self.table.find(half.into(), |_| false) {
            self.table.insert(place, half.into(), state);
        }
        state
    }

    /// Adds a node: state, tag, next and parent.
    pub(crate) fn restore_node(
        &mut self,
        (state, tag, next, parent): (StateId, u32, u32, NodeId),
        cost: Option<u64>,
    ) {
        self.nodes.push(Node { state, tag, next, parent });
        if let Some(cost) = cost {
            self.costs.push(cost);
        }
    }

    pub(crate) fn restore(&mut self, Kept { covers, level, open }: Kept<'_>) {
        (self.covers, self.level, self.open) = (covers, level, open.clone());
    }

    /// Is everything there that is referred to? Chains of nodes end, for what comes next was there before or has covered
    /// what was.
    pub(crate) fn refers_to(&self, is_node: &dyn Fn(NodeId) -> bool) -> bool {
        let count = self.nodes.end() as u32;
        let places = |ranges: &Vec<Range<u32>>| ranges.iter().all(|range| range.end <= count);
        let nodes = (0..count).all(|place| {
            let Node { state, next, parent, .. } = *self.nodes.get(place as usize);
            let chained = match state {
                NONE => next < count && next > place,
                _ => next == NONE || next < place,
            };
            chained && (parent == NOWHERE || is_node(parent))
        });
        let edges = (0..self.with_edges()).all(|place| {
            let known = |edge: &Edge| edge.target == NOWHERE || is_node(edge.target);
            place < count && self.edges(place).iter().all(known)
        });
        let first = |(state, _)| self.first(state) == NONE || self.first(state) < count;
        let costs = self.costs.end() == 0 || self.costs.end() as u32 == count;
        nodes
            && edges
            && costs
            && self.level <= count
            && self.open.values().all(places)
            && self.table.iter().all(first)
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

    fn enter(shard: &mut Shard, bytes: &[u8], tag: u32, cost: Option<u64>) -> Entered {
        let h = hash(bytes);
        shard.warm([h].into_iter());
        shard.enter(bytes, h, tag, NOWHERE, cost, &Parity)
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
            assert_eq!(matches!(enter(&mut shard, bytes, 0, None), Entered::New(_)), new);
        }
        assert_eq!(shard.states(), known.len());
        assert_eq!(shard.nodes(), known.len());
    }

    #[test]
    fn states_larger_than_a_part_of_the_store_are_kept() {
        let mut shard = Shard::default();
        for length in [1 << 17, 1 << 18, 1 << 19, (1 << 18) - HEADER, 3] {
            let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            let Entered::New(node) = enter(&mut shard, &bytes, 0, None) else { panic!("known") };
            assert_eq!(shard.node(node), Some((&bytes[..], 0)));
            assert_eq!(enter(&mut shard, &bytes, 0, None), Entered::Known(node));
        }
    }

    #[test]
    fn only_minimal_tags_of_a_state_stay_in_the_search() {
        let mut shard = Shard::default();
        assert_eq!(enter(&mut shard, b"s", 5, None), Entered::New(0));
        assert_eq!(enter(&mut shard, b"s", 7, None), Entered::Known(0));
        assert_eq!(enter(&mut shard, b"s", 4, None), Entered::New(1));
        assert_eq!(enter(&mut shard, b"s", 3, None), Entered::New(2));
        // 5 was of the same level as 3 and has left the search; 4 is not comparable.
        let alive: Vec<_> = (0..3).filter_map(|i| shard.node(i)).map(|(_, tag)| tag).collect();
        assert_eq!(alive, [4, 3]);
        assert_eq!(shard.stands_for(0), 2);
        shard.begin(0);
        // 3 has been handed out already: it is no longer in the list, but still expanded.
        assert_eq!(enter(&mut shard, b"s", 1, None), Entered::New(3));
        assert!(shard.node(2).is_some());
        assert_eq!(shard.states(), 1);
    }

    #[test]
    fn by_cost_a_cheaper_way_replaces_a_dearer_one_and_does_not_wait_for_it() {
        let mut shard = Shard::default();
        assert_eq!(enter(&mut shard, b"s", 3, Some(9)), Entered::New(0));
        assert_eq!(enter(&mut shard, b"s", 3, Some(9)), Entered::Known(0));
        assert_eq!(enter(&mut shard, b"s", 3, Some(4)), Entered::New(1));
        assert_eq!((shard.node(0), shard.stands_for(0)), (None, 1));
        // A smaller tag that costs more does not cover what is cheaper.
        assert_eq!(enter(&mut shard, b"s", 1, Some(6)), Entered::New(2));
        assert!(shard.node(1).is_some());
        assert_eq!(enter(&mut shard, b"s", 5, Some(5)), Entered::Known(1));
        assert_eq!(enter(&mut shard, b"s", 1, Some(7)), Entered::Known(2));
    }
}
