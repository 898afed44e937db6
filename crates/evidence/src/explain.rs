//! Why something is wrong, as data for whoever shows it.
//!
//! Everything a reader needs to understand a violation without running anything: the execution
//! (`narrative`), and the reason. Values are already texts (they go by type, which a renderer does
//! not know); the layout is the renderer's business.

use linchpin_lts::FaultKind;
use linchpin_model::Model;
use linchpin_model::display::display_value;
use linchpin_model::program::Condition;
use linchpin_model::specify::{AbstractState, Specification};

use crate::conditions::Refusal;
use crate::conditions::points::{Misplaced, words};
use crate::history::Operation;
use crate::judge::{Judged, Reason};
use crate::narrative::{self, Location, Narrative, narrate};
use crate::wing_gong::{Linearization, Refutation};

/// A violation explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What happened.
    pub narrative: Narrative,
    /// What is wrong about it.
    pub failure: Failure,
    /// Something else that a reader should know.
    pub remark: Option<String>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A response that no order of the operations explains.
    Response {
        /// The operation, an index into [`Narrative::operations`].
        operation: usize,
        /// Results that would have been right there, as far as they are known.
        allowed: Option<Vec<String>>,
        /// An order that explains everything before the response, if one is known.
        before: Option<Order>,
    },
    /// A history that is linearizable, but not at the points that the source marks.
    Points {
        /// The operation that is concerned, an index into [`Narrative::operations`].
        operation: Option<usize>,
        /// What is wrong about the points, in sentences.
        because: Vec<String>,
        /// An order that explains the history, if one is known.
        order: Option<Order>,
    },
    /// A history that does not satisfy a condition other than linearizability.
    Refused {
        /// The operation whose return made it so, an index into [`Narrative::operations`].
        operation: Option<usize>,
        /// Why, in sentences.
        because: Vec<String>,
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
    /// The operation, an index into [`Narrative::operations`].
    pub operation: usize,
    /// Its result; of an operation that has not returned, the one the specification gives.
    pub result: String,
    /// The state of the specification afterwards.
    pub state: String,
}

/// Explains a violation that the judge has confirmed. `source` is the text of the program.
pub fn explain(judged: &Judged, source: &str) -> Explanation {
    let operations = narrative::operations(&judged.history);
    Explanation {
        narrative: narrate(&judged.model, &judged.replay, source),
        failure: failure(judged, &operations, source),
        remark: remark(judged),
    }
}

/// A check of points can find out that it is not the points that are wrong.
fn remark(judged: &Judged) -> Option<String> {
    let points = judged.model.check().condition == Condition::Points;
    let object = matches!(judged.reason, Reason::NotLinearizable(_));
    (points && object).then(|| "The object is wrong, wherever its points are.".to_string())
}

fn failure(judged: &Judged, operations: &[Operation], source: &str) -> Failure {
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
        Reason::Misplaced(Misplaced { operation, mistake, order: explains }) => Failure::Points {
            operation: *operation,
            because: words(judged, operations, *operation, mistake, source),
            order: explains.as_ref().map(|l| order(&judged.model, operations, l)),
        },
        Reason::Refused(Refusal { operation, because }) => {
            Failure::Refused { operation: *operation, because: because.clone() }
        }
        Reason::Fault(fault) => Failure::Fault {
            kind: fault.kind,
            thread: fault.thread.map(|t| t + 1),
            at: Location::of(source, fault.statement, fault.expression),
        },
        Reason::Deadlock { waiting } => {
            let end = judged.replay.steps.last().map_or(&judged.replay.initial, |s| &s.state);
            let waiting = waiting.iter().map(|&t| {
                let (statement, expression) = judged.model.position(end, t).unwrap_or_default();
                (t + 1, Location::of(source, statement, expression))
            });
            Failure::Deadlock { waiting: waiting.collect() }
        }
    }
}

fn order(model: &Model, operations: &[Operation], linearization: &Linearization) -> Order {
    let program = model.program();
    let specification = Specification::of(program, model.check(), model.threads()).ok();
    let state = |values: &AbstractState| {
        specification.as_ref().map_or_else(String::new, |s| s.describe(values).join(", "))
    };
    let steps = linearization.steps.iter().map(|step| {
        let result = &model.object().unit.op(operations[step.operation].op).result;
        Placed {
            operation: step.operation,
            result: display_value(&step.result, result, program),
            state: state(&step.state),
        }
    });
    Order { initial: state(&linearization.initial), steps: steps.collect() }
}
