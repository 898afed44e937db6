//! Every method of the checker agrees with brute force on random programs; `external` may miss
//! violations, but what it finds exists.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many, from
//! `LINCHPIN_FROM=n` on.

use linchpin_testkit::agree::{self, Tally};
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{ALL, compare_methods};
use linchpin_testkit::generate;

#[test]
fn every_method_agrees_with_the_oracle_on_random_programs() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let found =
        agree::on_all(&generate::seeds(90_000, 100, 400), generate::program, |text, seed| {
            let subset =
                if seed % 3 == 0 { (seed.wrapping_mul(0x9e37_79b9) >> 7) as u32 } else { ALL };
            compare_methods(text, subset & ALL, limits).map_err(|d| d.to_string())
        });
    Tally::of(&found).expect("methods", 2, 5, 5);
}
