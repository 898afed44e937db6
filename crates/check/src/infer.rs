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
//! First every operation is asked for alone, while the others may take effect at any time (as in
//! `linearizability`). What has no points then has none at all. Then those that have are asked for
//! together, the rest still being free.
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
use linchpin_lin::program::{
    Block, Check, Condition, Expr, ExprKind, OpId, Program, StmtKind, Type,
};
use linchpin_lin::{Granularity, Model, Span, Value};
use linchpin_lts::{Schedule, Verdict};

use crate::linearizability::Linearizability;
use crate::points::Points;
use crate::product::Violation;
use crate::report::{CheckError, Counterexample, Options, Report, check_by};
use solve::{Answer, Pool};
use trace::Trace;

/// What was found out.
#[derive(Clone, Debug)]
pub enum Inferred {
    /// Points: the check accepted them.
    Points {
        /// The candidates, by index.
        chosen: Vec<usize>,
        /// The operations that have none, and why; the points are those of the others, while these may
        /// take effect at any time.
        without: Vec<Conflict>,
    },
    /// Every operation has points, but not together with the others, or none has any.
    NoPoints(Vec<Conflict>),
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
    /// The operation that has no points even if all others may take effect at any time; `None`: all
    /// together.
    pub operation: Option<OpId>,
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
/// As for [`crate::check`].
pub fn infer(
    program: &Arc<Program>,
    asked: &Check,
    candidates: &[Span],
    options: &Options<'_>,
    proposals: u64,
) -> Result<Inference, CheckError> {
    let automatic = Check { condition: Condition::Linearizable, ..asked.clone() };
    let report = check_by(program, &automatic, options, Box::new(Linearizability))?;
    let pointed = Check { condition: Condition::Points, ..asked.clone() };
    let all = only(program, &pointed, candidates, &|_| true);
    let model = Model::new(Arc::new(all), &pointed, Granularity::UNREDUCED)
        .map_err(CheckError::Unsupported)?;
    let mut search = Search {
        program,
        check: &pointed,
        candidates,
        options,
        model: &model,
        pool: Pool::new(&model, candidates.len(), proposals)?,
        checks: 0,
        states: report.statistics.nodes,
    };
    let inferred = match report.verdict {
        Verdict::Holds => search.run()?,
        Verdict::Violated(_) => Inferred::Wrong,
        Verdict::Unknown(limit) => Inferred::Unknown(GaveUp::Check(limit)),
    };
    Ok(Inference {
        inferred,
        checks: search.checks,
        pool: search.pool.len(),
        proposals: search.pool.proposals(),
        states: search.states,
    })
}

/// Checks given points while some operations may take effect at any time, whatever their points are.
///
/// # Errors
/// As for [`crate::check`].
pub fn check_points(
    program: &Arc<Program>,
    asked: &Check,
    free: &[OpId],
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    let pointed = Check { condition: Condition::Points, ..asked.clone() };
    let rules = Points { free: free.iter().map(|o| o.0).collect() };
    check_by(program, &pointed, options, Box::new(rules))
}

/// A search for points.
struct Search<'a> {
    program: &'a Arc<Program>,
    check: &'a Check,
    candidates: &'a [Span],
    options: &'a Options<'a>,
    model: &'a Model,
    pool: Pool<'a>,
    checks: usize,
    states: u64,
}

/// What one question came to.
enum Found {
    /// This set was accepted.
    Points(BTreeSet<usize>),
    /// No set fits the pool.
    Nothing,
    /// No answer.
    Unknown(GaveUp),
}

impl Search<'_> {
    fn run(&mut self) -> Result<Inferred, CheckError> {
        let every = self.pool.operations();
        let mut without = Vec::new();
        for &op in &every {
            let others: Vec<OpId> = every.iter().copied().filter(|o| *o != op).collect();
            match self.points(&others)? {
                Found::Points(_) => {}
                Found::Nothing => without.push(self.conflict(Some(op), &others)?),
                Found::Unknown(why) => return Ok(Inferred::Unknown(why)),
            }
        }
        if without.len() == every.len() {
            return Ok(Inferred::NoPoints(without));
        }
        let free: Vec<OpId> = without.iter().filter_map(|c| c.operation).collect();
        Ok(match self.points(&free)? {
            Found::Points(chosen) => {
                Inferred::Points { chosen: chosen.into_iter().collect(), without }
            }
            Found::Nothing => {
                without.push(self.conflict(None, &free)?);
                Inferred::NoPoints(without)
            }
            Found::Unknown(why) => Inferred::Unknown(why),
        })
    }

    /// Points for the operations that are not free.
    fn points(&mut self, free: &[OpId]) -> Result<Found, CheckError> {
        self.pool.restart();
        loop {
            let chosen: BTreeSet<usize> = match self.pool.smallest(free)? {
                Answer::Fits(chosen) => chosen,
                Answer::TooMany => return Ok(Found::Unknown(GaveUp::Proposals)),
                Answer::Nothing => return Ok(Found::Nothing),
            };
            let on = |i: usize| chosen.contains(&i);
            let proposed = only(self.program, self.check, self.candidates, &on);
            let report = check_points(&Arc::new(proposed), self.check, free, self.options)?;
            self.checks += 1;
            self.states += report.statistics.nodes;
            match report.verdict {
                Verdict::Holds => return Ok(Found::Points(chosen)),
                Verdict::Violated(Counterexample { violation: Violation::History, schedule }) => {
                    let trace = Trace::of(self.model, &schedule, self.candidates)
                        .ok_or(CheckError::Internal("an execution cannot be replayed"))?;
                    if !self.pool.add(trace, schedule, &chosen, free)? {
                        return Err(CheckError::Internal("a counterexample fits what it refutes"));
                    }
                }
                Verdict::Violated(_) => {
                    return Err(CheckError::Internal("points change what an object does"));
                }
                Verdict::Unknown(limit) => return Ok(Found::Unknown(GaveUp::Check(limit))),
            }
        }
    }

    /// As few executions as possible that no set fits.
    fn conflict(&mut self, operation: Option<OpId>, free: &[OpId]) -> Result<Conflict, CheckError> {
        let executions = self.pool.least_conflict(free)?;
        let questioned: Vec<OpId> = match operation {
            Some(op) => vec![op],
            None => Vec::new(),
        };
        let executions = self.pool.forced(&executions, &questioned)?;
        Ok(Conflict { operation, executions })
    }
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
