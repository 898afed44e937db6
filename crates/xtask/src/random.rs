//! `cargo xtask random`: many random programs, decided by the checker and by brute force.
//!
//! The test `differential` does the same for a few; this is for nights. A difference, or a panic, does not end the run:
//! each is shown with its seed and with a program made as small as possible. `--show` prints the program of a seed.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use linchpin_lin::program::Condition;
use linchpin_testkit::agree::Tally;
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{Agreement, Disagreement, compare, compare_by, subsets};
use linchpin_testkit::{generate, minimise, parallel};

use crate::option;

/// Programs between two lines of figures.
const BATCH: usize = 1_000;

/// Of a hundred programs, so many are to be violated.
const LEAST_WRONG: usize = 40;

/// Most differences that are made small.
const SHOWN: usize = 20;

const LIMITS: Limits = Limits { states: 30_000, histories: 8_000 };

/// Compares as many programs as asked for and prints the figures.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let number = |flag: &str, default: u64| match option(args, flag) {
        Some(text) => text.parse().map_err(|_| format!("{flag}: `{text}` is no number")),
        None => Ok(default),
    };
    let (first, count) = (number("--seed", 1)?, number("--count", 100_000)?);
    if args.contains(&"--show") {
        print!("{}", text(first));
        return Ok(());
    }
    let seeds: Vec<u64> = (first..first.saturating_add(count)).collect();
    let (mut found, mut differences) = (Vec::new(), BTreeMap::new());
    for batch in seeds.chunks(BATCH) {
        let results = parallel::map(batch, parallel::cores(), |&seed| one(&text(seed), seed));
        for (&seed, result) in batch.iter().zip(results) {
            match result {
                Ok(agreements) => found.push(agreements),
                Err(what) => {
                    println!("seed {seed}: {what}");
                    differences.insert(seed, what);
                }
            }
        }
        let done = found.len() + differences.len();
        println!("{done}: {}, {} disagreements", Tally::of(&found), differences.len());
    }
    for (&seed, what) in differences.iter().take(SHOWN) {
        let differs =
            |t: &str| one(t, seed).is_err_and(|what| !what.starts_with(Disagreement::NOT_LOADED));
        println!("\nseed {seed}: {what}\n{}", minimise(&text(seed), differs));
    }
    let wrong = Tally::of(&found).wrong();
    match differences.len() {
        0 if found.len() >= BATCH && wrong < LEAST_WRONG => {
            Err(format!("only {wrong} % of the programs are violated: the comparison says little"))
        }
        0 => Ok(()),
        n => Err(format!("{n} disagreements")),
    }
}

fn text(seed: u64) -> String {
    let text = match (seed % 10, seed % 4) {
        (1, _) => return generate::meeting(seed),
        (5, _) => generate::manual(&generate::program(seed), seed),
        (8, _) => generate::monitors(seed),
        (6, _) => generate::settled(seed),
        (4, _) => generate::recycled(seed),
        (9, _) => generate::sums(seed),
        (_, 2) => generate::guarded(seed),
        _ => generate::program(seed),
    };
    match seed % 7 {
        0..4 => generate::wrong(&text, seed),
        _ => text,
    }
}

/// Compares one program; some are asked for another condition than linearizability.
fn one(text: &str, seed: u64) -> Result<Vec<Agreement>, String> {
    let condition = match seed % 10 {
        3 => Condition::Sequential,
        7 => Condition::Quiescent,
        1 if seed % 20 == 1 => Condition::SetLinearizable,
        1 => Condition::IntervalLinearizable,
        5 if text.contains("  memory ") => Condition::LeakFree,
        _ => Condition::Linearizable,
    };
    let compared = catch_unwind(AssertUnwindSafe(|| match condition {
        Condition::Linearizable => compare(text, &subsets(seed), LIMITS),
        other => compare_by(text, &other, &subsets(seed), LIMITS),
    }));
    match compared {
        Ok(result) => result.map_err(|difference| difference.to_string()),
        Err(_) => Err("panicked".to_string()),
    }
}
