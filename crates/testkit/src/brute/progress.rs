//! Progress by the definitions, on the graph of all states of the reference interpreter.
//!
//! Every infinite execution of a finite graph stays in a cycle in the end. A cycle without returns is
//! looked for by taking away, again and again, states from which nothing is left to do; one with a step
//! of a thread and without a return of it, by asking of every such step whether there is a way back.
//! (The checker looks for components.) A thread that waits does a step that changes nothing.

use std::collections::{BTreeSet, HashMap};

use linchpin_model::Value;
use linchpin_model::program::{FaultKind, Memory, Program};

use crate::reference::{Counting, Moves, Phase, Shared, Thread, World};

/// What is known about the progress of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// All kinds of faults that some execution runs into.
    pub faults: BTreeSet<FaultKind>,
    /// In every infinite execution infinitely many operations return.
    pub lock_free: bool,
    /// Every thread that takes infinitely many steps returns from its operations.
    pub wait_free: bool,
    /// Every thread that takes infinitely many steps, in the end alone, returns from its operation.
    pub obstruction_free: bool,
}

/// A step: the thread (from 0), whether it is a return, and where it leads.
#[derive(Clone, Copy)]
struct Edge {
    thread: usize,
    returns: bool,
    target: usize,
}

/// Memory, threads, and how many fresh values were handed out.
type State = (Shared, Vec<Thread>, u32);

/// Decides the progress of the object of a check; `None` if there are too many states, or if it
/// depends on the bound of the heap.
///
/// # Panics
/// If there is no such check.
pub fn progress(program: &Program, check: usize, most: usize) -> Option<Progress> {
    let check = &program.checks[check];
    let world = World::new(program, check, Counting::Most);
    let mut faults = BTreeSet::new();
    let initial = world.initial_memory();
    faults.extend(&initial.faults);
    if initial.too_big || initial.heap_limit {
        return None;
    }
    let threads: Vec<Thread> = (1..=world.threads()).map(|me| world.initial_thread(me)).collect();
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut states: Vec<State> = Vec::new();
    let mut number = |state: State, states: &mut Vec<State>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for outcome in initial.all {
        let shared = without_garbage(&world, outcome.shared, &threads);
        number((shared, threads.clone(), 0), &mut states);
    }
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < states.len() {
        if states.len() > most {
            return None;
        }
        let from = edges.len();
        let (shared, threads, fresh) = states[from].clone();
        let mut out = Vec::new();
        for (thread, t) in threads.iter().enumerate() {
            for (moves, returns, fresh) in moves(&world, t, &shared, fresh) {
                faults.extend(&moves.faults);
                if moves.too_big || moves.heap_limit {
                    return None;
                }
                if matches!(t.phase, Phase::Running { .. }) && moves.is_stuck() {
                    out.push(Edge { thread, returns: false, target: from });
                }
                for (shared, moved, _) in moves.next {
                    let mut threads = threads.clone();
                    threads[thread] = moved;
                    let shared = without_garbage(&world, shared, &threads);
                    let target = number((shared, threads, fresh), &mut states);
                    out.push(Edge { thread, returns, target });
                }
            }
        }
        edges.push(out);
    }
    let all = 0..threads.len();
    Some(Progress {
        faults,
        lock_free: !goes_round(&edges, &|e| !e.returns),
        wait_free: !all.clone().any(|t| starves(&edges, t)),
        obstruction_free: !all
            .clone()
            .any(|t| goes_round(&edges, &|e| e.thread == t && !e.returns)),
    })
}

/// What a thread can do next: moves, whether they are a return, and the fresh values used then.
fn moves(
    world: &World<'_>,
    thread: &Thread,
    shared: &Shared,
    used: u32,
) -> Vec<(Moves, bool, u32)> {
    match &thread.phase {
        Phase::Doomed => Vec::new(),
        Phase::Idle => {
            let call = |(op, args): (_, Vec<Option<Value>>)| {
                let mut fresh = used;
                let mut make = || {
                    fresh += 1;
                    Value::Data(fresh)
                };
                let args: Vec<Value> =
                    args.into_iter().map(|a| a.unwrap_or_else(&mut make)).collect();
                (world.call(thread, shared, op, &args), false, fresh)
            };
            world.calls(thread).into_iter().map(call).collect()
        }
        phase => {
            let returns = matches!(phase, Phase::Returning(_));
            vec![(world.step(thread, shared), returns, used)]
        }
    }
}

/// The memory without what nobody can reach.
fn without_garbage(world: &World<'_>, shared: Shared, threads: &[Thread]) -> Shared {
    let memory = world.object.memory;
    if memory != Memory::Collected || shared.heap.is_empty() {
        return shared;
    }
    let mut kept = shared;
    let reached = kept.reached(memory, threads.iter().flat_map(Thread::roots));
    kept.keep(&reached, true);
    kept
}

/// Is there a cycle of these edges? States without such an edge are taken away until none is left.
fn goes_round(edges: &[Vec<Edge>], wanted: &dyn Fn(&Edge) -> bool) -> bool {
    let mut left = vec![true; edges.len()];
    loop {
        let mut changed = false;
        for (state, out) in edges.iter().enumerate() {
            if left[state] && !out.iter().any(|e| wanted(e) && left[e.target]) {
                left[state] = false;
                changed = true;
            }
        }
        if !changed {
            return left.contains(&true);
        }
    }
}

/// Is there a cycle with a step of the thread and without a return of it?
fn starves(edges: &[Vec<Edge>], thread: usize) -> bool {
    let allowed = |e: &&Edge| e.thread != thread || !e.returns;
    edges.iter().enumerate().any(|(state, out)| {
        out.iter().filter(|e| e.thread == thread && !e.returns).any(|first| {
            let mut seen = vec![false; edges.len()];
            let mut todo = vec![first.target];
            while let Some(here) = todo.pop() {
                if here == state {
                    return true;
                }
                if !std::mem::replace(&mut seen[here], true) {
                    todo.extend(edges[here].iter().filter(allowed).map(|e| e.target));
                }
            }
            false
        })
    })
}
