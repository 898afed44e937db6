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

use crate::blocks::Root;
use crate::deltas::Deltas;
use crate::search::Cover;
use crate::segments::Segments;
use crate::table::{Place, Table};

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

/// The state of a node that was taken out of the search.
const GONE: Root = Root::MAX;

/// The hash of a state within its shard. (Which shard it is in depends on what it is; its number does not.)
#[inline]
fn scatter(state: Root) -> u64 {
    let wide = u128::from(state ^ 0xF39C_C060_5CED_C835) * 0x9E37_79B9_7F4A_7C15;
    (wide >> 64) as u64 ^ wide as u64
}

/// A word for every node. Those that all nodes have from some place on are not kept.
struct Column {
    words: Segments<u32, 14>,
    usual: u32,
}

impl Column {
    fn of(usual: u32) -> Self {
        Column { words: Segments::default(), usual }
    }

    #[inline]
    fn get(&self, place: u32) -> u32 {
        let place = place as usize;
        if place < self.words.end() { *self.words.get(place) } else { self.usual }
    }

    #[inline]
    fn set(&mut self, place: u32, word: u32) {
        let place = place as usize;
        if place < self.words.end() {
            *self.words.get_mut(place) = word;
        } else if word != self.usual {
            (self.words.end()..place).for_each(|_| {
                self.words.push(self.usual);
            });
            self.words.push(word);
        }
    }
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
/// of the table and the state, which is one word (`blocks`). What a batch will need is touched first, for many states
/// at once ([`Shard::warm`]), so that the waits overlap.
///
/// *What a node takes.* Eight bytes for its state, five or six in the table if it is the only one of its state, about one for
/// its parent (`deltas`); four for its tag and four for the next node of its state only if there are such things.
pub(crate) struct Shard {
    /// For every state the newest of its nodes.
    table: Table,
    /// The state of a node; [`GONE`] if it was taken out of the search. Then the next one is the one that covers it.
    states: Segments<Root, 14>,
    tags: Column,
    /// The next node of the same state.
    nexts: Column,
    parents: Deltas,
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

impl Default for Shard {
    fn default() -> Self {
        Shard {
            table: Table::default(),
            states: Segments::default(),
            tags: Column::of(0),
            nexts: Column::of(NONE),
            parents: Deltas::default(),
            covers: false,
            costs: Segments::default(),
            level: 0,
            open: BTreeMap::new(),
            spans: Segments::default(),
            edges: Segments::default(),
        }
    }
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
    /// Touches what look-ups of these states will need, and makes room for that many.
    pub(crate) fn warm(&mut self, wanted: impl ExactSizeIterator<Item = Root> + Clone) {
        let (table, states) = (&mut self.table, &self.states);
        table.reserve(wanted.len(), states.end() + wanted.len(), |node| {
            scatter(*states.get(node as usize))
        });
        let seen = wanted.map(|state| table.glance(scatter(state)));
        black_box(seen.clone().fold(0, |all, node| all ^ node.unwrap_or(0)));
        black_box(seen.flatten().fold(0, |all, node| all ^ states.get(node as usize)));
    }

    /// The newest node of a state, or the place for it in the table.
    #[inline]
    fn newest(&self, state: Root) -> Result<u32, Place> {
        self.table.find(scatter(state), |node| *self.states.get(node as usize) == state)
    }

    fn nodes_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = first;
        std::iter::from_fn(move || {
            let node = at;
            (node != NONE).then(|| {
                at = self.nexts.get(node);
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
        state: Root,
        tag: u32,
        parent: NodeId,
        cost: Option<u64>,
        cover: &dyn Cover,
    ) -> Entered {
        let price = cost.unwrap_or(0);
        let node = self.nodes() as u32;
        match self.newest(state) {
            Ok(first) => {
                let known = self.nodes_from(first).find(|&n| {
                    let known = self.tags.get(n);
                    (known == tag || cover.covers(known, tag)) && self.cost(n) <= price
                });
                if let Some(known) = known {
                    return Entered::Known(known);
                }
                self.table.replace(scatter(state), first, node);
                let next = self.drop_covered(first, node, tag, price, cover);
                self.nexts.set(node, next);
            }
            Err(place) => self.table.insert(place, scatter(state), node),
        }
        self.states.push(state);
        self.tags.set(node, tag);
        self.parents.push(parent);
        if let Some(cost) = cost {
            self.costs.push(cost);
        }
        Entered::New(node)
    }

    /// Takes nodes out of the list of a state that a new one covers, and those out of the search that
    /// have not been expanded. Gives the first that is left in the list.
    fn drop_covered(
        &mut self,
        mut first: u32,
        by: u32,
        tag: u32,
        price: u64,
        cover: &dyn Cover,
    ) -> u32 {
        let mut before = NONE;
        let mut at = first;
        while at != NONE {
            let (known, next) = (self.tags.get(at), self.nexts.get(at));
            if (tag == known || cover.covers(tag, known)) && self.cost(at) >= price {
                match before {
                    NONE => first = next,
                    b => self.nexts.set(b, next),
                }
                if at >= self.level || self.costs.end() > 0 {
                    *self.states.get_mut(at as usize) = GONE;
                    self.nexts.set(at, by);
                    self.covers = true;
                }
            } else {
                before = at;
            }
            at = next;
        }
        first
    }

    /// Is there still room for addresses?
    pub(crate) fn is_full(&self) -> bool {
        self.nodes() > (PLACE - (1 << 24)) as usize
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
        self.level = self.nodes() as u32;
        self.open.remove(&cost);
    }

    /// No node that is known will be taken out of the search any more.
    pub(crate) fn keep_all(&mut self) {
        self.level = self.nodes() as u32;
    }

    /// State and tag of a node; `None` if it was taken out of the search.
    #[inline]
    pub(crate) fn node(&self, place: u32) -> Option<(Root, u32)> {
        let state = *self.states.get(place as usize);
        (state != GONE).then(|| (state, self.tags.get(place)))
    }

    /// The node that stands for one: itself, or the one that covered it before it was expanded.
    pub(crate) fn stands_for(&self, mut place: u32) -> u32 {
        if self.covers {
            while *self.states.get(place as usize) == GONE {
                place = self.nexts.get(place);
            }
        }
        place
    }

    /// The node of a state and a tag, if there is one.
    pub(crate) fn find(&self, state: Root, tag: u32) -> Option<u32> {
        let first = self.newest(state).ok()?;
        self.nodes_from(first).find(|&n| self.tags.get(n) == tag)
    }

    pub(crate) fn parent(&self, place: u32) -> NodeId {
        self.parents.get(place as usize)
    }

    pub(crate) fn states(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn nodes(&self) -> usize {
        self.states.end()
    }

    /// States have other numbers from now on.
    pub(crate) fn renumber(&mut self, mut new: impl FnMut(Root) -> Root) {
        for place in 0..self.nodes() {
            let state = self.states.get_mut(place);
            if *state != GONE {
                *state = new(*state);
            }
        }
        self.find_again();
    }

    /// Makes the table of the states that are there: the newest node of each.
    fn find_again(&mut self) {
        let states = &self.states;
        let hash_of = |node: u32| scatter(*states.get(node as usize));
        // There are as many states as before; none are known when a search is read.
        let count = std::mem::take(&mut self.table).len();
        let mut table = Table::default();
        table.reserve(count, states.end(), hash_of);
        for node in (0..states.end() as u32).filter(|&n| *states.get(n as usize) != GONE) {
            let state = *states.get(node as usize);
            table.reserve(1, states.end(), hash_of);
            match table.find(scatter(state), |known| *states.get(known as usize) == state) {
                Ok(older) => table.replace(scatter(state), older, node),
                Err(place) => table.insert(place, scatter(state), node),
            }
        }
        self.table = table;
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

    /// Tag, next and parent of a node.
    pub(crate) fn row(&self, place: u32) -> (u32, u32, NodeId) {
        (self.tags.get(place), self.nexts.get(place), self.parent(place))
    }

    pub(crate) fn has_costs(&self) -> bool {
        self.costs.end() > 0
    }

    /// Edges may have been written down for so many nodes.
    pub(crate) fn with_edges(&self) -> u32 {
        self.spans.end() as u32
    }

    /// Adds a node: state, if it has not been taken out; tag, next and parent.
    pub(crate) fn restore_node(
        &mut self,
        state: Option<Root>,
        (tag, next, parent): (u32, u32, NodeId),
        cost: Option<u64>,
    ) {
        let node = self.states.push(state.unwrap_or(GONE)) as u32;
        self.tags.set(node, tag);
        self.nexts.set(node, next);
        self.parents.push(parent);
        if let Some(cost) = cost {
            self.costs.push(cost);
        }
    }

    /// All nodes have been added.
    pub(crate) fn restore(&mut self, Kept { covers, level, open }: Kept<'_>) {
        (self.covers, self.level, self.open) = (covers, level, open.clone());
        self.find_again();
    }

    /// Is everything there that is referred to? Chains of nodes end, for what comes next was there before or has covered
    /// what was.
    pub(crate) fn refers_to(&self, is_node: &dyn Fn(NodeId) -> bool) -> bool {
        let count = self.nodes() as u32;
        let places = |ranges: &Vec<Range<u32>>| ranges.iter().all(|range| range.end <= count);
        let nodes = (0..count).all(|place| {
            let (_, next, parent) = self.row(place);
            let chained = match self.node(place) {
                None => next < count && next > place,
                Some(_) => next == NONE || next < place,
            };
            chained && (parent == NOWHERE || is_node(parent))
        });
        let edges = (0..self.with_edges()).all(|place| {
            let known = |edge: &Edge| edge.target == NOWHERE || is_node(edge.target);
            place < count && self.edges(place).iter().all(known)
        });
        let costs = self.costs.end() == 0 || self.costs.end() as u32 == count;
        nodes && edges && costs && self.level <= count && self.open.values().all(places)
    }
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

    fn enter(shard: &mut Shard, state: Root, tag: u32, cost: Option<u64>) -> Entered {
        shard.warm([state].into_iter());
        shard.enter(state, tag, NOWHERE, cost, &Parity)
    }

    #[test]
    fn every_state_is_kept_exactly_once() {
        let mut shard = Shard::default();
        let mut known = std::collections::HashMap::new();
        let mut x = 1u64;
        for _ in 0..50_000u32 {
            x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            let state = (x >> 50) << 32 | (x >> 63);
            let next = known.len() as u32;
            match *known.entry(state).or_insert(next) {
                place if place == next => {
                    assert_eq!(enter(&mut shard, state, 0, None), Entered::New(place));
                }
                place => assert_eq!(enter(&mut shard, state, 0, None), Entered::Known(place)),
            }
        }
        assert_eq!((shard.states(), shard.nodes()), (known.len(), known.len()));
        assert!(known.into_iter().all(|(state, place)| shard.node(place) == Some((state, 0))));
    }

    /// Random nodes with random tags against lists in a map, by the definition of the antichain.
    #[test]
    fn nodes_of_states_are_those_of_a_plain_map() {
        for by_cost in [false, true] {
            let mut shard = Shard::default();
            // For every state its list, newest first: place, tag, cost.
            let mut lists: std::collections::HashMap<Root, Vec<(u32, u32, u64)>> =
                Default::default();
            let (mut alive, mut parents) = (Vec::new(), Vec::new());
            let (mut level, mut x) = (0, 7u64);
            for round in 0..30_000u32 {
                x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                let (state, tag, cost) = (x >> 54, (x >> 40) as u32 % 12, (x >> 30) % 7);
                let cost = if by_cost { cost } else { 0 };
                if round.is_multiple_of(5_000) {
                    shard.begin(0);
                    level = alive.len() as u32;
                }
                shard.warm([state].into_iter());
                let entered = shard.enter(state, tag, round, by_cost.then_some(cost), &Parity);
                let covers = |small: u32, large: u32| small <= large && small % 2 == large % 2;
                let list = lists.entry(state).or_default();
                let known = list.iter().find(|(_, t, c)| covers(*t, tag) && *c <= cost);
                if let Some((place, ..)) = known {
                    assert_eq!(entered, Entered::Known(*place));
                    continue;
                }
                let place = alive.len() as u32;
                assert_eq!(entered, Entered::New(place));
                list.retain(|&(p, t, c)| {
                    let stays = !(covers(tag, t) && c >= cost);
                    if !stays && (p >= level || by_cost) {
                        alive[p as usize] = None;
                    }
                    stays
                });
                list.insert(0, (place, tag, cost));
                alive.push(Some((state, tag)));
                parents.push(round);
            }
            assert_eq!((shard.states(), shard.nodes()), (lists.len(), alive.len()));
            // The same after the states got other numbers.
            for more in [0, 1 << 40] {
                shard.renumber(|state| state + more);
                for (place, alive) in (0u32..).zip(&alive) {
                    let moved = alive.map(|(state, tag)| (state + more, tag));
                    assert_eq!(shard.node(place), moved);
                    assert_eq!(shard.parent(place), parents[place as usize]);
                }
                let all_found = |(state, list): (&Root, &Vec<(u32, u32, u64)>)| {
                    let found = |tag: &u32| shard.find(state + more, *tag);
                    list.iter().all(|(place, tag, _)| found(tag) == Some(*place))
                };
                assert!(lists.iter().all(all_found));
            }
        }
    }

    #[test]
    fn only_minimal_tags_of_a_state_stay_in_the_search() {
        let mut shard = Shard::default();
        assert_eq!(enter(&mut shard, 5, 5, None), Entered::New(0));
        assert_eq!(enter(&mut shard, 5, 7, None), Entered::Known(0));
        assert_eq!(enter(&mut shard, 5, 4, None), Entered::New(1));
        assert_eq!(enter(&mut shard, 5, 3, None), Entered::New(2));
        // 5 was of the same level as 3 and has left the search; 4 is not comparable.
        let alive: Vec<_> = (0..3).filter_map(|i| shard.node(i)).map(|(_, tag)| tag).collect();
        assert_eq!(alive, [4, 3]);
        assert_eq!(shard.stands_for(0), 2);
        shard.begin(0);
        // 3 has been handed out already: it is no longer in the list, but still expanded.
        assert_eq!(enter(&mut shard, 5, 1, None), Entered::New(3));
        assert!(shard.node(2).is_some());
        assert_eq!(shard.states(), 1);
    }

    #[test]
    fn by_cost_a_cheaper_way_replaces_a_dearer_one_and_does_not_wait_for_it() {
        let mut shard = Shard::default();
        assert_eq!(enter(&mut shard, 5, 3, Some(9)), Entered::New(0));
        assert_eq!(enter(&mut shard, 5, 3, Some(9)), Entered::Known(0));
        assert_eq!(enter(&mut shard, 5, 3, Some(4)), Entered::New(1));
        assert_eq!((shard.node(0), shard.stands_for(0)), (None, 1));
        // A smaller tag that costs more does not cover what is cheaper.
        assert_eq!(enter(&mut shard, 5, 1, Some(6)), Entered::New(2));
        assert!(shard.node(1).is_some());
        assert_eq!(enter(&mut shard, 5, 5, Some(5)), Entered::Known(1));
        assert_eq!(enter(&mut shard, 5, 1, Some(7)), Entered::Known(2));
    }
}
