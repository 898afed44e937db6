//! Judging histories by other conditions than linearizability, each in its own file.
//!
//! A judge decides one finite history from the definition. It shares no code with the checks, so that
//! it cannot repeat their mistakes.

mod leaks;
mod order;
pub mod points;
mod progress;
mod quasi;
mod quiescent;
mod sequential;
mod strong;
mod temporal;
mod together;

use linchpin_lin::Model;
use linchpin_lin::program::Condition;
use linchpin_lin::replay::Replay;

use crate::history::History;
use crate::judge::Disagreement;

pub use order::{Order, in_order_of_threads as sequentially_explicable};
pub(crate) use progress::refuse as refuse_progress;
pub use quasi::{Apart, Stretched};
pub use quasi::{Recorded, RecordedHistory};
pub(crate) use strong::refuse as refuse_branching;
pub use strong::{Branching, Continuation};
pub(crate) use temporal::refuse as refuse_temporal;

/// Why a history does not satisfy a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The operation whose return made it so; index into [`History::operations`]. `None`: it is the
    /// end of the history that is not allowed.
    pub operation: Option<usize>,
    /// Why, in sentences.
    pub because: Vec<String>,
    /// An order that would explain it if a factor were larger.
    pub stretched: Option<Stretched>,
}

/// Decides that a history that may go on, whatever its execution, does not satisfy the condition of the
/// model's check.
///
/// # Errors
/// If it does, if that cannot be decided, or if the condition is not one on histories.
pub fn refuse_history(model: &Model, history: &History) -> Result<Refusal, Disagreement> {
    match &model.check().condition {
        Condition::Sequential => sequential::refuse(model, history),
        Condition::Quiescent => quiescent::refuse(model, history),
        Condition::SetLinearizable => together::refuse_sets(model, history),
        Condition::IntervalLinearizable => together::refuse_intervals(model, history),
        Condition::Quasi(_) => quasi::refuse_history(model, history, false),
        _ => Err(Disagreement::Undecided),
    }
}

/// Decides that the history of an execution does not satisfy the condition of the model's check.
///
/// # Errors
/// If it does, or if that cannot be decided.
pub(crate) fn refuse(
    model: &Model,
    replay: &Replay,
    history: &History,
) -> Result<Refusal, Disagreement> {
    match &model.check().condition {
        Condition::Sequential
        | Condition::Quiescent
        | Condition::SetLinearizable
        | Condition::IntervalLinearizable => refuse_history(model, history),
        Condition::Quasi(_) => quasi::refuse(model, replay, history),
        Condition::LeakFree => leaks::refuse(model, replay, history),
        Condition::Linearizable
        | Condition::Points
        | Condition::Strong
        | Condition::LockFree
        | Condition::WaitFree
        | Condition::ObstructionFree
        | Condition::Ltl(_) => Err(Disagreement::Undecided),
    }
}
