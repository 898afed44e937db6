//! Questions about two systems: merged states change no answer, and what tells systems apart is one of
//! their paths, or a formula.

use crate::common::{Random, changed, system};
use linchpin_engine::Budget;
use linchpin_lts::{Explicit, Verdict, Watch};
use linchpin_relations::{
    Comparison, Equivalence, Evidence, Semantics, Source, bisimilar, compare, confirm, histories,
    merged_refinement, refinement,
};

const ALL: [Semantics; 4] =
    [Semantics::Trace, Semantics::WeakTrace, Semantics::Failures, Semantics::FailuresDivergences];

/// Random pairs that are often related.
fn pairs() -> impl Iterator<Item = (u64, Explicit, Explicit)> {
    (0..400).map(|seed| {
        let mut random = Random(seed);
        let (states, steps) = (2 + random.below(6), 2 + random.below(12));
        let first = system(&mut random, states, steps, 2, 4);
        let changes = random.below(3);
        let second = changed(&mut random, &first, changes);
        (seed, first, second)
    })
}

#[test]
fn refinement_of_merged_states_is_refinement() {
    let (mut holds, mut violated) = (0, 0);
    for (seed, first, second) in pairs() {
        for semantics in ALL {
            let budget = &Budget::UNLIMITED;
            let fly = |a, b| refinement(a, b, semantics, budget).expect("it is decided").verdict;
            let (forth, back) = (fly(&first, &second), fly(&second, &first));
            let merged = |both| {
                let found = merged_refinement(&first, &second, semantics, both, budget);
                found.expect("it is decided").verdict
            };
            let context = format!("seed {seed}, {semantics:?}");
            assert_eq!(merged(false).holds(), forth.holds(), "{context}");
            assert_eq!(merged(true).holds(), forth.holds() && back.holds(), "{context}");
            match merged(true) {
                Verdict::Violated(Evidence::Path { of, witness }) => {
                    let systems = [&first, &second];
                    let confirmed =
                        confirm(systems[of], systems[1 - of], semantics, &witness, &Watch::NEVER);
                    assert_eq!(confirmed, Ok(()), "{context}");
                    violated += 1;
                }
                Verdict::Holds => holds += 1,
                other => panic!("{context}: {other:?}"),
            }
        }
    }
    assert!(holds > 300 && violated > 300, "{holds} {violated}");
}

#[test]
fn histories_are_weak_traces_and_bisimilar_systems_have_the_same() {
    let (mut bisimilar, mut equal, mut more) = (0, 0, 0);
    for (seed, first, second) in pairs() {
        let budget = &Budget::UNLIMITED;
        let sources = [Source::Computed(&first), Source::Whole(&second)];
        let (found, _) = histories(sources, budget).expect("it is decided");
        let weak = |a, b| refinement(a, b, Semantics::WeakTrace, budget).expect("it is decided");
        assert_eq!(found.verdict().holds(), weak(&first, &second).verdict.holds(), "seed {seed}");
        assert_eq!(found.included[1].holds(), weak(&second, &first).verdict.holds());
        let same = found.included.iter().all(Verdict::holds);
        assert!(found.bisimilar.is_none() || same, "seed {seed}");
        bisimilar += usize::from(found.bisimilar.is_some());
        equal += usize::from(same && found.bisimilar.is_none());
        more += usize::from(!same);
    }
    assert!(bisimilar > 30 && equal > 5 && more > 30, "{bisimilar} {equal} {more}");
}

#[test]
fn a_formula_that_nobody_can_read_gives_way_to_a_path() {
    let (mut paths, mut formulas) = (0, 0);
    for (seed, first, second) in pairs() {
        for equivalence in [Equivalence::Strong, Equivalence::Branching] {
            let budget = &Budget::UNLIMITED;
            let known = compare(&first, &second, equivalence, budget).expect("it is decided");
            let same = matches!(known, Comparison::Equivalent { .. });
            let ask = |readable: bool| {
                let found = bisimilar(&first, &second, equivalence, &|_| readable, budget);
                found.expect("it is decided").verdict
            };
            assert_eq!(ask(true).holds(), same, "seed {seed}");
            match ask(false) {
                Verdict::Violated(Evidence::Path { .. }) => paths += 1,
                // Both have the same paths.
                Verdict::Violated(Evidence::Formula(_)) => formulas += 1,
                verdict => assert!(same && verdict.holds(), "seed {seed}"),
            }
        }
    }
    assert!(paths > 30 && formulas > 5, "{paths} {formulas}");
}
