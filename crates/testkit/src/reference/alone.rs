//! An operation of an object executed by one thread while nobody else moves.
//!
//! This is what `check X against itself` compares with. The body runs step by step as in the oracle for
//! executions, so that a body that comes back to a state where it was before is recognised: it never
//! ends, and like a body that waits it has no outcome.

use std::collections::HashSet;

use linchpin_lin::Value;
use linchpin_lin::program::{Behaviour, Check, Memory, OpId, Program};

use super::memory::Shared;
use super::run::Counting;
use super::thread::{Phase, World};

/// States of one operation beyond which it is too long for this oracle.
const MOST_STATES: usize = 5_000;

/// Any number of operations; which, is said by who calls.
static ANYTHING: Behaviour = Behaviour::General { ops: Vec::new(), count: None };

/// What an operation can lead to.
#[derive(Default)]
pub(crate) struct Alone {
    pub(crate) all: Vec<(Shared, Value)>,
    /// There is a fault.
    pub(crate) faulty: bool,
    /// Something was left out.
    pub(crate) too_big: bool,
}

impl<'p> World<'p> {
    /// The object of a check under a client that may do anything, without bound on the heap.
    pub(crate) fn unbounded(program: &'p Program, check: &'p Check) -> Self {
        let mut world = World::new(program, check, Counting::Most);
        world.code.heap = None;
        world.behaviours.fill(&ANYTHING);
        world
    }

    /// Executes an operation as thread `me` (from 1) without interruption.
    pub(crate) fn alone(&self, shared: &Shared, me: u32, op: OpId, args: &[Value]) -> Alone {
        let mut found = Alone::default();
        let mut thread = self.initial_thread(me);
        thread.allocated = shared.last_record_of(me);
        let mut moves = self.call(&thread, shared, op, args);
        let mut seen = HashSet::new();
        let mut todo = Vec::new();
        loop {
            // Nodes are not bounded here: what is left out needs more cells than there are.
            found.faulty |= !moves.faults.is_empty() || moves.heap_limit;
            found.too_big |= moves.too_big;
            for (mut shared, thread, _) in moves.next {
                if self.object.memory == Memory::Collected {
                    let reached = shared.reached(Memory::Collected, thread.roots());
                    shared.keep(&reached, true);
                }
                if let Phase::Returning(result) = thread.phase {
                    found.all.push((shared, result));
                } else if seen.insert((shared.clone(), thread.clone())) {
                    todo.push((shared, thread));
                }
            }
            found.too_big |= seen.len() > MOST_STATES;
            let ends = found.faulty || found.too_big;
            let Some((shared, thread)) = todo.pop().filter(|_| !ends) else {
                return found;
            };
            moves = self.step(&thread, &shared);
        }
    }
}
