//! Bisimulations: which states of a system are the same, and the system with those merged.
//!
//! [`partition`] contracts silent cycles (`silent`), refines by signatures (`signatures`) and
//! [`quotient`] merges. The relations are those of van Glabbeek and Weijland, *Branching time and
//! abstraction in bisimulation semantics*, JACM 43(3), 1996.

mod determinise;
mod graph;
mod pool;
mod quotient;
mod signatures;
mod silent;

use linchpin_engine::{Budget, Limit, Meter};
use linchpin_lts::Explicit;

pub(crate) use pool::Pool;

pub use determinise::weak_trace_normal_form;
pub use quotient::{merged, quotient};

/// When two states are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// Each can do what the other can, silent steps like others, and get to the same again.
    Strong,
    /// The same up to silent steps that change nothing.
    Branching,
    /// The same as branching, and endless silent steps that change nothing count.
    DivergenceBranching,
}

/// Which states are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The block of each state.
    pub block: Vec<u32>,
    /// How many blocks there are.
    pub blocks: u32,
    /// How much work it was.
    pub work: Work,
    /// What can be done from each block: label and block; the label after the last one of the
    /// system means endless silent steps within the block.
    moves: Vec<Box<[(u32, u32)]>>,
}

impl Partition {
    /// What can be done from a block, by label and block.
    pub(crate) fn moves(&self, block: u32) -> &[(u32, u32)] {
        &self.moves[block as usize]
    }
}

/// Work of a refinement, in units that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Signatures computed.
    pub signatures: u64,
    /// Steps looked at for them.
    pub steps: u64,
    /// Times a state got into a smaller block.
    pub moves: u64,
    /// Steps looked at backwards because of that.
    pub marks: u64,
    /// Times a block was looked at.
    pub rounds: u64,
}

/// The coarsest partition of the states in which those of a block are the same.
pub fn partition(
    lts: &Explicit,
    equivalence: Equivalence,
    budget: &Budget<'_>,
) -> Result<Partition, Limit> {
    let graph = match equivalence {
        Equivalence::Strong => graph::Graph::plain(lts, budget)?,
        Equivalence::Branching => silent::contract(lts, false, budget)?,
        Equivalence::DivergenceBranching => silent::contract(lts, true, budget)?,
    };
    signatures::refine(&graph, equivalence != Equivalence::Strong, &mut Meter::new(budget))
}
