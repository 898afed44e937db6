//! Execution of one procedure from its beginning, guided by what it observed before.
//!
//! A thread between two steps is represented by the *log* of everything its operation has got from
//! outside so far: results of shared accesses, choices, numbers of new records. To take a step, the
//! operation is executed again from its first statement with the answers of the log, then makes one
//! more access for real, and goes on with local work until it needs the next access. This is slow
//! and leaves little to get wrong: there is no program counter, no continuation, no compiled form.
//!
//! Logs grow with every round of a retry loop, so they cannot tell whether two threads are in the
//! same state. For that, every level of the tree walk notes on its way out what it still needed (which
//! statement, which operands so far, the local variables): the *trail*. Equal trails mean equal
//! futures, whatever the logs are.

use std::collections::{BTreeSet, HashSet};

use linchpin_lin::Value;
use linchpin_lin::program::{
    Block, Expr, FaultKind, LoopId, Memory, OpId, Proc, Program, RecordId, Stmt, StmtKind, Type,
    Unit,
};

use super::ahead::Ahead;
use super::memory::{
    Address, Cell, RECORDS_PER_THREAD, Root, Shared, component, component_mut, fits,
};

/// Statements that may be executed between two steps before they are too many for this oracle.
const PATIENCE: u32 = 20_000;

/// After so many rounds of a loop its further rounds are compared with each other.
const ROUNDS: u32 = 500;

/// The code that runs and the facts about its surroundings.
#[derive(Clone, Copy)]
pub(crate) struct Code<'p> {
    pub(crate) program: &'p Program,
    pub(crate) unit: &'p Unit,
    pub(crate) memory: Memory,
    /// Number of threads of the check.
    pub(crate) threads: u32,
    /// Limit on records.
    pub(crate) heap: Option<u32>,
    /// Cells of an array without a stated end.
    pub(crate) cells: u32,
    /// Which records count for it.
    pub(crate) counting: Counting,
}

impl<'p> Code<'p> {
    /// The type that a part of a value must fit when the value is made. Objects look at it then, even if the value is
    /// only compared; specifications look when a value is stored.
    pub(super) fn checked_part<'t>(&self, whole: &'t Type, i: usize) -> Option<&'t Type>
    where
        'p: 't,
    {
        let object = self.program.objects.iter().any(|o| std::ptr::eq(&o.unit, self.unit));
        match whole {
            _ if !object => None,
            Type::Tuple(parts) => parts.get(i),
            Type::Struct(id) => self.program.structs[id.index()].fields.get(i).map(|f| &f.ty),
            Type::Array(element, _) => Some(element),
            _ => None,
        }
    }

    fn counts_least(&self) -> bool {
        self.heap.is_some() && self.counting == Counting::Least
    }
}

/// Which records count for the bound on the heap. The language counts what a thread *still needs*,
/// which this interpreter does not know exactly; so there are two answers around the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// What any variable or operand refers to: leaves out all executions that must be left out, and
    /// maybe more.
    Most,
    /// What is certainly needed: leaves out no execution that must not be left out.
    Least,
}

/// Why execution stops before the end of the procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the next shared access: the step is complete.
    Access,
    /// In a script, at the call of an operation; `None` stands for any argument.
    Invoke(OpId, Vec<Option<Value>>),
    /// The access has to wait.
    Blocked,
    /// A false `assume` or an empty `choose`.
    Assumed,
    /// The limit on records.
    HeapLimit,
    /// Local work is too long for this oracle.
    TooLong,
    /// A run-time error.
    Fault(FaultKind),
    /// A choice between that many alternatives that nobody has made yet.
    Choice(usize),
}

impl From<FaultKind> for Stop {
    fn from(kind: FaultKind) -> Self {
        Stop::Fault(kind)
    }
}

/// How a statement ends.
pub(super) enum Flow {
    Next,
    Break(LoopId),
    Continue(LoopId),
    Return(Value),
}

/// Local variables of a procedure.
pub(super) type Frame = Vec<Value>;

/// One execution.
#[derive(Clone)]
pub(crate) struct Run<'p, 'c> {
    pub(super) code: Code<'p>,
    /// The executing thread, from 1; 0 during initialisation.
    pub(super) me: u32,
    /// The memory, changed by the step.
    pub(crate) shared: Shared,
    /// What was observed before this step, and then also in it.
    pub(crate) log: Vec<Value>,
    replayed: usize,
    /// May an access be made now?
    permit: bool,
    /// Inside how many atomic blocks.
    depth: u32,
    /// Decisions for the choices of this step, in order.
    choices: &'c [usize],
    chosen: usize,
    /// Records this thread has allocated.
    pub(crate) allocated: u32,
    patience: u32,
    /// How many steps have begun.
    steps: u32,
    /// Has the access of this step been made?
    acted: bool,
    /// Has the limit on records left something out, if only a fresh one where another one was free?
    pub(super) left_out: bool,
    /// Is this the step of the call?
    calls: bool,
    /// The threads of the points of this step, from 1; 0 is none.
    pub(crate) points: Vec<u32>,
    /// What identifies the point where execution stopped, innermost first.
    pub(crate) trail: Vec<Value>,
    /// What it needs from there on.
    pub(super) ahead: Ahead,
}

impl<'p, 'c> Run<'p, 'c> {
    /// An execution in which the log is replayed and then, if `permit`, one access is made.
    pub(crate) fn step(
        code: Code<'p>,
        me: u32,
        shared: Shared,
        log: Vec<Value>,
        permit: bool,
    ) -> Self {
        Run {
            code,
            me,
            shared,
            log,
            replayed: 0,
            permit,
            depth: 0,
            choices: &[],
            chosen: 0,
            allocated: 0,
            patience: PATIENCE,
            steps: 0,
            acted: false,
            left_out: false,
            calls: !permit,
            points: Vec::new(),
            trail: Vec::new(),
            ahead: Ahead::new(code.counts_least()),
        }
    }

    /// An execution without interruption: specifications and initialisation.
    pub(crate) fn uninterrupted(code: Code<'p>, me: u32, shared: Shared) -> Self {
        let mut run = Run::step(code, me, shared, Vec::new(), false);
        run.depth = 1;
        run
    }

    /// With these decisions.
    pub(crate) fn choosing(mut self, choices: &'c [usize]) -> Self {
        self.choices = choices;
        self
    }

    /// Did execution stop after a complete access or a point, so that the others can see its effect?
    pub(crate) fn effect_is_visible(&self) -> bool {
        (self.acted || !self.points.is_empty()) && self.depth == 0
    }

    /// Executes a procedure.
    pub(crate) fn procedure(&mut self, proc: &Proc, args: Vec<Value>) -> Result<Value, Stop> {
        let mut frame: Frame = proc.locals.iter().map(|v| v.init.clone()).collect();
        for (i, arg) in args.into_iter().enumerate() {
            self.must_fit(&arg, &proc.locals[i].ty)?;
            frame[i] = arg;
        }
        let result = self.block(&proc.body, &mut frame).and_then(|flow| {
            let value = match flow {
                Flow::Return(value) => value,
                _ => Value::Unit,
            };
            self.must_fit(&value, &proc.result)?;
            Ok(value)
        });
        if result.is_err() {
            self.ahead.leaves(&frame);
            self.trail.extend(frame);
        }
        result
    }

    fn block(&mut self, block: &Block, f: &mut Frame) -> Result<Flow, Stop> {
        for (i, stmt) in block.iter().enumerate() {
            let flow = self.statement(stmt, f);
            if flow.is_err() {
                self.ahead.passes(stmt);
                self.ahead.comes(&block[i + 1..]);
            }
            match self.at(i as i32, flow)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, stmt: &Stmt, f: &mut Frame) -> Result<Flow, Stop> {
        self.be_patient()?;
        match &stmt.kind {
            StmtKind::Assign { place, value } => {
                let address = self.address(place, f);
                let address = self.at(0, address)?;
                let value = self.eval(value, f);
                let value = self.holding(&address.dynamic_part(), value);
                let value = self.at(1, value)?;
                let mut held = address.dynamic_part();
                held.push(value.clone());
                let done = self.touch(&address, held, |run| {
                    run.store(&address, value, &place.ty, f)?;
                    Ok(Value::Unit)
                });
                self.at(2, done)?;
            }
            StmtKind::Expr(e) => {
                self.eval(e, f)?;
            }
            StmtKind::If { cond, then, els } => {
                let cond = self.test(cond, f);
                let cond = self.at(0, cond)?;
                let flow = self.block(if cond { then } else { els }, f);
                return self.at(if cond { 1 } else { 2 }, flow);
            }
            StmtKind::Loop { id, cond, body, step } => {
                return self.rounds(*id, cond.as_ref(), body, step, f);
            }
            StmtKind::Break(id) => return Ok(Flow::Break(*id)),
            StmtKind::Continue(id) => return Ok(Flow::Continue(*id)),
            StmtKind::Return(None) => return Ok(Flow::Return(Value::Unit)),
            StmtKind::Return(Some(e)) => return Ok(Flow::Return(self.eval(e, f)?)),
            StmtKind::Assert(e) => {
                if !self.test(e, f)? {
                    return Err(FaultKind::AssertionFailed.into());
                }
            }
            StmtKind::Assume(e) => {
                if !self.test(e, f)? {
                    return Err(Stop::Assumed);
                }
            }
            StmtKind::Await(e) => {
                self.access(Vec::new(), |_| Ok(Value::Unit))?;
                self.depth += 1;
                if !self.test(e, f)? {
                    return Err(Stop::Blocked);
                }
                self.depth -= 1;
            }
            StmtKind::Atomic(block) => {
                if let Err(stop) = self.access(Vec::new(), |_| Ok(Value::Unit)) {
                    self.ahead.comes(block);
                    return Err(stop);
                }
                self.depth += 1;
                let flow = self.block(block, f)?;
                self.depth -= 1;
                return Ok(flow);
            }
            StmtKind::Either(blocks) => {
                let i = self.choose(blocks.len())?;
                let flow = self.block(&blocks[i], f);
                return self.at(i as i32, flow);
            }
            // What a point means is the business of a judge, not of the run.
            StmtKind::Point(whose) => {
                let whose = match whose {
                    None => Value::Thread(self.me),
                    Some(e) => self.eval(e, f)?,
                };
                // Those of earlier steps are only met again.
                if let Value::Thread(t) = whose
                    && (self.acted || self.calls)
                {
                    self.points.push(t);
                }
            }
            StmtKind::Free(e) => self.free(e, f)?,
            StmtKind::Lock(place) | StmtKind::Unlock(place) => {
                let locking = matches!(stmt.kind, StmtKind::Lock(_));
                let address = self.address(place, f);
                let address = self.at(0, address)?;
                let done = self.touch(&address, address.dynamic_part(), |run| {
                    let holder = run.load(&address, f)?;
                    let (wanted, new) = match locking {
                        true => (Value::Thread(0), Value::Thread(run.me)),
                        false => (Value::Thread(run.me), Value::Thread(0)),
                    };
                    match (holder == wanted, locking) {
                        (true, _) => run.store(&address, new, &place.ty, f).map(|()| Value::Unit),
                        (false, true) => Err(Stop::Blocked),
                        (false, false) => Err(FaultKind::UnlockNotHeld.into()),
                    }
                });
                self.at(1, done)?;
            }
        }
        Ok(Flow::Next)
    }

    fn rounds(
        &mut self,
        id: LoopId,
        cond: Option<&Expr>,
        body: &Block,
        step: &Block,
        f: &mut Frame,
    ) -> Result<Flow, Stop> {
        let mut rounds = 0;
        let mut step_of = self.steps;
        let mut seen = HashSet::new();
        loop {
            self.be_patient()?;
            if step_of != self.steps {
                step_of = self.steps;
                rounds = 0;
                seen.clear();
            }
            rounds += 1;
            if rounds > ROUNDS && !seen.insert((f.clone(), self.shared.clone())) {
                return Err(FaultKind::Divergence.into());
            }
            if let Some(cond) = cond {
                let goes_on = self.test(cond, f);
                if !self.at(0, goes_on)? {
                    return Ok(Flow::Next);
                }
            }
            let flow = self.block(body, f);
            if flow.is_err() {
                self.ahead.comes(step);
                cond.iter().for_each(|cond| self.ahead.reads(cond));
                self.ahead.comes(body);
            }
            match self.at(1, flow)? {
                Flow::Break(target) if target == id => return Ok(Flow::Next),
                Flow::Continue(target) if target == id => {}
                Flow::Next => {}
                outward => return Ok(outward),
            }
            let flow = self.block(step, f);
            self.at(2, flow)?;
        }
    }

    fn free(&mut self, e: &Expr, f: &mut Frame) -> Result<(), Stop> {
        let value = self.eval(e, f);
        let value = self.at(0, value)?;
        let done = self.access(vec![value.clone()], |run| {
            let Value::Ref(id) = value else {
                return Err(FaultKind::NullDereference.into());
            };
            let cell = run.shared.heap.get_mut(&id).ok_or(FaultKind::NullDereference)?;
            if cell.free {
                return Err(FaultKind::UseAfterFree.into());
            }
            cell.free = true;
            Ok(Value::Unit)
        });
        self.at(1, done).map(|_| ())
    }

    /// Makes a record; under manual and stable memory a fresh one or any that is free.
    pub(super) fn allocate(&mut self, record: RecordId, fields: Vec<Value>) -> Result<Value, Stop> {
        let types = &self.code.program.records[record.index()].fields;
        for (value, field) in fields.iter().zip(types) {
            self.must_fit(value, &field.ty)?;
        }
        if self.code.memory == Memory::Collected && self.code.heap.is_none() {
            if let Some(seen) = self.replay() {
                return Ok(seen);
            }
            let new = Value::Ref(self.place_record(record, fields, None));
            self.note(new.clone());
            return Ok(new);
        }
        self.access(fields.clone(), |run| {
            let (counted, room) = run.room();
            run.left_out |= !room;
            let reusable = run
                .shared
                .heap
                .iter()
                .filter(|(id, c)| c.free && c.record == record.0 && (room || counted.contains(id)))
                .map(|(id, _)| Some(*id));
            let fresh = room.then_some(None);
            let candidates: Vec<Option<u32>> = fresh.into_iter().chain(reusable).collect();
            if candidates.is_empty() {
                return Err(Stop::HeapLimit);
            }
            let i = run.decide(candidates.len())?;
            Ok(Value::Ref(run.place_record(record, fields, candidates[i])))
        })
    }

    /// The records that count, and whether there may be one more.
    fn room(&self) -> (BTreeSet<u32>, bool) {
        let Some(limit) = self.code.heap else { return (BTreeSet::new(), true) };
        // Inside a step that does several things, what was needed when it began may be so no more.
        let counted: BTreeSet<u32> = match self.depth > 0 && self.code.counts_least() {
            true => self.shared.reached(self.code.memory, [].iter()),
            false => self.shared.heap.iter().filter(|(_, c)| c.counts).map(|(id, _)| *id).collect(),
        };
        let room = counted.len() < limit as usize;
        (counted, room)
    }

    /// Fresh numbers tell who allocated, so that they do not depend on the order between threads.
    fn place_record(&mut self, record: RecordId, fields: Vec<Value>, old: Option<u32>) -> u32 {
        let id = old.unwrap_or_else(|| {
            self.allocated += 1;
            self.me * RECORDS_PER_THREAD + self.allocated
        });
        self.shared.links.retain(|_, place| !matches!(place.root, Root::Heap(i, _) if i == id));
        self.shared.heap.insert(id, Cell { record: record.0, fields, free: false, counts: true });
        id
    }

    /// Makes a shared access, or takes its result from the log. `held` is what the access needs,
    /// for the trail.
    pub(super) fn access(
        &mut self,
        held: Vec<Value>,
        act: impl FnOnce(&mut Self) -> Result<Value, Stop>,
    ) -> Result<Value, Stop> {
        let result = self.next_access(act);
        self.holding(&held, result)
    }

    fn next_access(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<Value, Stop>,
    ) -> Result<Value, Stop> {
        if self.depth == 0 {
            self.patience = PATIENCE;
            self.steps += 1;
        }
        if let Some(seen) = self.replay() {
            return Ok(seen);
        }
        if self.depth == 0 {
            if !self.permit {
                return Err(Stop::Access);
            }
            self.permit = false;
        }
        let value = act(self)?;
        self.acted = true;
        self.note(value.clone());
        Ok(value)
    }

    /// The same for an access to a place, which may also be a local variable.
    pub(super) fn touch(
        &mut self,
        address: &Address,
        held: Vec<Value>,
        act: impl FnOnce(&mut Self) -> Result<Value, Stop>,
    ) -> Result<Value, Stop> {
        match address.root {
            Root::Local(_) => act(self),
            _ => self.access(held, act),
        }
    }

    fn replay(&mut self) -> Option<Value> {
        let seen = self.log.get(self.replayed)?.clone();
        self.replayed += 1;
        Some(seen)
    }

    /// Extends the log by something that has just happened (the old part is used up by then).
    fn note(&mut self, value: Value) {
        self.log.push(value);
        self.replayed = self.log.len();
    }

    /// A choice of local code.
    pub(super) fn choose(&mut self, alternatives: usize) -> Result<usize, Stop> {
        match alternatives {
            0 => Err(Stop::Assumed),
            1 => Ok(0),
            _ => {
                if let Some(Value::Int(i)) = self.replay() {
                    return Ok(i as usize);
                }
                let i = self.decide(alternatives)?;
                self.note(Value::Int(i as i32));
                Ok(i)
            }
        }
    }

    /// A decision that is made now.
    fn decide(&mut self, alternatives: usize) -> Result<usize, Stop> {
        if alternatives == 1 {
            return Ok(0);
        }
        let Some(&i) = self.choices.get(self.chosen) else {
            return Err(Stop::Choice(alternatives));
        };
        self.chosen += 1;
        Ok(i)
    }

    /// In a script: the result of an operation, from the log.
    pub(super) fn invoke(&mut self, op: OpId, args: Vec<Option<Value>>) -> Result<Value, Stop> {
        self.patience = PATIENCE;
        self.steps += 1;
        if let Some(result) = self.replay() {
            return Ok(result);
        }
        let known: Vec<Value> = args.iter().map(|a| a.clone().unwrap_or(Value::Unit)).collect();
        self.holding(&known, Err(Stop::Invoke(op, args)))
    }

    /// The value of a place.
    pub(super) fn load(&self, address: &Address, f: &Frame) -> Result<Value, Stop> {
        let whole = match address.root {
            Root::Local(i) => &f[i],
            Root::Global(i) => &self.shared.globals[i],
            Root::Heap(id, field) => &self.record(id)?.fields[field],
        };
        Ok(component(whole, &address.path)?.clone())
    }

    /// Changes a place.
    pub(super) fn store(
        &mut self,
        address: &Address,
        value: Value,
        ty: &Type,
        f: &mut Frame,
    ) -> Result<(), Stop> {
        self.must_fit(&value, ty)?;
        let whole = match address.root {
            Root::Local(i) => &mut f[i],
            Root::Global(i) => &mut self.shared.globals[i],
            Root::Heap(id, field) => {
                self.record(id)?;
                let cell = self.shared.heap.get_mut(&id).ok_or(FaultKind::NullDereference)?;
                &mut cell.fields[field]
            }
        };
        *component_mut(whole, &address.path)? = value;
        self.shared.break_links(address);
        Ok(())
    }

    fn record(&self, id: u32) -> Result<&Cell, Stop> {
        let cell = self.shared.heap.get(&id).ok_or(FaultKind::NullDereference)?;
        if cell.free && self.code.memory == Memory::Manual {
            return Err(FaultKind::UseAfterFree.into());
        }
        Ok(cell)
    }

    pub(super) fn must_fit(&self, value: &Value, ty: &Type) -> Result<(), Stop> {
        match fits(value, ty, self.code.program) {
            true => Ok(()),
            false => Err(FaultKind::IntegerOutOfRange.into()),
        }
    }

    fn test(&mut self, e: &Expr, f: &mut Frame) -> Result<bool, Stop> {
        Ok(self.eval(e, f)? == Value::Bool(true))
    }

    fn be_patient(&mut self) -> Result<(), Stop> {
        self.patience -= 1;
        match self.patience {
            0 => Err(Stop::TooLong),
            _ => Ok(()),
        }
    }

    /// Notes on the trail where in its parent something stopped.
    pub(super) fn at<T>(&mut self, position: i32, result: Result<T, Stop>) -> Result<T, Stop> {
        if result.is_err() {
            self.trail.push(Value::Int(position));
        }
        result
    }

    /// Notes on the trail the values that its parent still needed.
    pub(super) fn holding<T>(
        &mut self,
        held: &[Value],
        result: Result<T, Stop>,
    ) -> Result<T, Stop> {
        if result.is_err() {
            self.trail.extend_from_slice(held);
            if self.ahead.wanted {
                self.ahead.values.extend_from_slice(held);
            }
            self.trail.push(Value::Int(held.len() as i32));
        }
        result
    }
}
