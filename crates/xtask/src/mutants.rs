//! `cargo xtask mutants`: do the checks of the corpus notice damaged objects?
//!
//! Every mutant of every correct model is checked with the checks of its file. One that is accepted
//! by all of them is checked again without any reduction: a violation found there only would be a
//! wrong verdict. Every violation is judged. Such *alarms* make the run fail; survivors do not, they
//! are listed, with an explanation where one is found. Those that somebody has read and found to be
//! equivalent are in `corpus/lin/survivors.toml`; an entry that does not fit any more makes the run fail.

mod stuck;
mod table;
mod trial;

use linchpin_lin::program::Program;
use linchpin_testkit::corpus::{Case, root};
use linchpin_testkit::mutate::survivors::{self, Readings};
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
    /// The threads do not always finish any more.
    Stuck,
    /// With one more operation per thread and one more node it is killed, and the original is not.
    Narrow,
    /// Somebody has read it: nobody can tell it from the original.
    Equivalent,
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
        None => 250_000,
    };
    let limits = trial::Limits { nodes, thorough: args.contains(&"--thorough") };
    let file = option(args, "--file");
    let corpus = corpus::load::<Program>()?;
    let readings = readings()?;
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
    let mut trials: Vec<Trial<'_>> = jobs
        .into_iter()
        .zip(fates)
        .filter(|(_, fate)| *fate != Fate::Invalid)
        .map(|((original, mutant), fate)| Trial { case: original.case, mutant, fate })
        .collect();
    let mut problems = compare(&readings, &mut trials);
    problems.extend(missing(&readings, &trials, file));
    let text = table::print(&trials, &readings, nodes);
    print!("{text}");
    if file.is_none() {
        crate::record("mutants.md", &text)?;
    }
    problems.extend(trials.iter().filter_map(table::alarm));
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Survivors that somebody has read.
fn readings() -> Result<Readings, String> {
    std::fs::read_to_string(root().join("survivors.toml"))
        .map_err(|error| error.to_string())
        .and_then(|text| survivors::parse(&text))
        .map_err(|error| format!("survivors.toml: {error}"))
}

/// Entries, of these files, for which there is no mutant.
fn missing(readings: &Readings, trials: &[Trial<'_>], file: Option<&str>) -> Vec<String> {
    let there =
        |path: &str, key: &str| trials.iter().any(|t| t.case.path == path && t.mutant.key == key);
    let listed = readings.entries().filter(|(path, _)| file.is_none_or(|f| path.contains(f)));
    listed
        .filter(|(path, key)| !there(path, key))
        .map(|(path, key)| format!("STALE: {path}: there is no mutant {key}"))
        .collect()
}

/// Marks the survivors that are listed as equivalent; gives the entries that are not open.
fn compare(readings: &Readings, trials: &mut [Trial<'_>]) -> Vec<String> {
    let mut stale = Vec::new();
    for trial in trials {
        if readings.why(&trial.case.path, &trial.mutant).is_none() {
            continue;
        }
        match &mut trial.fate {
            Fate::Survived { reason: reason @ Reason::Open, .. } => *reason = Reason::Equivalent,
            // A machine that is slow today is no reason to give up an entry.
            Fate::Unknown => {}
            fate => {
                let (path, key) = (&trial.case.path, &trial.mutant.key);
                stale.push(format!("STALE: {path}: {fate:?}: {key}"));
            }
        }
    }
    stale
}

#[cfg(test)]
mod tests;
