//! From a path of merged states to a schedule of the object.

use linchpin_engine::Taken;
use linchpin_lts::{FaultKind, LabelledSystem, Outcome, Schedule, Step, TransitionSystem, Turn};

use crate::threads::{Happening, Threads, Worker};

/// Walks along a path of merged states with states of the model itself.
pub(crate) struct Retrace<'m, 's> {
    system: &'s Threads<'m>,
    worker: Worker<'m>,
}

/// The schedule, how many turns it has after every step, and the fault it ends with.
pub(crate) type Retraced = (Schedule, Vec<usize>, Option<FaultKind>);

impl<'m, 's> Retrace<'m, 's> {
    pub(crate) fn new(system: &'s Threads<'m>) -> Self {
        Retrace { system, worker: system.scratch() }
    }

    /// The schedule behind a path from the beginning, or `None` if it cannot be walked (a defect of
    /// the checker). Merged states do the same up to names, so any step that leads to the right
    /// merged state by the right thread will do.
    pub(crate) fn walk(&mut self, path: &[Taken]) -> Option<Retraced> {
        let mut schedule = Schedule::default();
        let mut ends = vec![0];
        let model = self.system.model;
        let mut scratch = model.scratch();
        let mut state: Option<Vec<u32>> = None;
        for taken in path {
            let mut candidates = Vec::new();
            let mut faults = Vec::new();
            match &state {
                None => {
                    let mut number = 0;
                    model.initial(&mut scratch, &mut |outcome| {
                        match outcome {
                            Outcome::Next { state, .. } => {
                                candidates.push((number, None, state.to_vec(), Happening::Silent));
                            }
                            Outcome::Fault(kind) => faults.push((number, None, kind)),
                        }
                        number += 1;
                    });
                }
                Some(state) => {
                    let thread = taken.by.first().copied();
                    model.successors(&mut scratch, state, &mut |step| {
                        if Some(step.thread) != thread {
                            return;
                        }
                        match step.outcome {
                            Outcome::Next { state, events } => {
                                let seen = Threads::seen(events);
                                candidates.push((0, Some(turn(&step)), state.to_vec(), seen));
                            }
                            Outcome::Fault(kind) => faults.push((0, Some(turn(&step)), kind)),
                        }
                    });
                }
            }
            let happening = self.system.happening(taken.label);
            if happening == Happening::Fault {
                let (number, turn, kind) = faults.into_iter().next()?;
                if turn.is_none() {
                    schedule.initial = number;
                }
                schedule.turns.extend(turn);
                return Some((schedule, ends, Some(kind)));
            }
            let (number, turn, next, _) = candidates.into_iter().find(|(_, _, state, seen)| {
                *seen == happening && self.system.canonical(&mut self.worker, state) == taken.state
            })?;
            if turn.is_none() {
                schedule.initial = number;
            }
            schedule.turns.extend(turn);
            ends.push(schedule.turns.len());
            state = Some(next);
        }
        Some((schedule, ends, None))
    }
}

fn turn(step: &Step<'_>) -> Turn {
    Turn { thread: step.thread, choices: step.choices.to_vec(), length: step.length }
}
