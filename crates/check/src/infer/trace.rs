//! An execution with the candidates it passes.

use linchpin_lin::program::OpId;
use linchpin_lin::{Model, Span, Value};
use linchpin_lts::{EventKind, Schedule};

/// What happens in an execution, in order.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    /// A thread (from 0) calls.
    Call(usize, OpId, Vec<Value>),
    /// A thread returns.
    Return(usize, Value),
    /// A candidate, by index, for the operation of a thread; `None` is no thread.
    Candidate(Option<usize>, usize),
    /// A step of the unreduced model ends.
    Step,
}

/// An execution.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub(super) happenings: Vec<Happening>,
}

impl Trace {
    /// The execution of a schedule in the unreduced model with all candidates.
    pub(super) fn of(model: &Model, schedule: &Schedule, candidates: &[Span]) -> Option<Trace> {
        let replay = model.replay(schedule).ok()?;
        let threads = model.threads() as usize;
        let mut happenings = Vec::new();
        for step in &replay.steps {
            for event in &step.events {
                let thread = event.thread as usize;
                happenings.push(match event.kind {
                    EventKind::Call => Happening::Call(thread, event.op, event.values.clone()),
                    EventKind::Return => {
                        let result = event.values.first().cloned().unwrap_or(Value::Unit);
                        Happening::Return(thread, result)
                    }
                    EventKind::Point => {
                        let candidate = candidates.iter().position(|c| *c == event.statement)?;
                        Happening::Candidate((thread < threads).then_some(thread), candidate)
                    }
                });
            }
            happenings.push(Happening::Step);
        }
        Some(Trace { happenings })
    }
}
