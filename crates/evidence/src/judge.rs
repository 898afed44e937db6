//! The judge: decides again, in another way, what a check claims.
//!
//! Several tools ship counterexamples that are none. Here no violation is shown before it has been
//! confirmed: the schedule is executed in the model without any reduction, step by step, and its
//! end is examined. A history is searched for a linearization (`wing_gong`), a fault must happen at
//! the last step, a deadlock must be reachable by calls and private work alone (`deadlock`).

use std::fmt;
use std::sync::Arc;

use linchpin_lin::program::{Check, Condition, OpId, Program};
use linchpin_lin::replay::{Replay, ReplayError, ReplayFault};
use linchpin_lin::specify::Specification;
use linchpin_lin::{Granularity, Model, Unsupported, Value};
use linchpin_lts::{Branch, EventKind, FaultKind, Schedule, Turn, Watch};

use crate::conditions::points::Misplaced;
use crate::conditions::{self, Branching, Refusal};
use crate::deadlock;
use crate::history::{Event, History};
use crate::wing_gong::{self, Explicable, HistoryError, Refutation};

/// Most configurations the search for a linearization may visit.
const BUDGET: usize = 5_000_000;

/// What is claimed to be wrong with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<'a> {
    /// The history of the schedule does not satisfy the condition of the check.
    History,
    /// Every linearization of the history of the schedule is refuted by one of these ways to go on:
    /// the object is not strongly linearizable.
    Branching(&'a [Branch]),
    /// The last step of the schedule is this fault.
    Fault(FaultKind),
    /// After the schedule no thread can access anything although some wait.
    Deadlock,
    /// After the schedule a thread (from 0) does not make the progress that the condition asks for,
    /// although these turns are taken for ever; none if it waits.
    Endless(&'a [Turn], u32),
    /// The schedule does not satisfy the formula of the check, together with what comes after it:
    /// these turns for ever, nothing if there are none, anything if it is not said.
    Temporal(Option<&'a [Turn]>),
}

/// A claim that the judge agrees with, and what it saw.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The unreduced model.
    pub model: Model,
    /// The schedule; after a deadlock, extended by the steps that were still possible.
    pub schedule: Schedule,
    /// How it was executed.
    pub replay: Replay,
    /// Its calls and returns.
    pub history: History,
    /// Why the claim is true.
    pub reason: Reason,
}

/// Why a claim is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The history stops being linearizable here.
    NotLinearizable(Refutation),
    /// The history is linearizable, but not at the points that the source marks.
    Misplaced(Misplaced),
    /// The history does not satisfy another condition.
    Refused(Refusal),
    /// No order of the operations can be kept.
    Branching(Branching),
    /// The last step goes wrong here.
    Fault(ReplayFault),
    /// These threads (from 0) wait at the end, all in an operation, and nothing else can happen.
    Deadlock {
        /// The threads.
        waiting: Vec<u32>,
    },
    /// What comes from a step on can happen again and again, without the progress that the condition
    /// asks for.
    Endless {
        /// The first step of what repeats itself; the end of the execution, if the thread waits.
        from: usize,
        /// The thread (from 0) whose operation does not return.
        thread: u32,
    },
    /// The execution does not satisfy the formula of the check.
    Temporal {
        /// The first step of what repeats itself; the number of steps, if nothing does.
        from: usize,
        /// Whatever comes later?
        already: bool,
    },
}

/// Why the judge does not confirm a claim: a defect of Linchpin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The unreduced model cannot be built.
    Unsupported(Unsupported),
    /// The schedule is not one of the unreduced model.
    Replay(ReplayError),
    /// The history cannot be judged.
    History(HistoryError),
    /// The history has a linearization.
    Linearizable,
    /// The history has a linearization at the points that the source marks.
    FitsPoints,
    /// The history satisfies the condition.
    Satisfied,
    /// The search for a linearization was given up.
    Undecided,
    /// The schedule ends otherwise: with this fault, or without one.
    Ends(Option<FaultKind>),
    /// No deadlock follows.
    NoDeadlock,
    /// There is no lack of progress, for this reason.
    Progress(&'static str),
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disagreement::Unsupported(u) => write!(f, "the model cannot be built: {}", u.message),
            Disagreement::Replay(error) => match error {
                ReplayError::NoInitialState => write!(f, "the schedule has no initial state"),
                ReplayError::NoThread(turn) => write!(f, "turn {turn}: there is no such thread"),
                ReplayError::NotPossible(turn) => write!(f, "turn {turn} is not possible"),
                ReplayError::DoesNotFit(turn) => {
                    write!(f, "turn {turn} does not end where a step ends")
                }
                ReplayError::EarlyFault(turn) => write!(f, "turn {turn} is a fault too early"),
            },
            Disagreement::History(error) => write!(f, "{error}"),
            Disagreement::Linearizable => write!(f, "the history has a linearization"),
            Disagreement::FitsPoints => write!(f, "the history fits the points"),
            Disagreement::Satisfied => write!(f, "the history satisfies the condition"),
            Disagreement::Undecided => write!(f, "the history is too long to be judged"),
            Disagreement::Ends(Some(kind)) => {
                write!(f, "the schedule ends with the fault {}", kind.name())
            }
            Disagreement::Ends(None) => write!(f, "the schedule ends without a fault"),
            Disagreement::NoDeadlock => write!(f, "the schedule does not lead to a deadlock"),
            Disagreement::Progress(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for Disagreement {}

/// Executes a schedule in the unreduced model and decides the claim about it.
///
/// # Errors
/// If the schedule is not one of the model, or does not show what is claimed.
pub fn judge(
    program: &Arc<Program>,
    check: &Check,
    claim: Claim<'_>,
    schedule: &Schedule,
) -> Result<Judged, Disagreement> {
    judge_until(program, check, claim, schedule, &Watch::NEVER)
}

/// The same unless somebody is asked and wants to stop; then it is undecided.
///
/// # Errors
/// As [`judge`].
pub fn judge_until(
    program: &Arc<Program>,
    check: &Check,
    claim: Claim<'_>,
    schedule: &Schedule,
    watch: &Watch,
) -> Result<Judged, Disagreement> {
    let model = Model::new(program.clone(), check, Granularity::UNREDUCED)
        .map_err(Disagreement::Unsupported)?
        .within(watch);
    let judged = decide(model, check, claim, schedule);
    judged.map_err(|why| if watch.told().is_some() { Disagreement::Undecided } else { why })
}

fn decide(
    model: Model,
    check: &Check,
    claim: Claim<'_>,
    schedule: &Schedule,
) -> Result<Judged, Disagreement> {
    let mut schedule = schedule.clone();
    let mut replay = model.replay(&schedule).map_err(Disagreement::Replay)?;
    let ends = replay.fault.map(|f| f.kind);
    let reason = match claim {
        Claim::Fault(kind) => match replay.fault {
            Some(fault) if fault.kind == kind => Reason::Fault(fault),
            _ => return Err(Disagreement::Ends(ends)),
        },
        _ if ends.is_some() => return Err(Disagreement::Ends(ends)),
        Claim::Branching(branches) => {
            let (extended, branching) = conditions::refuse_branching(&model, &schedule, branches)?;
            schedule = extended;
            replay = model.replay(&schedule).map_err(Disagreement::Replay)?;
            Reason::Branching(branching)
        }
        // What is not linearizable is not strongly so.
        Claim::History
            if matches!(check.condition, Condition::Linearizable | Condition::Strong) =>
        {
            Reason::NotLinearizable(refutation(&model, &history(&replay))?)
        }
        Claim::History if check.condition == Condition::Points => {
            conditions::points::judge(&model, &replay, &history(&replay))?
        }
        Claim::History => Reason::Refused(conditions::refuse(&model, &replay, &history(&replay))?),
        Claim::Endless(cycle, thread) => {
            let (whole, from) = conditions::refuse_progress(&model, &schedule, cycle, thread)?;
            schedule = whole;
            replay = model.replay(&schedule).map_err(Disagreement::Replay)?;
            Reason::Endless { from, thread }
        }
        Claim::Temporal(tail) => {
            let Condition::Ltl(temporal) = &check.condition else {
                return Err(Disagreement::Undecided);
            };
            let (whole, from) = conditions::refuse_temporal(&model, temporal, &schedule, tail)?;
            schedule = whole;
            replay = model.replay(&schedule).map_err(Disagreement::Replay)?;
            Reason::Temporal { from, already: tail.is_none() }
        }
        Claim::Deadlock => {
            let end = replay.steps.last().map_or(&replay.initial, |s| &s.state);
            schedule =
                deadlock::extension(&model, end, &schedule).ok_or(Disagreement::NoDeadlock)?;
            replay = model.replay(&schedule).map_err(Disagreement::Replay)?;
            Reason::Deadlock { waiting: waiting(&history(&replay))? }
        }
    };
    let history = history(&replay);
    Ok(Judged { model, schedule, replay, history, reason })
}

/// The calls and returns of an execution.
pub(crate) fn history(replay: &Replay) -> History {
    let events = replay.steps.iter().flat_map(|step| {
        let thread = step.thread + 1;
        step.events.iter().filter_map(move |e| match e.kind {
            EventKind::Call => Some(Event::Call { thread, op: e.op, args: e.values.clone() }),
            EventKind::Return => Some(Event::Return {
                thread,
                op: e.op,
                result: e.values.first().cloned().unwrap_or(Value::Unit),
            }),
            EventKind::Point => None,
        })
    });
    events.collect()
}

/// Where the history stops being linearizable.
fn refutation(model: &Model, history: &History) -> Result<Refutation, Disagreement> {
    match linearization(model, history)? {
        Explicable::NotLinearizable(refutation) => Ok(refutation),
        Explicable::Linearizable(_) => Err(Disagreement::Linearizable),
        Explicable::Unknown => Err(Disagreement::Undecided),
    }
}

/// Is the history linearizable?
pub(crate) fn linearization(model: &Model, history: &History) -> Result<Explicable, Disagreement> {
    let specification = model
        .specification()
        .map_err(|fault| Disagreement::History(HistoryError::Specification(fault)))?;
    let ops = counterparts(model, &specification)?;
    wing_gong::linearization(history, &specification, &ops, BUDGET).map_err(Disagreement::History)
}

/// The operation of the specification for every operation of the object.
pub(crate) fn counterparts(
    model: &Model,
    specification: &Specification,
) -> Result<Vec<OpId>, Disagreement> {
    let object = &model.object().unit;
    (0..object.ops.len() as u32)
        .map(OpId)
        .map(|op| {
            let counterpart = specification.unit().op_named(&object.op(op).name);
            counterpart.ok_or(Disagreement::History(HistoryError::UnknownOperation(op)))
        })
        .collect()
}

/// The threads whose operation has not returned, from 0.
fn waiting(history: &History) -> Result<Vec<u32>, Disagreement> {
    let operations = history
        .operations()
        .map_err(|malformed| Disagreement::History(HistoryError::Malformed(malformed)))?;
    let mut waiting: Vec<u32> =
        operations.iter().filter(|o| o.response.is_none()).map(|o| o.thread - 1).collect();
    waiting.sort_unstable();
    Ok(waiting)
}
