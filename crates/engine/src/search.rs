//! The one search: over the nodes of a space, on any number of workers.
//!
//! **Level by level.** Nodes are expanded in the order of what it costs to reach them. Mostly every step
//! costs the same, so a level is the nodes of one depth and the search goes breadth first; a space may
//! also say what a step costs ([`Order::Cheapest`], Dijkstra's algorithm with a level for each cost). A
//! level is worked off in batches of chunks. Expanding a chunk reads the store and writes what it finds to
//! its own buffers, one per shard; then every shard takes in what the chunks found for it, in the
//! order of the chunks. Chunks, shards and orders are the same for any number of workers, so the same
//! nodes get the same places, the same parent and the same depth: the verdict, the counts and the
//! witness do not depend on `workers`. Nothing is locked while states are computed, but for a moment where
//! half of one is new to a worker (`blocks`). (DESIGN asked for
//! the price of that: two hand-overs per batch of some ten thousand nodes.)
//!
//! **Depth first** ([`Order::Depth`]) is the other order over the same store, on one worker: for methods
//! that are about it, and for violations that lie deep.
//!
//! **Cycles.** A search can write down the edges it computes. Questions about infinite executions (temporal
//! logic, progress, games) are decided on these: whoever asks looks at what is there each time it has
//! doubled, so that a short violation is found early and looking costs no more than twice the last look.
//!
//! Limits of states are looked at between batches, and so depend on the model only. Whoever watches the
//! search is asked much more often, by every worker every few nodes: an interrupt or the end of the
//! time is not late even where a batch takes long.
//!
//! Several processes can search together (`together`): then shards are divided among them, and what was found is handed
//! over between expanding and taking in.

use std::io;
use std::ops::{Range, RangeInclusive};
use std::sync::OnceLock;

use linchpin_lts::{Figures, Limit, Loading, Renumber, Saving};

use crate::batch::{expand, numbered, take_in};
use crate::blocks::{Blocks, Halves};
use crate::budget::{Budget, Progress};
use crate::explored::Explored;
use crate::findings::{Findings, NO_SHARD};
use crate::keeping::{self, Head, Keeper, Left};
use crate::store::{Edge, Entered, NOWHERE, NodeId, SHARDS, Shard, node_id, shard_and_place};
use crate::together::{Due, Together};
use crate::workers::run;

/// So many nodes are expanded in one go, by one worker.
const CHUNK: u32 = 64;
/// So many chunks are expanded before what they found is taken in: few while the search is small, since
/// what was found takes memory, and more later, since all workers meet after each batch.
const BATCH: RangeInclusive<u64> = 32..=1024;
/// A batch has one node for so many that are stored.
const STORED_PER_BATCH: u64 = 16;
/// After so many nodes a worker asks whether to go on. One node may take long (its set of
/// configurations may be large), while asking costs as much as a few percent of a short one.
pub(crate) const ASK: u32 = 4;
/// Nodes after which somebody who inspects the search looks at it for the first time.
const FIRST_LOOK: u64 = 1 << 10;
/// Nodes after which it is seen for the first time how states are best written down.
const FIRST_SETTLED: u64 = 1 << 12;

/// A quasi-order on tags.
pub trait Cover: Sync {
    /// Does everything that can go wrong from a state with tag `large` go wrong from the same
    /// state with tag `small`, in at most as many steps? `false` is always correct.
    fn covers(&self, _small: u32, _large: u32) -> bool {
        false
    }
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

    /// Writes down what the numbers in states, tags and labels mean, and whatever else the space has learnt on the way
    /// and its answers depend on, for another run. A space that does not know how is not kept.
    fn save(&self, _out: &mut Saving<'_>) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this search cannot be kept"))
    }

    /// Reads that; says what the numbers are called here.
    fn load<'a>(&'a self, _from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this search cannot be kept"))
    }

    /// Are there nearly no numbers left for tags? (There are four billion.)
    fn is_full(&self) -> bool {
        false
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
        /// What the step to it is called, where edges are written down.
        label: u32,
        /// What the step costs, where that counts; at least 1.
        cost: u64,
        /// A hash of what the state is, if its slots are numbers given in the order of discovery:
        /// results must not depend on them. `None`: the slots say what the state is.
        hash: Option<u64>,
    },
    /// A step of this name that leads nowhere: it is written down, if edges are.
    Nowhere {
        /// Its name.
        label: u32,
    },
    /// A violation, one step from the node being expanded.
    Violation(V),
}

impl<'a, V> Found<'a, V> {
    /// A node, by a step without a name.
    pub fn node(state: &'a [u32], tag: u32) -> Self {
        Found::Node { state, tag, label: 0, cost: 1, hash: None }
    }
}

/// In which order nodes are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Those that are reached in fewer steps first.
    #[default]
    Breadth,
    /// Those first that cost less, as the space says.
    Cheapest,
    /// The one first that was found last.
    Depth,
}

/// How to search; breadth first without edges, unless it is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// In which order.
    pub order: Order,
    /// Write the edges down.
    pub edges: bool,
    /// Depth first: what a node leads to is gone into in the order of the space if this is 0, and otherwise in an order
    /// that is made of this number and of what the states are: another one for another number, the same in every run.
    pub shuffle: u64,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Ending<V> {
    /// Everything was seen, no violation.
    Exhausted,
    /// Whoever inspects the search has seen enough.
    Enough,
    /// A violation at least cost, with the nodes that lead to it, from an initial one on.
    Violation {
        /// The nodes: state and tag. Empty if an initial node is the violation.
        path: Vec<(Vec<u32>, u32)>,
        /// The violation.
        violation: V,
    },
    /// A limit was hit.
    Stopped(Limit),
}

/// Nodes of a shard that are expanded in one go.
pub(crate) type Chunk = (usize, Range<u32>);

/// What came of a batch.
enum Batch<V> {
    /// All is in the store; perhaps a limit has been reached.
    Done(Option<Limit>),
    /// It was stopped before anything came into the store.
    Begun(Limit),
    /// The search ends; of the batch nothing is in the store, or not all of it if nobody keeps the search. Was somebody told
    /// to stop?
    Ended { ending: Ending<V>, told: bool },
}

/// How many nodes there are in chunks.
fn width(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|(_, range)| u64::from(range.end - range.start)).sum()
}

/// A worker of the search with its buffers. They are side by side, and each is written to all the time: aligned so that
/// no two share a cache line (processors fetch them in pairs).
#[repr(align(128))]
pub(crate) struct Hand<W> {
    pub(crate) worker: W,
    pub(crate) slots: Vec<u32>,
    /// The state that is being expanded, and the one that was found last.
    pub(crate) near: Halves,
    pub(crate) found: Halves,
}

/// As many hands as so many chunks are worth: starting a thread costs more than a chunk or two of work.
fn enough<W>(hands: &mut [Hand<W>], chunks: usize) -> &mut [Hand<W>] {
    if chunks <= 2 { &mut hands[..1] } else { hands }
}

/// Asks on behalf of all workers whether to go on with a batch. Once somebody was told to stop, all do.
pub(crate) struct Bell<'b> {
    budget: &'b Budget<'b>,
    /// How far the search was before the batch.
    progress: Progress,
    stop: OnceLock<Limit>,
}

impl Bell<'_> {
    pub(crate) fn rings(&self) -> bool {
        if self.stop.get().is_none()
            && let Some(limit) = self.budget.told(&self.progress)
        {
            // If somebody else was told first, that counts.
            let _ = self.stop.set(limit);
        }
        self.stop.get().is_some()
    }
}

/// Searches a space to the end, to a violation of least cost, or to a limit.
pub fn search<S: Space>(
    space: &S,
    plan: Plan,
    budget: &Budget<'_>,
) -> (Ending<S::Violation>, Figures) {
    search_looking(space, plan, budget, &mut |_| false)
}

/// The same. `look` is told how many nodes there are each time they have doubled, at the end of a level, and when everything
/// has been seen; if it says so, the search ends.
pub fn search_looking<S: Space>(
    space: &S,
    plan: Plan,
    budget: &Budget<'_>,
    look: &mut dyn FnMut(u64) -> bool,
) -> (Ending<S::Violation>, Figures) {
    let divided = plan.order != Order::Depth;
    let (ending, statistics, _) = go(space, plan, budget, divided, &mut |_, nodes| look(nodes));
    (ending, statistics)
}

/// The same, with what was explored. `inspect` is shown that each time it has doubled, at the end of a
/// level, and when everything has been seen; if it says so, the search ends.
pub fn explore<S: Space>(
    space: &S,
    plan: Plan,
    budget: &Budget<'_>,
    inspect: &mut dyn FnMut(&Explored) -> bool,
) -> (Ending<S::Violation>, Figures, Explored) {
    go(space, plan, budget, false, &mut |explored, _| inspect(explored))
}

/// Whoever looks at a search: at what was explored, as far as this process has it, and how many nodes there are in all.
type Inspect<'i> = dyn FnMut(&Explored, u64) -> bool + 'i;

/// Searches; if several processes do, each keeps what it has found, or all keep everything.
fn go<S: Space>(
    space: &S,
    plan: Plan,
    budget: &Budget<'_>,
    divided: bool,
    inspect: &mut Inspect<'_>,
) -> (Ending<S::Violation>, Figures, Explored) {
    let workers = if plan.order == Order::Depth { 1 } else { budget.workers.max(1) };
    let hands = (0..workers)
        .map(|_| Hand {
            worker: space.worker(),
            slots: Vec::new(),
            near: Halves::default(),
            found: Halves::default(),
        })
        .collect();
    let mut search = Search {
        space,
        plan,
        budget,
        hands,
        explored: Explored::new(),
        statistics: Figures::default(),
        peak: 0,
        settled: FIRST_SETTLED,
        left: Left { look: FIRST_LOOK, ..Left::default() },
        keeper: budget.keeper.filter(|_| budget.within.told().is_none()),
        number: 0,
        together: None,
    };
    let ending = search.begin(divided, inspect).unwrap_or_else(Ending::Stopped);
    let ending = search.end(ending);
    (ending, search.statistics, search.explored)
}

struct Search<'s, S: Space> {
    space: &'s S,
    plan: Plan,
    budget: &'s Budget<'s>,
    hands: Vec<Hand<S::Worker>>,
    explored: Explored,
    statistics: Figures,
    /// The most bytes that were in use.
    peak: u64,
    /// How states are written down is looked at when there are so many nodes.
    settled: u64,
    left: Left,
    /// Who keeps it, and its number there. What begins after somebody was told to stop is no search of every run.
    keeper: Option<&'s dyn Keeper>,
    number: u32,
    /// The other processes.
    together: Option<Together<'s>>,
}

/// An error is the limit that ends the search: some other process is lost, or was told to stop.
impl<S: Space> Search<'_, S> {
    fn begin(
        &mut self,
        divided: bool,
        inspect: &mut Inspect<'_>,
    ) -> Result<Ending<S::Violation>, Limit> {
        match self.resume(divided)? {
            // A limit of states that has been reached is reached in every run.
            true => {
                let frontier = width(&self.left.chunks);
                let limit = match self.plan.order {
                    Order::Depth => self.exceeded(frontier),
                    Order::Breadth | Order::Cheapest => self.agreed(frontier)?,
                };
                limit.map_or_else(|| self.go_on(inspect), |limit| Ok(Ending::Stopped(limit)))
            }
            false => self.run(inspect),
        }
    }

    fn run(&mut self, inspect: &mut Inspect<'_>) -> Result<Ending<S::Violation>, Limit> {
        let mut violation = None;
        let (space, order) = (self.space, self.plan.order);
        let Hand { worker, near, found: halves, .. } = &mut self.hands[0];
        let explored = &mut self.explored;
        space.initial(worker, &mut |found| match found {
            Found::Node { state, tag, hash, .. } => {
                let (state, number) = numbered(&explored.blocks, state, hash, near, halves);
                let shard = &mut explored.shards[number];
                shard.warm([state].into_iter());
                let cost = (order == Order::Cheapest).then_some(0);
                if let Entered::New(node) = shard.enter(state, tag, NOWHERE, cost, space) {
                    shard.open(node, 0);
                    explored.initial.push(node_id(number, node));
                }
            }
            Found::Nowhere { .. } => {}
            Found::Violation(v) => violation = violation.take().or(Some(v)),
        });
        match violation {
            Some(violation) => Ok(Ending::Violation { path: Vec::new(), violation }),
            None => {
                let initial = self.explored.initial.iter().rev();
                if order == Order::Depth {
                    self.left.stack = initial.map(|&node| (node, 0)).collect();
                }
                self.go_on(inspect)
            }
        }
    }

    fn go_on(&mut self, inspect: &mut Inspect<'_>) -> Result<Ending<S::Violation>, Limit> {
        match self.plan.order {
            Order::Depth => Ok(self.depth_first(inspect)),
            Order::Breadth | Order::Cheapest => self.level_by_level(inspect),
        }
    }

    /// Meets the other processes, if there are any. Has an earlier run kept this search? Then it is where that was.
    fn resume(&mut self, divided: bool) -> Result<bool, Limit> {
        let (space, plan) = (self.space, self.plan);
        let (number, mut kept) = self.keeper.map_or((0, None), Keeper::begin);
        self.number = number;
        if let Some(peers) = self.budget.peers {
            let keeps = (self.keeper.is_some(), kept.is_some());
            self.together = Some(Together::begin(peers, space, plan, divided, keeps)?);
        }
        let read = match &mut self.together {
            // Depth first everybody goes alone.
            Some(together) if plan.order != Order::Depth => match together.is_resumed() {
                false => return Ok(false),
                true => {
                    let mut nothing = io::empty();
                    let input =
                        kept.as_deref_mut().map_or(&mut nothing as &mut dyn io::Read, |k| k);
                    let from = &mut Loading::new(input);
                    let head = Head::load(plan, from, |from| space.load(from));
                    let (head, new) = match head {
                        Ok((head, new)) => (Ok(head), Some(new)),
                        Err(why) => (Err(why), None),
                    };
                    together.scatter(space, plan, head, |blocks| {
                        let mut shard = Shard::default();
                        let new = new.as_deref().ok_or(io::ErrorKind::UnexpectedEof)?;
                        keeping::load_shard(&mut shard, blocks, plan, from, new)?;
                        Ok(shard)
                    })?
                }
            },
            _ => match &mut kept {
                Some(kept) => keeping::load(plan, kept, |from| space.load(from)),
                None => return Ok(false),
            },
        };
        match (read, self.keeper) {
            (Ok((head, explored)), _) => {
                (self.statistics, self.left, self.explored) = (head.figures, head.left, explored);
                self.peak = self.statistics.memory;
                Ok(true)
            }
            (Err(why), keeper) => {
                if let Some(keeper) = keeper {
                    keeper.unreadable(number, &why);
                }
                Ok(false)
            }
        }
    }

    fn is_due(&mut self) -> bool {
        match &mut self.together {
            Some(together) => together.is_due(),
            None => self.keeper.is_some_and(Keeper::is_due),
        }
    }

    /// Is this search kept, by this process or by the first?
    fn is_kept(&self) -> bool {
        self.together.as_ref().map_or(self.keeper.is_some(), Together::is_kept)
    }

    /// Keeps the search as it is between two batches, if anybody keeps it.
    fn keep(&mut self) -> Result<(), Limit> {
        if !self.is_kept() {
            return Ok(());
        }
        let Search { plan, space, explored, together, .. } = self;
        let (figures, left) = (self.statistics, self.left.clone());
        let head = Head { figures, left, initial: explored.initial.clone() };
        let mut gathered = together.is_none();
        let mut lost = Ok(());
        if let Some(keeper) = self.keeper {
            keeper.keep(self.number, &mut |out| {
                let out = &mut Saving::new(out);
                let mut result = head.save(*plan, out, |out| space.save(out));
                let mut each = |shard: &Shard, blocks: &Blocks| {
                    if result.is_ok() {
                        result = keeping::save_shard(shard, blocks, out);
                    }
                };
                match together {
                    None => explored.shards.iter().for_each(|s| each(s, &explored.blocks)),
                    Some(together) => {
                        gathered = true;
                        lost = together.gather(*space, *plan, explored, &mut each);
                        if lost.is_err() {
                            return Err(io::Error::other("a process is lost"));
                        }
                    }
                }
                result
            });
        }
        // Whatever becomes of it there, the others take part.
        if let (false, Some(together)) = (gathered, together) {
            lost = together.gather(*space, *plan, explored, |_, _| ());
        }
        lost
    }

    fn level_by_level(&mut self, inspect: &mut Inspect<'_>) -> Result<Ending<S::Violation>, Limit> {
        let mut found: Vec<Findings<S::Violation>> = Vec::new();
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); SHARDS];
        loop {
            if self.left.chunks.is_empty() && !self.left.closing {
                let Some(cost) = self.next_level()? else { break };
                // What costs more than can be said has no order.
                if cost == u64::MAX {
                    return Ok(Ending::Stopped(Limit::States));
                }
                let width = width(&self.left.chunks);
                self.statistics.widest = self.statistics.widest.max(width);
                let most = self.statistics.nodes / STORED_PER_BATCH / u64::from(CHUNK);
                self.left.batch = most.clamp(*BATCH.start(), *BATCH.end()) as usize;
            }
            let chunks = std::mem::take(&mut self.left.chunks);
            let mut remaining = width(&chunks);
            let mut done = 0;
            for batch in chunks.chunks(self.left.batch) {
                found.resize_with(found.len().max(batch.len()), Findings::default);
                let found = &mut found[..batch.len()];
                let before = self.statistics;
                match self.batch(batch, found, &mut targets, &mut remaining)? {
                    Batch::Ended { ending, told } => {
                        // Perhaps nothing was found but a limit, in the middle of a step.
                        if told {
                            self.left.chunks = chunks[done..].to_vec();
                            let counted = std::mem::replace(&mut self.statistics, before);
                            self.keep()?;
                            self.statistics = counted;
                        }
                        return Ok(ending);
                    }
                    Batch::Begun(limit) => {
                        self.left.chunks = chunks[done..].to_vec();
                        self.keep()?;
                        return Ok(Ending::Stopped(limit));
                    }
                    Batch::Done(limit) => {
                        done += batch.len();
                        if limit.is_some() || done < chunks.len() && self.is_due() {
                            self.left.chunks = chunks[done..].to_vec();
                            self.left.closing = done == chunks.len();
                            self.keep()?;
                            self.left.chunks = Vec::new();
                        }
                        if let Some(limit) = limit {
                            return Ok(Ending::Stopped(limit));
                        }
                    }
                }
                found.iter_mut().for_each(Findings::clear);
                self.settle();
            }
            self.left.closing = false;
            self.statistics.depth += 1;
            if self.statistics.nodes >= self.left.look {
                self.left.look = self.statistics.nodes * 2;
                if self.is_enough(inspect)? {
                    return Ok(Ending::Enough);
                }
            }
            if self.is_due() {
                self.keep()?;
            }
        }
        Ok(if self.is_enough(inspect)? { Ending::Enough } else { Ending::Exhausted })
    }

    /// Has whoever inspects the search seen enough?
    fn is_enough(&mut self, inspect: &mut Inspect<'_>) -> Result<bool, Limit> {
        let enough = inspect(&self.explored, self.statistics.nodes);
        if let Some(together) = &mut self.together {
            together.same(self.space, enough.into(), self.budget.within.told())?;
        }
        Ok(enough)
    }

    /// Begins the level of the nodes that cost least, in chunks, and says what they cost.
    fn next_level(&mut self) -> Result<Option<u64>, Limit> {
        let mut due: Vec<Due> = self.explored.shards.iter().map(Shard::next).collect();
        if let Some(together) = &mut self.together {
            due = together.due(self.space, due)?;
        }
        let Some(least) = due.iter().flatten().map(|(cost, _)| *cost).min() else {
            return Ok(None);
        };
        self.explored.shards.iter_mut().for_each(|shard| shard.begin(least));
        self.left.cost = least;
        self.left.chunks.clear();
        for (number, next) in due.into_iter().enumerate() {
            let ranges = next.filter(|(cost, _)| *cost == least).map(|(_, ranges)| ranges);
            for range in ranges.into_iter().flatten() {
                let ends = range.end;
                let pieces = range.step_by(CHUNK as usize);
                let chunks = pieces.map(|from| (number, from..(from + CHUNK).min(ends)));
                self.left.chunks.extend(chunks);
            }
        }
        Ok(Some(least))
    }

    /// Expands some chunks and takes in what they find.
    fn batch(
        &mut self,
        chunks: &[Chunk],
        found: &mut [Findings<S::Violation>],
        targets: &mut [Vec<u32>],
        remaining: &mut u64,
    ) -> Result<Batch<S::Violation>, Limit> {
        let (space, plan, cost) = (self.space, self.plan, self.left.cost);
        // What is kept is whole, and so is what all have agreed on.
        let patient = self.is_kept() || self.together.is_some();
        let progress = Progress { statistics: self.statistics, frontier: *remaining };
        let bell = Bell { budget: self.budget, progress, stop: OnceLock::new() };
        let together = self.together.as_ref();
        let expands = |shard| together.is_none_or(|together| together.expands(shard));
        let tasks = chunks.iter().zip(&mut *found).filter(|(chunk, _)| expands(chunk.0));
        let tasks: Vec<_> = tasks.collect();
        let explored = &self.explored;
        let hands = enough(&mut self.hands, tasks.len());
        run(hands, tasks, |hand, (chunk, findings)| {
            expand(space, explored, hand, chunk, findings, plan.edges, &bell);
        });
        let stop = bell.stop.get().copied().or_else(|| self.budget.within.told());
        let (came, stop) = match &mut self.together {
            Some(together) => {
                together.share(space, plan, &self.explored.blocks, chunks, found, stop)?
            }
            None => (found.iter().map(Findings::came).collect(), stop),
        };
        let mut transitions = 0;
        for (findings, (steps, violation)) in found.iter_mut().zip(came) {
            transitions += steps;
            findings.transitions = 0;
            if let Some(node) = violation {
                self.statistics.transitions += transitions;
                let path = self.path(node)?;
                let seen = findings.violation.take().map(|(_, violation)| violation);
                let ending = match seen.or_else(|| self.violation_after(&path)) {
                    Some(violation) => Ending::Violation { path, violation },
                    // Somebody was told to stop in the middle of a step.
                    None => Ending::Stopped(stop.unwrap_or(Limit::Step)),
                };
                return Ok(Batch::Ended { ending, told: stop.is_some() });
            }
        }
        if let Some(limit) = stop {
            return Ok(Batch::Begun(limit));
        }
        self.statistics.transitions += transitions;
        let found = &*found;
        let together = self.together.as_ref();
        let stores = |shard| together.is_none_or(|together| together.stores(shard));
        let shards = self.explored.shards.iter_mut().zip(&mut *targets);
        let tasks: Vec<_> = shards.enumerate().filter(|(shard, _)| stores(*shard)).collect();
        run(enough(&mut self.hands, chunks.len()), tasks, |_, (index, (shard, targets))| {
            targets.clear();
            take_in(space, shard, index, found, plan, cost, targets, &bell, patient);
        });
        if !patient && let Some(&limit) = bell.stop.get() {
            return Ok(Batch::Ended { ending: Ending::Stopped(limit), told: true });
        }
        if plan.edges {
            self.write_edges(found, targets);
        }
        *remaining -= width(chunks);
        Ok(Batch::Done(self.agreed(*remaining)?))
    }

    /// The nodes by which a node was found, from an initial one to itself.
    fn path(&mut self, node: NodeId) -> Result<Vec<(Vec<u32>, u32)>, Limit> {
        let explored = &self.explored;
        match &mut self.together {
            Some(together) => together.path(self.space, explored, node),
            None => Ok(explored.path(node).into_iter().map(|n| explored.node(n)).collect()),
        }
    }

    /// The violation after a path that another process has found.
    fn violation_after(&mut self, path: &[(Vec<u32>, u32)]) -> Option<S::Violation> {
        let (state, tag) = path.last()?;
        let mut violation = None;
        self.space.expand(&mut self.hands[0].worker, state, *tag, &mut |found| {
            if let Found::Violation(v) = found {
                violation = violation.take().or(Some(v));
            }
        });
        violation
    }

    /// Writes down where the steps of a batch lead, now that all targets have their places.
    fn write_edges(&mut self, found: &[Findings<S::Violation>], targets: &[Vec<u32>]) {
        // For every shard what was found in it, and how many targets in each shard come before.
        let mut of_shard = [const { Vec::new() }; SHARDS];
        let mut before = [0; SHARDS];
        for findings in found {
            of_shard[findings.shard].push((findings, before));
            for (count, parcel) in before.iter_mut().zip(&findings.parcels) {
                *count += parcel.len();
            }
        }
        let tasks: Vec<_> = self.explored.shards.iter_mut().zip(of_shard).collect();
        run(enough(&mut self.hands, found.len()), tasks, |_, (shard, list)| {
            let mut edges = Vec::new();
            for (findings, mut cursors) in list {
                let mut steps = findings.steps.iter();
                for &(node, count) in &findings.nodes {
                    edges.clear();
                    edges.extend(steps.by_ref().take(count as usize).map(|&(label, target)| {
                        if target == NO_SHARD {
                            return Edge { label, target: NOWHERE };
                        }
                        let target = usize::from(target);
                        let place = targets[target][cursors[target]];
                        cursors[target] += 1;
                        Edge { label, target: node_id(target, place) }
                    }));
                    shard.set_edges(node, &edges);
                }
            }
        });
    }

    /// The limit that has been reached, if any.
    fn exceeded(&mut self, frontier: u64) -> Option<Limit> {
        self.measure();
        let Explored { shards, blocks, .. } = &self.explored;
        if self.space.is_full() || blocks.is_full() || shards.iter().any(Shard::is_full) {
            return Some(Limit::Memory);
        }
        self.budget.exceeded(&Progress { statistics: self.statistics, frontier })
    }

    /// The limit that has been reached, by any process.
    fn agreed(&mut self, frontier: u64) -> Result<Option<Limit>, Limit> {
        let limit = self.exceeded(frontier);
        let Some(together) = &mut self.together else { return Ok(limit) };
        let due = self.keeper.is_some_and(Keeper::is_due);
        let told = together.agree(self.space, &mut self.statistics, limit, due)?;
        let too_many = self.budget.max_states.is_some_and(|most| self.statistics.nodes > most);
        Ok(if too_many { Some(Limit::States) } else { told })
    }

    /// The search is over. All processes have come to the same end.
    fn end(&mut self, ending: Ending<S::Violation>) -> Ending<S::Violation> {
        let lost = matches!(ending, Ending::Stopped(Limit::Lost));
        self.measure();
        let Some(together) = self.together.as_mut().filter(|_| !lost) else { return ending };
        let (kind, told) = match &ending {
            Ending::Exhausted => (0, None),
            Ending::Enough => (1, None),
            Ending::Violation { .. } => (2, None),
            Ending::Stopped(limit) => (3, Some(*limit)),
        };
        let mut sum = self.statistics;
        let agreed = together
            .agree(self.space, &mut sum, told, false)
            .and_then(|told| together.same(self.space, kind, told));
        if self.plan.order != Order::Depth {
            self.statistics = sum;
        }
        match agreed {
            Ok(()) => ending,
            Err(limit) => Ending::Stopped(limit),
        }
    }

    /// The node found last is expanded next. A node is entered when it is found.
    fn depth_first(&mut self, inspect: &mut Inspect<'_>) -> Ending<S::Violation> {
        let mut stack = std::mem::take(&mut self.left.stack);
        while let Some(&(node, depth)) = stack.last() {
            let expanded = self.left.expanded;
            let frontier = stack.len() as u64 - 1;
            // What was found since somebody was told to stop in the middle of a step is not kept.
            let spoilt = self.budget.within.told().is_some();
            let limit = match () {
                () if expanded.is_multiple_of(u64::from(CHUNK)) => self.exceeded(frontier),
                () if expanded.is_multiple_of(u64::from(ASK)) => {
                    self.budget.told(&Progress { statistics: self.statistics, frontier })
                }
                () => None,
            };
            let due = expanded.is_multiple_of(u64::from(CHUNK))
                && self.keeper.is_some_and(Keeper::is_due);
            if !spoilt && (limit.is_some() || due) {
                self.left.stack = stack;
                // Everybody goes alone here, so nobody is lost.
                let _ = self.keep();
                stack = std::mem::take(&mut self.left.stack);
            }
            if let Some(limit) = limit {
                return Ending::Stopped(limit);
            }
            stack.pop();
            self.settle();
            self.statistics.depth = self.statistics.depth.max(depth);
            self.statistics.widest = self.statistics.widest.max(frontier);
            self.left.expanded += 1;
            let (space, Plan { edges, shuffle, .. }) = (self.space, self.plan);
            let Hand { worker, slots, near, found: halves } = &mut self.hands[0];
            let (explored, transitions) = (&mut self.explored, &mut self.statistics.transitions);
            let (shard, place) = shard_and_place(node);
            let Some((state, tag)) = explored.shards[shard].node(place) else { continue };
            explored.blocks.read(state, near, slots);
            let (mut violation, mut steps) = (None, Vec::new());
            let mut new: Vec<(u64, NodeId)> = Vec::new();
            space.expand(worker, slots, tag, &mut |found| {
                *transitions += 1;
                match found {
                    Found::Node { state, tag, label, hash, .. } => {
                        let h = hash;
                        let (state, number) = numbered(&explored.blocks, state, h, near, halves);
                        let shard = &mut explored.shards[number];
                        shard.warm([state].into_iter());
                        shard.keep_all();
                        let target = match shard.enter(state, tag, node, None, space) {
                            Entered::Known(known) => node_id(number, known),
                            Entered::New(place) => {
                                new.push((
                                    h.unwrap_or_else(|| halves.hash()),
                                    node_id(number, place),
                                ));
                                node_id(number, place)
                            }
                        };
                        steps.push(Edge { label, target });
                    }
                    Found::Nowhere { label } => steps.push(Edge { label, target: NOWHERE }),
                    Found::Violation(v) => violation = violation.take().or(Some(v)),
                }
            });
            if let Some(violation) = violation {
                let path = explored.path(node).into_iter().map(|n| explored.node(n)).collect();
                return Ending::Violation { path, violation };
            }
            if edges {
                explored.shards[shard].set_edges(place, &steps);
            }
            if shuffle != 0 {
                new.sort_by_key(|(h, _)| {
                    (h ^ shuffle).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
                });
            }
            stack.extend(new.iter().rev().map(|&(_, node)| (node, depth + 1)));
        }
        if inspect(&self.explored, self.statistics.nodes) {
            Ending::Enough
        } else {
            Ending::Exhausted
        }
    }

    /// Sees now and then how states are best written down.
    fn settle(&mut self) {
        if self.statistics.nodes >= self.settled {
            self.settled = self.statistics.nodes * 8;
            self.explored.settle();
        }
    }

    /// Counts what is in the shards of this process.
    fn measure(&mut self) {
        // Depth first everybody goes alone.
        let together = self.together.as_ref().filter(|_| self.plan.order != Order::Depth);
        let counts = |shard| together.is_none_or(|together| together.expands(shard));
        let shards = self.explored.shards.iter().enumerate();
        let mine = shards.filter(|(number, _)| counts(*number)).map(|(_, shard)| shard);
        self.statistics.states = mine.clone().map(|s| s.states() as u64).sum();
        self.statistics.nodes = mine.map(|s| s.nodes() as u64).sum();
        self.peak = self.peak.max((self.budget.memory)());
        self.statistics.memory = self.peak;
    }
}
