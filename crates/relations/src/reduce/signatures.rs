//! Partition refinement by signatures.
//!
//! The signature of a state is the set of pairs of a label and a block that it can get to: for strong
//! bisimulation in one step; for branching bisimulation along silent steps within its own block and
//! then one step that is visible or leaves the block. States of one block with different signatures
//! are not the same; when all signatures of all blocks agree, the partition is the coarsest one
//! (S. Blom, S. Orzan, *Distributed branching bisimulation reduction of state spaces*, ENTCS 89(1),
//! 2003; without silent cycles, which are contracted before).
//!
//! Departure: theirs goes round over all states. Here, as Hopcroft and Paige and Tarjan taught, only
//! what a split changed is looked at again, and the largest part of a split block keeps the name of
//! the block, so that signatures with its name stay valid. A state changes its block only for one of
//! at most half the size, hence at most log2 n times, and each of its incoming steps is looked at
//! backwards as often: O(m log n) marks, which debug builds assert. A marked state costs the
//! computation of its signature: strong bisimulation takes O(d m log n) where d is the largest number
//! of steps of a state. In branching bisimulation a change costs, besides, the signatures of what
//! reaches it silently in the block, for which we have no such bound. D. Jansen, J. F. Groote, J.
//! Keiren and A. Wijs (TACAS 2020) have O(m log n) for both; in systems of threads d is small
//! (threads, times arguments of a call), and here there is no constant to pay for (`record/lts.md`).
//!
//! In branching bisimulation the signature of a state includes those of its silent successors in the
//! block. Nodes are numbered such that silent steps go down; marked states are visited upwards, and
//! when a signature has changed the silent predecessors in the block are marked.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use linchpin_engine::{Limit, Meter};
use linchpin_lts::{Edge, TAU};

use super::graph::Graph;
use super::pool::Pool;
use super::{Partition, Work};

/// A block: a range of `Refiner::order`, marked nodes first.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u32,
    end: u32,
    marked: u32,
    /// The signature of its nodes that are not marked.
    signature: u32,
}

struct Refiner<'g> {
    graph: &'g Graph,
    branching: bool,
    blocks: Vec<Block>,
    /// The nodes, those of a block together.
    order: Vec<u32>,
    /// Where a node is in `order`.
    place: Vec<u32>,
    block: Vec<u32>,
    signature: Vec<u32>,
    pool: Pool,
    /// Blocks with marked nodes.
    todo: VecDeque<u32>,
    scratch: Vec<u64>,
    work: Work,
    /// How often each node changed its block, in debug builds.
    moved: Vec<u8>,
}

/// Refines until nothing changes.
pub(super) fn refine(
    graph: &Graph,
    branching: bool,
    meter: &mut Meter<'_, '_>,
) -> Result<Partition, Limit> {
    let nodes = graph.nodes() as u32;
    meter.room::<u32>(5 * nodes as usize)?;
    let first = Block { start: 0, end: nodes, marked: nodes, signature: 0 };
    let mut refiner = Refiner {
        graph,
        branching,
        blocks: vec![first],
        order: (0..nodes).collect(),
        place: (0..nodes).collect(),
        block: vec![0; nodes as usize],
        signature: vec![0; nodes as usize],
        pool: Pool::new(),
        todo: VecDeque::from([0]),
        scratch: Vec::new(),
        work: Work::default(),
        moved: if cfg!(debug_assertions) { vec![0; nodes as usize] } else { Vec::new() },
    };
    while let Some(block) = refiner.todo.pop_front() {
        refiner.visit(block, meter)?;
    }
    refiner.assert_bounds();
    refiner.finish(meter)
}

impl Refiner<'_> {
    /// Marks a node: its signature may have changed.
    fn mark(&mut self, node: u32) -> bool {
        let name = self.block[node as usize];
        let block = &mut self.blocks[name as usize];
        let (place, border) = (self.place[node as usize], block.start + block.marked);
        if place < border {
            return false;
        }
        if block.marked == 0 {
            self.todo.push_back(name);
        }
        block.marked += 1;
        self.swap(place, border);
        true
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.order.swap(a as usize, b as usize);
        self.place[self.order[a as usize] as usize] = a;
        self.place[self.order[b as usize] as usize] = b;
    }

    /// Computes the signatures of the marked nodes of a block and splits it by them.
    fn visit(&mut self, name: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        self.work.rounds += 1;
        let Block { start, end, marked, .. } = self.blocks[name as usize];
        let mut list = self.order[start as usize..(start + marked) as usize].to_vec();
        if self.branching {
            list.sort_unstable();
        }
        // Nodes that get marked on the way; they are above the one that is being visited. If all are marked, none.
        let whole = marked == end - start;
        let mut more: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let mut next = 0;
        loop {
            let node = match (list.get(next), more.peek()) {
                (Some(node), Some(Reverse(other))) if other < node => *other,
                (None, Some(Reverse(other))) => *other,
                (Some(node), _) => {
                    next += 1;
                    self.revise(name, *node, whole, &mut more);
                    meter.tick(self.scratch.len() as u64 + 1)?;
                    continue;
                }
                (None, None) => break,
            };
            more.pop();
            self.revise(name, node, whole, &mut more);
            meter.tick(self.scratch.len() as u64 + 1)?;
        }
        self.split(name, meter)
    }

    /// Computes the signature of a node of a block again; is the `whole` block to be revised?
    fn revise(&mut self, name: u32, node: u32, whole: bool, more: &mut BinaryHeap<Reverse<u32>>) {
        let edges = self.graph.edges(node);
        self.work.signatures += 1;
        self.work.steps += edges.len() as u64;
        self.scratch.clear();
        for &Edge { label, target } in edges {
            if label == self.graph.divergence {
                self.scratch.push(u64::from(label) << 32);
                continue;
            }
            let to = self.block[target as usize];
            if self.branching && label == TAU && to == name {
                let inherited = self.pool.get(self.signature[target as usize]);
                self.scratch.extend_from_slice(inherited);
            } else {
                self.scratch.push(u64::from(label) << 32 | u64::from(to));
            }
        }
        self.scratch.sort_unstable();
        self.scratch.dedup();
        let signature = self.pool.enter(&self.scratch);
        let old = std::mem::replace(&mut self.signature[node as usize], signature);
        if self.branching && !whole && old != signature {
            let graph = self.graph;
            for &source in graph.silent_sources(node) {
                if self.block[source as usize] == name && self.mark(source) {
                    more.push(Reverse(source));
                }
            }
        }
    }

    /// Splits a block by the signatures of its nodes. The largest part keeps its name.
    fn split(&mut self, name: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let Block { start, end, marked, signature } = self.blocks[name as usize];
        // Among the marked nodes, those whose signature is still that of the block go last.
        let mut border = start + marked;
        let mut at = start;
        while at < border {
            if self.signature[self.order[at as usize] as usize] == signature && marked < end - start
            {
                border -= 1;
                self.swap(at, border);
            } else {
                at += 1;
            }
        }
        self.blocks[name as usize].marked = 0;
        if border == start {
            return Ok(());
        }
        let (order, signatures) = (&mut self.order, &self.signature);
        order[start as usize..border as usize].sort_unstable_by_key(|n| signatures[*n as usize]);
        for place in start..border {
            self.place[self.order[place as usize] as usize] = place;
        }
        // The parts, as ranges with their signatures.
        let mut parts: Vec<(u32, u32, u32)> = Vec::new();
        let changed = &self.order[start as usize..border as usize];
        let mut from = start;
        for part in
            changed.chunk_by(|a, b| self.signature[*a as usize] == self.signature[*b as usize])
        {
            let to = from + part.len() as u32;
            parts.push((from, to, self.signature[part[0] as usize]));
            from = to;
        }
        if border < end {
            parts.push((border, end, signature));
        }
        let largest = (0..parts.len()).max_by_key(|p| parts[*p].1 - parts[*p].0).unwrap_or(0);
        let first_new = self.blocks.len();
        for (i, &(start, end, signature)) in parts.iter().enumerate() {
            let part = Block { start, end, marked: 0, signature };
            if i == largest {
                self.blocks[name as usize] = part;
                continue;
            }
            let new = self.blocks.len() as u32;
            self.blocks.push(part);
            for place in start..end {
                self.block[self.order[place as usize] as usize] = new;
            }
        }
        for new in first_new..self.blocks.len() {
            self.spread(new, name, meter)?;
        }
        Ok(())
    }

    /// Marks everything whose signature depends on the nodes that are now in a new block.
    fn spread(&mut self, new: usize, old: u32, meter: &mut Meter<'_, '_>) -> Result<(), Limit> {
        let graph = self.graph;
        let Block { start, end, .. } = self.blocks[new];
        // Marking moves nodes about in their blocks, maybe in this one.
        let members = self.order[start as usize..end as usize].to_vec();
        for node in members {
            self.work.moves += 1;
            if let Some(moved) = self.moved.get_mut(node as usize) {
                *moved += 1;
            }
            self.work.marks += graph.sources(node).len() as u64;
            meter.tick(graph.sources(node).len() as u64 + 1)?;
            for &source in graph.sources(node) {
                self.mark(source);
            }
            // A silent step to what was the same block leaves the block now.
            let leaves = |e: &Edge| e.label == TAU && self.block[e.target as usize] == old;
            if self.branching && graph.edges(node).iter().any(leaves) {
                self.mark(node);
            }
        }
        Ok(())
    }

    /// The bounds that the header promises.
    fn assert_bounds(&self) {
        let log = u64::from(self.graph.nodes().max(1).ilog2());
        debug_assert!(self.moved.iter().all(|m| u64::from(*m) <= log), "smaller halves only");
        debug_assert!(self.work.moves <= self.graph.nodes() as u64 * log);
        debug_assert!(self.work.marks <= self.graph.steps() as u64 * log);
    }

    fn finish(self, meter: &mut Meter<'_, '_>) -> Result<Partition, Limit> {
        meter.room::<u32>(self.graph.node.len())?;
        meter.room::<Box<[(u32, u32)]>>(self.blocks.len())?;
        let block: Vec<u32> = self.graph.node.iter().map(|n| self.block[*n as usize]).collect();
        let split = |word: &u64| ((word >> 32) as u32, *word as u32);
        let mut moves = Vec::with_capacity(self.blocks.len());
        for b in &self.blocks {
            let signature = self.pool.get(b.signature);
            meter.tick(signature.len() as u64 + 1)?;
            moves.push(signature.iter().map(split).collect());
        }
        Ok(Partition { block, blocks: self.blocks.len() as u32, work: self.work, moves })
    }
}
