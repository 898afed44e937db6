//! Every question of a corpus in many configurations of the search.
//!
//! A reduction that is wrong gives a wrong verdict somewhere; so every verdict must be the expected
//! one with every reduction switched off, with all of them switched off, and with some subsets.
//! Every violation is judged: it is replayed in the unreduced model, where it must show what was
//! claimed. With all reductions on, the figures must be the blessed ones, and what shows a violation
//! the same, for any number of workers.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use linchpin_check::Reductions;
use linchpin_engine::{Budget, Keeper, Peers};

use crate::keeping::Memory;
use crate::parallel;
use crate::together::{Seat, together};

use super::counts::{Counts, Table};
use super::{Case, Corpus, Language, Question};

/// A way to answer every question.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// For the table.
    pub name: String,
    /// The reductions, as far as the language has them.
    pub choice: Choice,
    /// Partial order reduction, as far as the language has it.
    pub order: bool,
    /// Equal processes are not told apart, as far as the language has it.
    pub equal: bool,
    /// Threads of the search.
    pub workers: usize,
    /// Most nodes; a question that needs more is skipped.
    pub max_nodes: Option<u64>,
    /// Test on every state what the model claims about itself.
    pub check_facts: bool,
    /// Keep every search at some moment, go on with that in another run, and take what comes out there.
    pub resumed: bool,
    /// Who keeps it at the moment.
    pub(super) keeper: Option<Arc<Memory>>,
    /// So many processes search together.
    pub processes: usize,
    /// The one that does at the moment.
    pub(super) seat: Option<Arc<Seat>>,
}

/// Which reductions are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// These.
    Fixed(Reductions),
    /// Some of them: for every question others, given by its name and this seed.
    Random(u64),
}

/// How many configurations, and how far they go.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Most nodes without some of the reductions, where there are many configurations.
    pub max_nodes: u64,
    /// Subsets of many reductions for every question.
    pub subsets: u64,
    /// For these subsets.
    pub seed: u64,
}

impl Choice {
    /// The reductions for a question of a file.
    pub(super) fn reductions(self, path: &str, question: &str) -> Reductions {
        match self {
            Choice::Fixed(reductions) => reductions,
            Choice::Random(seed) => {
                // FNV-1a, with a final mix.
                let name = path.bytes().chain(question.bytes());
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
            order: true,
            equal: true,
            workers,
            max_nodes: None,
            check_facts: false,
            resumed: false,
            keeper: None,
            processes: 1,
            seat: None,
        }
    }

    /// The same in several processes that search together.
    pub fn together(processes: usize, resumed: bool) -> Configuration {
        let complete = if resumed { Configuration::resumed(1) } else { Configuration::complete(1) };
        let name = format!("{}, {processes} processes", complete.name);
        Configuration { name, processes, ..complete }
    }

    /// The same with every search kept and gone on with in another run.
    pub fn resumed(workers: usize) -> Configuration {
        let complete = Configuration::complete(workers);
        let name = format!("{}, resumed", complete.name);
        Configuration { name, resumed: true, ..complete }
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

    /// Each reduction switched off alone, all switched off, and some subsets per question.
    pub fn reduced(extent: &Extent) -> Vec<Configuration> {
        let limited = |name, choice| Configuration {
            name,
            choice,
            max_nodes: Some(extent.max_nodes),
            ..Configuration::complete(1)
        };
        let without = Reductions::TABLE.iter().map(|r| {
            let mut reductions = Reductions::ALL;
            reductions.set(r.name, false);
            limited(format!("without {}", r.name), Choice::Fixed(reductions))
        });
        let none = limited("none".to_string(), Choice::Fixed(Reductions::NONE));
        let random = (0..extent.subsets).map(|i| {
            let seed = extent.seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            limited(format!("some, at random ({})", i + 1), Choice::Random(seed))
        });
        without.chain([none]).chain(random).collect()
    }

    /// How far to go.
    pub(super) fn budget(&self) -> Budget<'_> {
        let keeper = self.keeper.as_deref().map(|keeper| keeper as &dyn Keeper);
        let peers = self.seat.as_deref().map(|seat| seat as &dyn Peers);
        let (workers, max_states) = (self.workers, self.max_nodes);
        Budget { workers, max_states, keeper, peers, ..Budget::UNLIMITED }
    }

    fn must_decide(&self) -> bool {
        self.max_nodes.is_none()
    }

    /// Are its counts the blessed ones?
    fn is_blessed(&self) -> bool {
        let all = self.order && self.equal;
        self.must_decide() && all && self.choice == Choice::Fixed(Reductions::ALL)
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Figures and verdict, which is `unknown` if a limit was hit.
    pub counts: Counts,
    /// All that shows it, for comparing.
    pub evidence: String,
}

/// One question in one configuration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What came out; `None` if a limit was hit.
    pub decided: Option<Decided>,
    /// What is wrong with it.
    pub failure: Option<String>,
}

impl Outcome {
    fn counts(&self) -> Option<&Counts> {
        self.decided.as_ref().map(|d| &d.counts)
    }
}

/// All questions in all configurations.
#[derive(Debug)]
pub struct Run {
    /// Path of the file and name of the question.
    pub checks: Vec<(String, String)>,
    /// The configurations, each with the outcome of every question.
    pub columns: Vec<(Configuration, Vec<Outcome>)>,
}

/// Answers all questions in all configurations on all cores.
pub fn run<P: Language>(corpus: &Corpus<P>, configurations: &[Configuration]) -> Run {
    let asked: Vec<(&Case<P>, usize, Question)> = corpus
        .cases
        .iter()
        .flat_map(|case| {
            let questions = case.program.questions().into_iter().enumerate();
            questions.map(move |(i, question)| (case, i, question))
        })
        .collect();
    let jobs = configurations.iter().flat_map(|c| asked.iter().map(move |asked| (c, asked)));
    let jobs: Vec<_> = jobs.collect();
    let mut outcomes =
        parallel::map(&jobs, parallel::cores(), |(configuration, (case, i, question))| {
            one(configuration, case, *i, question)
        })
        .into_iter();
    let columns = configurations
        .iter()
        .map(|configuration| (configuration.clone(), outcomes.by_ref().take(asked.len()).collect()))
        .collect();
    let checks = asked.into_iter().map(|(case, _, q)| (case.path.clone(), q.name)).collect();
    Run { checks, columns }
}

fn one<P: Language>(how: &Configuration, case: &Case<P>, i: usize, asked: &Question) -> Outcome {
    let answer = catch_unwind(AssertUnwindSafe(|| match how.resumed {
        false => in_processes(how.processes, case, i, how),
        true => {
            let memory = Memory::new(i as u64 ^ case.text.len() as u64);
            let with = |keeper| Configuration { keeper: Some(keeper), ..how.clone() };
            in_processes(how.processes, case, i, &with(memory.clone()))?;
            // What was kept does not depend on how many there were.
            let others = if how.processes == 1 { 1 } else { how.processes + 1 };
            in_processes(others, case, i, &with(memory.resumed()))
        }
    }));
    let (decided, failure) = match answer {
        Ok(Ok(decided)) => {
            let failure = unexpected(how, asked, &decided.counts.verdict);
            ((decided.counts.verdict != "unknown").then_some(decided), failure)
        }
        Ok(Err(error)) => (None, Some(error)),
        Err(_) => (None, Some("panicked".to_string())),
    };
    let reductions = how.choice.reductions(&case.path, &asked.name).names().join(" ");
    let place = format!("{} {}, {} [{reductions}]", case.path, asked.name, how.name);
    Outcome { decided, failure: failure.map(|failure| format!("{place}: {failure}")) }
}

/// Decides a question in so many processes, which must all find the same. The first one keeps it, if anybody does.
fn in_processes<P: Language>(
    processes: usize,
    case: &Case<P>,
    i: usize,
    how: &Configuration,
) -> Result<Decided, String> {
    if processes == 1 {
        return P::decide(case, i, how);
    }
    let mut all = together(processes, |seat| {
        let keeper = how.keeper.clone().filter(|_| seat.number() == 0);
        P::decide(case, i, &Configuration { keeper, seat: Some(seat), ..how.clone() })
    });
    let first = all.swap_remove(0)?;
    for other in all {
        let other = other?;
        if (&other.counts, &other.evidence) != (&first.counts, &first.evidence) {
            return Err(format!("processes find {:?} and {:?}", first.counts, other.counts));
        }
    }
    Ok(first)
}

/// What is wrong with a verdict, if anything.
fn unexpected(how: &Configuration, asked: &Question, verdict: &str) -> Option<String> {
    let Some(expected) = &asked.expect else { return Some("no verdict is expected".to_string()) };
    // A file may have several errors, and which one is nearest depends on what a step is.
    let accepted = verdict == expected
        || match verdict {
            "holds" => false,
            "unknown" => !how.must_decide(),
            _ => expected != "holds" && !how.must_decide(),
        };
    (!accepted).then(|| format!("is `{verdict}`, expected was `{expected}`"))
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
            if let Some(counts) = outcome.counts() {
                table.entry(path.clone()).or_default().insert(name.clone(), counts.clone());
            }
        }
        table
    }

    /// Where configurations with all reductions on have other counts than the blessed ones, or other
    /// evidence than the first configuration.
    pub fn differences(&self, blessed: &Table) -> Vec<String> {
        let mut differences = Vec::new();
        let first = self.columns.first().map_or(&[] as &[_], |(_, outcomes)| outcomes);
        for (configuration, outcomes) in self.columns.iter().filter(|(c, _)| c.is_blessed()) {
            for (((path, name), outcome), first) in self.checks.iter().zip(outcomes).zip(first) {
                let Some(Decided { counts, evidence }) = &outcome.decided else { continue };
                let known = blessed.get(path).and_then(|checks| checks.get(name));
                let place = format!("{path} {name}, {}", configuration.name);
                if known != Some(counts) {
                    let known = known.map_or("nothing".to_string(), |c| format!("{c:?}"));
                    differences.push(format!("{place}: {counts:?}, blessed is {known}"));
                }
                let other = first.decided.as_ref().map(|d| &d.evidence).filter(|e| *e != evidence);
                if let Some(other) = other {
                    differences.push(format!("{place}: {evidence}\nbut first: {other}"));
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

    /// One line per configuration: how many questions were decided, and how much larger they were than
    /// in the first configuration (geometric mean over those that hold).
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{:<28} {:>7} {:>7} {:>6} {:>9} {:>10} {:>7}\n",
            "configuration", "checks", "decided", "holds", "violated", "nodes", "factor"
        );
        let Some((_, first)) = self.columns.first() else { return text };
        for (configuration, outcomes) in &self.columns {
            let decided: Vec<&Counts> = outcomes.iter().filter_map(Outcome::counts).collect();
            let held = decided.iter().filter(|c| c.verdict == "holds").count();
            let nodes: u64 = decided.iter().map(|c| c.nodes).sum();
            let factors: Vec<f64> = outcomes
                .iter()
                .zip(first)
                .filter_map(|(o, f)| Some((o.counts()?, f.counts()?)))
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
