//! Running one search: from a program and the rules of a condition to a verdict.

use std::sync::Arc;

use linchpin_engine::{Budget, Ending, Figures, Limit, Plan, search};
use linchpin_lin::program::{Check, Condition, Expect, OpId, Program};
use linchpin_lin::specify::{SpecFault, Specification};
use linchpin_lin::{Covered, Model, Unsupported};
use linchpin_lts::{Schedule, TransitionSystem, Verdict};

use crate::configurations::Configurations;
use crate::cost::Cost;
use crate::external;
use crate::leaks::Anything;
use crate::lift::{Nodes, lift};
use crate::linearizability::Linearizability;
use crate::method::Method;
use crate::minimal;
use crate::points::Points;
use crate::product::{Finding, Product, Violation};
use crate::quasi::{MAX_FACTOR, Manner, Quasi};
use crate::quiescent_consistency::QuiescentConsistency;
use crate::reachability::States;
use crate::recordings;
use crate::reductions::Reductions;
use crate::rules::Rules;
use crate::sequential_consistency::SequentialConsistency;
use crate::set_linearizability::SetLinearizability;

/// How to check.
pub struct Options<'a> {
    /// Which reductions to use.
    pub reductions: Reductions,
    /// How far to go.
    pub budget: Budget<'a>,
    /// Test on every state what the model claims about itself (symmetries, private memory, dead
    /// variables); a false claim is [`CheckError::BrokenFact`].
    pub check_facts: bool,
    /// Which way to go.
    pub method: Method,
    /// Look for the violation that is easiest to read among at most so many nodes (0: show the one
    /// with the fewest steps).
    pub minimise: u64,
}

impl Default for Options<'_> {
    /// All reductions, one worker, no limits.
    fn default() -> Self {
        Options {
            reductions: Reductions::ALL,
            budget: Budget::UNLIMITED,
            check_facts: false,
            method: Method::Refinement,
            minimise: 0,
        }
    }
}

impl<'a> Options<'a> {
    /// The same with other reductions and another limit for the search for the simplest violation.
    pub(crate) fn with(&self, reductions: Reductions, minimise: u64) -> Options<'a> {
        let Options { budget, check_facts, method, .. } = *self;
        Options { reductions, budget, check_facts, method, minimise }
    }
}

/// What shows a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What is wrong.
    pub violation: Violation,
    /// How it happens; with as few steps as possible, if the method is breadth first.
    pub schedule: Schedule,
}

impl Counterexample {
    /// Is it what was expected?
    fn is_as_expected(&self, expect: &Expect) -> bool {
        match (expect, &self.violation) {
            (
                Expect::Violated,
                Violation::History
                | Violation::Branching(_)
                | Violation::Endless { .. }
                | Violation::Temporal(_),
            ) => true,
            (Expect::Fault(kind), Violation::Fault(found)) => kind == found,
            (Expect::Deadlock, Violation::Deadlock) => true,
            _ => false,
        }
    }
}

/// The answer with the figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// Every history within the bounds is as the condition says, and there is no fault and no
    /// deadlock; or not.
    pub verdict: Verdict<Counterexample>,
    /// Figures of the search.
    pub statistics: Figures,
    /// Sets of specification configurations.
    pub sets: usize,
    /// The reductions that were used: those asked for and applicable.
    pub reductions: Reductions,
    /// The method that was used.
    pub method: Method,
    /// What the schedule of a violation costs its reader, if no other costs less.
    pub minimal: Option<Cost>,
    /// What the search has seen of the object and its specification. (If it stopped early: until then.)
    pub covered: Covered,
}

impl Report {
    /// A limit was reached in the middle of something, before there were figures.
    pub(crate) fn stopped(limit: Limit, options: &Options<'_>) -> Report {
        Report {
            verdict: Verdict::Unknown(limit),
            statistics: Figures::default(),
            sets: 0,
            reductions: options.reductions,
            method: options.method,
            minimal: None,
            covered: Covered::default(),
        }
    }

    /// Is the verdict the one that was expected?
    pub fn is_as_expected(&self, expect: &Expect) -> bool {
        match &self.verdict {
            Verdict::Holds => *expect == Expect::Holds,
            Verdict::Violated(shown) => shown.is_as_expected(expect),
            Verdict::Unknown(_) => false,
        }
    }
}

/// Nodes that lead to a violation were found, but no schedule leads along them.
pub(crate) const NO_SCHEDULE: CheckError =
    CheckError::Internal("the path to a violation has no schedule");

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The program cannot be compiled.
    Unsupported(Unsupported),
    /// The specification has a run-time error, or no initial state.
    Specification(SpecFault),
    /// Something the model claims about itself is not true: a defect of Linchpin, never a verdict.
    BrokenFact(String),
    /// A path of the search could not be replayed: a defect of Linchpin, never a verdict.
    Internal(&'static str),
}

/// Checks an object by given rules.
pub(crate) fn check_by(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
    rules: Box<dyn Rules>,
) -> Result<Report, CheckError> {
    let method = options.method;
    method.accepts(check).map_err(CheckError::Unsupported)?;
    let mut reductions = method.reductions(options.reductions);
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?
        .within(options.budget.within);
    let spec = model.specification().map_err(CheckError::Specification)?;
    let ops = operations(program, check, &spec)?;
    reductions.threads &= model.layout().thread_symmetric && !spec.tells_threads_apart();
    let configurations = Configurations::new(spec, ops, rules);
    let product = Product {
        model: &model,
        configurations: &configurations,
        reductions,
        check_facts: options.check_facts,
        beyond: false,
    };

    let budget = &options.budget;
    let explore = |product: &Product<'_>| match method {
        Method::Refinement => search(product, Plan::default(), budget),
        Method::Recordings => recordings::explore(product, budget),
        Method::External => external::explore(product, budget),
        Method::ExternalSound => external::explore_soundly(product, budget),
    };
    let mut assumed = if method == Method::Refinement { model.assumptions() } else { 0 };
    let mut fault = None;
    let (model, ending, statistics) = loop {
        let model = model.assuming(assumed);
        let product = Product { model: &model, beyond: fault.is_some(), ..product };
        let (ending, statistics) = explore(&product);
        match (&ending, &fault) {
            // Begins again without assumptions that are not true.
            (Ending::Violation { violation: Finding::Assumptions(broken), .. }, _) => {
                assumed &= !broken;
            }
            // Where the specification goes wrong first may depend on the reductions, whether there is a
            // violation does not. So a violation counts, whichever comes first.
            (Ending::Violation { violation: Finding::Specification(found), .. }, None) => {
                fault = Some(found.clone());
            }
            (Ending::Violation { .. }, _) | (_, None) => break (model, ending, statistics),
            (_, Some(fault)) => return Err(CheckError::Specification(fault.clone())),
        }
    };
    let product = Product { model: &model, beyond: fault.is_some(), ..product };
    let mut minimal = None;
    let verdict = match ending {
        Ending::Exhausted if configurations.doubted() => Verdict::Unknown(Limit::Continuations),
        Ending::Exhausted | Ending::Enough => Verdict::Holds,
        Ending::Stopped(limit) => Verdict::Unknown(limit),
        Ending::Violation { violation: Finding::Specification(fault), .. } => {
            return Err(CheckError::Specification(fault));
        }
        Ending::Violation { violation: Finding::BrokenFact(claim), .. } => {
            return Err(CheckError::BrokenFact(claim));
        }
        Ending::Violation { violation: Finding::Assumptions(_), .. } => {
            return Err(CheckError::Internal("an assumption that was not made was broken"));
        }
        Ending::Violation { violation: Finding::Violation(Violation::Fault(kind)), .. }
            if kind.limit().is_some() =>
        {
            Verdict::Unknown(kind.limit().unwrap_or(Limit::Step))
        }
        Ending::Violation { path, violation: Finding::Violation(violation) } => {
            let nodes = Nodes { product: &product, sets: true, last: false };
            match lift(&nodes, &path, &violation) {
                Some((schedule, _)) => {
                    let cheaper = match options.minimise {
                        0 => None,
                        most => minimal::minimal(&product, &violation, most, budget),
                    };
                    // What is not certainly wrong may be wrong, and simpler.
                    let doubted = configurations.doubted() && violation == Violation::History;
                    minimal = cheaper.as_ref().map(|(_, cost)| *cost).filter(|_| !doubted);
                    let schedule = cheaper.map_or(schedule, |(schedule, _)| schedule);
                    Verdict::Violated(Counterexample { violation, schedule })
                }
                None => {
                    return Err(NO_SCHEDULE);
                }
            }
        }
    };
    let (sets, covered) = (configurations.sets(), model.covered());
    Ok(Report { verdict, statistics, sets, reductions, method, minimal, covered })
}

/// Explores every state of an object under the clients of a check without its specification, up
/// to the first fault or deadlock; gives that, if there is one, and the figures.
pub fn explore(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<(Option<Violation>, Figures), CheckError> {
    let mut reductions = options.reductions;
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?
        .within(options.budget.within);
    reductions.threads &= model.layout().thread_symmetric;
    let states = States { model: &model, reductions };
    let (ending, statistics) = search(&states, Plan::default(), &options.budget);
    let violation = match ending {
        Ending::Violation { violation, .. } => Some(violation),
        _ => None,
    };
    Ok((violation, statistics))
}

/// What the condition of a check asks for. There are several manners of quasi linearizability only.
pub(crate) fn rules(check: &Check, manner: Manner) -> Result<Box<dyn Rules>, CheckError> {
    match &check.condition {
        // Operations that take effect in two moments do so by themselves (see `set_linearizability`).
        Condition::Linearizable | Condition::IntervalLinearizable => Ok(Box::new(Linearizability)),
        Condition::SetLinearizable => Ok(Box::new(SetLinearizability)),
        Condition::Quasi(groups) if groups.iter().all(|g| g.factor <= MAX_FACTOR) => {
            Ok(Box::new(Quasi::new(check, groups, manner)))
        }
        Condition::Quasi(_) => {
            let message = format!("a factor of more than {MAX_FACTOR} is not supported");
            Err(CheckError::Unsupported(Unsupported { message, span: check.span }))
        }
        Condition::Points => Ok(Box::new(Points::default())),
        Condition::Sequential => bounded(check, 1).map(|()| Box::new(SequentialConsistency) as _),
        Condition::Quiescent => bounded(check, 2).map(|()| Box::new(QuiescentConsistency) as _),
        Condition::LeakFree => Ok(Box::new(Anything)),
        other => {
            let message = format!("`{}` is not supported", other.name());
            Err(CheckError::Unsupported(Unsupported { message, span: check.span }))
        }
    }
}

/// Refuses clients that call without end, if there are at least so many threads.
fn bounded(check: &Check, threads: u32) -> Result<(), CheckError> {
    let all: u32 = check.roles.iter().map(|role| role.threads).sum();
    if all >= threads && check.roles.iter().any(|role| role.behaviour.is_endless()) {
        let name = check.condition.name();
        let message = format!("`{name}` needs bounded clients (`ops n`)");
        return Err(CheckError::Unsupported(Unsupported { message, span: check.span }));
    }
    Ok(())
}

/// The specification's operation for every operation of the object.
pub(crate) fn operations(
    program: &Program,
    check: &Check,
    spec: &Specification,
) -> Result<Vec<OpId>, CheckError> {
    let object = &program.objects[check.object.index()].unit;
    let spec = spec.unit();
    (0..object.ops.len() as u32)
        .map(|op| {
            let proc = object.op(OpId(op));
            spec.op_named(&proc.name).ok_or_else(|| {
                CheckError::Unsupported(Unsupported {
                    message: format!("`{}` has no operation `{}`", spec.name, proc.name),
                    span: proc.span,
                })
            })
        })
        .collect()
}
