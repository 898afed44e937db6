//! Judges, replays and explains what the checks of Linchpin found.
//!
//! A check hands over a claim ("not linearizable") and a schedule. [`judge`] runs the schedule in
//! the unreduced model and decides the claim again, with other algorithms than the search;
//! [`explain`] says what happened, as data for a renderer. This crate links neither the search nor
//! the checks, so it cannot repeat their mistakes.

mod alone;
mod blame;
pub mod conditions;
pub mod configurations;
mod deadlock;
pub mod explain;
pub mod film;
pub mod history;
mod judge;
pub mod narrative;
mod same;
pub mod snapshot;
pub mod watch;
pub mod why;
pub mod wing_gong;
pub mod words;

pub use judge::{Claim, Disagreement, Judged, Reason, judge, judge_until};
