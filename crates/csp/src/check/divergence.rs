//! `divergencefree`: can silent steps go on for ever?
//!
//! All states are computed; then a cycle of silent steps is looked for, depth first (with an explicit
//! stack), and shown with a shortest way to it.

use linchpin_engine::Budget;
use linchpin_lts::{Label, TAU, Verdict};

use super::Report;
use super::explore::{End, Explorer};
use crate::reduced::Reduced;

/// Looks for a cycle of silent steps.
pub(super) fn check(reduced: &Reduced<'_>, budget: &Budget<'_>) -> Report {
    let mut explorer = match Explorer::new(reduced) {
        Ok(explorer) => explorer,
        Err(trouble) => return Report::trouble(trouble),
    };
    // The silent steps of every state that was looked at.
    let mut silent: Vec<Vec<(u32, u32)>> = Vec::new();
    let end: End<()> = explorer.run(budget, |_, _, steps| {
        let list = steps.iter().filter(|s| s.label == TAU).map(|s| (s.target, s.group));
        silent.push(list.collect());
        None
    });
    let Some(cycle) = cycle(&silent) else { return explorer.report(end, Ok(Verdict::Holds)) };
    let mut way = explorer.way(cycle[0].0);
    let repeats = way.len();
    for (i, &(state, group)) in cycle.iter().enumerate() {
        let next = cycle[(i + 1) % cycle.len()].0;
        way.push((state, TAU as Label, next, explorer.graph.group(group).to_vec()));
    }
    let sentence = "silent steps can go on for ever after these steps";
    explorer.confirmed(Ok(Verdict::Violated(())), sentence, &way, Some(repeats))
}

/// A cycle: its states, each with the group of the step to the next one.
fn cycle(silent: &[Vec<(u32, u32)>]) -> Option<Vec<(u32, u32)>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        New,
        Open,
        Closed,
    }
    let mut colours = vec![Colour::New; silent.len()];
    for start in 0..silent.len() as u32 {
        if colours[start as usize] != Colour::New {
            continue;
        }
        // States and how many of their steps have been taken.
        let mut stack: Vec<(u32, usize)> = vec![(start, 0)];
        colours[start as usize] = Colour::Open;
        while let Some((state, taken)) = stack.last_mut() {
            let Some(&(target, _)) = silent[*state as usize].get(*taken) else {
                colours[*state as usize] = Colour::Closed;
                stack.pop();
                continue;
            };
            *taken += 1;
            match colours.get(target as usize) {
                Some(Colour::New) => {
                    colours[target as usize] = Colour::Open;
                    stack.push((target, 0));
                }
                Some(Colour::Open) => {
                    let from = stack.iter().position(|(s, _)| *s == target)?;
                    let on_cycle = stack[from..].iter();
                    return Some(
                        on_cycle.map(|&(s, i)| (s, silent[s as usize][i - 1].1)).collect(),
                    );
                }
                // Closed, or never looked at because of a limit.
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_chains_are_not() {
        assert_eq!(cycle(&[vec![(1, 0)], vec![(2, 0)], vec![]]), None);
        assert_eq!(cycle(&[vec![(1, 7)], vec![(2, 8)], vec![(1, 9)]]), Some(vec![(1, 8), (2, 9)]));
        assert_eq!(cycle(&[vec![(0, 3)]]), Some(vec![(0, 3)]));
    }
}
