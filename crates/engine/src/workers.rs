//! The only place where threads are started.

use std::sync::Mutex;

/// Expressions of models are evaluated by recursion, within limits that fit into this.
const STACK: usize = 16 << 20;

/// Runs every task once, on whichever hand is free. Returns when all are done.
pub(crate) fn run<H: Send, T: Send>(
    hands: &mut [H],
    tasks: Vec<T>,
    work: impl Fn(&mut H, T) + Sync,
) {
    if hands.len() == 1 {
        for task in tasks {
            work(&mut hands[0], task);
        }
        return;
    }
    let queue = Mutex::new(tasks.into_iter());
    let drain = |hand: &mut H| {
        loop {
            let task = match queue.lock() {
                Ok(mut queue) => queue.next(),
                Err(_) => None,
            };
            match task {
                Some(task) => work(hand, task),
                None => break,
            }
        }
    };
    std::thread::scope(|scope| {
        let (first, others) = hands.split_at_mut(1);
        for hand in others {
            let worker = std::thread::Builder::new().stack_size(STACK);
            // Without it the others do its work.
            let _ = worker.spawn_scoped(scope, || drain(hand));
        }
        drain(&mut first[0]);
    });
}
