//! Every execution, up to the order of what commutes, by dynamic partial order reduction with source sets and sleep sets.
//!
//! Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction" (POPL 2014), Algorithm 1. An execution is run to
//! its end; for every *race* in it (two events that do not commute, with nothing between them that orders them) a thread
//! with which the other order begins is noted where the first of them happened, unless one is noted there already;
//! then the last place where a noted thread was not tried is gone back to. A thread that was tried somewhere *sleeps*
//! after that until something happens that does not commute with what it did.
//!
//! Where we depart from it:
//! * An event is known when it has happened, not before: whether an operation returns in it is seen at its end. A
//!   sleeping thread has been run from here, so what it does is known.
//! * Events can wait. A lock is not taken before it is given back, so these two are ordered but no race; the race is with
//!   whoever took it before (`Kind::is_enabled_by`). A thread that spins goes on after something it has read has
//!   changed; a race is considered if the rest of the execution without the first event changes that too.
//! * Where no thread that begins the other order can run, all that can are noted. That is never too little.
//! * An execution in which everybody who could go on sleeps is one that was seen. It is not torn down (see
//!   `runtime::coroutine`) but run to its end, and counted as redundant.

use smallvec::SmallVec;

use crate::runtime::clock::Clock;
use crate::runtime::event::{Event, Kind, Mask};
use crate::runtime::scheduler::Chooser;

/// A state of the execution that is explored, and what was done there.
struct Node {
    /// Threads with which something new may begin.
    backtrack: Mask,
    /// Threads that were tried.
    tried: Mask,
    /// What need not be tried, with what it does.
    sleep: Vec<Event>,
    chosen: u8,
    /// What the chosen thread did, and what happened before that.
    event: Option<Event>,
    clock: Clock,
    enabled: Mask,
}

impl Node {
    fn asleep(&self) -> Mask {
        self.sleep.iter().fold(0, |mask, e| mask | 1 << e.thread)
    }
}

/// The exploration.
#[derive(Default)]
pub(crate) struct Source {
    stack: Vec<Node>,
    /// Nodes of the stack that were there before this execution; the last one has a new choice.
    old: usize,
    /// How many events of this execution there are.
    position: usize,
    /// Has everything that can happen from here been seen?
    pub(crate) redundant: bool,
}

impl Source {
    /// Prepares the same execution once more; whether everything is the same is seen on the way.
    pub(crate) fn again(&mut self) {
        self.position = 0;
    }

    /// Prepares the next execution; is there one?
    pub(crate) fn next(&mut self) -> bool {
        self.position = 0;
        self.redundant = false;
        while let Some(node) = self.stack.last_mut() {
            if let Some(event) = node.event.take() {
                node.sleep.push(event);
            }
            node.tried |= 1 << node.chosen;
            let left = node.backtrack & !node.asleep() & !node.tried;
            if left != 0 {
                node.chosen = left.trailing_zeros() as u8;
                self.old = self.stack.len();
                return true;
            }
            self.stack.pop();
        }
        false
    }

    /// The event that has just happened: what happened before it, and the races it is in.
    fn order(&mut self, event: &Event) -> Clock {
        let number = self.stack.len() - 1;
        let thread = usize::from(event.thread);
        let done = &self.stack[..number];
        // What happened before the thread arrived here.
        let base = base(done, event);
        let waker = only_waker(done, event);
        let mut before = base;
        let mut races: SmallVec<[usize; 8]> = SmallVec::new();
        for (i, other) in done.iter().enumerate().rev() {
            let Some(first) = &other.event else { continue };
            if before.get(first.thread.into()) >= other.clock.get(first.thread.into()) {
                continue;
            }
            if waker == Some(i) {
                // It does not go on before that one, by itself.
                before.join(&other.clock);
                continue;
            }
            if first.depends(event) {
                let ends = first.finish && event.kind == Kind::Join(first.thread);
                let enables = same_lock(first, event) && event.kind.is_enabled_by(first.kind);
                if !ends && !enables {
                    races.push(i);
                }
                before.join(&other.clock);
            }
        }
        // Behind the ends of others' turns with a lock there are their beginnings.
        if event.kind.locks() {
            let mut seen = base;
            for (i, other) in done.iter().enumerate().rev() {
                let Some(first) = &other.event else { continue };
                let known = seen.get(first.thread.into()) >= other.clock.get(first.thread.into());
                let taken = same_lock(first, event)
                    && first.depends(event)
                    && !event.kind.is_enabled_by(first.kind);
                if !known && taken {
                    if !races.contains(&i) {
                        races.push(i);
                    }
                    seen.join(&other.clock);
                }
            }
        }
        let mut clock = before;
        clock.set(thread, base.get(thread) + 1);
        for race in races {
            self.reverse(race, event, base);
        }
        clock
    }

    /// Notes who begins an execution in which `event` happens before the event of a node. `before` is what happened before
    /// its thread arrived there.
    fn reverse(&mut self, at: usize, event: &Event, mut before: Clock) {
        let last = self.stack.len() - 1;
        let first = &self.stack[at];
        let owner = first.chosen;
        let time = first.clock.get(owner.into());
        // What happens without the first event, in order. In the place of the second one its thread does something that
        // may be another thing than in this order; whoever is said to begin has to do so in any case.
        let otherwise = event.otherwise();
        let mut without: SmallVec<[(u8, Clock); 16]> = SmallVec::new();
        let mut changes = false;
        for node in &self.stack[at + 1..last] {
            let Some(e) = &node.event else { continue };
            if node.clock.get(owner.into()) < time {
                without.push((e.thread, node.clock));
                let wakes = e.changed && event.waits.contains(&e.object);
                changes |= wakes;
                // Not all that happened before it: without the first event it does not wait for its lock, and what
                // happened before that was given back need not happen before it.
                if wakes || e.depends(&otherwise) {
                    before.join(&node.clock);
                }
            }
        }
        without.push((event.thread, before));
        // A thread that waits at the first event cannot go on if nothing else happens, and one that spins if nothing of that
        // changes what it has read.
        let arrived = event.since as usize <= at;
        let able = first.enabled & 1 << event.thread != 0;
        let alone = without.len() == 1;
        if arrived && !able && (alone || !event.waits.is_empty() && !changes) {
            return;
        }
        let mut seen: Mask = 0;
        let mut initials: Mask = 0;
        for (i, (thread, clock)) in without.iter().enumerate() {
            if seen & 1 << thread != 0 {
                continue;
            }
            seen |= 1 << thread;
            // Does nothing of it happen before?
            let after = without[..i]
                .iter()
                .any(|(other, c)| clock.get((*other).into()) >= c.get((*other).into()));
            if !after {
                initials |= 1 << thread;
            }
        }
        let node = &mut self.stack[at];
        if initials & (node.backtrack | node.asleep()) != 0 {
            return;
        }
        let possible = initials & node.enabled;
        node.backtrack |= match possible {
            0 => node.enabled,
            p if p & 1 << event.thread != 0 => 1 << event.thread,
            p => 1 << p.trailing_zeros(),
        };
    }
}

fn same_lock(one: &Event, other: &Event) -> bool {
    one.object == other.object
}

/// What happened before a thread arrived at an event.
fn base(done: &[Node], event: &Event) -> Clock {
    let mine = |node: &&Node| node.event.as_ref().is_some_and(|e| e.thread == event.thread);
    match done.iter().rev().find(mine) {
        Some(node) => node.clock,
        None => event.started.map_or(Clock::default(), |at| done[at as usize].clock),
    }
}

/// The only event that let a thread that was spinning go on, if there is exactly one.
fn only_waker(done: &[Node], event: &Event) -> Option<usize> {
    if event.waits.is_empty() {
        return None;
    }
    let since = event.since as usize;
    let mut wakers = done.iter().enumerate().skip(since).filter(|(_, node)| {
        node.event.as_ref().is_some_and(|e| e.changed && event.waits.contains(&e.object))
    });
    let first = wakers.next()?;
    wakers.next().is_none().then_some(first.0)
}

impl Chooser for Source {
    fn choose(&mut self, enabled: Mask, last: Option<u8>) -> Option<u8> {
        let at = self.position;
        self.position += 1;
        let usual = |possible: Mask| match last {
            Some(last) if possible & 1 << last != 0 => last,
            _ => possible.trailing_zeros() as u8,
        };
        if self.redundant {
            return Some(usual(enabled));
        }
        if let Some(node) = self.stack.get(at) {
            return (node.enabled == enabled).then_some(node.chosen);
        }
        let sleep: Vec<Event> = match self.stack.last() {
            Some(Node { sleep, event: Some(event), .. }) => {
                sleep.iter().filter(|e| !e.depends(event)).cloned().collect()
            }
            _ => Vec::new(),
        };
        let asleep = sleep.iter().fold(0, |mask, e| mask | 1 << e.thread);
        let possible = enabled & !asleep;
        if possible == 0 {
            self.redundant = true;
            return Some(usual(enabled));
        }
        let chosen = usual(possible);
        let (event, clock) = (None, Clock::default());
        let backtrack = 1 << chosen;
        self.stack.push(Node { backtrack, tried: 0, sleep, chosen, event, clock, enabled });
        Some(chosen)
    }

    fn executed(&mut self, events: &[Event]) -> bool {
        let Some(event) = events.last() else { return true };
        let at = events.len() - 1;
        if self.redundant {
            return true;
        }
        if let Some(known) = self.stack.get(at).and_then(|n| n.event.as_ref()) {
            return known.same(event);
        }
        debug_assert_eq!(at + 1, self.stack.len());
        let clock = self.order(event);
        let node = &mut self.stack[at];
        node.clock = clock;
        node.event = Some(event.clone());
        true
    }

    /// Threads that never got what they waited for are in a race with whoever took it.
    fn stuck(&mut self, waiting: &[Event]) {
        let redundant = self.redundant;
        for event in waiting.iter().filter(|e| e.kind.locks() && !redundant) {
            // As if it happened now.
            let node = Node {
                backtrack: 0,
                tried: 0,
                sleep: Vec::new(),
                chosen: event.thread,
                event: None,
                clock: Clock::default(),
                enabled: 0,
            };
            self.stack.push(node);
            self.order(event);
            self.stack.pop();
        }
    }
}
