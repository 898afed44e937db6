//! External checking: the history is kept outside the state.
//!
//! *Method* (P. Doolan, G. Smith, C. Zhang, P. Krishnan, *Improving the scalability of automatic
//! linearizability checking in SPIN*, SPIN 2017, section 3): states are explored depth first, each once.
//! The history of the current path is known beside the search and handed to a checker of histories. What
//! follows a state that comes again is not looked at again, although it comes with another history: the
//! method finds violations and proves nothing (their Figures 7 to 9: `corpus/external_checking`).
//!
//! **Sound external checking** is left to the future there (section 5.1): at a repeated state the search
//! may stop if the new history *has a linearization in common* with the one that first led to the state.
//! *That is not enough.* In `corpus/external_checking/common_order.lin` a state is first reached by a
//! history in which `w1` and `w2` overlap, and then by one in which `w2` is before `w1`. The order `w2 w1`
//! is common to both. What the object returns next is explained by the order `w1 w2`, which only the first
//! history has, so the second one must not be left out; it is, and the error is missed (tested below).
//! `corpus/external_checking/lost_write.lin` does the same with two operations, one of them pending.
//! A common linearization says that some future is allowed after both. What is needed is that *every*
//! future that is allowed after the earlier history is allowed after the new one.
//!
//! *What is enough.* Let `C(h)` be the closed set of configurations after the history `h` (what the
//! specification may be like; `configurations`). If `h` leads to the state `s` with `C(h)`, all that can
//! follow depends on `s`, and whether it is wrong on `C(h)`: `h e` is linearizable iff some configuration
//! of `C(h)` leads to one after the events `e`. So if `C(g)` is contained in `C(h)`, every `e` that is
//! right after `g` is right after `h`, and `h` may stop at a state where `g` has been.
//! Proof that nothing is missed, cycles included: if the search ends without a violation, then for every
//! node `(s, C)` it has entered and every step to `(s', C')` it has entered some `(s', D)` with `D` within
//! `C'`, and `D` is not empty. By induction on its length every execution from the initial state to some
//! `s` has an entered `(s, D)` with `D` within the set of its history, which therefore is not empty.
//!
//! With that the method is refinement checking, searched depth first: containment in the one direction
//! is the antichain of `store`. (Containment the other way round, like one common element, is unsound.)
//!
//! *Departures.* A history is judged when it gets its last event (`histories`). Steps are as coarse as
//! elsewhere, and heaps are canonical; threads and values keep their names, for histories have them.
//! A violation is the first one on the way, not a shortest one.

use std::collections::HashMap;

use linchpin_engine::{Budget, Cover, Ending, Limit, Progress, Statistics, pack};
use linchpin_lts::{Liveness, Outcome, TransitionSystem};
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

use crate::histories::{Histories, HistoryId, NOTHING};
use crate::product::{Finding, Product, Violation, Worker};

/// When the search stops at a state that it has met before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pruning {
    /// Always.
    Always,
    /// If an earlier history leads to a subset of the configurations that the new one leads to.
    Contained,
    /// If the new history and the first one have a linearization in common.
    #[cfg(test)]
    Common,
}

/// So many nodes are entered between two looks at the budget.
const WATCH: u64 = 256;

/// Explores depth first.
pub(crate) fn explore(
    product: &Product<'_>,
    pruning: Pruning,
    budget: &Budget<'_>,
) -> (Ending<Finding>, Statistics) {
    let set = match product.configurations.initial() {
        Ok(set) => set,
        Err(fault) => {
            let violation = Finding::Specification(fault);
            return (Ending::Violation { path: Vec::new(), violation }, Statistics::default());
        }
    };
    let mut search = Search {
        product,
        pruning,
        worker: product.new_worker(),
        histories: Histories::new(set),
        met: HashMap::with_hasher(RandomState::new()),
        path: Vec::new(),
        statistics: Statistics::default(),
        bytes: 0,
        packed: Vec::new(),
    };
    let ending = search.run(budget);
    search.measure();
    (ending, search.statistics)
}

/// A state on the current path, with its history and the successors that are still to be looked at.
struct Place {
    state: Vec<u32>,
    todo: Vec<Node>,
}

/// A state with a history.
type Node = (Vec<u32>, HistoryId);

struct Search<'p, 'm> {
    product: &'p Product<'m>,
    pruning: Pruning,
    worker: Worker<'m>,
    histories: Histories,
    /// The states met, packed, with the histories that were not left out.
    met: HashMap<Box<[u8]>, SmallVec<[HistoryId; 1]>, RandomState>,
    path: Vec<Place>,
    statistics: Statistics,
    bytes: usize,
    packed: Vec<u8>,
}

impl Search<'_, '_> {
    fn run(&mut self, budget: &Budget<'_>) -> Ending<Finding> {
        let (mut initial, fault) = self.initial();
        if let Some(violation) = fault {
            return Ending::Violation { path: Vec::new(), violation };
        }
        loop {
            let next = match self.path.last_mut() {
                Some(place) => place.todo.pop(),
                None => match initial.pop() {
                    Some(node) => Some(node),
                    None => return Ending::Exhausted,
                },
            };
            let Some((state, history)) = next else {
                self.path.pop();
                continue;
            };
            if !self.enter(&state, history) {
                continue;
            }
            let (todo, violation) = self.expand(&state, history);
            self.path.push(Place { state, todo });
            self.statistics.depth = self.statistics.depth.max(self.path.len() as u32 - 1);
            if let Some(violation) = violation {
                let path = self.path.iter().map(|p| (p.state.clone(), 0)).collect();
                return Ending::Violation { path, violation };
            }
            if self.statistics.nodes.is_multiple_of(WATCH) {
                self.measure();
                let frontier = self.path.iter().map(|p| p.todo.len() as u64).sum();
                let progress = Progress { statistics: self.statistics, frontier };
                if let Some(limit) = budget.exceeded(&progress) {
                    return Ending::Stopped(limit);
                }
            }
        }
    }

    /// The initial nodes, the first one last.
    fn initial(&mut self) -> (Vec<Node>, Option<Finding>) {
        let set = self.histories.set(NOTHING);
        let Worker { scratch, memory, canonical } = &mut self.worker;
        let (mut nodes, mut violation) = (Vec::new(), None);
        self.product.model.initial(scratch, &mut |outcome| match outcome {
            Outcome::Fault(kind) => {
                violation = Some(Finding::Violation(Violation::Fault(kind)));
            }
            Outcome::Next { state, .. } => {
                let (state, _) = self.product.canonical(memory, canonical, state, set);
                nodes.push((state.to_vec(), NOTHING));
            }
        });
        nodes.reverse();
        (nodes, violation)
    }

    /// Notes a node; false if it is left out.
    fn enter(&mut self, state: &[u32], history: HistoryId) -> bool {
        pack(state, &mut self.packed);
        if let Some(earlier) = self.met.get(&*self.packed) {
            let left_out = match self.pruning {
                Pruning::Always => true,
                Pruning::Contained => {
                    let set = self.histories.set(history);
                    earlier.iter().any(|&h| {
                        let before = self.histories.set(h);
                        before == set || self.product.covers(before, set)
                    })
                }
                #[cfg(test)]
                Pruning::Common => {
                    tests::in_common(self.product, &self.histories, earlier[0], history)
                }
            };
            if left_out {
                return false;
            }
        }
        match self.met.get_mut(&*self.packed) {
            Some(earlier) => earlier.push(history),
            None => {
                self.bytes += self.packed.len() + 64;
                let history = SmallVec::from_elem(history, 1);
                self.met.insert(self.packed.clone().into_boxed_slice(), history);
                self.statistics.states += 1;
            }
        }
        self.statistics.nodes += 1;
        self.bytes += 4;
        true
    }

    /// The successors of a node, the first one last, or the first thing that is wrong.
    fn expand(&mut self, state: &[u32], history: HistoryId) -> (Vec<Node>, Option<Finding>) {
        let (product, histories) = (self.product, &self.histories);
        let Worker { scratch, memory, canonical } = &mut self.worker;
        let mut nodes = Vec::new();
        let mut wrong = product.broken_fact(state);
        let transitions = &mut self.statistics.transitions;
        let liveness = product.model.successors(scratch, state, &mut |step| {
            *transitions += 1;
            if wrong.is_some() {
                return;
            }
            match step.outcome {
                Outcome::Fault(kind) => {
                    wrong = Some(Finding::Violation(Violation::Fault(kind)));
                }
                Outcome::Next { state, events } => {
                    match histories.after(product, memory, history, events) {
                        Err(fault) => wrong = Some(Finding::Specification(fault)),
                        Ok(None) => wrong = Some(Finding::Violation(Violation::History)),
                        Ok(Some(history)) => {
                            let set = histories.set(history);
                            let (state, _) = product.canonical(memory, canonical, state, set);
                            nodes.push((state.to_vec(), history));
                        }
                    }
                }
            }
        });
        if liveness == Liveness::Deadlock && wrong.is_none() {
            wrong = Some(Finding::Violation(Violation::Deadlock));
        }
        nodes.reverse();
        (nodes, wrong)
    }

    fn measure(&mut self) {
        let open: usize =
            self.path.iter().map(|p| 48 + p.state.len() * 4 * (1 + p.todo.len())).sum();
        let tables = self.histories.bytes() + self.product.configurations.bytes();
        let memory = (self.bytes + open + tables) as u64;
        self.statistics.memory = self.statistics.memory.max(memory);
        self.statistics.widest = self.statistics.widest.max(self.path.len() as u64);
    }
}

/// Nothing was found, but not everything was looked at.
pub(crate) fn nothing_found(ending: Ending<Finding>) -> Ending<Finding> {
    match ending {
        Ending::Exhausted => Ending::Stopped(Limit::Method),
        other => other,
    }
}

#[cfg(test)]
mod tests;
