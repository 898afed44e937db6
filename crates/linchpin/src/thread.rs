//! Threads: like those of `std::thread`, and explored in a test.
//!
//! There are `spawn`, `JoinHandle::join`, `yield_now` and [`thread_local!`](crate::thread_local). Scoped threads, `park` and `sleep`
//! are not there.

use std::any::Any;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::Mutex;

use crate::runtime::event::Kind;
use crate::runtime::{is_explored, note, point, spawn as start, with};

/// What a thread gives in the end, or what it panicked with.
pub type Result<T> = std::thread::Result<T>;

/// See [`std::thread::JoinHandle`].
#[derive(Debug)]
pub struct JoinHandle<T>(Handle<T>);

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
        return JoinHandle(Handle::Real(std::thread::spawn(f)));
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
    JoinHandle(Handle::Explored { thread, result })
}

impl<T> JoinHandle<T> {
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
