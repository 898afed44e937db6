//! Strongly connected components of a graph whose nodes are numbers.
//!
//! R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM Journal on Computing 1(2), 1972,
//! without recursion.

use std::convert::Infallible;

const NONE: u32 = u32::MAX;

/// The component of every node, by number; a component that can be reached from another has a
/// smaller number. `next` gives the successors of a node one after the other: it moves the cursor
/// behind the one it gives.
pub fn components(count: u32, next: impl FnMut(u32, &mut usize) -> Option<u32>) -> Vec<u32> {
    let Ok(components) = tarjan(count, |_| Ok::<_, Infallible>(0), next);
    components
}

/// The same, where the successors of a node are computed when it is met, which may fail.
pub fn components_of<I: Iterator<Item = u32>, E>(
    count: u32,
    successors: impl FnMut(u32) -> Result<I, E>,
) -> Result<Vec<u32>, E> {
    tarjan(count, successors, |_, successors| successors.next())
}

/// `enter` is called once for every node, `next` with what it gave until there are no more successors.
fn tarjan<C, E>(
    count: u32,
    mut enter: impl FnMut(u32) -> Result<C, E>,
    mut next: impl FnMut(u32, &mut C) -> Option<u32>,
) -> Result<Vec<u32>, E> {
    let count = count as usize;
    let (mut order, mut low) = (vec![NONE; count], vec![0u32; count]);
    let mut component = vec![NONE; count];
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, C)>) = Default::default();
    let (mut clock, mut found) = (0, 0);
    for root in 0..count as u32 {
        if order[root as usize] != NONE {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                (order[node as usize], low[node as usize]) = (clock, clock);
                clock += 1;
                stack.push(node);
                path.push((node, enter(node)?));
            }
            let Some((node, cursor)) = path.last_mut() else { break };
            let n = *node as usize;
            if let Some(target) = next(*node, cursor) {
                let t = target as usize;
                if order[t] == NONE {
                    entering = Some(target);
                } else if component[t] == NONE {
                    low[n] = low[n].min(order[t]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let p = *parent as usize;
                low[p] = low[p].min(low[n]);
            }
            if low[n] == order[n] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = found;
                    if member as usize == n {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    Ok(component)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_together() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3 -> 4 -> 3, 5 -> 5 -> 0
        let edges: [&[u32]; 6] = [&[1], &[2], &[0, 3], &[4], &[3], &[5, 0]];
        let found = components(6, |node, cursor| {
            *cursor += 1;
            edges[node as usize].get(*cursor - 1).copied()
        });
        assert_eq!(found, [1, 1, 1, 0, 0, 2]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let found = components(1_000_000, |node, cursor| {
            *cursor += 1;
            (*cursor == 1 && node < 999_999).then_some(node + 1)
        });
        assert_eq!((found[0], found[999_999]), (999_999, 0));
    }
}
