//! Every check of the corpus in many configurations of the search.
//!
//! A reduction that is wrong gives a wrong verdict somewhere; so every verdict must be the expected
//! one with every reduction switched off, with all of them switched off, and with some subsets.
//! Every violation is judged: its schedule is replayed in the unreduced model, where it must show
//! what was claimed. With all reductions on, the figures must be the blessed ones for any number of
//! workers.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use linchpin_check::{Counterexample, Options, Reductions, Report, check};
use linchpin_engine::{Budget, Limit};
use linchpin_evidence::judge;
use linchpin_lin::program::{Check, Expect};
use linchpin_lts::Verdict;

use crate::{claim, parallel};

use super::counts::{Counts, Table, verdict_name};
use super::{Case, Corpus};

/// A way to run every check.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// For the table.
    pub name: String,
    /// The reductions.
    pub choice: Choice,
    /// Threads of the search.
    pub workers: usize,
    /// Most nodes; a check that needs more is skipped.
    pub max_nodes: Option<u64>,
    /// Most seconds; a check that needs more is skipped. `None` in tests: no test depends on time.
    pub max_seconds: Option<f64>,
    /// Test on every state what the model claims about itself.
    pub check_facts: bool,
}

/// Which reductions are on.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// These.
    Fixed(Reductions),
    /// Some of them: for every check others, given by its name and this seed.
    Random(u64),
}

impl Choice {
    fn reductions(self, case: &Case, check: &Check) -> Reductions {
        match self {
            Choice::Fixed(reductions) => reductions,
            Choice::Random(seed) => {
                // FNV-1a, with a final mix.
                let name = case.path.bytes().chain(check.name.bytes());
                let hash = name.fold(0xcbf2_9ce4_8422_2325 ^ seed, |h, byte| {
                    (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                let mixed = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                Reductions::subset((mixed >> 40) as u32)
            }
        }
    }
}

impl Configuration {
    /// All reductions on, no limit: the one that has to decide everything.
    pub fn complete(workers: usize) -> Configuration {
        let plural = if workers == 1 { "" } else { "s" };
        Configuration {
            name: format!("all reductions, {workers} worker{plural}"),
            choice: Choice::Fixed(Reductions::ALL),
            workers,
            max_nodes: None,
            max_seconds: None,
            check_facts: false,
        }
    }

    /// All reductions on, with every claim of the model tested.
    pub fn facts(max_nodes: u64) -> Configuration {
        Configuration {
            name: "all reductions, facts".to_string(),
            max_nodes: Some(max_nodes),
            check_facts: true,
            ..Configuration::complete(1)
        }
    }

    /// Each reduction switched off alone, all switched off, and `subsets` subsets per check.
    pub fn reduced(max_nodes: u64, subsets: u64, seed: u64) -> Vec<Configuration> {
        let limited = |name, choice| Configuration {
            name,
            choice,
            workers: 1,
            max_nodes: Some(max_nodes),
            max_seconds: None,
            check_facts: false,
        };
        let without = Reductions::TABLE.iter().map(|r| {
            let mut reductions = Reductions::ALL;
            reductions.set(r.name, false);
            limited(format!("without {}", r.name), Choice::Fixed(reductions))
        });
        let none = limited("none".to_string(), Choice::Fixed(Reductions::NONE));
        let random = (0..subsets).map(|i| {
            let name = format!("some, at random ({})", i + 1);
            limited(name, Choice::Random(seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
        });
        without.chain([none]).chain(random).collect()
    }

    fn must_decide(&self) -> bool {
        self.max_nodes.is_none() && self.max_seconds.is_none()
    }
}

/// One check in one configuration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What came out; `None` if a limit was hit.
    pub counts: Option<Counts>,
    /// How long it took; only for tables.
    pub seconds: f64,
    /// What is wrong with it.
    pub failure: Option<String>,
}

/// All checks in all configurations.
#[derive(Debug)]
pub struct Run {
    /// Path of the file and name of the check.
    pub checks: Vec<(String, String)>,
    /// The configurations, each with the outcome of every check.
    pub columns: Vec<(Configuration, Vec<Outcome>)>,
}

/// Runs all checks in all configurations on all cores.
pub fn run(corpus: &Corpus, configurations: &[Configuration]) -> Run {
    let checks: Vec<(&Case, &Check)> = corpus
        .cases
        .iter()
        .flat_map(|case| case.program.checks.iter().map(move |c| (case, c)))
        .collect();
    let jobs: Vec<(&Configuration, &Case, &Check)> = configurations
        .iter()
        .flat_map(|configuration| checks.iter().map(move |(case, c)| (configuration, *case, *c)))
        .collect();
    let mut outcomes = parallel::map(&jobs, parallel::cores(), |(configuration, case, c)| {
        one(configuration, case, c)
    })
    .into_iter();
    let columns = configurations
        .iter()
        .map(|configuration| {
            (configuration.clone(), outcomes.by_ref().take(checks.len()).collect())
        })
        .collect();
    let checks = checks.iter().map(|(case, c)| (case.path.clone(), c.name.clone())).collect();
    Run { checks, columns }
}

fn one(configuration: &Configuration, case: &Case, c: &Check) -> Outcome {
    let reductions = configuration.choice.reductions(case, c);
    let start = Instant::now();
    let watch = |_: &_| match configuration.max_seconds {
        Some(max) if start.elapsed().as_secs_f64() > max => Some(Limit::Time),
        _ => None,
    };
    let Configuration { workers, check_facts, max_nodes: max_states, .. } = *configuration;
    let budget = Budget { workers, max_states, watch: &watch, ..Budget::UNLIMITED };
    let options = Options { reductions, budget, check_facts, ..Options::default() };
    let result = catch_unwind(AssertUnwindSafe(|| {
        let report = check(&case.program, c, &options).map_err(|error| format!("{error:?}"))?;
        let failure = failure(configuration, case, c, &report);
        Ok((report, failure))
    }));
    let seconds = start.elapsed().as_secs_f64();
    let (counts, failure) = match result {
        Ok(Ok((report, failure))) => {
            let decided = !matches!(report.verdict, Verdict::Unknown(_));
            (decided.then(|| Counts::of(&report)), failure)
        }
        Ok(Err(error)) => (None, Some(error)),
        Err(_) => (None, Some("panicked".to_string())),
    };
    let place = || format!("{} {} [{}]", case.path, c.name, reductions.names().join(" "));
    let failure = failure.map(|failure| format!("{}: {failure}", place()));
    Outcome { counts, seconds, failure }
}

/// What is wrong with a report, if anything.
fn failure(
    configuration: &Configuration,
    case: &Case,
    c: &Check,
    report: &Report,
) -> Option<String> {
    let name = verdict_name(&report.verdict);
    let expected = match &c.expect {
        None => return Some("no verdict is expected".to_string()),
        Some(Expect::Holds) => "holds".to_string(),
        Some(Expect::Violated) => "violated".to_string(),
        Some(Expect::Deadlock) => "deadlock".to_string(),
        Some(Expect::Fault(kind)) => format!("fault {}", kind.name()),
    };
    // A file may have several errors, and which one is nearest depends on what a step is.
    let accepted = name == expected
        || match report.verdict {
            Verdict::Unknown(_) => !configuration.must_decide(),
            Verdict::Violated(_) => expected != "holds" && !configuration.must_decide(),
            Verdict::Holds => false,
        };
    if !accepted {
        return Some(format!("is `{name}`, expected was `{expected}`"));
    }
    let Verdict::Violated(Counterexample { violation, schedule }) = &report.verdict else {
        return None;
    };
    match judge(&case.program, c, claim(violation), schedule) {
        Ok(_) => None,
        Err(disagreement) => Some(format!("the judge does not agree: {disagreement}")),
    }
}

impl Run {
    /// Everything that is wrong, except for counts.
    pub fn failures(&self) -> Vec<String> {
        let all = self.columns.iter().flat_map(|(_, outcomes)| outcomes);
        all.filter_map(|o| o.failure.clone()).collect()
    }

    /// The counts of the first configuration.
    pub fn counts(&self) -> Table {
        let mut table = Table::new();
        let outcomes = self.columns.first().map_or(&[] as &[_], |(_, outcomes)| outcomes);
        for ((path, name), outcome) in self.checks.iter().zip(outcomes) {
            if let Some(counts) = &outcome.counts {
                table.entry(path.clone()).or_default().insert(name.clone(), counts.clone());
            }
        }
        table
    }

    /// Where the counts of configurations with all reductions on are not the blessed ones, or not
    /// the same for every number of workers.
    pub fn differences(&self, blessed: &Table) -> Vec<String> {
        let mut differences = Vec::new();
        for (configuration, outcomes) in &self.columns {
            if !configuration.must_decide() {
                continue;
            }
            for ((path, name), outcome) in self.checks.iter().zip(outcomes) {
                let Some(counts) = &outcome.counts else { continue };
                let known = blessed.get(path).and_then(|checks| checks.get(name));
                if known != Some(counts) {
                    let known = known.map_or("nothing".to_string(), |c| format!("{c:?}"));
                    differences.push(format!(
                        "{path} {name}, {}: {counts:?}, blessed is {known}",
                        configuration.name
                    ));
                }
            }
        }
        let mut measured: Vec<(&str, &str)> =
            self.checks.iter().map(|(p, n)| (p.as_str(), n.as_str())).collect();
        measured.sort_unstable();
        for (path, checks) in blessed {
            for name in checks.keys() {
                if measured.binary_search(&(path, name)).is_err() {
                    differences.push(format!("{path} {name}: blessed, but there is no such check"));
                }
            }
        }
        differences
    }

    /// One line per configuration: how many checks were decided, and how much larger they were than
    /// in the first configuration (geometric mean over the checks that hold).
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{:<28} {:>7} {:>7} {:>6} {:>9} {:>10} {:>7}\n",
            "configuration", "checks", "decided", "holds", "violated", "nodes", "factor"
        );
        let Some((_, first)) = self.columns.first() else { return text };
        for (configuration, outcomes) in &self.columns {
            let decided: Vec<&Counts> = outcomes.iter().filter_map(|o| o.counts.as_ref()).collect();
            let held = decided.iter().filter(|c| c.verdict == "holds").count();
            let nodes: u64 = decided.iter().map(|c| c.nodes).sum();
            let factors: Vec<f64> = outcomes
                .iter()
                .zip(first)
                .filter_map(|(o, f)| Some((o.counts.as_ref()?, f.counts.as_ref()?)))
                .filter(|(o, f)| o.verdict == "holds" && f.verdict == "holds")
                .map(|(o, f)| (o.nodes.max(1) as f64 / f.nodes.max(1) as f64).ln())
                .collect();
            let factor = (factors.iter().sum::<f64>() / factors.len().max(1) as f64).exp();
            let _ = writeln!(
                text,
                "{:<28} {:>7} {:>7} {:>6} {:>9} {:>10} {:>7.2}",
                configuration.name,
                outcomes.len(),
                decided.len(),
                held,
                decided.len() - held,
                nodes,
                factor
            );
        }
        text
    }
}
