//! From a path of canonical nodes to a schedule of the object.
//!
//! The nodes of a search are canonical: threads, data and heap nodes have been renamed from step to
//! step. A witness must be a path of the object itself, so the path is walked again with concrete
//! states: take every step whose canonical state is that of the next node. Canonical states do not
//! depend on names, so the execution behind the path is among those followed; canonical *sets* can
//! (values that occur in a set only are numbered as they come), so sets are carried along but not
//! compared. Executions that agree in state and set are followed once.

use std::collections::HashSet;

use linchpin_lts::{Liveness, Outcome, Schedule, TransitionSystem, Turn};

use crate::configurations::{EMPTY, SetId};
use crate::product::{Product, Violation, Worker};

/// An execution that may be the one behind the path.
struct Candidate {
    state: Vec<u32>,
    set: SetId,
    schedule: Schedule,
}

/// The schedule behind a path, or `None` if the path cannot be walked (a defect of the checker).
pub(crate) fn lift(
    product: &Product<'_>,
    path: &[(Vec<u32>, u32)],
    violation: &Violation,
) -> Option<Schedule> {
    let mut worker = product.new_worker();
    let Some((first, rest)) = path.split_first() else {
        return wrong_initial(product, &mut worker, violation);
    };
    let set = product.configurations.initial().ok()?;
    let mut candidates = Vec::new();
    product.model.initial(&mut worker.scratch, &mut |outcome| {
        let initial = candidates.len() as u32;
        let state = match outcome {
            Outcome::Next { state, .. } => state.to_vec(),
            Outcome::Fault(_) => Vec::new(),
        };
        candidates.push(Candidate {
            state,
            set,
            schedule: Schedule { initial, turns: Vec::new() },
        });
    });
    candidates.retain(|c| !c.state.is_empty() && is_at(product, &mut worker, c, &first.0));
    for (node, _) in rest {
        let mut next = Vec::new();
        let mut seen = HashSet::new();
        for candidate in &candidates {
            for (turn, state, events) in steps(product, &mut worker, &candidate.state) {
                let Ok(set) = product.after(&mut worker.memory, candidate.set, &events) else {
                    continue;
                };
                let mut step = Candidate { state, set, schedule: Schedule::default() };
                if set != EMPTY
                    && is_at(product, &mut worker, &step, node)
                    && seen.insert((step.state.clone(), set))
                {
                    step.schedule.clone_from(&candidate.schedule);
                    step.schedule.turns.push(turn);
                    next.push(step);
                }
            }
        }
        candidates = next;
    }
    candidates.into_iter().find_map(|c| last_step(product, &mut worker, c, violation))
}

/// The schedule without a step that shows a fault of the initialisation.
fn wrong_initial(
    product: &Product<'_>,
    worker: &mut Worker<'_>,
    violation: &Violation,
) -> Option<Schedule> {
    let (mut count, mut wrong) = (0, None);
    product.model.initial(&mut worker.scratch, &mut |outcome| {
        if let Outcome::Fault(kind) = outcome
            && *violation == Violation::Fault(kind)
        {
            wrong = wrong.or(Some(count));
        }
        count += 1;
    });
    wrong.map(|initial| Schedule { initial, turns: Vec::new() })
}

/// The candidate with the step that shows the violation, if it has one.
fn last_step(
    product: &Product<'_>,
    worker: &mut Worker<'_>,
    candidate: Candidate,
    violation: &Violation,
) -> Option<Schedule> {
    let Candidate { state, set, mut schedule } = candidate;
    let last = match violation {
        Violation::Deadlock => {
            let liveness = product.model.successors(&mut worker.scratch, &state, &mut |_| {});
            return (liveness == Liveness::Deadlock).then_some(schedule);
        }
        Violation::Fault(kind) => {
            let mut last = None;
            product.model.successors(&mut worker.scratch, &state, &mut |step| {
                if matches!(step.outcome, Outcome::Fault(k) if k == *kind) && last.is_none() {
                    last = Some(turn(&step));
                }
            });
            last
        }
        // Not found by this search.
        Violation::Branching(_) | Violation::Endless { .. } | Violation::Temporal(_) => None,
        // The history may not end here, or not go on as it does.
        Violation::History if may_not_end(product, worker, &state, set) => return Some(schedule),
        Violation::History => {
            steps(product, worker, &state).into_iter().find_map(|(turn, _, events)| {
                let after = product.after(&mut worker.memory, set, &events);
                (after == Ok(EMPTY)).then_some(turn)
            })
        }
    };
    schedule.turns.push(last?);
    Some(schedule)
}

/// Is everything done although the history may not end with this set?
fn may_not_end(product: &Product<'_>, worker: &mut Worker<'_>, state: &[u32], set: SetId) -> bool {
    let liveness = product.model.successors(&mut worker.scratch, state, &mut |_| {});
    liveness == Liveness::Finished
        && product.configurations.ends(&mut worker.memory, set) == Ok(false)
}

/// The steps from a state that lead to states.
fn steps(
    product: &Product<'_>,
    worker: &mut Worker<'_>,
    state: &[u32],
) -> Vec<(Turn, Vec<u32>, linchpin_lts::Events)> {
    let mut steps = Vec::new();
    product.model.successors(&mut worker.scratch, state, &mut |step| {
        if let Outcome::Next { state, events } = step.outcome {
            steps.push((turn(&step), state.to_vec(), events.clone()));
        }
    });
    steps
}

fn turn(step: &linchpin_lts::Step<'_>) -> Turn {
    Turn { thread: step.thread, choices: step.choices.to_vec(), length: step.length }
}

fn is_at<'m>(
    product: &Product<'m>,
    worker: &mut Worker<'m>,
    candidate: &Candidate,
    node: &[u32],
) -> bool {
    let Worker { memory, canonical, .. } = worker;
    product.canonical(memory, canonical, &candidate.state, candidate.set).0 == node
}
