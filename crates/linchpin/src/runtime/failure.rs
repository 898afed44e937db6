//! What can go wrong in an execution, apart from its history.

use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wrong {
    /// A thread panicked.
    Panic,
    /// Threads wait for each other, or for what nobody does.
    Deadlock,
    /// Threads spin, and nothing that they read can change any more.
    Livelock,
    /// An execution did not end within the limit on its length.
    Endless,
    /// Two accesses to the same memory, one of them a write, that nothing orders.
    Race,
    /// An access to a box after it was freed.
    UseAfterFree,
    /// A box that is freed twice.
    DoubleFree,
    /// A box that is never freed.
    Leak,
    /// The code does not do the same when it is run in the same way again.
    Nondeterminism,
    /// A thread that is none of ours uses an object that is being explored.
    ForeignThread,
    /// Something that is not supported.
    Refused,
}

/// What went wrong in an execution, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What.
    pub wrong: Wrong,
    /// In sentences, one per line.
    pub lines: Vec<String>,
}

impl Failure {
    pub(crate) fn new(wrong: Wrong, lines: impl IntoIterator<Item = String>) -> Failure {
        Failure { wrong, lines: lines.into_iter().collect() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wrong::Panic => "a panic",
            Wrong::Deadlock => "a deadlock",
            Wrong::Livelock => "a livelock",
            Wrong::Endless => "an execution without end",
            Wrong::Race => "a data race",
            Wrong::UseAfterFree => "a use after free",
            Wrong::DoubleFree => "a double free",
            Wrong::Leak => "a leak",
            Wrong::Nondeterminism => "code that is not deterministic",
            Wrong::ForeignThread => "a thread that is not explored",
            Wrong::Refused => "something that is not supported",
        })
    }
}
