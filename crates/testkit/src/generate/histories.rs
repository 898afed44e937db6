//! Random histories of a specification, near the line between right and wrong.
//!
//! Threads call and return at random. The results are those of the specification run in one order of
//! the operations: a real-time order, any order that keeps the order of each thread, or any order at
//! all; sometimes one result is replaced by that of another operation.

use linchpin_lin::Value;
use linchpin_lin::program::{Check, Domain, OpId};
use linchpin_lin::specify::Specification;

use super::rng::Rng;
use crate::brute::Event;

/// An operation while the history is being made.
struct Operation {
    thread: u32,
    op: OpId,
    args: Vec<Value>,
    result: Option<Value>,
    returns: bool,
}

/// A history of at most `most` operations for the specification of a check whose parameters have
/// enumerated domains. The operations of object and specification are the same, in the same order.
pub fn history(specification: &Specification, check: &Check, most: usize, seed: u64) -> Vec<Event> {
    let mut rng = Rng::new(seed);
    let threads = specification.threads();
    let count = 1 + rng.below(most);
    let mut operations: Vec<Operation> = Vec::new();
    // Calls and returns, by operation.
    let mut skeleton: Vec<(usize, bool)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    while operations.len() < count || !open.is_empty() {
        let idle: Vec<u32> =
            (1..=threads).filter(|t| open.iter().all(|&i| operations[i].thread != *t)).collect();
        let may_call = operations.len() < count && !idle.is_empty();
        if may_call && (open.is_empty() || rng.percent(55)) {
            let op = OpId(rng.below(specification.unit().ops.len()) as u32);
            let args = check.domains[op.index()].iter().map(|domain| match domain {
                Domain::OneOf(values) => values[rng.below(values.len())].clone(),
                Domain::Data(_) => Value::Data(1 + rng.below(2) as u32),
            });
            let args = args.collect();
            let thread = idle[rng.below(idle.len())];
            open.push(operations.len());
            skeleton.push((operations.len(), true));
            operations.push(Operation { thread, op, args, result: None, returns: true });
        } else {
            let i = open.remove(rng.below(open.len()));
            // Some never return; nothing of their thread comes after.
            operations[i].returns = operations.len() < count || rng.percent(70);
            skeleton.push((i, false));
        }
    }
    execute(specification, &mut operations, &skeleton, &mut rng);
    skeleton
        .into_iter()
        .filter_map(|(i, call)| {
            let Operation { thread, op, args, result, returns } = &operations[i];
            match (call, result) {
                (true, _) => Some(Event::Call { thread: *thread, op: *op, args: args.clone() }),
                (false, Some(result)) if *returns => {
                    Some(Event::Return { thread: *thread, result: result.clone() })
                }
                (false, _) => None,
            }
        })
        .collect()
}

/// Gives the operations their results.
fn execute(
    specification: &Specification,
    operations: &mut [Operation],
    skeleton: &[(usize, bool)],
    rng: &mut Rng,
) {
    let order = order(operations, skeleton, rng);
    let Some(mut state) = specification.initial().ok().and_then(|all| all.into_iter().next())
    else {
        return;
    };
    for i in order {
        let Operation { thread, op, args, .. } = &operations[i];
        let outcomes = specification.execute(&state, *op, args, *thread).unwrap_or_default();
        // An operation that is not possible here never returns.
        if let Some((next, result)) = rng.pick(&outcomes).cloned() {
            state = next;
            operations[i].result = Some(result);
        }
    }
    if rng.percent(25) {
        let (i, j) = (rng.below(operations.len()), rng.below(operations.len()));
        if operations[i].op == operations[j].op && operations[j].result.is_some() {
            operations[i].result = operations[j].result.clone();
        }
    }
    // Nothing comes after an operation that has not returned.
    for i in 0..operations.len() {
        if operations[i].result.is_none() || !operations[i].returns {
            let thread = operations[i].thread;
            operations[i].returns = false;
            if operations[i + 1..].iter().any(|o| o.thread == thread) {
                operations[i].returns = true;
                operations[i].result.get_or_insert(Value::Unit);
            }
        }
    }
}

/// The order in which the operations are executed.
fn order(operations: &[Operation], skeleton: &[(usize, bool)], rng: &mut Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..operations.len()).collect();
    match rng.below(3) {
        // Each at its call or at its return.
        0 => {
            let early: Vec<bool> = all.iter().map(|_| rng.percent(50)).collect();
            skeleton.iter().filter(|(i, call)| early[*i] == *call).map(|(i, _)| *i).collect()
        }
        // The threads in any interleaving, or everything in any order.
        kind => {
            let mut order = Vec::new();
            while !all.is_empty() {
                let first = |&k: &usize| {
                    let thread = operations[all[k]].thread;
                    kind == 2 || all[..k].iter().all(|&j| operations[j].thread != thread)
                };
                let ready: Vec<usize> = (0..all.len()).filter(first).collect();
                order.push(all.remove(ready[rng.below(ready.len())]));
            }
            order
        }
    }
}
