//! Why something is wrong, as data for whoever shows it.
//!
//! Everything a reader needs to understand a violation without running anything: the execution
//! (`narrative`), and the reason. Values are already texts (they go by type, which a renderer does
//! not know); the layout is the renderer's business.

use linchpin_lin::display::{display_call, display_value};
use linchpin_lin::program::{Condition, OpId};
use linchpin_lin::specify::AbstractState;
use linchpin_lin::{Files, Model, Value};
use linchpin_lts::{FaultKind, Schedule};

use crate::conditions::points::{Misplaced, words};
use crate::conditions::{Branching, Refusal, Stretched};
use crate::film::{Frame, film};
use crate::history::Operation;
use crate::judge::{Judged, Reason};
use crate::narrative::{self, Location, Narrative, narrate};
use crate::why::{self, Obstacle};
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
    /// Memory before the first step and after every step.
    pub film: Vec<Frame>,
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
        /// The longest orders of everything up to the response, and why they cannot go on.
        attempts: Vec<Attempt>,
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
        /// An order that would explain it if a factor were larger.
        stretched: Option<Stretched>,
    },
    /// No order of the operations can be decided on and kept.
    Branching {
        /// Why, in sentences.
        because: Vec<String>,
        /// Ways to go on that refute every order together.
        continuations: Vec<Continued>,
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
        /// Who waits for whom.
        locks: Vec<Awaited>,
    },
    /// An operation never returns although it should.
    Endless {
        /// The operation, an index into [`Narrative::operations`].
        operation: Option<usize>,
        /// Why, in sentences.
        because: Vec<String>,
        /// The first of the [`Narrative::entries`] that repeat themselves; none, if it waits.
        from: Option<usize>,
    },
}

/// A lock that a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The thread, from 1.
    pub thread: u32,
    /// The lock: `A`, `n1.lock`.
    pub lock: String,
    /// The thread that holds it, from 1; perhaps the same.
    pub holder: u32,
}

/// A way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continued {
    /// The whole execution.
    pub narrative: Narrative,
    /// How many of its entries come before.
    pub after: usize,
    /// The orders of what comes before that are still possible: operations with results.
    pub leaves: Vec<Vec<String>>,
    /// The schedule of the whole execution.
    pub schedule: Schedule,
}

/// An order that places as many operations as possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The order.
    pub order: Order,
    /// The operations without a place, indices into [`Narrative::operations`], and why none of them
    /// can be next.
    pub stuck: Vec<(usize, String)>,
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
pub fn explain(judged: &Judged, source: &Files) -> Explanation {
    let operations = narrative::operations(&judged.history);
    let mut narrative = narrate(&judged.model, &judged.replay, source);
    let mut failure = failure(judged, &operations, source);
    if let Failure::Endless { from: Some(from), .. } = &mut failure {
        // Steps became entries. What repeats itself is shown as it is.
        let first = narrative.entries.iter().position(|e| e.step >= *from && e.thread > 0);
        *from = first.unwrap_or(narrative.entries.len());
        narrative.entries[*from..].iter_mut().for_each(|entry| entry.alone = false);
    }
    Explanation {
        narrative,
        failure,
        remark: remark(judged),
        film: film(&judged.model, &judged.replay, source),
    }
}

/// A check of points can find out that it is not the points that are wrong.
fn remark(judged: &Judged) -> Option<String> {
    let points = judged.model.check().condition == Condition::Points;
    let object = matches!(judged.reason, Reason::NotLinearizable(_));
    (points && object).then(|| "The object is wrong, wherever its points are.".to_string())
}

fn failure(judged: &Judged, operations: &[Operation], source: &Files) -> Failure {
    match &judged.reason {
        Reason::NotLinearizable(Refutation { operation, before, allowed, event }) => {
            let ty = &judged.model.object().unit.op(operations[*operation].op).result;
            let show = |v| display_value(v, ty, judged.model.program());
            Failure::Response {
                operation: *operation,
                allowed: allowed.as_ref().map(|values| values.iter().map(show).collect()),
                before: before.as_ref().map(|l| order(&judged.model, operations, l)),
                attempts: attempts(&judged.model, operations, *event),
            }
        }
        Reason::Misplaced(Misplaced { operation, mistake, order: explains }) => Failure::Points {
            operation: *operation,
            because: words(judged, operations, *operation, mistake, source),
            order: explains.as_ref().map(|l| order(&judged.model, operations, l)),
        },
        Reason::Refused(Refusal { operation, because, stretched }) => Failure::Refused {
            operation: *operation,
            because: because.clone(),
            stretched: stretched.clone(),
        },
        Reason::Branching(branching) => self::branching(judged, branching, source),
        Reason::Fault(fault) => Failure::Fault {
            kind: fault.kind,
            thread: fault.thread.map(|t| t + 1),
            at: Location::of(source, fault.statement, fault.expression),
        },
        Reason::Deadlock { waiting } => {
            let end = judged.replay.steps.last().map_or(&judged.replay.initial, |s| &s.state);
            let places = waiting.iter().map(|&t| {
                let (statement, expression) = judged.model.position(end, t).unwrap_or_default();
                (t + 1, Location::of(source, statement, expression))
            });
            let locks = waiting.iter().filter_map(|&t| {
                let (lock, holder) = judged.model.awaited(end, t)?;
                Some(Awaited { thread: t + 1, lock, holder: holder + 1 })
            });
            Failure::Deadlock { waiting: places.collect(), locks: locks.collect() }
        }
        Reason::Endless { from, thread } => endless(judged, operations, *from, *thread, source),
        Reason::Temporal { from, already } => temporal(judged, *from, *already),
    }
}

/// What a formula does not allow.
fn temporal(judged: &Judged, from: usize, already: bool) -> Failure {
    let text = match &judged.model.check().condition {
        Condition::Ltl(temporal) => temporal.text.as_str(),
        _ => "",
    };
    let repeats = !already && from < judged.replay.steps.len();
    let why = match (already, repeats) {
        (true, _) => "Whatever happens later, that remains so.",
        (_, true) => {
            "What is marked below leads back to where it begins: it can happen again and again."
        }
        _ => "Nothing happens any more.",
    };
    let because = vec![format!("The execution does not satisfy {text}"), why.to_string()];
    Failure::Endless { operation: None, because, from: repeats.then_some(from) }
}

/// What never ends.
fn endless(
    judged: &Judged,
    operations: &[Operation],
    from: usize,
    thread: u32,
    source: &Files,
) -> Failure {
    let model = &judged.model;
    let pending = |o: &Operation| o.thread == thread + 1 && o.response.is_none();
    let operation = operations.iter().position(pending);
    let call = operation.map_or("its operation".to_string(), |i| {
        let Operation { op, args, .. } = &operations[i];
        display_call(model.object().unit.op(*op), args, model.program())
    });
    let name = format!("T{}", thread + 1);
    let around = &judged.replay.steps[from..];
    if around.is_empty() {
        let end = judged.replay.steps.last().map_or(&judged.replay.initial, |s| &s.state);
        let (statement, expression) = model.position(end, thread).unwrap_or_default();
        let at = Location::of(source, statement, expression);
        let because = vec![
            format!("{name} waits in {}: {}", at.words(), at.text),
            format!(
                "As long as no other thread runs, {name} tries in vain, and {call} does not return."
            ),
        ];
        return Failure::Endless { operation, because, from: None };
    }
    let mut threads: Vec<u32> = around.iter().map(|s| s.thread + 1).collect();
    threads.sort_unstable();
    threads.dedup();
    let names: Vec<String> = threads.iter().map(|t| format!("T{t}")).collect();
    let [one, many] = match names.len() {
        1 => ["takes", "alone"],
        _ => ["take", "together"],
    };
    let what = match model.check().condition {
        Condition::WaitFree => format!("{name} takes steps for ever, but {call} never returns."),
        Condition::ObstructionFree => {
            format!("{name} takes steps for ever, {many}, but {call} never returns.")
        }
        _ => {
            format!("{} {one} steps for ever, but no operation ever returns.", names.join(" and "))
        }
    };
    let because = vec![
        what,
        "What is marked below leads back to where it begins: it can happen again and again.".into(),
    ];
    Failure::Endless { operation, because, from: Some(from) }
}

/// How the ways to go on exclude each other.
fn branching(judged: &Judged, branching: &Branching, source: &Files) -> Failure {
    let model = &judged.model;
    let after = narrate(model, &judged.replay, source).entries.len();
    let continuations: Vec<Continued> = branching
        .continuations
        .iter()
        .map(|c| {
            let operations = narrative::operations(&c.history);
            let named = |(i, result): &(usize, Value)| {
                let operation = &operations[*i];
                let proc = model.object().unit.op(operation.op);
                let call = display_call(proc, &operation.args, model.program());
                let result = match result {
                    Value::Unit => String::new(),
                    result => {
                        let result = display_value(result, &proc.result, model.program());
                        format!(" = {result}")
                    }
                };
                format!("T{}: {call}{result}", operation.thread)
            };
            Continued {
                narrative: narrate(model, &c.replay, source),
                after,
                leaves: c.leaves.iter().map(|o| o.iter().map(named).collect()).collect(),
                schedule: c.schedule.clone(),
            }
        })
        .collect();
    let mut because = vec![
        "Now it must be decided which operations have taken effect, in which order.".to_string(),
        format!("Whatever is decided, one of {} continuations refutes it:", continuations.len()),
    ];
    for (i, continued) in continuations.iter().enumerate() {
        because.push(format!("continuation {} is possible only after", i + 1));
        because.extend(continued.leaves.iter().map(|order| match order.len() {
            0 => "  nothing".to_string(),
            _ => format!("  {}", order.join(", ")),
        }));
    }
    if !branching.at_once {
        because.push("What several of them have in common is refuted further on.".to_string());
    }
    Failure::Branching { because, continuations }
}

/// The longest orders and what stands in their way.
fn attempts(model: &Model, operations: &[Operation], event: usize) -> Vec<Attempt> {
    let Ok(specification) = model.specification() else {
        return Vec::new();
    };
    let object = &model.object().unit;
    let ops = (0..object.ops.len() as u32)
        .map(|op| specification.unit().op_named(&object.op(OpId(op)).name))
        .collect::<Option<Vec<_>>>();
    let attempts = ops.map(|ops| why::attempts(operations, event, &specification, &ops));
    let call = |i: usize| {
        let Operation { thread, op, args, .. } = &operations[i];
        format!("T{thread}: {}", display_call(object.op(*op), args, model.program()))
    };
    let reason = |i: usize, obstacle: &Obstacle| {
        let ty = &object.op(operations[i].op).result;
        let show = |value: &Value| display_value(value, ty, model.program());
        match obstacle {
            Obstacle::After(first) => format!("must come after {}", call(*first)),
            Obstacle::Impossible => "is not possible in this state".to_string(),
            Obstacle::Result(results) => {
                let would: Vec<_> = results.iter().map(show).collect();
                let was =
                    operations[i].response.as_ref().map_or(String::new(), |r| show(&r.result));
                format!("would return {}, but returned {was}", would.join(" or "))
            }
        }
    };
    let attempts = attempts.unwrap_or_default().into_iter().map(|attempt| Attempt {
        order: order(model, operations, &attempt.order),
        stuck: attempt.stuck.iter().map(|(i, o)| (*i, reason(*i, o))).collect(),
    });
    attempts.collect()
}

fn order(model: &Model, operations: &[Operation], linearization: &Linearization) -> Order {
    let program = model.program();
    let specification = model.specification().ok();
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
