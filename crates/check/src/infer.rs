//! Inferring linearization points: which of many candidate points are points of the object?
//!
//! The program has a `point` wherever one might be; each is a *candidate*. Wanted is a smallest set of
//! candidates such that the object is linearizable with these as its points (`points`). The method is
//! counterexample-guided: a *pool* of executions is kept, each with the candidates it passes
//! (`infer::trace`). A smallest set that fits all executions of the pool is proposed (`infer::solve`), and
//! the check of given points decides about it. If it fails, its shortest counterexample goes into the
//! pool. The end is a set that the check accepts, or a pool that no set fits: then no fixed points exist
//! among the candidates, and a smallest part of the pool that no set fits shows why.
//!
//! All proposals are the same program up to candidates that are switched off, which take as many
//! instructions as those that are on, so that a schedule of one is a schedule of all.
//!
//! The check of given points follows Liu, Chen, Liu, Sun (FM 2009, Theorem 2), who want the points from
//! the user; finding them like this is not in that paper.

mod solve;
mod trace;

use std::collections::BTreeSet;
use std::sync::Arc;

use linchpin_engine::Limit;
use linchpin_lts::Schedule;
use linchpin_model::program::{
    Block, Check, Condition, Expr, ExprKind, OpId, Program, StmtKind, Type,
};
use linchpin_model::{Granularity, Model, Span, Value};

use crate::product::Violation;
use crate::report::{CheckError, Options, Verdict, check};
use solve::{Answer, Pool};
use trace::Trace;

/// What was found out.
#[derive(Clone, Debug)]
pub enum Inferred {
    /// These candidates, by index, are points of the object: the check accepted them.
    Points(Vec<usize>),
    /// No set of candidates fits all executions.
    NoPoints(Conflict),
    /// The object is not linearizable, or has a fault or a deadlock, whatever its points are.
    Wrong,
    /// The search was given up.
    Unknown(GaveUp),
}

/// Why the search was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// A check reached a limit.
    Check(Limit),
    /// Too many sets of candidates were tried.
    Proposals,
}

/// Executions that no set of candidates fits.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The operations such that the others have points if this one may take effect at any time; none
    /// if it is not one operation alone.
    pub operations: Vec<OpId>,
    /// As few executions as possible, as schedules of the program with all candidates.
    pub executions: Vec<Forced>,
}

/// An execution that leaves little choice.
#[derive(Clone, Debug)]
pub struct Forced {
    /// The execution.
    pub schedule: Schedule,
    /// For operations, by the number of their call in the execution: after which of its steps (from 0)
    /// the operation can take effect, if all others may do so at any time.
    pub moments: Vec<(usize, Vec<usize>)>,
}

/// The answer with figures.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The answer.
    pub inferred: Inferred,
    /// Sets of candidates that were checked.
    pub checks: usize,
    /// Executions in the pool at the end.
    pub pool: usize,
    /// Sets of candidates that were compared with the pool.
    pub proposals: u64,
    /// States of all checks together.
    pub states: u64,
}

/// Finds points for the object of a check.
///
/// `candidates` are the places of the `point` statements that may be used, the most likely first. At
/// most `proposals` sets are compared with the pool.
///
/// # Errors
/// As for [`check`].
pub fn infer(
    program: &Arc<Program>,
    asked: &Check,
    candidates: &[Span],
    options: &Options<'_>,
    proposals: u64,
) -> Result<Inference, CheckError> {
    let mut figures = Figures::default();
    let automatic = Check { condition: Condition::Linearizable, ..asked.clone() };
    let report = check(program, &automatic, options)?;
    figures.states += report.statistics.nodes;
    match report.verdict {
        Verdict::Holds => {}
        Verdict::Violated { .. } => return Ok(figures.end(Inferred::Wrong, None)),
        Verdict::Unknown(limit) => {
            return Ok(figures.end(Inferred::Unknown(GaveUp::Check(limit)), None));
        }
    }
    let pointed = Check { condition: Condition::Points, ..asked.clone() };
    let all = only(program, &pointed, candidates, &|_| true);
    let model = Model::new(Arc::new(all), &pointed, Granularity::UNREDUCED)
        .map_err(CheckError::Unsupported)?;
    let mut pool = Pool::new(&model, candidates.len(), proposals)?;
    loop {
        let chosen: BTreeSet<usize> = match pool.smallest(&[])? {
            Answer::Fits(chosen) => chosen,
            Answer::TooMany => {
                return Ok(figures.end(Inferred::Unknown(GaveUp::Proposals), Some(&pool)));
            }
            Answer::Nothing => {
                let conflict = conflict(&mut pool)?;
                return Ok(figures.end(Inferred::NoPoints(conflict), Some(&pool)));
            }
        };
        let proposed = only(program, &pointed, candidates, &|i| chosen.contains(&i));
        let report = check(&Arc::new(proposed), &pointed, options)?;
        figures.checks += 1;
        figures.states += report.statistics.nodes;
        match report.verdict {
            Verdict::Holds => {
                let chosen = chosen.into_iter().collect();
                return Ok(figures.end(Inferred::Points(chosen), Some(&pool)));
            }
            Verdict::Violated { violation: Violation::History, schedule } => {
                let trace = Trace::of(&model, &schedule, candidates)
                    .ok_or(CheckError::Internal("an execution cannot be replayed"))?;
                if !pool.add(trace, schedule, &chosen)? {
                    return Err(CheckError::Internal("a counterexample fits what it refutes"));
                }
            }
            Verdict::Violated { .. } => return Ok(figures.end(Inferred::Wrong, Some(&pool))),
            Verdict::Unknown(limit) => {
                return Ok(figures.end(Inferred::Unknown(GaveUp::Check(limit)), Some(&pool)));
            }
        }
    }
}

#[derive(Default)]
struct Figures {
    checks: usize,
    states: u64,
}

impl Figures {
    fn end(&self, inferred: Inferred, pool: Option<&Pool<'_>>) -> Inference {
        Inference {
            inferred,
            checks: self.checks,
            pool: pool.map_or(0, Pool::len),
            proposals: pool.map_or(0, Pool::proposals),
            states: self.states,
        }
    }
}

/// As few executions as possible that no set fits, and what they say.
fn conflict(pool: &mut Pool<'_>) -> Result<Conflict, CheckError> {
    pool.shrink()?;
    let mut operations = Vec::new();
    for op in pool.operations() {
        if matches!(pool.smallest(&[op])?, Answer::Fits(_)) {
            operations.push(op);
        }
    }
    Ok(Conflict { executions: pool.forced(&operations)?, operations })
}

/// The program with only some of the candidates; the others do nothing, and take as long.
fn only(
    program: &Program,
    check: &Check,
    candidates: &[Span],
    on: &dyn Fn(usize) -> bool,
) -> Program {
    let mut program = program.clone();
    let mut keep = |span: Span| candidates.iter().position(|c| *c == span).is_some_and(on);
    for proc in &mut program.objects[check.object.index()].unit.procs {
        switch(&mut proc.body, &mut keep);
    }
    program
}

fn switch(block: &mut Block, keep: &mut dyn FnMut(Span) -> bool) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Point(_) if !keep(stmt.span) => {
                let kind = ExprKind::Const(Value::Bool(true));
                let nothing = Expr { kind, ty: Type::Bool, span: stmt.span };
                stmt.kind = StmtKind::Assert(nothing);
            }
            StmtKind::If { then, els, .. } => {
                switch(then, keep);
                switch(els, keep);
            }
            StmtKind::Loop { body, step, .. } => {
                switch(body, keep);
                switch(step, keep);
            }
            StmtKind::Atomic(body) => switch(body, keep),
            StmtKind::Either(blocks) => blocks.iter_mut().for_each(|b| switch(b, keep)),
            _ => {}
        }
    }
}
