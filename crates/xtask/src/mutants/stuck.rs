//! Can the threads always finish?
//!
//! Linearizability says nothing about operations that never return, so a mutant that only loops for
//! ever survives, rightly. This recognises the plain cases, for readers of the list of survivors: all
//! executions are explored, of one thread with up to three operations or of the threads of a check,
//! and there must be a way to the end from everywhere.

use std::collections::HashMap;
use std::sync::Arc;

use linchpin_lin::program::{Behaviour, Check, OpId, Program, Role};
use linchpin_lin::{Granularity, Model};
use linchpin_lts::{Liveness, Outcome, TransitionSystem};

/// Most states to look at.
const BOUND: usize = 100_000;

/// Who runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// One thread that calls anything.
    Alone,
    /// The threads of the check.
    Together,
}

impl Company {
    pub(super) const ALL: [Company; 2] = [Company::Alone, Company::Together];
}

/// Does some execution lead to where the threads can never finish? `None`: not known.
pub(super) fn gets_stuck(program: &Arc<Program>, check: &Check, company: Company) -> Option<bool> {
    let mut check = check.clone();
    if company == Company::Alone {
        let ops = program.objects[check.object.index()].unit.ops.len() as u32;
        let behaviour = Behaviour::General { ops: (0..ops).map(OpId).collect(), count: Some(3) };
        check.roles = vec![Role { name: "alone".to_string(), threads: 1, behaviour }];
    }
    let model = Model::new(program.clone(), &check, Granularity::REDUCED).ok()?;
    let mut scratch = model.scratch();
    let mut index: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut states: Vec<Vec<u32>> = Vec::new();
    let mut number = |state: &[u32], states: &mut Vec<Vec<u32>>| {
        *index.entry(state.to_vec()).or_insert_with(|| {
            states.push(state.to_vec());
            states.len() - 1
        })
    };
    model.initial(&mut scratch, &mut |outcome| {
        if let Outcome::Next { state, .. } = outcome {
            number(state, &mut states);
        }
    });
    let mut before: Vec<Vec<usize>> = Vec::new();
    let mut ends = Vec::new();
    let mut at = 0;
    while at < states.len() {
        if states.len() > BOUND {
            return None;
        }
        let state = states[at].clone();
        let mut last = true;
        let liveness = model.successors(&mut scratch, &state, &mut |step| {
            last = false;
            match step.outcome {
                Outcome::Next { state, .. } => {
                    let next = number(state, &mut states);
                    before.resize_with(before.len().max(next + 1), Vec::new);
                    before[next].push(at);
                }
                Outcome::Fault(_) => ends.push(at),
            }
        });
        if last && liveness != Liveness::Deadlock {
            ends.push(at);
        }
        at += 1;
    }
    before.resize_with(states.len(), Vec::new);
    let mut finishes = vec![false; states.len()];
    while let Some(at) = ends.pop() {
        if !std::mem::replace(&mut finishes[at], true) {
            ends.extend(&before[at]);
        }
    }
    Some(finishes.contains(&false))
}
