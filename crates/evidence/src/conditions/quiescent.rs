//! The judge of quiescent consistency.
//!
//! A history is quiescently consistent if its operations, pending ones completed or dropped, have an
//! order that the specification allows and that keeps the order of operations between which there is a
//! moment at which nothing is pending. See `quiescent_consistency` in the crate `check` for the
//! definition; here it is decided by trying orders (`order`).

use linchpin_lin::Model;

use super::{Refusal, order};
use crate::history::{History, Operation};
use crate::judge::Disagreement;

/// Decides that a beginning of the history is not quiescently consistent.
pub(super) fn refuse(model: &Model, history: &History) -> Result<Refusal, Disagreement> {
    order::refuse(model, history, &precedes, "respects the moments without pending operations")
}

/// Is there, after the return of the first and before the call of the second, an event after which
/// every operation that had been called had returned?
fn precedes(operations: &[Operation], first: usize, second: usize) -> bool {
    let Some(response) = &operations[first].response else { return false };
    let pending = |moment: usize| {
        operations
            .iter()
            .any(|o| o.call <= moment && o.response.as_ref().is_none_or(|r| r.event > moment))
    };
    (response.event..operations[second].call).any(|moment| !pending(moment))
}
