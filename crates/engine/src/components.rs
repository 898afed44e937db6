//! Strongly connected components of a graph whose nodes are numbers.
//!
//! R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM Journal on Computing 1(2), 1972,
//! with one number for each node as in D. Pearce, *A space-efficient algorithm for finding strongly connected
//! components*, Information Processing Letters 116(1), 2016, and without recursion.

use std::convert::Infallible;

/// Of a node that was not met.
const NONE: u32 = 0;

/// The component of every node, by number; a component that can be reached from another has a
/// smaller number. `next` gives the successors of a node one after the other: it moves the cursor
/// behind the one it gives.
pub fn components(count: u32, next: impl FnMut(u32, &mut usize) -> Option<u32>) -> Vec<u32> {
    let Ok(components) = search(count, |_| Ok::<_, Infallible>(0), next);
    components
}

/// The same, where the successors of a node are computed when it is met, which may fail.
pub fn components_of<I: Iterator<Item = u32>, E>(
    count: u32,
    successors: impl FnMut(u32) -> Result<I, E>,
) -> Result<Vec<u32>, E> {
    search(count, successors, |_, successors| successors.next())
}

/// `enter` is called once for every node, `next` with what it gave until there are no more successors.
fn search<C, E>(
    count: u32,
    mut enter: impl FnMut(u32) -> Result<C, E>,
    mut next: impl FnMut(u32, &mut C) -> Option<u32>,
) -> Result<Vec<u32>, E> {
    // Of a node that was met: a number from 1 on, that of the first node known to be in its component. Of one whose
    // component is known: that one's, from `count` down. As many numbers are free between the two as there are nodes not met.
    let mut numbers = vec![NONE; count as usize];
    let (mut met, mut known) = (0, count);
    // Nodes that are left and whose component is not known; where we are, and whether nodes were met before that belong to it.
    let (mut left, mut path): (Vec<u32>, Vec<(u32, C, bool)>) = Default::default();
    for root in 0..count {
        if numbers[root as usize] != NONE {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                met += 1;
                numbers[node as usize] = met;
                path.push((node, enter(node)?, false));
            }
            let Some((node, cursor, joined)) = path.last_mut() else { break };
            if let Some(target) = next(*node, cursor) {
                match numbers[target as usize] {
                    NONE => entering = Some(target),
                    number if number < numbers[*node as usize] => {
                        (numbers[*node as usize], *joined) = (number, true);
                    }
                    _ => {}
                }
                continue;
            }
            let (node, joined) = (*node, *joined);
            path.pop();
            let number = numbers[node as usize];
            if joined {
                left.push(node);
            } else {
                met -= 1;
                while let Some(member) = left.pop_if(|member| numbers[*member as usize] >= number) {
                    numbers[member as usize] = known;
                    met -= 1;
                }
                numbers[node as usize] = known;
                known -= 1;
            }
            if let Some((parent, _, joined)) = path.last_mut()
                && numbers[node as usize] < numbers[*parent as usize]
            {
                (numbers[*parent as usize], *joined) = (numbers[node as usize], true);
            }
        }
    }
    numbers.iter_mut().for_each(|number| *number = count - *number);
    Ok(numbers)
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
    fn random_graphs_have_the_components_of_what_reaches_what() {
        let mut seed = 7u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for case in 0..2_000 {
            let count = 1 + random(8);
            let edges: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random(4)).map(|_| random(count) as u32).collect())
                .collect();
            let found = components_of(count as u32, |n| {
                Ok::<_, Infallible>(edges[n as usize].clone().into_iter())
            });
            let Ok(found) = found;
            let mut reaches = vec![vec![false; count]; count];
            for (n, row) in reaches.iter_mut().enumerate() {
                let mut todo = vec![n];
                while let Some(at) = todo.pop() {
                    if !std::mem::replace(&mut row[at], true) {
                        todo.extend(edges[at].iter().map(|&t| t as usize));
                    }
                }
            }
            for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
                let together = reaches[a][b] && reaches[b][a];
                assert_eq!(found[a] == found[b], together, "{case}: {edges:?}");
                assert!(!reaches[a][b] || found[b] <= found[a], "{case}: {edges:?}");
            }
            let most = found.iter().max().map_or(0, |m| m + 1);
            assert!((0..most).all(|c| found.contains(&c)), "{case}: {found:?}");
        }
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
