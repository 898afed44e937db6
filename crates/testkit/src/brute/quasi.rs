//! Quasi linearizability of one history, by trying all pairs of orders.
//!
//! Adhikari, Street, Wang, Liu, Zhang, *Verifying a quantitative relaxation of linearizability via
//! refinement*, SPIN 2013, Definition 4: there are an order of the operations that contains the order
//! of real time, and one that the specification allows, and in each group the indices of every operation
//! in the two differ by at most the factor. That is the *literal* definition. Linchpin's adds that one
//! can walk through both orders, from their beginnings to their ends, so that at every stop in each
//! group at most as many operations have been passed in one order and not in the other as the factor
//! says; what has the factor 0 is passed in both at once. Here both are decided as they stand: all
//! pairs of orders, all walks.
//!
//! A history that goes on is extended in every way by up to so many further operations.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_lin::Value;
use linchpin_lin::program::{
    Check, Condition, DataDomain, Domain, OpId, Program, QuasiGroup, QuasiResult,
};

use super::history::Event;
use super::linearize::{Judge, operations};
use crate::reference::Shared;

/// What the oracle says about a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// It satisfies Definition 4 as it stands in the paper.
    pub literal: bool,
    /// It satisfies the definition with a bound on the drift.
    pub bounded: bool,
}

/// Decides about histories of one check.
pub struct Oracle<'p> {
    judge: Judge<'p>,
    check: &'p Check,
    groups: Vec<QuasiGroup>,
}

/// An operation that takes part in both orders.
#[derive(Clone)]
struct Taking {
    thread: u32,
    op: OpId,
    args: Vec<Value>,
    called: usize,
    /// `usize::MAX` for one that has not returned.
    returned: usize,
    result: Option<Value>,
}

/// An order that the specification allows, with the results in it (by operation).
type Legal = (Vec<usize>, Vec<Value>);

impl<'p> Oracle<'p> {
    /// For a check whose condition is `quasi`.
    ///
    /// # Panics
    /// If it is another one.
    pub fn new(program: &'p Program, check: &'p Check) -> Self {
        let Condition::Quasi(groups) = &check.condition else { panic!("not quasi") };
        let threads = check.roles.iter().map(|r| r.threads).sum();
        Oracle { judge: Judge::new(program, check, threads), check, groups: groups.clone() }
    }

    /// Does a history without pending operations satisfy the definition?
    pub fn complete(&self, history: &[Event]) -> Answer {
        self.orders(&taking(history))
    }

    /// Does some extension by at most `further` operations satisfy it? Pending operations may be
    /// left out.
    pub fn extended(&self, history: &[Event], further: usize) -> Answer {
        let all = taking(history);
        let pending: Vec<usize> = (0..all.len()).filter(|&i| all[i].result.is_none()).collect();
        let end = history.len();
        let mut answer = Answer::default();
        let mut extensions: Vec<Vec<(OpId, Vec<Value>)>> = vec![Vec::new()];
        for round in 0..=further {
            for extension in &extensions {
                for left_out in 0..1usize << pending.len() {
                    let out = |i: &usize| {
                        pending.iter().position(|p| p == i).is_some_and(|k| left_out >> k & 1 == 1)
                    };
                    let mut operations: Vec<Taking> =
                        (0..all.len()).filter(|i| !out(i)).map(|i| all[i].clone()).collect();
                    operations.extend(extension.iter().map(|(op, args)| Taking {
                        thread: 1,
                        op: *op,
                        args: args.clone(),
                        called: end,
                        returned: usize::MAX,
                        result: None,
                    }));
                    let here = self.orders(&operations);
                    answer.literal |= here.literal;
                    answer.bounded |= here.bounded;
                    if answer.bounded {
                        return answer;
                    }
                }
            }
            if round < further {
                extensions = self.longer(history, &extensions);
            }
        }
        answer
    }

    /// Each extension with one more operation, in every way.
    fn longer(
        &self,
        history: &[Event],
        extensions: &[Vec<(OpId, Vec<Value>)>],
    ) -> Vec<Vec<(OpId, Vec<Value>)>> {
        let mut longer = BTreeSet::new();
        for extension in extensions {
            let used = history.iter().filter_map(|e| match e {
                Event::Call { args, .. } => Some(args),
                Event::Return { .. } | Event::Point { .. } => None,
            });
            let used = used.chain(extension.iter().map(|e| &e.1)).flatten();
            let last = used.filter_map(|v| if let Value::Data(n) = v { Some(*n) } else { None });
            let new = last.max().unwrap_or(0) + 1;
            for (op, domains) in self.check.domains.iter().enumerate() {
                let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
                for domain in domains {
                    let values: Vec<Value> = match domain {
                        Domain::OneOf(values) => values.clone(),
                        Domain::Data(id) => match self.check.data[id.index()] {
                            DataDomain::Fresh => vec![Value::Data(new)],
                            DataDomain::Finite(n) => (1..=n).map(Value::Data).collect(),
                        },
                    };
                    tuples = tuples
                        .iter()
                        .flat_map(|t| {
                            values.iter().map(|v| [&t[..], std::slice::from_ref(v)].concat())
                        })
                        .collect();
                }
                for args in tuples {
                    let mut next = extension.clone();
                    next.push((OpId(op as u32), args));
                    next.sort();
                    longer.insert(next);
                }
            }
        }
        longer.into_iter().collect()
    }

    /// All pairs of orders of exactly these operations.
    fn orders(&self, operations: &[Taking]) -> Answer {
        let mut legal = BTreeSet::new();
        for state in self.judge.initial() {
            let results = vec![Value::Unit; operations.len()];
            self.legal(operations, state, (Vec::new(), results), &mut legal);
        }
        let mut answer = Answer::default();
        if legal.is_empty() {
            return answer;
        }
        let mut effects = Vec::new();
        linear_extensions(operations, &mut Vec::new(), &mut effects);
        // Places by results, so that groups are computed once.
        let mut by_results: BTreeMap<Vec<Value>, Vec<Vec<usize>>> = BTreeMap::new();
        for (order, results) in legal {
            by_results.entry(results).or_default().push(order);
        }
        for (results, orders) in by_results {
            let group = |i: usize| self.group(operations[i].op, &results[i]);
            let groups: Vec<Option<usize>> = (0..operations.len()).map(group).collect();
            for places in &orders {
                for effects in &effects {
                    if self.distances(effects, places, &groups) {
                        answer.literal = true;
                        if self.walk(effects, places, &groups) {
                            answer.bounded = true;
                            return answer;
                        }
                    }
                }
            }
        }
        answer
    }

    fn legal(
        &self,
        operations: &[Taking],
        state: &Shared,
        (order, results): Legal,
        found: &mut BTreeSet<Legal>,
    ) {
        if order.len() == operations.len() {
            found.insert((order, results));
            return;
        }
        for (i, next) in operations.iter().enumerate() {
            if order.contains(&i) {
                continue;
            }
            for (state, result) in
                self.judge.answers(state, next.thread, next.op, &next.args).iter()
            {
                if next.result.as_ref().is_none_or(|fixed| fixed == result) {
                    let (mut order, mut results) = (order.clone(), results.clone());
                    order.push(i);
                    results[i] = result.clone();
                    self.legal(operations, state, (order, results), found);
                }
            }
        }
    }

    /// The group of an operation with this result, whatever its factor.
    fn group(&self, op: OpId, result: &Value) -> Option<usize> {
        let mut any = None;
        for (number, group) in self.groups.iter().enumerate() {
            for (member, which) in group.members.iter().filter(|(member, _)| *member == op) {
                let _ = member;
                match which {
                    QuasiResult::Is(value) if value == result => return Some(number),
                    QuasiResult::Some if matches!(result, Value::Option(Some(_))) => {
                        return Some(number);
                    }
                    QuasiResult::Any => any = any.or(Some(number)),
                    _ => {}
                }
            }
        }
        any
    }

    /// Are the indices within each group close enough?
    fn distances(&self, effects: &[usize], places: &[usize], groups: &[Option<usize>]) -> bool {
        (0..self.groups.len()).all(|g| {
            let factor = self.groups[g].factor as usize;
            let one: Vec<_> = effects.iter().filter(|&&i| groups[i] == Some(g)).collect();
            let two: Vec<_> = places.iter().filter(|&&i| groups[i] == Some(g)).collect();
            one.iter().enumerate().all(|(index, operation)| {
                two.iter().position(|o| o == operation).is_some_and(|k| k.abs_diff(index) <= factor)
            })
        })
    }

    /// Can one walk through both orders without the groups drifting apart?
    fn walk(&self, effects: &[usize], places: &[usize], groups: &[Option<usize>]) -> bool {
        let n = effects.len();
        let factor = |i: usize| groups[i].map_or(0, |g| self.groups[g].factor as usize);
        let fine = |a: usize, b: usize| {
            (0..self.groups.len()).all(|g| {
                let of = |order: &[usize], other: &[usize]| {
                    let missing = order.iter().filter(|i| groups[**i] == Some(g));
                    missing.filter(|i| !other.contains(i)).count()
                };
                let factor = self.groups[g].factor as usize;
                of(&effects[..a], &places[..b]) <= factor
                    && of(&places[..b], &effects[..a]) <= factor
            })
        };
        let mut reached = vec![vec![false; n + 1]; n + 1];
        reached[0][0] = true;
        for a in 0..=n {
            for b in 0..=n {
                if !reached[a][b] {
                    continue;
                }
                if a < n && factor(effects[a]) > 0 && fine(a + 1, b) {
                    reached[a + 1][b] = true;
                }
                if b < n && factor(places[b]) > 0 && fine(a, b + 1) {
                    reached[a][b + 1] = true;
                }
                if a < n && b < n && effects[a] == places[b] && fine(a + 1, b + 1) {
                    reached[a + 1][b + 1] = true;
                }
            }
        }
        reached[n][n]
    }
}

fn taking(history: &[Event]) -> Vec<Taking> {
    operations(history)
        .into_iter()
        .map(|o| Taking {
            thread: o.thread,
            op: o.op,
            args: o.args.to_vec(),
            called: o.called,
            returned: o.returned.map_or(usize::MAX, |r| r.0),
            result: o.returned.map(|r| r.1.clone()),
        })
        .collect()
}

/// All orders that contain the order of real time.
fn linear_extensions(operations: &[Taking], order: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if order.len() == operations.len() {
        found.push(order.clone());
        return;
    }
    for i in 0..operations.len() {
        let waits = |j: usize| !order.contains(&j) && operations[j].returned < operations[i].called;
        if !order.contains(&i) && !(0..operations.len()).any(waits) {
            order.push(i);
            linear_extensions(operations, order, found);
            order.pop();
        }
    }
}
