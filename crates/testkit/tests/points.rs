//! The check of given points agrees with brute force on random programs with random points, whatever
//! reductions are on.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many, from
//! `LINCHPIN_FROM=n` on; `LINCHPIN_SUBSETS=all` tries every subset of the reductions.

use std::sync::Arc;

use linchpin_lin::program::Program;
use linchpin_testkit::agree::Tally;
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{ALL, compare_program};
use linchpin_testkit::{generate, parallel};

/// All on, all off, those that divide executions into steps, and one that depends on the seed.
fn subsets(seed: u64) -> Vec<u32> {
    if std::env::var("LINCHPIN_SUBSETS").is_ok_and(|v| v == "all") {
        return (0..=ALL).collect();
    }
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    vec![ALL, 0, 1, 2, 3, ALL & !1, ALL & !2, mixed as u32 & ALL]
}

fn program(seed: u64) -> Arc<Program> {
    let text = generate::program(seed / 3);
    let loaded = linchpin_lin::syntax::load(&text, &[]);
    let mut program = loaded.expect("random texts load").program;
    generate::points(&mut program, seed);
    Arc::new(program)
}

#[test]
fn checker_and_oracle_agree_on_random_points() {
    let limits = Limits { states: 30_000, histories: 12_000 };
    let seeds = generate::seeds(1, 100, 600);
    let results = parallel::map(&seeds, parallel::cores(), |&seed| {
        compare_program(&program(seed), &subsets(seed), limits)
    });
    let found: Vec<_> = seeds
        .iter()
        .zip(results)
        .map(|(seed, result)| {
            result.unwrap_or_else(|difference| {
                let text = generate::program(seed / 3);
                panic!("seed {seed} (run again with LINCHPIN_SEED={seed}): {difference}\n{text}")
            })
        })
        .collect();
    Tally::of(&found).expect("points", 2, 8, 8);
}
