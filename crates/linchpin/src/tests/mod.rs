//! Tests that look inside: the explorer and the judge against brute force.

mod figures;
mod judging;
mod oracle;
mod waiting;
#[path = "../../../testkit/src/sample.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is part of a library, too")]
mod sample;
