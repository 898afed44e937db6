//! The seam between process languages and the relations between their systems: steps have labels.
//!
//! A [`crate::TransitionSystem`] tells threads, calls and returns, which is what an object and its
//! clients are made of. The process languages (CSP, mCRL2) know only labels. The rules are the
//! same: the system is immutable and shared, scratch memory belongs to one worker, a state is a
//! vector of slots (unbounded data is interned to one slot), successors are pushed to a callback.

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
/// needs infinitely many successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// A sentence.
    pub message: String,
    /// Where in the text it is about (bytes from, to), if anywhere.
    pub at: Option<(u32, u32)>,
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

    /// A hash of what a state says. It is the same in every run, even if slots are numbers of things that
    /// are stored as they are found ([`crate::Interned`]) and differ from run to run. `None`: the slots
    /// themselves do not.
    fn hash(&self, scratch: &mut Self::Scratch, state: &[u32]) -> Option<u64> {
        let _ = (scratch, state);
        None
    }

    /// The text of a label that the system has emitted. Equal texts are equal labels.
    fn label(&self, label: Label) -> String;
}
