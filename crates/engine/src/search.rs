//! The one search loop: breadth first, level by level, on any number of workers.
//!
//! A level is worked off in batches of chunks. Expanding a chunk reads the store and writes what it
//! finds to its own buffers, one per shard; then every shard takes in what the chunks found for it,
//! in the order of the chunks. Chunks, shards and orders are the same for any number of workers, so
//! the same nodes get the same places, the same parent and the same depth: the verdict, the
//! counts and the witness do not depend on `workers`. Nothing is locked while states are computed.
//! (DESIGN asked for the price of that: two hand-overs per batch of some ten thousand nodes.)
//!
//! Limits of states and memory are looked at between batches, and so depend on the model only. Whoever
//! watches the search is asked much more often, by every worker every few nodes: an interrupt or the end of
//! the time is not late even where a batch takes long.

use std::sync::OnceLock;

use linchpin_lts::{Figures as Statistics, Limit};

use crate::budget::{Budget, Progress};
use crate::pack::{pack, unpack};
use crate::store::{Entered, NodeId, ROOT, SHARDS, Shard, hash, shard_of};
use crate::workers::Workers;

const CHUNK: u32 = 256;
const BATCH: usize = 64;
/// After so many nodes a worker asks whether to go on. One node may take long (its set of
/// configurations may be large), while asking costs as much as a few percent of a short one.
const ASK: u32 = 4;
/// So many states are looked up together.
const WARM: usize = 32;

/// A quasi-order on tags.
pub trait Cover: Sync {
    /// Does everything that can go wrong from a state with tag `large` go wrong from the same
    /// state with tag `small`, in at most as many steps? `false` is always correct.
    fn covers(&self, small: u32, large: u32) -> bool;
}

/// Something to search: nodes are states with tags.
pub trait Space: Cover {
    /// What a worker needs.
    type Worker: Send;
    /// What the search looks for.
    type Violation: Clone + Send + Sync;

    /// Memory for a worker.
    fn worker(&self) -> Self::Worker;

    /// Pushes the initial nodes.
    fn initial(&self, worker: &mut Self::Worker, found: &mut dyn FnMut(Found<'_, Self::Violation>));

    /// Pushes the successors of a node, in an order that depends on the node only.
    fn expand(
        &self,
        worker: &mut Self::Worker,
        state: &[u32],
        tag: u32,
        found: &mut dyn FnMut(Found<'_, Self::Violation>),
    );

    /// Bytes the space itself has allocated (tables of tags).
    fn memory(&self) -> usize {
        0
    }
}

/// What a space finds.
#[derive(Debug)]
pub enum Found<'a, V> {
    /// A node.
    Node {
        /// Its state.
        state: &'a [u32],
        /// Its tag.
        tag: u32,
    },
    /// A violation, one step from the node being expanded.
    Violation(V),
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Ending<V> {
    /// Everything was seen, no violation.
    Exhausted,
    /// A violation at least depth, with the nodes that lead to it, from an initial one on.
    Violation {
        /// The nodes: state and tag. Empty if an initial node is the violation.
        path: Vec<(Vec<u32>, u32)>,
        /// The violation.
        violation: V,
    },
    /// A limit was hit.
    Stopped(Limit),
}

/// What one chunk found for one shard.
#[derive(Default)]
struct Parcel {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

struct Entry {
    hash: u64,
    end: u32,
    tag: u32,
    parent: u32,
}

/// What one chunk found.
struct Findings<V> {
    shard: u8,
    parcels: Vec<Parcel>,
    transitions: u64,
    violation: Option<(NodeId, V)>,
}

impl<V> Default for Findings<V> {
    fn default() -> Self {
        Findings {
            shard: 0,
            parcels: (0..SHARDS).map(|_| Parcel::default()).collect(),
            transitions: 0,
            violation: None,
        }
    }
}

/// A worker of the search with its buffers.
struct Hand<W> {
    worker: W,
    bytes: Vec<u8>,
    slots: Vec<u32>,
}

/// Asks on behalf of all workers whether to go on with a batch. Once somebody was told to stop, all do.
struct Bell<'b> {
    budget: &'b Budget<'b>,
    /// How far the search was before the batch.
    progress: Progress,
    stop: OnceLock<Limit>,
}

impl Bell<'_> {
    fn rings(&self) -> bool {
        if self.stop.get().is_none()
            && let Some(limit) = (self.budget.watch)(&self.progress)
        {
            // If somebody else was told first, that counts.
            let _ = self.stop.set(limit);
        }
        self.stop.get().is_some()
    }
}

/// Searches a space to the end, to a violation of least depth, or to a limit.
pub fn search<S: Space>(
    space: &S,
    workers: usize,
    budget: &Budget<'_>,
) -> (Ending<S::Violation>, Statistics) {
    let mut hands: Vec<Hand<S::Worker>> = (0..workers.max(1))
        .map(|_| Hand { worker: space.worker(), bytes: Vec::new(), slots: Vec::new() })
        .collect();
    let mut shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::default()).collect();
    let mut statistics = Statistics::default();

    let mut violation = None;
    let hand = &mut hands[0];
    space.initial(&mut hand.worker, &mut |found| match found {
        Found::Node { state, tag } => {
            pack(state, &mut hand.bytes);
            let h = hash(&hand.bytes);
            shards[shard_of(h)].warm([h].into_iter());
            shards[shard_of(h)].enter(&hand.bytes, h, tag, ROOT, space);
        }
        Found::Violation(v) => violation = violation.take().or(Some(v)),
    });
    if let Some(violation) = violation {
        return (Ending::Violation { path: Vec::new(), violation }, statistics);
    }

    let pool = Workers::new();
    let mut batch: Vec<Findings<S::Violation>> = Vec::new();
    loop {
        let frontier: Vec<_> = shards.iter_mut().map(Shard::finish_level).collect();
        let width: u64 = frontier.iter().map(|r| u64::from(r.end - r.start)).sum();
        if width == 0 {
            return (Ending::Exhausted, statistics);
        }
        statistics.widest = statistics.widest.max(width);
        let chunks: Vec<(u8, std::ops::Range<u32>)> = frontier
            .into_iter()
            .enumerate()
            .flat_map(|(shard, range)| {
                range
                    .clone()
                    .step_by(CHUNK as usize)
                    .map(move |from| (shard as u8, from..(from + CHUNK).min(range.end)))
            })
            .collect();
        let mut remaining = width;
        for chunks in chunks.chunks(BATCH) {
            batch.resize_with(batch.len().max(chunks.len()), Findings::default);
            let progress = Progress { statistics, frontier: remaining };
            let bell = Bell { budget, progress, stop: OnceLock::new() };
            let tasks: Vec<_> = chunks.iter().zip(&mut batch).collect();
            pool.run(&mut hands, tasks, |hand, (chunk, findings)| {
                expand(space, &shards, hand, chunk, findings, &bell);
            });
            for findings in &mut batch[..chunks.len()] {
                statistics.transitions += std::mem::take(&mut findings.transitions);
                if let Some((node, violation)) = findings.violation.take() {
                    measure(&mut statistics, &shards, space);
                    return (
                        Ending::Violation { path: path(&shards, node), violation },
                        statistics,
                    );
                }
            }
            let found = &batch[..chunks.len()];
            let tasks: Vec<_> = shards.iter_mut().enumerate().collect();
            pool.run(&mut hands, tasks, |_, (index, shard)| {
                take_in(space, shard, index, found, &bell);
            });
            if let Some(&limit) = bell.stop.get() {
                measure(&mut statistics, &shards, space);
                return (Ending::Stopped(limit), statistics);
            }
            for parcel in batch.iter_mut().flat_map(|f| &mut f.parcels) {
                parcel.bytes.clear();
                parcel.entries.clear();
            }
            remaining -= chunks.iter().map(|(_, r)| u64::from(r.end - r.start)).sum::<u64>();
            measure(&mut statistics, &shards, space);
            let progress = Progress { statistics, frontier: remaining };
            if let Some(limit) = budget.exceeded(&progress) {
                return (Ending::Stopped(limit), statistics);
            }
            if shards.iter().any(Shard::is_full) {
                return (Ending::Stopped(Limit::Memory), statistics);
            }
        }
        statistics.depth += 1;
    }
}

fn expand<S: Space>(
    space: &S,
    shards: &[Shard],
    hand: &mut Hand<S::Worker>,
    (shard, range): &(u8, std::ops::Range<u32>),
    findings: &mut Findings<S::Violation>,
    bell: &Bell<'_>,
) {
    findings.shard = *shard;
    let Hand { worker, bytes, slots } = hand;
    for index in range.clone() {
        if (index - range.start).is_multiple_of(ASK) && bell.rings() {
            return;
        }
        let Some((packed, tag)) = shards[*shard as usize].node(index) else { continue };
        unpack(packed, slots);
        space.expand(worker, slots, tag, &mut |found| {
            findings.transitions += 1;
            match found {
                Found::Node { state, tag } => {
                    pack(state, bytes);
                    let hash = hash(bytes);
                    let parcel = &mut findings.parcels[shard_of(hash)];
                    parcel.bytes.extend_from_slice(bytes);
                    let end = parcel.bytes.len() as u32;
                    parcel.entries.push(Entry { hash, end, tag, parent: index });
                }
                Found::Violation(v) => {
                    if findings.violation.is_none() {
                        findings.violation = Some((NodeId { shard: *shard, index }, v));
                    }
                }
            }
        });
        if findings.violation.is_some() {
            return;
        }
    }
}

fn take_in<S: Space>(
    space: &S,
    shard: &mut Shard,
    index: usize,
    batch: &[Findings<S::Violation>],
    bell: &Bell<'_>,
) {
    for findings in batch {
        if bell.rings() {
            return;
        }
        let parcel = &findings.parcels[index];
        let mut start = 0;
        for entries in parcel.entries.chunks(WARM) {
            shard.warm(entries.iter().map(|e| e.hash));
            for entry in entries {
                let bytes = &parcel.bytes[start..entry.end as usize];
                start = entry.end as usize;
                let parent = NodeId { shard: findings.shard, index: entry.parent };
                let _: Entered = shard.enter(bytes, entry.hash, entry.tag, parent, space);
            }
        }
    }
}

/// The nodes from an initial one to `node`.
fn path(shards: &[Shard], mut node: NodeId) -> Vec<(Vec<u32>, u32)> {
    let mut path = Vec::new();
    while node != ROOT {
        let shard = &shards[node.shard as usize];
        if let Some((bytes, tag)) = shard.node(node.index) {
            let mut slots = Vec::new();
            unpack(bytes, &mut slots);
            path.push((slots, tag));
        }
        node = shard.parent(node.index);
    }
    path.reverse();
    path
}

fn measure<S: Space>(figures: &mut Statistics, shards: &[Shard], space: &S) {
    figures.states = shards.iter().map(|s| s.states() as u64).sum();
    figures.nodes = shards.iter().map(|s| s.nodes() as u64).sum();
    let memory = shards.iter().map(Shard::memory).sum::<usize>() + space.memory();
    figures.memory = figures.memory.max(memory as u64);
}
