//! The checker agrees with brute force on random programs, whatever reductions are on.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many (3000 by default), from
//! `LINCHPIN_FROM=n` on; `LINCHPIN_SUBSETS=all` tries every subset of the reductions.

use linchpin_testkit::agree::{self, Tally};
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::compare;
use linchpin_testkit::generate;

const ALL: u32 = 127;

/// All on, all off, and a few that depend on the seed.
fn subsets(seed: u64) -> Vec<u32> {
    if std::env::var("LINCHPIN_SUBSETS").is_ok_and(|v| v == "all") {
        return (0..=ALL).collect();
    }
    let mut mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut subsets = vec![ALL, ALL, 0];
    subsets.push(ALL & !(1 << (seed % 7)));
    for _ in 0..3 {
        mixed = mixed.rotate_left(23).wrapping_mul(0xd134_2543_de82_ef95);
        subsets.push((mixed >> 40) as u32 & ALL);
    }
    subsets
}

#[test]
fn checker_and_oracle_agree_on_random_programs() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let found = agree::on_all(&generate::seeds(1, 3000), generate::program, |text, seed| {
        compare(text, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("programs", 2, 5, 5);
}
