//! Everything that is known of the execution under way: its threads, its objects, what has happened.
//!
//! Objects are found by their addresses and get numbers in the order in which threads arrive at them; that order is a
//! function of the schedule, so the same schedule gives the same numbers, whatever the allocator does.
//!
//! *Spinning.* A thread that says that it spins (`spin_loop`, `yield_now`) has read something in vain. Its next access waits
//! until something that it has read since it last said so has another value. That leaves out executions in which it
//! looks again at what has not changed, of which there are infinitely many. A thread that does not say so, but has read the
//! same at the same places eight times over without changing anything, is taken to spin as well, and the report says so.
//!
//! *Synchronisation* is that of C++11 and Rust (Batty et al. 2011) for the executions we see, which are sequentially consistent: a load
//! that acquires is ordered after the store that releases and whose value it reads, or after the head of its release
//! sequence; fences do the same for relaxed accesses around them. What a thread does after a release is at another time
//! than what it did before.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::atomic::Ordering;

use rapidhash::fast::RandomState;
use smallvec::SmallVec;

use super::clock::{Clock, MAX_THREADS};
use super::event::{Event, Kind, Mask};
use super::failure::{Failure, Wrong};
use super::foreign;
use super::memory::Memory;

/// A place in the user's code.
pub(crate) type Place = &'static Location<'static>;

/// How often a thread reads the same before it is taken to spin, and how many reads may be in the loop.
const ROUNDS: usize = 8;
const LONGEST_LOOP: usize = 8;

/// What a thread is about to do.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) kind: Kind,
    pub(crate) object: u32,
    pub(crate) at: Place,
    pub(crate) since: u32,
}

/// A thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadState {
    /// `None`: it has not arrived at its first access, or it has ended.
    pub(crate) pending: Option<Pending>,
    pub(crate) finished: bool,
    pub(crate) joined: bool,
    /// What it has read since it last said that it spins: objects with their versions.
    reads: SmallVec<[(u32, u64); 4]>,
    /// One of these has to change before its next access, or nobody else can do anything.
    waits: SmallVec<[(u32, u64); 4]>,
    nudged: bool,
    /// What it has read since it last changed something: where, which objects with which versions.
    recent: Vec<(Place, u32, u64)>,
    /// How often it was let go on because nothing else could.
    pub(crate) nudges: u32,
    /// The event in which it was started.
    started: Option<u32>,
    /// It is in an operation; has the call been seen?
    operation: Option<(u32, bool)>,
    /// In the order of synchronisation.
    pub(crate) clock: Clock,
    released: Clock,
    acquirable: Clock,
    /// Values of thread-locals, by the addresses of their keys.
    pub(crate) locals: HashMap<usize, std::rc::Rc<dyn std::any::Any>, RandomState>,
}

/// An object that threads share.
#[derive(Debug, Default)]
struct Object {
    /// How often its value has changed.
    version: u64,
    /// Who has locked it for writing, and how many for reading.
    writer: Option<u8>,
    readers: u32,
    /// Who waits for a notification, and whom the notifications that nobody has taken are for.
    sleepers: Mask,
    notified: SmallVec<[Mask; 2]>,
    /// What a load that acquires gets to know.
    released: Clock,
}

/// A call or return of an operation of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operated {
    pub(crate) thread: u8,
    pub(crate) number: u32,
    /// The event of its first access.
    pub(crate) call: Option<u32>,
    /// The event of its last access.
    pub(crate) ret: Option<u32>,
}

/// What an event did, for people.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) thread: u8,
    /// How many events there were, with this one.
    pub(crate) events: u32,
    /// The operation whose first access comes later.
    pub(crate) early: Option<u32>,
    pub(crate) text: String,
    pub(crate) at: Place,
}

/// An execution.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) threads: Vec<ThreadState>,
    pub(crate) running: usize,
    objects: Vec<Object>,
    numbers: HashMap<usize, u32, RandomState>,
    pub(crate) events: Vec<Event>,
    pub(crate) operations: Vec<Operated>,
    pub(crate) failure: Option<Failure>,
    pub(crate) memory: Memory,
    /// Accesses made without a choice, when there is one thread.
    alone: u32,
    /// Are lines wanted?
    pub(crate) tracing: bool,
    pub(crate) lines: Vec<Line>,
    names: HashMap<usize, usize, RandomState>,
    /// Threads that were started and are not running yet.
    pub(crate) new: Vec<(usize, Box<dyn FnOnce() + 'static>)>,
    /// Where the last panic of a thread of ours was, and what it said.
    pub(crate) panic: Option<String>,
    /// Where a thread was taken to spin although it did not say so.
    pub(crate) guessed: Option<Place>,
    /// Tells it from others, for what outlives it.
    pub(crate) serial: u64,
    /// Most accesses.
    pub(crate) longest: u32,
}

impl World {
    /// The number of the object at an address.
    pub(crate) fn object(&mut self, address: usize) -> u32 {
        let next = self.objects.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.objects.push(Object::default());
            foreign::explored(self.serial, address);
        }
        number
    }

    /// A short name for an address in the report.
    pub(crate) fn name(&mut self, address: usize) -> usize {
        let next = self.names.len() + 1;
        *self.names.entry(address).or_insert(next)
    }

    /// Is the running thread the only one there is?
    fn is_alone(&self) -> bool {
        self.running == 0 && self.threads[1..].iter().all(|t| t.joined) && self.new.is_empty()
    }

    /// The running thread arrives at an access. May it go on at once?
    pub(crate) fn arrive(&mut self, address: usize, kind: Kind, at: Place) -> bool {
        let object = self.object(address);
        let since = self.events.len() as u32;
        let (thread, alone) = (self.running, self.is_alone());
        self.threads[thread].pending = Some(Pending { kind, object, at, since });
        self.threads[thread].nudged = false;
        if !self.spins(thread) {
            self.threads[thread].waits.clear();
        }
        // While it unwinds nobody else may run: a panic belongs to the thread of the system.
        let at_once = (alone || std::thread::panicking()) && self.is_enabled(thread);
        if at_once {
            self.alone += 1;
            if self.alone > self.longest {
                self.endless(at);
                return false;
            }
            self.threads[thread].waits.clear();
            self.take(thread);
        }
        at_once
    }

    /// An execution has become too long.
    pub(crate) fn endless(&mut self, at: Place) {
        self.failure.get_or_insert_with(|| {
            let lines = [
                format!("after {} accesses it is still running, at {}", self.longest, shown(at)),
                "a loop that waits for another thread needs `linchpin::hint::spin_loop()`".into(),
            ];
            Failure::new(Wrong::Endless, lines)
        });
    }

    /// Can a thread go on?
    pub(crate) fn is_enabled(&self, thread: usize) -> bool {
        let state = &self.threads[thread];
        let Some(pending) = &state.pending else { return false };
        let object = &self.objects[pending.object as usize];
        let possible = match pending.kind {
            Kind::Lock => object.writer.is_none() && object.readers == 0,
            Kind::ReadLock => object.writer.is_none(),
            Kind::Join(other) => self.threads[other as usize].finished,
            Kind::Wake => object.notified.iter().any(|mask| mask & 1 << thread != 0),
            _ => true,
        };
        possible && !self.spins(thread)
    }

    /// Does a thread wait for something it has read to change?
    pub(crate) fn spins(&self, thread: usize) -> bool {
        let waits = &self.threads[thread].waits;
        let same =
            |&(object, version): &(u32, u64)| self.objects[object as usize].version == version;
        !waits.is_empty() && !self.threads[thread].nudged && waits.iter().all(same)
    }

    pub(crate) fn enabled(&self) -> Mask {
        (0..self.threads.len()).filter(|&t| self.is_enabled(t)).fold(0, |mask, t| mask | 1 << t)
    }

    /// Lets threads that spin look again, because nobody else can do anything; were there any that may?
    pub(crate) fn nudge(&mut self, most: u32) -> bool {
        let mut any = false;
        for thread in 0..self.threads.len() {
            if self.spins(thread) && self.threads[thread].nudges < most {
                self.threads[thread].nudged = true;
                self.threads[thread].nudges += 1;
                any = true;
            }
        }
        any
    }

    /// The event that the pending access of a thread is.
    fn event(&self, thread: usize) -> Option<Event> {
        let state = &self.threads[thread];
        let pending = state.pending.as_ref()?;
        Some(Event {
            thread: thread as u8,
            kind: pending.kind,
            may: pending.kind,
            within: state.operation.is_some(),
            object: pending.object,
            call: matches!(state.operation, Some((_, false))),
            ret: false,
            finish: false,
            changed: false,
            since: pending.since,
            waits: state.waits.iter().map(|w| w.0).collect(),
            started: state.started,
            at: pending.at,
        })
    }

    /// The events that do not happen because nobody can go on.
    pub(crate) fn waiting(&self) -> Vec<Event> {
        (0..self.threads.len()).filter_map(|thread| self.event(thread)).collect()
    }

    /// The pending access of a thread begins: an event.
    pub(crate) fn begin(&mut self, thread: usize) {
        let Some(event) = self.event(thread) else { return };
        let number = self.events.len() as u32;
        let state = &mut self.threads[thread];
        if let Some((operation, called @ false)) = &mut state.operation {
            *called = true;
            self.operations[*operation as usize].call = Some(number);
        }
        state.waits.clear();
        self.running = thread;
        self.events.push(event);
        self.take(thread);
    }

    /// What an access does to locks, by itself.
    fn take(&mut self, thread: usize) {
        let state = &mut self.threads[thread];
        state.clock.tick(thread);
        let Some(pending) = state.pending.take() else { return };
        let object = &mut self.objects[pending.object as usize];
        match pending.kind {
            Kind::Lock => {
                object.writer = Some(thread as u8);
                state.clock.join(&object.released);
                object.version += 1;
            }
            Kind::ReadLock => {
                object.readers += 1;
                state.clock.join(&object.released);
            }
            Kind::Unlock => {
                object.writer = None;
                object.released.join(&state.clock);
                state.clock.tick(thread);
                object.version += 1;
            }
            Kind::ReadUnlock => {
                object.readers = object.readers.saturating_sub(1);
                object.released.join(&state.clock);
                state.clock.tick(thread);
                object.version += 1;
            }
            Kind::Join(other) => {
                let clock = self.threads[other as usize].clock;
                self.threads[other as usize].joined = true;
                self.threads[thread].clock.join(&clock);
            }
            Kind::Wake => {
                let bit = 1 << thread;
                if let Some(first) = object.notified.iter().position(|mask| mask & bit != 0) {
                    object.notified.remove(first);
                }
                object.notified.iter_mut().for_each(|mask| *mask &= !bit);
                object.notified.retain(|mask| *mask != 0);
                object.sleepers &= !bit;
                state.clock.join(&object.released);
            }
            Kind::Nothing | Kind::Read | Kind::Write | Kind::Add => {}
        }
    }

    fn current(&mut self) -> Option<&mut Event> {
        let running = self.running;
        self.events.last_mut().filter(|e| usize::from(e.thread) == running)
    }

    /// The running thread has read an object.
    pub(crate) fn read(&mut self, address: usize, order: Ordering) {
        let number = self.object(address);
        let object = &self.objects[number as usize];
        let state = &mut self.threads[self.running];
        state.reads.push((number, object.version));
        if let Some(event) = self.events.last() {
            state.recent.push((event.at, number, object.version));
        }
        match order {
            Ordering::Relaxed | Ordering::Release => state.acquirable.join(&object.released),
            _ => state.clock.join(&object.released),
        }
        self.guess();
    }

    /// Does the running thread spin without saying so?
    fn guess(&mut self) {
        let state = &mut self.threads[self.running];
        // When nobody else can do anything it is soon clear.
        let least = if state.nudges > 0 { 2 } else { ROUNDS };
        for period in 1..=LONGEST_LOOP {
            let Some(start) = state.recent.len().checked_sub(period * least) else { return };
            let (round, rounds) = (&state.recent[start..start + period], &state.recent[start..]);
            let same = |a: &[(Place, u32, u64)]| {
                a.iter().zip(round).all(|(a, b)| std::ptr::eq(a.0, b.0) && (a.1, a.2) == (b.1, b.2))
            };
            if rounds.chunks(period).all(same) {
                self.guessed.get_or_insert(round[0].0);
                state.waits = round.iter().map(|r| (r.1, r.2)).collect();
                state.reads.clear();
                state.recent.clear();
                return;
            }
        }
    }

    /// The running thread has written an object; was it a read-modify-write, and is the value another one?
    pub(crate) fn wrote(&mut self, address: usize, order: Ordering, update: bool, changed: bool) {
        let number = self.object(address);
        let object = &mut self.objects[number as usize];
        let state = &self.threads[self.running];
        let released = match order {
            Ordering::Relaxed | Ordering::Acquire => state.released,
            _ => state.clock,
        };
        if !update {
            object.released = Clock::default();
        }
        object.released.join(&released);
        object.version += u64::from(changed);
        let state = &mut self.threads[self.running];
        state.clock.tick(self.running);
        if changed {
            state.recent.clear();
        }
        if let Some(event) = self.current() {
            event.changed = changed;
        }
    }

    /// What was announced as an update has changed nothing, like a failed `compare_exchange`.
    pub(crate) fn only_read(&mut self) {
        if let Some(event) = self.current().filter(|e| e.kind == Kind::Write) {
            event.kind = Kind::Read;
        }
    }

    /// A lock that was tried was free.
    pub(crate) fn try_lock(&mut self, address: usize, write: bool) -> bool {
        let (number, thread) = (self.object(address), self.running);
        let object = &mut self.objects[number as usize];
        let free = object.writer.is_none() && (!write || object.readers == 0);
        match (free, write) {
            (true, true) => {
                object.writer = Some(thread as u8);
                object.version += 1;
            }
            (true, false) => object.readers += 1,
            (false, _) => {
                let version = object.version;
                self.threads[thread].reads.push((number, version));
                self.only_read();
                return false;
            }
        }
        let released = object.released;
        self.threads[thread].clock.join(&released);
        if let Some(event) = self.current() {
            event.changed = true;
        }
        true
    }

    /// A lock or notification has changed what others may wait for.
    pub(crate) fn sleeps(&mut self, address: usize) {
        let (number, bit) = (self.object(address), 1 << self.running);
        self.objects[number as usize].sleepers |= bit;
    }

    /// Wakes one or all who wait at a condition variable.
    pub(crate) fn notify(&mut self, address: usize, all: bool) {
        let number = self.object(address);
        let clock = self.threads[self.running].clock;
        let object = &mut self.objects[number as usize];
        object.released.join(&clock);
        self.threads[self.running].clock.tick(self.running);
        let object = &mut self.objects[number as usize];
        // Whom a notification is for is decided by who takes it first. There are no more than sleepers.
        let count = object.sleepers.count_ones() as usize;
        let wanted = if all { count } else { (object.notified.len() + 1).min(count) };
        while object.notified.len() < wanted {
            object.notified.push(object.sleepers);
        }
        if all {
            object.notified.iter_mut().for_each(|mask| *mask = object.sleepers);
        }
    }

    /// Lets a thread go on that parks at an object, now or later, once.
    pub(crate) fn unpark(&mut self, address: usize, thread: usize) {
        let number = self.object(address);
        let clock = self.threads[self.running].clock;
        self.threads[self.running].clock.tick(self.running);
        let object = &mut self.objects[number as usize];
        object.released.join(&clock);
        if object.notified.is_empty() {
            object.notified.push(1 << thread);
        }
    }

    /// A fence of the running thread.
    pub(crate) fn fence(&mut self, order: Ordering) {
        let state = &mut self.threads[self.running];
        if order != Ordering::Release {
            let acquirable = state.acquirable;
            state.clock.join(&acquirable);
        }
        if order != Ordering::Acquire {
            state.released = state.clock;
            state.clock.tick(self.running);
        }
    }

    /// The running thread says that it spins.
    pub(crate) fn spin(&mut self) {
        let state = &mut self.threads[self.running];
        if !state.reads.is_empty() {
            state.waits = std::mem::take(&mut state.reads);
        }
        state.recent.clear();
    }

    /// An operation of a client begins.
    pub(crate) fn call(&mut self, number: u32) {
        let operation = self.operations.len() as u32;
        let thread = self.running as u8;
        self.operations.push(Operated { thread, number, call: None, ret: None });
        let state = &mut self.threads[self.running];
        state.operation = Some((operation, false));
        state.recent.clear();
        state.reads.clear();
        state.waits.clear();
    }

    /// Has the operation of the running thread not accessed anything yet?
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(self.threads[self.running].operation, Some((_, false)))
    }

    /// The operation of the running thread ends, with what it did last.
    pub(crate) fn ret(&mut self) {
        let number = self.events.len() as u32 - 1;
        let state = &mut self.threads[self.running];
        state.reads.clear();
        state.waits.clear();
        if let Some((operation, _)) = state.operation.take() {
            self.operations[operation as usize].ret = Some(number);
            if let Some(event) = self.current() {
                event.ret = true;
            }
        }
    }

    /// Starts a thread; `None` if there are too many.
    pub(crate) fn spawn(&mut self, job: Box<dyn FnOnce() + 'static>) -> Option<usize> {
        let thread = self.threads.len();
        if thread == MAX_THREADS {
            return None;
        }
        let parent = &mut self.threads[self.running];
        let mut clock = parent.clock;
        parent.clock.tick(self.running);
        clock.tick(thread);
        let started = self.events.len().checked_sub(1).map(|e| e as u32);
        self.threads.push(ThreadState { clock, started, ..ThreadState::default() });
        self.new.push((thread, job));
        Some(thread)
    }

    /// The running thread ends.
    pub(crate) fn finish(&mut self) {
        self.threads[self.running].finished = true;
        if let Some(event) = self.current() {
            event.finish = true;
        }
    }

    /// All other threads are known to have ended.
    pub(crate) fn join_all(&mut self) {
        for other in 0..self.threads.len() {
            if other != self.running && self.threads[other].finished {
                let clock = self.threads[other].clock;
                self.threads[other].joined = true;
                self.threads[self.running].clock.join(&clock);
            }
        }
    }

    /// Notes what the running thread did, if that is wanted.
    pub(crate) fn note(&mut self, at: Place, text: String) {
        let (thread, events) = (self.running as u8, self.events.len() as u32);
        let operation = self.threads[self.running].operation;
        let early = operation.filter(|(_, called)| !called).map(|o| o.0);
        self.lines.push(Line { thread, events, early, text, at });
    }
}

/// `src/stack.rs:12`
pub(crate) fn shown(at: Place) -> String {
    format!("{}:{}", at.file(), at.line())
}
