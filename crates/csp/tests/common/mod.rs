//! What several tests need.

pub(crate) mod graph;
pub(crate) mod naive;
pub(crate) mod random;
pub(crate) mod sharp;
