//! What can happen next in an execution of an object: for whoever chooses steps, at a prompt, at random or on a page.
//!
//! Steps are numbered from 0 in the order in which the unreduced model gives them, which is always the same. So an
//! execution is an initial state and numbers of steps, and everybody who chooses can repeat what another has chosen.

use linchpin_evidence::narrative::{Entry, Narrative};
use linchpin_lin::Model;
use linchpin_lts::{FaultKind, Liveness, Outcome, TransitionSystem, Turn};

/// A step that can be taken.
pub(crate) struct Possible {
    pub(crate) turn: Turn,
    /// Where it leads; `None`: to a fault.
    pub(crate) next: Option<Vec<u32>>,
}

/// What can happen in a state.
pub(crate) struct Steps {
    pub(crate) possible: Vec<Possible>,
    pub(crate) liveness: Liveness,
    /// Was a step left out because it is too long to be executed?
    pub(crate) given_up: bool,
}

impl Steps {
    /// Why there is no step, if there is none.
    pub(crate) fn end(&self) -> Option<&'static str> {
        match self.liveness {
            Liveness::Deadlock => Some("deadlock: no thread can go on"),
            _ if self.possible.is_empty() => Some("the end: no step is possible"),
            _ => None,
        }
    }
}

/// How many initial states there are.
pub(crate) fn initial_states(model: &Model) -> usize {
    let mut count = 0;
    model.initial(&mut model.scratch(), &mut |_| count += 1);
    count
}

/// The steps that are possible in a state.
pub(crate) fn steps(model: &Model, state: &[u32]) -> Steps {
    let (mut possible, mut given_up) = (Vec::new(), false);
    let liveness = model.successors(&mut model.scratch(), state, &mut |step| {
        let turn =
            Turn { thread: step.thread, choices: step.choices.to_vec(), length: step.length };
        let next = match step.outcome {
            Outcome::Next { state, .. } => Some(state.to_vec()),
            Outcome::Fault(FaultKind::TooLong | FaultKind::Stopped(_)) => return given_up = true,
            Outcome::Fault(_) => None,
        };
        possible.push(Possible { turn, next });
    });
    Steps { possible, liveness, given_up }
}

/// What was done in the last step of an execution.
pub(crate) fn last(narrative: &Narrative) -> &[Entry] {
    let entries = &narrative.entries;
    let last = entries.last().map_or(0, |e| e.step);
    let first = entries.iter().rposition(|e| e.step != last).map_or(0, |i| i + 1);
    &entries[first..]
}
