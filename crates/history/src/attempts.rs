//! How far orders come in a history that has none: the longest ones, and what stands in their way.
//!
//! Found by the code that explains violations of models (`linchpin_evidence::why`), in the history and the specification as
//! the judge has them. Of a long history there is one: the order that shows that the judge has found the first return that
//! nothing explains. Of sequential consistency, where there is no first one, the search for an order says how far it came.

use linchpin_evidence::why::{self, Obstacle as Why};
use linchpin_lts::Watch;

use crate::datum::Datum;
use crate::decide::{Means, decide};
use crate::history::{NEVER, Operation};
use crate::judge::{Prepared, Reason, prepare};
use crate::order::explains;
use crate::sequential::decide_sequential;
use crate::spec::{Spec, Trouble};

/// An order that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The state in which it begins; empty if it is not known.
    pub initial: String,
    /// Operations, by their numbers, with the states after them.
    pub steps: Vec<(usize, String)>,
    /// Operations that returned and have no place in it, each with what stands in the way.
    pub stuck: Vec<(usize, Obstacle)>,
}

/// Why an operation cannot be next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// This operation had returned before it was called, and has no place yet.
    After(usize),
    /// The specification would give one of these results instead.
    Result(Vec<Datum>),
    /// The specification does not allow the operation there.
    Impossible,
}

/// Most operations for which all longest orders are looked for: what looks goes as deep as there are operations.
const MOST: usize = 200;

/// Most configurations of an order that is only drawn.
const DRAWN: u64 = 1_000_000;

/// The longest orders of a history that has none, as the judge has confirmed.
pub fn attempts(
    spec: &Spec,
    operations: &[Operation],
    reason: &Reason,
    watch: &Watch,
) -> Vec<Attempt> {
    let found = match operations.len() <= MOST {
        true => longest(spec, operations, reason, watch).unwrap_or_default(),
        false => Vec::new(),
    };
    match (&reason.before, found.is_empty()) {
        (Some(before), true) => {
            let obstacle = match &reason.allowed {
                Some(allowed) if !allowed.is_empty() => Obstacle::Result(allowed.clone()),
                _ => Obstacle::Impossible,
            };
            vec![Attempt {
                initial: reason.initial.clone(),
                steps: before.clone(),
                stuck: vec![(reason.operation, obstacle)],
            }]
        }
        _ => found,
    }
}

fn longest(
    spec: &Spec,
    operations: &[Operation],
    reason: &Reason,
    watch: &Watch,
) -> Option<Vec<Attempt>> {
    let Prepared { written, specification, ops, identity, history, .. } =
        prepare(spec, operations, watch).ok()?;
    let known = history.operations().ok()?;
    let event = known.get(reason.operation)?.response.as_ref()?.event;
    let obstacle = |i: usize, why: Why| match why {
        Why::After(first) => Obstacle::After(first),
        Why::Impossible => Obstacle::Impossible,
        Why::Result(values) => {
            let op = ops[operations[i].op as usize].0 as u8;
            Obstacle::Result(values.iter().map(|v| written.shown_result(op, v)).collect())
        }
    };
    let found = why::attempts(&known, event, &specification, &identity);
    let attempt = |a: why::Attempt| Attempt {
        initial: written.describe(&a.order.initial),
        steps: (a.order.steps.iter()).map(|s| (s.operation, written.describe(&s.state))).collect(),
        stuck: a.stuck.into_iter().map(|(i, why)| (i, obstacle(i, why))).collect(),
    };
    Some(found.into_iter().map(attempt).collect())
}

/// The longest order, keeping that of every process, of a history that is not sequentially consistent.
pub fn attempts_sequential(spec: &Spec, operations: &[Operation], watch: &Watch) -> Vec<Attempt> {
    let Ok(decision) = decide_sequential(spec, operations, DRAWN, watch) else { return Vec::new() };
    let Some(order) = decision.order.filter(|_| decision.verdict.is_violated()) else {
        return Vec::new();
    };
    let mut placed = vec![false; operations.len()];
    order.iter().for_each(|&i| placed[i as usize] = true);
    // Of every process the next one; none of them can be, or the order would be longer.
    let mut waiting: Vec<u32> = Vec::new();
    let mut stuck = Vec::new();
    for (i, operation) in operations.iter().enumerate().filter(|(i, _)| !placed[*i]) {
        if !waiting.contains(&operation.process) {
            waiting.push(operation.process);
            stuck.push((i, Obstacle::Impossible));
        }
    }
    let steps = order.into_iter().map(|i| (i as usize, String::new())).collect();
    vec![Attempt { initial: String::new(), steps, stuck }]
}

/// An order of everything before a place, by the numbers of the operations; nothing if there is none, or it takes too long to
/// find it.
///
/// # Errors
/// If the order that was found is none.
pub fn order_before(
    spec: &Spec,
    operations: &[Operation],
    place: u32,
    means: &Means,
    watch: &Watch,
) -> Result<Option<Vec<u32>>, Trouble> {
    let called = |i: &u32| operations[*i as usize].call < place;
    let numbers: Vec<u32> = (0..operations.len() as u32).filter(called).collect();
    let until = |&i: &u32| match &operations[i as usize] {
        o if o.ret >= place => Operation { ret: NEVER, result: None, ..o.clone() },
        o => o.clone(),
    };
    let before: Vec<Operation> = numbers.iter().map(until).collect();
    let means = Means { orders: true, most: DRAWN, ..*means };
    let Ok(decision) = decide(spec, &before, &means, watch) else { return Ok(None) };
    let Some(order) = decision.order.filter(|_| decision.verdict.holds()) else { return Ok(None) };
    explains(spec, &before, &order)?;
    Ok(Some(order.into_iter().map(|i| numbers[i as usize]).collect()))
}
