//! A ticket lock, which guards a counter that is not atomic.

use linchpin::cell::UnsafeCell;
use linchpin::hint::spin_loop;
use linchpin::sync::atomic::{AtomicU32, Ordering::*};

#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    None,
    /// Two threads may draw the same ticket.
    SameTicket,
    /// The next one is served before the counter is written.
    EarlyUnlock,
    /// Nobody is served after the first.
    NeverUnlock,
}

struct Counter {
    next: AtomicU32,
    served: AtomicU32,
    value: UnsafeCell<u32>,
    mistake: Mistake,
}

// SAFETY: the value is accessed by who is served only, if there is no mistake.
unsafe impl Sync for Counter {}

impl Counter {
    fn new(mistake: Mistake) -> Counter {
        let zero = || AtomicU32::new(0);
        Counter { next: zero(), served: zero(), value: UnsafeCell::new(0), mistake }
    }

    fn increment(&self) -> u32 {
        let ticket = match self.mistake {
            Mistake::SameTicket => {
                let ticket = self.next.load(Relaxed);
                self.next.store(ticket + 1, Relaxed);
                ticket
            }
            _ => self.next.fetch_add(1, Relaxed),
        };
        while self.served.load(Acquire) != ticket {
            spin_loop();
        }
        // SAFETY: nobody else is served.
        let value = self.value.with(|value| unsafe { *value });
        if self.mistake == Mistake::EarlyUnlock {
            self.served.store(ticket + 1, Release);
        }
        // SAFETY: as above.
        self.value.with_mut(|place| unsafe { *place = value + 1 });
        if self.mistake == Mistake::None || self.mistake == Mistake::SameTicket {
            self.served.store(ticket + 1, Release);
        }
        value
    }
}

linchpin::test! {
    fn ticket_lock(counter: Counter = Counter::new(Mistake::None), spec: u32 = 0, threads = 3, ops = 1) {
        increment() => counter.increment(), { *spec += 1; *spec - 1 };
    }

    #[should_panic(expected = "a livelock")]
    fn ticket_lock_with_equal_tickets(counter: Counter = Counter::new(Mistake::SameTicket), spec: u32 = 0) {
        increment() => counter.increment(), { *spec += 1; *spec - 1 };
    }

    #[should_panic(expected = "a data race")]
    fn ticket_lock_given_back_too_early(counter: Counter = Counter::new(Mistake::EarlyUnlock), spec: u32 = 0) {
        increment() => counter.increment(), { *spec += 1; *spec - 1 };
    }

    #[should_panic(expected = "a livelock")]
    fn ticket_lock_never_given_back(counter: Counter = Counter::new(Mistake::NeverUnlock), spec: u32 = 0) {
        increment() => counter.increment(), { *spec += 1; *spec - 1 };
    }
}
