//! Queues of crossbeam and thingbuf, compiled as they are where `core` is ours.

use std::collections::VecDeque;

use explored_crossbeam_queue_0_2::SegQueue as OldSegQueue;
use explored_crossbeam_queue_0_3::{ArrayQueue, SegQueue};
use explored_thingbuf::ThingBuf;

fn push(spec: &mut VecDeque<u32>, bound: usize, value: u32) -> bool {
    let room = spec.len() < bound;
    if room {
        spec.push_back(value);
    }
    room
}

/// A block has 31 places; the next push is into the last of them.
fn at_the_end_of_a_block() -> OldSegQueue<u32> {
    let queue = OldSegQueue::new();
    for _ in 0..30 {
        queue.push(0);
        assert_eq!(queue.pop().ok(), Some(0));
    }
    queue
}

linchpin::test! {
    // https://github.com/crossbeam-rs/crossbeam/issues/523
    #[should_panic(expected = "attempt to subtract with overflow")]
    fn crossbeam_0_2_1_len_panics(
        queue: OldSegQueue<u32> = at_the_end_of_a_block(),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 3,
        ops = 1,
    ) {
        push(v: u32) => queue.push(v), spec.push_back(v);
        pop() => queue.pop().ok(), spec.pop_front();
        len() => queue.len(), spec.len();
    }

    fn crossbeam_0_3_12_unbounded(
        queue: SegQueue<u32> = SegQueue::new(),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v), spec.push_back(v);
        pop() => queue.pop(), spec.pop_front();
    }

    fn crossbeam_0_3_12_bounded(
        queue: ArrayQueue<u32> = ArrayQueue::new(2),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 2, v);
        pop() => queue.pop(), spec.pop_front();
    }

    fn thingbuf_0_1_6(
        queue: ThingBuf<u32> = ThingBuf::new(2),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 2, v);
        pop() => queue.pop(), spec.pop_front();
    }
}

/// Full, with its places used once.
fn full() -> ThingBuf<u32> {
    let queue = ThingBuf::new(2);
    assert!(queue.push(101).is_ok() && queue.push(102).is_ok());
    queue
}

linchpin::test! {
    // A push that finds a slow pop at its place skips the place, and a later one says full after the pop has made room.
    #[should_panic(expected = "not linearizable")]
    fn thingbuf_0_1_6_full(
        queue: ThingBuf<u32> = full(),
        spec: VecDeque<u32> = [101, 102].into(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 2, v);
        pop() => queue.pop(), spec.pop_front();
    }

    fn thingbuf_0_1_6_len(
        queue: ThingBuf<u32> = ThingBuf::new(2),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 3,
        ops = 1,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 2, v);
        pop() => queue.pop(), spec.pop_front();
        len() => queue.len(), spec.len();
    }

    // A push goes round and round while a pop is at the only place.
    #[should_panic(expected = "it is still running")]
    fn thingbuf_0_1_6_single(
        queue: ThingBuf<u32> = ThingBuf::new(1),
        spec: VecDeque<u32> = VecDeque::new(),
        threads = 2,
        ops = 2,
    ) {
        push(v: u32) => queue.push(v).is_ok(), push(spec, 1, v);
        pop() => queue.pop(), spec.pop_front();
    }
}
