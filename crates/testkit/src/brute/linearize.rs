//! One history judged by a condition, straight from the definition.
//!
//! M. P. Herlihy and J. M. Wing, *Linearizability: a correctness condition for concurrent objects*,
//! TOPLAS 12(3), 1990, section 2: a history is linearizable if some of its pending operations can
//! be completed and the others dropped so that the operations, put in some order that contains the
//! real-time order, are a sequential history of the specification. All orders are tried, one
//! operation after the other; nothing is remembered between branches. Sequential and quiescent
//! consistency differ in the order that has to be kept, and in nothing else.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use linchpin_lin::Value;
use linchpin_lin::program::{Against, Check, Condition, Memory, OpId, Program};

use super::history::Event;
use crate::reference::{Code, Counting, End, Run, Shared, World, initial_memory, outcomes};

/// Answers of the specification that were computed before.
type Answers = HashMap<(Shared, u32, OpId, Vec<Value>), Rc<Vec<(Shared, Value)>>>;

/// Decides about histories of one check.
pub(super) struct Judge<'p> {
    code: Code<'p>,
    /// The object, if it is its own specification.
    itself: Option<World<'p>>,
    condition: &'p Condition,
    /// The operation of the specification for each operation of the object.
    ops: Vec<Option<OpId>>,
    pub(super) initial: Vec<Shared>,
    answers: RefCell<Answers>,
    /// Did the specification itself do something wrong (a fault, too many choices)?
    trouble: Cell<bool>,
}

/// An operation of a history.
pub(super) struct Operation<'h> {
    pub(super) thread: u32,
    pub(super) op: OpId,
    pub(super) args: &'h [Value],
    pub(super) called: usize,
    /// When and with what it returned, unless pending.
    pub(super) returned: Option<(usize, &'h Value)>,
}

impl<'p> Judge<'p> {
    pub(super) fn new(program: &'p Program, check: &'p Check, threads: u32) -> Self {
        let object = &program.objects[check.object.index()].unit;
        let (spec, itself) = match check.against {
            Against::Spec(spec) => (&program.specs[spec.index()].unit, None),
            Against::Itself => (object, Some(World::unbounded(program, check))),
        };
        let (memory, counting) = (Memory::Collected, Counting::Most);
        let code = Code { program, unit: spec, memory, threads, heap: None, counting };
        let initial = match &itself {
            Some(world) => world.initial_memory(),
            None => initial_memory(code),
        };
        Judge {
            code,
            itself,
            condition: &check.condition,
            ops: (0..object.ops.len() as u32)
                .map(|op| spec.op_named(&object.op(OpId(op)).name))
                .collect(),
            trouble: Cell::new(!initial.faults.is_empty() || initial.too_big),
            initial: initial.all.into_iter().map(|outcome| outcome.shared).collect(),
            answers: RefCell::default(),
        }
    }

    /// Has the specification met a fault (or been too big) in any question so far?
    pub(super) fn had_trouble(&self) -> bool {
        self.trouble.get()
    }

    /// Does a history satisfy the condition of the check (linearizability, sequential or quiescent
    /// consistency)?
    pub(super) fn accepts(&self, history: &[Event]) -> bool {
        if *self.condition == Condition::Points {
            return self.fits_points(history);
        }
        let operations = operations(history);
        let moments = moments_of_rest(history);
        let precedes = |j: usize, i: usize| {
            let (first, second) = (&operations[j], &operations[i]);
            match self.condition {
                Condition::Sequential => first.thread == second.thread && j < i,
                Condition::Quiescent => first.returned.is_some_and(|(end, _)| {
                    moments.iter().any(|&moment| end <= moment && moment < second.called)
                }),
                _ => first.returned.is_some_and(|(end, _)| end < second.called),
            }
        };
        let mut placed = vec![false; operations.len()];
        let mut initial = self.initial.iter();
        initial.any(|state| self.search(&operations, &precedes, &mut placed, state))
    }

    fn search(
        &self,
        operations: &[Operation<'_>],
        precedes: &dyn Fn(usize, usize) -> bool,
        placed: &mut [bool],
        state: &Shared,
    ) -> bool {
        let open = |placed: &[bool], i: usize| !placed[i] && operations[i].returned.is_some();
        if !(0..operations.len()).any(|i| open(placed, i)) {
            return true;
        }
        for i in 0..operations.len() {
            let next = &operations[i];
            if placed[i] || (0..operations.len()).any(|j| open(placed, j) && precedes(j, i)) {
                continue;
            }
            placed[i] = true;
            for (state, result) in self.answers(state, next.thread, next.op, next.args).iter() {
                let allowed = next.returned.is_none_or(|(_, observed)| observed == result);
                if allowed && self.search(operations, precedes, placed, state) {
                    return true;
                }
            }
            placed[i] = false;
        }
        false
    }

    /// The states of the specification at the beginning.
    pub(super) fn initial(&self) -> &[Shared] {
        &self.initial
    }

    /// What the specification allows for an operation of the object in a state.
    pub(super) fn answers(
        &self,
        state: &Shared,
        thread: u32,
        op: OpId,
        args: &[Value],
    ) -> Rc<Vec<(Shared, Value)>> {
        let Some(op) = self.ops[op.index()] else {
            return Rc::default();
        };
        let key = (state.clone(), thread, op, args.to_vec());
        if let Some(known) = self.answers.borrow().get(&key) {
            return known.clone();
        }
        if let Some(world) = &self.itself {
            let found = world.alone(state, thread, op, args);
            self.trouble.set(self.trouble.get() || found.trouble);
            let answers = Rc::new(found.all);
            self.answers.borrow_mut().insert(key, answers.clone());
            return answers;
        }
        let start = Run::uninterrupted(self.code, thread, state.clone());
        let found = outcomes(&start, self.code.unit.op(op), args);
        if !found.faults.is_empty() || found.too_big {
            self.trouble.set(true);
        }
        let mut answers = Vec::new();
        for outcome in found.all {
            if let End::Return(result) = outcome.end {
                answers.push((outcome.shared, result));
            }
        }
        let answers = Rc::new(answers);
        self.answers.borrow_mut().insert(key, answers.clone());
        answers
    }
}

/// The events after which every operation that was called has returned.
fn moments_of_rest(history: &[Event]) -> Vec<usize> {
    let mut pending = 0;
    let mut moments = Vec::new();
    for (time, event) in history.iter().enumerate() {
        match event {
            Event::Call { .. } => pending += 1,
            Event::Return { .. } => pending -= 1,
            Event::Point { .. } => {}
        }
        if pending == 0 {
            moments.push(time);
        }
    }
    moments
}

/// Matches calls with returns.
pub(super) fn operations(history: &[Event]) -> Vec<Operation<'_>> {
    let mut operations: Vec<Operation<'_>> = Vec::new();
    for (time, event) in history.iter().enumerate() {
        match event {
            Event::Call { thread, op, args } => {
                operations.push(Operation {
                    thread: *thread,
                    op: *op,
                    args,
                    called: time,
                    returned: None,
                });
            }
            Event::Point { .. } => {}
            Event::Return { thread, result } => {
                if let Some(operation) = operations.iter_mut().rfind(|o| o.thread == *thread) {
                    operation.returned = Some((time, result));
                }
            }
        }
    }
    operations
}
