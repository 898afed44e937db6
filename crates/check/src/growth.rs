//! What keeps growing in an object, so that a search does not end: asked when a limit was reached, to give advice.
//!
//! One long random execution is divided into four parts. What has a greater greatest value in every part than in the one before is said
//! to grow. That proves nothing, and nothing depends on it but what people are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use linchpin_engine::{Found, Space};
use linchpin_lin::Model;
use linchpin_lin::program::{Check, Program};
use linchpin_lts::{Limit, TransitionSystem, Watch};

use crate::reachability::States;
use crate::reductions::Reductions;

/// Steps of each of the four parts.
const PART: usize = 500;

/// Executions that are tried: one may come to its end.
const TRIES: u64 = 4;

/// So often the work may ask whether to go on; that is less than a second.
const QUESTIONS: u32 = 4_000;

/// Something that keeps growing, and how large it became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growing {
    /// A variable of the object, or a field of its nodes (`Node.count`).
    Number(String, i64),
    /// Nodes that are in use.
    Nodes(i64),
}

/// What keeps growing, and after how many steps it was as large as is said.
pub fn growing(program: &Arc<Program>, check: &Check) -> (Vec<Growing>, usize) {
    let asked = AtomicU32::new(0);
    let watch = Watch::new(move |_| {
        let asked = asked.fetch_add(1, Ordering::Relaxed);
        (asked >= QUESTIONS).then_some(Limit::Time)
    });
    let mut reductions = Reductions::ALL;
    let Ok(model) = Model::new(program.clone(), check, reductions.granularity()) else {
        return (Vec::new(), 0);
    };
    let model = model.within(&watch);
    reductions.threads &= model.layout().thread_symmetric;
    let names = model.size_names();
    let mut best = Vec::new();
    for seed in 1..=TRIES {
        let parts = walk(&States { model: &model, reductions }, seed, &watch);
        let grows = |i: usize| parts.windows(2).all(|pair| pair[0][i] < pair[1][i]);
        if parts.len() == 4 {
            let last = &parts[3];
            best = (0..=names.len())
                .filter(|&i| grows(i) && last[i] > 2 * parts[0][i].max(1))
                .map(|i| match names.get(i) {
                    Some(name) => Growing::Number(name.clone(), last[i]),
                    None => Growing::Nodes(last[i]),
                })
                .collect();
            break;
        }
    }
    (best, 4 * PART)
}

/// The greatest sizes in each part of a random execution; fewer parts if it ends.
fn walk(space: &States<'_>, seed: u64, watch: &Watch) -> Vec<Vec<i64>> {
    let mut worker = space.worker();
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next: Vec<Vec<u32>> = Vec::new();
    space.initial(&mut worker, &mut |found| {
        if let Found::Node { state, .. } = found {
            next.push(state.to_vec());
        }
    });
    let mut parts: Vec<Vec<i64>> = Vec::new();
    for step in 0..4 * PART {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let at = usize::try_from(random % next.len().max(1) as u64).unwrap_or(0);
        if next.is_empty() || watch.over().is_some() {
            parts.pop();
            break;
        }
        let state = next.swap_remove(at);
        let sizes = space.model.sizes(&state);
        match step % PART {
            0 => parts.push(sizes),
            _ => parts.iter_mut().rev().take(1).for_each(|part| {
                part.iter_mut().zip(&sizes).for_each(|(most, size)| *most = (*most).max(*size));
            }),
        }
        next.clear();
        space.expand(&mut worker, &state, 0, &mut |found| {
            if let Found::Node { state, .. } = found {
                next.push(state.to_vec());
            }
        });
    }
    parts
}
