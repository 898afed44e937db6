//! Models in `.mcrl2`: how they are related to the same with atomic bodies, each in a comment
//! `% expect RELATION VERDICT`.
//!
//! `histories` is what `linchpin check --atomic` asks; the other names are those of `linchpin compare`,
//! where traces and failures are asked in one direction.

use std::path::Path;

use linchpin_lin::Files;
use linchpin_lts::{Explicit, Figures};
use linchpin_mcrl2::{Specification, System};
use linchpin_relations::{
    Equivalence, Evidence, Generated, Related, Semantics, Source, Witness, bisimilar, generate,
    histories, refinement,
};

use super::counts::Counts;
use super::run::{Configuration, Decided, Extent};
use super::{Case, Language, Question, first};

/// A model in `.mcrl2`. It is loaded anew for every answer: what one search has met must not matter to
/// another.
#[derive(Debug)]
pub struct Mcrl2(Vec<Question>);

/// A relation between a system and the same with atomic bodies.
enum Relation {
    Histories,
    Refinement(Semantics),
    Bisimulation(Equivalence),
}

fn relation(name: &str) -> Option<Relation> {
    Some(match name {
        "histories" => Relation::Histories,
        "weak-trace" => Relation::Refinement(Semantics::WeakTrace),
        "failures" => Relation::Refinement(Semantics::Failures),
        "failures-divergences" => Relation::Refinement(Semantics::FailuresDivergences),
        "branching" => Relation::Bisimulation(Equivalence::Branching),
        "divergence-branching" => Relation::Bisimulation(Equivalence::DivergenceBranching),
        _ => return None,
    })
}

impl Language for Mcrl2 {
    const NAME: &str = "mcrl2";

    fn read(text: &str, _: &Path) -> Result<(Self, Files), String> {
        systems(text)?;
        let expected = text.lines().filter_map(|line| line.strip_prefix("% expect "));
        let question = |line: &str| match line.split_once(' ') {
            Some((name, verdict)) if relation(name).is_some() => {
                Ok(Question { name: name.to_string(), expect: Some(verdict.to_string()) })
            }
            _ => Err(format!("`% expect {line}` is no relation with a verdict")),
        };
        let questions = expected.map(question).collect::<Result<_, _>>()?;
        Ok((Mcrl2(questions), Files::new(text)))
    }

    fn questions(&self) -> Vec<Question> {
        self.0.clone()
    }

    fn decide(case: &Case<Self>, question: usize, how: &Configuration) -> Result<Decided, String> {
        let [concrete, atomic] = systems(&case.text)?;
        let whole = |system: &System| match generate(system, &how.budget()) {
            Ok(Generated::Whole(lts)) => Ok(lts),
            other => Err(format!("{other:?}")),
        };
        let failed = |failure: linchpin_relations::Failure| format!("{failure:?}");
        let (verdict, figures) = match relation(&case.program.0[question].name) {
            None => return Err("no such relation".to_string()),
            Some(Relation::Histories) => {
                let both = [&concrete, &atomic].map(Source::Computed);
                let found = histories(both, &how.budget());
                let (found, both) = found.map_err(|(_, failure)| failed(failure))?;
                let figures = sizes([&both[0], &both[1]], found.bisimilar);
                (found.verdict().clone().map(|w| path(&w)), figures)
            }
            Some(Relation::Refinement(semantics)) => {
                let found = refinement(&concrete, &atomic, semantics, &how.budget());
                let Related { verdict, figures, .. } = found.map_err(failed)?;
                let f = figures.ok_or("no figures")?;
                let (states, nodes, transitions) = (f.implementation, f.pairs, f.steps);
                let figures =
                    Figures { states, nodes, transitions, depth: f.depth, ..Figures::default() };
                (verdict.map(shown), figures)
            }
            Some(Relation::Bisimulation(equivalence)) => {
                let both = [whole(&concrete)?, whole(&atomic)?];
                let found = bisimilar(
                    &both[0],
                    &both[1],
                    equivalence,
                    &|f| f.size() < 1_000,
                    &how.budget(),
                );
                let Related { verdict, blocks, .. } = found.map_err(failed)?;
                (verdict.map(shown), sizes([&both[0], &both[1]], blocks))
            }
        };
        let steps = verdict.evidence().map(|(length, _)| *length);
        let counts = Counts::of(verdict.name().to_string(), &figures, steps);
        Ok(Decided { counts, evidence: format!("{verdict:?}") })
    }

    fn configurations(_: &Extent) -> Vec<Configuration> {
        let mut configurations: Vec<_> = [1, 2, 4].map(Configuration::complete).into();
        configurations.push(Configuration::resumed(2));
        configurations.push(Configuration::together(2, true));
        configurations.push(Configuration::together(4, false));
        configurations
    }
}

/// A system and the same with atomic bodies.
fn systems(text: &str) -> Result<[System; 2], String> {
    let read = Specification::read(text).map_err(|diagnostics| first(text, &diagnostics))?;
    let systems = read.system().and_then(|system| Ok([system, read.atomic(&read.events())?]));
    systems.map_err(|diagnostic| first(text, &[*diagnostic]))
}

/// States and steps of both, and their classes if they are bisimilar.
fn sizes(both: [&Explicit; 2], classes: Option<u32>) -> Figures {
    let states = both.iter().map(|lts| u64::from(lts.states())).sum();
    let transitions = both.iter().map(|lts| lts.steps() as u64).sum();
    let nodes = classes.map_or(states, u64::from);
    Figures { states, nodes, transitions, ..Figures::default() }
}

/// The length of a path, and its text without the states, whose numbers depend on who comes first.
fn path(witness: &Witness) -> (usize, String) {
    let labels: Vec<&str> = witness.steps.iter().map(|s| s.text.as_str()).collect();
    (labels.len(), format!("{labels:?} {:?}", witness.reason))
}

/// The length of what tells two systems apart, and its text.
fn shown(evidence: Evidence) -> (usize, String) {
    match evidence {
        Evidence::Path { witness, .. } => path(&witness),
        Evidence::Formula(formula) => {
            let lines = formula.map_or_else(Vec::new, |f| f.lines());
            (lines.len(), lines.join("\n"))
        }
    }
}
