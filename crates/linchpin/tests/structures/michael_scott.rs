//! The queue of Michael and Scott: a list with a dummy node, whose tail may lag behind.

use std::ptr;

use linchpin::boxed::Box;
use linchpin::sync::atomic::{AtomicPtr, Ordering::*};

struct Node {
    value: u32,
    next: AtomicPtr<Node>,
}

struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
    /// All nodes, freed in the end. It is not part of the algorithm, so it need not be explored.
    nodes: std::sync::Mutex<Vec<*mut Node>>,
    /// `enqueue` does not look whether somebody else has appended something.
    broken: bool,
}

// SAFETY: nodes are freed by `drop` only.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    fn new(broken: bool) -> Queue {
        let null = AtomicPtr::default;
        let mut queue = Queue { head: null(), tail: null(), nodes: Default::default(), broken };
        let dummy = queue.node(0);
        *queue.head.get_mut() = dummy;
        *queue.tail.get_mut() = dummy;
        queue
    }

    fn node(&self, value: u32) -> *mut Node {
        let node = Box::into_raw(Box::new(Node { value, next: AtomicPtr::default() }));
        self.nodes.lock().unwrap().push(node);
        node
    }

    fn enqueue(&self, value: u32) {
        let node = self.node(value);
        loop {
            let tail = self.tail.load(Acquire);
            // SAFETY: nodes are freed in the end.
            let last = unsafe { &(*tail).next };
            let next = last.load(Acquire);
            if !next.is_null() && !self.broken {
                let _ = self.tail.compare_exchange(tail, next, AcqRel, Acquire);
                continue;
            }
            let appended = match self.broken {
                true => {
                    last.store(node, Release);
                    true
                }
                false => last.compare_exchange(ptr::null_mut(), node, AcqRel, Acquire).is_ok(),
            };
            if appended {
                let _ = self.tail.compare_exchange(tail, node, AcqRel, Acquire);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<u32> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            // SAFETY: nodes are freed in the end.
            let next = unsafe { (*head).next.load(Acquire) };
            if next.is_null() {
                return None;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, AcqRel, Acquire);
            } else if self.head.compare_exchange(head, next, AcqRel, Acquire).is_ok() {
                // SAFETY: as above.
                return Some(unsafe { (*next).value });
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        for node in self.nodes.lock().unwrap().drain(..) {
            // SAFETY: nobody else has the queue any more.
            drop(unsafe { Box::from_raw(node) });
        }
    }
}

linchpin::test! {
    fn michael_scott(
        queue: Queue = Queue::new(false),
        spec: std::collections::VecDeque<u32> = Default::default(),
        threads = 2,
        ops = 2,
    ) {
        enqueue(v: u32) => queue.enqueue(v), spec.push_back(v);
        dequeue() => queue.dequeue(), spec.pop_front();
    }

    #[should_panic(expected = "not linearizable")]
    fn michael_scott_that_overwrites(
        queue: Queue = Queue::new(true),
        spec: std::collections::VecDeque<u32> = Default::default(),
        threads = 3,
        ops = 2,
    ) {
        enqueue(v: u32) => queue.enqueue(v), spec.push_back(v);
        dequeue() => queue.dequeue(), spec.pop_front();
    }
}
