//! The witness that is easiest to read: fewest operations, then fewest context switches, then fewest steps.
//!
//! The search of `engine` goes breadth first, so the first violation has as few steps as possible; a reader
//! would rather have few operations, and threads that run for a while. This is Dijkstra's algorithm on the
//! product, once a violation is known to exist: costs are (calls, switches, steps) in lexicographic order, and a
//! node is a state with its set *and the thread that moved last*, because that decides whether going on
//! is a switch. Steps are those of the model that is searched: calls, returns and accesses to shared memory,
//! or what the granularity makes of them.
//!
//! *Faults and deadlocks* are those of the object, whatever its history: the simplest execution with
//! this fault counts although its history may be wrong as well. So sets are left out where they are looked
//! for. (An antichain of sets would be wrong there: with a smaller set the history may be refused
//! before the fault is reached.) The step that faults has no events; its calls are counted by
//! replaying it. A deadlock is looked for with the steps of the language: reductions of the granularity see
//! one as soon as every thread would have to wait, before the threads have made the calls and the
//! private work that lead there; these are part of its cost.
//!
//! *Reductions.* Nodes are told apart by their canonical form, where the thread that moved last is renamed with the
//! others; executions themselves are kept as they are, so nothing has to be lifted. A node is dropped if
//! one with the same state and last thread and a smaller set (`Product::covers`) has been left before it,
//! which cost no more: whatever goes wrong later goes wrong there for the same further cost. Interval
//! tightening and private memory move work to neighbouring steps of the same thread and so add neither
//! calls nor switches.
//!
//! *Established by* brute force (`brute::cheapest` of the crate `testkit`): calls and switches of
//! histories, faults and deadlocks, with all and with some reductions; steps of histories and deadlocks
//! where the granularity is that of the language. The steps of a fault have no oracle: whether it
//! happens with an access or with the one before it is a matter of the interpreter.
//!
//! The space has to be looked at anew and in another order, so there is a limit; when it is reached, the witness of
//! the first search stays, and the report says that it is not known to be minimal.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use linchpin_engine::{Budget, Cover, Progress, Statistics, pack};
use linchpin_lts::{EventKind, Liveness, Outcome, Schedule, TransitionSystem, Turn};
use linchpin_model::Model;
use smallvec::SmallVec;

use crate::configurations::{EMPTY, SetId};
use crate::product::{Product, Violation, Worker};
use crate::reductions::Reductions;

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
    match violation {
        Violation::Deadlock => {
            let reductions = Reductions { tighten: false, private: false, ..product.reductions };
            let model = product.model.with_granularity(reductions.granularity());
            let Product { configurations, check_facts, .. } = *product;
            let finer = Product { model: &model, configurations, reductions, check_facts };
            cheapest(&finer, violation, most, budget)
        }
        _ => cheapest(product, violation, most, budget),
    }
}

fn cheapest(
    product: &Product<'_>,
    violation: &Violation,
    most: u64,
    budget: &Budget<'_>,
) -> Option<(Schedule, Cost)> {
    let mut worker = product.new_worker();
    let mut search = Search { nodes: Vec::new(), queue: Queue::new(), initial: Vec::new() };
    let set = match violation {
        Violation::History => product.configurations.initial().ok()?,
        _ => EMPTY,
    };
    let (mut count, mut wrong) = (0, None);
    product.model.initial(&mut worker.scratch, &mut |outcome| {
        match outcome {
            Outcome::Next { state, .. } => {
                search.initial.push(count);
                search.push(Node {
                    state: state.into(),
                    set,
                    last: NOBODY,
                    cost: Cost::default(),
                    parent: NOBODY,
                    turn: Turn { thread: NOBODY, choices: Vec::new(), length: 0 },
                });
            }
            Outcome::Fault(kind) if *violation == Violation::Fault(kind) => wrong = Some(count),
            Outcome::Fault(_) => {}
        }
        count += 1;
    });
    if let Some(initial) = wrong {
        return Some((Schedule { initial, turns: Vec::new() }, Cost::default()));
    }
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
        search.expand(product, &mut worker, index, violation)?;
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

    /// `None` if it cannot be done, which says nothing about what is minimal.
    fn expand(
        &mut self,
        product: &Product<'_>,
        worker: &mut Worker<'_>,
        index: u32,
        violation: &Violation,
    ) -> Option<()> {
        let Node { set, last, cost, .. } = self.nodes[index as usize];
        let state = std::mem::take(&mut self.nodes[index as usize].state);
        let Worker { scratch, memory, .. } = worker;
        let mut faults = Vec::new();
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
                        faults.push((cost, turn()));
                    }
                }
                Outcome::Next { state, events } => {
                    cost.calls +=
                        events.iter().filter(|e| e.kind == EventKind::Call).count() as u32;
                    let after = match violation {
                        Violation::History => product.after(memory, set, events),
                        _ => Ok(set),
                    };
                    match after {
                        Err(_) => {}
                        Ok(EMPTY) if *violation == Violation::History => {
                            self.end(index, cost, Some(turn()));
                        }
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
        for (mut cost, turn) in faults {
            cost.calls += self.calls_before_fault(product.model, index, &turn)?;
            self.end(index, cost, Some(turn));
        }
        let ends = match liveness {
            Liveness::Deadlock => *violation == Violation::Deadlock,
            Liveness::Finished => {
                *violation == Violation::History
                    && product.configurations.ends(memory, set) == Ok(false)
            }
            Liveness::Live => false,
        };
        if ends {
            self.end(index, cost, None);
        }
        Some(())
    }

    /// How many operations are called in a step from a node that ends with a fault.
    fn calls_before_fault(&self, model: &Model, index: u32, turn: &Turn) -> Option<u32> {
        let mut schedule = self.schedule(index);
        schedule.turns.push(turn.clone());
        let replay = model.replay(&schedule).ok()?;
        let last = replay.steps.last()?;
        Some(last.events.iter().filter(|e| e.kind == EventKind::Call).count() as u32)
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
