//! From a path of canonical nodes to a schedule of the object.
//!
//! The nodes of a search are canonical: threads, data and heap nodes have been renamed from step to
//! step. A witness must be a path of the object itself, so the path is walked again with concrete
//! states: take every step whose canonical state is that of the next node. Canonical states do not
//! depend on names, so the execution behind the path is among those followed; canonical *sets* can
//! (values that occur in a set only are numbered as they come), so sets are carried along but not
//! compared. Executions that agree in state, set and the thread that moved last can go on in the same
//! way for the same cost, so of these only the cheapest is followed, and the cheapest of all is the answer;
//! of several, the one in which the threads move in the order of their names.

use std::collections::HashMap;

use linchpin_engine::Canonical;
use linchpin_lin::Model;
use linchpin_lts::{EventKind, Events, Liveness, Outcome, Schedule, Step, TransitionSystem, Turn};

use crate::configurations::{EMPTY, Memory, Says, SetId};
use crate::cost::{Cost, NOBODY};
use crate::product::{Product, Violation, Worker};

/// What the nodes of a search keep of an execution besides its state.
pub(crate) struct Nodes<'p, 'm> {
    pub(crate) product: &'p Product<'m>,
    /// The set its history leads to; otherwise all sets are [`EMPTY`].
    pub(crate) sets: bool,
    /// The thread that moved last, in a slot after those of the state.
    pub(crate) last: bool,
}

impl<'m> Nodes<'_, 'm> {
    /// The set before any event.
    pub(crate) fn initial_set(&self) -> SetId {
        if self.sets { self.product.configurations.initial().0 } else { EMPTY }
    }

    /// The set after the events of a step; `None` if the history is refused.
    pub(crate) fn after(&self, memory: &mut Memory, set: SetId, events: &Events) -> Option<SetId> {
        if !self.sets {
            return Some(EMPTY);
        }
        let (set, _) = self.product.after(memory, set, events);
        (set != EMPTY).then_some(set)
    }

    /// Writes the slots of the node of an execution; gives its set.
    pub(crate) fn node(
        &self,
        (memory, canonical): (&mut Memory, &mut Canonical<'m>),
        state: &[u32],
        set: SetId,
        last: u32,
        slots: &mut Vec<u32>,
    ) -> SetId {
        let special = self.last.then_some(last);
        let (state, set, renamed) =
            self.product.canonical_with(memory, canonical, state, set, special);
        slots.clear();
        slots.extend_from_slice(state);
        slots.extend(special.map(|last| renamed.unwrap_or(last)));
        set
    }
}

/// An execution that may be the one behind the path.
struct Candidate {
    state: Vec<u32>,
    set: SetId,
    last: u32,
    cost: Cost,
    schedule: Schedule,
}

/// Executions that come first are preferred.
fn rank(schedule: &Schedule, cost: Cost) -> (Cost, Vec<u32>) {
    (cost, schedule.turns.iter().map(|turn| turn.thread).collect())
}

/// The cheapest schedule behind a path that ends with the violation, and its cost; `None` if the path
/// cannot be walked (a defect of the checker).
pub(crate) fn lift(
    nodes: &Nodes<'_, '_>,
    path: &[(Vec<u32>, u32)],
    violation: &Violation,
) -> Option<(Schedule, Cost)> {
    let mut worker = nodes.product.new_worker();
    let Some((first, rest)) = path.split_first() else {
        return wrong_initial(nodes.product.model, violation);
    };
    let set = nodes.initial_set();
    let mut candidates = Vec::new();
    let mut initial = 0;
    nodes.product.model.initial(&mut worker.scratch, &mut |outcome| {
        if let Outcome::Next { state, .. } = outcome {
            let (state, schedule) = (state.to_vec(), Schedule { initial, turns: Vec::new() });
            candidates.push(Candidate {
                state,
                set,
                last: NOBODY,
                cost: Cost::default(),
                schedule,
            });
        }
        initial += 1;
    });
    candidates.retain(|c| is_at(nodes, &mut worker, (&c.state, c.set, c.last), &first.0));
    for (node, _) in rest {
        let mut next: Vec<Candidate> = Vec::new();
        let mut places = HashMap::new();
        for candidate in &candidates {
            for (turn, state, events) in steps(nodes.product.model, &mut worker, &candidate.state) {
                let Some(set) = nodes.after(&mut worker.memory, candidate.set, &events) else {
                    continue;
                };
                let last = turn.thread;
                if !is_at(nodes, &mut worker, (&state, set, last), node) {
                    continue;
                }
                let step = Cost::of_step(calls(&events), last, candidate.last);
                let cost = candidate.cost + step;
                let mut schedule = candidate.schedule.clone();
                schedule.turns.push(turn);
                let place = *places.entry((state.clone(), set, last)).or_insert(next.len());
                let step = Candidate { state, set, last, cost, schedule };
                match next.get_mut(place) {
                    None => next.push(step),
                    Some(known) => {
                        if rank(&step.schedule, cost) < rank(&known.schedule, known.cost) {
                            *known = step;
                        }
                    }
                }
            }
        }
        candidates = next;
    }
    let ends = candidates.into_iter().filter_map(|c| last_step(nodes, &mut worker, c, violation));
    ends.min_by_key(|(schedule, cost)| rank(schedule, *cost))
}

/// The schedule without a step that shows a fault of the initialisation.
fn wrong_initial(model: &Model, violation: &Violation) -> Option<(Schedule, Cost)> {
    let (mut count, mut wrong) = (0, None);
    model.initial(&mut model.scratch(), &mut |outcome| {
        if let Outcome::Fault(kind) = outcome
            && *violation == Violation::Fault(kind)
        {
            wrong = wrong.or(Some(count));
        }
        count += 1;
    });
    wrong.map(|initial| (Schedule { initial, turns: Vec::new() }, Cost::default()))
}

/// The candidate with the cheapest step that shows the violation, if it has one.
fn last_step(
    nodes: &Nodes<'_, '_>,
    worker: &mut Worker<'_>,
    candidate: Candidate,
    violation: &Violation,
) -> Option<(Schedule, Cost)> {
    let Candidate { state, set, last, cost, mut schedule } = candidate;
    let model = nodes.product.model;
    let mut ends: Vec<(Turn, u32)> = Vec::new();
    match violation {
        Violation::Deadlock => {
            let liveness = model.successors(&mut worker.scratch, &state, &mut |_| {});
            return (liveness == Liveness::Deadlock).then_some((schedule, cost));
        }
        Violation::Fault(kind) => {
            model.successors(&mut worker.scratch, &state, &mut |step| {
                if matches!(step.outcome, Outcome::Fault(k) if k == *kind) {
                    ends.extend(calls_before_fault(model, &state, &step).map(|n| (turn(&step), n)));
                }
            });
        }
        // Not found by this search.
        Violation::Branching(_) | Violation::Endless { .. } | Violation::Temporal(_) => {}
        // The history may not end here, or not go on as it does.
        Violation::History if may_not_end(nodes.product, worker, &state, set) => {
            return Some((schedule, cost));
        }
        Violation::History => {
            for (turn, _, events) in steps(model, worker, &state) {
                if nodes.after(&mut worker.memory, set, &events).is_none() {
                    ends.push((turn, calls(&events)));
                }
            }
        }
    }
    let price = |(turn, calls): &(Turn, u32)| cost + Cost::of_step(*calls, turn.thread, last);
    let end = ends.into_iter().min_by_key(price)?;
    let cost = price(&end);
    schedule.turns.push(end.0);
    Some((schedule, cost))
}

/// Is everything done although the history may not end with this set, or something lost?
fn may_not_end(product: &Product<'_>, worker: &mut Worker<'_>, state: &[u32], set: SetId) -> bool {
    if product.model.leaks(state) {
        return true;
    }
    let liveness = product.model.successors(&mut worker.scratch, state, &mut |_| {});
    liveness == Liveness::Finished
        && product.configurations.ends(&mut worker.memory, set) == Says::No
}

/// The steps from a state that lead to states.
pub(crate) fn steps(
    model: &Model,
    worker: &mut Worker<'_>,
    state: &[u32],
) -> Vec<(Turn, Vec<u32>, Events)> {
    let mut steps = Vec::new();
    model.successors(&mut worker.scratch, state, &mut |step| {
        if let Outcome::Next { state, events } = step.outcome {
            steps.push((turn(&step), state.to_vec(), events.clone()));
        }
    });
    steps
}

/// How many operations are called.
pub(crate) fn calls(events: &Events) -> u32 {
    events.iter().filter(|e| e.kind == EventKind::Call).count() as u32
}

/// How many operations are called in a step from a state that ends with a fault, which has no events;
/// `None` if it cannot be taken (a defect of the checker).
pub(crate) fn calls_before_fault(model: &Model, state: &[u32], step: &Step<'_>) -> Option<u32> {
    let replay = model.replay_from(state.to_vec(), &[turn(step)]).ok()?;
    let events = &replay.steps.last()?.events;
    Some(events.iter().filter(|e| e.kind == EventKind::Call).count() as u32)
}

fn turn(step: &Step<'_>) -> Turn {
    Turn { thread: step.thread, choices: step.choices.to_vec(), length: step.length }
}

fn is_at<'m>(
    nodes: &Nodes<'_, 'm>,
    worker: &mut Worker<'m>,
    (state, set, last): (&[u32], SetId, u32),
    node: &[u32],
) -> bool {
    let Worker { memory, canonical, .. } = worker;
    let mut slots = Vec::new();
    nodes.node((memory, canonical), state, set, last, &mut slots);
    slots == node
}
