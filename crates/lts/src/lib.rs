//! The vocabulary and the seam of Linchpin.
//!
//! Suggested reading order: [`Layout`] (what a state is), [`TransitionSystem`] (what a language of
//! objects provides), [`Schedule`] (what a search finds); then [`LabelledSystem`] (what a process
//! language provides) and [`Explicit`] (such a system with all its states).

mod aut;
mod dot;
mod explicit;
mod fault;
mod intern;
mod labelled;
mod layout;
mod numbers;
mod outcome;
mod rows;
mod schedule;
mod system;
mod watch;

pub use aut::{AutError, Dialect, read_aut, read_aut_until, write_aut};
pub use dot::write_dot;
pub use explicit::Explicit;
pub use fault::FaultKind;
pub use intern::{ByContent, Content, Interned};
pub use labelled::{Label, LabelledSystem, Move, TAU, Trouble};
pub use layout::{FREED, Layout, SlotKind, threads_in};
pub use numbers::{Known, Loading, NewNumbers, Renumber, Same, Saving, Told, damaged};
pub use outcome::{Figures, Limit, Verdict};
pub use rows::{Edge, Rows};
pub use schedule::{Branch, Schedule, Turn};
pub use system::{Event, EventKind, Events, Liveness, Outcome, Step, TransitionSystem};
pub use watch::Watch;
