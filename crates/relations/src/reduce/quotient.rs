//! A system with its equal states merged.

use linchpin_engine::{Budget, Limit};
use linchpin_lts::{Edge, Explicit, TAU};

use super::{Equivalence, Partition, partition};

/// The smallest system with the same behaviour up to an equivalence: one state for each block that
/// can be reached, numbered breadth first.
pub fn quotient(
    lts: &Explicit,
    equivalence: Equivalence,
    budget: &Budget<'_>,
) -> Result<Explicit, Limit> {
    let partition = partition(lts, equivalence, budget)?;
    let steps = partition.moves.iter().map(|moves| moves.len()).sum();
    budget.within.room::<(u32, u32, u32, Edge)>(steps)?;
    budget.within.room::<[usize; 3]>(partition.moves.len())?;
    Ok(merged(lts, &partition))
}

/// The system with the states of each block merged.
pub fn merged(lts: &Explicit, partition: &Partition) -> Explicit {
    const UNKNOWN: u32 = u32::MAX;
    let divergence = lts.labels().len() as u32;
    let mut number = vec![UNKNOWN; partition.blocks as usize];
    let mut count = 0;
    let mut enter = |block: u32, todo: &mut Vec<u32>| {
        let number = &mut number[block as usize];
        if *number == UNKNOWN {
            *number = count;
            count += 1;
            todo.push(block);
        }
        *number
    };
    let mut todo = Vec::new();
    let initial = enter(partition.block[lts.initial() as usize], &mut todo);
    let mut steps = Vec::new();
    let mut next = 0;
    while let Some(&block) = todo.get(next) {
        next += 1;
        let source = enter(block, &mut todo);
        for &(label, target) in &partition.moves[block as usize] {
            if label == divergence {
                steps.push((source, TAU, source));
            } else {
                steps.push((source, label, enter(target, &mut todo)));
            }
        }
    }
    Explicit::new(initial, count, lts.labels().to_vec(), &steps)
}
