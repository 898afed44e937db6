//! One history judged by a condition, straight from the definition.
//!
//! M. P. Herlihy and J. M. Wing, *Linearizability: a correctness condition for concurrent objects*,
//! TOPLAS 12(3), 1990, section 2: a history is linearizable if some of its pending operations can
//! be completed and the others dropped so that the operations, put in some order that contains the
//! real-time order, are a sequential history of the specification. All orders are tried, one
//! operation after the other; nothing is remembered between branches. Sequential and quiescent
//! consistency differ in the order that has to be kept, and in nothing else.
//!
//! An order in which an operation of the specification goes wrong, for one of its choices at least, is not
//! allowed. If a history has no order that is, but such a one, the specification *goes wrong on* the history.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use linchpin_lin::Value;
use linchpin_lin::program::{Against, Check, Condition, Memory, OpId, Proc, Program};
use rapidhash::RapidHashMap as HashMap;

use super::history::Event;
use crate::reference::{Code, Counting, End, Run, Shared, World, initial_memory, outcomes};

/// Answers of the specification that were computed before; none where it goes wrong.
type Answers = HashMap<(Shared, u32, OpId, Vec<Value>), Option<Rc<Vec<(Shared, Value)>>>>;

/// What a history comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// An order explains it.
    Right,
    /// None does.
    Refused,
    /// None does, but in some the specification goes wrong.
    GoesWrong,
}

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
    /// Can the initialisation of the specification go wrong?
    pub(super) bad_start: bool,
    /// Had the specification too many choices, so that answers are missing?
    too_big: Cell<bool>,
    /// Did the specification go wrong since this was reset?
    wrong: Cell<bool>,
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
        let (heap, cells) = (None, 0);
        let code = Code { program, unit: spec, memory, threads, heap, cells, counting };
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
            bad_start: !initial.faults.is_empty(),
            too_big: Cell::new(initial.too_big),
            wrong: Cell::new(false),
            initial: initial.all.into_iter().map(|outcome| outcome.shared).collect(),
            answers: RefCell::default(),
        }
    }

    /// Had the specification too many choices in any question so far?
    pub(super) fn is_too_big(&self) -> bool {
        self.too_big.get()
    }

    /// Does the specification go wrong in one of the questions that this asks?
    pub(super) fn goes_wrong(&self, ask: impl FnOnce()) -> bool {
        self.wrong.set(false);
        ask();
        self.wrong.get()
    }

    /// Does a history satisfy the condition of the check (linearizability, sequential or quiescent
    /// consistency)?
    pub(super) fn judge(&self, history: &[Event]) -> Said {
        if self.bad_start {
            return Said::GoesWrong;
        }
        // It is about memory.
        if *self.condition == Condition::LeakFree {
            return Said::Right;
        }
        if *self.condition == Condition::Points {
            return self.fits_points(history);
        }
        let mut accepted = false;
        let wrong = self.goes_wrong(|| accepted = self.accepts(history));
        match (accepted, wrong) {
            (true, _) => Said::Right,
            (false, true) => Said::GoesWrong,
            (false, false) => Said::Refused,
        }
    }

    fn accepts(&self, history: &[Event]) -> bool {
        if self.condition.has_halves() {
            let sets = *self.condition == Condition::SetLinearizable;
            return self.accepts_together(history, sets);
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

    /// What the specification allows for an operation of the object in a state. Nothing if it goes wrong.
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
        let known = self.answers.borrow().get(&key).cloned();
        let answers = known.unwrap_or_else(|| {
            let answers = self.execute(state, thread, op, args).map(Rc::new);
            self.answers.borrow_mut().insert(key, answers.clone());
            answers
        });
        answers.unwrap_or_else(|| {
            self.wrong.set(true);
            Rc::default()
        })
    }

    /// What an operation of the specification leads to; `None` if it goes wrong.
    fn execute(
        &self,
        state: &Shared,
        thread: u32,
        op: OpId,
        args: &[Value],
    ) -> Option<Vec<(Shared, Value)>> {
        if let Some(world) = &self.itself {
            let found = world.alone(state, thread, op, args);
            self.too_big.set(self.too_big.get() || found.too_big);
            return (!found.faulty).then_some(found.all);
        }
        self.run(state, thread, self.code.unit.op(op), args)
    }

    /// The operation of the specification for one of the object.
    pub(super) fn specified(&self, op: OpId) -> Option<&'p Proc> {
        self.ops[op.index()].map(|op| self.code.unit.op(op))
    }

    /// What a piece of the specification leads to; `None` if it goes wrong, which is noted.
    pub(super) fn run(
        &self,
        state: &Shared,
        thread: u32,
        proc: &Proc,
        args: &[Value],
    ) -> Option<Vec<(Shared, Value)>> {
        let start = Run::uninterrupted(self.code, thread, state.clone());
        let found = outcomes(&start, proc, args);
        self.wrong.set(self.wrong.get() || !found.faults.is_empty());
        self.too_big.set(self.too_big.get() || found.too_big);
        let answers = found.all.into_iter().filter_map(|outcome| match outcome.end {
            End::Return(result) => Some((outcome.shared, result)),
            _ => None,
        });
        found.faults.is_empty().then(|| answers.collect())
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
