//! Judging an execution by a formula: from the definition, in the unreduced model.
//!
//! A position of the word is a step with its call or return, if it has one; what comes after the
//! schedule is a cycle of turns, silence, or anything. That a cycle leads back to where it begins is
//! decided as for progress, fairness by what every thread can do in the states of the cycle.

use linchpin_formula::{Atom, holds_on_lasso, violated_by_prefix};
use linchpin_lin::Model;
use linchpin_lin::program::{Temporal, ThreadFairness};
use linchpin_lin::replay::{Replay, ReplayEvent};
use linchpin_lts::{EventKind, Liveness, Schedule, TransitionSystem, Turn};

use super::progress::leads_back;
use crate::judge::Disagreement;

/// Decides that an execution violates the formula. Gives the whole schedule, and the first step of what
/// repeats itself.
///
/// # Errors
/// If it does not.
pub(crate) fn refuse(
    model: &Model,
    temporal: &Temporal,
    schedule: &Schedule,
    tail: Option<&[Turn]>,
) -> Result<(Schedule, usize), Disagreement> {
    let no = |why: &'static str| Err(Disagreement::Progress(why));
    let mut whole = schedule.clone();
    whole.turns.extend_from_slice(tail.unwrap_or_default());
    let replay = model.replay(&whole).map_err(Disagreement::Replay)?;
    let steps = replay.steps.len();
    let from = replay.steps.iter().filter(|s| s.turn < schedule.turns.len()).count();
    // Position 0 is the initial state; the one after the last step is silence.
    let holds = |position: usize, atom: &Atom| match atom {
        Atom::Condition(_) => false,
        Atom::Event(name) => {
            let step = position.checked_sub(1).and_then(|i| replay.steps.get(i));
            step.is_some_and(|s| s.events.iter().any(|e| is_called(model, e, s.thread, name)))
        }
    };
    let formula = &temporal.formula;
    let violated = match tail {
        None => violated_by_prefix(formula, steps + 1, &holds),
        Some([]) if !ends(model, &replay) => return no("the execution can go on"),
        Some([]) => !holds_on_lasso(formula, steps + 2, steps + 1, &holds),
        Some(_) if !leads_back(model, &whole, from)? => {
            return no("the turns do not lead back to where they begin");
        }
        Some(_) if !is_fair(model, temporal.fairness, &replay, from) => {
            return no("the execution is not fair");
        }
        Some(_) => !holds_on_lasso(formula, steps + 1, from + 1, &holds),
    };
    match violated {
        true => Ok((whole, from)),
        false => no("the execution satisfies the formula"),
    }
}

/// Is the event one that a formula calls so: `call`, `return.push`, `T1.call.push`?
fn is_called(model: &Model, event: &ReplayEvent, thread: u32, name: &str) -> bool {
    let kind = match event.kind {
        EventKind::Call => "call",
        EventKind::Return => "return",
        EventKind::Point => return false,
    };
    let op = &model.object().unit.op(event.op).name;
    let short = [kind.to_string(), format!("{kind}.{op}")];
    let thread = format!("T{}", thread + 1);
    short.iter().any(|short| name == *short || name == format!("{thread}.{short}"))
}

/// Have all threads finished, or do they wait?
fn ends(model: &Model, replay: &Replay) -> bool {
    let state = replay.steps.last().map_or(&replay.initial, |s| &s.state);
    let mut possible = false;
    let liveness = model.successors(&mut model.scratch(), state, &mut |_| possible = true);
    !possible && liveness != Liveness::Live
}

/// Is the cycle from a step on fair to every thread?
fn is_fair(model: &Model, fairness: ThreadFairness, replay: &Replay, from: usize) -> bool {
    let mut scratch = model.scratch();
    let threads = model.threads() as usize;
    let (mut always, mut sometimes) = (vec![true; threads], vec![false; threads]);
    let mut moves = vec![false; threads];
    for step in from..replay.steps.len() {
        let before = match step {
            0 => &replay.initial,
            n => &replay.steps[n - 1].state,
        };
        let mut enabled = vec![false; threads];
        model.successors(&mut scratch, before, &mut |s| enabled[s.thread as usize] = true);
        for thread in 0..threads {
            always[thread] &= enabled[thread];
            sometimes[thread] |= enabled[thread];
        }
        moves[replay.steps[step].thread as usize] = true;
    }
    (0..threads).all(|t| match fairness {
        ThreadFairness::None => true,
        ThreadFairness::Weak => moves[t] || !always[t],
        ThreadFairness::Strong => moves[t] || !sometimes[t],
    })
}
