//! The two halves of a batch: chunks are expanded, then shards take in what was found for them (`search` says why).

use crate::blocks::{Blocks, Halves, Root};
use crate::explored::Explored;
use crate::findings::{Entry, Findings, NO_SHARD};
use crate::search::{ASK, Bell, Chunk, Found, Hand, Order, Plan, Space};
use crate::store::{Entered, Shard, node_id, shard_of};

/// So many states are looked up together.
const WARM: usize = 32;

/// The number of a state, and the shard where it belongs: that goes by a hash of what it is.
#[inline]
pub(crate) fn numbered(
    blocks: &Blocks,
    state: &[u32],
    given: Option<u64>,
    near: &Halves,
    halves: &mut Halves,
) -> (Root, usize) {
    let state = blocks.enter(state, near, halves);
    (state, shard_of(given.unwrap_or_else(|| halves.hash())))
}

/// Expands the nodes of a chunk.
pub(crate) fn expand<S: Space>(
    space: &S,
    explored: &Explored,
    hand: &mut Hand<S::Worker>,
    (shard, range): &Chunk,
    findings: &mut Findings<S::Violation>,
    edges: bool,
    bell: &Bell<'_>,
) {
    findings.shard = *shard;
    let Hand { worker, slots, near, found: halves } = hand;
    let Explored { shards, blocks, .. } = explored;
    for place in range.clone() {
        if (place - range.start).is_multiple_of(ASK) && bell.rings() {
            return;
        }
        let Some((state, tag)) = shards[*shard].node(place) else { continue };
        blocks.read(state, near, slots);
        let before = findings.steps.len();
        space.expand(worker, slots, tag, &mut |found| {
            findings.transitions += 1;
            let step = match found {
                Found::Node { state, tag, label, cost, hash } => {
                    let (state, shard) = numbered(blocks, state, hash, near, halves);
                    findings.parcels[shard].push(Entry { state, tag, parent: place, cost });
                    (label, shard as u8)
                }
                Found::Nowhere { label } => (label, NO_SHARD),
                Found::Violation(v) => {
                    if findings.violation.is_none() {
                        findings.violation = Some((node_id(*shard, place), v));
                    }
                    return;
                }
            };
            if edges {
                findings.steps.push(step);
            }
        });
        if edges {
            findings.nodes.push((place, (findings.steps.len() - before) as u32));
        }
        if findings.violation.is_some() {
            return;
        }
    }
}

/// A shard takes in what the chunks of a batch found for it.
#[expect(clippy::too_many_arguments, reason = "one task of a batch, called in one place")]
pub(crate) fn take_in<S: Space>(
    space: &S,
    shard: &mut Shard,
    index: usize,
    batch: &[Findings<S::Violation>],
    plan: Plan,
    now: u64,
    targets: &mut Vec<u32>,
    bell: &Bell<'_>,
    patient: bool,
) {
    for findings in batch {
        if !patient && bell.rings() {
            return;
        }
        for entries in findings.parcels[index].chunks(WARM) {
            shard.warm(entries.iter().map(|e| e.state));
            for entry in entries {
                let parent = node_id(findings.shard, entry.parent);
                let (cost, due) = match plan.order {
                    Order::Cheapest => {
                        let due = now.saturating_add(entry.cost);
                        (Some(due), due)
                    }
                    Order::Breadth | Order::Depth => (None, now + 1),
                };
                let place = match shard.enter(entry.state, entry.tag, parent, cost, space) {
                    Entered::Known(known) => known,
                    Entered::New(new) => {
                        shard.open(new, due);
                        new
                    }
                };
                if plan.edges {
                    targets.push(place);
                }
            }
        }
    }
}
