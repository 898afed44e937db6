//! What several tests need.

pub mod graph;
pub mod naive;
pub mod random;
