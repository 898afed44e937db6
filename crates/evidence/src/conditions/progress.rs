//! Judging a lack of progress: turns that can be taken for ever, without the returns there should be.
//!
//! The turns are executed in the unreduced model. They lead back to a state that differs from the one
//! they begin in by names only, so they can be taken again, and again. Variables that are not
//! needed any more would hide that; both states are taken from the execution in which they are reset,
//! which is otherwise the same.

use linchpin_lin::program::Condition;
use linchpin_lin::{Granularity, Model};
use linchpin_lts::{EventKind, Schedule, TransitionSystem, Turn};

use crate::judge::{Disagreement, history};
use crate::same::same_up_to_names;

/// Decides that an execution goes on as claimed, and that this violates the condition of the model's
/// check. Gives the whole schedule and the first step of what repeats itself.
///
/// # Errors
/// If it does not.
pub(crate) fn refuse(
    model: &Model,
    schedule: &Schedule,
    cycle: &[Turn],
    thread: u32,
) -> Result<(Schedule, usize), Disagreement> {
    let no = |why: &'static str| Err(Disagreement::Progress(why));
    let mut whole = schedule.clone();
    whole.turns.extend_from_slice(cycle);
    let replay = model.replay(&whole).map_err(Disagreement::Replay)?;
    let before = |turn: usize| turn < schedule.turns.len();
    let from = replay.steps.iter().filter(|s| before(s.turn)).count();
    if cycle.is_empty() {
        let end = replay.steps.last().map_or(&replay.initial, |s| &s.state);
        let operations = history(&replay).operations().unwrap_or_default();
        let pending = |t: u32| operations.iter().any(|o| o.thread == t + 1 && o.response.is_none());
        return match thread < model.threads()
            && pending(thread)
            && model.waits(&mut model.scratch(), end, thread)
        {
            true => Ok((whole, from)),
            false => no("the thread does not wait in an operation"),
        };
    }
    if !leads_back(model, &whole, from)? {
        return no("the turns do not lead back to where they begin");
    }
    let around = &replay.steps[from..];
    let returns = |of: Option<u32>| {
        around.iter().any(|step| {
            of.is_none_or(|t| step.thread == t)
                && step.events.iter().any(|e| e.kind == EventKind::Return)
        })
    };
    let moves = |t: u32| around.iter().any(|step| step.thread == t);
    match model.check().condition {
        Condition::LockFree if returns(None) => no("an operation returns"),
        Condition::WaitFree if !moves(thread) => no("the thread takes no step"),
        Condition::WaitFree if returns(Some(thread)) => no("the operation of the thread returns"),
        Condition::ObstructionFree if returns(None) => no("the operation returns"),
        Condition::ObstructionFree if around.iter().any(|s| s.thread != thread) => {
            no("the thread does not run alone")
        }
        Condition::LockFree | Condition::WaitFree | Condition::ObstructionFree => Ok((whole, from)),
        _ => no("the condition is not about progress"),
    }
}

/// Does a schedule end in the state in which its step `from` begins, up to names?
pub(super) fn leads_back(
    model: &Model,
    whole: &Schedule,
    from: usize,
) -> Result<bool, Disagreement> {
    let reset = Granularity { dead: true, ..Granularity::UNREDUCED };
    let replay = model.with_granularity(reset).replay(whole).map_err(Disagreement::Replay)?;
    let state = |steps: usize| match steps {
        0 => &replay.initial,
        n => &replay.steps[n - 1].state,
    };
    let end = replay.steps.len();
    Ok(from < end && same_up_to_names(model.layout(), state(from), state(end)))
}
