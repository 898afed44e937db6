//! Queues of published crates, unmodified.

use std::collections::VecDeque;

use concurrent_queue::ConcurrentQueue;

type Heapless = heapless::mpmc::Queue<u32, 2>;

fn push(spec: &mut VecDeque<u32>, bound: usize, value: u32) -> bool {
    let room = spec.len() < bound;
    if room {
        spec.push_back(value);
    }
    room
}

/// A queue that is full, like that of https://github.com/rust-embedded/heapless/issues/583.
#[expect(deprecated, reason = "it is deprecated because of what is shown here, and there is no other")]
fn full() -> Heapless {
    let queue = Heapless::new();
    assert!(queue.enqueue(101).is_ok() && queue.enqueue(102).is_ok());
    queue
}

linchpin::test! {
    // It says that it is full after a pop has made room: a slower pop is not done.
    #[should_panic(expected = "not linearizable")]
    fn heapless_says_full_after_a_pop(
        queue: Heapless = full(),
        spec: VecDeque<u32> = [101, 102].into(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.enqueue(v).is_ok(), push(spec, 2, v);
        pop() => queue.dequeue(), spec.pop_front();
    }

    fn concurrent_queue_bounded(
        queue: ConcurrentQueue<u32> = ConcurrentQueue::bounded(2),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 2, v);
        pop() => queue.pop().ok(), spec.pop_front();
    }

    // It says that it is full while a pop is under way, after another pop has said that it is empty.
    #[should_panic(expected = "push(4) -> false")]
    fn concurrent_queue_single(
        queue: ConcurrentQueue<u32> = ConcurrentQueue::bounded(1),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 1, v);
        pop() => queue.pop().ok(), spec.pop_front();
    }

    fn concurrent_queue_unbounded(
        queue: ConcurrentQueue<u32> = ConcurrentQueue::unbounded(),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), { spec.push_back(v); true };
        pop() => queue.pop().ok(), spec.pop_front();
    }
}
