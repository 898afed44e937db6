//! Relations between labelled transition systems.
//!
//! [`refines`] decides whether everything an implementation does is allowed by a specification, on
//! the fly; the meaning of "everything" is a [`Semantics`].

mod alphabet;
mod determined;
mod distinguish;
mod earliest;
mod formula;
mod generate;
mod histories;
mod preserve;
mod reduce;
mod refine;
mod related;
mod replay;
mod union;
mod witness;

pub use distinguish::{Comparison, compare};
pub use formula::Formula;
pub use generate::{Generated, generate};
pub use histories::{Both, Failure, Histories, Source, histories};
pub use preserve::preserving;
pub use reduce::{
    Equivalence, Partition, Work, merged, partition, quotient, weak_trace_normal_form,
};
pub use refine::{
    Conforms, Figures, Folder, Refinement, RefinementOptions, Semantics, Symmetry, refines,
    refines_up_to,
};
pub use related::{Evidence, Related, bisimilar, merged_refinement, refinement};
pub use replay::confirm;
pub use union::union;
pub use witness::{Reason, Witness, WitnessStep};
