//! All configurations at once, event by event.
//!
//! Nothing happens before the return of an operation that has not taken effect yet; then the open ones take effect, in
//! every order, until the returning one has (Lowe, "Testing for linearizability", CCPE 2017: just in time). What is left is
//! all that is known of the past. So memory follows what is open and not the length of the history, the first return that
//! nothing explains is found where it happens, and a growing log can be followed.
//!
//! Operations that change nothing are taken as soon as they are possible: wherever an order has them later, they can
//! be moved to the front, since nobody sees them. Those that nobody sees before the return are not taken yet (`seen`).

use std::collections::BTreeMap;

use linchpin_lts::{Limit, Watch};

use crate::bits::Bits;
use crate::configurations::Minimal;
use crate::machine::Machine;
use crate::part::Member;
use crate::seen::{Last, Next};

/// How far an order has come.
#[derive(Clone, Debug)]
struct Configuration {
    state: u32,
    /// Slots of open operations that have taken effect.
    taken: Bits,
    /// Never-returning operations that have.
    never: Bits,
    /// The last operation of the order.
    node: u32,
    /// The same, if nobody has seen it yet.
    last: Option<Last>,
}

/// The end of an order: an operation, with its point of time, after another end.
#[derive(Clone, Copy, Debug)]
struct Node {
    before: u32,
    index: u32,
    place: u32,
}

const START: u32 = u32::MAX;

/// How the search has gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It has.
    Alive,
    /// Nothing explains the return.
    Dead,
    /// It would take more configurations than are allowed.
    Exhausted,
    /// A limit was reached.
    Stopped(Limit),
}

/// The search.
#[derive(Debug)]
pub(crate) struct Breadth {
    pub(crate) machine: Machine,
    frontier: Vec<Configuration>,
    open: Vec<Member>,
    /// Never-returning operations by what they call, in the order of their calls.
    never: BTreeMap<u32, Vec<Member>>,
    /// The orders so far, if they are wanted.
    nodes: Option<Vec<Node>>,
    dominance: bool,
    /// May states be forgotten? Not while somebody wants to go back.
    pub(crate) forgets: bool,
    /// Configurations made so far.
    pub(crate) made: u64,
}

impl Breadth {
    pub(crate) fn new(machine: Machine, orders: bool, dominance: bool) -> Self {
        let start = |&state: &u32| Configuration {
            state,
            taken: Bits::default(),
            never: Bits::default(),
            node: START,
            last: None,
        };
        let frontier = machine.initial().iter().map(start).collect();
        Breadth {
            machine,
            frontier,
            open: Vec::new(),
            never: BTreeMap::new(),
            nodes: orders.then(Vec::new),
            dominance,
            forgets: true,
            made: 0,
        }
    }

    /// An operation is called.
    pub(crate) fn call(&mut self, member: Member, place: u32) {
        if !member.returns {
            self.never.entry(member.call).or_default().push(member);
            return;
        }
        self.open.push(member);
        if member.pure {
            let mut frontier = std::mem::take(&mut self.frontier);
            for configuration in &mut frontier {
                self.settle(configuration, &[member], place);
            }
            self.frontier = frontier;
        }
    }

    /// Takes what changes nothing and is possible.
    fn settle(&mut self, configuration: &mut Configuration, members: &[Member], place: u32) {
        for member in members.iter().filter(|m| m.pure) {
            if !configuration.taken.has(member.slot)
                && self.machine.is_possible(configuration.state, member.call)
            {
                configuration.taken.insert(member.slot);
                configuration.node = note(&mut self.nodes, configuration.node, member, place);
                configuration.last = None;
            }
        }
    }

    /// An operation returns.
    pub(crate) fn ret(&mut self, member: Member, place: u32, most: u64, watch: &Watch) -> Step {
        let mut seen: Minimal<(u32, Bits)> = Minimal::new(self.dominance);
        let mut done: Minimal<(u32, Bits)> = Minimal::new(self.dominance);
        let mut finished: Vec<Configuration> = Vec::new();
        let mut todo: Vec<Configuration> = Vec::new();
        let frontier = self.frontier.clone();
        let nodes = self.nodes.as_ref().map(Vec::len);
        for configuration in frontier {
            sort_out(configuration, member.slot, &mut seen, &mut done, &mut todo, &mut finished);
        }
        let open = self.open.clone();
        let mut next = 0;
        while next < todo.len() {
            let configuration = todo[next].clone();
            next += 1;
            let key = (configuration.state, configuration.taken.clone());
            if !seen.contains(&key, &configuration.never) {
                continue;
            }
            let limit = watch.over_at(next);
            if self.made > most || limit.is_some() {
                if let (Some(nodes), Some(length)) = (&mut self.nodes, nodes) {
                    nodes.truncate(length);
                }
                return limit.map_or(Step::Exhausted, Step::Stopped);
            }
            for other in open.iter().filter(|m| !m.pure && !configuration.taken.has(m.slot)) {
                for state in self.following(&configuration, other, member.slot) {
                    let mut reached = self.reached(&configuration, state, other, place);
                    reached.taken.insert(other.slot);
                    self.settle(&mut reached, &open, place);
                    sort_out(reached, member.slot, &mut seen, &mut done, &mut todo, &mut finished);
                }
            }
            for first in self.first_of_each(&configuration.never) {
                for state in self.following(&configuration, &first, member.slot) {
                    let mut reached = self.reached(&configuration, state, &first, place);
                    reached.never.insert(first.slot);
                    self.settle(&mut reached, &open, place);
                    sort_out(reached, member.slot, &mut seen, &mut done, &mut todo, &mut finished);
                }
            }
        }
        finished.retain(|c| done.contains(&(c.state, c.taken.clone()), &c.never));
        self.open.retain(|m| m.slot != member.slot);
        self.frontier = finished;
        if self.frontier.is_empty() {
            return Step::Dead;
        }
        self.tidy();
        Step::Alive
    }

    /// The states that an operation leads to, if it need be tried.
    fn following(&mut self, from: &Configuration, member: &Member, awaited: u32) -> Vec<u32> {
        let mut moves = Vec::new();
        self.machine.moves(from.state, member.call, &mut moves);
        let (call, returns) = (member.call, member.returns);
        let next = Next { call, returns, awaited: returns && member.slot == awaited };
        let machine = &mut self.machine;
        if let Some(last) = &from.last {
            moves.retain(|&to| last.is_seen_by(next, to, machine));
        }
        // What never returns and changes nothing would only be wasted.
        moves.retain(|&to| returns || to != from.state);
        self.made += moves.len() as u64;
        moves
    }

    fn reached(
        &mut self,
        from: &Configuration,
        state: u32,
        by: &Member,
        place: u32,
    ) -> Configuration {
        let last = Last { before: from.state, call: by.call, returns: by.returns };
        Configuration {
            state,
            taken: from.taken.clone(),
            never: from.never.clone(),
            node: note(&mut self.nodes, from.node, by, place),
            last: self.dominance.then_some(last),
        }
    }

    /// Of equal never-returning operations the first that has not taken effect.
    fn first_of_each(&self, taken: &Bits) -> Vec<Member> {
        let equal = self.never.values();
        equal.filter_map(|all| all.iter().find(|m| !taken.has(m.slot)).copied()).collect()
    }

    /// Forgets states that nobody is in.
    fn tidy(&mut self) {
        if !self.forgets || self.machine.states() < (1 << 14).max(8 * self.frontier.len()) {
            return;
        }
        let mut alive: Vec<u32> = self.frontier.iter().map(|c| c.state).collect();
        alive.sort_unstable();
        alive.dedup();
        self.machine.forget(&alive);
        for configuration in &mut self.frontier {
            let number = alive.binary_search(&configuration.state);
            configuration.state = number.unwrap_or_default() as u32;
        }
    }

    /// One of the orders so far: operations with their points of time.
    pub(crate) fn order(&self) -> Vec<(u32, u32)> {
        let (Some(nodes), Some(first)) = (&self.nodes, self.frontier.first()) else {
            return Vec::new();
        };
        let (mut order, mut node) = (Vec::new(), first.node);
        while let Some(Node { before, index, place }) = nodes.get(node as usize) {
            order.push((*index, *place));
            node = *before;
        }
        order.reverse();
        order
    }

    /// The states that the past may have led to.
    pub(crate) fn states(&self) -> Vec<u32> {
        let mut states: Vec<u32> = self.frontier.iter().map(|c| c.state).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// What is known of the past, to go back to.
    pub(crate) fn past(&self) -> Past {
        Past { frontier: self.frontier.clone(), open: self.open.clone(), never: self.never.clone() }
    }

    /// Goes back. Only states that were not forgotten since are known.
    pub(crate) fn go_back(&mut self, past: Past) {
        Past { frontier: self.frontier, open: self.open, never: self.never } = past;
    }
}

/// What is known of the past.
#[derive(Debug)]
pub(crate) struct Past {
    frontier: Vec<Configuration>,
    open: Vec<Member>,
    never: BTreeMap<u32, Vec<Member>>,
}

fn note(nodes: &mut Option<Vec<Node>>, before: u32, member: &Member, place: u32) -> u32 {
    let Some(nodes) = nodes else { return START };
    nodes.push(Node { before, index: member.index, place });
    (nodes.len() - 1) as u32
}

/// Has the returning operation taken effect?
fn sort_out(
    mut configuration: Configuration,
    slot: u32,
    seen: &mut Minimal<(u32, Bits)>,
    done: &mut Minimal<(u32, Bits)>,
    todo: &mut Vec<Configuration>,
    finished: &mut Vec<Configuration>,
) {
    let (minimal, list) = match configuration.taken.has(slot) {
        true => {
            configuration.last = None;
            (done, finished)
        }
        false => (seen, todo),
    };
    configuration.taken.remove(slot);
    let key = (configuration.state, configuration.taken.clone());
    if minimal.insert(key, &configuration.never) {
        list.push(configuration);
    }
}
