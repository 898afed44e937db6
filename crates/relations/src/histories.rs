//! Does a system have only histories that another one has?
//!
//! Histories are weak traces: sequences of visible labels. Branching bisimilarity is asked first, because
//! it is decided quickly; it is sufficient. It is not necessary (an operation that waits may do so inside
//! an atomic block, and the others then wait as well), so that weak traces have the last word. They are
//! compared on the systems with equivalent states merged; a trace is looked for again in the whole systems
//! and confirmed there.

use linchpin_engine::{Budget, Limit, Meter, all};
use linchpin_lts::{Explicit, Trouble, Verdict};

use crate::reduce::{Equivalence, partition, quotient};
use crate::refine::Semantics;
use crate::related::{confirmed, explicit};
use crate::union::union;
use crate::witness::Witness;

/// What two systems have in common.
#[derive(Clone, Debug)]
pub struct Histories {
    /// Classes of states of both together, if they are branching bisimilar.
    pub bisimilar: Option<u32>,
    /// Are the histories of the first among those of the second, and the other way round?
    pub included: [Verdict<Box<Witness>>; 2],
}

impl Histories {
    /// Is every history of the first one of the second?
    pub fn verdict(&self) -> &Verdict<Box<Witness>> {
        &self.included[0]
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A limit was reached before anything was known.
    Limit(Limit),
    /// A system cannot say what comes next.
    Trouble(Trouble),
    /// A defect of Linchpin: what was found is not so.
    Defect(String),
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}

/// Compares the histories of two systems.
pub fn histories(
    first: &Explicit,
    second: &Explicit,
    budget: &Budget<'_>,
) -> Result<Histories, Failure> {
    let merge = |system| quotient(system, Equivalence::Branching, budget);
    let small = all(budget.workers, vec![first, second], merge)?;
    let (both, initial) = union(&small[0], &small[1], &mut Meter::new(budget))?;
    let found = partition(&both, Equivalence::Branching, budget)?;
    if found.block[both.initial() as usize] == found.block[initial as usize] {
        let included = [Verdict::Holds, Verdict::Holds];
        return Ok(Histories { bisimilar: Some(found.blocks), included });
    }
    let forth = included([&small[0], &small[1]], [first, second], budget)?;
    let back = included([&small[1], &small[0]], [second, first], budget)?;
    Ok(Histories { bisimilar: None, included: [forth, back] })
}

/// Weak traces of the first system that the second does not have; decided on merged states first.
fn included(
    [a, b]: [&Explicit; 2],
    [whole, other]: [&Explicit; 2],
    budget: &Budget<'_>,
) -> Result<Verdict<Box<Witness>>, Failure> {
    let merged = explicit(a, b, Semantics::WeakTrace, budget)?.verdict;
    if !merged.is_violated() {
        return Ok(merged);
    }
    let found = explicit(whole, other, Semantics::WeakTrace, budget)?.verdict;
    if found.holds() {
        let why = "merged states have traces that the others do not have".to_string();
        return Err(Failure::Defect(why));
    }
    confirmed(whole, other, Semantics::WeakTrace, &found, budget)?;
    Ok(found)
}
