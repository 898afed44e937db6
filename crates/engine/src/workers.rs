//! The only place where threads are started.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Expressions of models are evaluated by recursion, within limits that fit into this.
const STACK: usize = 16 << 20;

/// How many numbers make a piece.
const PIECE: u32 = 1 << 16;

/// Something that workers write to, in cache lines of its own (processors fetch them in pairs).
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

/// Works on the numbers below `count` in pieces, on so many workers, and takes what comes of them in order, while others
/// are worked on. At most four pieces for each worker wait to be taken.
pub fn in_pieces<R: Send, E: Send>(
    count: u32,
    workers: usize,
    work: impl Fn(Range<u32>) -> Result<R, E> + Sync,
    take: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    /// What a hand does next.
    enum Task<'p, R, E> {
        Take(Vec<Result<R, E>>, &'p mut Result<(), E>),
        Work(Range<u32>, &'p mut Option<Result<R, E>>),
    }
    let workers = workers.max(1);
    let take = Mutex::new(take);
    let mut hands = vec![(); workers];
    let mut done: Vec<Result<R, E>> = Vec::new();
    let mut starts = (0..count).step_by(PIECE as usize);
    loop {
        let at_a_time = if workers == 1 { 1 } else { 2 * workers };
        let some: Vec<u32> = starts.by_ref().take(at_a_time).collect();
        if some.is_empty() && done.is_empty() {
            return Ok(());
        }
        let mut taken = Ok(());
        let mut pieces: Vec<Option<Result<R, E>>> = some.iter().map(|_| None).collect();
        let ranges = some.iter().map(|&start| start..count.min(start.saturating_add(PIECE)));
        let mut tasks = vec![Task::Take(std::mem::take(&mut done), &mut taken)];
        tasks.extend(ranges.zip(&mut pieces).map(|(range, piece)| Task::Work(range, piece)));
        run(&mut hands, tasks, |(), task| match task {
            Task::Work(range, piece) => *piece = Some(work(range)),
            Task::Take(done, taken) => {
                let mut take = take.lock().unwrap_or_else(PoisonError::into_inner);
                *taken = done.into_iter().try_for_each(|piece| take(piece?));
            }
        });
        taken?;
        done.extend(pieces.into_iter().flatten());
    }
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
            let take = |piece: Range<u32>| {
                seen.extend(piece);
                Ok(())
            };
            in_pieces(count, workers, Ok::<_, ()>, take).unwrap();
            assert!(seen.iter().copied().eq(0..count), "{workers}");
            let mut taken = 0;
            let fails = |piece: Range<u32>| match piece.start / PIECE {
                4 => Err("the fifth"),
                _ => Ok(()),
            };
            let ended = in_pieces(count, workers, fails, |()| {
                taken += 1;
                Ok(())
            });
            assert_eq!((ended, taken), (Err("the fifth"), 4), "{workers}");
            let third = |piece: Range<u32>| match piece.start / PIECE {
                2 => Err("the third"),
                _ => Ok(()),
            };
            assert_eq!(in_pieces(count, workers, Ok, third), Err("the third"), "{workers}");
        }
    }
}
