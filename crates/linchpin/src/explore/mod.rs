//! Which executions of a program are run: all of them up to what commutes, or those with few preemptions, or some at
//! random.

pub(crate) mod bounded;
pub(crate) mod random;
pub(crate) mod replay;
pub(crate) mod source;

use std::ops::ControlFlow;

use crate::runtime::scheduler::{Chooser, Execution, Limits, Program, execute};
use crate::runtime::world::Place;
use bounded::Bounded;
use random::{Walk, Way};
use source::Source;

/// How much was run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Executions.
    pub(crate) executions: u64,
    /// Those of them of which it turned out on the way that they are like others.
    pub(crate) redundant: u64,
    /// Was that all of them?
    pub(crate) complete: bool,
    /// Where a thread was taken to spin although it did not say so.
    pub(crate) guessed: Option<Place>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.executions += other.executions;
        self.redundant += other.redundant;
        self.complete &= other.complete;
        self.guessed = self.guessed.or(other.guessed);
    }
}

/// What is done with an execution.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&Execution) -> ControlFlow<()>;

/// All executions, up to what commutes, but not more than so many.
pub(crate) fn all(program: &Program, limits: Limits, most: u64, visit: Visit<'_>) -> Tally {
    let mut source = Source::default();
    let mut tally = Tally::default();
    loop {
        if tally.executions >= most {
            return tally;
        }
        let execution = execute(program, limits, &mut source);
        tally.executions += 1;
        tally.guessed = tally.guessed.or(execution.guessed);
        tally.redundant += u64::from(source.redundant);
        if visit(&execution).is_break() {
            return tally;
        }
        if tally.executions == 1 {
            // Where nothing races, nothing else is run twice, and code that is not deterministic would not be noticed.
            source.again();
            if visit(&execute(program, limits, &mut source)).is_break() {
                return tally;
            }
        }
        if !source.next() {
            tally.complete = true;
            return tally;
        }
    }
}

/// All executions with at most so many preemptions, but not more than so many.
pub(crate) fn bounded(
    program: &Program,
    limits: Limits,
    preemptions: u32,
    most: u64,
    visit: Visit<'_>,
) -> Tally {
    let mut bounded = Bounded::new(preemptions);
    let mut tally = Tally::default();
    while tally.executions < most {
        let execution = execute(program, limits, &mut bounded);
        tally.executions += 1;
        tally.guessed = tally.guessed.or(execution.guessed);
        if visit(&execution).is_break() {
            return tally;
        }
        if !bounded.next() {
            tally.complete = true;
            return tally;
        }
    }
    tally
}

/// So many executions at random.
pub(crate) fn at_random(
    program: &Program,
    limits: Limits,
    (way, seed): (Way, u64),
    most: u64,
    visit: Visit<'_>,
) -> Tally {
    let mut tally = Tally::default();
    let mut walk = Walk::new(way, seed);
    while tally.executions < most {
        let execution = execute(program, limits, &mut walk);
        tally.executions += 1;
        tally.guessed = tally.guessed.or(execution.guessed);
        if visit(&execution).is_break() {
            break;
        }
        walk.next(execution.events.len());
    }
    tally
}

/// One execution by a schedule.
pub(crate) fn once(program: &Program, limits: Limits, chooser: &mut dyn Chooser) -> Execution {
    execute(program, limits, chooser)
}
