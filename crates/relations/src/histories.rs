//! Does a system have only histories that another one has?
//!
//! Histories are weak traces: sequences of visible labels. Branching bisimilarity is asked first, because
//! it is decided quickly; it is sufficient. It is not necessary (an operation that waits may do so inside
//! an atomic block, and the others then wait as well), so that weak traces have the last word. They are
//! compared on the systems with equivalent states merged; a trace is looked for again in the whole systems
//! and confirmed there.

use std::borrow::Cow;

use linchpin_engine::{Budget, Limit, Meter, Stop, all};
use linchpin_lts::{Explicit, LabelledSystem, Trouble, Verdict};

use crate::generate::Seen;
use crate::reduce::{Equivalence, partition, quotient};
use crate::refine::Semantics;
use crate::related::{confirmed, explicit};
use crate::union::union;
use crate::witness::Witness;

/// What two systems have in common.
#[derive(Clone, Debug)]
pub struct Histories {
    /// Classes of states of both together, if they are branching bisimilar.
    pub bisimilar: Option<u32>,
    /// Are the histories of the first among those of the second, and the other way round?
    pub included: [Verdict<Box<Witness>>; 2],
}

impl Histories {
    /// Is every history of the first one of the second?
    pub fn verdict(&self) -> &Verdict<Box<Witness>> {
        &self.included[0]
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A limit was reached before anything was known.
    Limit(Limit),
    /// A system cannot say what comes next.
    Trouble(Trouble),
    /// A defect of Linchpin: what was found is not so.
    Defect(String),
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Limit(limit) => Failure::Limit(limit),
            Stop::Trouble(trouble) => Failure::Trouble(trouble),
        }
    }
}

/// A system whose histories are asked for.
pub enum Source<'s, S> {
    /// All its states.
    Whole(&'s Explicit),
    /// Something that computes them.
    Computed(&'s S),
}

/// Two systems with all their states.
pub type Both<'s> = [Cow<'s, Explicit>; 2];

/// Compares the histories of two systems; gives them with all their states, too. If there is no answer, the
/// number says which of the two is to blame.
///
/// All workers find the states of the first system. Much of what follows is work for one worker, so one puts these
/// states in order and merges them while the others find and merge those of the second.
pub fn histories<'s, S: LabelledSystem>(
    [first, second]: [Source<'s, S>; 2],
    budget: &Budget<'_>,
) -> Result<(Histories, Both<'s>), (usize, Failure)> {
    let merged = |lts: Cow<'s, Explicit>| {
        let small = quotient(&lts, Equivalence::Branching, budget)?;
        Ok((lts, small))
    };
    let first = match first {
        Source::Whole(lts) => Side::Whole(lts),
        Source::Computed(system) => {
            Side::Seen(system, Seen::of(system, budget).map_err(|stop| (0, stop.into()))?)
        }
    };
    let second = match second {
        Source::Whole(lts) => Side::Whole(lts),
        Source::Computed(system) => Side::Unseen(system),
    };
    let others = Budget { workers: budget.workers.saturating_sub(1).max(1), ..*budget };
    let both = all(budget.workers, vec![(0, first), (1, second)], |(side, system)| {
        let written = match system {
            Side::Whole(lts) => Ok(Cow::Borrowed(lts)),
            Side::Seen(system, seen) => {
                seen.written(system, budget).map(Cow::Owned).map_err(Stop::from)
            }
            Side::Unseen(system) => Seen::of(system, &others)
                .and_then(|seen| Ok(Cow::Owned(seen.written(system, &others)?))),
        };
        let written = written.map_err(Failure::from);
        written.and_then(merged).map_err(|failure| (side, failure))
    })?;
    let (whole, small): (Vec<_>, Vec<_>) = both.into_iter().unzip();
    let found = compared([&whole[0], &whole[1]], [&small[0], &small[1]], budget);
    let found = found.map_err(|failure| (0, failure))?;
    let mut whole = whole.into_iter();
    match (whole.next(), whole.next()) {
        (Some(first), Some(second)) => Ok((found, [first, second])),
        _ => unreachable!("there are two"),
    }
}

/// What is known of a system.
enum Side<'s, S> {
    Whole(&'s Explicit),
    Seen(&'s S, Seen),
    Unseen(&'s S),
}

/// Compares the histories of two systems, of which small ones are branching bisimilar to the whole ones.
fn compared(
    [first, second]: [&Explicit; 2],
    small: [&Explicit; 2],
    budget: &Budget<'_>,
) -> Result<Histories, Failure> {
    let (both, initial) = union(small[0], small[1], &mut Meter::new(budget))?;
    let found = partition(&both, Equivalence::Branching, budget)?;
    if found.block[both.initial() as usize] == found.block[initial as usize] {
        let included = [Verdict::Holds, Verdict::Holds];
        return Ok(Histories { bisimilar: Some(found.blocks), included });
    }
    let forth = included(small, [first, second], budget)?;
    let back = included([small[1], small[0]], [second, first], budget)?;
    Ok(Histories { bisimilar: None, included: [forth, back] })
}

/// Weak traces of the first system that the second does not have; decided on merged states first.
fn included(
    [a, b]: [&Explicit; 2],
    [whole, other]: [&Explicit; 2],
    budget: &Budget<'_>,
) -> Result<Verdict<Box<Witness>>, Failure> {
    let merged = explicit(a, b, Semantics::WeakTrace, budget)?.verdict;
    if !merged.is_violated() {
        return Ok(merged);
    }
    let found = explicit(whole, other, Semantics::WeakTrace, budget)?.verdict;
    if found.holds() {
        let why = "merged states have traces that the others do not have".to_string();
        return Err(Failure::Defect(why));
    }
    confirmed(whole, other, Semantics::WeakTrace, &found, budget)?;
    Ok(found)
}
