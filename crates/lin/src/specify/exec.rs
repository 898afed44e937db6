//! One run of an operation with a given script: procedures and statements.

use super::script::Script;
use super::{AbstractState, SpecFault, Specification};
use crate::program::{Block, Expr, FaultKind, LoopId, Proc, Stmt, StmtKind, Type, Unit};
use crate::value::Value;
use linchpin_text::Span;

/// Why a run did not come to its end.
pub(super) enum Stop {
    /// A false `assume` or `await`, or a choice from nothing: not an execution.
    Blocked,
    /// A run-time error.
    Fault(SpecFault),
}

impl From<SpecFault> for Stop {
    fn from(fault: SpecFault) -> Self {
        Stop::Fault(fault)
    }
}

/// Where control goes after a statement.
enum Flow {
    Next,
    Break(LoopId),
    Continue(LoopId),
    Return(Value),
}

/// The state of a run.
pub(super) struct Run<'s> {
    pub(super) spec: &'s Specification,
    pub(super) unit: &'s Unit,
    /// Variables of the specification.
    pub(super) state: AbstractState,
    /// Parameters and locals of the current procedure.
    pub(super) frame: Vec<Value>,
    pub(super) thread: u32,
    pub(super) script: &'s mut Script,
    /// The fields of the nodes of an object that is watched; a specification has none.
    pub(super) heap: &'s [Vec<Value>],
}

impl<'s> Run<'s> {
    pub(super) fn new(
        spec: &'s Specification,
        state: AbstractState,
        thread: u32,
        script: &'s mut Script,
    ) -> Self {
        Run { spec, unit: spec.unit(), state, frame: Vec::new(), thread, script, heap: &[] }
    }

    pub(super) fn into_state(self) -> AbstractState {
        self.state
    }

    /// Runs a procedure in a frame of its own.
    pub(super) fn call(
        &mut self,
        proc: &Proc,
        args: Vec<Value>,
        span: Span,
    ) -> Result<Value, Stop> {
        for (arg, param) in args.iter().zip(&proc.locals) {
            self.fits(arg, &param.ty, span)?;
        }
        let rest = proc.locals.iter().skip(args.len()).map(|local| local.init.clone());
        let frame = args.into_iter().chain(rest).collect();
        let caller = std::mem::replace(&mut self.frame, frame);
        let flow = self.block(&proc.body);
        self.frame = caller;
        let value = match flow? {
            Flow::Return(value) => value,
            _ => Value::Unit,
        };
        self.fits(&value, &proc.result, span)?;
        Ok(value)
    }

    fn block(&mut self, block: &Block) -> Result<Flow, Stop> {
        for stmt in block {
            self.script.enter(stmt.span, &self.spec.watch)?;
            if let Some(coverage) = &self.spec.coverage {
                coverage.specify(stmt.span);
            }
            let flow = self.statement(stmt)?;
            self.script.leave();
            if !matches!(flow, Flow::Next) {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<Flow, Stop> {
        match &stmt.kind {
            StmtKind::Assign { place, value } => {
                let target = self.place(place)?;
                let mut new = self.eval(value)?;
                if matches!(place.ty, Type::PerThread(_)) && !matches!(value.ty, Type::PerThread(_))
                {
                    new = self.spec.per_thread(new);
                }
                self.store(&target, new, &place.ty, stmt.span)?;
            }
            StmtKind::Expr(e) => {
                self.eval(e)?;
            }
            StmtKind::If { cond, then, els } => {
                let branch = if self.condition(cond)? { then } else { els };
                return self.block(branch);
            }
            StmtKind::Loop { id, cond, body, step } => {
                return self.repeat(*id, cond.as_ref(), body, step, stmt.span);
            }
            StmtKind::Break(id) => return Ok(Flow::Break(*id)),
            StmtKind::Continue(id) => return Ok(Flow::Continue(*id)),
            StmtKind::Return(None) => return Ok(Flow::Return(Value::Unit)),
            StmtKind::Return(Some(e)) => return self.eval(e).map(Flow::Return),
            StmtKind::Assert(e) => {
                if !self.condition(e)? {
                    return Err(SpecFault::new(
                        FaultKind::AssertionFailed,
                        stmt.span,
                        "an assertion of the specification failed",
                    )
                    .into());
                }
            }
            StmtKind::Assume(e) | StmtKind::Await(e) => {
                if !self.condition(e)? {
                    return Err(Stop::Blocked);
                }
            }
            StmtKind::Atomic(block) => return self.block(block),
            StmtKind::Either(blocks) => {
                let taken = self.script.choose(blocks.len() as u64)?;
                return self.block(&blocks[taken as usize]);
            }
            StmtKind::Free(_) | StmtKind::Lock(_) | StmtKind::Unlock(_) | StmtKind::Point(_) => {
                return Err(SpecFault::ill_formed(stmt.span, "it has no heap and no locks").into());
            }
        }
        Ok(Flow::Next)
    }

    fn repeat(
        &mut self,
        id: LoopId,
        cond: Option<&Expr>,
        body: &Block,
        step: &Block,
        span: Span,
    ) -> Result<Flow, Stop> {
        loop {
            // Also an empty round costs something, or `loop { }` would never end.
            self.script.enter(span, &self.spec.watch)?;
            self.script.leave();
            if let Some(cond) = cond
                && !self.condition(cond)?
            {
                return Ok(Flow::Next);
            }
            for part in [body, step] {
                match self.block(part)? {
                    Flow::Next => {}
                    Flow::Continue(target) if target == id => {}
                    Flow::Break(target) if target == id => return Ok(Flow::Next),
                    outward => return Ok(outward),
                }
            }
        }
    }

    /// A value of type `bool`.
    pub(super) fn condition(&mut self, e: &Expr) -> Result<bool, Stop> {
        match self.eval(e)? {
            Value::Bool(b) => Ok(b),
            _ => Err(SpecFault::ill_formed(e.span, "a condition is not a `bool`").into()),
        }
    }

    /// A fault if a number in `value` is outside the range that `ty` gives it.
    pub(super) fn fits(&self, value: &Value, ty: &Type, span: Span) -> Result<(), SpecFault> {
        let program = self.spec.program();
        let all = |values: &mut dyn Iterator<Item = &Value>, ty: &Type| {
            if ty.has_range(program) {
                for v in values {
                    self.fits(v, ty, span)?;
                }
            }
            Ok(())
        };
        match (value, ty) {
            (Value::Int(n), Type::Int { lo, hi }) if n < lo || n > hi => Err(SpecFault::new(
                FaultKind::IntegerOutOfRange,
                span,
                format!("{n} is outside the range {lo}..={hi}"),
            )),
            (Value::Option(Some(inner)), Type::Option(ty)) => self.fits(inner, ty, span),
            (Value::Tuple(parts), Type::Tuple(types)) => {
                parts.iter().zip(types).try_for_each(|(v, ty)| self.fits(v, ty, span))
            }
            (Value::Tuple(parts), Type::Struct(id)) => {
                let fields = &program.structs[id.index()].fields;
                parts.iter().zip(fields).try_for_each(|(v, f)| self.fits(v, &f.ty, span))
            }
            (Value::Tuple(parts), Type::Array(ty, _) | Type::PerThread(ty))
            | (Value::Seq(parts), Type::Seq(ty)) => all(&mut parts.iter(), ty),
            (Value::Set(elements), Type::Set(ty)) => all(&mut elements.iter(), ty),
            (Value::Bag(elements), Type::Bag(ty)) => all(&mut elements.keys(), ty),
            (Value::Map(entries), Type::Map(key, ty)) => {
                all(&mut entries.keys(), key)?;
                all(&mut entries.values(), ty)
            }
            _ => Ok(()),
        }
    }
}
