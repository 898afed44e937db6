//! The witness that is easiest to read: fewest operations, then fewest context switches, then fewest steps.
//!
//! The search of `engine` goes breadth first, so the first violation has as few steps as possible; a reader
//! would rather have few operations, and threads that run for a while. This is Dijkstra's algorithm on the
//! product, once a violation is known to exist: costs are (calls, switches, steps) in lexicographic order, and a
//! node is a state with its set *and the thread that moved last*, because that decides whether going on
//! is a switch. Steps are those of the reduced model: calls, returns and accesses to shared memory.
//!
//! *Reductions.* Nodes are told apart by their canonical form, where the thread that moved last is renamed with the
//! others; executions themselves are kept as they are, so nothing has to be lifted. A node is dropped if
//! one with the same state and last thread and a smaller set (`Product::covers`) has been left before it,
//! which cost no more: whatever goes wrong later goes wrong there for the same further cost. The granularity of
//! steps moves work on private memory to neighbouring steps of the same thread and so adds no switches.
//!
//! The space has to be looked at anew and in another order, so there is a limit; when it is reached, the witness of
//! the first search stays, and the report says that it is not known to be minimal.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use linchpin_engine::{Budget, Cover, Progress, Statistics, pack};
use linchpin_lts::{EventKind, Liveness, Outcome, Schedule, TransitionSystem, Turn};
use smallvec::SmallVec;

use crate::configurations::{EMPTY, SetId};
use crate::product::{Product, Violation, Worker};

/// What a reader has to bear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Operations that are called.
    pub calls: u32,
    /// How often another thread goes on.
    pub switches: u32,
    /// Steps.
    pub steps: u32,
}

/// Nobody has moved yet.
const NOBODY: u32 = u32::MAX;

struct Node {
    state: Box<[u32]>,
    set: SetId,
    last: u32,
    cost: Cost,
    parent: u32,
    turn: Turn,
}

/// Waiting nodes, the cheapest first; of those that cost the same, the one found first. Ends of
/// executions (`true`) have no state to go on from.
type Queue = BinaryHeap<Reverse<(Cost, u32, bool)>>;

/// A cheapest schedule that shows the same kind of violation, unless more nodes than `most` would have to be
/// looked at or the budget ends.
pub(crate) fn minimal(
    product: &Product<'_>,
    violation: &Violation,
    most: u64,
    budget: &Budget<'_>,
) -> Option<(Schedule, Cost)> {
    let mut worker = product.new_worker();
    let mut search = Search { nodes: Vec::new(), queue: Queue::new(), initial: Vec::new() };
    let set = product.configurations.initial().ok()?;
    let mut count = 0;
    product.model.initial(&mut worker.scratch, &mut |outcome| {
        if let Outcome::Next { state, .. } = outcome {
            let turn = Turn { thread: NOBODY, choices: Vec::new(), length: 0 };
            search.initial.push(count);
            search.push(Node {
                state: state.into(),
                set,
                last: NOBODY,
                cost: Cost::default(),
                parent: NOBODY,
                turn,
            });
        }
        count += 1;
    });
    let mut left: HashMap<Box<[u8]>, SmallVec<[SetId; 2]>> = HashMap::new();
    let (mut key, mut looked_at) = (Vec::new(), 0u64);
    while let Some(Reverse((cost, index, end))) = search.queue.pop() {
        if end {
            return Some((search.schedule(index), cost));
        }
        let set = canonical(product, &mut worker, &search.nodes[index as usize], &mut key);
        let sets = left.entry(key.as_slice().into()).or_default();
        if sets.iter().any(|&small| small == set || product.covers(small, set)) {
            continue;
        }
        sets.push(set);
        looked_at += 1;
        if looked_at > most || stopped(budget, looked_at) {
            return None;
        }
        search.expand(product, &mut worker, index, violation);
    }
    None
}

/// Does somebody want the search to end? (Asked now and then.)
fn stopped(budget: &Budget<'_>, nodes: u64) -> bool {
    let statistics = Statistics { nodes, states: nodes, ..Statistics::default() };
    nodes.is_multiple_of(1024) && (budget.watch)(&Progress { statistics, frontier: 0 }).is_some()
}

/// The canonical set of a node; its canonical state and last thread go to `key`.
fn canonical<'m>(
    product: &Product<'m>,
    worker: &mut Worker<'m>,
    node: &Node,
    key: &mut Vec<u8>,
) -> SetId {
    let Worker { memory, canonical, .. } = worker;
    let (state, set, last) =
        product.canonical_with(memory, canonical, &node.state, node.set, Some(node.last));
    key.clear();
    pack(state, key);
    key.extend_from_slice(&last.unwrap_or(node.last).to_le_bytes());
    set
}

struct Search {
    nodes: Vec<Node>,
    queue: Queue,
    /// The numbers of the initial states, which are the first nodes.
    initial: Vec<u32>,
}

impl Search {
    fn push(&mut self, node: Node) {
        let index = u32::try_from(self.nodes.len()).expect("fewer nodes than numbers");
        self.queue.push(Reverse((node.cost, index, false)));
        self.nodes.push(node);
    }

    /// An execution that ends with a violation, after one more step or none.
    fn end(&mut self, parent: u32, cost: Cost, turn: Option<Turn>) {
        let index = match turn {
            None => parent,
            Some(turn) => {
                let (last, set) = (turn.thread, EMPTY);
                self.nodes.push(Node { state: [].into(), set, last, cost, parent, turn });
                self.nodes.len() as u32 - 1
            }
        };
        self.queue.push(Reverse((cost, index, true)));
    }

    fn expand(
        &mut self,
        product: &Product<'_>,
        worker: &mut Worker<'_>,
        index: u32,
        violation: &Violation,
    ) {
        let Node { set, last, cost, .. } = self.nodes[index as usize];
        let state = std::mem::take(&mut self.nodes[index as usize].state);
        let Worker { scratch, memory, .. } = worker;
        let liveness = product.model.successors(scratch, &state, &mut |step| {
            let turn = || Turn {
                thread: step.thread,
                choices: step.choices.to_vec(),
                length: step.length,
            };
            let mut cost = Cost { steps: cost.steps + 1, ..cost };
            cost.switches += u32::from(last != NOBODY && last != step.thread);
            match step.outcome {
                Outcome::Fault(kind) => {
                    if *violation == Violation::Fault(kind) {
                        self.end(index, cost, Some(turn()));
                    }
                }
                Outcome::Next { state, events } => {
                    cost.calls +=
                        events.iter().filter(|e| e.kind == EventKind::Call).count() as u32;
                    match product.after(memory, set, events) {
                        Err(_) => {}
                        Ok(EMPTY) if *violation == Violation::History => {
                            self.end(index, cost, Some(turn()));
                        }
                        Ok(EMPTY) => {}
                        Ok(set) => self.push(Node {
                            state: state.into(),
                            set,
                            last: step.thread,
                            cost,
                            parent: index,
                            turn: turn(),
                        }),
                    }
                }
            }
        });
        let ends = match liveness {
            Liveness::Deadlock => *violation == Violation::Deadlock,
            Liveness::Finished => {
                *violation == Violation::History && !product.configurations.info(memory, set).ends
            }
            Liveness::Live => false,
        };
        if ends {
            self.end(index, cost, None);
        }
    }

    /// The way to a node.
    fn schedule(&self, mut index: u32) -> Schedule {
        let mut turns = Vec::new();
        while self.nodes[index as usize].parent != NOBODY {
            let node = &self.nodes[index as usize];
            turns.push(node.turn.clone());
            index = node.parent;
        }
        turns.reverse();
        Schedule { initial: self.initial[index as usize], turns }
    }
}
