//! The vocabulary and the seam of Linchpin.
//!
//! Suggested reading order: [`Layout`] (what a state is), [`TransitionSystem`] (what a language
//! provides), [`Schedule`] (what a search finds).

mod fault;
mod layout;
mod schedule;
mod system;

pub use fault::FaultKind;
pub use layout::{FREED, Layout, SlotKind};
pub use schedule::{Branch, Schedule, Turn};
pub use system::{Event, EventKind, Events, Liveness, Outcome, Step, TransitionSystem};
