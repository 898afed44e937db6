//! What a search has explored: nodes, how they were found, and the edges if they were written down.
//!
//! Nodes have numbers that do not depend on the number of workers, but these are neither dense nor in the
//! order of discovery; [`Explored::in_order`] gives such an order.

use crate::blocks::{Blocks, Halves};
use crate::pack::pack;
use crate::store::{
    Edge, NOWHERE, NodeId, SHARDS, Shard, hash, node_id, shard_and_place, shard_of,
};

/// So many states are looked at to see how they are best written down.
const SAMPLE: usize = 1 << 15;

/// One half for so many states is little enough.
const FEW: usize = 8;

/// What a search has explored.
pub struct Explored {
    pub(crate) shards: Vec<Shard>,
    /// What states are.
    pub(crate) blocks: Blocks,
    pub(crate) initial: Vec<NodeId>,
}

impl Explored {
    pub(crate) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Explored { shards, blocks: Blocks::default(), initial: Vec::new() }
    }

    /// The initial nodes, in the order of the space.
    pub fn initial(&self) -> &[NodeId] {
        &self.initial
    }

    /// State and tag of a node.
    pub fn node(&self, node: NodeId) -> (Vec<u32>, u32) {
        let mut slots = Vec::new();
        let tag = self.read(node, &mut slots);
        (slots, tag)
    }

    /// Writes the state of a node to `slots`; gives its tag.
    pub fn read(&self, node: NodeId, slots: &mut Vec<u32>) -> u32 {
        let (shard, place) = shard_and_place(node);
        let shard = &self.shards[shard];
        slots.clear();
        let Some((state, tag)) = shard.node(shard.stands_for(place)) else { return 0 };
        self.blocks.read(state, &mut Halves::default(), slots);
        tag
    }

    /// The tag of a node.
    pub fn tag(&self, node: NodeId) -> u32 {
        let (shard, place) = shard_and_place(node);
        self.shards[shard].node(self.shards[shard].stands_for(place)).map_or(0, |(_, tag)| tag)
    }

    /// A number that nodes have in common if they have the same state.
    pub fn state_number(&self, node: NodeId) -> u64 {
        let (shard, place) = shard_and_place(node);
        let shard = &self.shards[shard];
        shard.node(shard.stands_for(place)).map_or(u64::MAX, |(state, _)| state)
    }

    /// What it costs to reach a node, if the search goes by cost.
    pub fn cost(&self, node: NodeId) -> u64 {
        let (shard, place) = shard_and_place(node);
        self.shards[shard].cost(place)
    }

    /// The node of a state and a tag, of a space without a hash of its own.
    pub fn find(&self, state: &[u32], tag: u32) -> Option<NodeId> {
        let mut bytes = Vec::new();
        pack(state, &mut bytes);
        let shard = shard_of(hash(&bytes));
        let state = self.blocks.number(state);
        self.shards[shard].find(state, tag).map(|place| node_id(shard, place))
    }

    /// The edges of a node, in the order of the space. None, if it has not been expanded.
    pub fn edges(&self, node: NodeId) -> impl ExactSizeIterator<Item = Edge> + Clone + '_ {
        let (shard, place) = shard_and_place(node);
        self.shards[shard].edges(place).iter().map(|&edge| match edge.target {
            NOWHERE => edge,
            target => Edge { target: self.stands_for(target), ..edge },
        })
    }

    /// A node that was covered before it was expanded is stood for by the one that covers it.
    fn stands_for(&self, node: NodeId) -> NodeId {
        let (shard, place) = shard_and_place(node);
        node_id(shard, self.shards[shard].stands_for(place))
    }

    /// From where a node was found; `None` for an initial one.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let (shard, place) = shard_and_place(node);
        let parent = self.shards[shard].parent(place);
        (parent != NOWHERE).then_some(parent)
    }

    /// The nodes by which a node was found, from an initial one to itself.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// Writes states down in another way, if that takes less.
    pub(crate) fn settle(&mut self) {
        let states: usize = self.shards.iter().map(Shard::states).sum();
        if self.blocks.len() * FEW < states {
            return;
        }
        let every = (self.len() / SAMPLE).max(8);
        let mut sample = Vec::new();
        for shard in &self.shards {
            let places = (0..shard.nodes() as u32).step_by(every);
            sample.extend(places.filter_map(|p| shard.node(p)).map(|(s, _)| self.blocks.state(s)));
        }
        let Some(cut) = self.blocks.better_cut(&sample) else { return };
        let new = Blocks::cutting(cut, &self.blocks);
        let (mut slots, mut before, mut near, mut now) =
            (Vec::new(), Halves::default(), Halves::default(), Halves::default());
        for shard in &mut self.shards {
            shard.renumber(|state| {
                self.blocks.read(state, &mut before, &mut slots);
                std::mem::swap(&mut near, &mut now);
                new.enter(&slots, &near, &mut now)
            });
        }
        self.blocks = new;
    }

    /// Is there a node of this number?
    pub(crate) fn is_node(&self, node: NodeId) -> bool {
        let (shard, place) = shard_and_place(node);
        (place as usize) < self.shards[shard].nodes()
    }

    /// All nodes that have not been covered by others, in an order that does not depend on the number of workers.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.shards.iter().enumerate().flat_map(|(number, shard)| {
            let alive = (0..shard.nodes() as u32).filter(|&place| shard.node(place).is_some());
            alive.map(move |place| node_id(number, place))
        })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::nodes).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All nodes that edges lead to, breadth first, with their numbers in that order.
    pub fn in_order(&self) -> Ordered<'_> {
        self.in_order_seeing(|_| ())
    }

    /// The same; `see` is told the edges of each node that lead somewhere, node by node, with numbers as targets.
    pub fn in_order_seeing(&self, mut see: impl FnMut(&[Edge])) -> Ordered<'_> {
        /// Nodes whose edges are read at a time: memory is faster when it is asked for much at once.
        const BATCH: usize = 64;
        let mut numbers: Vec<Vec<u32>> =
            self.shards.iter().map(|shard| vec![NOWHERE; shard.nodes()]).collect();
        let mut nodes: Vec<NodeId> = Vec::with_capacity(self.len());
        let mut meet = |node: NodeId, nodes: &mut Vec<NodeId>| {
            let (shard, place) = shard_and_place(node);
            let number = &mut numbers[shard][place as usize];
            if *number == NOWHERE {
                *number = nodes.len() as u32;
                nodes.push(node);
            }
            *number
        };
        for &node in &self.initial {
            meet(self.stands_for(node), &mut nodes);
        }
        let initial = nodes.len() as u32;
        let (mut edges, mut ends): (Vec<Edge>, Vec<usize>) = Default::default();
        let mut next = 0;
        while next < nodes.len() {
            let batch = &nodes[next..nodes.len().min(next + BATCH)];
            next += batch.len();
            edges.clear();
            ends.clear();
            for &node in batch {
                edges.extend(self.edges(node).filter(|e| e.target != NOWHERE));
                ends.push(edges.len());
            }
            edges.iter_mut().for_each(|edge| edge.target = meet(edge.target, &mut nodes));
            let mut from = 0;
            for &end in &ends {
                see(&edges[from..end]);
                from = end;
            }
        }
        Ordered { explored: self, nodes, initial, numbers }
    }
}

/// The nodes of a search in the order in which edges lead to them, breadth first.
pub struct Ordered<'e> {
    explored: &'e Explored,
    nodes: Vec<NodeId>,
    initial: u32,
    numbers: Vec<Vec<u32>>,
}

impl Ordered<'_> {
    /// How many nodes are initial; they have the first numbers.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// The nodes, by number.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The number of a node.
    #[inline]
    pub fn number(&self, node: NodeId) -> u32 {
        let (shard, place) = shard_and_place(node);
        self.numbers[shard][place as usize]
    }

    /// The edges of a number that lead somewhere, with numbers as targets.
    pub fn edges(&self, number: u32) -> impl Iterator<Item = Edge> + Clone + '_ {
        let edges = self.explored.edges(self.nodes[number as usize]);
        edges.filter(|e| e.target != NOWHERE).map(|e| Edge { target: self.number(e.target), ..e })
    }
}
