//! A part of a history that is decided by itself, prepared for the search: calls and returns in the order of time, a
//! *slot* for every operation that returns, and those that never return.
//!
//! Slots are given back at returns, so there are as many as operations are open at once, and a set of slots is a few words
//! whatever the length of the history. Operations that never return and change nothing are left out: they explain
//! nothing and forbid nothing.

use linchpin_lts::Watch;

use crate::history::Operation;
use crate::machine::Machine;
use crate::spec::{Spec, Trouble};

/// An operation of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its number in the whole history.
    pub(crate) index: u32,
    /// What it calls, as the machine knows it.
    pub(crate) call: u32,
    /// Its slot; of one that never returns, its number among those.
    pub(crate) slot: u32,
    /// Does it return?
    pub(crate) returns: bool,
    /// Does it change nothing, whatever the state?
    pub(crate) pure: bool,
}

/// A call or a return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// Whose, in the members.
    pub(crate) member: u32,
    pub(crate) is_return: bool,
    /// Its place in the whole history.
    pub(crate) place: u32,
}

/// A part of a history.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) members: Vec<Member>,
    pub(crate) events: Vec<Event>,
}

impl Part {
    /// The operations with these numbers, in the order of their calls, and the machine that executes them.
    pub(crate) fn new(
        spec: &Spec,
        history: &[Operation],
        numbers: &[u32],
        at_once: bool,
        watch: &Watch,
    ) -> Result<(Part, Machine), Trouble> {
        let operations: Vec<Operation> =
            numbers.iter().map(|&i| history[i as usize].clone()).collect();
        let (machine, calls) = Machine::new(spec, &operations, watch)?;
        let mut members = Vec::with_capacity(numbers.len());
        let mut events = Vec::with_capacity(2 * numbers.len());
        for ((&index, operation), call) in numbers.iter().zip(&operations).zip(calls) {
            let (pure, returns) = (machine.changes_nothing(call), operation.returns());
            if pure && !returns {
                continue;
            }
            let member = members.len() as u32;
            members.push(Member { index, call, slot: 0, returns, pure: pure && at_once });
            events.push(Event { member, is_return: false, place: operation.call });
            if returns {
                events.push(Event { member, is_return: true, place: operation.ret });
            }
        }
        events.sort_unstable_by_key(|e| (e.place, e.is_return, e.member));
        let (mut free, mut slots, mut never) = (Vec::new(), 0, 0);
        for event in &events {
            let member = &mut members[event.member as usize];
            if event.is_return {
                free.push(member.slot);
            } else if member.returns {
                member.slot = free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                });
            } else {
                member.slot = never;
                never += 1;
            }
        }
        Ok((Part { members, events }, machine))
    }
}
