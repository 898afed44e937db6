//! The only place where threads are started.

use std::ops::Range;
use std::sync::Mutex;

/// Expressions of models are evaluated by recursion, within limits that fit into this.
const STACK: usize = 16 << 20;

/// How many numbers make a piece.
const PIECE: u32 = 1 << 16;

/// Works on the numbers below `count` in pieces, on so many workers, and takes what comes of them in order. At most one
/// piece for each worker waits to be taken.
pub fn in_pieces<R: Send, E: Send>(
    count: u32,
    workers: usize,
    work: impl Fn(Range<u32>) -> Result<R, E> + Sync,
    mut take: impl FnMut(R),
) -> Result<(), E> {
    let starts: Vec<u32> = (0..count).step_by(PIECE as usize).collect();
    for some in starts.chunks(workers.max(1)) {
        let ranges = some.iter().map(|&start| start..count.min(start.saturating_add(PIECE)));
        all(workers, ranges.collect(), &work)?.into_iter().for_each(&mut take);
    }
    Ok(())
}

/// What comes of each task, in their order, on so many workers; or what ended the first that failed.
pub fn all<T: Send, R: Send, E: Send>(
    workers: usize,
    tasks: Vec<T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let mut results: Vec<Option<Result<R, E>>> = tasks.iter().map(|_| None).collect();
    let hands = workers.clamp(1, tasks.len().max(1));
    let places = tasks.into_iter().zip(&mut results).collect();
    run(&mut vec![(); hands], places, |(), (task, result)| *result = Some(work(task)));
    results.into_iter().flatten().collect()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_taken_in_order_and_a_failure_ends_them() {
        let count = 5 * PIECE + 7;
        for workers in [0, 1, 2, 4] {
            let mut seen = Vec::new();
            in_pieces(count, workers, Ok::<_, ()>, |piece| seen.extend(piece)).unwrap();
            assert!(seen.iter().copied().eq(0..count), "{workers}");
            let mut taken = 0;
            let fails = |piece: Range<u32>| match piece.start / PIECE {
                4 => Err("the fifth"),
                _ => Ok(()),
            };
            let ended = in_pieces(count, workers, fails, |()| taken += 1);
            assert_eq!((ended, taken <= 4), (Err("the fifth"), true), "{workers}");
        }
    }
}
