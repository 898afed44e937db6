//! Keeping a search, so that another run can go on with it.
//!
//! Whoever asks for a search may be somebody who keeps ([`Keeper`]): the search then writes itself down between two batches,
//! when the keeper says that it is time, and once more when a limit ends it. What is written is everything that the search
//! knows and cannot find out again without doing its work again: nodes with their numbers, parents and edges, what is still
//! to be expanded, the figures, and what the numbers of the space mean (`linchpin_lts`, `numbers`). Tables and caches are
//! not; they are built again.
//!
//! *Why the result is the same.* A batch is a function of the store, of the chunks that are left and of the space, whose
//! successors depend on the node only. All of that is restored: nodes get the same places in the same shards (states are
//! divided by content, which is the same in every run), with the same parents, in the same order, the same chunks are left
//! and are grouped as they would have been. Numbers of the space may differ; nothing that can be seen depends on them.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};

use linchpin_lts::{Figures, Loading, Renumber, Saving, damaged};
use serde::{Deserialize, Serialize};

use crate::blocks::{Blocks, Halves, Root};
use crate::explored::Explored;
use crate::search::{Chunk, Order, Plan};
use crate::store::{Edge, Kept, NodeId, SHARDS, Shard, node_id};

/// How the state of a node is written: there is none, here it is, or it is that of a node before, so far from here.
const GONE: u32 = 0;
const HERE: u32 = 1;
const EARLIER: u32 = 1;

/// Somebody who keeps searches.
pub trait Keeper: Sync {
    /// A search begins, the next one of this run: its number, and what an earlier run has kept of it.
    fn begin(&self) -> (u32, Option<Box<dyn Read>>);

    /// Is it time to keep it again?
    fn is_due(&self) -> bool;

    /// Keeps whatever `write` writes, if that succeeds. If it does not, the search goes on all the same.
    fn keep(&self, search: u32, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

    /// What was kept of a search cannot be read; it begins from the beginning.
    fn unreadable(&self, search: u32, why: &io::Error);
}

/// What is left to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Left {
    /// What the nodes cost that are being expanded.
    pub(crate) cost: u64,
    /// Chunks of the level, and how many of them are expanded in one batch.
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) batch: usize,
    /// All of them have been expanded, but the level is not over.
    pub(crate) closing: bool,
    /// When somebody looks at the search the next time.
    pub(crate) look: u64,
    /// Depth first: nodes with their depths, and how many have been expanded.
    pub(crate) stack: Vec<(NodeId, u32)>,
    pub(crate) expanded: u64,
}

/// Everything about a search that another run needs, but the numbers of the space and what is in the shards.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) figures: Figures,
    pub(crate) left: Left,
    pub(crate) initial: Vec<NodeId>,
}

impl Head {
    /// Writes it. `space` writes what its numbers mean.
    pub(crate) fn save(
        &self,
        plan: Plan,
        out: &mut Saving<'_>,
        space: impl FnOnce(&mut Saving<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        out.thing(&(plan.order as u32, plan.edges, plan.shuffle))?;
        out.thing(self)?;
        space(out)
    }

    /// Reads what was written of a search with this plan.
    pub(crate) fn load<'a>(
        plan: Plan,
        from: &mut Loading<'_>,
        space: impl FnOnce(&mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>>,
    ) -> io::Result<(Head, Box<dyn Renumber + 'a>)> {
        if from.thing::<(u32, bool, u64)>()? != (plan.order as u32, plan.edges, plan.shuffle) {
            return Err(damaged("this is another kind of search"));
        }
        let head: Head = from.thing()?;
        let Left { chunks, batch, closing, .. } = &head.left;
        if chunks.iter().any(|(shard, range)| *shard >= SHARDS || range.is_empty()) {
            return Err(damaged("nodes that are to be expanded"));
        }
        if *batch == 0 && (*closing || !chunks.is_empty()) {
            return Err(damaged("batches without chunks"));
        }
        Ok((head, space(from)?))
    }

    /// Is everything there that is referred to?
    pub(crate) fn refers_to(&self, is_node: &dyn Fn(NodeId) -> bool) -> bool {
        let Left { chunks, stack, .. } = &self.left;
        chunks.iter().all(|(shard, range)| is_node(node_id(*shard, range.end - 1)))
            && stack.iter().all(|(node, _)| is_node(*node))
            && self.initial.iter().all(|&node| is_node(node))
    }
}

/// Reads a whole search with this plan.
pub(crate) fn load<'a>(
    plan: Plan,
    input: &mut dyn Read,
    space: impl FnOnce(&mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>>,
) -> io::Result<(Head, Explored)> {
    let from = &mut Loading::new(input);
    let (head, new) = Head::load(plan, from, space)?;
    let mut explored = Explored::new();
    explored.initial.clone_from(&head.initial);
    for shard in &mut explored.shards {
        load_shard(shard, &explored.blocks, plan, from, &*new)?;
    }
    let known = |node: NodeId| explored.is_node(node);
    let consistent = explored.shards.iter().all(|shard| shard.refers_to(&known));
    match consistent && head.refers_to(&known) {
        true => Ok((head, explored)),
        false => Err(damaged("a node that is not there")),
    }
}

pub(crate) fn save_shard(shard: &Shard, blocks: &Blocks, out: &mut Saving<'_>) -> io::Result<()> {
    let Kept { covers, level, open } = shard.kept();
    out.number(u32::from(covers))?;
    out.number(level)?;
    out.number(open.len() as u64)?;
    for (cost, ranges) in open {
        out.number(*cost)?;
        out.number(ranges.len() as u64)?;
        for range in ranges {
            out.numbers(&[range.start, range.end])?;
        }
    }
    out.number(shard.nodes() as u64)?;
    // A state is written with its first node, later ones say which that is.
    let several = shard.nodes() > shard.states();
    let mut first: HashMap<Root, u32> = HashMap::new();
    let (mut halves, mut slots) = (Halves::default(), Vec::new());
    for place in 0..shard.nodes() as u32 {
        match shard.node(place) {
            None => out.number(GONE)?,
            Some((state, _)) => match first.get(&state) {
                Some(before) => out.number(EARLIER + place - before)?,
                None => {
                    out.number(HERE)?;
                    blocks.read(state, &mut halves, &mut slots);
                    out.numbers(&slots)?;
                    if several {
                        first.insert(state, place);
                    }
                }
            },
        }
        let (tag, next, parent) = shard.row(place);
        out.numbers(&[tag, next, parent])?;
        if shard.has_costs() {
            out.number(shard.cost(place))?;
        }
    }
    let expanded = shard.with_edges();
    out.number(expanded)?;
    for place in 0..expanded {
        let edges = shard.edges(place);
        out.number(edges.len() as u64)?;
        for edge in edges {
            out.number(edge.label)?;
            out.number(edge.target)?;
        }
    }
    Ok(())
}

pub(crate) fn load_shard(
    shard: &mut Shard,
    blocks: &Blocks,
    plan: Plan,
    from: &mut Loading<'_>,
    new: &dyn Renumber,
) -> io::Result<()> {
    let (covers, level): (u32, u32) = (from.number()?, from.number()?);
    let mut open = BTreeMap::new();
    for _ in 0..from.number::<u64>()? {
        let (cost, count): (u64, u64) = (from.number()?, from.number()?);
        let mut ranges = Vec::new();
        for _ in 0..count {
            match from.numbers()?[..] {
                [start, end] if start < end => ranges.push(start..end),
                _ => return Err(damaged("nodes that are to be expanded")),
            }
        }
        open.insert(cost, ranges);
    }
    let (mut near, mut now) = (Halves::default(), Halves::default());
    for place in 0..from.number::<u32>()? {
        let state = match from.number::<u32>()? {
            GONE => None,
            HERE => {
                let mut slots = from.numbers()?;
                new.state(&mut slots)?;
                std::mem::swap(&mut near, &mut now);
                Some(blocks.enter(&slots, &near, &mut now))
            }
            far => {
                let before = place.checked_sub(far - EARLIER).filter(|before| *before < place);
                let known = before.and_then(|before| shard.node(before));
                Some(known.ok_or_else(|| damaged("a state that is not there"))?.0)
            }
        };
        let [tag, next, parent] = from.numbers()?[..] else {
            return Err(damaged("a node"));
        };
        if shard.is_full() || place.is_multiple_of(1 << 12) && blocks.is_full() {
            return Err(damaged("too many nodes"));
        }
        let cost = if plan.order == Order::Cheapest { Some(from.number()?) } else { None };
        shard.restore_node(state, (new.tag(tag)?, next, parent), cost);
    }
    let mut edges = Vec::new();
    for place in 0..from.number::<u32>()? {
        edges.clear();
        for _ in 0..from.number::<u64>()? {
            let (label, target) = (from.number()?, from.number()?);
            edges.push(Edge { label: new.label(label)?, target });
        }
        shard.set_edges(place, &edges);
    }
    shard.restore(Kept { covers: covers != 0, level, open: &open });
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    use linchpin_lts::Same;

    use super::*;
    use crate::budget::Budget;
    use crate::search::{Cover, Found, Space, explore};

    /// Pairs of numbers; tags are their sum modulo 5, smaller ones cover larger ones of the same parity.
    /// The last one is a violation, if that is wanted.
    struct Grid(u32, bool);

    impl Cover for Grid {
        fn covers(&self, small: u32, large: u32) -> bool {
            small <= large && small % 2 == large % 2
        }
    }

    impl Space for Grid {
        type Worker = ();
        type Violation = u32;

        fn worker(&self) {}

        fn initial(&self, (): &mut (), found: &mut dyn FnMut(Found<'_, u32>)) {
            found(Found::node(&[0, 0], 4));
        }

        fn expand(
            &self,
            (): &mut (),
            state: &[u32],
            tag: u32,
            found: &mut dyn FnMut(Found<'_, u32>),
        ) {
            let [x, y] = *state else { return };
            if (x, y) == (self.0, self.0) && self.1 {
                return found(Found::Violation(tag));
            }
            for (label, next) in [[x + 1, y], [x, y + 1], [y, x], [x / 2, y]].iter().enumerate() {
                if next[0] <= self.0 && next[1] <= self.0 {
                    let (tag, cost) = ((next[0] + next[1] + tag) % 5, 1 + label as u64 % 3);
                    let label = label as u32;
                    found(Found::Node { state: next, tag, label, cost, hash: None });
                }
            }
        }

        fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
            out.number(self.0)
        }

        fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
            match from.number::<u32>()? == self.0 {
                true => Ok(Box::new(Same)),
                false => Err(damaged("another grid")),
            }
        }
    }

    /// Keeps everything, and gives back one of them.
    #[derive(Default)]
    struct All {
        kept: Mutex<Vec<Vec<u8>>>,
        again: Option<Vec<u8>>,
        unreadable: AtomicU64,
    }

    impl Keeper for All {
        fn begin(&self) -> (u32, Option<Box<dyn Read>>) {
            let again = self.again.clone().map(io::Cursor::new);
            (1, again.map(|kept| Box::new(kept) as Box<dyn Read>))
        }

        fn is_due(&self) -> bool {
            true
        }

        fn keep(&self, _: u32, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
            let mut bytes = Vec::new();
            write(&mut bytes).expect("a vector has room");
            self.kept.lock().expect("nobody panics").push(bytes);
        }

        fn unreadable(&self, _: u32, _: &io::Error) {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
        }
    }

    type Came = (String, Figures, Vec<(u32, u32, Vec<Edge>)>);

    /// All that comes of a search.
    fn search(plan: Plan, keeper: &All, max_states: Option<u64>, workers: usize) -> Came {
        let grid = Grid(45, plan.order != Order::Depth);
        let budget = Budget { keeper: Some(keeper), max_states, workers, ..Budget::UNLIMITED };
        let (ending, figures, explored) = explore(&grid, plan, &budget, &mut |_| false);
        let row = |node| (node, explored.tag(node), explored.edges(node).collect());
        let nodes = explored.nodes().map(row).collect();
        (format!("{ending:?}"), figures, nodes)
    }

    #[test]
    fn a_search_that_was_kept_at_any_moment_ends_as_it_would_have_ended() {
        for order in [Order::Breadth, Order::Cheapest, Order::Depth] {
            for edges in [false, true] {
                let plan = Plan { order, edges, shuffle: 0 };
                let keeper = All::default();
                let whole = search(plan, &keeper, None, 1);
                let kept = keeper.kept.into_inner().expect("nobody panics");
                assert!(kept.len() > 10, "{}", kept.len());
                for (moment, bytes) in kept.iter().enumerate().step_by(1 + kept.len() / 12) {
                    let keeper = All { again: Some(bytes.clone()), ..All::default() };
                    let workers = 1 + moment % 2;
                    assert!(search(plan, &keeper, None, workers) == whole, "{plan:?} {moment}");
                    assert_eq!(keeper.unreadable.into_inner(), 0);
                }
            }
        }
    }

    #[test]
    fn a_limit_ends_a_search_and_what_was_kept_then_is_gone_on_with() {
        for order in [Order::Breadth, Order::Cheapest, Order::Depth] {
            let plan = Plan { order, edges: true, shuffle: 7 };
            let whole = search(plan, &All::default(), None, 1);
            let (mut ending, mut most) = (String::new(), 0);
            let mut again = None;
            while !ending.starts_with("Exhausted") && !ending.starts_with("Violation") {
                most += 400;
                let keeper = All { again: again.take(), ..All::default() };
                let came = search(plan, &keeper, Some(most), 2);
                ending.clone_from(&came.0);
                again = keeper.kept.into_inner().expect("nobody panics").pop();
                if !ending.starts_with("Stopped") {
                    assert!(came == whole, "{plan:?}: {:?} {:?}", came.1, whole.1);
                }
            }
            assert!(most > 1_500, "{most}");
        }
    }

    #[test]
    fn what_is_damaged_is_not_used() {
        let plan = Plan { edges: true, ..Plan::default() };
        let keeper = All::default();
        let whole = search(plan, &keeper, None, 1);
        let kept = keeper.kept.into_inner().expect("nobody panics");
        let bytes = &kept[2];
        let mut refused = 0;
        for length in (0..bytes.len()).step_by(1 + bytes.len() / 60) {
            let keeper = All { again: Some(bytes[..length].to_vec()), ..All::default() };
            assert!(search(plan, &keeper, None, 1) == whole, "{length}");
            refused += keeper.unreadable.into_inner();
        }
        assert!(refused >= 50, "{refused}");
        let other = Plan { edges: false, ..plan };
        let keeper = All { again: Some(bytes.clone()), ..All::default() };
        search(other, &keeper, None, 1);
        assert_eq!(keeper.unreadable.into_inner(), 1);
    }
}
