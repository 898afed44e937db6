//! The seam between languages and searches: a transition system over slot vectors.
//!
//! Learned from PINS (LTSmin) and regex-automata: the system is immutable and shared by all workers,
//! scratch memory belongs to one worker, successors are pushed to a callback. What a system knows
//! beyond its successors is in its [`Layout`].

use crate::{FaultKind, Layout};

/// An event of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// What it is.
    pub kind: EventKind,
    /// The thread, from 0; of a point, the one whose operation it is for ([`Event::NOBODY`]: none).
    pub thread: u32,
    /// The operation; 0 for a point, which is for whatever operation its thread is in.
    pub op: u32,
    /// Arguments or result, flattened to slots.
    pub values: &'a [u32],
}

impl Event<'_> {
    /// The thread of a point that is for no thread.
    pub const NOBODY: u32 = u32::MAX;

    /// The event without its values, in words: equal for equal events, and for no others.
    pub fn head(&self) -> [u32; 2] {
        [self.thread << 2 | self.kind as u32, self.op]
    }
}

/// Whether an operation begins or ends, or is marked to take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// An operation is called.
    Call,
    /// An operation returns.
    Return,
    /// An operation takes effect, if its point is where the source marks it. Only the systems of
    /// checks that ask for points have such events.
    Point,
}

/// The events of one step, in order, without allocation per event.
#[derive(Clone, Debug, Default)]
pub struct Events {
    heads: Vec<(EventKind, u32, u32, u32)>,
    words: Vec<u32>,
}

impl Events {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.heads.clear();
        self.words.clear();
    }

    /// Appends one.
    pub fn push(&mut self, event: Event<'_>) {
        self.words.extend_from_slice(event.values);
        self.heads.push((event.kind, event.thread, event.op, self.words.len() as u32));
    }

    /// No event?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The events in order.
    pub fn iter(&self) -> impl Iterator<Item = Event<'_>> {
        let mut start = 0;
        self.heads.iter().map(move |&(kind, thread, op, end)| {
            let values = &self.words[start..end as usize];
            start = end as usize;
            Event { kind, thread, op, values }
        })
    }
}

/// One step of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The thread, from 0.
    pub thread: u32,
    /// How its nondeterministic choices were resolved, in order.
    pub choices: &'a [u32],
    /// How many instructions it executed; with the thread and the choices this identifies the step
    /// however finely the system divides executions into steps.
    pub length: u32,
    /// Where it leads.
    pub outcome: Outcome<'a>,
}

/// Where a step leads.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// To a state.
    Next {
        /// The state.
        state: &'a [u32],
        /// What a client sees of the step.
        events: &'a Events,
    },
    /// To a fault.
    Fault(FaultKind),
}

/// What the successors of a state say about the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// There is a step, or the model excludes going on (`assume`, a bound on the heap).
    Live,
    /// Every thread has done all it had to do.
    Finished,
    /// Threads wait for each other: no thread that has not finished can go on, or each can make a
    /// call after which it cannot.
    Deadlock,
}

/// A transition system. See the module for the rules.
pub trait TransitionSystem: Sync {
    /// Memory a worker needs to compute successors.
    type Scratch: Send;

    /// New scratch memory.
    fn scratch(&self) -> Self::Scratch;

    /// What the slots mean.
    fn layout(&self) -> &Layout;

    /// Pushes every initial state, or the fault that initialisation runs into.
    fn initial(&self, scratch: &mut Self::Scratch, emit: &mut dyn FnMut(Outcome<'_>));

    /// Pushes every step from a state, in an order that depends on the state only.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Step<'_>),
    ) -> Liveness;
}
