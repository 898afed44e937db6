//! One order, deepened operation by operation, going back where nothing fits.
//!
//! Wing and Gong, "Testing and verifying concurrent objects" (JPDC 1993), with Lowe's memory of configurations (CCPE 2017).
//! As in `breadth`, operations take effect just before a return that needs them, those that change nothing as soon as
//! they are possible, those that nobody sees not yet (`seen`), and a configuration is not tried if one that dominates it was.
//! In which order open operations are tried decides how far this goes: there are two, and neither is better; but what makes
//! the returning operation possible at once is tried before what does not. The search can be stopped anywhere and gone on with,
//! so that several take turns.

use linchpin_lts::{Limit, Watch};
use smallvec::SmallVec;

use crate::bits::Bits;
use crate::configurations::Minimal;
use crate::machine::Machine;
use crate::part::{Member, Part};
use crate::seen::{Last, Next};

/// What is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The operation that returns, then those that return soon, then those that never do.
    Soonest,
    /// Those that were called first, then those that never return, and the returning one last.
    Oldest,
}

/// How a search has ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There is an order.
    Explained,
    /// There is none.
    Refuted,
    /// So many configurations were tried; it can go on.
    Later,
    /// A limit was reached.
    Stopped(Limit),
}

/// A return with what is open just before it.
#[derive(Debug)]
struct Return {
    member: Member,
    place: u32,
    /// Operations that change something, in the order in which they are tried.
    candidates: SmallVec<[Member; 4]>,
    /// Operations that change nothing.
    pure: SmallVec<[Member; 4]>,
    /// How many never-returning operations were called before.
    never: u32,
}

impl Return {
    /// How many operations may come next.
    fn count(&self) -> u32 {
        self.candidates.len() as u32 + self.never
    }
}

/// A configuration of the order that is tried, and what was tried after it.
#[derive(Debug)]
struct Frame {
    next: u32,
    state: u32,
    taken: Bits,
    never: Bits,
    /// The last operation, if nobody has seen it yet.
    last: Option<Last>,
    /// How long the order is.
    length: u32,
    /// Is the returning operation not possible here?
    waits: bool,
    /// The next candidate; if the returning operation is not possible, those after which it is come first, and the others
    /// after all of these.
    candidate: u32,
    /// States that the last candidate led to and that were not tried.
    states: SmallVec<[u32; 2]>,
}

/// The search.
#[derive(Debug)]
pub(crate) struct Depth {
    pub(crate) machine: Machine,
    returns: Vec<Return>,
    /// Never-returning operations in the order of their calls.
    never: Vec<Member>,
    /// Per never-returning operation, the one before it that calls the same.
    equal: Vec<Option<u32>>,
    pub(crate) choice: Choice,
    dominance: bool,
    frames: Vec<Frame>,
    initial: Vec<u32>,
    tried: Minimal<(u32, u32, Bits)>,
    order: Vec<(u32, u32)>,
    longest: u32,
    /// Configurations made so far.
    pub(crate) made: u64,
}

impl Depth {
    pub(crate) fn new(part: &Part, machine: Machine, choice: Choice, dominance: bool) -> Self {
        let mut returns = Vec::new();
        let (mut open, mut never): (Vec<u32>, Vec<Member>) = (Vec::new(), Vec::new());
        // When every member returns.
        let mut ends = vec![u32::MAX; part.members.len()];
        for event in part.events.iter().filter(|e| e.is_return) {
            ends[event.member as usize] = event.place;
        }
        for event in &part.events {
            let member = part.members[event.member as usize];
            match (event.is_return, member.returns) {
                (false, false) => never.push(member),
                (false, true) => open.push(event.member),
                (true, _) => {
                    let mut changing: SmallVec<[u32; 8]> =
                        open.iter().copied().filter(|&m| !part.members[m as usize].pure).collect();
                    match choice {
                        Choice::Soonest => changing.sort_unstable_by_key(|&m| ends[m as usize]),
                        Choice::Oldest => changing.sort_by_key(|&m| m == event.member),
                    }
                    let known = |m: &u32| part.members[*m as usize];
                    returns.push(Return {
                        member,
                        place: event.place,
                        candidates: changing.iter().map(known).collect(),
                        pure: open.iter().map(known).filter(|m| m.pure).collect(),
                        never: never.len() as u32,
                    });
                    open.retain(|&m| m != event.member);
                }
            }
        }
        let mut last = std::collections::HashMap::new();
        let equal = never.iter().map(|m| last.insert(m.call, m.slot)).collect();
        let mut initial = machine.initial().to_vec();
        initial.reverse();
        Depth {
            machine,
            returns,
            never,
            equal,
            choice,
            dominance,
            frames: Vec::new(),
            initial,
            tried: Minimal::new(dominance),
            order: Vec::new(),
            longest: 0,
            made: 0,
        }
    }

    /// Tries so many configurations more.
    pub(crate) fn run(&mut self, budget: u64, watch: &Watch) -> End {
        let end = self.made + budget;
        let mut moves = Vec::new();
        loop {
            let Some(frame) = self.frames.last_mut() else {
                let Some(state) = self.initial.pop() else { return End::Refuted };
                self.order.clear();
                if self.enter(0, state, Bits::default(), Bits::default(), None) {
                    return End::Explained;
                }
                continue;
            };
            if let Some(state) = frame.states.pop() {
                let (next, taken, never) = (frame.next, frame.taken.clone(), frame.never.clone());
                self.order.truncate(frame.length as usize);
                let (candidate, before) = (frame.candidate - 1, frame.state);
                let Some((member, returns)) = self.candidate(next, candidate) else { continue };
                let (mut taken, mut never) = (taken, never);
                match returns {
                    true => taken.insert(member.slot),
                    // That would only waste it.
                    false if state == before => continue,
                    false => never.insert(member.slot),
                }
                self.order.push((member.index, self.returns[next as usize].place));
                let last = Last { before, call: member.call, returns };
                if self.enter(next, state, taken, never, self.dominance.then_some(last)) {
                    return End::Explained;
                }
                if let Some(limit) = watch.over_at(self.made as usize) {
                    return End::Stopped(limit);
                }
                if self.made >= end {
                    return End::Later;
                }
                continue;
            }
            let (next, candidate, state) = (frame.next, frame.candidate, frame.state);
            frame.candidate += 1;
            let (count, waits) = (self.returns[next as usize].count(), frame.waits);
            let found = match candidate < count || waits {
                true => self.candidate(next, candidate),
                false => None,
            };
            let Some((member, returns)) = found else {
                self.frames.pop();
                continue;
            };
            let Some(frame) = self.frames.last() else { continue };
            let taken = match returns {
                true => frame.taken.has(member.slot),
                false => {
                    let first = self.equal[member.slot as usize].is_none_or(|e| frame.never.has(e));
                    frame.never.has(member.slot) || !first
                }
            };
            if taken {
                continue;
            }
            moves.clear();
            self.machine.moves(state, member.call, &mut moves);
            if let Some(last) = frame.last {
                let awaited = returns && member.slot == self.returns[next as usize].member.slot;
                let x = Next { call: member.call, returns, awaited };
                moves.retain(|&to| last.is_seen_by(x, to, &mut self.machine));
            }
            if waits {
                let awaited = self.returns[next as usize].member.call;
                let helps =
                    |&to: &u32| self.machine.is_possible(to, awaited) == (candidate < count);
                moves.retain(helps);
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.states.extend(moves.iter().rev().copied());
            }
        }
    }

    /// The candidates at a return; does the operation return?
    fn candidate(&self, next: u32, candidate: u32) -> Option<(Member, bool)> {
        let at = &self.returns[next as usize];
        let candidate = candidate.checked_sub(at.count()).unwrap_or(candidate);
        let open = at.candidates.len() as u32;
        // Before the last one, which is the returning one, or after all.
        let before = match self.choice {
            Choice::Oldest if at.member.pure => open,
            Choice::Oldest => open.saturating_sub(1),
            Choice::Soonest => open,
        };
        if candidate < before {
            return Some((at.candidates[candidate as usize], true));
        }
        if candidate < before + at.never {
            // The last one that was called is the likeliest to be seen.
            let member = self.never[(at.never - 1 - (candidate - before)) as usize];
            return Some((member, false));
        }
        at.candidates.get((candidate - at.never) as usize).map(|m| (*m, true))
    }

    /// Goes to a configuration and past all returns that are explained there. Is everything explained?
    fn enter(
        &mut self,
        mut next: u32,
        state: u32,
        mut taken: Bits,
        never: Bits,
        mut last: Option<Last>,
    ) -> bool {
        self.made += 1;
        while let Some(at) = self.returns.get(next as usize) {
            for member in &at.pure {
                if !taken.has(member.slot) && self.machine.is_possible(state, member.call) {
                    taken.insert(member.slot);
                    self.order.push((member.index, at.place));
                    last = None;
                }
            }
            if !taken.has(at.member.slot) {
                break;
            }
            taken.remove(at.member.slot);
            next += 1;
            last = None;
        }
        self.longest = self.longest.max(next);
        if next as usize == self.returns.len() {
            return true;
        }
        if self.tried.insert((next, state, taken.clone()), &never) {
            let length = self.order.len() as u32;
            let states = SmallVec::new();
            let waits = !self.machine.is_possible(state, self.returns[next as usize].member.call);
            self.frames.push(Frame {
                next,
                state,
                taken,
                never,
                last,
                length,
                waits,
                candidate: 0,
                states,
            });
        }
        false
    }

    /// The order that is tried: operations with their points of time.
    pub(crate) fn order(&self) -> Vec<(u32, u32)> {
        self.order.clone()
    }
}
