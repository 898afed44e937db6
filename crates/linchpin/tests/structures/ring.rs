//! A bounded queue in a ring, as in crossbeam's `ArrayQueue`: every slot has a stamp that says whose turn it is. Who finds
//! a slot that is not ready looks whether the queue is full or empty, and waits if it is not. In the broken twin it does
//! not look, as in the queue it comes from: then an operation that is slow hides others that have ended.

use linchpin::cell::UnsafeCell;
use linchpin::hint::spin_loop;
use linchpin::sync::atomic::{AtomicUsize, Ordering::*};

const SIZE: usize = 2;

struct Slot {
    stamp: AtomicUsize,
    value: UnsafeCell<u32>,
}

struct Ring {
    slots: [Slot; SIZE],
    head: AtomicUsize,
    tail: AtomicUsize,
    broken: bool,
}

// SAFETY: a slot is accessed by who has moved the head or the tail over it only.
unsafe impl Sync for Ring {}

impl Ring {
    fn new(broken: bool) -> Ring {
        let slot = |i| Slot { stamp: AtomicUsize::new(i), value: UnsafeCell::new(0) };
        let zero = || AtomicUsize::new(0);
        Ring { slots: [slot(0), slot(1)], head: zero(), tail: zero(), broken }
    }

    fn push(&self, value: u32) -> bool {
        loop {
            let tail = self.tail.load(SeqCst);
            let slot = &self.slots[tail % SIZE];
            let stamp = slot.stamp.load(SeqCst);
            if stamp == tail {
                if self.tail.compare_exchange(tail, tail + 1, SeqCst, SeqCst).is_ok() {
                    // SAFETY: the slot is ours.
                    slot.value.with_mut(|place| unsafe { *place = value });
                    slot.stamp.store(tail + 1, SeqCst);
                    return true;
                }
            } else if stamp + SIZE == tail + 1 {
                if self.broken || self.head.load(SeqCst) + SIZE == tail {
                    return false;
                }
                spin_loop();
            } else {
                spin_loop();
            }
        }
    }

    fn pop(&self) -> Option<u32> {
        loop {
            let head = self.head.load(SeqCst);
            let slot = &self.slots[head % SIZE];
            let stamp = slot.stamp.load(SeqCst);
            if stamp == head + 1 {
                if self.head.compare_exchange(head, head + 1, SeqCst, SeqCst).is_ok() {
                    // SAFETY: the slot is ours.
                    let value = slot.value.with(|place| unsafe { *place });
                    slot.stamp.store(head + SIZE, SeqCst);
                    return Some(value);
                }
            } else if stamp == head {
                if self.broken || self.tail.load(SeqCst) == head {
                    return None;
                }
                spin_loop();
            } else {
                spin_loop();
            }
        }
    }
}

type Model = std::collections::VecDeque<u32>;

fn push(spec: &mut Model, value: u32) -> bool {
    let room = spec.len() < SIZE;
    if room {
        spec.push_back(value);
    }
    room
}

linchpin::test! {
    fn ring(ring: Ring = Ring::new(false), spec: Model = Model::new(), threads = 2, ops = 2) {
        push(v: u32) => ring.push(v), push(spec, v);
        pop() => ring.pop(), spec.pop_front();
    }

    #[should_panic(expected = "not linearizable")]
    fn ring_that_does_not_look(ring: Ring = Ring::new(true), spec: Model = Model::new(), threads = 3, ops = 2) {
        push(v: u32) => ring.push(v), push(spec, v);
        pop() => ring.pop(), spec.pop_front();
    }
}
