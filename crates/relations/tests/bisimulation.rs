//! Bisimulations against their definitions, on random systems.
//!
//! The oracle for strong and branching bisimulation is the greatest fixed point on pairs of states.
//! That condition is not monotone for divergences; there the oracle is a slow refinement that follows
//! endless silent paths within blocks.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Random, changed, system};
use linchpin_engine::{Budget, Limit, Meter};
use linchpin_lts::{Explicit, TAU, Verdict};
use linchpin_relations::{
    Comparison, Equivalence, RefinementOptions, Semantics, compare, merged, partition, quotient,
    refines, union, weak_trace_normal_form,
};

/// All pairs of states that are related.
type Pairs = Vec<Vec<bool>>;

fn silent(lts: &Explicit, from: u32) -> Vec<u32> {
    let mut seen = vec![from];
    let mut next = 0;
    while next < seen.len() {
        for e in lts.edges(seen[next]) {
            if e.label == TAU && !seen.contains(&e.target) {
                seen.push(e.target);
            }
        }
        next += 1;
    }
    seen
}

/// Can `t` answer every step of `s`?
fn answers(lts: &Explicit, related: &Pairs, s: u32, t: u32, branching: bool) -> bool {
    let is = |a: u32, b: u32| related[a as usize][b as usize];
    lts.edges(s).iter().all(|step| {
        if !branching {
            return lts.edges(t).iter().any(|e| e.label == step.label && is(step.target, e.target));
        }
        if step.label == TAU && is(step.target, t) {
            return true;
        }
        silent(lts, t).into_iter().any(|u| {
            is(s, u)
                && lts.edges(u).iter().any(|e| e.label == step.label && is(step.target, e.target))
        })
    })
}

fn greatest(lts: &Explicit, branching: bool) -> Pairs {
    let n = lts.states() as usize;
    let mut related = vec![vec![true; n]; n];
    loop {
        let mut changed = false;
        for s in 0..n {
            for t in 0..n {
                if related[s][t] {
                    let both = answers(lts, &related, s as u32, t as u32, branching)
                        && answers(lts, &related, t as u32, s as u32, branching);
                    if !both {
                        related[s][t] = false;
                        related[t][s] = false;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return related;
        }
    }
}

/// Branching bisimulation with divergences, by slow refinement.
fn with_divergences(lts: &Explicit) -> Pairs {
    let n = lts.states();
    let mut block = vec![0usize; n as usize];
    loop {
        let inert = |s: u32, t: u32| block[s as usize] == block[t as usize];
        // States with endless silent paths in their blocks.
        let mut endless: BTreeSet<u32> = (0..n).collect();
        for _ in 0..n {
            let goes_on = |s: &u32| {
                let mut edges = lts.edges(*s).iter();
                edges.any(|e| e.label == TAU && inert(*s, e.target) && endless.contains(&e.target))
            };
            endless = endless.iter().copied().filter(goes_on).collect();
        }
        let mut names = BTreeMap::new();
        let mut next = Vec::new();
        for s in 0..n {
            let mut reach = vec![s];
            let mut at = 0;
            while at < reach.len() {
                for e in lts.edges(reach[at]) {
                    if e.label == TAU && inert(s, e.target) && !reach.contains(&e.target) {
                        reach.push(e.target);
                    }
                }
                at += 1;
            }
            let steps = reach.iter().flat_map(|u| lts.edges(*u));
            let outward = steps.filter(|e| e.label != TAU || !inert(s, e.target));
            let signature: BTreeSet<(u32, usize)> =
                outward.map(|e| (e.label, block[e.target as usize])).collect();
            let key = (block[s as usize], signature, endless.contains(&s));
            let name = names.len();
            next.push(*names.entry(key).or_insert(name));
        }
        let stable = names.len() == block.iter().collect::<BTreeSet<_>>().len();
        block = next;
        if stable {
            let row = |s: &usize| block.iter().map(|t| s == t).collect();
            return block.iter().map(row).collect();
        }
    }
}

fn oracle(lts: &Explicit, equivalence: Equivalence) -> Pairs {
    match equivalence {
        Equivalence::Strong => greatest(lts, false),
        Equivalence::Branching => greatest(lts, true),
        Equivalence::DivergenceBranching => with_divergences(lts),
    }
}

const ALL: [Equivalence; 3] =
    [Equivalence::Strong, Equivalence::Branching, Equivalence::DivergenceBranching];

fn random_system(random: &mut Random) -> Explicit {
    let states = 1 + random.below(9);
    let steps = random.below(states * 5 / 2 + 1);
    let (visible, silent) = (1 + random.below(2), random.below(9));
    system(random, states, steps, visible, silent)
}

#[test]
fn blocks_are_the_classes_of_the_definitions() {
    let mut random = Random(11);
    let (mut merged_some, mut split_all) = (0, 0);
    for round in 0..15_000 {
        let lts = random_system(&mut random);
        for equivalence in ALL {
            let expected = oracle(&lts, equivalence);
            let found = partition(&lts, equivalence, &Budget::UNLIMITED).unwrap();
            for (s, row) in expected.iter().enumerate() {
                for (t, related) in row.iter().enumerate() {
                    let same = found.block[s] == found.block[t];
                    assert_eq!(same, *related, "{round} {equivalence:?} {s} {t} {lts:?}");
                }
            }
            let different: BTreeSet<_> = found.block.iter().collect();
            assert_eq!(different.len(), found.blocks as usize);
            match found.blocks < lts.states() {
                true => merged_some += 1,
                false => split_all += 1,
            }
        }
    }
    assert!(merged_some > 10_000 && split_all > 5_000, "{merged_some} {split_all}");
}

#[test]
fn a_quotient_is_equivalent_and_has_no_equivalent_states() {
    let mut random = Random(12);
    for round in 0..4_000 {
        let lts = random_system(&mut random);
        for equivalence in ALL {
            let small = quotient(&lts, equivalence, &Budget::UNLIMITED).unwrap();
            let context = || format!("{round} {equivalence:?}\n{lts:?}\n{small:?}");
            let (both, second) = union(&lts, &small, &mut Meter::new(&Budget::UNLIMITED)).unwrap();
            let related = oracle(&both, equivalence);
            assert!(related[both.initial() as usize][second as usize], "{}", context());
            let own = oracle(&small, equivalence);
            for row in own {
                assert_eq!(row.iter().filter(|r| **r).count(), 1, "{}", context());
            }
            let again = quotient(&small, equivalence, &Budget::UNLIMITED).unwrap();
            assert_eq!((again.states(), again.steps()), (small.states(), small.steps()));
        }
    }
}

#[test]
fn pairs_of_systems_are_compared_as_the_definitions_say() {
    let mut random = Random(13);
    let mut tally = [0; 2];
    for _ in 0..4_000 {
        let first = random_system(&mut random);
        let changes = random.below(3);
        let second = changed(&mut random, &first, changes);
        let (both, other) = union(&first, &second, &mut Meter::new(&Budget::UNLIMITED)).unwrap();
        for equivalence in ALL {
            let found = partition(&both, equivalence, &Budget::UNLIMITED).unwrap();
            let same = found.block[both.initial() as usize] == found.block[other as usize];
            assert_eq!(same, oracle(&both, equivalence)[both.initial() as usize][other as usize]);
            match compare(&first, &second, equivalence, &Budget::UNLIMITED).unwrap() {
                Comparison::Equivalent { .. } => assert!(same),
                Comparison::Different(formula) => {
                    let formula = formula.unwrap();
                    assert!(!same);
                    let context =
                        || format!("{equivalence:?} {:?}\n{first:?}\n{second:?}", formula.lines());
                    assert!(formula.holds(&first), "{}", context());
                    assert!(!formula.holds(&second), "{}", context());
                }
            }
            tally[usize::from(same)] += 1;
        }
    }
    assert!(tally.iter().all(|n| *n > 1_000), "{tally:?}");
}

#[test]
fn the_weak_trace_normal_form_is_deterministic_equivalent_and_minimal() {
    let mut random = Random(14);
    for round in 0..4_000 {
        let lts = random_system(&mut random);
        let workers = 1 + random.below(3) as usize;
        let budget = Budget { workers, ..Budget::UNLIMITED };
        let form = weak_trace_normal_form(&lts, &budget).unwrap();
        let context = || format!("{round}\n{lts:?}\n{form:?}");
        for s in 0..form.states() {
            let edges = form.edges(s);
            assert!(edges.iter().all(|e| e.label != TAU), "{}", context());
            assert!(edges.windows(2).all(|w| w[0].label != w[1].label), "{}", context());
        }
        for (a, b) in [(&lts, &form), (&form, &lts)] {
            let options = RefinementOptions::default();
            let result = refines(a, b, Semantics::WeakTrace, options, &Budget::UNLIMITED).unwrap();
            assert_eq!(result.verdict, Verdict::Holds, "{}", context());
        }
        let own = greatest(&form, false);
        assert!(own.iter().all(|row| row.iter().filter(|r| **r).count() == 1), "{}", context());
    }
}

#[test]
fn larger_systems_keep_the_promised_bounds() {
    // The bounds themselves are assertions of debug builds, inside.
    let mut random = Random(15);
    for (states, degree, silent) in [(30_000, 2, 3), (30_000, 4, 8), (5_000, 20, 5), (60_000, 1, 2)]
    {
        let lts = system(&mut random, states, states * degree, 2, silent);
        for equivalence in ALL {
            let found = partition(&lts, equivalence, &Budget::UNLIMITED).unwrap();
            let small = merged(&lts, &found);
            assert!(small.states() <= found.blocks && found.blocks <= states);
        }
    }
    // A chain, in which every split takes away one state, and a binary tree of chains.
    let chain: Vec<_> = (0..20_000).map(|i| (i, 1, i + 1)).collect();
    let lts = Explicit::new(0, 20_001, vec!["tau".into(), "a".into()], &chain);
    let found = partition(&lts, Equivalence::Strong, &Budget::UNLIMITED).unwrap();
    assert_eq!(found.blocks, 20_001);
    assert!(found.work.signatures < 20_001 * 16, "{:?}", found.work);
}

#[test]
fn a_limit_ends_a_partition() {
    let lts = system(&mut Random(16), 20_000, 40_000, 3, 2);
    let budget = Budget { watch: &|_| Some(Limit::Interrupted), ..Budget::UNLIMITED };
    assert_eq!(partition(&lts, Equivalence::Branching, &budget), Err(Limit::Interrupted));
}
