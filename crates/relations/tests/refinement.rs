//! Refinement against the definitions, on random systems.
//!
//! The oracle goes through all pairs of sets of states that a trace leads to, on both sides, and
//! compares traces, refusals (all subsets of the alphabet) and divergences one by one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::common::{Random, changed, system};
use linchpin_engine::{Budget, Limit};
use linchpin_lts::{Explicit, TAU, Verdict, Watch};
use linchpin_relations::{
    Reason, Refinement, RefinementOptions, Semantics, confirm, preserving, quotient, refines,
};

const ALL: [Semantics; 4] =
    [Semantics::Trace, Semantics::WeakTrace, Semantics::Failures, Semantics::FailuresDivergences];

type States = BTreeSet<u32>;

fn close(lts: &Explicit, states: &States) -> States {
    let mut all = states.clone();
    loop {
        let next: States = all
            .iter()
            .flat_map(|s| lts.edges(*s))
            .filter(|e| e.label == TAU)
            .map(|e| e.target)
            .collect();
        let before = all.len();
        all.extend(next);
        if all.len() == before {
            return all;
        }
    }
}

fn after(lts: &Explicit, states: &States, text: &str, weak: bool) -> States {
    let steps = states.iter().flat_map(|s| lts.edges(*s));
    let same =
        steps.filter(|e| *lts.labels()[e.label as usize] == *text && !(weak && e.label == TAU));
    let next: States = same.map(|e| e.target).collect();
    if weak { close(lts, &next) } else { next }
}

/// States with silent paths of any length.
fn divergent(lts: &Explicit) -> States {
    let mut left: States = (0..lts.states()).collect();
    for _ in 0..lts.states() {
        let goes_on =
            |s: &u32| lts.edges(*s).iter().any(|e| e.label == TAU && left.contains(&e.target));
        left = left.iter().copied().filter(goes_on).collect();
    }
    left
}

/// What the states of a set can refuse when stable: subsets of the alphabet.
fn refusals(lts: &Explicit, states: &States, alphabet: &[String]) -> BTreeSet<u32> {
    let mut all = BTreeSet::new();
    for s in states {
        let offered: BTreeSet<&str> =
            lts.edges(*s).iter().map(|e| &*lts.labels()[e.label as usize]).collect();
        if lts.edges(*s).iter().any(|e| e.label == TAU) {
            continue;
        }
        for x in 0..1u32 << alphabet.len() {
            let mut refused = (0..alphabet.len()).filter(|i| x >> i & 1 == 1);
            if refused.all(|i| !offered.contains(alphabet[i].as_str())) {
                all.insert(x);
            }
        }
    }
    all
}

fn naive(implementation: &Explicit, specification: &Explicit, semantics: Semantics) -> bool {
    let weak = semantics != Semantics::Trace;
    let mut alphabet: BTreeSet<String> = BTreeSet::new();
    for lts in [implementation, specification] {
        alphabet.extend(lts.labels().iter().skip(usize::from(weak)).map(|l| l.to_string()));
    }
    let alphabet: Vec<String> = alphabet.into_iter().collect();
    let (div_i, div_s) = (divergent(implementation), divergent(specification));
    let start = |lts: &Explicit| {
        let s = States::from([lts.initial()]);
        if weak { close(lts, &s) } else { s }
    };
    let mut seen = BTreeSet::new();
    let mut todo = vec![(start(implementation), start(specification))];
    while let Some((p, q)) = todo.pop() {
        if p.is_empty() || !seen.insert((p.clone(), q.clone())) {
            continue;
        }
        if q.is_empty() {
            return false;
        }
        if semantics == Semantics::FailuresDivergences {
            if !q.is_disjoint(&div_s) {
                continue;
            }
            if !p.is_disjoint(&div_i) {
                return false;
            }
        }
        if matches!(semantics, Semantics::Failures | Semantics::FailuresDivergences)
            && !refusals(implementation, &p, &alphabet).is_subset(&refusals(
                specification,
                &q,
                &alphabet,
            ))
        {
            return false;
        }
        for text in &alphabet {
            todo.push((
                after(implementation, &p, text, weak),
                after(specification, &q, text, weak),
            ));
        }
    }
    true
}

/// The least number of implementation steps to a refusal, with an event, or to the beginning of a divergence that is
/// wrong, by breadth-first search over all pairs.
fn shortest(
    implementation: &Explicit,
    specification: &Explicit,
    semantics: Semantics,
) -> Option<usize> {
    let weak = semantics != Semantics::Trace;
    let strict = semantics == Semantics::FailuresDivergences;
    let (div_i, div_s) = (divergent(implementation), divergent(specification));
    let alphabet: Vec<String> =
        implementation.labels().iter().skip(1).map(|l| l.to_string()).collect();
    let mut q = States::from([specification.initial()]);
    if weak {
        q = close(specification, &q);
    }
    let mut depths = BTreeMap::from([((implementation.initial(), q.clone()), 0)]);
    let mut todo = VecDeque::from([(implementation.initial(), q)]);
    while let Some((s, q)) = todo.pop_front() {
        let depth = depths[&(s, q.clone())];
        if q.is_empty() {
            return Some(depth);
        }
        if strict && !q.is_disjoint(&div_s) {
            continue;
        }
        if strict && div_i.contains(&s) {
            return Some(depth);
        }
        if (strict || semantics == Semantics::Failures)
            && !refusals(implementation, &States::from([s]), &alphabet).is_subset(&refusals(
                specification,
                &q,
                &alphabet,
            ))
        {
            return Some(depth);
        }
        for e in implementation.edges(s) {
            let next = match e.label {
                TAU if weak => q.clone(),
                label => after(specification, &q, &implementation.labels()[label as usize], weak),
            };
            let key = (e.target, next);
            if !depths.contains_key(&key) {
                depths.insert(key.clone(), depth + 1);
                todo.push_back(key);
            }
        }
    }
    None
}

fn decide(i: &Explicit, s: &Explicit, semantics: Semantics, antichain: bool) -> Refinement {
    refines(i, s, semantics, RefinementOptions { antichain }, &Budget::UNLIMITED).unwrap()
}

#[test]
fn verdicts_are_those_of_the_definitions_and_witnesses_are_shortest_and_confirmed() {
    let mut random = Random(6);
    let (mut tally, mut kinds) = (BTreeMap::new(), BTreeMap::new());
    for round in 0..20_000 {
        let visible = 1 + random.below(3);
        let silent = random.below(6);
        let size = 1 + random.below(6);
        let steps = random.below(size * 3 + 1);
        let specification = system(&mut random, size, steps, visible, silent);
        let implementation = match random.below(2) {
            0 => {
                let size = 1 + random.below(6);
                let steps = random.below(size * 2 + 1);
                system(&mut random, size, steps, visible, silent)
            }
            _ => {
                let changes = random.below(3);
                changed(&mut random, &specification, changes)
            }
        };
        for semantics in ALL {
            let expected = naive(&implementation, &specification, semantics);
            let context =
                || format!("round {round} {semantics:?}\n{implementation:?}\n{specification:?}");
            let fast = decide(&implementation, &specification, semantics, true);
            let plain = decide(&implementation, &specification, semantics, false);
            if expected {
                assert!(fast.figures.pairs <= plain.figures.pairs, "{}", context());
            }
            if round % 50 == 0 {
                let options = RefinementOptions::default();
                let workers = 1 + random.below(4) as usize;
                let budget = &Budget { workers, ..Budget::UNLIMITED };
                let again = refines(&implementation, &specification, semantics, options, budget);
                assert_eq!(again.as_ref(), Ok(&fast), "{}", context());
            }
            let same = preserving(semantics);
            let small = |lts| quotient(lts, same, &Budget::UNLIMITED).unwrap();
            let merged = decide(&small(&implementation), &small(&specification), semantics, true);
            assert_eq!(matches!(merged.verdict, Verdict::Holds), expected, "{}", context());
            let least = shortest(&implementation, &specification, semantics);
            for result in [&fast, &plain] {
                match &result.verdict {
                    Verdict::Holds => {
                        assert!(expected, "{}", context());
                        assert_eq!(least, None, "{}", context());
                    }
                    Verdict::Violated(witness) => {
                        assert!(!expected, "{}", context());
                        let confirmed = confirm(
                            &implementation,
                            &specification,
                            semantics,
                            witness,
                            &Watch::NEVER,
                        );
                        assert_eq!(confirmed, Ok(()), "{witness:?} {}", context());
                        // Silent steps at the end of a divergence belong to it.
                        let length = match witness.reason {
                            Reason::Divergence { .. } => {
                                let visible = witness.steps.iter().rposition(|s| s.label != TAU);
                                visible.map_or(0, |last| last + 1)
                            }
                            _ => witness.steps.len(),
                        };
                        assert_eq!(Some(length), least, "{}", context());
                        let kind = u8::from(matches!(witness.reason, Reason::Divergence { .. }));
                        *kinds.entry((semantics as u8, kind)).or_insert(0) += 1;
                    }
                    Verdict::Unknown(limit) => panic!("no limit was set: {limit:?}"),
                }
            }
            *tally.entry((semantics as u8, expected)).or_insert(0) += 1;
        }
    }
    // Both answers are common in every semantics.
    assert_eq!(tally.len(), 8);
    assert!(tally.values().all(|n| *n > 2_000), "{tally:?}");
    // So are both kinds of witnesses where divergences count.
    let strict = Semantics::FailuresDivergences as u8;
    assert!([0, 1].iter().all(|kind| kinds[&(strict, *kind)] > 2_000), "{kinds:?}");
}

#[test]
fn a_corrupted_witness_is_not_confirmed() {
    let mut random = Random(7);
    let mut tried = 0;
    for _ in 0..2_000 {
        let specification = system(&mut random, 5, 8, 2, 3);
        let implementation = changed(&mut random, &specification, 3);
        for semantics in ALL {
            let Verdict::Violated(witness) =
                decide(&implementation, &specification, semantics, true).verdict
            else {
                continue;
            };
            let reject = |w: &linchpin_relations::Witness| {
                assert!(
                    confirm(&implementation, &specification, semantics, w, &Watch::NEVER).is_err(),
                    "{w:?}"
                );
            };
            let mut bad = (*witness).clone();
            bad.initial = vec![77];
            reject(&bad);
            if let Some(step) = bad.steps.last_mut() {
                bad.initial = witness.initial.clone();
                step.state = vec![99];
                reject(&bad);
            }
            if let Reason::Event { allowed } = &witness.reason {
                let mut bad = (*witness).clone();
                bad.steps.pop();
                reject(&bad);
                let mut bad = (*witness).clone();
                let more = allowed.iter().cloned().chain(["zzz".to_string()]).collect();
                bad.reason = Reason::Event { allowed: more };
                reject(&bad);
            }
            tried += 1;
        }
    }
    assert!(tried > 1_000, "{tried}");
}

#[test]
fn limits_end_the_search_without_an_answer() {
    let mut random = Random(8);
    let states = 20_000;
    let big = system(&mut random, states, states * 2, 3, 2);
    let budget = Budget { max_states: Some(50), ..Budget::UNLIMITED };
    for semantics in ALL {
        let result = refines(&big, &big, semantics, RefinementOptions::default(), &budget).unwrap();
        assert_eq!(result.verdict, Verdict::Unknown(Limit::States), "{semantics:?}");
    }
}
