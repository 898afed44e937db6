//! Clients: which thread calls which operations, one after the other; and how they are run.
//!
//! All clients within the bounds are tried, those with fewer operations first, so that the first that fails is one of
//! the smallest. Clients that differ in the names of threads only are tried once.

use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use crate::runtime::event::Kind;
use crate::runtime::scheduler::{Program, join_all};
use crate::runtime::{self, world::World};
use crate::spec::Operation;

/// The operations of every thread, each by its number among those that are possible at its place.
pub(crate) type Choices = Vec<Vec<usize>>;

/// A client.
#[derive(Clone, Debug)]
pub(crate) struct Client<Op> {
    pub(crate) choices: Choices,
    pub(crate) threads: Vec<Vec<Op>>,
}

impl<Op: Operation> Client<Op> {
    /// The client with these choices; `None` if there are no such operations.
    pub(crate) fn new(choices: Choices) -> Option<Client<Op>> {
        let mut place = 0;
        let threads = choices.iter().map(|thread| {
            let ops = thread.iter().map(|&choice| {
                place += 1;
                Op::all(place).into_iter().nth(choice)
            });
            ops.collect::<Option<Vec<Op>>>()
        });
        Some(Client { threads: threads.collect::<Option<_>>()?, choices })
    }
}

/// How many operations every thread has, for so many operations in all: never more than the thread before.
fn shapes(total: usize, threads: usize, most: usize) -> Vec<Vec<usize>> {
    if total == 0 {
        return vec![Vec::new()];
    }
    if threads == 0 {
        return Vec::new();
    }
    let mut all = Vec::new();
    for first in (1..=most.min(total)).rev() {
        for mut rest in shapes(total - first, threads - 1, first) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// All clients with so many operations, called by at most so many threads with at most so many each.
pub(crate) fn clients(kinds: usize, total: usize, threads: usize, most: usize) -> Vec<Choices> {
    let mut all = Vec::new();
    for shape in shapes(total, threads, most) {
        let mut partial: Vec<Choices> = vec![Vec::new()];
        for &length in &shape {
            let sequences = sequences(kinds, length);
            let longer = |choices: &Choices| {
                // Threads with as many operations are in order.
                let least = choices.last().filter(|last| last.len() == length).cloned();
                let later =
                    sequences.iter().filter(move |s| least.as_ref().is_none_or(|l| *s >= l));
                later
                    .map(|s| {
                        let mut choices = choices.clone();
                        choices.push(s.clone());
                        choices
                    })
                    .collect::<Vec<_>>()
            };
            partial = partial.iter().flat_map(longer).collect();
        }
        all.extend(partial);
    }
    all
}

/// All clients with one operation less.
pub(crate) fn without_one(choices: &Choices) -> Vec<Choices> {
    let mut all = Vec::new();
    for (thread, ops) in choices.iter().enumerate() {
        for op in 0..ops.len() {
            let mut fewer = choices.clone();
            fewer[thread].remove(op);
            fewer.retain(|ops| !ops.is_empty());
            if !fewer.is_empty() {
                all.push(fewer);
            }
        }
    }
    all
}

fn sequences(kinds: usize, length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |s: &Vec<usize>| {
            let with = |kind| [s.as_slice(), &[kind]].concat();
            (0..kinds).map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// What the operations of a client returned, thread by thread.
pub(crate) type Results<Ret> = Rc<RefCell<Vec<Vec<Ret>>>>;

/// Carries an operation out.
pub(crate) type Run<O, Op, Ret> = Rc<dyn Fn(&O, &Op) -> Ret>;

/// The program in which a client uses an object.
pub(crate) fn program<O, Op, Ret>(
    client: &Client<Op>,
    make: Rc<dyn Fn() -> O>,
    run: Run<O, Op, Ret>,
) -> (Program, Results<Ret>)
where
    O: Send + Sync + 'static,
    Op: Operation,
    Ret: 'static,
{
    let results: Results<Ret> = Rc::default();
    let (to, threads) = (results.clone(), Rc::new(client.threads.clone()));
    let program = Rc::new(move || {
        *to.borrow_mut() = threads.iter().map(|_| Vec::new()).collect();
        let object = Arc::new(make());
        for thread in 0..threads.len() {
            let (object, run, to) = (object.clone(), run.clone(), to.clone());
            let threads = threads.clone();
            runtime::spawn(Box::new(move || {
                for (number, op) in threads[thread].iter().enumerate() {
                    runtime::with(|world: &mut World| world.call(number as u32));
                    let result = run(&object, op);
                    returns();
                    to.borrow_mut()[thread].push(result);
                }
            }));
        }
        join_all();
        // Dropped by the first thread, when all others have ended.
        drop(object);
    });
    (program, results)
}

/// The operation of the running thread returns.
#[track_caller]
pub(crate) fn returns() {
    if runtime::with(|world| world.is_untouched()) == Some(true) {
        // It has accessed nothing, but it takes place at some time.
        static NOTHING: u8 = 0;
        runtime::point(&raw const NOTHING as usize, Kind::Nothing, Location::caller());
    }
    runtime::with(World::ret);
}
