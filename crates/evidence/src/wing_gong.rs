//! Is this one history linearizable? Decided by search, independently of how it was found.
//!
//! Jeannette Wing and Chun Gong, "Testing and verifying concurrent objects" (JPDC 1993), build a
//! linearization operation by operation and go back where no operation fits. Two improvements are
//! from Gavin Lowe, "Testing for linearizability" (CCPE 2017): a *configuration*, that is, the set
//! of linearized operations and the abstract state, is visited once; and operations are linearized
//! *just in time*: going through the history event by event, nothing happens before a return of an
//! operation that is not linearized yet, and then only operations that are open at that moment,
//! ending with the returning one.
//!
//! Everything that has returned is linearized and nothing that is not called is, so a
//! configuration is: the next return to explain, which of the open operations are linearized, and
//! the state. Its size is bounded by the number of threads, whatever the length of the history.
//!
//! Deviations: specifications may be nondeterministic and partial, and histories incomplete. An
//! operation that returns has the outcomes with its recorded result, a pending one all outcomes
//! (or is left out). For a history without linearization, the shortest prefix without one is
//! found by bisection (linearizability is prefix-closed), and one more search, in which the result
//! of its last return is left open, collects the results that would have been allowed.

mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, SpecFault, Specification};

use crate::history::{History, Malformed};
use search::{End, Search};

/// Whether a history is linearizable, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explicable {
    /// It is, and this is how.
    Linearizable(Linearization),
    /// It is not.
    NotLinearizable(Refutation),
    /// The search needed more configurations than it was allowed to visit.
    Unknown,
}

/// A sequential execution of the specification that explains a history: all returned operations
/// and some of the pending ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linearization {
    /// The abstract state it begins in.
    pub initial: AbstractState,
    /// The operations in the order in which they take effect.
    pub steps: Vec<Linearized>,
}

/// An operation taking effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linearized {
    /// Index into [`History::operations`].
    pub operation: usize,
    /// Its result; of a pending operation, the one the specification gave.
    pub result: Value,
    /// The abstract state afterwards.
    pub state: AbstractState,
}

/// Where and why a history stops being linearizable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// Index of a return: the history up to and including it has no linearization.
    pub event: usize,
    /// The operation that returns there; index into [`History::operations`].
    pub operation: usize,
    /// A linearization of everything before that return, which shows that it is the first such
    /// return. `None`: not known, the search was given up.
    pub before: Option<Linearization>,
    /// The results of the operation that would have been linearizable there. `None`: not known.
    pub allowed: Option<BTreeSet<Value>>,
}

/// Why a history cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryError {
    /// The history is not well-formed.
    Malformed(Malformed),
    /// An operation of the history has no counterpart in the specification.
    UnknownOperation(OpId),
    /// The initialisation of the specification has no execution.
    NoInitialState,
    /// The specification itself goes wrong.
    Specification(SpecFault),
}

impl From<Malformed> for HistoryError {
    fn from(malformed: Malformed) -> Self {
        HistoryError::Malformed(malformed)
    }
}

impl From<SpecFault> for HistoryError {
    fn from(fault: SpecFault) -> Self {
        HistoryError::Specification(fault)
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::Malformed(malformed) => write!(f, "malformed history: {malformed}"),
            HistoryError::UnknownOperation(op) => {
                write!(f, "the specification has no counterpart of operation {}", op.0)
            }
            HistoryError::NoInitialState => write!(f, "the specification has no initial state"),
            HistoryError::Specification(fault) => write!(f, "the specification fails: {fault}"),
        }
    }
}

impl std::error::Error for HistoryError {}

/// Decides whether a history is linearizable with respect to a specification.
///
/// `ops` maps operations of the object to operations of the specification. No search visits more
/// than `budget` configurations; a negative answer may need several searches to be localised.
///
/// # Errors
/// If the history is malformed, or if there is no linearization but an order in which the specification goes
/// wrong.
pub fn linearization(
    history: &History,
    spec: &Specification,
    ops: &[OpId],
    budget: usize,
) -> Result<Explicable, HistoryError> {
    let operations = history.operations()?;
    let known = |op: &OpId| ops.get(op.index()).is_some_and(|o| o.index() < spec.unit().ops.len());
    if let Some(unknown) = operations.iter().map(|o| o.op).find(|op| !known(op)) {
        return Err(HistoryError::UnknownOperation(unknown));
    }
    let mut search = Search::new(&operations, spec, ops, budget)?;
    match search.explain(search.returns())? {
        End::Explained(linearization) => Ok(Explicable::Linearizable(linearization)),
        End::OutOfBudget => Ok(Explicable::Unknown),
        End::Exhausted => Ok(Explicable::NotLinearizable(refute(&mut search))),
    }
}

/// Localises the failure of a history that has no linearization. The searches in prefixes meet
/// states that the search in the whole history did not need; a fault of the specification there
/// ends the localisation and leaves the verdict as it is.
fn refute(search: &mut Search<'_>) -> Refutation {
    // The first `good` returns have a linearization, `before`; the first `bad` have none.
    let (mut good, mut bad) = (0, search.returns());
    let mut before = search.explain(0).ok().and_then(End::explained);
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        match search.explain(middle) {
            Ok(End::Explained(linearization)) => {
                good = middle;
                before = Some(linearization);
            }
            Ok(End::Exhausted) => bad = middle,
            Ok(End::OutOfBudget) | Err(_) => {
                before = None;
                break;
            }
        }
    }
    let allowed = before.as_ref().and_then(|_| search.allowed(bad).ok().flatten());
    let (operation, event) = search.return_at(bad - 1);
    Refutation { event, operation, before, allowed }
}
