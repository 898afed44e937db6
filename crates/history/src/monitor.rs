//! A history that goes on: calls and returns come in as they happen, and a violation is known as soon as it is certain.
//!
//! Every part keeps its configurations (`breadth`) and nothing of the past, so that memory follows what is open and how
//! many different values there were. The search is much faster if it knows what an operation will return when it is
//! called. So events wait until what was called before them has ended. Whoever asks for the verdict gets the one of the
//! history so far all the same: then what has not ended may have taken effect or not, with any result, and is gone through
//! for this once.

use std::collections::{BTreeMap, HashMap};

use linchpin_lts::{Verdict, Watch};

use crate::breadth::{Breadth, Step};
use crate::datum::Datum;
use crate::history::{NEVER, Operation};
use crate::machine::Machine;
use crate::part::Member;
use crate::spec::{Input, Output, Spec, Trouble};

/// Where a history stops being linearizable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    /// The number of the event, from 0, among all calls and returns.
    pub event: u64,
    /// The operation that returns there: who, what, and its result.
    pub process: String,
    /// `pop() = 3`
    pub operation: String,
    /// The states that everything before may have led to.
    pub states: Vec<String>,
}

/// An operation that has not been gone through.
#[derive(Debug)]
struct Called {
    name: String,
    key: Option<Datum>,
    part: Key,
    input: Input,
    process: Datum,
    /// How it ended, if it has.
    ended: Option<Operation>,
    /// Its member, once it has been gone through.
    member: Option<Member>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    operation: u64,
    is_return: bool,
    event: u64,
}

/// Which part an operation belongs to: an object, and a key of it if every operation of the specification has one (what
/// will be called is not known).
type Key = (Option<Datum>, Option<Datum>);

/// A part.
#[derive(Debug)]
struct Followed {
    breadth: Breadth,
    waiting: Vec<Waiting>,
    free: Vec<u32>,
    slots: u32,
    never: u32,
}

/// Follows a history. See the crate for an example.
#[derive(Debug)]
pub struct Monitor {
    spec: Spec,
    watch: Watch,
    open: HashMap<Datum, u64>,
    called: HashMap<u64, Called>,
    parts: BTreeMap<Key, Followed>,
    next: u64,
    events: u64,
    dead: Option<Unexplained>,
}

impl Monitor {
    /// Follows a history of an object that should be this.
    pub fn new(spec: Spec) -> Self {
        Monitor::within(spec, &Watch::NEVER)
    }

    /// The same within limits.
    pub fn within(spec: Spec, watch: &Watch) -> Self {
        Monitor {
            spec,
            watch: watch.clone(),
            open: HashMap::new(),
            called: HashMap::new(),
            parts: BTreeMap::new(),
            next: 0,
            events: 0,
            dead: None,
        }
    }

    /// Somebody calls an operation.
    ///
    /// # Errors
    /// If its last operation has not ended, or the specification has no such operation.
    pub fn call(&mut self, process: &Datum, name: &str, args: &[Datum]) -> Result<(), Trouble> {
        self.called(process, name, None, Input::Args(args.to_vec()))
    }

    /// The operation that somebody has called returns; with `None`, nobody knows what.
    ///
    /// # Errors
    /// If nothing was called, or the result does not fit.
    pub fn ret(&mut self, process: &Datum, result: Option<Datum>) -> Result<(), Trouble> {
        self.ended(process, &Output::Result(result))
    }

    /// Nobody will ever know what became of the operation that somebody has called.
    ///
    /// # Errors
    /// If nothing was called.
    pub fn lost(&mut self, process: &Datum) -> Result<(), Trouble> {
        self.ended(process, &Output::Unknown)
    }

    /// The operation that somebody has called did not happen.
    ///
    /// # Errors
    /// If nothing was called.
    pub fn failed(&mut self, process: &Datum) -> Result<(), Trouble> {
        let number = self.number(process)?;
        self.open.remove(process);
        self.events += 1;
        let Some(called) = self.called.remove(&number) else { return Ok(()) };
        let key = called.part;
        if let Some(part) = self.parts.get_mut(&key) {
            part.waiting.retain(|w| w.operation != number);
        }
        self.advance(&key)
    }

    pub(crate) fn called(
        &mut self,
        process: &Datum,
        name: &str,
        key: Option<Datum>,
        input: Input,
    ) -> Result<(), Trouble> {
        if let Some(open) = self.open.get(process).and_then(|number| self.called.get(number)) {
            let name = &open.name;
            return Err(Trouble::plain(format!(
                "process {process} calls, but its `{name}` has not ended"
            )));
        }
        let unknown = self.spec.operation(name, key.as_ref(), &input, &Output::Unknown);
        let args = unknown.map_err(Trouble::plain)?.args;
        // The key of a map is among its arguments, wherever the log has it.
        let part = (
            key.clone().filter(|_| !self.spec.has_keys()),
            args.first().filter(|_| self.spec.is_keyed_always()).cloned(),
        );
        let (number, process) = (self.next, process.clone());
        self.next += 1;
        self.open.insert(process.clone(), number);
        let name = name.to_string();
        let called =
            Called { name, key, part: part.clone(), input, process, ended: None, member: None };
        self.called.insert(number, called);
        if !self.parts.contains_key(&part) {
            let (machine, _) = Machine::new(&self.spec, &[], &self.watch)?;
            let breadth = Breadth::new(machine, false, true);
            let new =
                Followed { breadth, waiting: Vec::new(), free: Vec::new(), slots: 0, never: 0 };
            self.parts.insert(part.clone(), new);
        }
        let waiting = Waiting { operation: number, is_return: false, event: self.events };
        self.parts.entry(part).and_modify(|part| part.waiting.push(waiting));
        self.events += 1;
        Ok(())
    }

    pub(crate) fn ended(&mut self, process: &Datum, output: &Output) -> Result<(), Trouble> {
        let number = self.number(process)?;
        let Some(called) = self.called.get_mut(&number) else { return Ok(()) };
        let made = self.spec.operation(&called.name, called.key.as_ref(), &called.input, output);
        let mut operation = made.map_err(Trouble::plain)?;
        operation.ret = if *output == Output::Unknown { NEVER } else { 0 };
        let returns = operation.returns();
        called.ended = Some(operation);
        self.open.remove(process);
        let part = called.part.clone();
        if returns {
            let waiting = Waiting { operation: number, is_return: true, event: self.events };
            self.parts.entry(part.clone()).and_modify(|part| part.waiting.push(waiting));
        }
        self.events += 1;
        self.advance(&part)
    }

    fn number(&self, process: &Datum) -> Result<u64, Trouble> {
        let missing =
            || Trouble::plain(format!("process {process} returns, but has not called anything"));
        self.open.get(process).copied().ok_or_else(missing)
    }

    /// Goes through what need not wait any more in a part.
    fn advance(&mut self, part: &Key) -> Result<(), Trouble> {
        let (None, Some(part)) = (&self.dead, self.parts.get_mut(part)) else { return Ok(()) };
        let ready = part.waiting.iter().take_while(|w| {
            w.is_return || self.called.get(&w.operation).is_some_and(|c| c.ended.is_some())
        });
        let ready: Vec<Waiting> = ready.copied().collect();
        part.waiting.drain(..ready.len());
        for waiting in ready {
            let dead = part.go(&waiting, &mut self.called, &self.spec, &self.watch)?;
            self.dead = self.dead.take().or(dead);
        }
        Ok(())
    }

    /// How many objects and keys have been met, which are decided by themselves.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Is the history so far linearizable?
    ///
    /// # Errors
    /// If the specification goes wrong, or a result does not fit it.
    pub fn verdict(&mut self) -> Result<Verdict<Unexplained>, Trouble> {
        for part in self.parts.values_mut() {
            if self.dead.is_some() {
                break;
            }
            if part.waiting.is_empty() {
                continue;
            }
            let (past, free) = (part.breadth.past(), part.free.clone());
            let counts = (part.slots, part.never);
            part.breadth.forgets = false;
            let mut dead = None;
            let waiting = part.waiting.clone();
            // What was not ended is as good as lost, for now.
            let mut supposed = Vec::new();
            for waiting in &waiting {
                let Some(called) = self.called.get_mut(&waiting.operation) else { continue };
                if called.ended.is_none() {
                    let lost = self.spec.operation(
                        &called.name,
                        called.key.as_ref(),
                        &called.input,
                        &Output::Unknown,
                    );
                    let mut lost = lost.map_err(Trouble::plain)?;
                    lost.ret = NEVER;
                    called.ended = Some(lost);
                    supposed.push(waiting.operation);
                }
            }
            for waiting in &waiting {
                dead = part.look(waiting, &mut self.called, &self.spec, &self.watch)?;
                if dead.is_some() {
                    break;
                }
            }
            for waiting in &waiting {
                if let Some(called) = self.called.get_mut(&waiting.operation) {
                    if !waiting.is_return {
                        called.member = None;
                    }
                    if supposed.contains(&waiting.operation) {
                        called.ended = None;
                    }
                }
            }
            part.breadth.go_back(past);
            part.breadth.forgets = true;
            (part.free, (part.slots, part.never)) = (free, counts);
            self.dead = self.dead.take().or(dead);
        }
        if let Some(limit) = self.watch.told() {
            return Ok(Verdict::Unknown(limit));
        }
        Ok(self.dead.clone().map_or(Verdict::Holds, Verdict::Violated))
    }
}

impl Followed {
    /// Goes through an event for good.
    fn go(
        &mut self,
        waiting: &Waiting,
        called: &mut HashMap<u64, Called>,
        spec: &Spec,
        watch: &Watch,
    ) -> Result<Option<Unexplained>, Trouble> {
        let dead = self.look(waiting, called, spec, watch)?;
        let over = called.get(&waiting.operation).is_none_or(|c| match &c.ended {
            Some(operation) => waiting.is_return || !operation.returns(),
            None => false,
        });
        if over {
            called.remove(&waiting.operation);
        }
        Ok(dead)
    }

    fn look(
        &mut self,
        waiting: &Waiting,
        called: &mut HashMap<u64, Called>,
        spec: &Spec,
        watch: &Watch,
    ) -> Result<Option<Unexplained>, Trouble> {
        let Some(of) = called.get_mut(&waiting.operation) else { return Ok(None) };
        let Some(operation) = &of.ended else { return Ok(None) };
        if !waiting.is_return {
            let call = self.breadth.machine.call(operation)?;
            let (pure, returns) = (self.breadth.machine.changes_nothing(call), operation.returns());
            if pure && !returns {
                return Ok(None);
            }
            let slot = match returns {
                true => self.free.pop().unwrap_or_else(|| {
                    self.slots += 1;
                    self.slots - 1
                }),
                false => {
                    self.never += 1;
                    self.never - 1
                }
            };
            let member = Member { index: 0, call, slot, returns, pure };
            of.member = Some(member);
            self.breadth.call(member, 0);
            return Ok(None);
        }
        let Some(member) = of.member else { return Ok(None) };
        let before = self.breadth.states();
        self.free.push(member.slot);
        match self.breadth.ret(member, 0, u64::MAX, watch) {
            Step::Dead => {
                if let Some(fault) = self.breadth.machine.fault() {
                    return Err(Trouble::plain(format!("the specification goes wrong: {fault}")));
                }
                let result = spec.result(operation).map_or_else(String::new, |r| format!(" = {r}"));
                Ok(Some(Unexplained {
                    event: waiting.event,
                    process: of.process.to_string(),
                    operation: spec.call(operation) + &result,
                    states: before
                        .iter()
                        .take(8)
                        .map(|&s| self.breadth.machine.describe(s))
                        .collect(),
                }))
            }
            Step::Alive | Step::Exhausted | Step::Stopped(_) => Ok(None),
        }
    }
}
