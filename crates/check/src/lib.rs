//! The relations Linchpin checks, one per file.
//!
//! [`check`] decides whether an object is linearizable and gives a [`Report`]; [`explore`] looks for
//! faults and deadlocks only.

mod check;
mod clients;
mod configurations;
mod cost;
mod external;
#[doc(hidden)]
pub mod feed;
mod game;
mod growth;
mod histories;
mod infer;
mod leaks;
mod lift;
mod linearizability;
mod method;
mod minimal;
mod part;
mod points;
mod product;
mod progress;
mod quasi;
mod quasi_check;
mod quiescent_consistency;
mod reachability;
mod recordings;
mod reductions;
mod report;
mod retrace;
mod rules;
mod sequential_consistency;
mod set_linearizability;
mod strong_check;
mod strong_linearizability;
mod temporal;
mod threads;

pub use check::check;
pub use clients::Clients;
pub use cost::Cost;
pub use growth::{Growing, growing};
pub use infer::{Conflict, Forced, GaveUp, Inference, Inferred, check_points, infer};
pub use method::Method;
pub use product::Violation;
pub use quasi::FURTHER;
pub use reductions::{Reduction, Reductions};
pub use report::{CheckError, Counterexample, Options, Report, explore};
