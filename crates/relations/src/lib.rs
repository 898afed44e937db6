//! Relations between labelled transition systems.
//!
//! [`refines`] decides whether everything an implementation does is allowed by a specification, on
//! the fly; the meaning of "everything" is a [`Semantics`].

mod alphabet;
mod determined;
mod divergence;
mod generate;
mod interned;
mod meter;
mod refine;
mod replay;
mod walk;
mod witness;

pub use generate::{Generated, generate};
pub use refine::{
    Figures, Refinement, RefinementOptions, Semantics, Verdict, refines, refines_walked,
};
pub use replay::confirm;
pub use walk::{Walk, Walked};
pub use witness::{Reason, Witness, WitnessStep};
