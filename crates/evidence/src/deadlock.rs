//! Is there a way from here to a deadlock?
//!
//! A search with reductions reports a deadlock as soon as no thread can *access* anything any more.
//! In the unreduced model the threads can still call an operation and do private work before they
//! wait, so the deadlock is a few steps further on. They are found by a bounded search.

use std::collections::{HashSet, VecDeque};

use linchpin_lin::Model;
use linchpin_lts::{Liveness, Outcome, Schedule, TransitionSystem, Turn};

/// Most states to look at.
const BOUND: usize = 200_000;

/// A state, and the step that found it: from which of the found states, which turn.
struct Found {
    state: Vec<u32>,
    by: Option<(usize, Turn)>,
}

/// The shortest extension of a schedule that leads from `state`, where the schedule ends, to a
/// state without steps in which some thread waits. `None`: not found within the bound.
pub(crate) fn extension(model: &Model, state: &[u32], schedule: &Schedule) -> Option<Schedule> {
    let mut scratch = model.scratch();
    let mut seen = HashSet::from([state.to_vec()]);
    let mut found = vec![Found { state: state.to_vec(), by: None }];
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        if model.watch().over_at(at).is_some() {
            return None;
        }
        let here = found[at].state.clone();
        let liveness = model.successors(&mut scratch, &here, &mut |step| {
            if let Outcome::Next { state, .. } = step.outcome
                && found.len() < BOUND
                && !seen.contains(state)
            {
                seen.insert(state.to_vec());
                let turn = Turn {
                    thread: step.thread,
                    choices: step.choices.to_vec(),
                    length: step.length,
                };
                queue.push_back(found.len());
                found.push(Found { state: state.to_vec(), by: Some((at, turn)) });
            }
        });
        if liveness == Liveness::Deadlock {
            let mut turns = Vec::new();
            let mut at = at;
            while let Some((from, turn)) = &found[at].by {
                turns.push(turn.clone());
                at = *from;
            }
            let mut schedule = schedule.clone();
            schedule.turns.extend(turns.into_iter().rev());
            return Some(schedule);
        }
    }
    None
}
