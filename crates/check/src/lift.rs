//! From a path of canonical nodes to a schedule of the object.
//!
//! The nodes of a search are canonical: threads, data and heap nodes have been renamed from step to
//! step. A witness must be a path of the object itself, so the path is walked again with concrete
//! states: from the current one take the first step whose canonical form is the next node. There
//! is one, because renaming is an isomorphism.

use linchpin_lts::{Liveness, Outcome, Schedule, Turn, TransitionSystem};

use crate::configurations::EMPTY;
use crate::linearizability::{Product, Violation, Worker};

/// The schedule behind a path, or `None` if the path cannot be walked (a defect of the checker).
pub(crate) fn lift(
    product: &Product<'_>,
    path: &[(Vec<u32>, u32)],
    violation: &Violation,
) -> Option<Schedule> {
    let mut worker = product.new_worker();
    let mut schedule = Schedule::default();
    let Some((first, rest)) = path.split_first() else {
        return Some(schedule);
    };
    let initial_set = product.configurations.initial().ok()?;
    let mut states = Vec::new();
    product.model.initial(&mut worker.scratch, &mut |outcome| {
        states.push(match outcome {
            Outcome::Next { state, .. } => Some(state.to_vec()),
            Outcome::Fault(_) => None,
        });
    });
    let (index, mut state) = states.into_iter().enumerate().find_map(|(i, state)| {
        let state = state?;
        is_node(product, &mut worker, &state, initial_set, first).then_some((i, state))
    })?;
    schedule.initial = index as u32;
    let mut set = initial_set;
    for node in rest {
        let mut steps = Vec::new();
        product.model.successors(&mut worker.scratch, &state, &mut |step| {
            if let Outcome::Next { state, events } = step.outcome {
                steps.push((turn(&step), state.to_vec(), events.clone()));
            }
        });
        let (turn, next, next_set) = steps.into_iter().find_map(|(turn, next, events)| {
            let after = product.after(&mut worker.memory, set, &events).ok()?;
            is_node(product, &mut worker, &next, after, node).then_some((turn, next, after))
        })?;
        schedule.turns.push(turn);
        (state, set) = (next, next_set);
    }
    let mut last = None;
    let mut steps = Vec::new();
    let liveness = product.model.successors(&mut worker.scratch, &state, &mut |step| {
        match step.outcome {
            Outcome::Fault(kind) if *violation == Violation::Fault(kind) => {
                last = last.take().or(Some(turn(&step)));
            }
            Outcome::Next { events, .. } => steps.push((turn(&step), events.clone())),
            Outcome::Fault(_) => {}
        }
    });
    match violation {
        Violation::Deadlock => return (liveness == Liveness::Deadlock).then_some(schedule),
        Violation::Fault(_) => {}
        Violation::NotLinearizable => {
            last = steps.into_iter().find_map(|(turn, events)| {
                (product.after(&mut worker.memory, set, &events) == Ok(EMPTY)).then_some(turn)
            });
        }
        Violation::Specification(fault) => {
            last = steps.into_iter().find_map(|(turn, events)| {
                (product.after(&mut worker.memory, set, &events).as_ref() == Err(fault))
                    .then_some(turn)
            });
        }
    }
    schedule.turns.push(last?);
    Some(schedule)
}

fn turn(step: &linchpin_lts::Step<'_>) -> Turn {
    Turn { thread: step.thread, choices: step.choices.to_vec(), length: step.length }
}

fn is_node<'m>(
    product: &Product<'m>,
    worker: &mut Worker<'m>,
    state: &[u32],
    set: u32,
    node: &(Vec<u32>, u32),
) -> bool {
    let (state, set) =
        product.canonical(&mut worker.memory, &mut worker.canonical, state, set);
    state == node.0 && set == node.1
}
