//! All tests of this crate are one program: it is linked once, and the slow interpreter is compiled once.

mod absurd;
mod common;
mod counted;
mod hidden;
mod limits;
mod many;
mod multiset;
mod operations;
mod oracle;
mod orders;
mod pure;
mod reduction;
#[path = "../../testkit/src/sample.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is part of a library, too")]
mod sample;
mod semantics;
mod sharp;
mod starts;
mod symmetry;
mod witness;
