//! A schedule: which thread runs, how far, and how it resolves its choices.
//!
//! This is the whole of a witness; states, events and values are recomputed by replaying it.

/// A thread runs for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The thread, from 0.
    pub thread: u32,
    /// Its choices, in order.
    pub choices: Vec<u32>,
    /// How many instructions it executes.
    pub length: u32,
}

/// A path of a system, from an initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Which initial state, in the order the system gives them.
    pub initial: u32,
    /// The turns, in order.
    pub turns: Vec<Turn>,
}

/// How a schedule can go on, and how that can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// The turns after the schedule so far, in order.
    pub turns: Vec<Turn>,
    /// Ways to go on from there.
    pub branches: Vec<Branch>,
}
