//! Several processes search together, each on its own machine if need be.
//!
//! Every process runs the same program on the same model and comes to the same searches. Within one, shards are divided
//! among the processes: whoever has a shard expands its nodes. A batch is what it is for one process; between
//! expanding and taking in, everybody gives everybody what was found for the other's shards. Chunks, their order and the
//! shards do not depend on the number of processes, so neither does anything that comes of the search: nodes get the
//! same places, parents and depths as in a search of one process.
//!
//! **Who knows what.** A search at which somebody looks afterwards (cycles, systems with all their states) is known
//! to all: what one finds is told to all, only expanding is divided. A search for a violation is *divided*: a
//! process has its own shards, the memory of all of them counts. What the numbers in states, tags and labels mean is told as it
//! comes up, once to each process (`linchpin_lts`, `numbers`).
//!
//! **What is agreed on.** Limits of time and memory belong to a process. Whoever is told to stop says so in the next
//! exchange, and all end with that limit. A violation is not sent: everybody is told the path to the node and expands the
//! last one again. A search is kept by the first process alone, whole, shard by shard, so another number of
//! processes can go on with it.
//!
//! **Who does not come** ends the search for all ([`Limit::Lost`]); what was kept can be gone on with.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use linchpin_lts::{Figures, Known, Limit, Loading, Renumber, Saving, Told, damaged};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::blocks::{Blocks, Halves, Root};
use crate::explored::Explored;
use crate::findings::{Entry, Findings};
use crate::keeping::{self, Head};
use crate::search::{Chunk, Order, Plan, Space};
use crate::store::{NOWHERE, NodeId, SHARDS, Shard, shard_and_place};

/// The processes that search together. They are numbered from 0; the first one keeps and reports.
pub trait Peers: Sync {
    /// How many there are; no more than [`MOST_PEERS`].
    fn count(&self) -> usize;

    /// Which one this is.
    fn number(&self) -> usize;

    /// Gives every process what this one has for it, and takes what each has for this one. Everybody does so at the
    /// same time. `None`: somebody is lost, now or earlier.
    fn exchange(&self, parcels: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>>;

    /// What a process has sent makes no sense; it counts as lost.
    fn distrust(&self, peer: usize, why: &io::Error);
}

/// The most processes that can search together: each has at least one shard.
pub const MOST_PEERS: usize = SHARDS;

/// The nodes of a shard that are due next: what they cost, and where they are.
pub(crate) type Due = Option<(u64, Vec<Range<u32>>)>;

/// What a chunk has come to, as all know it: how many steps, and the node from which there is a violation.
pub(crate) type Came = (u64, Option<NodeId>);

/// A node, as all know it: state and tag.
type Node = (Vec<u32>, u32);

/// This process among the others, in one search.
pub(crate) struct Together<'p> {
    peers: &'p dyn Peers,
    /// Does every process have its own shards only?
    divided: bool,
    told: Told,
    known: Vec<Known>,
    /// Does the first one keep the search, has it read what was kept, and is it time to keep it?
    kept: bool,
    resumed: bool,
    due: bool,
}

impl<'p> Together<'p> {
    /// Begins a search: is it the same for all, and does the first process keep it?
    pub(crate) fn begin<S: Space>(
        peers: &'p dyn Peers,
        space: &S,
        plan: Plan,
        divided: bool,
        (keeps, resumes): (bool, bool),
    ) -> Result<Self, Limit> {
        let known = (0..peers.count()).map(|_| Known::default()).collect();
        let told = Told::default();
        let mut together =
            Together { peers, divided, told, known, kept: false, resumed: false, due: false };
        let which = (plan.order as u32, plan.edges, divided);
        let all = together.all(space, &(which, keeps, resumes))?;
        (together.kept, together.resumed) = (all[0].1, all[0].2);
        match all.iter().position(|(of_other, ..)| *of_other != which) {
            Some(peer) => Err(together.distrusts(peer, &damaged("it has come to another search"))),
            None => Ok(together),
        }
    }

    fn is_first(&self) -> bool {
        self.peers.number() == 0
    }

    fn owner(&self, shard: usize) -> usize {
        shard % self.peers.count()
    }

    /// Does this process expand the nodes of a shard?
    pub(crate) fn expands(&self, shard: usize) -> bool {
        self.owner(shard) == self.peers.number()
    }

    /// Does a process have what is in a shard?
    fn has(&self, peer: usize, shard: usize) -> bool {
        !self.divided || self.owner(shard) == peer
    }

    /// Does this process have what is in a shard?
    pub(crate) fn stores(&self, shard: usize) -> bool {
        self.has(self.peers.number(), shard)
    }

    /// Is it time to keep the search?
    pub(crate) fn is_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }

    fn distrusts(&self, peer: usize, why: &io::Error) -> Limit {
        self.peers.distrust(peer, why);
        Limit::Lost
    }

    /// Everybody says something to everybody else. It begins with what new numbers mean, so that whoever hears it knows what
    /// numbers are called here.
    fn talk<S: Space>(
        &mut self,
        space: &S,
        say: impl Fn(usize, &mut Saving<'_>) -> io::Result<()>,
        mut hear: impl FnMut(usize, &mut Loading<'_>, &dyn Renumber) -> io::Result<()>,
    ) -> Result<(), Limit> {
        let me = self.peers.number();
        let mut news = Vec::new();
        let written = space.save(&mut Saving::further(&mut news, &mut self.told));
        let parcels: io::Result<Vec<Vec<u8>>> = written.and_then(|()| {
            let others = (0..self.peers.count()).map(|peer| match peer == me {
                true => Ok(Vec::new()),
                false => {
                    let mut parcel = news.clone();
                    say(peer, &mut Saving::new(&mut parcel))?;
                    Ok(parcel)
                }
            });
            others.collect()
        });
        let parcels = parcels.map_err(|why| self.distrusts(me, &why))?;
        let heard = self.peers.exchange(parcels).ok_or(Limit::Lost)?;
        for (peer, bytes) in heard.iter().enumerate().filter(|(peer, _)| *peer != me) {
            let mut rest = &bytes[..];
            let result = (|| {
                let new = space.load(&mut Loading::further(&mut rest, &mut self.known[peer]))?;
                hear(peer, &mut Loading::new(&mut rest), &*new)?;
                if rest.is_empty() { Ok(()) } else { Err(damaged("it has said too much")) }
            })();
            result.map_err(|why| self.distrusts(peer, &why))?;
        }
        Ok(())
    }

    /// Everybody says the same kind of thing to all; gives what each has said, in their order.
    fn all<S: Space, T: Serialize + DeserializeOwned + Clone>(
        &mut self,
        space: &S,
        mine: &T,
    ) -> Result<Vec<T>, Limit> {
        let mut said: Vec<T> = vec![mine.clone(); self.peers.count()];
        self.talk(
            space,
            |_, out| out.thing(mine),
            |peer, from, _| {
                said[peer] = from.thing()?;
                Ok(())
            },
        )?;
        Ok(said)
    }

    /// What is due next in all shards, given what is due in those this process has.
    pub(crate) fn due<S: Space>(
        &mut self,
        space: &S,
        mut due: Vec<Due>,
    ) -> Result<Vec<Due>, Limit> {
        if self.divided {
            let all = self.all(space, &due)?;
            for (shard, next) in due.iter_mut().enumerate() {
                next.clone_from(all[self.owner(shard)].get(shard).unwrap_or(&None));
            }
        }
        Ok(due)
    }

    /// Gives everybody what was found for the shards they have, and takes what they have found. Gives what came of each
    /// chunk of the batch, and the limit that somebody was told.
    pub(crate) fn share<S: Space>(
        &mut self,
        space: &S,
        plan: Plan,
        blocks: &Blocks,
        chunks: &[Chunk],
        found: &mut [Findings<S::Violation>],
        stop: Option<Limit>,
    ) -> Result<(Vec<Came>, Option<Limit>), Limit> {
        let peers = self.peers.count();
        let divided = self.divided;
        let has = |peer: usize, shard: usize| !divided || shard % peers == peer;
        let of = |peer: usize| {
            let chunks = chunks.iter().enumerate();
            chunks.filter(move |(_, (shard, _))| shard % peers == peer).map(|(at, _)| at)
        };
        let me = self.peers.number();
        let mut came: Vec<Came> = found.iter().map(Findings::came).collect();
        let mut stops = vec![stop; peers];
        let mut arrived: Vec<(usize, Came, Findings<S::Violation>)> = Vec::new();
        let mine = &*found;
        self.talk(
            space,
            |peer, out| {
                out.thing(&stop)?;
                let mut sent = Sent::default();
                for at in of(me) {
                    out.thing(&came[at])?;
                    send(&mine[at], plan, blocks, |shard| has(peer, shard), &mut sent, out)?;
                }
                Ok(())
            },
            |peer, from, new| {
                stops[peer] = from.thing()?;
                for at in of(peer) {
                    let came = from.thing()?;
                    let findings = receive(&chunks[at], plan, blocks, |s| has(me, s), from, new)?;
                    arrived.push((at, came, findings));
                }
                Ok(())
            },
        )?;
        for (at, of_chunk, findings) in arrived {
            came[at] = of_chunk;
            found[at] = findings;
        }
        Ok((came, stops.into_iter().flatten().next()))
    }

    /// After a batch: adds up the figures, and says which limit somebody was told. The first one says whether it is time to
    /// keep the search.
    pub(crate) fn agree<S: Space>(
        &mut self,
        space: &S,
        figures: &mut Figures,
        told: Option<Limit>,
        due: bool,
    ) -> Result<Option<Limit>, Limit> {
        let Figures { states, nodes, memory, .. } = *figures;
        let all = self.all(space, &(states, nodes, memory, told, due))?;
        figures.states = all.iter().map(|of_one| of_one.0).sum();
        figures.nodes = all.iter().map(|of_one| of_one.1).sum();
        figures.memory = all.iter().map(|of_one| of_one.2).sum();
        self.due = all[0].4;
        Ok(all.iter().find_map(|of_one| of_one.3))
    }

    /// Do all say the same? If they do not, somebody was told to stop.
    pub(crate) fn same<S: Space>(
        &mut self,
        space: &S,
        mine: u32,
        told: Option<Limit>,
    ) -> Result<(), Limit> {
        let all = self.all(space, &(mine, told))?;
        match all.iter().all(|(of_other, _)| *of_other == mine) {
            true => Ok(()),
            false => Err(all.iter().find_map(|(_, told)| *told).unwrap_or(Limit::Lost)),
        }
    }

    /// The nodes by which a node was found, from an initial one to itself.
    pub(crate) fn path<S: Space>(
        &mut self,
        space: &S,
        explored: &Explored,
        node: NodeId,
    ) -> Result<Vec<Node>, Limit> {
        let mut path: Vec<Node> = Vec::new();
        let mut at = node;
        while at != NOWHERE {
            // Whoever has the node says it, and those before it as far as it has them.
            let owner = self.owner(shard_and_place(at).0);
            let mut piece: Vec<Node> = Vec::new();
            let mut before = at;
            while before != NOWHERE && self.expands(shard_and_place(before).0) {
                piece.push(explored.node(before));
                before = explored.parent(before).unwrap_or(NOWHERE);
            }
            let mine = (piece.clone(), before);
            let is_mine = owner == self.peers.number();
            let mut said = is_mine.then(|| mine.clone());
            self.talk(
                space,
                |_, out| if is_mine { out.thing(&mine) } else { Ok(()) },
                |peer, from, new| {
                    if peer == owner {
                        let (mut piece, before): (Vec<Node>, NodeId) = from.thing()?;
                        for (state, tag) in &mut piece {
                            new.state(state)?;
                            *tag = new.tag(*tag)?;
                        }
                        if piece.is_empty() {
                            return Err(damaged("a node that is not there"));
                        }
                        said = Some((piece, before));
                    }
                    Ok(())
                },
            )?;
            let (piece, before) = said.ok_or(Limit::Lost)?;
            path.extend(piece);
            at = before;
        }
        path.reverse();
        Ok(path)
    }

    /// Is there something that was kept?
    pub(crate) fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Is the search kept by the first process?
    pub(crate) fn is_kept(&self) -> bool {
        self.kept
    }

    /// Shows the first process all shards, one after the other, so that it can keep them.
    pub(crate) fn gather<S: Space>(
        &mut self,
        space: &S,
        plan: Plan,
        explored: &Explored,
        mut keep: impl FnMut(&Shard, &Blocks),
    ) -> Result<(), Limit> {
        for shard in 0..SHARDS {
            let owner = self.owner(shard);
            if !self.divided || owner == 0 {
                if self.is_first() {
                    keep(&explored.shards[shard], &explored.blocks);
                }
                continue;
            }
            let (is_mine, first) = (self.expands(shard), self.is_first());
            let mut copy = None;
            self.talk(
                space,
                |peer, out| match peer == 0 && is_mine {
                    true => keeping::save_shard(&explored.shards[shard], &explored.blocks, out),
                    false => Ok(()),
                },
                |peer, from, new| {
                    if peer == owner && first {
                        let (mut shard, blocks) = (Shard::default(), Blocks::default());
                        keeping::load_shard(&mut shard, &blocks, plan, from, new)?;
                        copy = Some((shard, blocks));
                    }
                    Ok(())
                },
            )?;
            if let Some((shard, blocks)) = copy {
                keep(&shard, &blocks);
            }
        }
        Ok(())
    }

    /// Goes on with what the first process has read: `head` and `shards` read it, there. `None`: it cannot be used.
    pub(crate) fn scatter<S: Space>(
        &mut self,
        space: &S,
        plan: Plan,
        head: io::Result<Head>,
        mut next: impl FnMut(&Blocks) -> io::Result<Shard>,
    ) -> Result<Result<(Head, Explored), io::Error>, Limit> {
        let first = self.is_first();
        let mine = head.as_ref().ok().filter(|_| first);
        let mut arrived = None;
        self.talk(
            space,
            |_, out| out.thing(&mine),
            |peer, from, _| {
                let said: Option<Head> = from.thing()?;
                if peer == 0 {
                    arrived = said;
                }
                Ok(())
            },
        )?;
        let head = if first { head } else { arrived.ok_or_else(|| damaged("it is unreadable")) };
        let head = match head {
            Ok(head) => head,
            Err(why) => return Ok(Err(why)),
        };
        let mut explored = Explored::new();
        explored.initial.clone_from(&head.initial);
        let mut counts: Vec<u32> = Vec::new();
        let (peers, divided) = (self.peers.count(), self.divided);
        for number in 0..SHARDS {
            let stores = self.stores(number);
            let mut read = if first { next(&explored.blocks) } else { Ok(Shard::default()) };
            let mut count = read.as_ref().map_or(0, Shard::nodes) as u32;
            let (mine, good) = (read.as_ref().ok(), read.is_ok());
            let blocks = &explored.blocks;
            let mut arrived = None;
            self.talk(
                space,
                |peer, out| match mine.filter(|_| !divided || number % peers == peer) {
                    _ if !first => Ok(()),
                    shard => {
                        out.thing(&(good, count))?;
                        shard.map_or(Ok(()), |shard| keeping::save_shard(shard, blocks, out))
                    }
                },
                |peer, from, new| {
                    if peer != 0 {
                        return Ok(());
                    }
                    let (good, count): (bool, u32) = from.thing()?;
                    let mut copy = Shard::default();
                    if good && stores {
                        keeping::load_shard(&mut copy, blocks, plan, from, new)?;
                    }
                    let copy = good.then_some(copy);
                    arrived = Some((copy.ok_or_else(|| damaged("it is unreadable")), count));
                    Ok(())
                },
            )?;
            if let Some(from_first) = arrived {
                (read, count) = from_first;
            }
            match read {
                Ok(shard) if stores => explored.shards[number] = shard,
                Ok(_) => {}
                Err(why) => return Ok(Err(why)),
            }
            counts.push(count);
        }
        let known = |node: NodeId| {
            let (shard, place) = shard_and_place(node);
            place < counts[shard]
        };
        let mine = (0..SHARDS).filter(|&shard| self.stores(shard));
        let is_whole = head.refers_to(&known)
            && mine.into_iter().all(|shard| explored.shards[shard].refers_to(&known));
        match self.all(space, &is_whole)?.into_iter().all(|whole| whole) {
            true => Ok(Ok((head, explored))),
            false => Ok(Err(damaged("a node that is not there"))),
        }
    }
}

/// What has been sent in a batch: nodes by state and tag, with what they cost.
type Sent = HashMap<(Root, u32), u64>;

/// Writes what a chunk has found for some shards. What is there already at no more cost is not sent again, unless edges
/// lead to it.
fn send<V>(
    findings: &Findings<V>,
    plan: Plan,
    blocks: &Blocks,
    has: impl Fn(usize) -> bool,
    sent: &mut Sent,
    out: &mut Saving<'_>,
) -> io::Result<()> {
    if plan.edges {
        out.thing(&(&findings.nodes, &findings.steps))?;
    }
    let (mut halves, mut slots) = (Halves::default(), Vec::new());
    for (_, parcel) in findings.parcels.iter().enumerate().filter(|(shard, _)| has(*shard)) {
        let mut list: Vec<&Entry> = Vec::new();
        for entry in parcel {
            if !plan.edges {
                let cost = sent.entry((entry.state, entry.tag)).or_insert(u64::MAX);
                if *cost <= entry.cost {
                    continue;
                }
                *cost = entry.cost;
            }
            list.push(entry);
        }
        out.number(list.len() as u64)?;
        for entry in list {
            out.number(entry.tag)?;
            out.number(entry.parent)?;
            if plan.order == Order::Cheapest {
                out.number(entry.cost)?;
            }
            blocks.read(entry.state, &mut halves, &mut slots);
            out.numbers(&slots)?;
        }
    }
    Ok(())
}

/// Reads what was sent of a chunk.
fn receive<V>(
    (shard, range): &Chunk,
    plan: Plan,
    blocks: &Blocks,
    has: impl Fn(usize) -> bool,
    from: &mut Loading<'_>,
    new: &dyn Renumber,
) -> io::Result<Findings<V>> {
    let mut findings = Findings { shard: *shard, ..Findings::default() };
    if plan.edges {
        (findings.nodes, findings.steps) = from.thing()?;
        for (label, _) in &mut findings.steps {
            *label = new.label(*label)?;
        }
    }
    let (mut near, mut now) = (Halves::default(), Halves::default());
    let parcels = findings.parcels.iter_mut().enumerate();
    for (_, parcel) in parcels.filter(|(shard, _)| has(*shard)) {
        for _ in 0..from.number::<u64>()? {
            let (tag, parent) = (from.number()?, from.number()?);
            if !range.contains(&parent) {
                return Err(damaged("a node that was not to be expanded"));
            }
            let cost = if plan.order == Order::Cheapest { from.number()? } else { 1 };
            let mut slots = from.numbers()?;
            new.state(&mut slots)?;
            std::mem::swap(&mut near, &mut now);
            let state = blocks.enter(&slots, &near, &mut now);
            parcel.push(Entry { state, tag: new.tag(tag)?, parent, cost });
        }
    }
    match findings.is_consistent(range) || !plan.edges {
        true => Ok(findings),
        false => Err(damaged("steps that lead nowhere")),
    }
}
