//! Two orders of a history, built together, and what can happen next to them.
//!
//! Everything that has returned has taken effect. So how far two orders have come is: the state of the specification after
//! the places that were given; which open operations have both (*settled*); and which have one of the two (*loose*): those in
//! effect that wait for a place, and those that were *promised* a place and have not taken effect, or not even been
//! called. A loose operation knows its index in its group, counted from the next one to be given, and so nothing here grows
//! with the history.

use linchpin_lts::Watch;
use smallvec::SmallVec;

use super::factors::{Factors, Reading};
use crate::bits::Bits;
use crate::history::Operation;
use crate::machine::Machine;
use crate::spec::{Spec, Trouble};

/// An operation.
#[derive(Debug)]
pub(super) struct Op {
    /// Its number in the whole history.
    pub(super) index: u32,
    /// What it calls, and its group; several if its result is not known and its group depends on it.
    readings: SmallVec<[(u32, Option<u8>); 1]>,
    pub(super) call: u32,
    pub(super) ret: u32,
    /// Its number among those that never return.
    never: Option<u32>,
    /// Does it change nothing, and belong to no group?
    at_once: bool,
}

/// An operation that has taken effect and waits for a place, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Loose {
    op: u32,
    reading: u8,
    promised: bool,
    /// Its index among the effects, or places, of its group, less how many there are by now.
    index: i32,
}

/// How far two orders have come.
#[derive(Clone, Debug)]
pub(super) struct Configuration {
    /// The next return.
    pub(super) next: u32,
    pub(super) state: u32,
    /// Operations that are settled and have not returned, by number.
    pub(super) settled: SmallVec<[u32; 6]>,
    /// Loose operations, by number.
    pub(super) loose: SmallVec<[Loose; 4]>,
    /// Operations that never return and are settled.
    pub(super) never: Bits,
}

/// What happened to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) op: u32,
    pub(super) effect: bool,
    pub(super) place: bool,
}

/// The operations of one object.
#[derive(Debug)]
pub(super) struct Orders<'f> {
    pub(super) machine: Machine,
    factors: &'f Factors,
    pub(super) ops: Vec<Op>,
    /// Returns by place: who.
    pub(super) returns: Vec<u32>,
    /// Per return, and at the end: who has been called and has not returned.
    open: Vec<SmallVec<[u32; 4]>>,
    /// Operations that never return, in the order of their calls.
    never: Vec<u32>,
    /// For each of these, the one before it that can do the same.
    equal: Vec<Option<u32>>,
    /// Per group, who may belong to it by calls, and who certainly does and returns by returns.
    by_call: Vec<Vec<u32>>,
    by_return: Vec<Vec<u32>>,
}

/// What is tried, in this order.
pub(super) const STAGES: u8 = 4;

impl<'f> Orders<'f> {
    /// Operations in the order of their calls, with their numbers.
    pub(super) fn new(
        spec: &Spec,
        factors: &'f Factors,
        operations: &[(u32, &Operation)],
        watch: &Watch,
    ) -> Result<Self, Trouble> {
        // Whoever asks who calls must know them all.
        let all: Vec<Operation> = operations.iter().map(|o| o.1.clone()).collect();
        let (mut machine, _) = Machine::new(spec, &all, watch)?;
        let (mut ops, mut never) = (Vec::new(), Vec::new());
        for (index, operation) in operations {
            let mut readings: SmallVec<[(u32, Option<u8>); 1]> = SmallVec::new();
            for reading in factors.readings(operation.op, operation.result.as_ref()) {
                let (call, group) = match reading {
                    Reading::Plain(group) => (machine.call(operation)?, group),
                    Reading::Is(result, group) => {
                        let known = Operation { result: Some(result), ..(*operation).clone() };
                        // A result that it cannot have.
                        let Ok(call) = machine.call(&known) else { continue };
                        (call, group)
                    }
                    Reading::But(results, group) => (machine.call_but(operation, &results)?, group),
                };
                readings.push((call, group));
            }
            let silent = readings.iter().all(|r| r.1.is_none() && machine.changes_nothing(r.0));
            if silent && !operation.returns() {
                continue;
            }
            let op = ops.len() as u32;
            let own = (!operation.returns()).then_some(never.len() as u32);
            never.extend(own.map(|_| op));
            let at_once = silent && readings.len() == 1;
            let (call, ret) = (operation.call, operation.ret);
            ops.push(Op { index: *index, readings, call, ret, never: own, at_once });
        }
        let mut last = std::collections::HashMap::new();
        let equal = |op: &u32| last.insert(ops[*op as usize].readings.to_vec(), *op);
        let equal = never.iter().map(equal).collect();
        let mut returns: Vec<u32> =
            (0..ops.len() as u32).filter(|&i| ops[i as usize].never.is_none()).collect();
        returns.sort_unstable_by_key(|&i| ops[i as usize].ret);
        let members = |sure: bool, all: &mut dyn Iterator<Item = u32>, group: usize| {
            let is = |r: &(u32, Option<u8>)| r.1 == Some(group as u8);
            let of = |i: &u32| match sure {
                true => ops[*i as usize].readings.iter().all(is),
                false => ops[*i as usize].readings.iter().any(is),
            };
            all.filter(of).collect::<Vec<u32>>()
        };
        let groups = 0..factors.groups.len();
        let by_call = groups.clone().map(|g| members(false, &mut (0..ops.len() as u32), g));
        let by_call = by_call.collect();
        let by_return = groups.map(|g| members(true, &mut returns.iter().copied(), g)).collect();
        let mut open = Vec::with_capacity(returns.len() + 1);
        let mut now: SmallVec<[u32; 4]> = SmallVec::new();
        let mut called = 0;
        for &who in &returns {
            while called < ops.len() && ops[called].call < ops[who as usize].ret {
                if ops[called].never.is_none() {
                    now.push(called as u32);
                }
                called += 1;
            }
            open.push(now.clone());
            now.retain(|i| *i != who);
        }
        open.push(SmallVec::new());
        Ok(Orders { machine, factors, ops, returns, open, never, equal, by_call, by_return })
    }

    /// As it begins.
    pub(super) fn initial(&self) -> Vec<Configuration> {
        let start = |&state: &u32| Configuration {
            next: 0,
            state,
            settled: SmallVec::new(),
            loose: SmallVec::new(),
            never: Bits::default(),
        };
        self.machine.initial().iter().map(start).collect()
    }

    fn op(&self, op: u32) -> &Op {
        &self.ops[op as usize]
    }

    /// The place of the next return, or the end.
    fn now(&self, from: &Configuration) -> u32 {
        self.returns.get(from.next as usize).map_or(u32::MAX, |&i| self.op(i).ret)
    }

    fn group(&self, loose: &Loose) -> u8 {
        // What is loose has a group.
        self.op(loose.op).readings[loose.reading as usize].1.unwrap_or(0)
    }

    /// How many of a group wait for a place, and how many were promised one.
    fn counts(&self, from: &Configuration, group: u8) -> (i32, i32) {
        let of = |promised: bool| {
            let all = from.loose.iter().filter(|l| l.promised == promised);
            all.filter(|l| self.group(l) == group).count() as i32
        };
        (of(false), of(true))
    }

    /// Has an operation neither an effect nor a place? (Not asked of those that have returned.)
    fn is_fresh(&self, from: &Configuration, op: u32) -> bool {
        let settled = match self.op(op).never {
            Some(number) => from.never.has(number),
            None => from.settled.contains(&op),
        };
        !settled && from.loose.iter().all(|l| l.op != op)
    }

    /// Has it taken effect? (Not asked of those that have returned.)
    fn is_effective(&self, from: &Configuration, op: u32) -> bool {
        match from.loose.iter().find(|l| l.op == op) {
            Some(loose) => !loose.promised,
            None => !self.is_fresh(from, op),
        }
    }

    /// Goes past all returns that are explained, taking what nobody sees. Is everything explained?
    pub(super) fn advance(&mut self, at: &mut Configuration, steps: &mut Vec<Step>) -> bool {
        loop {
            for i in 0..self.open[at.next as usize].len() {
                let op = self.open[at.next as usize][i];
                if self.op(op).at_once && self.is_fresh(at, op) {
                    let call = self.op(op).readings[0].0;
                    if self.machine.is_possible(at.state, call) {
                        self.settle(at, op);
                        steps.push(Step { op, effect: true, place: true });
                    }
                }
            }
            let Some(&awaited) = self.returns.get(at.next as usize) else {
                return at.loose.is_empty();
            };
            if !self.is_effective(at, awaited) {
                return false;
            }
            at.settled.retain(|op| *op != awaited);
            at.next += 1;
        }
    }

    fn settle(&self, at: &mut Configuration, op: u32) {
        match self.op(op).never {
            Some(number) => at.never.insert(number),
            // What has returned is not looked at again.
            None if self.op(op).ret < self.now(at) => {}
            None => {
                let place = at.settled.partition_point(|&s| s < op);
                at.settled.insert(place, op);
            }
        }
    }

    /// One more effect, or place, of a group.
    fn count(&self, at: &mut Configuration, group: u8, promised: bool) {
        let ops = &self.ops;
        let of = |l: &Loose| ops[l.op as usize].readings[l.reading as usize].1;
        for loose in at.loose.iter_mut().filter(|l| l.promised == promised && of(l) == Some(group))
        {
            loose.index -= 1;
        }
    }

    /// Can everything loose still get within its factor?
    fn is_possible(&self, at: &Configuration) -> bool {
        at.loose.iter().all(|loose| {
            let group = self.group(loose);
            let (unplaced, promised) = self.counts(at, group);
            let ahead = if loose.promised { unplaced - promised } else { promised - unplaced };
            ahead - loose.index <= self.factors.factor(group)
        })
    }

    /// What can happen next, by stages.
    pub(super) fn following(
        &mut self,
        from: &Configuration,
        stage: u8,
        found: &mut Vec<(Configuration, Step)>,
    ) {
        let awaited = self.returns.get(from.next as usize).copied();
        match stage {
            // What waits gets its place; the awaited one takes effect.
            0 => {
                for i in 0..from.loose.len() {
                    let loose = from.loose[i];
                    if !loose.promised {
                        self.place(from, i, found);
                    } else if Some(loose.op) == awaited {
                        self.keep(from, i, found);
                    }
                }
                if let Some(awaited) = awaited.filter(|&op| self.is_fresh(from, op)) {
                    self.both(from, awaited, found);
                }
            }
            // Others take effect and get their places, or had them.
            1 => {
                for op in self.callable(from).into_iter().filter(|op| Some(*op) != awaited) {
                    self.both(from, op, found);
                }
                for i in 0..from.loose.len() {
                    let loose = from.loose[i];
                    if loose.promised
                        && Some(loose.op) != awaited
                        && self.op(loose.op).call < self.now(from)
                    {
                        self.keep(from, i, found);
                    }
                }
            }
            // They take effect and wait, the awaited one first.
            2 => {
                let first = awaited.filter(|&op| self.is_fresh(from, op));
                let others = self.callable(from).into_iter().filter(|op| Some(*op) != awaited);
                for op in first.into_iter().chain(others.collect::<Vec<_>>()) {
                    self.wait(from, op, found);
                }
            }
            // They are promised a place.
            _ => self.promises(from, found),
        }
        found.retain(|(at, _)| self.is_possible(at));
    }

    /// Who has been called and has neither effect nor place.
    fn callable(&self, from: &Configuration) -> Vec<u32> {
        let now = self.now(from);
        let open = self.open[from.next as usize].iter().copied();
        let mut all: Vec<u32> = open.filter(|&op| self.is_fresh(from, op)).collect();
        let called =
            self.never.iter().zip(&self.equal).take_while(|(op, _)| self.op(**op).call < now);
        let first = |e: &Option<u32>| e.is_none_or(|equal| !self.is_fresh(from, equal));
        let lost = called.filter(|(op, equal)| self.is_fresh(from, **op) && first(equal));
        all.extend(lost.map(|(op, _)| *op));
        all
    }

    /// The states after an operation, by its readings.
    fn moves(&mut self, state: u32, op: u32, group: Option<u8>) -> Vec<(u8, Option<u8>, u32)> {
        let (mut all, mut moves) = (Vec::new(), Vec::new());
        let op = &self.ops[op as usize];
        for (reading, &(call, of)) in op.readings.iter().enumerate() {
            if group.is_some() && of != group {
                continue;
            }
            moves.clear();
            self.machine.moves(state, call, &mut moves);
            all.extend(moves.iter().map(|&to| (reading as u8, of, to)));
        }
        all
    }

    fn both(&mut self, from: &Configuration, op: u32, found: &mut Vec<(Configuration, Step)>) {
        for (_, group, state) in self.moves(from.state, op, None) {
            let mut at = Configuration { state, ..from.clone() };
            if let Some(group) = group {
                self.count(&mut at, group, false);
                self.count(&mut at, group, true);
            }
            self.settle(&mut at, op);
            found.push((at, Step { op, effect: true, place: true }));
        }
    }

    fn wait(&self, from: &Configuration, op: u32, found: &mut Vec<(Configuration, Step)>) {
        for (reading, &(_, group)) in self.op(op).readings.iter().enumerate() {
            let Some(group) = group else { continue };
            if self.counts(from, group).0 < self.factors.factor(group) {
                let mut at = from.clone();
                self.count(&mut at, group, false);
                loosen(&mut at, Loose { op, reading: reading as u8, promised: false, index: -1 });
                found.push((at, Step { op, effect: true, place: false }));
            }
        }
    }

    /// What took effect gets its place.
    fn place(&mut self, from: &Configuration, i: usize, found: &mut Vec<(Configuration, Step)>) {
        let loose = from.loose[i];
        let call = self.op(loose.op).readings[loose.reading as usize].0;
        let mut moves = Vec::new();
        self.machine.moves(from.state, call, &mut moves);
        for state in moves {
            let mut at = Configuration { state, ..from.clone() };
            at.loose.remove(i);
            self.count(&mut at, self.group(&loose), true);
            self.settle(&mut at, loose.op);
            found.push((at, Step { op: loose.op, effect: false, place: true }));
        }
    }

    /// What was promised a place takes effect.
    fn keep(&self, from: &Configuration, i: usize, found: &mut Vec<(Configuration, Step)>) {
        let loose = from.loose[i];
        let mut at = from.clone();
        at.loose.remove(i);
        self.count(&mut at, self.group(&loose), false);
        self.settle(&mut at, loose.op);
        found.push((at, Step { op: loose.op, effect: true, place: false }));
    }

    /// Whoever comes so late that too many of its group must take effect before cannot be promised a place now.
    fn promises(&mut self, from: &Configuration, found: &mut Vec<(Configuration, Step)>) {
        let now = self.now(from);
        for group in 0..self.factors.groups.len() as u8 {
            let factor = self.factors.factor(group);
            let (unplaced, promised) = self.counts(from, group);
            if promised >= factor {
                continue;
            }
            let mut able = self.callable(from);
            let late = &self.by_call[group as usize];
            let late = &late[late.partition_point(|&op| self.op(op).call < now)..];
            let returns = &self.by_return[group as usize];
            let from_now = returns.partition_point(|&op| self.op(op).ret < now);
            let mut returns = returns[from_now..].iter().peekable();
            let mut ahead = 0;
            for &op in late {
                while let Some(&before) =
                    returns.next_if(|before| self.op(**before).ret < self.op(op).call)
                {
                    ahead += i32::from(!self.is_effective(from, before));
                }
                if ahead > promised - unplaced + factor {
                    break;
                }
                if self.is_fresh(from, op) {
                    able.push(op);
                }
            }
            for op in able {
                for (reading, _, state) in self.moves(from.state, op, Some(group)) {
                    let mut at = Configuration { state, ..from.clone() };
                    self.count(&mut at, group, true);
                    loosen(&mut at, Loose { op, reading, promised: true, index: -1 });
                    found.push((at, Step { op, effect: false, place: true }));
                }
            }
        }
    }
}

fn loosen(at: &mut Configuration, loose: Loose) {
    let place = at.loose.partition_point(|l| l.op < loose.op);
    at.loose.insert(place, loose);
}
