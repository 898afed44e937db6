//! What can go wrong while a model runs.

use serde::{Deserialize, Serialize};

use crate::Limit;

/// Run-time errors of a model; each is a violation of its own kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FaultKind {
    /// Field of `null`.
    NullDereference,
    /// Array or sequence index.
    IndexOutOfRange,
    /// A value outside the range of the place it is stored in, or of 32 bits.
    IntegerOutOfRange,
    /// `/` or `%` by zero.
    DivisionByZero,
    /// Touching or freeing a freed record.
    UseAfterFree,
    /// `assert` of something false.
    AssertionFailed,
    /// `unlock` of a lock this thread does not hold.
    UnlockNotHeld,
    /// `unwrap()` of `empty`, or an element of an empty collection.
    EmptyUnwrap,
    /// A step never ends: local code, or an `atomic` block, comes back to where it was.
    Divergence,
    /// A step was given up: it is too long, or has too many choices, to be executed to its end. Says
    /// nothing about the model; whoever meets it does not know what comes next.
    TooLong,
    /// A step was stopped because of a limit. Says nothing about the model either.
    Stopped(Limit),
}

impl FaultKind {
    /// All kinds that say something about a model, with the names used after `expect fault`.
    pub const NAMES: [(FaultKind, &'static str); 9] = [
        (FaultKind::NullDereference, "null_dereference"),
        (FaultKind::IndexOutOfRange, "index_out_of_range"),
        (FaultKind::IntegerOutOfRange, "integer_out_of_range"),
        (FaultKind::DivisionByZero, "division_by_zero"),
        (FaultKind::UseAfterFree, "use_after_free"),
        (FaultKind::AssertionFailed, "assertion"),
        (FaultKind::UnlockNotHeld, "unlock_not_held"),
        (FaultKind::EmptyUnwrap, "empty_unwrap"),
        (FaultKind::Divergence, "divergence"),
    ];

    /// The limit because of which it is not known what comes next, if it is not.
    pub fn limit(self) -> Option<Limit> {
        match self {
            FaultKind::TooLong => Some(Limit::Step),
            FaultKind::Stopped(limit) => Some(limit),
            _ => None,
        }
    }

    /// A number, different for kinds that say something about a model.
    pub fn number(self) -> u32 {
        let place = Self::NAMES.iter().position(|(k, _)| *k == self);
        place.unwrap_or(Self::NAMES.len()) as u32
    }

    /// The name used after `expect fault`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(k, _)| *k == self).map_or("too_long", |(_, n)| n)
    }
}
