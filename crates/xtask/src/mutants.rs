//! `cargo xtask mutants`: do the checks of the corpus notice damaged objects?
//!
//! Every mutant of every correct model is checked with the checks of its file. One that is accepted
//! by all of them is checked again without any reduction: a violation found there only would be a
//! wrong verdict. Every violation is judged. Such *alarms* make the run fail; survivors do not, they
//! are listed.

mod alone;
mod table;

use std::sync::Arc;
use std::time::Instant;

use linchpin_check::{CheckError, Options, Reductions, Verdict, Violation, check};
use linchpin_engine::{Budget, Limit};
use linchpin_evidence::{Claim, judge};
use linchpin_model::program::Program;
use linchpin_syntax::lin;
use linchpin_testkit::corpus::Case;
use linchpin_testkit::mutate::{Mutant, mutants};
use linchpin_testkit::parallel;

use crate::{corpus, option};

/// Most seconds for one check of a mutant.
const SECONDS: f64 = 10.0;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    /// It does not load, or cannot be compiled.
    Invalid,
    /// A history without linearization.
    Violated,
    /// A run-time error.
    Fault,
    /// A deadlock.
    Deadlock,
    /// Every check holds.
    Survived {
        /// Also without reductions, within the budget.
        confirmed: bool,
        /// A thread that runs alone does not always finish any more.
        stuck: bool,
    },
    /// A limit was hit.
    Unknown,
    /// Something is wrong with Linchpin.
    Alarm(String),
}

/// A mutant of a file and what became of it.
struct Trial<'c> {
    case: &'c Case,
    mutant: Mutant,
    fate: Fate,
}

/// Runs all mutants and writes `record/mutants.md`; of one file only, prints.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let nodes = match option(args, "--budget") {
        Some(text) => text.parse().map_err(|_| "--budget N".to_string())?,
        None => 100_000,
    };
    let file = option(args, "--file");
    let corpus = corpus::load()?;
    let cases = corpus.cases.iter().filter(|c| c.is_correct());
    let cases = cases.filter(|c| file.is_none_or(|f| c.path.contains(f)));
    let jobs: Vec<(&Case, Mutant)> = cases
        .flat_map(|case| {
            mutants(&case.text, &case.program).into_iter().map(move |mutant| (case, mutant))
        })
        .collect();
    let fates =
        parallel::map(&jobs, parallel::cores(), |(case, mutant)| fate(case, &mutant.text, nodes));
    let results: Vec<Trial<'_>> = jobs
        .into_iter()
        .zip(fates)
        .filter(|(_, fate)| *fate != Fate::Invalid)
        .map(|((case, mutant), fate)| Trial { case, mutant, fate })
        .collect();
    let text = table::print(&results, nodes);
    print!("{text}");
    if file.is_none() {
        crate::record("mutants.md", &text)?;
    }
    let alarms: Vec<String> = results.iter().filter_map(table::alarm).collect();
    if alarms.is_empty() { Ok(()) } else { Err(alarms.join("\n")) }
}

fn fate(case: &Case, text: &str, nodes: u64) -> Fate {
    let Ok(loaded) = lin::load(text, &[]) else { return Fate::Invalid };
    let program = Arc::new(loaded.program);
    if program.checks.len() != case.program.checks.len() {
        return Fate::Alarm("the checks have changed".to_string());
    }
    let mut unknown = false;
    let survived = Fate::Survived { confirmed: true, stuck: false };
    for index in 0..program.checks.len() {
        match one(&program, index, Reductions::ALL, nodes) {
            fate if fate == survived => {}
            Fate::Unknown => unknown = true,
            fate => return fate,
        }
    }
    if unknown {
        return Fate::Unknown;
    }
    let mut confirmed = true;
    for index in 0..program.checks.len() {
        match one(&program, index, Reductions::NONE, nodes) {
            fate if fate == survived => {}
            Fate::Unknown => confirmed = false,
            fate => return Fate::Alarm(format!("holds, but without reductions: {fate:?}")),
        }
    }
    let stuck = case.program.checks.iter().zip(&program.checks).any(|(original, mutated)| {
        alone::gets_stuck(&case.program, original) == Some(false)
            && alone::gets_stuck(&program, mutated) == Some(true)
    });
    Fate::Survived { confirmed, stuck }
}

fn one(program: &Arc<Program>, index: usize, reductions: Reductions, nodes: u64) -> Fate {
    let chosen = &program.checks[index];
    let start = Instant::now();
    let watch = |_: &_| (start.elapsed().as_secs_f64() > SECONDS).then_some(Limit::Time);
    let budget = Budget { max_states: Some(nodes), max_memory: None, watch: &watch };
    let options = Options { reductions, workers: 1, budget, check_facts: false };
    let report = match check(program, chosen, &options) {
        Ok(report) => report,
        Err(CheckError::Unsupported(_)) => return Fate::Invalid,
        Err(error) => return Fate::Alarm(format!("{}: {error:?}", chosen.name)),
    };
    let (violation, schedule) = match report.verdict {
        Verdict::Holds => return Fate::Survived { confirmed: true, stuck: false },
        Verdict::Unknown(_) => return Fate::Unknown,
        Verdict::Violated { violation, schedule } => (violation, schedule),
    };
    let (fate, claim) = match violation {
        Violation::NotLinearizable => (Fate::Violated, Claim::NotLinearizable),
        Violation::Fault(kind) => (Fate::Fault, Claim::Fault(kind)),
        Violation::Deadlock => (Fate::Deadlock, Claim::Deadlock),
    };
    match judge(program, chosen, claim, &schedule) {
        Ok(_) => fate,
        Err(disagreement) => {
            Fate::Alarm(format!("{}: the judge does not agree: {disagreement}", chosen.name))
        }
    }
}
