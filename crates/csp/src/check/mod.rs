//! Is an assertion true?
//!
//! One file per kind of assertion; they go over the states breadth first, so that what is shown is
//! shortest, or look ahead depth first ([`orders`]). Refinement and temporal logic are decided by the crates of those names.

mod deadlock;
mod determinism;
mod divergence;
mod explore;
mod orders;
mod reach;
mod refinement;
mod starts;
mod temporal;

pub use orders::Search;

use linchpin_engine::{Budget, Figures, Limit};
use linchpin_ltl::{Atom, Fairness, Silence, silence};
use linchpin_lts::{Trouble, Verdict};
use linchpin_text::Span;

use crate::ast::Comparison;
use crate::model::Model;
use crate::operations::{Operations, may};
use crate::program::Claim;
use crate::reduced::Preserve::{self, Ends, Everything, Seen, Traces};
use crate::reduced::Reduced;
use crate::system::System;

/// How to decide.
pub struct Options<'a> {
    /// How far to go.
    pub budget: Budget<'a>,
    /// Which executions count for formulas.
    pub fairness: Fairness,
    /// Leave steps out that make no difference ([`crate::Reduced`]).
    pub order: bool,
    /// Take local work together with the step before it, where steps are left out and that makes no difference.
    pub join: bool,
    /// Do not tell equal processes side by side apart, where that makes no difference.
    pub equal: bool,
    /// Nor processes that differ in an index only, where nothing else is done with it.
    pub symmetry: bool,
    /// In which order states are looked at, where there is a choice.
    pub search: Search,
    /// In refinement leave pairs out of which a smaller one is known.
    pub antichain: bool,
    /// In refinement of traces, events that begin and end operations; used where it may be.
    pub operations: Option<&'a Operations>,
}

impl Options<'_> {
    /// All executions count, there is no limit, everything is done to be fast.
    pub const DEFAULT: Options<'static> = Options {
        budget: Budget::UNLIMITED,
        fairness: Fairness::None,
        order: true,
        join: true,
        equal: true,
        symmetry: true,
        search: Search::Auto,
        antichain: true,
        operations: None,
    };
}

/// The answer to an assertion.
#[derive(Clone, Debug)]
pub struct Report {
    /// True, false, or not known; or why there is no answer.
    pub verdict: Answer,
    /// What shows it, if anything does: why it is false, or how a state is reached.
    pub witness: Option<Witness>,
    /// The smallest or greatest value, if one was asked for and there is one.
    pub value: Option<i64>,
    /// What else there is to say, as sentences.
    pub notes: Vec<String>,
    /// Was what shows it found depth first, so that something shorter may show it, too?
    pub deep: bool,
    /// Figures of the search that has the answer.
    pub statistics: Figures,
    /// Where some searches went depth first: how many states all others have looked at, those for a shorter
    /// execution included. (Of this run: what an earlier one has looked at is not known to one that goes on with it.)
    pub others: u64,
}

/// Whether an assertion is true, or why that has no answer. What shows it is in the report: that a
/// state can be reached is shown although it holds.
pub type Answer = Result<Verdict<()>, Failure>;

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
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
    /// Of a refinement: what the specification allows at its end.
    pub refused: Option<Refused>,
}

/// What a specification does not allow, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The last event; allowed are these.
    Event(Vec<String>),
    /// That nothing but the first is offered; allowed is to offer at least one of the others.
    Offers(Vec<String>, Vec<Vec<String>>),
    /// That silent steps go on for ever.
    Divergence,
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

/// Decides an assertion of a model: of all ways to begin, if there are several.
///
/// # Panics
/// If there is no assertion of that number.
pub fn check(model: &Model, assertion: usize, options: &Options<'_>) -> Report {
    match model.program.any.is_empty() {
        true => check_from(model, assertion, 0, options),
        false => starts::check(model, assertion, options),
    }
}

/// Decides an assertion of a model that begins in the way of this number.
fn check_from(model: &Model, assertion: usize, start: u64, options: &Options<'_>) -> Report {
    let asserted = &model.program.assertions[assertion];
    let (definition, arguments) = &asserted.process;
    let budget = &options.budget;
    let report = match model.instance(*definition, arguments, start, budget.within) {
        Ok(system) => decide(model, &system, &asserted.claim, options),
        Err(trouble) => Report::trouble(trouble),
    };
    match budget.within.told() {
        // Somebody did not look to the end; only what can be shown is known.
        Some(limit) if report.witness.is_none() => {
            Report { verdict: Ok(Verdict::Unknown(limit)), ..report }
        }
        _ => report,
    }
}

/// The least number of states that are looked at for a shorter execution.
const FEW: u64 = 20_000;

fn decide(model: &Model, system: &System, claim: &Claim, options: &Options<'_>) -> Report {
    let mut notes = Vec::new();
    let preserve = match options.order {
        true => preserve(model, system, claim, options, &mut notes),
        false => Everything,
    };
    let budget = &options.budget;
    let reduced = !matches!(preserve, Everything);
    let ends = matches!(preserve, Ends);
    let (report, joined) = run(model, system, claim, options, budget, preserve);
    let report = match report.verdict {
        // Where a model goes wrong first is a question about all of its executions; that it does is known.
        Err(Failure::Trouble(_)) if reduced => {
            let (whole, _) = run(model, system, claim, options, budget, Everything);
            if matches!(whole.verdict, Ok(Verdict::Unknown(_))) { report } else { whole }
        }
        _ if (reduced && !ends || joined || report.deep) && report.witness.is_some() => {
            // What was found depth first has taken its time already.
            let times = if report.deep { 1 } else { 4 };
            let few = FEW.max(times * report.statistics.nodes);
            let max_states = Some(budget.max_states.map_or(few, |most| most.min(few)));
            let budget = Budget { max_states, ..*budget };
            let options = &Options { search: Search::Breadth, join: false, ..*options };
            let preserve = if ends { Ends } else { Everything };
            let (again, _) = run(model, system, claim, options, &budget, preserve);
            if again.verdict.as_ref().is_ok_and(|v| v.limit().is_some_and(|l| l != Limit::States)) {
                notes.push("there may be a shorter execution; a limit was reached before".into());
            } else if report.deep && again.verdict != report.verdict {
                notes.push("found depth first: there may be a shorter execution".into());
            }
            let (witness, deep) = match again.verdict == report.verdict {
                true => (again.witness.or(report.witness), report.deep && again.deep),
                false => (report.witness, report.deep),
            };
            let others = match report.deep {
                true => report.others + again.statistics.nodes,
                false => report.others,
            };
            Report { witness, deep, others, ..report }
        }
        _ => report,
    };
    Report { notes, ..report }
}

/// What must not be lost when steps are left out.
fn preserve(
    model: &Model,
    system: &System,
    claim: &Claim,
    options: &Options<'_>,
    notes: &mut Vec<String>,
) -> Preserve {
    match claim {
        Claim::Refines(Comparison::Traces, (definition, arguments)) => {
            let Some(operations) = options.operations else { return Traces };
            let within = options.budget.within;
            let may = match model.instance(*definition, arguments, system.start, within) {
                Ok(specification) => may(system, &specification, operations),
                Err(trouble) => Err(trouble.message),
            };
            match may {
                Ok(()) => Preserve::Operations(operations.clone()),
                Err(why) => {
                    notes.push(format!("events are not taken for operations: {why}"));
                    Traces
                }
            }
        }
        Claim::DeadlockFree | Claim::NonTerminating => Ends,
        // Two steps that lead to different states may be ones that would be left out.
        Claim::Deterministic => Everything,
        Claim::DivergenceFree | Claim::Refines(..) => Traces,
        Claim::Reaches(goal, extreme) => {
            let read = [Some(goal), extreme.as_ref().map(|(_, e)| e)];
            let slots = system.slots(read.into_iter().flatten());
            Seen { events: Vec::new(), slots, endless: false }
        }
        Claim::Ltl(formula, conditions) => match (options.fairness, silence(formula)) {
            (Fairness::None, silence @ (Silence::Ignored | Silence::IgnoredUnlessTheEnd)) => {
                let events = formula.atoms().into_iter().filter_map(|atom| match atom {
                    Atom::Event(text) => Some(text.clone()),
                    Atom::Condition(_) => None,
                });
                let (events, slots) = (events.collect(), system.slots(conditions));
                Seen { events, slots, endless: silence == Silence::IgnoredUnlessTheEnd }
            }
            // What is fair depends on steps that would be left out.
            _ => Everything,
        },
    }
}

/// Is the answer the same if equal processes are not told apart ([`crate::multiset`])?
fn may_sort(claim: &Claim, fairness: Fairness) -> bool {
    match claim {
        Claim::Deterministic => false,
        Claim::Ltl(..) => match fairness {
            Fairness::None | Fairness::WeakEvents | Fairness::StrongEvents => true,
            Fairness::WeakProcesses | Fairness::StrongProcesses | Fairness::Global => false,
        },
        Claim::DeadlockFree
        | Claim::DivergenceFree
        | Claim::NonTerminating
        | Claim::Reaches(..)
        | Claim::Refines(..) => true,
    }
}

/// Decides it, and says whether local work was joined.
fn run(
    model: &Model,
    system: &System,
    claim: &Claim,
    options: &Options<'_>,
    budget: &Budget<'_>,
    preserve: Preserve,
) -> (Report, bool) {
    let sorted = options.equal && may_sort(claim, options.fairness);
    let of_states =
        matches!(claim, Claim::DeadlockFree | Claim::NonTerminating | Claim::Reaches(..));
    let joined = options.join && of_states;
    let mut reduced = Reduced::new(system, preserve.clone(), sorted, joined, budget);
    if options.symmetry {
        reduced = match claim {
            Claim::DeadlockFree | Claim::NonTerminating | Claim::DivergenceFree => {
                reduced.symmetric(&[], true)
            }
            Claim::Reaches(goal, extreme) => {
                let read = [Some(goal), extreme.as_ref().map(|(_, e)| e)];
                reduced.symmetric(&system.slots(read.into_iter().flatten()), true)
            }
            Claim::Refines(Comparison::Traces | Comparison::Failures, _) => {
                reduced.symmetric(&[], false)
            }
            Claim::Refines(..) | Claim::Deterministic | Claim::Ltl(..) => reduced,
        };
    }
    let report = match claim {
        Claim::DeadlockFree => deadlock::check(&reduced, true, options.search, budget),
        Claim::NonTerminating => deadlock::check(&reduced, false, options.search, budget),
        Claim::Deterministic => determinism::check(&reduced, budget),
        Claim::DivergenceFree => divergence::check(&reduced, budget),
        Claim::Reaches(goal, extreme) => {
            reach::check(&reduced, goal, extreme.as_ref(), options.search, budget)
        }
        Claim::Refines(comparison, (definition, arguments)) => {
            match model.instance(*definition, arguments, system.start, budget.within) {
                Ok(other) => {
                    let traces = match preserve {
                        Everything => Everything,
                        _ => Traces,
                    };
                    let mut other = Reduced::new(&other, traces, sorted, false, budget);
                    if reduced.symmetry.is_some() {
                        other = other.symmetric(&[], false);
                        reduced.only_with(&mut other);
                    }
                    let (reduced, other) = (&reduced, &other);
                    let antichain = options.antichain;
                    let report = refinement::check(reduced, other, *comparison, antichain, budget);
                    match report.verdict {
                        Ok(Verdict::Holds) if reduced.is_spoilt() => {
                            run(model, system, claim, options, budget, Traces).0
                        }
                        _ => report,
                    }
                }
                Err(trouble) => Report::trouble(trouble),
            }
        }
        Claim::Ltl(formula, conditions) => {
            let deep = options.search != Search::Breadth;
            let report =
                temporal::check(&reduced, formula, conditions, options.fairness, deep, budget);
            match report.verdict {
                Ok(Verdict::Holds) if reduced.is_spoilt() => {
                    run(model, system, claim, options, budget, Everything).0
                }
                _ => report,
            }
        }
    };
    let left = reduced.symmetry.as_ref().is_some_and(|symmetry| symmetry.was_left());
    if left && matches!(report.verdict, Err(Failure::Defect(_))) {
        let options = &Options { symmetry: false, ..*options };
        return run(model, system, claim, options, budget, preserve);
    }
    (report, reduced.joined)
}

impl Report {
    /// Without a witness: the model goes wrong, or there is a limit.
    fn trouble(trouble: Trouble) -> Report {
        let verdict = match trouble.limit {
            Some(limit) => Ok(Verdict::Unknown(limit)),
            None => Err(Failure::Trouble(trouble)),
        };
        Report {
            verdict,
            witness: None,
            value: None,
            notes: Vec::new(),
            deep: false,
            statistics: Figures::default(),
            others: 0,
        }
    }
}
