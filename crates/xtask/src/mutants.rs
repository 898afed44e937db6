//! `cargo xtask mutants`: do the checks of the corpus notice damaged objects?
//!
//! Every mutant of every correct model is checked with the checks of its file. One that is accepted
//! by all of them is checked again without any reduction: a violation found there only would be a
//! wrong verdict. Every violation is judged. Such *alarms* make the run fail; survivors do not, they
//! are listed, with an explanation where one is found.

mod alone;
mod table;
mod trial;

use linchpin_testkit::corpus::Case;
use linchpin_testkit::mutate::{Mutant, mutants};
use linchpin_testkit::parallel;

use crate::{corpus, option};

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
        /// What explains it.
        reason: Reason,
    },
    /// A limit was hit.
    Unknown,
    /// Something is wrong with Linchpin.
    Alarm(String),
}

/// Why a mutant survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// A thread that runs alone does not always finish any more.
    Stuck,
    /// With one more operation per thread and one more node it is killed, and the original is not.
    Narrow,
    /// Not known: perhaps it is equivalent to the original.
    Open,
}

/// A mutant of a file and what became of it.
struct Trial<'c> {
    case: &'c Case,
    mutant: Mutant,
    fate: Fate,
}

/// Runs all mutants and writes `record/mutants.md`; of some files only, prints.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let nodes = match option(args, "--budget") {
        Some(text) => text.parse().map_err(|_| "--budget N".to_string())?,
        None => 100_000,
    };
    let limits = trial::Limits { nodes, thorough: args.contains(&"--thorough") };
    let file = option(args, "--file");
    let corpus = corpus::load()?;
    let cases: Vec<&Case> = corpus
        .cases
        .iter()
        .filter(|c| c.is_correct() && file.is_none_or(|f| c.path.contains(f)))
        .collect();
    let originals =
        parallel::map(&cases, parallel::cores(), |case| trial::Original::new(case, limits));
    let jobs: Vec<(&trial::Original<'_>, Mutant)> = originals
        .iter()
        .flat_map(|o| mutants(&o.case.text, &o.case.program).into_iter().map(move |m| (o, m)))
        .collect();
    let fates = parallel::map(&jobs, parallel::cores(), |(original, mutant)| {
        trial::fate(original, &mutant.text, limits)
    });
    let trials: Vec<Trial<'_>> = jobs
        .into_iter()
        .zip(fates)
        .filter(|(_, fate)| *fate != Fate::Invalid)
        .map(|((original, mutant), fate)| Trial { case: original.case, mutant, fate })
        .collect();
    let text = table::print(&trials, nodes);
    print!("{text}");
    if file.is_none() {
        crate::record("mutants.md", &text)?;
    }
    let alarms: Vec<String> = trials.iter().filter_map(table::alarm).collect();
    if alarms.is_empty() { Ok(()) } else { Err(alarms.join("\n")) }
}
