//! The relations Linchpin checks, one per file.
//!
//! [`check`] decides whether an object is linearizable and gives a [`Report`]; [`explore`] looks for
//! faults and deadlocks only.

mod configurations;
mod infer;
mod lift;
mod linearizability;
mod part;
mod points;
mod product;
mod reachability;
mod reductions;
mod report;
mod rules;

pub use infer::{Conflict, Forced, GaveUp, Inference, Inferred, check_points, infer};
pub use product::Violation;
pub use reductions::{Reduction, Reductions};
pub use report::{CheckError, Options, Report, Verdict, check, explore};
