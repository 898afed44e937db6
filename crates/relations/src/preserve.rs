//! Which states may be merged before refinement is decided.
//!
//! X. Yang, J.-P. Katoen, H. Lin, H. Wu, *Proving linearizability via branching bisimulation*, 2016:
//! an object and its specification are replaced by their branching bisimulation quotients, which are
//! smaller by orders of magnitude, and trace refinement of the quotients is decided (their theorem 4).
//! It carries over to every semantics whose equivalence is coarser than the bisimulation:
//!
//! * traces: strong bisimulation, as silent steps count;
//! * weak traces: branching bisimulation;
//! * failures and divergences: branching bisimulation that keeps divergences. Without that, a state
//!   that can only go round silently would be merged with one that stops, and would become stable:
//!   refusals would appear that were none. With it, a block without divergence has states without
//!   silent steps inside, which offer exactly what the block offers, and all others of the block reach
//!   those; a block with divergence keeps its silent cycle and is not stable.
//!
//! Both systems may be replaced: the relation between two systems depends on what the semantics sees
//! of each, and that is the same in the quotient.

use crate::reduce::Equivalence;
use crate::refine::Semantics;

/// The coarsest of our equivalences that a semantics cannot see.
pub fn preserving(semantics: Semantics) -> Equivalence {
    match semantics {
        Semantics::Trace => Equivalence::Strong,
        Semantics::WeakTrace => Equivalence::Branching,
        Semantics::Failures | Semantics::FailuresDivergences => Equivalence::DivergenceBranching,
    }
}
