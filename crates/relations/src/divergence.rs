//! Which states can go on silently forever, found out when it is asked.
//!
//! Depth first along silent steps. A step back to the path closes a cycle, which everything on the
//! path reaches; a state that is left without that has been proven to settle.

use std::collections::HashMap;

use linchpin_lts::{Edge, TAU};

use crate::meter::{Meter, Stop};
use crate::walk::Walk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Unknown,
    OnPath,
    Settles,
    Diverges,
}

/// What is known about divergence.
#[derive(Debug, Default)]
pub(crate) struct Divergence {
    marks: Vec<Mark>,
    edges: Vec<Edge>,
}

impl Divergence {
    /// Is there an endless silent path from a state?
    pub(crate) fn diverges(
        &mut self,
        walk: &mut impl Walk,
        state: u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Stop> {
        match self.mark(state) {
            Mark::Settles => return Ok(false),
            Mark::Diverges => return Ok(true),
            Mark::Unknown | Mark::OnPath => {}
        }
        // States of the path, each with its silent successors that are still to be looked at.
        let mut path = vec![(state, self.silent(walk, state)?)];
        self.marks[state as usize] = Mark::OnPath;
        while let Some((top, rest)) = path.last_mut() {
            meter.tick(1, walk.states())?;
            let Some(next) = rest.pop() else {
                self.marks[*top as usize] = Mark::Settles;
                path.pop();
                continue;
            };
            match self.mark(next) {
                Mark::Settles => {}
                Mark::OnPath | Mark::Diverges => {
                    for (state, _) in path {
                        self.marks[state as usize] = Mark::Diverges;
                    }
                    return Ok(true);
                }
                Mark::Unknown => {
                    let silent = self.silent(walk, next)?;
                    self.marks[next as usize] = Mark::OnPath;
                    path.push((next, silent));
                }
            }
        }
        Ok(false)
    }

    fn mark(&mut self, state: u32) -> Mark {
        if state as usize >= self.marks.len() {
            self.marks.resize(state as usize + 1, Mark::Unknown);
        }
        self.marks[state as usize]
    }

    fn silent(&mut self, walk: &mut impl Walk, state: u32) -> Result<Vec<u32>, Stop> {
        walk.steps(state, &mut self.edges)?;
        Ok(self.edges.iter().filter(|e| e.label == TAU).map(|e| e.target).collect())
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.marks.capacity()
    }
}

/// A silent path from a state that diverges to a cycle and once around it: the indices of the steps
/// with their sources, and how many come before the cycle.
pub(crate) fn lasso(walk: &mut impl Walk, state: u32) -> Result<(Vec<(u32, usize)>, usize), Stop> {
    let mut edges = Vec::new();
    // The states seen so far; those still on the path are true.
    let mut seen = HashMap::from([(state, true)]);
    let mut path: Vec<(u32, usize)> = vec![(state, 0)];
    while let Some((top, next)) = path.last_mut() {
        walk.steps(*top, &mut edges)?;
        let Some(index) = (*next..edges.len()).find(|i| edges[*i].label == TAU) else {
            seen.insert(*top, false);
            path.pop();
            continue;
        };
        *next = index + 1;
        let target = edges[index].target;
        match seen.get(&target) {
            Some(true) => {
                let start = path.iter().position(|(s, _)| *s == target).unwrap_or(0);
                let steps = path.iter().map(|(s, next)| (*s, next - 1)).collect();
                return Ok((steps, start));
            }
            Some(false) => {}
            None => {
                seen.insert(target, true);
                path.push((target, 0));
            }
        }
    }
    Ok((Vec::new(), 0))
}
