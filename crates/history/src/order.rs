//! Does an order explain a history? Decided by going through it, without anything the search has remembered.

use std::collections::BTreeMap;

use linchpin_lts::Watch;

use crate::history::Operation;
use crate::machine::Machine;
use crate::spec::{Spec, Trouble};

/// That an order has every operation that returns once and none twice, and keeps real time.
///
/// # Errors
/// What is wrong with the order.
pub(crate) fn keeps_time(operations: &[Operation], order: &[u32]) -> Result<(), Trouble> {
    let wrong = |message: &str| Err(Trouble::plain(message.to_string()));
    let mut placed = vec![false; operations.len()];
    // Going back from the end: whatever comes earlier must have been called before what comes later has returned.
    let mut first_return = u32::MAX;
    for &i in order.iter().rev() {
        let Some(operation) = operations.get(i as usize) else { return wrong("no such operation") };
        if std::mem::replace(&mut placed[i as usize], true) {
            return wrong("an operation takes effect twice");
        }
        first_return = first_return.min(operation.ret);
        if operation.call > first_return {
            return wrong("an operation takes effect before another that returned before its call");
        }
    }
    if operations.iter().zip(&placed).any(|(o, placed)| o.returns() && !placed) {
        return wrong("an operation that returned does not take effect");
    }
    Ok(())
}

/// That an order has every operation that returns once and none twice, keeps real time, and is possible in every object.
///
/// # Errors
/// What is wrong with the order.
pub fn explains(spec: &Spec, operations: &[Operation], order: &[u32]) -> Result<(), Trouble> {
    let wrong = |message: &str| Err(Trouble::plain(message.to_string()));
    keeps_time(operations, order)?;
    let mut objects: BTreeMap<u32, Vec<Operation>> = BTreeMap::new();
    for &i in order {
        let operation = &operations[i as usize];
        objects.entry(operation.object).or_default().push(operation.clone());
    }
    for own in objects.values() {
        let (mut machine, calls) = Machine::new(spec, own, &Watch::NEVER)?;
        let mut states: Vec<u32> = machine.initial().to_vec();
        for call in calls {
            let mut next = Vec::new();
            states.iter().for_each(|&state| machine.moves(state, call, &mut next));
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return wrong("the specification does not allow the order");
            }
            if machine.states() > 1 << 14 {
                machine.forget(&next);
                next = (0..next.len() as u32).collect();
            }
            states = next;
        }
    }
    Ok(())
}
