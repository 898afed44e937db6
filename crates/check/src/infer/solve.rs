//! Smallest sets of candidates that fit a pool of executions.
//!
//! A set is compared with an execution by running the specification in lockstep, as `points` does, at the
//! candidates that are in the set. Where that fails, only candidates that the execution has passed until
//! then can mend it: if an operation returns without having come to a point, one of its own, otherwise
//! any. So the search branches on these, each time leaving out for good what it has tried, and goes on to
//! larger sets only when it was stopped by the size. If it never was, no set at all fits.

use std::collections::{BTreeSet, HashMap};

use linchpin_lin::Model;
use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, Specification};
use linchpin_lts::Schedule;

use super::Forced;
use super::trace::{Happening, Trace};
use crate::report::{CheckError, operations};

/// What a search for a set came to.
pub(super) enum Answer {
    /// The smallest.
    Fits(BTreeSet<usize>),
    /// There is none.
    Nothing,
    /// It took too long.
    TooMany,
}

/// Executions that a set of candidates has to fit.
pub(super) struct Pool<'m> {
    model: &'m Model,
    spec: Spec,
    executions: Vec<(Trace, Schedule)>,
    candidates: usize,
    /// Sets compared so far, at which number to give up, and how many a question may take.
    proposals: u64,
    stop: u64,
    limit: u64,
    /// No smaller set fits, for the question that is being asked.
    least: usize,
}

/// The state of a search.
struct Branch<'a> {
    chosen: BTreeSet<usize>,
    excluded: Vec<bool>,
    /// Operations that may take effect at any time.
    free: &'a [OpId],
    /// Stopped by the size.
    cut: bool,
}

impl<'m> Pool<'m> {
    pub(super) fn new(model: &'m Model, candidates: usize, limit: u64) -> Result<Self, CheckError> {
        let specification = model.specification().map_err(CheckError::Specification)?;
        let ops = operations(model.program(), model.check(), &specification)?;
        let mut states = Numbers::default();
        let initial = specification.initial().map_err(CheckError::Specification)?;
        let spec = Spec {
            initial: initial.iter().map(|s| states.number(s)).collect(),
            specification,
            ops,
            states,
            results: Numbers::default(),
            calls: Numbers::default(),
            outcomes: HashMap::new(),
        };
        let executions = Vec::new();
        Ok(Pool { model, spec, executions, candidates, proposals: 0, stop: limit, limit, least: 0 })
    }

    pub(super) fn len(&self) -> usize {
        self.executions.len()
    }

    pub(super) fn proposals(&self) -> u64 {
        self.proposals
    }

    /// The operations of the object.
    pub(super) fn operations(&self) -> Vec<OpId> {
        (0..self.model.object().unit.ops.len() as u32).map(OpId).collect()
    }

    /// Begins another question.
    pub(super) fn restart(&mut self) {
        self.least = 0;
        self.stop = self.proposals + self.limit;
    }

    /// Adds an execution that refutes a set; `false` if it does not.
    pub(super) fn add(
        &mut self,
        trace: Trace,
        schedule: Schedule,
        refuted: &BTreeSet<usize>,
        free: &[OpId],
    ) -> Result<bool, CheckError> {
        let fails = self.spec.run(&trace, refuted, free, None)?.is_some();
        // What refuted a set last is likely to refute the next ones.
        self.executions.insert(0, (trace, schedule));
        Ok(fails)
    }

    /// The smallest set that fits all executions if these operations may take effect at any time.
    pub(super) fn smallest(&mut self, free: &[OpId]) -> Result<Answer, CheckError> {
        for size in self.least..=self.candidates {
            let excluded = vec![false; self.candidates];
            let mut branch = Branch { chosen: BTreeSet::new(), excluded, free, cut: false };
            if self.search(&mut branch, size)? {
                self.least = size;
                return Ok(Answer::Fits(branch.chosen));
            }
            if self.proposals > self.stop {
                return Ok(Answer::TooMany);
            }
            if !branch.cut {
                return Ok(Answer::Nothing);
            }
        }
        Ok(Answer::Nothing)
    }

    /// Adds at most so many candidates; is the result a set that fits?
    fn search(&mut self, branch: &mut Branch<'_>, left: usize) -> Result<bool, CheckError> {
        self.proposals += 1;
        if self.proposals > self.stop {
            return Ok(false);
        }
        let mut mending = None;
        for (i, (trace, _)) in self.executions.iter().enumerate() {
            mending = self.spec.run(trace, &branch.chosen, branch.free, None)?;
            if mending.is_some() {
                // Where one set fails, similar ones do.
                self.executions.swap(0, i);
                break;
            }
        }
        let Some(mending) = mending else { return Ok(true) };
        let usable = |c: &usize| !branch.excluded[*c] && !branch.chosen.contains(c);
        let mending: Vec<usize> = mending.into_iter().filter(usable).collect();
        if left == 0 {
            branch.cut |= !mending.is_empty();
            return Ok(false);
        }
        for (tried, &c) in mending.iter().enumerate() {
            branch.chosen.insert(c);
            if self.search(branch, left - 1)? {
                return Ok(true);
            }
            branch.chosen.remove(&c);
            branch.excluded[c] = true;
            if self.proposals > self.stop {
                mending[..=tried].iter().for_each(|&c| branch.excluded[c] = false);
                return Ok(false);
            }
        }
        mending.iter().for_each(|&c| branch.excluded[c] = false);
        Ok(false)
    }

    /// As few executions as possible that still no set fits, short ones rather than long ones.
    pub(super) fn least_conflict(
        &mut self,
        free: &[OpId],
    ) -> Result<Vec<(Trace, Schedule)>, CheckError> {
        let whole = self.executions.clone();
        let mut kept = whole.clone();
        kept.sort_by_key(|(trace, _)| std::cmp::Reverse(trace.happenings.len()));
        let mut i = 0;
        while i < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(i);
            self.executions = fewer.clone();
            self.restart();
            self.stop = self.proposals + self.limit / 10;
            match self.smallest(free)? {
                Answer::Nothing => kept = fewer,
                Answer::Fits(_) | Answer::TooMany => i += 1,
            }
        }
        self.executions = whole;
        kept.reverse();
        Ok(kept)
    }

    /// The executions with the moments at which the operations in question can take effect.
    pub(super) fn forced(
        &mut self,
        executions: &[(Trace, Schedule)],
        questioned: &[OpId],
    ) -> Result<Vec<Forced>, CheckError> {
        let every = self.operations();
        let mut forced = Vec::new();
        for (trace, schedule) in executions {
            let steps = trace.happenings.iter().filter(|h| matches!(h, Happening::Step)).count();
            let calls = trace.happenings.iter().filter_map(|h| match h {
                Happening::Call(_, op, _) => Some(*op),
                _ => None,
            });
            let mut moments = Vec::new();
            for (call, _) in calls.enumerate().filter(|(_, op)| questioned.contains(op)) {
                let mut possible = Vec::new();
                for step in 0..steps {
                    let none = BTreeSet::new();
                    if self.spec.run(trace, &none, &every, Some((call, step)))?.is_none() {
                        possible.push(step);
                    }
                }
                moments.push((call, possible));
            }
            forced.push(Forced { schedule: schedule.clone(), moments });
        }
        Ok(forced)
    }
}

/// Numbers for equal things.
struct Numbers<T> {
    things: Vec<T>,
    index: HashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { things: Vec::new(), index: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn number(&mut self, thing: &T) -> u32 {
        if let Some(&n) = self.index.get(thing) {
            return n;
        }
        let n = self.things.len() as u32;
        self.things.push(thing.clone());
        self.index.insert(thing.clone(), n);
        n
    }
}

/// The specification with memory.
struct Spec {
    specification: Specification,
    ops: Vec<OpId>,
    initial: Vec<u32>,
    states: Numbers<AbstractState>,
    results: Numbers<Value>,
    calls: Numbers<(OpId, Vec<Value>)>,
    outcomes: HashMap<(u32, u32, usize), Vec<(u32, u32)>>,
}

/// What a thread is doing in a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Part {
    Idle,
    Pending,
    /// It has taken effect, with this result, and changed the state or not.
    Done(u32, bool),
}

type Configuration = (u32, Vec<Part>);

/// An operation of a thread that has not returned.
#[derive(Clone)]
struct Open {
    /// Which call of the execution it is.
    number: usize,
    call: u32,
    free: bool,
    /// The candidates that it has passed.
    passed: Vec<usize>,
}

impl Spec {
    /// Runs the specification with an execution. `None`: it fits; otherwise the candidates one of which
    /// might mend it. `forced`: that call takes effect after that step, and at no other time.
    fn run(
        &mut self,
        trace: &Trace,
        chosen: &BTreeSet<usize>,
        free: &[OpId],
        forced: Option<(usize, usize)>,
    ) -> Result<Option<Vec<usize>>, CheckError> {
        let threads = self.specification.threads() as usize;
        let mut set: Vec<Configuration> =
            self.initial.iter().map(|&s| (s, vec![Part::Idle; threads])).collect();
        let mut open: Vec<Option<Open>> = vec![None; threads];
        let mut passed: Vec<usize> = Vec::new();
        let (mut calls, mut steps) = (0, 0);
        for happening in &trace.happenings {
            match happening {
                Happening::Call(t, op, args) => {
                    let call = self.calls.number(&(*op, args.clone()));
                    let at_once = forced.is_some_and(|(number, _)| number == calls);
                    let free = free.contains(op) && !at_once;
                    open[*t] = Some(Open { number: calls, call, free, passed: Vec::new() });
                    calls += 1;
                    set.iter_mut().for_each(|c| c.1[*t] = Part::Pending);
                    self.close(&mut set, &open)?;
                }
                Happening::Candidate(whose, candidate) => {
                    match whose.and_then(|t| open[t].as_mut()) {
                        Some(operation) if operation.free => {}
                        Some(operation) => {
                            note(&mut operation.passed, *candidate);
                            note(&mut passed, *candidate);
                        }
                        None => {}
                    }
                    if !chosen.contains(candidate) {
                        continue;
                    }
                    match whose.map(|t| (t, &open[t])) {
                        Some((_, Some(o))) if o.free => {}
                        Some((t, Some(o))) => {
                            set = self.effect(&set, t, o.call, false)?;
                            self.close(&mut set, &open)?;
                        }
                        _ => set.clear(),
                    }
                    if set.is_empty() {
                        return Ok(Some(passed));
                    }
                }
                Happening::Return(t, result) => {
                    let result = self.results.number(result);
                    let missing = set.iter().all(|c| c.1[*t] == Part::Pending);
                    set.retain(|c| matches!(c.1[*t], Part::Done(r, _) if r == result));
                    if set.is_empty() {
                        let own = open[*t].take().filter(|o| missing && !o.free);
                        return Ok(Some(own.map_or(passed, |o| o.passed)));
                    }
                    set.iter_mut().for_each(|c| c.1[*t] = Part::Idle);
                    open[*t] = None;
                    set.sort_unstable();
                    set.dedup();
                }
                Happening::Step => {
                    if let Some((number, step)) = forced
                        && step == steps
                    {
                        let its = |o: &Option<Open>| o.as_ref().is_some_and(|o| o.number == number);
                        let Some(t) = open.iter().position(its) else { return Ok(Some(passed)) };
                        let call = open[t].as_ref().map_or(0, |o| o.call);
                        set = self.effect(&set, t, call, false)?;
                        self.close(&mut set, &open)?;
                        if set.is_empty() {
                            return Ok(Some(passed));
                        }
                    }
                    steps += 1;
                }
            }
        }
        Ok(None)
    }

    /// The configurations after a point of the operation of a thread, or (`once`) after it has taken
    /// effect for the first time.
    fn effect(
        &mut self,
        set: &[Configuration],
        thread: usize,
        call: u32,
        once: bool,
    ) -> Result<Vec<Configuration>, CheckError> {
        let mut next = Vec::new();
        for (state, parts) in set {
            match parts[thread] {
                Part::Pending => {}
                Part::Done(_, false) if !once => {}
                _ => continue,
            }
            for (after, result) in self.outcomes(*state, call, thread)? {
                let mut parts = parts.clone();
                parts[thread] = Part::Done(result, after != *state);
                next.push((after, parts));
            }
        }
        next.sort_unstable();
        next.dedup();
        Ok(next)
    }

    /// Lets operations that are free take effect.
    fn close(
        &mut self,
        set: &mut Vec<Configuration>,
        open: &[Option<Open>],
    ) -> Result<(), CheckError> {
        if !open.iter().flatten().any(|o| o.free) {
            return Ok(());
        }
        let mut new = set.clone();
        while !new.is_empty() {
            let mut found = Vec::new();
            for (t, o) in open.iter().enumerate() {
                if let Some(o) = o
                    && o.free
                {
                    found.extend(self.effect(&new, t, o.call, true)?);
                }
            }
            found.sort_unstable();
            found.dedup();
            found.retain(|c| !set.contains(c));
            set.extend_from_slice(&found);
            new = found;
        }
        Ok(())
    }

    fn outcomes(
        &mut self,
        state: u32,
        call: u32,
        thread: usize,
    ) -> Result<Vec<(u32, u32)>, CheckError> {
        if let Some(known) = self.outcomes.get(&(state, call, thread)) {
            return Ok(known.clone());
        }
        let (op, args) = &self.calls.things[call as usize];
        let from = &self.states.things[state as usize];
        // An order in which the specification goes wrong explains nothing.
        let outcomes: Vec<(u32, u32)> = self
            .specification
            .execute(from, self.ops[op.index()], args, thread as u32 + 1)
            .unwrap_or_default()
            .iter()
            .map(|(state, result)| (self.states.number(state), self.results.number(result)))
            .collect();
        self.outcomes.insert((state, call, thread), outcomes.clone());
        Ok(outcomes)
    }
}

fn note(list: &mut Vec<usize>, candidate: usize) {
    if !list.contains(&candidate) {
        list.push(candidate);
        // The most likely first.
        list.sort_unstable();
    }
}
