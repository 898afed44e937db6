//! The judge of sequential consistency.
//!
//! A history is sequentially consistent if its operations, pending ones completed or dropped, have an
//! order that keeps the order of each thread and that the specification allows. See
//! `sequential_consistency` in the crate `check` for the definition; here it is decided by trying orders
//! (`order`).

use linchpin_lin::Model;

use super::{Refusal, order};
use crate::history::{History, Operation};
use crate::judge::Disagreement;

/// Decides that a beginning of the history is not sequentially consistent.
pub(super) fn refuse(model: &Model, history: &History) -> Result<Refusal, Disagreement> {
    order::refuse(model, history, &precedes, "keeps the order of each thread")
}

/// Operations are in the order of their calls.
fn precedes(operations: &[Operation], first: usize, second: usize) -> bool {
    first < second && operations[first].thread == operations[second].thread
}
