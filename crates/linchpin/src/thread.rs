//! Threads: like those of `std::thread`, and explored in a test.
//!
//! There are `spawn`, `JoinHandle::join`, `yield_now`, `park`, `unpark` and [`thread_local!`](crate::thread_local). Scoped threads and `sleep`
//! are not there: the first would need threads that borrow from a stack which is left behind after a failure (use `Arc`).

use std::any::Any;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::Mutex;

use crate::runtime::clock::MAX_THREADS;
use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, spawn as start, with};

/// What a thread gives in the end, or what it panicked with.
pub type Result<T> = std::thread::Result<T>;

/// See [`std::thread::JoinHandle`].
#[derive(Debug)]
pub struct JoinHandle<T>(Handle<T>, Thread);

/// See [`std::thread::Thread`].
#[derive(Clone, Debug)]
pub struct Thread(Which);

#[derive(Clone, Debug)]
enum Which {
    Real(std::thread::Thread),
    Explored(usize),
}

/// What a thread that parks waits for is an object of its own.
static TOKENS: [u8; MAX_THREADS] = [0; MAX_THREADS];

fn token(thread: usize) -> usize {
    &raw const TOKENS[thread] as usize
}

impl Thread {
    /// The explored thread of a number.
    pub(crate) fn explored(thread: usize) -> Thread {
        Thread(Which::Explored(thread))
    }

    /// See [`std::thread::Thread::unpark`].
    #[track_caller]
    pub fn unpark(&self) {
        let thread = match &self.0 {
            Which::Real(real) => return real.unpark(),
            Which::Explored(thread) => *thread,
        };
        if is_explored(token(thread)) {
            let at = Location::caller();
            point(token(thread), Kind::Write, at);
            with(|world| world.unpark(token(thread), thread));
            note(at, || format!("unparks thread {thread}"));
        }
    }
}

/// See [`std::thread::current`].
pub fn current() -> Thread {
    match is_explored(0).then(|| with(|world| world.running)).flatten() {
        Some(thread) => Thread::explored(thread),
        None => Thread(Which::Real(std::thread::current())),
    }
}

/// See [`std::thread::park`]. In a test nobody goes on without a reason.
#[track_caller]
pub fn park() {
    match current().0 {
        Which::Real(_) => std::thread::park(),
        Which::Explored(thread) => {
            let at = Location::caller();
            point(token(thread), Kind::Wake, at);
            note(at, || "was parked, and goes on".into());
        }
    }
}

#[derive(Debug)]
enum Handle<T> {
    Real(std::thread::JoinHandle<T>),
    Explored { thread: usize, result: Arc<Mutex<Option<T>>> },
}

/// See [`std::thread::spawn`].
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    if !is_explored(0) {
        let real = std::thread::spawn(f);
        let thread = Thread(Which::Real(real.thread().clone()));
        return JoinHandle(Handle::Real(real), thread);
    }
    let result = Arc::new(Mutex::new(None));
    let to = result.clone();
    let thread = start(Box::new(move || {
        let value = f();
        if let Ok(mut to) = to.lock() {
            *to = Some(value);
        }
    }));
    note(Location::caller(), || format!("starts thread {thread}"));
    JoinHandle(Handle::Explored { thread, result }, Thread::explored(thread))
}

impl<T> JoinHandle<T> {
    /// See [`std::thread::JoinHandle::thread`].
    pub fn thread(&self) -> &Thread {
        &self.1
    }

    /// See [`std::thread::JoinHandle::join`]. In a test a thread that panics ends the execution, so this gives a value.
    ///
    /// # Errors
    /// What the thread panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            Handle::Real(real) => real.join(),
            Handle::Explored { thread, result } => {
                let at = Location::caller();
                point(Arc::as_ptr(&result) as usize, Kind::Join(thread as u8), at);
                note(at, || format!("sees the end of thread {thread}"));
                let value = result.lock().ok().and_then(|mut value| value.take());
                value.ok_or_else(|| -> Box<dyn Any + Send> { Box::new("it panicked") })
            }
        }
    }
}

/// The same as [`spin_loop`](crate::hint::spin_loop) in a test, and that of `std` otherwise.
#[inline]
pub fn yield_now() {
    if is_explored(0) {
        crate::hint::spin_loop();
        return;
    }
    std::thread::yield_now();
}

/// A thread-local: see [`thread_local!`](crate::thread_local).
#[derive(Debug)]
pub struct LocalKey<T: 'static> {
    #[doc(hidden)]
    pub init: fn() -> T,
    #[doc(hidden)]
    pub real: &'static std::thread::LocalKey<T>,
}

impl<T: 'static> LocalKey<T> {
    /// Calls a function with the value of this thread.
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        if !is_explored(0) {
            return self.real.with(f);
        }
        let key = &raw const *self as usize;
        let known = with(|world| world.threads[world.running].locals.get(&key).cloned()).flatten();
        let value = known.unwrap_or_else(|| {
            let value: Rc<dyn Any> = Rc::new((self.init)());
            with(|world| {
                let thread = world.running;
                world.threads[thread].locals.insert(key, value.clone());
            });
            value
        });
        #[expect(clippy::expect_used, reason = "the key has one type")]
        f(value.downcast_ref::<T>().expect("the type of the key"))
    }
}

/// Like `std::thread_local!`. In a test every explored thread has a value of its own, which is new in every execution;
/// values of `std::thread_local!` are shared by all explored threads.
#[macro_export]
macro_rules! thread_local {
    ($($(#[$attr:meta])* $vis:vis static $name:ident: $type:ty = $init:expr);* $(;)?) => {
        $(
            $(#[$attr])*
            $vis static $name: $crate::thread::LocalKey<$type> = {
                fn init() -> $type {
                    $init
                }
                ::std::thread_local! {
                    static REAL: $type = init();
                }
                $crate::thread::LocalKey { init, real: &REAL }
            };
        )*
    };
}
