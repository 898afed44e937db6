//! The orders that the page of a log draws through its operations.
//!
//! If there is an order, that one; if it is not known, the longest found; if there is none, the longest ones of the operations
//! that matter, each with what stands in its way, and one of the whole history up to there. (Of `quasi`, the order in
//! which operations take effect, as far as it goes.) They are looked for after the
//! verdict, within limits of their own: no verdict depends on whether somebody wants a page.

use std::collections::HashMap;

use linchpin_history::{
    Attempt, Decision, Means, Obstacle, Operation, Spec, Trouble, attempts, attempts_sequential,
    decide, explains, order_before,
};
use linchpin_lts::Verdict;

use crate::demand::{Condition, Shown};
use crate::watch::Watch;

/// An order as it is drawn; operations have their numbers in the whole history.
#[derive(Debug)]
pub(crate) struct Drawn {
    /// The state in which it begins; empty if that is not shown.
    pub(crate) initial: String,
    /// Operations with the states after them.
    pub(crate) steps: Vec<(u32, String)>,
    /// What stands in the way of those that have no place.
    pub(crate) stuck: Vec<(u32, Obstacle)>,
    /// Is it of the whole history, or of the operations that matter?
    pub(crate) whole: bool,
}

/// Most operations of a history for which an order is looked for only to be drawn, and most configurations for that.
const LONG: usize = 100_000;
const MOST: u64 = 1_000_000;

/// The numbers in the whole history of what is left of it.
pub(crate) fn numbers(operations: &[Operation], left: &[Operation]) -> Vec<u32> {
    let called: HashMap<u32, u32> = operations.iter().map(|o| o.call).zip(0..).collect();
    left.iter().filter_map(|o| called.get(&o.call).copied()).collect()
}

/// The orders of a history that was decided.
///
/// # Errors
/// If an order that was found is none.
pub(crate) fn drawn(
    spec: &Spec,
    condition: Condition,
    operations: &[Operation],
    (decision, effects, violation): (&Decision, Option<&[u32]>, Option<&Shown>),
    means: &Means,
    watch: &Watch<'_>,
) -> Result<Vec<Drawn>, Trouble> {
    // What takes effect when, as far as it goes.
    if let Some(effects) = effects {
        let steps: Vec<_> = effects.iter().map(|&i| (i, String::new())).collect();
        let drawn = Drawn { initial: String::new(), steps, stuck: Vec::new(), whole: true };
        return Ok(Some(drawn).filter(|d| !d.steps.is_empty()).into_iter().collect());
    }
    let within = watch.confirming();
    let local = condition != Condition::Sequential;
    let short = local && operations.len() <= LONG;
    let whole = match (violation, &decision.verdict) {
        (Some(shown), _) => match shown.operations.get(shown.reason.operation) {
            Some(failing) if short => order_before(spec, operations, failing.ret, means, &within)?,
            _ => None,
        },
        (None, Verdict::Holds) if decision.order.is_none() && short => {
            let means = Means { orders: true, most: MOST, ..*means };
            let found = decide(spec, operations, &means, &within).ok();
            let found = found.filter(|d| d.verdict.holds()).and_then(|d| d.order);
            if let Some(order) = &found {
                explains(spec, operations, order)?;
            }
            found
        }
        (None, Verdict::Violated(_)) => None,
        (None, _) => decision.order.clone(),
    };
    let mut all = Vec::new();
    if let Some(shown) = violation {
        let found = match local {
            true => attempts(spec, &shown.operations, &shown.reason, &within),
            false => attempts_sequential(spec, &shown.operations, &within),
        };
        all.extend(found.into_iter().map(|attempt| numbered(attempt, &shown.numbers)));
    }
    if let Some(order) = whole.filter(|order| !order.is_empty()) {
        let steps = order.into_iter().map(|i| (i, String::new())).collect();
        all.push(Drawn { initial: String::new(), steps, stuck: Vec::new(), whole: true });
    }
    Ok(all)
}

/// An order of what matters, with the numbers of the whole history.
fn numbered(attempt: Attempt, numbers: &[u32]) -> Drawn {
    let number = |i: usize| numbers[i];
    let obstacle = |o: Obstacle| match o {
        Obstacle::After(first) => Obstacle::After(number(first) as usize),
        other => other,
    };
    Drawn {
        initial: attempt.initial,
        steps: attempt.steps.into_iter().map(|(i, state)| (number(i), state)).collect(),
        stuck: attempt.stuck.into_iter().map(|(i, o)| (number(i), obstacle(o))).collect(),
        whole: false,
    }
}
