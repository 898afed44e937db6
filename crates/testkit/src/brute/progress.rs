//! Progress by the definitions, on the graph of all states of the reference interpreter.
//!
//! Every infinite execution of a finite graph stays in a cycle in the end. A cycle without returns is
//! looked for by taking away, again and again, states from which nothing is left to do; one with a step
//! of a thread and without a return of it, by asking of every such step whether there is a way back.
//! (The checker looks for components.) A thread that waits does a step that changes nothing.

use std::collections::{BTreeSet, HashMap};

use linchpin_lin::Value;
use linchpin_lin::program::{FaultKind, Memory, OpId, Program};

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

/// A step.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The thread, from 0.
    pub thread: usize,
    /// What it does.
    pub deed: Deed,
    /// Where it leads.
    pub target: usize,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Something inside an operation or script.
    Silent,
    /// A call.
    Call(OpId),
    /// A return.
    Return,
    /// Nothing: it waits.
    Wait,
}

/// All states of an object under its clients.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// All kinds of faults that some execution runs into.
    pub faults: BTreeSet<FaultKind>,
    /// How many initial states there are; they are the first ones.
    pub initial: usize,
    /// Steps by state.
    pub edges: Vec<Vec<Edge>>,
    /// Did an `assume` leave something out?
    pub assumed: bool,
}

/// Memory, threads, and how many fresh values were handed out.
type State = (Shared, Vec<Thread>, u32);

/// Decides the progress of the object of a check; `None` if there are too many states, or if it
/// depends on the bound of the heap.
///
/// # Panics
/// If there is no such check.
pub fn progress(program: &Program, check: usize, most: usize) -> Option<Progress> {
    let Explored { faults, edges, .. } = explored(program, check, most)?;
    let threads = edges.iter().flatten().map(|e| e.thread + 1).max().unwrap_or(0);
    let returns = |e: &Edge| e.deed == Deed::Return;
    Some(Progress {
        faults,
        lock_free: !goes_round(&edges, &|e| !returns(e)),
        wait_free: !(0..threads).any(|t| starves(&edges, t)),
        obstruction_free: !(0..threads)
            .any(|t| goes_round(&edges, &|e| e.thread == t && !returns(e))),
    })
}

/// All states of the object of a check; `None` if there are too many, or if it depends on the bound
/// of the heap.
///
/// # Panics
/// If there is no such check.
pub fn explored(program: &Program, check: usize, most: usize) -> Option<Explored> {
    let check = &program.checks[check];
    let world = World::new(program, check, Counting::Most);
    let mut found = Explored::default();
    let initial = world.initial_memory();
    found.faults.extend(&initial.faults);
    found.assumed |= initial.assumed;
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
    found.initial = states.len();
    while found.edges.len() < states.len() {
        if states.len() > most {
            return None;
        }
        let from = found.edges.len();
        let (shared, threads, fresh) = states[from].clone();
        let mut out = Vec::new();
        for (thread, t) in threads.iter().enumerate() {
            for (moves, deed, fresh) in moves(&world, t, &shared, fresh) {
                found.faults.extend(&moves.faults);
                found.assumed |= moves.pruned;
                if moves.too_big || moves.heap_limit {
                    return None;
                }
                if matches!(t.phase, Phase::Running { .. }) && moves.is_stuck() {
                    out.push(Edge { thread, deed: Deed::Wait, target: from });
                }
                for (shared, moved, _) in moves.next {
                    let mut threads = threads.clone();
                    threads[thread] = moved;
                    let shared = without_garbage(&world, shared, &threads);
                    let target = number((shared, threads, fresh), &mut states);
                    out.push(Edge { thread, deed, target });
                }
            }
        }
        found.edges.push(out);
    }
    Some(found)
}

/// What a thread can do next: moves, what they are, and the fresh values used then.
fn moves(
    world: &World<'_>,
    thread: &Thread,
    shared: &Shared,
    used: u32,
) -> Vec<(Moves, Deed, u32)> {
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
                (world.call(thread, shared, op, &args), Deed::Call(op), fresh)
            };
            world.calls(thread).into_iter().map(call).collect()
        }
        phase => {
            let deed = match phase {
                Phase::Returning(_) => Deed::Return,
                _ => Deed::Silent,
            };
            vec![(world.step(thread, shared), deed, used)]
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
    let allowed = |e: &&Edge| e.thread != thread || e.deed != Deed::Return;
    edges.iter().enumerate().any(|(state, out)| {
        out.iter().filter(|e| e.thread == thread && e.deed != Deed::Return).any(|first| {
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
