//! What happened, as data for whoever shows it.
//!
//! Everything a reader needs to understand a violation without running anything: the operations as
//! intervals, the schedule with source lines and values, and the reason. Values are already texts
//! (they go by type, which a renderer does not know); the layout is the renderer's business.

use linchpin_lts::{EventKind, FaultKind};
use linchpin_model::display::{display_call, display_value};
use linchpin_model::program::Type;
use linchpin_model::replay::Action;
use linchpin_model::specify::AbstractState;
use linchpin_model::{Model, Span};

use crate::history::Operation;
use crate::judge::{Judged, Reason};
use crate::wing_gong::{Linearization, Refutation};

/// A violation explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// How many threads there are.
    pub threads: u32,
    /// The operations in the order of their calls.
    pub operations: Vec<Interval>,
    /// How many calls and returns there are.
    pub events: usize,
    /// What is wrong.
    pub failure: Failure,
    /// What was done, in order.
    pub schedule: Vec<Entry>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The thread, from 1.
    pub thread: u32,
    /// `push(a)`
    pub call: String,
    /// What it returned: `()` for an operation without result, `None` if it has not returned.
    pub result: Option<String>,
    /// Index of the call among the calls and returns.
    pub begin: usize,
    /// Index of the return.
    pub end: Option<usize>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A response that no order of the operations explains.
    Response {
        /// The operation, an index into [`Explanation::operations`].
        operation: usize,
        /// Results that would have been right there, as far as they are known.
        allowed: Option<Vec<String>>,
        /// An order that explains everything before the response, if one is known.
        before: Option<Order>,
    },
    /// A run-time error.
    Fault {
        /// Which.
        kind: FaultKind,
        /// The thread, from 1; `None` if it happened during initialisation.
        thread: Option<u32>,
        /// Where.
        at: Location,
    },
    /// Threads wait for ever.
    Deadlock {
        /// The threads, from 1, and where they wait.
        waiting: Vec<(u32, Location)>,
    },
}

/// A sequential execution of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The state of the specification at the beginning.
    pub initial: String,
    /// The operations in the order in which they take effect.
    pub steps: Vec<Placed>,
}

/// An operation taking effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The operation, an index into [`Explanation::operations`].
    pub operation: usize,
    /// Its result; of an operation that has not returned, the one the specification gives.
    pub result: String,
    /// The state of the specification afterwards.
    pub state: String,
}

/// A place in the source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The line, from 1.
    pub line: usize,
    /// The statement, as far as it is on that line.
    pub text: String,
}

/// Something a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The thread, from 1.
    pub thread: u32,
    /// Which step of the execution it is part of; an `atomic` block is one step.
    pub step: usize,
    /// Where.
    pub at: Location,
    /// What.
    pub deed: Deed,
}

/// What a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It called an operation, an index into [`Explanation::operations`].
    Call(usize),
    /// The operation returned.
    Return(usize),
    /// An access to shared memory.
    Access(Action),
    /// It went wrong.
    Fault(FaultKind),
}

/// Explains a violation that the judge has confirmed. `source` is the text of the program.
pub fn explain(judged: &Judged, source: &str) -> Explanation {
    // The judge has seen that the history is well-formed.
    let operations = judged.history.operations().unwrap_or_default();
    let text = Text { source };
    Explanation {
        threads: judged.model.threads(),
        operations: operations.iter().map(|o| interval(&judged.model, o)).collect(),
        events: judged.history.events().len(),
        failure: failure(judged, &operations, &text),
        schedule: schedule(judged, &operations, &text),
    }
}

fn interval(model: &Model, operation: &Operation) -> Interval {
    let proc = model.object().unit.op(operation.op);
    Interval {
        thread: operation.thread,
        call: display_call(proc, &operation.args, model.program()),
        result: operation
            .response
            .as_ref()
            .map(|r| display_value(&r.result, &proc.result, model.program())),
        begin: operation.call,
        end: operation.response.as_ref().map(|r| r.event),
    }
}

fn failure(judged: &Judged, operations: &[Operation], text: &Text<'_>) -> Failure {
    match &judged.reason {
        Reason::NotLinearizable(Refutation { operation, before, allowed, .. }) => {
            let ty = &judged.model.object().unit.op(operations[*operation].op).result;
            let show = |v| display_value(v, ty, judged.model.program());
            Failure::Response {
                operation: *operation,
                allowed: allowed.as_ref().map(|values| values.iter().map(show).collect()),
                before: before.as_ref().map(|l| order(&judged.model, operations, l)),
            }
        }
        Reason::Fault(fault) => Failure::Fault {
            kind: fault.kind,
            thread: fault.thread.map(|t| t + 1),
            at: text.location(fault.statement, fault.expression),
        },
        Reason::Deadlock { waiting } => {
            let end = judged.replay.steps.last().map_or(&judged.replay.initial, |s| &s.state);
            let waiting = waiting.iter().map(|&t| {
                let (statement, expression) = judged.model.position(end, t).unwrap_or_default();
                (t + 1, text.location(statement, expression))
            });
            Failure::Deadlock { waiting: waiting.collect() }
        }
    }
}

fn order(model: &Model, operations: &[Operation], linearization: &Linearization) -> Order {
    let program = model.program();
    let vars = &program.specs[model.check().spec.index()].unit.vars;
    let state = |values: &AbstractState| {
        let vars = vars.iter().zip(values).map(|(var, value)| {
            format!("{} = {}", var.name, display_value(value, &var.ty, program))
        });
        vars.collect::<Vec<_>>().join(", ")
    };
    let steps = linearization.steps.iter().map(|step| {
        let result: &Type = &model.object().unit.op(operations[step.operation].op).result;
        Placed {
            operation: step.operation,
            result: display_value(&step.result, result, program),
            state: state(&step.state),
        }
    });
    Order { initial: state(&linearization.initial), steps: steps.collect() }
}

fn schedule(judged: &Judged, operations: &[Operation], text: &Text<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut events = 0;
    for (step, replayed) in judged.replay.steps.iter().enumerate() {
        let thread = replayed.thread + 1;
        let mut push = |at, deed| entries.push(Entry { thread, step, at, deed });
        // Calls and returns come before the accesses of their step.
        for event in &replayed.events {
            let span = judged.model.object().unit.op(event.op).span;
            let at = text.location(span, span);
            let index = match event.kind {
                EventKind::Call => operations.iter().position(|o| o.call == events),
                EventKind::Return => operations
                    .iter()
                    .position(|o| o.response.as_ref().is_some_and(|r| r.event == events)),
            };
            events += 1;
            let Some(index) = index else { continue };
            push(
                at,
                match event.kind {
                    EventKind::Call => Deed::Call(index),
                    EventKind::Return => Deed::Return(index),
                },
            );
        }
        for action in &replayed.actions {
            let at = text.location(action.statement, action.expression);
            push(at, Deed::Access(action.clone()));
        }
    }
    if let Some(fault) = &judged.replay.fault {
        entries.push(Entry {
            thread: fault.thread.map_or(0, |t| t + 1),
            step: judged.replay.steps.len().saturating_sub(1),
            at: text.location(fault.statement, fault.expression),
            deed: Deed::Fault(fault.kind),
        });
    }
    entries
}

/// The source text, for looking up lines.
struct Text<'a> {
    source: &'a str,
}

impl Text<'_> {
    /// The line of the expression, and the statement as far as it is on that line.
    fn location(&self, statement: Span, expression: Span) -> Location {
        let at = (expression.start as usize).min(self.source.len());
        let before = self.source.as_bytes()[..at].iter();
        let line = before.clone().filter(|&&b| b == b'\n').count() + 1;
        let start = before.rev().position(|&b| b == b'\n').map_or(0, |n| at - n);
        let end = self.source[start..].find('\n').map_or(self.source.len(), |n| start + n);
        // A statement that is on this line is shown without what surrounds it.
        let (from, to) = (statement.start as usize, statement.end as usize);
        let text = if start <= from && to <= end { self.source.get(from..to) } else { None };
        let text = text.filter(|t| !t.is_empty()).unwrap_or(&self.source[start..end]);
        Location { line, text: text.trim().to_string() }
    }
}
