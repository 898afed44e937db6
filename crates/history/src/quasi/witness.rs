//! Do two orders explain a history within factors? Decided by going through them, without anything the search has
//! remembered.

use std::collections::{BTreeSet, HashMap};

use linchpin_lts::Watch;

use super::factors::{Factors, Reading};
use crate::history::Operation;
use crate::machine::Machine;
use crate::order;
use crate::spec::{Spec, Trouble};

/// That effects keep real time, that places are possible in every object, and that both are as close as the factors ask.
///
/// # Errors
/// What is wrong with the orders.
pub fn explains_quasi(
    spec: &Spec,
    operations: &[Operation],
    factors: &Factors,
    effects: &[u32],
    places: &[u32],
) -> Result<(), Trouble> {
    let wrong = |message: &str| Err(Trouble::plain(message.to_string()));
    let objects: BTreeSet<u32> = operations.iter().map(|o| o.object).collect();
    for object in objects {
        let own: Vec<u32> = (0..operations.len() as u32)
            .filter(|&i| operations[i as usize].object == object)
            .collect();
        let numbers: HashMap<u32, u32> = own.iter().copied().zip(0..).collect();
        let all: Vec<Operation> = own.iter().map(|&i| operations[i as usize].clone()).collect();
        let of = |order: &[u32]| -> Vec<u32> {
            order.iter().filter_map(|i| numbers.get(i).copied()).collect()
        };
        let (effects, places) = (of(effects), of(places));
        order::keeps_time(&all, &effects)?;
        let (a, b): (BTreeSet<u32>, BTreeSet<u32>) =
            (effects.iter().copied().collect(), places.iter().copied().collect());
        if a != b || places.len() != b.len() {
            return wrong("the two orders are not of the same operations");
        }
        let (mut machine, _) = Machine::new(spec, &all, &Watch::NEVER)?;
        // The groups that are known, and every way to read what is not, with the states after it.
        let mut known: Vec<Option<u8>> = vec![None; all.len()];
        let mut guessed = Vec::new();
        let mut ways: Vec<(u32, Vec<Option<u8>>)> =
            machine.initial().iter().map(|&s| (s, Vec::new())).collect();
        for &i in &places {
            let operation = &all[i as usize];
            let mut readings = Vec::new();
            for reading in factors.readings(operation.op, operation.result.as_ref()) {
                readings.push(match reading {
                    Reading::Plain(group) => (machine.call(operation)?, group),
                    Reading::But(results, group) => (machine.call_but(operation, &results)?, group),
                    Reading::Is(result, group) => {
                        let known = Operation { result: Some(result), ..operation.clone() };
                        let Ok(call) = machine.call(&known) else { continue };
                        (call, group)
                    }
                });
            }
            let several = readings.len() > 1;
            match readings[..] {
                [(_, group)] => known[i as usize] = group,
                _ => guessed.push(i),
            }
            let mut next = Vec::new();
            for (state, groups) in ways {
                for &(call, group) in &readings {
                    let mut moves = Vec::new();
                    machine.moves(state, call, &mut moves);
                    for to in moves {
                        let mut groups = groups.clone();
                        groups.extend(several.then_some(group));
                        next.push((to, groups));
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            ways = next;
        }
        if ways.is_empty() {
            return wrong("the specification does not allow the places");
        }
        let close = |(_, groups): &(u32, Vec<Option<u8>>)| {
            let mut all = known.clone();
            guessed.iter().zip(groups).for_each(|(&i, group)| all[i as usize] = *group);
            is_close(factors, &effects, &places, &all)
        };
        if !ways.iter().any(close) {
            return wrong("the two orders are further apart than the factors allow");
        }
    }
    Ok(())
}

/// Are indices close enough, and can one walk through both orders without a group drifting apart?
fn is_close(factors: &Factors, effects: &[u32], places: &[u32], groups: &[Option<u8>]) -> bool {
    let indices = |order: &[u32]| -> Vec<i32> {
        let mut counts = vec![0; factors.groups.len()];
        let mut indices = vec![0; groups.len()];
        for &i in order {
            if let Some(group) = groups[i as usize] {
                indices[i as usize] = counts[group as usize];
                counts[group as usize] += 1;
            }
        }
        indices
    };
    let (effect, place) = (indices(effects), indices(places));
    let far = |&i: &u32| {
        let i = i as usize;
        groups[i].is_some_and(|g| (effect[i] - place[i]).abs() > factors.factor(g))
    };
    if effects.iter().any(far) {
        return false;
    }
    // Where the walk can be: how far in both orders, with what was passed in one of them only.
    let n = effects.len();
    type Stop = (usize, usize, BTreeSet<u32>, BTreeSet<u32>);
    let mut todo: Vec<Stop> = vec![(0, 0, BTreeSet::new(), BTreeSet::new())];
    let mut seen = BTreeSet::from([(0, 0)]);
    while let Some((a, b, unplaced, promised)) = todo.pop() {
        if (a, b) == (n, n) {
            return true;
        }
        let mut go = |a: usize, b: usize, unplaced: BTreeSet<u32>, promised: BTreeSet<u32>| {
            let fits = |set: &BTreeSet<u32>| {
                (0..factors.groups.len() as u8).all(|g| {
                    let own = set.iter().filter(|i| groups[**i as usize] == Some(g)).count() as i32;
                    own <= factors.factor(g)
                }) && set.iter().all(|i| groups[*i as usize].is_some())
            };
            if fits(&unplaced) && fits(&promised) && seen.insert((a, b)) {
                todo.push((a, b, unplaced, promised));
            }
        };
        if a < n && b < n && effects[a] == places[b] {
            go(a + 1, b + 1, unplaced.clone(), promised.clone());
        }
        if a < n {
            let (mut unplaced, mut promised) = (unplaced.clone(), promised.clone());
            if !promised.remove(&effects[a]) {
                unplaced.insert(effects[a]);
            }
            go(a + 1, b, unplaced, promised);
        }
        if b < n {
            let (mut unplaced, mut promised) = (unplaced, promised);
            if !unplaced.remove(&places[b]) {
                promised.insert(places[b]);
            }
            go(a, b + 1, unplaced, promised);
        }
    }
    false
}
