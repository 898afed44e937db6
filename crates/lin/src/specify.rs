//! Sequential specifications: those of the source, executed straight from the tree, and those derived
//! from an object (`derived`).
//!
//! A specification is a state machine: an *abstract state* is the vector of its variables, and an
//! operation maps a state and arguments to all pairs of a new state and a result. `choose` and
//! `either` make several outcomes, a false `assume` or `await` makes none.
//!
//! Nondeterminism is enumerated by running the operation again and again, each time with the next
//! script of choices in lexicographic order (see `script`). That is slower than forking the
//! state and much simpler; whoever needs speed memoises the outcomes, which depend on nothing but
//! the arguments of [`Specification::execute`].

mod collection;
mod derived;
mod eval;
mod exec;
mod memory;
mod place;
mod script;
#[cfg(test)]
mod tests;
mod watch;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use linchpin_lts::{Limit, Watch};

use crate::coverage::Coverage;
use crate::display::display_value;
use crate::program::{
    Against, Check, DataId, ExprKind, FaultKind, ObjectId, OpId, Proc, ProcId, Program, Spec,
    SpecId, Type, Unit,
};
use crate::value::Value;
use crate::walk;
use derived::Derived;
use exec::{Run, Stop};
use linchpin_text::Span;
use script::Script;

pub use watch::{Moment, Observer};

/// The variables of a specification, in the order of [`Unit::vars`]. A `[T; threads]` variable is
/// a [`Value::Tuple`] with one element per thread. Of a derived specification: shared memory, slot by
/// slot.
pub type AbstractState = Vec<Value>;

/// A state after an operation, and its result.
pub type Outcome = (AbstractState, Value);

/// The specification itself went wrong: a run-time error or an execution without end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecFault {
    /// What happened.
    pub kind: FaultKind,
    /// The expression or statement.
    pub span: Span,
    /// The same in words.
    pub message: String,
}

impl SpecFault {
    fn new(kind: FaultKind, span: Span, message: impl Into<String>) -> Self {
        SpecFault { kind, span, message: message.into() }
    }

    /// Nothing is wrong with the specification, but there was no time or memory to go on.
    pub fn stopped(limit: Limit, span: Span) -> Self {
        SpecFault::new(FaultKind::Stopped(limit), span, "stopped in the middle of an operation")
    }

    /// Something a front end never produces. It is reported like a failed assertion of the
    /// specification, so that a faulty front end leads to a message and not to a panic.
    fn ill_formed(span: Span, what: &str) -> Self {
        SpecFault::new(
            FaultKind::AssertionFailed,
            span,
            format!("ill-formed specification: {what}"),
        )
    }
}

impl fmt::Display for SpecFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for SpecFault {}

/// A sequential specification for a fixed number of threads. Immutable; clones share the program.
#[derive(Clone, Debug)]
pub struct Specification {
    program: Arc<Program>,
    source: Source,
    threads: u32,
    /// Asked in the middle of operations that take long.
    watch: Watch,
    /// Told which statements are reached.
    coverage: Option<Arc<Coverage>>,
    /// Of so many operations the parts before and after `meet` are operations, too ([`Specification::halves`]).
    halved: u32,
}

/// Where a specification comes from.
#[derive(Clone, Debug)]
enum Source {
    /// It is written down.
    Written(SpecId),
    /// It is an object with each operation executed without interruption.
    Object(Arc<Derived>),
    /// It is the variables of an object, for expressions that somebody watches.
    Watched(ObjectId),
}

impl Specification {
    /// The specification `spec` of `program`, used by `threads` threads.
    ///
    /// # Errors
    /// If there is no such specification.
    pub fn new(program: &Program, spec: SpecId, threads: u32) -> Result<Self, SpecFault> {
        Specification::shared(Arc::new(program.clone()), spec, threads)
    }

    /// As [`Specification::new`], without copying the program.
    ///
    /// # Errors
    /// If there is no such specification.
    pub fn shared(program: Arc<Program>, spec: SpecId, threads: u32) -> Result<Self, SpecFault> {
        if spec.index() >= program.specs.len() {
            return Err(SpecFault::ill_formed(Span::default(), "there is no such specification"));
        }
        let (source, watch) = (Source::Written(spec), Watch::NEVER);
        Ok(Specification { program, source, threads, watch, coverage: None, halved: 0 })
    }

    /// What the object of a check is compared with.
    ///
    /// # Errors
    /// If the check names no specification of the program, or its object cannot be compiled.
    pub fn of(program: &Arc<Program>, check: &Check, threads: u32) -> Result<Self, SpecFault> {
        match check.against {
            Against::Spec(spec) if check.condition.has_halves() => {
                let (program, halved) = in_halves(program, spec);
                let specification = Specification::shared(Arc::new(program), spec, threads)?;
                Ok(Specification { halved, ..specification })
            }
            Against::Spec(spec) => Specification::shared(program.clone(), spec, threads),
            Against::Itself => {
                let derived = Arc::new(Derived::new(program, check, threads)?);
                let (program, source) = (program.clone(), Source::Object(derived));
                let (watch, coverage) = (Watch::NEVER, None);
                Ok(Specification { program, source, threads, watch, coverage, halved: 0 })
            }
        }
    }

    /// The same with somebody to ask in the middle of operations that take long.
    #[must_use]
    pub fn within(mut self, watch: &Watch) -> Self {
        self.watch = watch.clone();
        if let Source::Object(derived) = &mut self.source {
            *derived = Arc::new(derived.within(watch));
        }
        self
    }

    /// The same, noting which of its statements are reached.
    #[must_use]
    pub(crate) fn noting(mut self, coverage: &Arc<Coverage>) -> Self {
        self.coverage = Some(coverage.clone());
        self
    }

    /// Whom it asks.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The program it belongs to.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its variables and operations.
    pub fn unit(&self) -> &Unit {
        match &self.source {
            Source::Written(spec) => &self.program.specs[spec.index()].unit,
            Source::Object(derived) => derived.unit(),
            Source::Watched(object) => &self.program.objects[object.index()].unit,
        }
    }

    /// The operations of this specification that an operation with `meet` consists of, if the condition of the check
    /// asks for them: what comes before, whose result are the arguments of what comes after.
    pub fn halves(&self, op: OpId) -> Option<[OpId; 2]> {
        let halved = op.0 < self.halved && self.unit().op(op).meet.is_some();
        halved.then(|| [1, 2].map(|half| OpId(op.0 + half * self.halved)))
    }

    /// How many threads use it.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// The states it can begin in, sorted, without repetitions: one, unless `init` chooses.
    ///
    /// # Errors
    /// If the initialisation goes wrong for some choice.
    pub fn initial(&self) -> Result<Vec<AbstractState>, SpecFault> {
        if let Source::Object(derived) = &self.source {
            return derived.initial();
        }
        let unit = self.unit();
        let start: AbstractState = unit
            .vars
            .iter()
            .map(|var| match var.ty {
                Type::PerThread(_) => self.per_thread(var.init.clone()),
                _ => var.init.clone(),
            })
            .collect();
        match &unit.init {
            None => Ok(vec![start]),
            Some(init) => {
                let outcomes = self.outcomes(init, &start, &[], 0)?;
                let states: BTreeSet<AbstractState> = outcomes.into_iter().map(|o| o.0).collect();
                Ok(states.into_iter().collect())
            }
        }
    }

    /// All outcomes of an operation of this specification ([`OpId`] of [`Specification::unit`])
    /// called by `thread` (from 1), sorted, without repetitions. None: the operation is not
    /// possible in this state.
    ///
    /// # Errors
    /// If the operation goes wrong for some choice.
    pub fn execute(
        &self,
        state: &[Value],
        op: OpId,
        args: &[Value],
        thread: u32,
    ) -> Result<Vec<Outcome>, SpecFault> {
        let unit = self.unit();
        if op.index() >= unit.ops.len() {
            return Err(SpecFault::ill_formed(unit.span, "there is no such operation"));
        }
        let proc = unit.op(op);
        if args.len() != proc.params as usize {
            return Err(SpecFault::ill_formed(proc.span, "wrong number of arguments"));
        }
        if let Source::Object(derived) = &self.source {
            return derived.execute(state, op, args, thread);
        }
        if state.len() != unit.vars.len() {
            return Err(SpecFault::ill_formed(proc.span, "wrong number of variables"));
        }
        Ok(self.outcomes(proc, state, args, thread)?.into_iter().collect())
    }

    fn outcomes(
        &self,
        proc: &Proc,
        state: &[Value],
        args: &[Value],
        thread: u32,
    ) -> Result<BTreeSet<Outcome>, SpecFault> {
        let mut outcomes = BTreeSet::new();
        let mut script = Script::new();
        loop {
            let mut run = Run::new(self, state.to_vec(), thread, &mut script);
            match run.call(proc, args.to_vec(), proc.span) {
                Ok(result) => {
                    outcomes.insert((run.into_state(), result));
                }
                Err(Stop::Blocked) => {}
                Err(Stop::Fault(fault)) => return Err(fault),
            }
            if !script.next(proc.span, &self.watch)? {
                return Ok(outcomes);
            }
        }
    }

    /// Do its states contain threads?
    pub fn names_threads(&self) -> bool {
        if let Source::Object(derived) = &self.source {
            return derived.memory().names_threads();
        }
        self.unit().vars.iter().any(|v| v.ty.mentions_threads(&self.program))
    }

    /// Do outcomes depend on the thread that calls?
    pub fn uses_caller(&self) -> bool {
        if let Source::Object(derived) = &self.source {
            return derived.uses_caller();
        }
        let mut found = false;
        walk::visit_unit(self.unit(), &mut |e| {
            found |= matches!(
                e.kind,
                ExprKind::SelfThread | ExprKind::ThreadIndex(_) | ExprKind::ThreadAt(_)
            );
        });
        found
    }

    /// Do operations use which thread is which, beyond equality? (The initial state may: what
    /// matters is that the steps are symmetric.)
    pub fn tells_threads_apart(&self) -> bool {
        if let Source::Object(derived) = &self.source {
            return derived.tells_threads_apart();
        }
        let mut found = false;
        for proc in &self.unit().procs {
            walk::visit_block(&proc.body, &mut |e| {
                found |= matches!(e.kind, ExprKind::ThreadIndex(_) | ExprKind::ThreadAt(_))
                    || matches!(e.kind, ExprKind::Const(Value::Thread(t)) if t != 0);
            });
        }
        found
    }

    /// Calls `note` for every opaque value in a state.
    pub fn visit_data(&self, state: &[Value], note: &mut dyn FnMut(DataId, u32)) {
        if let Source::Object(derived) = &self.source {
            return derived.memory().visit_data(state, note);
        }
        for (value, var) in state.iter().zip(&self.unit().vars) {
            value.visit_data(&var.ty, &self.program, note);
        }
    }

    /// A state with its opaque values and its threads renamed (see [`Value::map`]).
    pub fn rename(
        &self,
        state: &[Value],
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> AbstractState {
        if let Source::Object(derived) = &self.source {
            return derived.memory().rename(state, data, thread);
        }
        let vars = state.iter().zip(&self.unit().vars);
        vars.map(|(v, var)| v.map(&var.ty, &self.program, data, thread)).collect()
    }

    /// A state in words, one text for each variable (and for each record of an object).
    pub fn describe(&self, state: &[Value]) -> Vec<String> {
        if let Source::Object(derived) = &self.source {
            return derived.memory().describe(state);
        }
        let vars = state.iter().zip(&self.unit().vars);
        vars.map(|(value, var)| {
            format!("{} = {}", var.name, display_value(value, &var.ty, &self.program))
        })
        .collect()
    }

    /// One copy for every thread.
    fn per_thread(&self, element: Value) -> Value {
        Value::Tuple(vec![element; self.threads as usize])
    }
}

/// The program with more operations of a specification: for each, in order, the part before its `meet`, then for each the part
/// after it. (For those that have none they have no meaning.) Gives the number of operations there were.
fn in_halves(program: &Program, spec: SpecId) -> (Program, u32) {
    let mut program = program.clone();
    let Some(Spec { unit }) = program.specs.get_mut(spec.index()) else { return (program, 0) };
    let count = unit.ops.len();
    for half in 0..2 {
        for op in 0..count {
            let whole = unit.op(OpId(op as u32)).clone();
            let proc =
                whole.halves().map_or(whole, |[first, second]| [first, second][half].clone());
            unit.ops.push(ProcId(unit.procs.len() as u32));
            unit.procs.push(proc);
        }
    }
    (program, count as u32)
}
