//! Quasi linearizability of one history: operations out of order by at most so many places.
//!
//! Adhikari, Street, Wang, Liu and Zhang, "Verifying a quantitative relaxation of linearizability via refinement" (SPIN 2013),
//! Definition 4, with the bound on the drift that models have here (`crates/check/src/quasi.rs`). There are two orders of all
//! operations that returned and some of those that did not: one in which they take *effect*, between their calls and
//! returns, and one in which they have their *places*, which the specification allows. In each group the index of an
//! operation is the same in both, up to the factor of the group; and both can be built together so that in each group at
//! most as many wait for a place as the factor says, and at most as many were promised one. What has the factor 0 takes
//! effect and gets its place at once. A log is over: what waits in the end must get a place from what the log has.
//!
//! One pair of orders is deepened step by step, going back where nothing fits (`orders` has the steps). As elsewhere,
//! nothing happens before a return that needs it: what happens after the effect of the returning operation and before its
//! return can happen after the return as well. Operations that change nothing and are in no group are taken as soon as
//! possible: nobody sees them and no index counts them. Of two configurations that differ only in which operations that never
//! return are settled, the one with fewer is at least as good: indices are counted from the next one, so nothing else
//! depends on these. Of two of them that were called, can do the same and have done nothing, the one that was called
//! first is taken first.
//!
//! Objects are decided by themselves. Keys of a map are not: groups are counted over the whole map.
//!
//! *What is left out* of a history that has no such orders. An operation of a group must stay, even if nobody sees it,
//! since the indices of others depend on it. What changes nothing and is in no group may go: the rest of two orders of the
//! whole is two orders of the rest. And if no two orders reach past a return, what was called later matters only as far as
//! it could have been promised a place: that is no operation before which more than twice the factor of its group must
//! take effect after that return (`reach`).

pub(crate) mod factors;
mod orders;
mod shown;
mod witness;

use std::collections::BTreeMap;

use linchpin_lts::{Limit, Verdict, Watch};

use crate::configurations::Minimal;
use crate::decide::{Decision, Refuted};
use crate::history::Operation;
use crate::spec::{Spec, Trouble};
use factors::Factors;
use orders::{Configuration, Orders, STAGES, Step};
pub use shown::{judge_quasi, shrink_quasi};
pub use witness::explains_quasi;

/// What is known in the end; the order of the decision is that of places.
#[derive(Clone, Debug)]
pub struct Relaxed {
    /// The verdict. Of what was refuted, the place is the return that no two orders reach past; if there is none, the end.
    pub decision: Decision,
    /// The order of effects, by the numbers of operations; the longest found if there is no verdict, or a bad one.
    pub effects: Vec<u32>,
}

/// Decides a history.
///
/// # Errors
/// If a value does not fit the specification, or the specification goes wrong and there is no order without that.
pub fn decide_quasi(
    spec: &Spec,
    operations: &[Operation],
    factors: &Factors,
    most: u64,
    watch: &Watch,
) -> Result<Relaxed, Trouble> {
    let mut objects: BTreeMap<u32, Vec<(u32, &Operation)>> = BTreeMap::new();
    for (i, operation) in operations.iter().enumerate() {
        objects.entry(operation.object).or_default().push((i as u32, operation));
    }
    let parts = objects.len();
    let (mut places, mut effects, mut configurations) = (Vec::new(), Vec::new(), 0);
    for own in objects.values_mut() {
        own.sort_by_key(|o| o.1.call);
        let orders = Orders::new(spec, factors, own, watch)?;
        let mut search = Search::new(orders);
        let end = search.run(most.saturating_sub(configurations), watch);
        configurations += search.made;
        let of = |steps: &[Step], wanted: &dyn Fn(&Step) -> bool| -> Vec<u32> {
            let all = steps.iter().filter(|s| wanted(s));
            all.map(|s| search.orders.ops[s.op as usize].index).collect()
        };
        let steps = if end == End::Explained { &search.steps } else { &search.longest };
        let (own_places, own_effects) = (of(steps, &|s| s.place), of(steps, &|s| s.effect));
        let verdict = match end {
            End::Explained => {
                places.extend(own_places);
                effects.extend(own_effects);
                continue;
            }
            End::Stopped(limit) => Verdict::Unknown(limit),
            End::Refuted => {
                if let Some(fault) = search.orders.machine.fault() {
                    return Err(Trouble::plain(format!("the specification goes wrong: {fault}")));
                }
                let who = search.orders.returns.get(search.furthest as usize);
                let place = who.map(|&op| search.orders.ops[op as usize].ret);
                let operations = own.iter().map(|o| o.0).collect();
                Verdict::Violated(Refuted { operations, place })
            }
        };
        let decision = Decision { verdict, order: Some(own_places), parts, configurations };
        return Ok(Relaxed { decision, effects: own_effects });
    }
    let order = Some(places);
    let decision = Decision { verdict: Verdict::Holds, order, parts, configurations };
    Ok(Relaxed { decision, effects })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Explained,
    Refuted,
    Stopped(Limit),
}

/// A configuration, and what was not tried after it.
struct Frame {
    at: Configuration,
    length: usize,
    stage: u8,
    /// Backwards.
    todo: Vec<(Configuration, Step)>,
}

struct Search<'f> {
    orders: Orders<'f>,
    frames: Vec<Frame>,
    tried: Minimal<Key>,
    /// The steps that are tried, and the most so far.
    steps: Vec<Step>,
    longest: Vec<Step>,
    /// The furthest return that any orders have come to.
    furthest: u32,
    made: u64,
}

type Key = (u32, u32, smallvec::SmallVec<[u32; 6]>, smallvec::SmallVec<[orders::Loose; 4]>);

impl<'f> Search<'f> {
    fn new(orders: Orders<'f>) -> Self {
        Search {
            orders,
            frames: Vec::new(),
            tried: Minimal::new(true),
            steps: Vec::new(),
            longest: Vec::new(),
            furthest: 0,
            made: 0,
        }
    }

    fn run(&mut self, most: u64, watch: &Watch) -> End {
        if let Some(limit) = watch.over() {
            return End::Stopped(limit);
        }
        for initial in self.orders.initial() {
            self.steps.clear();
            if self.enter(initial) {
                return End::Explained;
            }
            while let Some(frame) = self.frames.last_mut() {
                self.steps.truncate(frame.length);
                let Some((at, step)) = frame.todo.pop() else {
                    if frame.stage == STAGES {
                        self.frames.pop();
                        continue;
                    }
                    self.orders.following(&frame.at, frame.stage, &mut frame.todo);
                    frame.todo.reverse();
                    frame.stage += 1;
                    continue;
                };
                self.steps.push(step);
                if self.enter(at) {
                    return End::Explained;
                }
                if let Some(limit) = watch.over_at(self.made as usize) {
                    return End::Stopped(limit);
                }
                if self.made > most {
                    return End::Stopped(Limit::States);
                }
            }
        }
        End::Refuted
    }

    /// Goes to a configuration. Is everything explained?
    fn enter(&mut self, mut at: Configuration) -> bool {
        self.made += 1;
        if self.orders.advance(&mut at, &mut self.steps) {
            return at.next as usize == self.orders.returns.len();
        }
        if at.next > self.furthest || self.longest.is_empty() {
            self.furthest = at.next;
            self.longest.clone_from(&self.steps);
        }
        let key = (at.next, at.state, at.settled.clone(), at.loose.clone());
        if self.tried.insert(key, &at.never) {
            let length = self.steps.len();
            self.frames.push(Frame { at, length, stage: 0, todo: Vec::new() });
        }
        false
    }
}
