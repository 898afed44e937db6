//! Processes: a network of sequential components and what they do together.
//!
//! The initial process is a tree of operators (`hide`, `allow`, `comm`, ..., `||`) over sequential
//! processes ([`tree`]). The tree is compiled to synchronisation vectors ([`vectors`]): which
//! components take part in a step with which actions, and what an observer sees of it. A component
//! is in a *frame* ([`frames`]): a place in a process body, the values that matter there, and the
//! frame to go on with afterwards. What a component can do in a frame ([`moves`]) may still have
//! unknown values, those of `sum`; they are found when the step is put together ([`solve`]).

mod frames;
mod moves;
mod solve;
mod tree;
mod vectors;

pub(crate) use frames::{DONE, FrameId, Frames, STOPPED};
pub(crate) use moves::{Collector, Step};
pub(crate) use solve::solve;
pub(crate) use tree::{Leaf, build};
pub(crate) use vectors::{LetterId, Letters, Vectors, vectors};
