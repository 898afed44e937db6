//! What the slots of a state mean, as far as symmetry and garbage collection need to know.
//!
//! A state is a slice of 32-bit slots:
//!
//! ```text
//! | globals | thread 1 | thread 2 | ... | node 1 | node 2 | ...
//!             ^ private part, shared part  ^ tag, fields
//! ```
//!
//! Globals and thread blocks have a fixed size; every heap node has the same size ([`Layout::stride`],
//! the largest record plus its tag), and their number varies, so the width of a state tells how many
//! there are. A reference is the number of a node, from 1; 0 is `null`.
//!
//! DESIGN asked whether fixed-width slots suit dynamic heaps. They do if the heap comes last: after
//! canonicalisation exactly the reachable nodes are left, so a state is as wide as it needs to be.

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotKind {
    /// A number that means itself.
    Scalar,
    /// A reference to a heap node, or 0.
    Ref,
    /// A value of the opaque data type with this index, or 0.
    Data(u32),
    /// A thread, from 1, or 0.
    Thread,
    /// A set of threads, a bit for each: the lowest is that of thread 1.
    Threads,
}

/// The threads of a set, from 1.
pub fn threads_in(set: u32) -> impl Iterator<Item = u32> {
    (1..=u32::BITS).filter(move |t| set >> (t - 1) & 1 == 1)
}

/// Bit of a node's tag: the node is free (manual memory).
pub const FREED: u32 = 1 << 31;

/// The layout of the states of one system.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Kinds of the global slots.
    pub globals: Vec<SlotKind>,
    /// Kinds of the slots of a thread block.
    pub thread: Vec<SlotKind>,
    /// The first so many slots of a thread block are private to the thread; the others are shared
    /// memory that happens to be indexed by threads.
    pub private: usize,
    /// How many threads there are.
    pub threads: usize,
    /// Threads with the same number are interchangeable.
    pub roles: Vec<u32>,
    /// Kinds of the fields of every record type; the tag of a node is its index here plus one
    /// (plus [`FREED`]).
    pub records: Vec<Vec<SlotKind>>,
    /// Slots of a node: one for the tag and enough for the largest record.
    pub stride: usize,
    /// Global slots that count the values of an opaque data type handed out so far, by data type.
    pub fresh: Vec<Option<usize>>,
    /// Global slot that is 1 if a node was lost that is not free: nobody can reach it any more. Only where somebody asks.
    pub lost: Option<usize>,
    /// Free nodes that are still referred to keep their fields (type-stable memory).
    pub stable: bool,
    /// The system does not tell threads of a role apart except by their state.
    pub thread_symmetric: bool,
    /// Per opaque data type: the system copies and compares its values, nothing else.
    pub data_symmetric: Vec<bool>,
}

impl Layout {
    /// First slot of a thread's block; threads count from 0 here.
    #[inline]
    pub fn block(&self, thread: usize) -> usize {
        self.globals.len() + thread * self.thread.len()
    }

    /// First slot of the heap.
    #[inline]
    pub fn heap(&self) -> usize {
        self.globals.len() + self.threads * self.thread.len()
    }

    /// Number of nodes in a state.
    #[inline]
    pub fn nodes(&self, state: &[u32]) -> usize {
        (state.len() - self.heap()).checked_div(self.stride).unwrap_or(0)
    }

    /// First slot (the tag) of a node that is not `null`.
    #[inline]
    pub fn node(&self, reference: u32) -> usize {
        self.heap() + (reference as usize - 1) * self.stride
    }

    /// Kinds of the fields of a node with this tag.
    #[inline]
    pub fn fields(&self, tag: u32) -> &[SlotKind] {
        &self.records[(tag & (FREED - 1)) as usize - 1]
    }
}
