//! Judges histories: each that is different once, by the checker of recorded histories.
//!
//! Two executions have the same history if the same operations return the same, and the same of them return before the
//! same are called; when exactly does not matter.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use linchpin_history::{Datum, Executed, Means, Operation, Spec as Recorded, Split, decide};
use linchpin_lts::{Verdict, Watch};
use rapidhash::fast::RandomState;

use crate::brute::Done;
use crate::spec::Spec;

/// A specification whose states, operations and results have numbers.
struct Tables<S: Spec>(Mutex<Inner<S>>);

struct Inner<S: Spec> {
    states: Vec<S>,
    numbers: HashMap<S, u32, RandomState>,
    ops: Vec<S::Op>,
    /// With the operation that returned it: what different operations return is not compared.
    rets: Vec<(usize, S::Ret)>,
}

impl<S: Spec> fmt::Debug for Tables<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a specification in Rust")
    }
}

impl<S: Spec> Executed for Tables<S> {
    fn step(&self, state: u32, operation: u32, result: Option<u32>) -> Vec<u32> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let outcomes = inner.states[state as usize].outcomes(&inner.ops[operation as usize]);
        let fits = |ret: &S::Ret| result.is_none_or(|r| inner.rets[r as usize].1 == *ret);
        let after: Vec<S> = outcomes.into_iter().filter(|o| fits(&o.1)).map(|o| o.0).collect();
        after.into_iter().map(|state| inner.number(state)).collect()
    }
}

impl<S: Spec> Inner<S> {
    fn number(&mut self, state: S) -> u32 {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.states.len() as u32;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        number
    }
}

/// What is known of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    Explained,
    Unexplained,
    /// The checker has given up.
    Unknown,
}

/// Judges the histories of one client.
pub(crate) struct Judge<S: Spec> {
    tables: Arc<Tables<S>>,
    spec: Recorded,
    known: HashMap<Box<[u32]>, Judgement, RandomState>,
}

impl<S: Spec> Judge<S> {
    /// The operations are those of the client, one thread after the other.
    pub(crate) fn new(spec: &S, ops: Vec<S::Op>) -> Judge<S> {
        let (states, numbers, rets) = (Vec::new(), HashMap::default(), Vec::new());
        let mut inner = Inner { states, numbers, ops, rets };
        inner.number(spec.clone());
        let tables = Arc::new(Tables(Mutex::new(inner)));
        Judge { spec: Recorded::executed(tables.clone()), tables, known: HashMap::default() }
    }

    /// How many different histories were judged.
    pub(crate) fn histories(&self) -> u64 {
        self.known.len() as u64
    }

    /// Judges a history: the operations of all threads, one thread after the other.
    pub(crate) fn judge(&mut self, history: Vec<Done<S::Op, S::Ret>>) -> Judgement {
        let mut key = Vec::with_capacity(history.len() * 4);
        let (mut calls, mut rets) = (Vec::new(), Vec::new());
        let threads = history.last().map_or(0, |d| d.thread + 1);
        for one in &history {
            let mut before = vec![0; threads];
            history.iter().filter(|d| d.ret < one.call).for_each(|d| before[d.thread] += 1);
            key.extend(before);
            calls.push((one.call, one.ret));
        }
        {
            let mut inner = self.tables.0.lock().unwrap_or_else(PoisonError::into_inner);
            for (op, one) in history.into_iter().enumerate() {
                let known = inner.rets.iter().position(|r| r.0 == op && r.1 == one.result);
                let number = known.unwrap_or_else(|| {
                    inner.rets.push((op, one.result));
                    inner.rets.len() - 1
                });
                rets.push(number as u32);
            }
        }
        key.extend(&rets);
        if let Some(&known) = self.known.get(key.as_slice()) {
            return known;
        }
        let operation = |(i, ((call, ret), result)): (usize, ((u32, u32), u32))| Operation {
            process: i as u32,
            object: 0,
            op: 0,
            args: [Datum::Int(i as i64)].into_iter().collect(),
            result: Some(Datum::Int(result.into())),
            call,
            ret,
            line: 0,
        };
        let mut operations: Vec<Operation> =
            calls.into_iter().zip(rets).enumerate().map(operation).collect();
        operations.sort_by_key(|o| o.call);
        let means =
            Means { distinct: false, split: Split::None, most: 1 << 24, ..Means::default() };
        let judgement = match decide(&self.spec, &operations, &means, &Watch::default()) {
            Ok(decision) => match decision.verdict {
                Verdict::Holds => Judgement::Explained,
                Verdict::Violated(_) => Judgement::Unexplained,
                Verdict::Unknown(_) => Judgement::Unknown,
            },
            Err(_) => Judgement::Unknown,
        };
        self.known.insert(key.into(), judgement);
        judgement
    }
}
