//! Threads as coroutines: each has a stack of its own and runs until it hands over, on one thread of the system.
//!
//! `corosensei` brings stacks and switches. A coroutine is used again for the next job when its job has ended. One that
//! cannot end (its thread waits for ever, or the execution is over because of a failure) is *left behind*, with its
//! stack: to unwind it would run destructors of the user's in the middle of operations that were not made to be
//! interrupted there, and nothing says that these are sound. That happens once per failure that is shown.
//!
//! *Unsafe.* `corosensei` hands the means to suspend a coroutine to its first function; we need it deep below, in a load of
//! an atomic. So there is a pointer to it, per thread of the system, set by `resume` just before the coroutine runs.
//! Contract: `YIELDER` is null or points to the `Yielder` of the coroutine that is running on this thread. It is valid
//! because a yielder lives as long as the first function of its coroutine, which is on the stack while anything above it
//! runs.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Pages that are not touched cost nothing.
const STACK: usize = 1 << 20;

/// What is sent into a coroutine.
enum Input {
    Job(Box<dyn FnOnce()>),
    Go,
    Stop,
}

/// What comes out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    /// Suspended in the middle of its job.
    Suspended,
    /// Ready for the next job.
    Idle,
}

type Raw = Coroutine<Input, Output, (), DefaultStack>;

thread_local! {
    static YIELDER: Cell<*const Yielder<Input, Output>> = const { Cell::new(ptr::null()) };
    static IDLE: RefCell<Idle> = const { RefCell::new(Idle(Vec::new())) };
}

/// Coroutines without a job.
struct Idle(Vec<Raw>);

impl Drop for Idle {
    fn drop(&mut self) {
        for mut raw in self.0.drain(..) {
            // Its first function returns.
            raw.resume(Input::Stop);
        }
    }
}

/// A thread of an execution.
pub(crate) struct Thread {
    /// `None` after its end.
    raw: Option<Raw>,
    job: Option<Box<dyn FnOnce()>>,
    yielder: *const Yielder<Input, Output>,
}

impl Thread {
    pub(crate) fn new(job: Box<dyn FnOnce()>) -> Thread {
        Thread { raw: None, job: Some(job), yielder: ptr::null() }
    }

    /// Runs until it suspends itself or ends; has it ended?
    pub(crate) fn resume(&mut self) -> bool {
        let input = match self.job.take() {
            Some(job) => {
                self.raw = Some(IDLE.with_borrow_mut(|idle| idle.0.pop()).unwrap_or_else(fresh));
                Input::Job(job)
            }
            None => Input::Go,
        };
        let Some(raw) = &mut self.raw else { return true };
        let before = YIELDER.replace(self.yielder);
        let result = raw.resume(input);
        self.yielder = YIELDER.replace(before);
        match result {
            CoroutineResult::Yield(Output::Suspended) => false,
            CoroutineResult::Yield(Output::Idle) => {
                IDLE.with_borrow_mut(|idle| idle.0.extend(self.raw.take()));
                true
            }
            CoroutineResult::Return(()) => {
                self.raw = None;
                true
            }
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // Left behind; see above.
        std::mem::forget(self.raw.take());
    }
}

fn fresh() -> Raw {
    #[expect(clippy::expect_used, reason = "without a stack nothing can be explored")]
    let stack = DefaultStack::new(STACK).expect("memory for the stack of a thread");
    Coroutine::with_stack(stack, |yielder: &Yielder<Input, Output>, mut input| {
        loop {
            YIELDER.set(yielder);
            match input {
                Input::Job(job) => job(),
                Input::Go => {}
                Input::Stop => return,
            }
            input = yielder.suspend(Output::Idle);
        }
    })
}

/// Suspends the coroutine that is running; nothing if none is.
pub(crate) fn suspend() {
    let yielder = YIELDER.get();
    if !yielder.is_null() {
        // SAFETY: the contract above: it is that of the running coroutine, and its first function is below us.
        unsafe { &*yielder }.suspend(Output::Suspended);
    }
}
