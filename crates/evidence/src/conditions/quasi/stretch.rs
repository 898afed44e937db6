//! How far too far: an order that would explain a refused history if one factor were larger.
//!
//! That no order is within the factors says little. So one factor after the other is made larger, the
//! others stay, until an order of the history is found: it shows which operations are too far from
//! their places, and by how much. This explains a verdict and takes no part in it: if nothing is found
//! within [`MOMENTS`], nothing is said.

use std::collections::HashMap;

use linchpin_lin::Model;
use linchpin_lin::program::{OpId, QuasiGroup, QuasiResult};

use super::member_words;
use super::moments::{Fate, Moment, Moments};
use crate::history::Operation;

/// Most moments to look at for one factor.
const MOMENTS: usize = 30_000;

/// Most by which a factor is made larger.
const LARGER: u32 = 6;

/// An order that needs a larger factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretched {
    /// Whose factor: `dequeue -> some`.
    pub group: String,
    /// What it is.
    pub factor: u32,
    /// What it would have to be.
    pub needed: u32,
    /// The operations in the order of their places.
    pub places: Vec<Apart>,
}

/// An operation that takes effect somewhere else than its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The operation, an index into the history.
    pub operation: usize,
    /// Which of all operations takes effect, from 1.
    pub effect: usize,
    /// How far apart effect and place are among those that share the factor.
    pub distance: u32,
    /// The factor that it shares, as it is.
    pub factor: u32,
    /// The state of the specification after it.
    pub state: String,
}

/// The order that needs the least.
pub(super) fn stretched(
    model: &Model,
    groups: &[QuasiGroup],
    operations: &[Operation],
) -> Option<Stretched> {
    let grouped = |op: &OpId| groups.iter().any(|g| g.members.iter().any(|m| m.0 == *op));
    let mut wider = groups.to_vec();
    let ops = (0..model.object().unit.ops.len() as u32).map(OpId).filter(|op| !grouped(op));
    wider.extend(ops.map(|op| QuasiGroup { members: vec![(op, QuasiResult::Any)], factor: 0 }));
    for more in 1..=LARGER {
        for i in 0..wider.len() {
            let mut tried = wider.clone();
            tried[i].factor += more;
            let Ok(moments) = Moments::new(model, &tried, operations) else { continue };
            if let Some(path) = explained(&moments) {
                return Some(Stretched {
                    group: member_words(model, &wider[i]),
                    factor: wider[i].factor,
                    needed: tried[i].factor,
                    places: places(&moments, &path, &wider),
                });
            }
        }
    }
    None
}

/// The moments of an order that explains the history.
fn explained(moments: &Moments<'_>) -> Option<Vec<Moment>> {
    let mut from: HashMap<Moment, Option<Moment>> = HashMap::new();
    let mut todo = moments.initial().ok()?;
    from.extend(todo.iter().map(|m| (m.clone(), None)));
    while let Some(moment) = todo.pop() {
        if moments.is_complete(&moment) {
            let mut path = vec![moment];
            while let Some(Some(before)) = path.last().and_then(|m| from.get(m)) {
                path.push(before.clone());
            }
            path.reverse();
            return Some(path);
        }
        for next in moments.after(&moment) {
            if !from.contains_key(&next) {
                from.insert(next.clone(), Some(moment.clone()));
                todo.push(next);
            }
        }
        if from.len() > MOMENTS || moments.model.watch().over_at(from.len()).is_some() {
            return None;
        }
    }
    None
}

/// The operations in the order of their places; `groups` has the factors as they are.
fn places(moments: &Moments<'_>, path: &[Moment], groups: &[QuasiGroup]) -> Vec<Apart> {
    let group_of = |i: usize| {
        let o = &moments.operations[i];
        let response = o.response.as_ref()?;
        moments.group(o.op, &response.result)
    };
    let mut effects: Vec<usize> = Vec::new();
    let mut placed: Vec<(usize, String)> = Vec::new();
    for pair in path.windows(2) {
        for i in 0..moments.operations.len() {
            let (before, after) = (pair[0].fates[i], pair[1].fates[i]);
            let gets = |has: fn(Fate) -> bool| !has(before) && has(after);
            if gets(|f| matches!(f, Fate::Unplaced { .. } | Fate::Settled)) {
                effects.push(i);
            }
            if gets(|f| matches!(f, Fate::Promised { .. } | Fate::Settled)) {
                placed.push((i, moments.describe(&pair[1])));
            }
        }
    }
    let order: Vec<usize> = placed.iter().map(|p| p.0).collect();
    // How many of the same group come before it.
    let rank = |list: &[usize], i: usize| {
        let before = list.iter().take_while(|j| **j != i);
        before.filter(|j| group_of(**j) == group_of(i)).count()
    };
    let apart = |(operation, state): (usize, String)| Apart {
        operation,
        effect: effects.iter().position(|j| *j == operation).map_or(0, |n| n + 1),
        distance: match group_of(operation) {
            Some(_) => rank(&effects, operation).abs_diff(rank(&order, operation)) as u32,
            None => 0,
        },
        factor: group_of(operation).map_or(0, |g| groups[g].factor),
        state,
    };
    placed.into_iter().map(apart).collect()
}
