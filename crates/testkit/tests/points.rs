//! The check of given points agrees with brute force on random programs with random points, whatever
//! reductions are on.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many (600 by default), from
//! `LINCHPIN_FROM=n` on; `LINCHPIN_SUBSETS=all` tries every subset of the reductions.

use std::sync::Arc;

use linchpin_model::program::Program;
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{Agreement, compare_program};
use linchpin_testkit::{generate, parallel};

const ALL: u32 = 127;

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
    let loaded = linchpin_syntax::lin::load(&text, &[]);
    let mut program = loaded.expect("random texts load").program;
    generate::points(&mut program, seed);
    Arc::new(program)
}

#[test]
fn checker_and_oracle_agree_on_random_points() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let (first, count) = match number("LINCHPIN_SEED") {
        Some(seed) => (seed, 1),
        None => (number("LINCHPIN_FROM").unwrap_or(1), number("LINCHPIN_COUNT").unwrap_or(600)),
    };
    let limits = Limits { states: 30_000, histories: 12_000 };
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, parallel::cores(), |&seed| {
        compare_program(&program(seed), &subsets(seed), limits)
    });
    let mut tally = [0u64; 5];
    for (seed, result) in seeds.iter().zip(results) {
        match result {
            Ok(agreements) => agreements.iter().for_each(|&a| tally[a as usize] += 1),
            Err(difference) => panic!(
                "seed {seed} (run again with LINCHPIN_SEED={seed}): {difference:?}\n{}",
                generate::program(seed / 3)
            ),
        }
    }
    let of = |a: Agreement| tally[a as usize];
    println!(
        "{} hold, {} violated, {} too big for the oracle, {} without specification",
        of(Agreement::Holds),
        of(Agreement::Violated),
        of(Agreement::TooBig),
        of(Agreement::BadSpecification)
    );
    if count > 100 {
        let decided = of(Agreement::Holds) + of(Agreement::Violated);
        assert!(of(Agreement::Holds) * 8 > decided, "too few programs hold");
        assert!(of(Agreement::Violated) * 8 > decided, "too few programs are violated");
        assert!(decided * 2 > count, "the oracle decides too few programs");
    }
}
