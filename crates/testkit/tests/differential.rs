//! The checker agrees with brute force on random programs, whatever reductions are on.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many (3000 by default), from
//! `LINCHPIN_FROM=n` on; `LINCHPIN_SUBSETS=all` tries every subset of the reductions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{Agreement, compare};
use linchpin_testkit::{generate, minimise};

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
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let (first, count) = match number("LINCHPIN_SEED") {
        Some(seed) => (seed, 1),
        None => (number("LINCHPIN_FROM").unwrap_or(1), number("LINCHPIN_COUNT").unwrap_or(3000)),
    };
    let limits = Limits { states: 30_000, histories: 8_000 };
    let next = AtomicU64::new(first);
    let tally = Mutex::new([0u32; 5]);
    let failure = Mutex::new(None::<(u64, String)>);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count || failure.lock().unwrap().is_some() {
                        break;
                    }
                    let text = generate::program(seed);
                    match compare(&text, &subsets(seed), limits) {
                        Ok(agreements) => {
                            let mut tally = tally.lock().unwrap();
                            for a in agreements {
                                tally[a as usize] += 1;
                            }
                        }
                        Err(difference) => {
                            *failure.lock().unwrap() = Some((seed, format!("{difference:?}")));
                        }
                    }
                }
            });
        }
    });
    if let Some((seed, what)) = failure.into_inner().unwrap() {
        let text = generate::program(seed);
        let small = minimise(&text, |t: &str| {
            compare(t, &subsets(seed), limits)
                .is_err_and(|d| !d.what.starts_with("the text does not load"))
        });
        panic!("seed {seed} (run again with LINCHPIN_SEED={seed}): {what}\n{small}");
    }
    let tally = tally.into_inner().unwrap();
    let of = |a: Agreement| tally[a as usize];
    println!(
        "{} hold, {} violated, {} too big for the oracle, {} open, {} without specification",
        of(Agreement::Holds),
        of(Agreement::Violated),
        of(Agreement::TooBig),
        of(Agreement::Open),
        of(Agreement::BadSpecification)
    );
    if count > 100 {
        let decided = of(Agreement::Holds) + of(Agreement::Violated);
        assert!(of(Agreement::Holds) * 5 > decided, "too few programs hold");
        assert!(of(Agreement::Violated) * 5 > decided, "too few programs are violated");
        assert!(u64::from(decided) * 2 > count, "the oracle decides too few programs");
    }
}
