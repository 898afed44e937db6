//! All tests of this crate are one program, which is linked once.

mod common;
mod oracle;
#[path = "../../testkit/src/sample.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is part of a library, too")]
mod sample;
mod silence;
mod translation;
