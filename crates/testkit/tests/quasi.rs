//! Quasi linearizability: the rules against the oracle, and the histories of the paper.

use linchpin_testkit::quasi::{Shape, Tally, compare};

fn agree(seeds: std::ops::Range<u64>, shape: Shape) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        match compare(seed, shape) {
            Ok(one) => tally.add(&one),
            Err(difference) => panic!("{difference}"),
        }
    }
    println!("{shape:?}: {tally:?}");
    tally
}

#[test]
fn the_rules_agree_with_the_definition_on_complete_histories() {
    let tally = agree(0..1500, Shape { operations: 7, further: None });
    assert!(
        tally.ended * 5 > tally.complete && tally.ended * 20 < tally.complete * 19,
        "{tally:?}"
    );
    assert!(tally.relaxed > 100 && tally.literal_only > 10, "{tally:?}");
}

#[test]
fn the_rules_agree_with_the_definition_on_histories_that_go_on() {
    let tally = agree(100_000..101_500, Shape { operations: 4, further: Some(3) });
    assert!(tally.accepted + 40 < tally.prefixes, "{tally:?}");
}
