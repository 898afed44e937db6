//! The random texts: all of them load, and their verdicts are mixed enough to be worth comparing.

use std::collections::BTreeMap;

use linchpin_testkit::brute::{self, Limits, Verdict};
use linchpin_testkit::generate;

const SEEDS: u64 = 300;

#[test]
fn every_text_loads() {
    for seed in generate::seeds(0, SEEDS, 3 * SEEDS) {
        let text = generate::program(seed);
        if let Err(diagnostics) = linchpin_lin::syntax::load(&text, &[]) {
            panic!("LINCHPIN_SEED={seed}\n{text}\n{diagnostics:#?}");
        }
    }
}

/// Memory that is given back, with a bound on the heap or with links to fields of nodes.
#[test]
fn a_quarter_of_the_texts_reuse_nodes_under_a_bound_or_with_links() {
    let [mut bounded, mut linked, mut locked, mut either] = [0; 4];
    let count = 3 * SEEDS;
    for seed in 0..count {
        let text = generate::program(seed);
        if !text.contains("memory manual") && !text.contains("memory stable") {
            continue;
        }
        let bound = text.lines().any(|line| line.trim().starts_with("heap "));
        let link = ["val", "next", "cell"].iter().any(|field| {
            let whole = format!(".{field})");
            let element = format!(".{field}[");
            text.lines().any(|l| {
                l.split_once("= ll(")
                    .is_some_and(|(_, place)| place.ends_with(&whole) || place.contains(&element))
            })
        });
        bounded += u64::from(bound);
        linked += u64::from(link);
        locked += u64::from(text.contains("lock(") && text.contains(".l)"));
        either += u64::from(bound || link);
    }
    println!(
        "of {count} texts with memory to reuse, {either} count: {bounded} bounded, {linked} linked, {locked} locked"
    );
    assert!(either * 4 >= count, "only {either} of {count}");
    assert!(bounded * 10 >= count && linked * 10 >= count && locked * 20 >= count);
}

#[test]
fn texts_depend_on_the_seed_only() {
    assert_eq!(generate::program(5), generate::program(5));
    assert_ne!(generate::program(5), generate::program(6));
}

#[test]
fn both_verdicts_are_frequent_and_few_texts_are_too_big() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut violated = 0;
    let seeds = generate::seeds(0, SEEDS, SEEDS);
    for &seed in &seeds {
        let text = generate::program(seed);
        let Ok(loaded) = linchpin_lin::syntax::load(&text, &[]) else {
            continue;
        };
        let verdict =
            brute::decide(&loaded.program, 0, Limits { states: 60_000, histories: 20_000 });
        if verdict.bad_spec && !verdict.is_violated() {
            *counts.entry("bad specification").or_default() += 1;
            continue;
        }
        violated += usize::from(verdict.is_violated());
        let word = match verdict.verdict() {
            Verdict::Holds => "holds",
            Verdict::NotLinearizable(_) => "not linearizable",
            Verdict::Fault(kind) => kind.name(),
            Verdict::Deadlock => "deadlock",
            Verdict::TooBig => "too big",
        };
        *counts.entry(word).or_default() += 1;
    }
    println!("{counts:#?}");
    if seeds.len() as u64 == SEEDS {
        let share = |n: usize| n * 100 / seeds.len();
        assert!((30..=60).contains(&share(violated)), "{counts:#?}");
        assert!(share(counts["holds"]) >= 30, "{counts:#?}");
        assert!(share(counts.get("too big").copied().unwrap_or(0)) <= 15, "{counts:#?}");
        for kind in ["deadlock", "assertion", "use_after_free", "unlock_not_held"] {
            assert!(counts.contains_key(kind), "no {kind}: {counts:#?}");
        }
    }
}
