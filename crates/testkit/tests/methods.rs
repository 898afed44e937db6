//! Every method of the checker agrees with brute force on random programs; `external` may miss
//! violations, but what it finds exists.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many (400 by default), from
//! `LINCHPIN_FROM=n` on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{Agreement, compare_methods};
use linchpin_testkit::{generate, parallel};

const ALL: u32 = 127;

#[test]
fn every_method_agrees_with_the_oracle_on_random_programs() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let (first, count) = match number("LINCHPIN_SEED") {
        Some(seed) => (seed, 1),
        None => {
            (number("LINCHPIN_FROM").unwrap_or(90_000), number("LINCHPIN_COUNT").unwrap_or(400))
        }
    };
    let limits = Limits { states: 30_000, histories: 8_000 };
    let decided = AtomicU64::new(0);
    let violated = AtomicU64::new(0);
    let failures = Mutex::new(Vec::new());
    let seeds: Vec<u64> = (first..first + count).collect();
    parallel::map(&seeds, parallel::cores(), |&seed| {
        let subset = if seed % 3 == 0 { (seed.wrapping_mul(0x9e37_79b9) >> 7) as u32 } else { ALL };
        match compare_methods(&generate::program(seed), subset & ALL, limits) {
            Ok(agreements) => {
                let of = |a| agreements.iter().filter(|b| **b == a).count() as u64;
                violated.fetch_add(of(Agreement::Violated), Ordering::Relaxed);
                let all = of(Agreement::Violated) + of(Agreement::Holds);
                decided.fetch_add(all, Ordering::Relaxed);
            }
            Err(difference) => {
                failures.lock().unwrap().push(format!("seed {seed}: {difference:?}"))
            }
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let (decided, violated) = (decided.into_inner(), violated.into_inner());
    println!("{decided} decided, {violated} of them violated");
    if count > 100 {
        assert!(decided * 2 > count, "the oracle decides too few programs");
        assert!(violated * 5 > decided && violated * 5 < decided * 4, "too few of one kind");
    }
}
