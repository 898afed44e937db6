//! Judges, replays and explains what the checks of Linchpin found.

pub mod history;
pub mod wing_gong;
