//! Is an assertion true?
//!
//! One file per kind of assertion; all go over the states breadth first, so that what is shown is
//! shortest. Refinement and temporal logic are decided by the crates of those names.

mod deadlock;
mod determinism;
mod divergence;
mod explore;
mod reach;
mod refinement;
mod temporal;

use linchpin_engine::{Budget, Limit, Statistics};
use linchpin_ltl::Fairness;
use linchpin_lts::Trouble;
use linchpin_model::Span;

use crate::model::Model;
use crate::program::Claim;
use crate::system::System;

/// How to decide.
pub struct Options<'a> {
    /// How far to go.
    pub budget: Budget<'a>,
    /// Which executions count for formulas.
    pub fairness: Fairness,
}

/// The answer to an assertion.
#[derive(Clone, Debug)]
pub struct Report {
    /// True, false, or not known.
    pub verdict: Verdict,
    /// What shows it, if anything does: why it is false, or how a state is reached.
    pub witness: Option<Witness>,
    /// The smallest or greatest value, if one was asked for and there is one.
    pub value: Option<i64>,
    /// Figures.
    pub statistics: Statistics,
}

/// True, false, or not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The assertion is true.
    Holds,
    /// It is false.
    Violated,
    /// A limit was reached.
    Unknown(Limit),
    /// The model does something that has no meaning, such as a division by zero. The witness leads
    /// to it.
    Trouble(Trouble),
    /// A witness was not confirmed: a defect of Linchpin.
    Defect(String),
}

/// An execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// What it shows, as a sentence.
    pub sentence: String,
    /// Its steps.
    pub steps: Vec<WitnessStep>,
    /// The step from which on it repeats for ever, if it does.
    pub repeats: Option<usize>,
    /// The variables and channels at its end, as they are written.
    pub variables: Vec<(String, String)>,
}

/// A step of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// Its label.
    pub label: String,
    /// Where it is written; several places if several processes take part.
    pub places: Vec<Span>,
    /// The components that take part.
    pub by: Vec<u32>,
    /// The variables and channels that it changes.
    pub changes: Vec<Change>,
}

/// A variable or a channel that a step changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// What it was, as it is written.
    pub from: String,
    /// What it is.
    pub to: String,
}

impl Witness {
    /// The variables and channels before the first step and after each, as they are written.
    pub fn moments(&self) -> Vec<Vec<(String, String)>> {
        let mut moments = vec![self.variables.clone()];
        for step in self.steps.iter().rev() {
            let mut before = moments.last().cloned().unwrap_or_default();
            for change in &step.changes {
                if let Some(entry) = before.iter_mut().find(|(name, _)| *name == change.name) {
                    entry.1.clone_from(&change.from);
                }
            }
            moments.push(before);
        }
        moments.reverse();
        moments
    }
}

/// Decides an assertion of a model.
///
/// # Panics
/// If there is no assertion of that number.
pub fn check(model: &Model, assertion: usize, options: &Options<'_>) -> Report {
    let asserted = &model.program.assertions[assertion];
    let (definition, arguments) = &asserted.process;
    let system = match model.instance(*definition, arguments) {
        Ok(system) => system,
        Err(trouble) => return Report::trouble(trouble),
    };
    decide(model, &system, &asserted.claim, options)
}

fn decide(model: &Model, system: &System, claim: &Claim, options: &Options<'_>) -> Report {
    let budget = &options.budget;
    match claim {
        Claim::DeadlockFree => deadlock::check(system, true, budget),
        Claim::NonTerminating => deadlock::check(system, false, budget),
        Claim::Deterministic => determinism::check(system, budget),
        Claim::DivergenceFree => divergence::check(system, budget),
        Claim::Reaches(goal, extreme) => reach::check(system, goal, extreme.as_ref(), budget),
        Claim::Refines(comparison, (definition, arguments)) => {
            match model.instance(*definition, arguments) {
                Ok(other) => refinement::check(system, &other, *comparison, budget),
                Err(trouble) => Report::trouble(trouble),
            }
        }
        Claim::Ltl(formula, conditions) => {
            temporal::check(system, formula, conditions, options.fairness, budget)
        }
    }
}

impl Report {
    fn trouble(trouble: Trouble) -> Report {
        Report {
            verdict: Verdict::Trouble(trouble),
            witness: None,
            value: None,
            statistics: Statistics::default(),
        }
    }
}
