//! Running a check: from a program to a verdict.

use std::sync::Arc;

use linchpin_engine::{Budget, Ending, Limit, Statistics, search};
use linchpin_lts::{Schedule, TransitionSystem};
use linchpin_model::program::{Check, Condition, OpId, Program};
use linchpin_model::specify::{SpecFault, Specification};
use linchpin_model::{Model, Unsupported};

use crate::configurations::Configurations;
use crate::lift::lift;
use crate::linearizability::Linearizability;
use crate::points::Points;
use crate::product::{Finding, Product, Violation};
use crate::reachability::States;
use crate::reductions::Reductions;
use crate::rules::Rules;

/// How to check.
pub struct Options<'a> {
    /// Which reductions to use.
    pub reductions: Reductions,
    /// How many threads of the machine to use; no result depends on it.
    pub workers: usize,
    /// How far to go.
    pub budget: Budget<'a>,
    /// Test on every state what the model claims about itself (symmetries, private memory, dead
    /// variables); a false claim is [`CheckError::BrokenFact`].
    pub check_facts: bool,
}

impl Default for Options<'_> {
    /// All reductions, one worker, no limits.
    fn default() -> Self {
        Options {
            reductions: Reductions::ALL,
            workers: 1,
            budget: Budget::UNLIMITED,
            check_facts: false,
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every history within the bounds is linearizable; no fault, no deadlock.
    Holds,
    /// Something is wrong, and this schedule shows it with as few steps as possible.
    Violated {
        /// What is wrong.
        violation: Violation,
        /// How it happens.
        schedule: Schedule,
    },
    /// A limit was hit before the search was complete.
    Unknown(Limit),
}

/// The answer with the figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Figures of the search.
    pub statistics: Statistics,
    /// Sets of specification configurations.
    pub sets: usize,
    /// The reductions that were used: those asked for and applicable.
    pub reductions: Reductions,
}

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

/// Checks an object against its specification.
pub fn check(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    check_by(program, check, options, rules(check)?)
}

/// Checks an object by other rules than those of the condition of the check.
pub(crate) fn check_by(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
    rules: Box<dyn Rules>,
) -> Result<Report, CheckError> {
    let mut reductions = options.reductions;
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?;
    let spec =
        Specification::of(program, check, model.threads()).map_err(CheckError::Specification)?;
    let ops = operations(program, check, &spec)?;
    reductions.threads &= model.layout().thread_symmetric && !spec.tells_threads_apart();
    let configurations = Configurations::new(spec, ops, rules);
    let product = Product {
        model: &model,
        configurations: &configurations,
        reductions,
        check_facts: options.check_facts,
    };

    let (ending, statistics) = search(&product, options.workers, &options.budget);
    let verdict = match ending {
        Ending::Exhausted => Verdict::Holds,
        Ending::Stopped(limit) => Verdict::Unknown(limit),
        Ending::Violation { violation: Finding::Specification(fault), .. } => {
            return Err(CheckError::Specification(fault));
        }
        Ending::Violation { violation: Finding::BrokenFact(claim), .. } => {
            return Err(CheckError::BrokenFact(claim));
        }
        Ending::Violation { path, violation: Finding::Violation(violation) } => {
            match lift(&product, &path, &violation) {
                Some(schedule) => Verdict::Violated { violation, schedule },
                None => {
                    return Err(CheckError::Internal("the path to a violation has no schedule"));
                }
            }
        }
    };
    Ok(Report { verdict, statistics, sets: configurations.sets(), reductions })
}

/// Explores every state of an object under the clients of a check without its specification, up
/// to the first fault or deadlock; gives that, if there is one, and the figures.
pub fn explore(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<(Option<Violation>, Statistics), CheckError> {
    let mut reductions = options.reductions;
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?;
    reductions.threads &= model.layout().thread_symmetric;
    let states = States { model: &model, reductions };
    let (ending, statistics) = search(&states, options.workers, &options.budget);
    let violation = match ending {
        Ending::Violation { violation, .. } => Some(violation),
        Ending::Exhausted | Ending::Stopped(_) => None,
    };
    Ok((violation, statistics))
}

/// What the condition of a check asks for.
fn rules(check: &Check) -> Result<Box<dyn Rules>, CheckError> {
    match &check.condition {
        Condition::Linearizable => Ok(Box::new(Linearizability)),
        Condition::Points => Ok(Box::new(Points::default())),
        other => {
            let message = format!("`{}` is not supported", other.name());
            Err(CheckError::Unsupported(Unsupported { message, span: check.span }))
        }
    }
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
