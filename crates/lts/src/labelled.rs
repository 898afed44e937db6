//! The seam between process languages and the relations between their systems: steps have labels.
//!
//! A [`crate::TransitionSystem`] tells threads, calls and returns, which is what an object and its
//! clients are made of. The process languages (CSP, mCRL2) know only labels. The rules are the
//! same: the system is immutable and shared, scratch memory belongs to one worker, a state is a
//! vector of slots (unbounded data is interned to one slot), successors are pushed to a callback.

use std::io;

use serde::{Deserialize, Serialize};

use crate::{Limit, Loading, Renumber, Saving};

/// The number of a label. The system knows its text ([`LabelledSystem::label`]).
pub type Label = u32;

/// The label of silent steps, in every system.
pub const TAU: Label = 0;

/// A step of a labelled system.
#[derive(Clone, Copy, Debug)]
pub struct Move<'a> {
    /// What an observer sees, [`TAU`] if nothing.
    pub label: Label,
    /// The component that moves, of those the system has in parallel; a synchronisation of several
    /// is given once, with all of them.
    pub by: &'a [u32],
    /// Where it leads.
    pub state: &'a [u32],
}

/// Why a system cannot say what comes after a state: the model divides by zero, leaves an array,
/// needs infinitely many successors. Or there is a limit, which says nothing about the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// A sentence.
    pub message: String,
    /// Where in the text it is about (bytes from, to), if anywhere.
    pub at: Option<(u32, u32)>,
    /// The limit, if there is nothing wrong with the model.
    pub limit: Option<Limit>,
}

impl Trouble {
    /// Something is wrong with the model, nowhere in particular.
    pub fn new(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), at: None, limit: None }
    }

    /// Something is wrong with the model here.
    pub fn at(message: impl Into<String>, from: u32, to: u32) -> Trouble {
        Trouble { at: Some((from, to)), ..Trouble::new(message) }
    }
}

impl From<Limit> for Trouble {
    fn from(limit: Limit) -> Trouble {
        Trouble { limit: Some(limit), ..Trouble::new("stopped in the middle of a step") }
    }
}

/// A system whose steps have labels.
pub trait LabelledSystem: Sync {
    /// Memory a worker needs to compute successors.
    type Scratch: Send;

    /// New scratch memory.
    fn scratch(&self) -> Self::Scratch;

    /// How many slots a state has.
    fn width(&self) -> usize;

    /// The initial state.
    fn initial(&self, scratch: &mut Self::Scratch) -> Result<Vec<u32>, Trouble>;

    /// Pushes every step from a state, in an order that depends on the state only.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble>;

    /// A hash of what a state is. `None`: its slots say what it is. A system whose slots are numbers
    /// given in the order of discovery has one that does not depend on that order, so that no
    /// result of a search does.
    fn hash(&self, _: &mut Self::Scratch, _state: &[u32]) -> Option<u64> {
        None
    }

    /// Writes down what the numbers in states and labels mean, and whatever else the system has learnt on the way and its
    /// answers depend on, for another run. A system that does not know how is not kept.
    fn save(&self, _out: &mut Saving<'_>) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this system cannot be kept"))
    }

    /// Reads that; says what the numbers are called here.
    fn load<'a>(&'a self, _from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this system cannot be kept"))
    }

    /// The text of a label that the system has emitted. Equal texts are equal labels.
    fn label(&self, label: Label) -> String;
}
