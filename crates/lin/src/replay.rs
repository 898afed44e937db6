//! Running a schedule again, slowly: every step of the unreduced model with what it did.
//!
//! A schedule says which thread runs for how many instructions. Replaying divides each turn into
//! steps of *this* model; on the unreduced model (`Granularity::UNREDUCED`) these are single calls,
//! accesses and returns. If a turn does not end where a step of the model ends, or cannot be taken
//! at all, the schedule is not one of this model.

use std::ops::Range;

use linchpin_lts::{EventKind, FaultKind, Outcome, Schedule, TransitionSystem, Turn};

use crate::code::{Base, Instr, NO_REG};
use crate::display::display_value;
use crate::machine::{Effect, Run};
use crate::model::Model;
use crate::program::{BinOp, OpId, Type};
use crate::value::Value;
use linchpin_text::Span;

/// A schedule as it was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The state before the first step.
    pub initial: Vec<u32>,
    /// The steps.
    pub steps: Vec<ReplayStep>,
    /// How it ended, if not normally.
    pub fault: Option<ReplayFault>,
}

/// A step of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayStep {
    /// The turn of the schedule it belongs to.
    pub turn: usize,
    /// The thread, from 0.
    pub thread: u32,
    /// Calls, returns and points.
    pub events: Vec<ReplayEvent>,
    /// What it did to shared memory, in order, with the points in between.
    pub actions: Vec<Action>,
    /// How many instructions it executed, and how many choices it made.
    pub extent: (u32, usize),
    /// The state after it (before it, for the step that faults).
    pub state: Vec<u32>,
}

/// A call, a return or a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayEvent {
    /// Which.
    pub kind: EventKind,
    /// The operation, of the object; means nothing for a point.
    pub op: OpId,
    /// Arguments, or the result alone.
    pub values: Vec<Value>,
    /// The thread whose operation it is, from 0: of a point it may be another than that of the
    /// step, or [`linchpin_lts::Event::NOBODY`].
    pub thread: u32,
    /// The operation, or the statement that is the point.
    pub statement: Span,
}

/// An access to shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it is.
    pub kind: ActionKind,
    /// The statement it is part of.
    pub statement: Span,
    /// The expression it is.
    pub expression: Span,
    /// The place: `top`, `n1.next`, `slots[2]`; empty for allocation.
    pub place: String,
    /// The value before, where it changed or was compared.
    pub before: String,
    /// The value after; of a read: the value read.
    pub after: String,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ActionKind {
    Read,
    Write,
    CasSucceeded,
    CasFailed,
    Swap,
    FetchAdd,
    /// Bits were combined with it.
    Fetch,
    LoadLinked,
    StoreSucceeded,
    StoreFailed,
    Valid,
    Invalid,
    Lock,
    Unlock,
    TryLockSucceeded,
    TryLockFailed,
    New,
    Free,
    /// Not an access: a point for the operation of a thread, which `after` names.
    Point,
}

/// Where a step went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayFault {
    /// How.
    pub kind: FaultKind,
    /// The thread; `None` if the initialisation went wrong.
    pub thread: Option<u32>,
    /// The statement.
    pub statement: Span,
    /// The expression.
    pub expression: Span,
}

/// Why a schedule is not one of this model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// There is no such initial state.
    NoInitialState,
    /// There is no such thread.
    NoThread(usize),
    /// The turn cannot be taken: its thread waits, has finished, or the model excludes it.
    NotPossible(usize),
    /// The turn ends in the middle of a step, or its choices do not fit.
    DoesNotFit(usize),
    /// A fault in the middle of the schedule.
    EarlyFault(usize),
}

impl Model {
    /// Executes a schedule.
    pub fn replay(&self, schedule: &Schedule) -> Result<Replay, ReplayError> {
        let mut scratch = self.scratch();
        let mut initial = Vec::new();
        self.initial(&mut scratch, &mut |outcome| {
            initial.push(match outcome {
                Outcome::Next { state, .. } => Ok(state.to_vec()),
                Outcome::Fault(kind) => Err(kind),
            });
        });
        match initial.into_iter().nth(schedule.initial as usize) {
            None => Err(ReplayError::NoInitialState),
            Some(Err(kind)) => {
                let span = self.object().unit.span;
                let fault = ReplayFault { kind, thread: None, statement: span, expression: span };
                Ok(Replay { initial: Vec::new(), steps: Vec::new(), fault: Some(fault) })
            }
            Some(Ok(state)) => self.replay_from(state, &schedule.turns),
        }
    }

    /// Executes turns from a state on.
    pub fn replay_from(&self, initial: Vec<u32>, turns: &[Turn]) -> Result<Replay, ReplayError> {
        let mut scratch = self.scratch();
        let mut state = initial.clone();
        let mut replay = Replay { initial, steps: Vec::new(), fault: None };
        for (index, turn) in turns.iter().enumerate() {
            if turn.thread >= self.threads() {
                return Err(ReplayError::NoThread(index));
            }
            let (mut left, mut choices) = (turn.length, &turn.choices[..]);
            while left > 0 || replay.steps.last().is_none_or(|s| s.turn != index) {
                scratch.owners.forget();
                scratch.trace.clear();
                scratch.script(choices);
                let run = self.machine.run::<true>(&mut scratch, &state, turn.thread as usize);
                let taken = scratch.taken;
                let fits = taken <= choices.len()
                    && scratch.choices[..taken].iter().zip(&scratch.arity).all(|(c, n)| c < n);
                let step = |state: Vec<u32>| ReplayStep {
                    turn: index,
                    thread: turn.thread,
                    events: self.events(&scratch.events, &scratch.trace),
                    actions: scratch.trace.iter().map(|e| self.action(e)).collect(),
                    extent: (scratch.length, taken),
                    state,
                };
                match run {
                    Run::Blocked | Run::Excluded | Run::Finished => {
                        return Err(ReplayError::NotPossible(index));
                    }
                    Run::Fault(kind, pc) => {
                        if index + 1 != turns.len() || !fits {
                            return Err(ReplayError::EarlyFault(index));
                        }
                        let at = self.machine.code.debug[pc as usize];
                        replay.steps.push(step(state));
                        replay.fault = Some(ReplayFault {
                            kind,
                            thread: Some(turn.thread),
                            statement: at.stmt,
                            expression: at.expr,
                        });
                        return Ok(replay);
                    }
                    Run::Done => {
                        if scratch.length > left || !fits {
                            return Err(ReplayError::DoesNotFit(index));
                        }
                        left -= scratch.length;
                        choices = &choices[taken..];
                        replay.steps.push(step(scratch.work.clone()));
                        state.clone_from(&scratch.work);
                    }
                }
            }
            if !choices.is_empty() {
                return Err(ReplayError::DoesNotFit(index));
            }
        }
        Ok(replay)
    }

    /// The statement and the expression a thread (from 0) stands before in a state: its next
    /// access, if it is in an operation. `None`: there is no such thread.
    pub fn position(&self, state: &[u32], thread: u32) -> Option<(Span, Span)> {
        let layout = &self.machine.layout;
        let pc = *state.get(layout.block(thread as usize))?;
        let at = self.machine.code.debug.get(pc as usize)?;
        (thread < self.threads()).then_some((at.stmt, at.expr))
    }

    /// The lock that a thread (from 0) waits for in a state, and the thread that holds it. `None`: it does not
    /// wait for a lock.
    pub fn awaited(&self, state: &[u32], thread: u32) -> Option<(String, u32)> {
        let mut scratch = self.scratch();
        scratch.script(&[]);
        let run = self.machine.run::<true>(&mut scratch, state, thread as usize);
        let effect = scratch.trace.last().filter(|_| run == Run::Blocked)?;
        let waits = matches!(self.machine.code.instrs[effect.pc as usize], Instr::Lock { .. });
        let holder = effect.before.first()?.checked_sub(1)?;
        waits.then(|| (self.action(effect).place, holder))
    }

    /// The local variables of a thread that still matter in a state: name, type and slots.
    pub fn locals(&self, state: &[u32], thread: u32) -> Vec<(&str, &Type, Range<usize>)> {
        let block = self.machine.layout.block(thread as usize);
        let Some(&pc) = state.get(block) else { return Vec::new() };
        let locals = self.machine.frame.locals.get(pc as usize).into_iter().flatten();
        locals
            .map(|local| {
                let from = block + local.at as usize;
                (&*local.name, &local.ty, from..from + local.ty.slots(&self.program))
            })
            .collect()
    }

    fn events(&self, events: &linchpin_lts::Events, trace: &[Effect]) -> Vec<ReplayEvent> {
        let unit = &self.object().unit;
        let code = &self.machine.code;
        let mut points = trace
            .iter()
            .filter(|e| matches!(code.instrs[e.pc as usize], Instr::Point { .. }))
            .map(|e| code.debug[e.pc as usize].stmt);
        events
            .iter()
            .map(|e| {
                let proc = unit.op(OpId(e.op));
                let mut slots = e.values.iter().copied();
                let types: Vec<&Type> = match e.kind {
                    EventKind::Call => {
                        proc.locals[..proc.params as usize].iter().map(|p| &p.ty).collect()
                    }
                    EventKind::Return => vec![&proc.result],
                    EventKind::Point => Vec::new(),
                };
                let statement = match e.kind {
                    EventKind::Point => points.next().unwrap_or_default(),
                    EventKind::Call | EventKind::Return => proc.span,
                };
                let values = types
                    .into_iter()
                    .map(|ty| Value::unflatten(ty, &self.program, &mut slots))
                    .collect();
                let (kind, op, thread) = (e.kind, OpId(e.op), e.thread);
                ReplayEvent { kind, op, values, thread, statement }
            })
            .collect()
    }

    fn action(&self, effect: &Effect) -> Action {
        let code = &self.machine.code;
        let at = code.debug[effect.pc as usize];
        let (statement, expression) = (at.stmt, at.expr);
        let success = |yes, no| if effect.success == Some(true) { yes } else { no };
        use ActionKind as A;
        let kind = match code.instrs[effect.pc as usize] {
            Instr::Write { .. } => A::Write,
            Instr::Cas { .. } | Instr::CasValue { .. } | Instr::Dcas { .. } => {
                success(A::CasSucceeded, A::CasFailed)
            }
            Instr::Swap { .. } => A::Swap,
            Instr::Fetch { op: BinOp::Add, .. } => A::FetchAdd,
            Instr::Fetch { .. } => A::Fetch,
            Instr::LoadLinked { .. } => A::LoadLinked,
            Instr::StoreConditional { .. } => success(A::StoreSucceeded, A::StoreFailed),
            Instr::Validate { .. } => success(A::Valid, A::Invalid),
            Instr::Lock { .. } => A::Lock,
            Instr::Unlock { .. } => A::Unlock,
            Instr::TryLock { .. } => success(A::TryLockSucceeded, A::TryLockFailed),
            Instr::New { .. } => A::New,
            Instr::Free { .. } => A::Free,
            Instr::Point { .. } => A::Point,
            _ => A::Read,
        };
        let node = |slots: &[u32]| slots.first().map_or(String::new(), |n| format!("n{n}"));
        if kind == A::Point {
            let (place, before) = (String::new(), String::new());
            let after = match effect.of {
                0 => "nobody".to_string(),
                t => format!("T{t}"),
            };
            return Action { kind, statement, expression, place, before, after };
        }
        if effect.place == NO_REG {
            return Action {
                kind,
                statement,
                expression,
                place: String::new(),
                before: node(&effect.before),
                after: node(&effect.after),
            };
        }
        let place = &code.places[effect.place as usize];
        let show = |slots: &[u32]| {
            if slots.is_empty() {
                return String::new();
            }
            let value = Value::unflatten(&place.ty, &self.program, &mut slots.iter().copied());
            display_value(&value, &place.ty, &self.program)
        };
        let mut name = String::new();
        if let Base::Field(_) = place.base {
            name = format!("n{}", effect.of);
        }
        let mut indices = place.indices.iter();
        for (i, part) in place.name.split("[]").enumerate() {
            if i > 0
                && let Some(&(stride, len)) = indices.next()
            {
                name += &format!("[{}]", effect.offset / stride.max(1) % len.max(1));
            }
            match (place.base, part.find('.')) {
                (Base::PerThread(_), dot) if i == 0 => {
                    let (var, rest) = part.split_at(dot.unwrap_or(part.len()));
                    name += &format!("{var}[T{}]{rest}", effect.of);
                }
                _ => name += part,
            }
        }
        Action {
            kind,
            statement,
            expression,
            place: name,
            before: show(&effect.before),
            after: show(&effect.after),
        }
    }
}
