//! Threads under the client of a check: who may call what, and what one step of a thread leads to.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use linchpin_lin::Value;
use linchpin_lin::program::{
    Behaviour, Check, Condition, DataDomain, Domain, FaultKind, Object, OpId, Program, Type, Unit,
};

use super::memory::Shared;
use super::run::{Code, Counting, Run};
use super::{End, Outcomes, outcomes};

/// Something that represents a state without identifying it: all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unseen<T>(T);

impl<T> PartialEq for Unseen<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Unseen<T> {}

impl<T> Hash for Unseen<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A call: the operation and its arguments; `None` is any value (of a wildcard) or, in the answer
/// of [`World::calls`], a fresh one.
pub(crate) type Call = (OpId, Vec<Option<Value>>);

/// A thread between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Thread {
    /// Its identity, from 1. Part of its state: plans of different threads mean different scripts.
    me: u32,
    pub(crate) plan: Plan,
    pub(crate) phase: Phase,
    pub(super) allocated: u32,
}

/// What the thread is still going to call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Plan {
    /// That many operations of its choice; `None` is any number.
    General(Option<u32>),
    /// A script that has got these results and choices, and calls that next (`None` at its end).
    Script { log: Unseen<Vec<Value>>, trail: Vec<Value>, next: Option<Call> },
}

/// What the thread is doing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// In its script, with the result of the operation that returned last (none at the beginning).
    /// The return has happened, whatever an `assume` of the script thinks of it.
    Deciding(Option<Value>),
    /// Before its next call, or at its end.
    Idle,
    /// Before a shared access.
    Running {
        op: OpId,
        args: Unseen<Vec<Value>>,
        log: Unseen<Vec<Value>>,
        trail: Vec<Value>,
        /// Which of its values it certainly needs; only if that matters. Follows from the trail.
        needed: Unseen<Vec<Value>>,
    },
    /// Before its return event.
    Returning(Value),
    /// Before a fault or a false `assume`.
    Doomed,
}

impl Thread {
    /// Values it holds references in.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Value> {
        match &self.phase {
            Phase::Running { trail, .. } => trail.iter(),
            _ => [].iter(),
        }
    }

    /// Values it certainly needs.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &Value> {
        match &self.phase {
            Phase::Running { needed, .. } => needed.0.iter(),
            _ => [].iter(),
        }
    }
}

/// What a step of one thread can lead to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// Memory and thread afterwards, and the threads (from 1; 0 is none) of the points on the way.
    pub(crate) next: Vec<(Shared, Thread, Vec<u32>)>,
    pub(crate) faults: BTreeSet<FaultKind>,
    /// Something was possible but is not to be considered.
    pub(crate) pruned: bool,
    /// Something has to wait.
    waits: bool,
    pub(crate) heap_limit: bool,
    pub(crate) too_big: bool,
}

impl Moves {
    /// Can the thread not go on?
    pub(crate) fn is_stuck(&self) -> bool {
        self.waits && self.next.is_empty() && self.faults.is_empty() && !self.too_big
    }

    fn take(&mut self, found: &Outcomes) {
        self.faults.extend(&found.faults);
        self.pruned |= found.assumed || found.heap_limit;
        self.waits |= found.waits;
        self.heap_limit |= found.heap_limit;
        self.too_big |= found.too_big;
    }
}

/// The object of a check with its client.
pub(crate) struct World<'p> {
    pub(crate) check: &'p Check,
    pub(crate) object: &'p Object,
    pub(crate) code: Code<'p>,
    pub(super) behaviours: Vec<&'p Behaviour>,
}

impl<'p> World<'p> {
    /// Of that check.
    pub(crate) fn new(program: &'p Program, check: &'p Check, counting: Counting) -> Self {
        let object = &program.objects[check.object.index()];
        let behaviours: Vec<&Behaviour> = check
            .roles
            .iter()
            .flat_map(|role| std::iter::repeat_n(&role.behaviour, role.threads as usize))
            .collect();
        let code = Code {
            program,
            unit: &object.unit,
            memory: object.memory,
            threads: behaviours.len() as u32,
            heap: check.heap,
            cells: check.cells(),
            counting,
        };
        World { check, object, code, behaviours }
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> u32 {
        self.code.threads
    }

    /// The memory before anything has happened; one for each way `init` can go.
    pub(crate) fn initial_memory(&self) -> Outcomes {
        initial_memory(self.code)
    }

    /// A thread (from 1) before anything has happened.
    pub(crate) fn initial_thread(&self, me: u32) -> Thread {
        let (plan, phase) = match self.behaviours[me as usize - 1] {
            Behaviour::General { count, .. } => (Plan::General(*count), Phase::Idle),
            Behaviour::Script(_) => {
                let plan = Plan::Script { log: Unseen::default(), trail: Vec::new(), next: None };
                (plan, Phase::Deciding(None))
            }
        };
        Thread { me, plan, phase, allocated: 0 }
    }

    fn behaviour(&self, thread: &Thread) -> &'p Behaviour {
        self.behaviours[thread.me as usize - 1]
    }

    /// The calls an idle thread can make; empty if it has finished.
    pub(crate) fn calls(&self, thread: &Thread) -> Vec<Call> {
        match (&thread.plan, self.behaviour(thread)) {
            (Plan::General(Some(0)), _) => Vec::new(),
            (Plan::General(_), Behaviour::General { ops, .. }) => ops
                .iter()
                .flat_map(|&op| {
                    let any = vec![None; self.check.domains[op.index()].len()];
                    self.instances(op, &any)
                })
                .collect(),
            (Plan::Script { next: Some((op, args)), .. }, _) => self.instances(*op, args),
            _ => Vec::new(),
        }
    }

    /// All ways to replace wildcards by values.
    fn instances(&self, op: OpId, args: &[Option<Value>]) -> Vec<Call> {
        let mut lists: Vec<Vec<Option<Value>>> = vec![Vec::new()];
        for (given, domain) in args.iter().zip(&self.check.domains[op.index()]) {
            let values: Vec<Option<Value>> = match (given, domain) {
                (Some(value), _) => vec![Some(value.clone())],
                (None, Domain::OneOf(values)) => values.iter().cloned().map(Some).collect(),
                (None, Domain::Data(data)) => match self.check.data[data.index()] {
                    DataDomain::Fresh => vec![None],
                    DataDomain::Finite(n) => (1..=n).map(|i| Some(Value::Data(i))).collect(),
                },
            };
            lists = lists
                .iter()
                .flat_map(|list| {
                    values.iter().map(|v| [&list[..], std::slice::from_ref(v)].concat())
                })
                .collect();
        }
        lists.into_iter().map(|list| (op, list)).collect()
    }

    /// An idle thread calls an operation.
    pub(crate) fn call(&self, thread: &Thread, shared: &Shared, op: OpId, args: &[Value]) -> Moves {
        let mut called = thread.clone();
        if let Plan::General(Some(left)) = &mut called.plan {
            *left -= 1;
        }
        self.execute(&called, shared, (op, args, &[]), false)
    }

    /// A thread that is not idle does what comes next: an access, its return, or a piece of its
    /// script.
    pub(crate) fn step(&self, thread: &Thread, shared: &Shared) -> Moves {
        match &thread.phase {
            Phase::Running { op, args, log, .. } => {
                self.execute(thread, shared, (*op, &args.0, &log.0), true)
            }
            Phase::Returning(result) => {
                let phase = match thread.plan {
                    Plan::General(_) => Phase::Idle,
                    Plan::Script { .. } => Phase::Deciding(Some(result.clone())),
                };
                let next = vec![(shared.clone(), Thread { phase, ..thread.clone() }, Vec::new())];
                Moves { next, ..Moves::default() }
            }
            Phase::Deciding(result) => self.decide(thread, result.as_ref(), shared),
            Phase::Idle | Phase::Doomed => Moves::default(),
        }
    }

    fn execute(
        &self,
        thread: &Thread,
        shared: &Shared,
        (op, args, log): (OpId, &[Value], &[Value]),
        permit: bool,
    ) -> Moves {
        let mut start = Run::step(self.code, thread.me, shared.clone(), log.to_vec(), permit);
        start.allocated = thread.allocated;
        let found = outcomes(&start, self.object.unit.op(op), args);
        let mut moves = Moves::default();
        moves.take(&found);
        for outcome in found.all {
            let phase = match outcome.end {
                End::Return(value) => Phase::Returning(value),
                End::NoFurther => Phase::Doomed,
                End::Access | End::Invoke(..) => Phase::Running {
                    op,
                    args: Unseen(args.to_vec()),
                    log: Unseen(outcome.log),
                    trail: outcome.trail,
                    needed: Unseen(outcome.needed),
                },
            };
            let thread = Thread { phase, allocated: outcome.allocated, ..thread.clone() };
            let points = match self.check.condition {
                Condition::Points => outcome.points,
                _ => Vec::new(),
            };
            moves.next.push((outcome.shared, thread, points));
        }
        moves
    }

    /// Runs the script of a thread up to its next call.
    fn decide(&self, thread: &Thread, result: Option<&Value>, shared: &Shared) -> Moves {
        let mut moves = Moves::default();
        let (Plan::Script { log, .. }, Behaviour::Script(proc)) =
            (&thread.plan, self.behaviour(thread))
        else {
            return moves;
        };
        let log = log.0.iter().chain(result).cloned().collect();
        let found =
            outcomes(&Run::step(self.code, thread.me, shared.clone(), log, false), proc, &[]);
        moves.take(&found);
        for outcome in found.all {
            let next = match outcome.end {
                End::Invoke(op, args) => Some((op, args)),
                _ => None,
            };
            let plan = Plan::Script { log: Unseen(outcome.log), trail: outcome.trail, next };
            let thread = Thread { plan, phase: Phase::Idle, ..thread.clone() };
            moves.next.push((outcome.shared, thread, Vec::new()));
        }
        moves
    }
}

/// The initial memory of an object or specification.
pub(crate) fn initial_memory(code: Code<'_>) -> Outcomes {
    let unit: &Unit = code.unit;
    let globals = unit
        .vars
        .iter()
        .map(|var| match &var.ty {
            Type::Endless(cell, _) => {
                let cell = Value::default_of(cell, code.program);
                Value::Tuple(vec![cell; code.cells as usize])
            }
            Type::PerThread(_) => Value::Tuple(vec![var.init.clone(); code.threads as usize]),
            _ => var.init.clone(),
        })
        .collect();
    let start = Run::uninterrupted(code, 0, Shared { globals, ..Shared::default() });
    match &unit.init {
        Some(init) => outcomes(&start, init, &[]),
        None => {
            let mut found = Outcomes::default();
            found.all.push(super::Outcome {
                shared: start.shared,
                log: Vec::new(),
                trail: Vec::new(),
                needed: Vec::new(),
                allocated: 0,
                points: Vec::new(),
                end: End::Return(Value::Unit),
            });
            found
        }
    }
}
