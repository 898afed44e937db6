//! Where the specification goes wrong: the verdict is the same with all reductions, methods and workers, and it is
//! that of brute force.
//!
//! A history that some order explains is right, in whatever other orders the specification goes wrong. One that no
//! order explains is refused if the specification goes wrong in none; otherwise the specification goes wrong on
//! the history. The check is violated if a history is refused (or by a fault or a deadlock); if it is not, and the
//! specification goes wrong on a history, there is no verdict but this error.
//! (`strong` has its test beside the others of the game.)
//!
//! `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::{CheckError, Options, Reductions, check};
use linchpin_engine::{Budget, Limit};
use linchpin_lin::program::{Behaviour, Condition, OpId, QuasiGroup, QuasiResult};
use linchpin_lts::Verdict;
use linchpin_testkit::agree::{self, Tally};
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{
    ALL, Agreement, compare, compare_by, compare_methods, compare_program, subsets,
};
use linchpin_testkit::generate;

const LIMITS: Limits = Limits { states: 20_000, histories: 6_000 };

fn faulty(seed: u64) -> String {
    generate::faulty(&generate::program(seed), seed)
}

/// Compares many programs; of these, some must hold, some be violated, and some specifications go wrong.
fn agree(
    first: u64,
    count: u64,
    compare: impl Fn(&str, u64) -> Result<Vec<Agreement>, String> + Sync,
) {
    let found = agree::on_all(&generate::seeds(first, 150, count), faulty, |text, seed| {
        match linchpin_lin::syntax::load(text, &[]) {
            Ok(_) => compare(text, seed),
            // An operation called `reset` may be a function of the same name.
            Err(_) => Ok(Vec::new()),
        }
    });
    let tally = Tally::of(&found);
    println!("{tally}");
    if found.len() > 100 {
        let enough = |agreement| tally.count(agreement) * 25 > found.len();
        assert!(found.iter().filter(|f| f.is_empty()).count() * 20 < found.len(), "few load");
        assert!(enough(Agreement::Holds) && enough(Agreement::BadSpecification), "{tally}");
        assert!(enough(Agreement::Violated), "{tally}");
    }
}

#[test]
fn linearizability() {
    agree(1, 800, |text, seed| compare(text, &subsets(seed), LIMITS).map_err(|d| d.to_string()));
}

#[test]
fn sequential_consistency() {
    agree(200_000, 400, |text, seed| {
        compare_by(text, &Condition::Sequential, &subsets(seed), LIMITS).map_err(|d| d.to_string())
    });
}

#[test]
fn quiescent_consistency() {
    agree(300_000, 400, |text, seed| {
        compare_by(text, &Condition::Quiescent, &subsets(seed), LIMITS).map_err(|d| d.to_string())
    });
}

#[test]
fn given_points() {
    let found = agree::on_all(&generate::seeds(400_000, 150, 400), faulty, |text, seed| {
        let Ok(loaded) = linchpin_lin::syntax::load(text, &[]) else { return Ok(Vec::new()) };
        let mut program = loaded.program;
        generate::points(&mut program, seed);
        let compared = compare_program(&Arc::new(program), &subsets(seed), LIMITS);
        compared.map_err(|d| d.to_string())
    });
    println!("{}", Tally::of(&found));
}

#[test]
fn all_methods() {
    agree(500_000, 300, |text, seed| {
        let subset = if seed.is_multiple_of(2) { ALL } else { 0 };
        compare_methods(text, subset, LIMITS).map_err(|d| d.to_string())
    });
}

/// With all factors 0, quasi linearizability is linearizability, for which there is the oracle.
#[test]
fn quasi_linearizability_with_all_factors_zero() {
    agree(600_000, 300, |text, seed| {
        let quasi = Condition::Quasi(Vec::new());
        compare_by(text, &quasi, &subsets(seed), LIMITS).map_err(|d| d.to_string())
    });
}

/// What is said about a check, in a word; nothing if a limit was reached.
fn word(text: &str, condition: &Condition, subset: u32) -> Option<&'static str> {
    let mut program = linchpin_lin::syntax::load(text, &[]).ok()?.program;
    let c = &mut program.checks[0];
    c.condition = condition.clone();
    for role in &mut c.roles {
        if let Behaviour::General { count, .. } = &mut role.behaviour {
            *count = Some(count.map_or(2, |n| n.min(2)));
        }
    }
    let program = Arc::new(program);
    let budget = Budget { max_states: Some(50_000), ..Budget::UNLIMITED };
    let options = Options { reductions: Reductions::subset(subset), budget, ..Options::default() };
    match check(&program, &program.checks[0], &options) {
        Ok(report) => match report.verdict {
            Verdict::Holds => Some("holds"),
            Verdict::Violated(_) => Some("violated"),
            Verdict::Unknown(Limit::Continuations) => Some("unknown continuations"),
            Verdict::Unknown(_) => None,
        },
        Err(CheckError::Specification(_)) => Some("the specification goes wrong"),
        Err(error) => panic!("{error:?}\n{text}"),
    }
}

/// Other factors have no oracle for whole programs, but the verdict must not depend on the reductions.
#[test]
fn quasi_linearizability_does_not_depend_on_reductions() {
    let groups = vec![QuasiGroup { members: vec![(OpId(0), QuasiResult::Any)], factor: 1 }];
    let quasi = Condition::Quasi(groups);
    let seeds = generate::seeds(700_000, 120, 300);
    let found = agree::on_all(&seeds, faulty, |text, seed| {
        let mut known: Option<(&str, u32)> = None;
        for subset in subsets(seed) {
            let Some(found) = word(text, &quasi, subset) else { continue };
            match known {
                Some((other, with)) if other != found => {
                    return Err(format!("{found} with {subset}, {other} with {with}"));
                }
                _ => known = Some((found, subset)),
            }
        }
        Ok(known.map_or("nothing", |known| known.0))
    });
    let count = |word| found.iter().filter(|w| **w == word).count();
    let words = ["holds", "violated", "the specification goes wrong", "unknown continuations"];
    println!("{:?} of {}", words.map(|w| (w, count(w))), found.len());
    if found.len() > 100 {
        assert!(words[..3].iter().all(|w| count(w) * 50 > found.len()));
    }
}
