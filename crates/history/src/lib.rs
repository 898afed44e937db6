//! Recorded histories: whether calls and returns of clients of a real system have an order that a specification explains.
//!
//! ```
//! use linchpin_history::{Datum, Monitor, Spec};
//!
//! let mut monitor = Monitor::new(Spec::builtin("register").unwrap());
//! let (writer, reader) = (Datum::Int(0), Datum::Int(1));
//! monitor.call(&writer, "write", &[Datum::Int(1)]).unwrap();
//! monitor.ret(&writer, None).unwrap();
//! monitor.call(&reader, "read", &[]).unwrap();
//! monitor.ret(&reader, Some(Datum::Nil)).unwrap();
//! assert!(monitor.verdict().unwrap().is_violated());
//! ```
//!
//! Suggested reading order: `history` (what is decided), `spec` (against what), `decide` (how: `distinct`, `register`, `breadth`,
//! `depth`; other conditions: `sequential`, `quasi`), `shrink`, `judge` and `attempts` (what is shown), `monitor` (while it goes on), `formats` (from which texts).

// What makes random histories for tests calls this crate by its name.
#[cfg(test)]
extern crate self as linchpin_history;

mod attempts;
mod bits;
mod breadth;
mod builtin;
mod configurations;
mod datum;
mod decide;
mod depth;
mod distinct;
mod follow;
mod formats;
mod history;
mod judge;
mod keyed;
mod machine;
mod monitor;
mod order;
mod part;
mod quasi;
#[cfg(test)]
#[allow(dead_code, unreachable_pub, clippy::expect_used)]
#[path = "../../testkit/src/histories.rs"]
mod random;
mod register;
mod seen;
mod sequential;
mod shrink;
mod spec;
mod stepwise;
mod write;
mod written;

pub use attempts::{Attempt, Obstacle, attempts, attempts_sequential, order_before};
pub use datum::Datum;
pub use decide::{Decision, Means, Refuted, Split, decide};
pub use follow::Follower;
pub use formats::{Format, Reading, read};
pub use history::{History, NEVER, Operation};
pub use judge::{Judged, Reason, judge};
pub use monitor::{Monitor, Unexplained};
pub use order::explains;
pub use quasi::factors::Factors;
pub use quasi::{Relaxed, decide_quasi, explains_quasi, judge_quasi, shrink_quasi};
pub use sequential::{decide_sequential, judge_sequential, shrink_sequential};
pub use shrink::shrink;
pub use spec::{Executed, Spec, Trouble};
pub use stepwise::{Call, State, Stepwise};
pub use write::write;

/// The same history as quiescent consistency sees it: linearizable if, and only if, the history is quiescently consistent.
pub fn quiescent(operations: &[Operation]) -> Vec<Operation> {
    history::stretched(operations)
}
