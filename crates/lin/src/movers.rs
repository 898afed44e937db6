//! What commutes with the steps of other threads: things that never change (any more), locks, and records that are made
//! or given back.
//!
//! Private memory (`ownership`) is not the only memory whose accesses need no step of their own.
//!
//! **Constants** (reduction `constant`). A variable that no operation writes, and a field that is written only in
//! nodes that nobody else has seen yet (by `new`, or as `fresh` finds out), where nodes are collected: nobody can change
//! it after the moment at which others can see it. So a read commutes with every step of the others, in both
//! directions, and is local work.
//!
//! **Set once** (reduction `once`). If a slot only ever changes while it is 0 (null, false, empty), its value is
//! final as soon as it is not: a key that was claimed, the `next` of a node at the end of a queue, a mark. Reading it from then
//! on, or comparing and not swapping it, commutes with every step of the others, in both directions. Whether
//! it is set is looked at when the access is made, so what is fused is what would be read later, too. That a slot is set
//! once is *assumed* like what locks guard (below), and every write is looked at.
//!
//! **Records** (reduction `reuse`), where memory is manual and not bounded. *Giving back* a record that is not free and
//! to which nothing leads but what the thread itself knows (found by reachability, at that moment) commutes to the left:
//! others cannot touch the record, and whatever their `new` could choose before it can choose after. *Making* one
//! commutes to the right, and is done together with the next access: nobody can take the record away if it is free,
//! and nobody else knows the new one. Only somebody who still refers to the record that comes back could tell; then
//! looking at it before is a use after free, so there is a violation, if another one. (A thread that refers to a record
//! and would still look at it has not done so early: where memory is manual, accesses to fields are local work only in
//! records that nobody else can reach.)
//!
//! **Locks** (reduction `locks`), after R. J. Lipton, *Reduction: a method of proving properties of
//! parallel programs*, CACM 18(12), 1975. While a thread holds a lock, the others can do nothing to the
//! lock: whoever wants it waits, and nobody else looks at it (locks with a `try_lock` are left out, and
//! locks in nodes that can be freed). So
//!
//! * a *release* commutes to the left, and is done together with what the thread did before;
//! * an *acquisition* commutes to the right, and is done together with the next access of the thread. Not
//!   with one that may have to wait, which is another acquisition or an `atomic` block (`await` is one): then two
//!   threads could not each hold what the other one waits for, and a deadlock would be lost. So in every
//!   state in which a thread waits it has a step behind it that ended there. And after a release
//!   nothing is joined any more.
//!
//! **Guarded memory.** If all threads hold a certain lock whenever they write a variable or field (the
//! lock of the same node, or one that is a variable), nobody writes it while a thread that holds the lock
//! reads it: such reads commute in both directions, and are local work. If all threads hold it whenever they read
//! *or* write, such writes are, too. No text says so, so it is *assumed*, for every pair of a variable and a
//! lock, and every access during the search is looked at (J. Hatcliff, Robby and M. Dwyer, *Verifying
//! atomicity specifications for concurrent object-oriented software using model-checking*, VMCAI 2004). If
//! an assumption is broken, the search begins again without it.
//!
//! *Why that is enough.* Assume that an execution without reductions breaks an assumption, and take a shortest
//! one: only its last access does. All that comes before commutes as the assumptions say. So there is an
//! execution in fused steps in which every thread does the same in the same order up to that access, but
//! for acquisitions at the very end, which are left out, and releases and guarded accesses that come
//! earlier. The thread that breaks the assumption holds the same locks there, so the search sees it.
//! Private nodes make no difference to what counts as broken, although nobody else can be disturbed: in fused steps
//! others may already have forgotten a node that they would still look at (a node may *become*
//! private by that). Only a node that nobody else has ever known makes one (`fresh`).
//! The same argument holds for what is set once: such reads come earlier or are left out at the end, writes keep
//! their order, so the write that breaks the assumption finds there what it finds here.
//!
//! Steps are never invented: what is fused is a sequence of steps of the unreduced model, whether or not an
//! assumption is true. So a violation that was found is one, and an assumption that was seen to be broken is
//! broken; those that are left in the end are exactly those that are true, whichever were given up first.
//!
//! *Preserves:* call/return traces, faults, deadlocks; with `reuse`, whether there is a violation. Locks, what is set
//! once and records are not used for questions about cycles (progress, temporal logic) and games; constants are, wherever
//! private memory is, for the same reasons.

use crate::code::{Base, Code, Instr, NO_REG, Place};
use crate::fresh;
use crate::program::Memory;

/// At most so many assumptions are made about locks.
pub(crate) const MOST_GUARDS: usize = 48;
/// At most so many assumptions are made about what is set once. Their bits come after the others.
const MOST_ONCE: usize = 15;
/// The bits of all assumptions about what is set once.
pub(crate) const SET_ONCE: u64 = u64::MAX << MOST_GUARDS;

/// An assumption: these slots of a record (or of the variables) are accessed only by who holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    slots: Slots,
    /// The slot of the lock: in the same node, or a variable.
    pub(crate) lock: u32,
    pub(crate) global: bool,
    /// Is it about reading as well, and not only about writing?
    pub(crate) exclusive: bool,
}

/// Slots of the variables, or of the nodes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    record: Option<u32>,
    from: u32,
    to: u32,
}

impl Slots {
    fn of(place: &Place) -> Option<Slots> {
        let record = match place.base {
            Base::Global => None,
            Base::Field(_) => Some(place.record),
            Base::PerThread(_) => return None,
        };
        Some(Slots { record, from: place.slot, to: place.slot + place.extent + place.width })
    }

    fn meets(self, other: Slots) -> bool {
        self.record == other.record && self.from < other.to && other.from < self.to
    }
}

/// What an instruction does to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Reads,
    Writes,
    Locks,
    TriesLock,
}

/// Says of every place of the code what commutes.
pub(crate) fn mark(code: &mut Code, entries: &[u32], memory: Memory) {
    fresh::mark(code, entries);
    let mut all: Vec<(Slots, Doing)> = Vec::new();
    for pc in reachable(code, entries) {
        let mut note = |place: u32, doing| {
            let place = &code.places[place as usize];
            // What nobody else has seen yet is as it was made, for them.
            let data = matches!(doing, Doing::Reads | Doing::Writes);
            let slots = Slots::of(place).filter(|_| !(data && place.fresh));
            all.extend(slots.map(|slots| (slots, doing)));
        };
        match code.instrs[pc] {
            Instr::Read { place, .. }
            | Instr::LoadLinked { place, .. }
            | Instr::Validate { place, .. } => note(place, Doing::Reads),
            Instr::Write { place, .. }
            | Instr::Cas { place, .. }
            | Instr::Swap { place, .. }
            | Instr::CasValue { place, .. }
            | Instr::Fetch { place, .. }
            | Instr::StoreConditional { place, .. } => note(place, Doing::Writes),
            Instr::Dcas { table, .. } => {
                code.dcas[table as usize].places.iter().for_each(|p| note(*p, Doing::Writes));
            }
            Instr::Lock { place } | Instr::Unlock { place } => note(place, Doing::Locks),
            Instr::TryLock { place, .. } => note(place, Doing::TriesLock),
            _ => {}
        }
    }
    // What is in a node that was freed is somebody else's.
    let lasts = |slots: Slots| slots.record.is_none() || memory == Memory::Collected;
    let done = |slots: Slots, doing| all.iter().any(|(s, d)| *d == doing && s.meets(slots));
    let ranges = ranges(&all, &lasts, &done);
    let guards = guards(code, &ranges, &lasts, &done);
    let mut once = ranges;
    once.retain(|slots| {
        !code.places.iter().any(|place| {
            (place.breaks_links || place.link != NO_REG)
                && Slots::of(place).is_some_and(|of| of.meets(*slots))
        })
    });
    once.truncate(MOST_ONCE);
    for place in &mut code.places {
        let Some(slots) = Slots::of(place).filter(|slots| lasts(*slots)) else { continue };
        let touched = |doing| done(slots, doing);
        let lock = touched(Doing::Locks) || touched(Doing::TriesLock);
        place.constant = !touched(Doing::Writes) && !lock;
        place.mover = touched(Doing::Locks) && !touched(Doing::TriesLock);
        if place.fresh {
            continue;
        }
        let own = guards.iter().enumerate().filter(|(_, g)| g.slots.meets(slots));
        place.guards = own.map(|(number, _)| number as u8).collect();
        let own = once.iter().position(|set| set.meets(slots));
        place.once = own.map(|number| (MOST_GUARDS + number) as u8);
    }
    (code.guards, code.once) = (guards, once);
}

/// The instructions that threads can get to.
fn reachable(code: &Code, entries: &[u32]) -> Vec<usize> {
    let mut seen = vec![false; code.instrs.len()];
    let mut todo: Vec<usize> = entries.iter().map(|pc| *pc as usize).collect();
    let mut found = Vec::new();
    while let Some(pc) = todo.pop() {
        if !std::mem::replace(&mut seen[pc], true) {
            found.push(pc);
            code.targets(pc, &mut |to| todo.push(to));
        }
    }
    found
}

/// What operations read and write and is no lock, in pieces that are accessed separately.
fn ranges(
    all: &[(Slots, Doing)],
    lasts: &dyn Fn(Slots) -> bool,
    done: &dyn Fn(Slots, Doing) -> bool,
) -> Vec<Slots> {
    let mut ranges: Vec<Slots> = Vec::new();
    let data = all.iter().filter(|(_, doing)| matches!(doing, Doing::Reads | Doing::Writes));
    for &(mut slots, _) in data.filter(|(slots, _)| lasts(*slots)) {
        // Those that overlap belong together.
        ranges.retain(|known| {
            let meets = known.meets(slots);
            if meets {
                slots.from = slots.from.min(known.from);
                slots.to = slots.to.max(known.to);
            }
            !meets
        });
        ranges.push(slots);
    }
    ranges.retain(|slots| done(*slots, Doing::Writes) && done(*slots, Doing::Reads));
    ranges
}

/// What can be assumed: every pair of slots that are accessed together and a lock.
fn guards(
    code: &Code,
    ranges: &[Slots],
    lasts: &dyn Fn(Slots) -> bool,
    done: &dyn Fn(Slots, Doing) -> bool,
) -> Vec<Guard> {
    let mut locks: Vec<Slots> = Vec::new();
    for place in code.places.iter().filter(|place| place.offset == NO_REG) {
        let Some(slots) = Slots::of(place).filter(|slots| lasts(*slots)) else { continue };
        let mover = done(slots, Doing::Locks) && !done(slots, Doing::TriesLock);
        if mover && slots.to == slots.from + 1 && !locks.contains(&slots) {
            locks.push(slots);
        }
    }
    let mut guards = Vec::new();
    for &slots in ranges {
        for lock in &locks {
            if lock.record.is_none() || lock.record == slots.record {
                let (global, lock) = (lock.record.is_none(), lock.from);
                guards.push(Guard { slots, lock, global, exclusive: true });
                guards.push(Guard { slots, lock, global, exclusive: false });
            }
        }
    }
    guards.truncate(MOST_GUARDS);
    guards
}
