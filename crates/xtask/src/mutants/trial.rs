//! One mutant: is it noticed, and if not, why?

use std::sync::Arc;
use std::time::Instant;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Violation, check};
use linchpin_engine::{Budget, Limit};
use linchpin_evidence::{Disagreement, judge};
use linchpin_lin::program::{Behaviour, Check, Program};
use linchpin_lin::syntax;
use linchpin_lts::Verdict;
use linchpin_testkit::claim;
use linchpin_testkit::corpus::{Case, beside, folder};

use super::stuck::{Company, gets_stuck};
use super::{Fate, Reason};

/// Most seconds for one check of a mutant.
const SECONDS: f64 = 10.0;

/// How much work to do.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Most nodes of a search.
    pub(super) nodes: u64,
    /// Check survivors also with each reduction switched off alone.
    pub(super) thorough: bool,
}

/// A correct model and what is needed to compare its mutants with it.
pub(super) struct Original<'c> {
    pub(super) case: &'c Case,
    /// Per check: it holds with wider bounds, too.
    holds_wider: Vec<bool>,
    /// Per check: in which company threads always finish.
    finishes: Vec<Vec<Company>>,
}

impl<'c> Original<'c> {
    pub(super) fn new(case: &'c Case, limits: Limits) -> Self {
        let program = &case.program;
        let wider = |c: &Check| match widened(c) {
            Some(c) => answer(program, &c, Reductions::ALL, limits) == Answer::Holds,
            None => false,
        };
        let finishes = |c: &Check| {
            let mut companies = Company::ALL.to_vec();
            companies.retain(|company| gets_stuck(program, c, *company) == Some(false));
            companies
        };
        Original {
            case,
            holds_wider: program.checks.iter().map(wider).collect(),
            finishes: program.checks.iter().map(finishes).collect(),
        }
    }
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Holds,
    Unknown,
    /// Confirmed by the judge.
    Violated(Violation),
    Unsupported,
    Alarm(String),
}

/// What becomes of a mutant.
pub(super) fn fate(original: &Original<'_>, text: &str, limits: Limits) -> Fate {
    let path = folder::<Program>().join(&original.case.path);
    let Ok(loaded) = syntax::load_files(text, &[], &mut beside(&path)) else {
        return Fate::Invalid;
    };
    let program = Arc::new(loaded.program);
    if program.checks.len() != original.case.program.checks.len() {
        return Fate::Alarm("the checks have changed".to_string());
    }
    let mut unknown = false;
    for c in &program.checks {
        match answer(&program, c, Reductions::ALL, limits) {
            Answer::Holds => {}
            Answer::Unknown => unknown = true,
            Answer::Violated(
                Violation::History
                | Violation::Branching(_)
                | Violation::Endless { .. }
                | Violation::Temporal(_),
            ) => {
                return Fate::Violated;
            }
            Answer::Violated(Violation::Fault(_)) => return Fate::Fault,
            Answer::Violated(Violation::Deadlock) => return Fate::Deadlock,
            Answer::Unsupported => return Fate::Invalid,
            Answer::Alarm(what) => return Fate::Alarm(what),
        }
    }
    if unknown {
        return Fate::Unknown;
    }
    let confirmed = match confirm(&program, limits) {
        Ok(confirmed) => confirmed,
        Err(what) => return Fate::Alarm(what),
    };
    Fate::Survived { confirmed, reason: reason(original, &program, limits) }
}

/// Do all checks hold with other reductions, too? `false`: not known.
fn confirm(program: &Arc<Program>, limits: Limits) -> Result<bool, String> {
    let mut sets = vec![Reductions::NONE];
    if limits.thorough {
        sets.extend(Reductions::TABLE.iter().map(|r| {
            let mut reductions = Reductions::ALL;
            reductions.set(r.name, false);
            reductions
        }));
    }
    let mut confirmed = true;
    for reductions in sets {
        for c in &program.checks {
            match answer(program, c, reductions, limits) {
                Answer::Holds => {}
                Answer::Unknown => confirmed &= reductions != Reductions::NONE,
                other => {
                    let names = reductions.names().join(" ");
                    return Err(format!("{} holds, but with [{names}]: {other:?}", c.name));
                }
            }
        }
    }
    Ok(confirmed)
}

fn reason(original: &Original<'_>, program: &Arc<Program>, limits: Limits) -> Reason {
    let mut checks = program.checks.iter().zip(&original.finishes);
    let stuck = |c: &Check, company: &Company| gets_stuck(program, c, *company) == Some(true);
    if checks.any(|(c, companies)| companies.iter().any(|company| stuck(c, company))) {
        return Reason::Stuck;
    }
    let mut checks = program.checks.iter().zip(&original.holds_wider);
    let noticed = checks.any(|(c, holds)| {
        *holds
            && widened(c).is_some_and(|c| {
                matches!(answer(program, &c, Reductions::ALL, limits), Answer::Violated(_))
            })
    });
    if noticed { Reason::Narrow } else { Reason::Open }
}

/// A check with one more operation per thread and one more node; `None` if it has no bounds.
fn widened(check: &Check) -> Option<Check> {
    let mut wider = check.clone();
    let mut changed = false;
    for role in &mut wider.roles {
        if let Behaviour::General { count: Some(count), .. } = &mut role.behaviour {
            *count += 1;
            changed = true;
        }
    }
    if let Some(heap) = &mut wider.heap {
        *heap += 1;
        changed = true;
    }
    changed.then_some(wider)
}

fn answer(program: &Arc<Program>, c: &Check, reductions: Reductions, limits: Limits) -> Answer {
    let start = Instant::now();
    let watch = |_: &_| (start.elapsed().as_secs_f64() > SECONDS).then_some(Limit::Time);
    let budget = Budget { max_states: Some(limits.nodes), watch: &watch, ..Budget::UNLIMITED };
    let options = Options { reductions, budget, ..Options::default() };
    let report = match check(program, c, &options) {
        Ok(report) => report,
        Err(CheckError::Unsupported(_)) => return Answer::Unsupported,
        Err(error) => return Answer::Alarm(format!("{}: {error:?}", c.name)),
    };
    let (violation, schedule) = match report.verdict {
        Verdict::Holds => return Answer::Holds,
        Verdict::Unknown(_) => return Answer::Unknown,
        Verdict::Violated(Counterexample { violation, schedule }) => (violation, schedule),
    };
    match judge(program, c, claim(&violation), &schedule) {
        Ok(_) => Answer::Violated(violation),
        Err(Disagreement::Undecided) => Answer::Unknown,
        Err(disagreement) => {
            Answer::Alarm(format!("{}: the judge does not agree: {disagreement}", c.name))
        }
    }
}
