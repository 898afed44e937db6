//! Runs one execution: threads take turns as somebody chooses, until all have ended or something is wrong.

use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::coroutine::Thread;
use super::event::{Event, Kind, Mask};
use super::failure::{Failure, Wrong};
use super::world::{Line, Operated, Place, ThreadState, World, shown};
use super::{ACTIVE, WORLD, foreign, hook, patience};

/// Decides who is next.
pub(crate) trait Chooser {
    /// One of the threads that are possible; `last` ran before. `None`: something is wrong with what is possible.
    fn choose(&mut self, enabled: Mask, last: Option<u8>) -> Option<u8>;

    /// What the chosen thread has done. Is it what it had to be?
    fn executed(&mut self, events: &[Event]) -> bool;

    /// Nobody can go on; these would have been the next events.
    fn stuck(&mut self, _waiting: &[Event]) {}
}

/// What is executed: the first thread.
pub(crate) type Program = Rc<dyn Fn()>;

/// How far one execution may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Most accesses.
    pub(crate) accesses: u32,
    /// How often a thread that spins is let go on while nothing else can.
    pub(crate) nudges: u32,
    /// Are lines wanted?
    pub(crate) tracing: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { accesses: 3000, nudges: 300, tracing: false }
    }
}

/// An execution that is over.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) events: Vec<Event>,
    pub(crate) operations: Vec<Operated>,
    pub(crate) failure: Option<Failure>,
    pub(crate) lines: Vec<Line>,
    /// Where a thread was taken to spin although it did not say so.
    pub(crate) guessed: Option<Place>,
}

impl Execution {
    /// Who ran, event by event.
    pub(crate) fn schedule(&self) -> Vec<u8> {
        self.events.iter().map(|e| e.thread).collect()
    }
}

/// Where waiting for all other threads is an access.
static ALL: u8 = 0;

/// Waits until all other threads have ended. For the first thread.
pub(crate) fn join_all() {
    loop {
        let all = super::with(|world| {
            let all = world.threads[1..].iter().all(|t| t.finished) && world.new.is_empty();
            if all {
                world.join_all();
            }
            all
        });
        if all != Some(false) {
            return;
        }
        super::suspend();
    }
}

static SERIAL: AtomicU64 = AtomicU64::new(1);

/// Executes a program.
///
/// # Panics
/// In an explored thread.
pub(crate) fn execute(program: &Program, limits: Limits, chooser: &mut dyn Chooser) -> Execution {
    assert!(super::with(|_| ()).is_none(), "an exploration inside an explored thread");
    hook::install();
    patience::watch();
    let mut world = Box::<World>::default();
    world.tracing = limits.tracing;
    world.longest = limits.accesses;
    world.serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    world.threads.push(ThreadState::default());
    let first = program.clone();
    world.new.push((0, Box::new(move || first())));
    let serial = world.serial;
    WORLD.set(Some(world));
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    let mut threads: Vec<Thread> = Vec::new();
    run(&mut threads, limits, chooser);
    let ended = super::with(|world| world.threads.iter().all(|t| t.finished)) == Some(true);
    // Boxes of an execution that is over cannot be reached any more, unless something is left behind.
    crate::boxed::over(ended);
    ACTIVE.fetch_sub(1, Ordering::Relaxed);
    let world = WORLD.take().unwrap_or_default();
    let World { events, operations, mut failure, memory, mut lines, guessed, .. } = *world;
    // What an operation does before its first access, with which it begins, nobody else sees: it is shown after its call.
    for line in &mut lines {
        if let Some(operation) = line.early {
            let call = operations[operation as usize].call;
            line.events = call.map_or(events.len() as u32, |call| call + 1);
        }
    }
    lines.sort_by_key(|line| line.events);
    let foreign = foreign::over(serial);
    if failure.is_none() && ended {
        failure = memory.leak();
    }
    Execution { events, operations, failure: foreign.or(failure), lines, guessed }
}

fn run(threads: &mut Vec<Thread>, limits: Limits, chooser: &mut dyn Chooser) {
    let with = |f: &mut dyn FnMut(&mut World)| {
        super::with(f);
    };
    let mut last = None;
    loop {
        // Threads that were started go to their first access; nobody sees that.
        loop {
            let mut new = Vec::new();
            with(&mut |world| new = std::mem::take(&mut world.new));
            if new.is_empty() {
                break;
            }
            for (number, job) in new {
                threads.push(Thread::new(job_of(number, job)));
                with(&mut |world| world.running = number);
                threads[number].resume();
            }
        }
        let (mut enabled, mut over, mut waiting) = (0, false, false);
        with(&mut |world| {
            enabled = world.enabled();
            over = world.failure.is_some() || world.threads.iter().all(|t| t.finished);
            waiting =
                world.threads[0].pending.is_none() && world.threads[1..].iter().all(|t| t.finished);
        });
        if over {
            return;
        }
        if waiting {
            with(&mut |world| world.running = 0);
            threads[0].resume();
            continue;
        }
        if enabled == 0 {
            let mut nudged = false;
            with(&mut |world| {
                nudged = world.nudge(limits.nudges);
                if !nudged {
                    chooser.stuck(&world.waiting());
                    world.failure = Some(stuck(world));
                }
            });
            if nudged { continue } else { return }
        }
        patience::step();
        let chosen = chooser.choose(enabled, last);
        let Some(chosen) = chosen.filter(|&c| enabled & 1 << c != 0) else {
            with(&mut |world| world.failure = Some(different("other threads can go on")));
            return;
        };
        let mut long = false;
        with(&mut |world| {
            world.begin(chosen.into());
            long = world.events.len() as u32 > limits.accesses;
            if let Some(event) = world.events.last().filter(|_| long) {
                let at = event.at;
                world.endless(at);
            }
        });
        if long {
            return;
        }
        threads[usize::from(chosen)].resume();
        last = Some(chosen);
        with(&mut |world| {
            if !chooser.executed(&world.events) && world.failure.is_none() {
                world.failure = Some(different("a thread does something else"));
            }
        });
    }
}

/// The job of a thread, with its end.
fn job_of(number: usize, job: Box<dyn FnOnce()>) -> Box<dyn FnOnce()> {
    Box::new(move || {
        let result = panic::catch_unwind(AssertUnwindSafe(job));
        if let Err(payload) = result {
            super::with(|world| {
                let text = world.panic.take().unwrap_or_default();
                let line = format!("thread {number}: {text}");
                world.failure.get_or_insert(Failure::new(Wrong::Panic, [line]));
            });
            // It may be anything, and have a destructor.
            std::mem::forget(payload);
        }
        let untouched = |world: &mut World| {
            number > 0 && !world.events.iter().any(|e| usize::from(e.thread) == number)
        };
        if super::with(untouched) == Some(true) {
            // Somebody may wait for its end, so it has to be an event.
            super::point(&raw const ALL as usize, Kind::Nothing, panic::Location::caller());
        }
        super::with(World::finish);
    })
}

/// The code is not deterministic.
pub(crate) fn different(what: &str) -> Failure {
    let lines = [
        format!("run again in the same way, {what}:"),
        "it depends on time, addresses, random numbers, or state that is left from before".into(),
    ];
    Failure::new(Wrong::Nondeterminism, lines)
}

/// Nobody can go on.
fn stuck(world: &World) -> Failure {
    let spins = (0..world.threads.len()).any(|t| world.spins(t));
    let wrong = if spins { Wrong::Livelock } else { Wrong::Deadlock };
    let line = |(number, thread): (usize, &ThreadState)| {
        let pending = thread.pending.as_ref()?;
        let what = match pending.kind {
            _ if world.spins(number) => "spins".to_string(),
            Kind::Lock | Kind::ReadLock => "waits for a lock".to_string(),
            Kind::Join(other) => format!("waits for the end of thread {other}"),
            Kind::Wake => "waits for a notification".to_string(),
            _ => "waits".to_string(),
        };
        Some(format!("thread {number} {what} at {}", shown(pending.at)))
    };
    Failure::new(wrong, world.threads.iter().enumerate().filter_map(line))
}
