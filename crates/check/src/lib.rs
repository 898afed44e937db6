//! The relations Linchpin checks, one per file.
//!
//! [`check`] decides whether an object is linearizable and gives a [`Report`]; [`explore`] looks for
//! faults and deadlocks only.

mod configurations;
mod external;
#[doc(hidden)]
pub mod feed;
mod histories;
mod lift;
mod linearizability;
mod method;
mod part;
mod points;
mod product;
mod quasi;
mod reachability;
mod recordings;
mod reductions;
mod report;
mod rules;

pub use method::Method;
pub use product::Violation;
pub use reductions::{Reduction, Reductions};
pub use report::{CheckError, Options, Report, Verdict, check, explore};
