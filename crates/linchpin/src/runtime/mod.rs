//! Executions under control: what the types of `sync`, `cell` and `boxed` call, and what the explorer runs.
//!
//! Every access to something shared is announced (`point`), and the thread is suspended until the scheduler chooses it.
//! Outside an execution all of this is one look at a counter.

pub(crate) mod clock;
mod coroutine;
pub(crate) mod event;
pub(crate) mod failure;
mod foreign;
mod hook;
mod memory;
mod patience;
pub(crate) mod scheduler;
pub(crate) mod world;

use std::cell::RefCell;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use event::Kind;
use failure::{Failure, Wrong};
use world::{Place, World};

/// How many executions are under way in this process.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The execution under way on this thread of the system.
    static WORLD: RefCell<Option<Box<World>>> = const { RefCell::new(None) };
}

/// Is this code explored? Has to be asked first by everything below.
#[inline]
pub(crate) fn is_explored(address: usize) -> bool {
    ACTIVE.load(Ordering::Relaxed) != 0 && is_explored_here(address)
}

#[cold]
#[inline(never)]
fn is_explored_here(address: usize) -> bool {
    let here = WORLD.try_with(|world| world.try_borrow().map_or(true, |w| w.is_some()));
    let here = here.unwrap_or(false);
    if !here {
        foreign::outside(address);
    }
    here
}

/// Calls a function with the execution under way. Nothing of the user's may be called in it.
pub(crate) fn with<R>(f: impl FnOnce(&mut World) -> R) -> Option<R> {
    WORLD.with(|world| world.borrow_mut().as_deref_mut().map(f))
}

/// The running thread is about to access the object at an address; returns when it may.
pub(crate) fn point(address: usize, kind: Kind, at: Place) {
    let arrived = with(|world| {
        let thread = world.running;
        let at_once = world.arrive(address, kind, at);
        if at_once {
            let now = world.threads[thread].clock;
            if let Err(failure) = world.memory.touch(address, thread, &now, at) {
                world.failure.get_or_insert(failure);
                return false;
            }
        }
        at_once
    });
    if arrived == Some(false) {
        suspend();
        // It may only now be seen what the others have freed.
        checked(|world| {
            let thread = world.running;
            let now = world.threads[thread].clock;
            world.memory.touch(address, thread, &now, at)
        });
    }
}

fn suspend() {
    coroutine::suspend();
    // Nobody goes on after a failure.
    while with(|world| world.failure.is_some()) == Some(true) && !std::thread::panicking() {
        coroutine::suspend();
    }
}

/// Does something that may find a failure. Then the running thread does not go on.
pub(crate) fn checked<R: Default>(f: impl FnOnce(&mut World) -> Result<R, Failure>) -> R {
    let done = with(|world| {
        f(world).map_err(|failure| {
            world.failure.get_or_insert(failure);
        })
    });
    match done {
        Some(Ok(done)) => done,
        Some(Err(())) => loop {
            coroutine::suspend();
        },
        None => R::default(),
    }
}

/// Notes what the running thread did.
pub(crate) fn note(at: Place, text: impl FnOnce() -> String) {
    // The text may ask for names.
    if with(|world| world.tracing) == Some(true) {
        let text = text();
        with(|world| world.note(at, text));
    }
}

/// Starts a thread of the execution under way.
#[track_caller]
pub(crate) fn spawn(job: Box<dyn FnOnce()>) -> usize {
    let at = Location::caller();
    checked(|world| {
        world.spawn(job).ok_or_else(|| {
            let most = clock::MAX_THREADS - 1;
            let line = format!("more than {most} threads, at {}", world::shown(at));
            Failure::new(Wrong::Refused, [line])
        })
    })
}
