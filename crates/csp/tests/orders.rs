//! The order in which states are looked at makes no difference to verdicts: random models with thousands of states.

use crate::common::random::Random;
use crate::sample::count;
use linchpin_csp::{Failure, Model, Options, Report, Search, check, load};
use linchpin_engine::Budget;
use linchpin_ltl::Fairness;
use linchpin_lts::Verdict;

fn cases() -> u64 {
    count(12, 300)
}

/// Three numbers, changed by events that have conditions, in one process or in three.
fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = "var v[3];\n".to_string();
    let n = 12 + random.below(8);
    let mut event = |k: usize, place: usize| {
        let (a, b, c) = (random.below(3), random.below(3), random.below(n));
        let other = (place + 1 + random.below(2)) % 3;
        let condition = match random.below(if seed.is_multiple_of(3) { 3 } else { 5 }) {
            0 => format!("v[{a}] <= v[{b}]"),
            1 => format!("v[{a}] != {c}"),
            2 => format!("v[{a}] < {c}"),
            _ => "true".to_string(),
        };
        let change = match random.below(4) {
            0 => format!("v[{place}] = (v[{place}] + v[{other}] + 1) % {n};"),
            1 => format!("v[{place}] = (v[{place}] + {}) % {n};", 1 + random.below(n)),
            2 => format!("v[{place}] = (v[{other}] * 2 + {}) % {n};", random.below(n)),
            _ => format!("v[{place}] = (v[{place}] + 1) % {n};"),
        };
        format!("[{condition}] e{k}{{{change}}} -> Next")
    };
    let events: Vec<String> = (0..6).map(|k| event(k, k % 3)).collect();
    text += &match seed % 2 {
        0 => format!("S() = {};\n", events.join(" [] ").replace("Next", "S()")),
        _ => {
            let part = |k: usize| {
                let two = [events[k].clone(), events[k + 3].clone()].join(" [] ");
                format!("P{k}() = {};\n", two.replace("Next", &format!("P{k}()")))
            };
            format!("{}{}{}S() = P0() ||| P1() ||| P2();\n", part(0), part(1), part(2))
        }
    };
    let (x, y, z) = (random.below(n), random.below(n), random.below(n));
    text += &format!("#define goal v[0] == {x} && v[1] == {y} && v[2] == {z};\n");
    text += &format!("#define edge v[0] == {x} && v[1] == {y};\n");
    text
}

const CLAIMS: [&str; 7] = [
    "S deadlockfree",
    "S nonterminating",
    "S reaches goal",
    "S |= []<> e0",
    "S |= [](e1 -> <> e2)",
    "S |= <> edge",
    "S |= <>[] (! e3)",
];

fn decide(
    model: &Model,
    claim: usize,
    fairness: Fairness,
    search: Search,
    workers: usize,
) -> Report {
    let budget = Budget { workers, ..Budget::UNLIMITED };
    check(model, claim, &Options { budget, fairness, search, ..Options::DEFAULT })
}

#[test]
fn verdicts_do_not_depend_on_it() {
    let (mut shown, mut deep, mut large) = ([0; CLAIMS.len()], 0, 0);
    for seed in 0..cases() {
        let mut text = model(seed);
        for claim in CLAIMS {
            text += &format!("#assert {claim};\n");
        }
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        for (claim, name) in CLAIMS.iter().enumerate() {
            let fairness = match claim > 2 {
                true => Fairness::ALL[(seed % 6) as usize],
                false => Fairness::None,
            };
            let breadth = decide(&model, claim, fairness, Search::Breadth, 1);
            large += u64::from(breadth.statistics.states > 1_024);
            for search in [Search::Depth, Search::Random, Search::Auto] {
                let other = decide(&model, claim, fairness, search, 1);
                let what =
                    || format!("seed {seed}, {name}, {search:?}: {other:#?}\n{breadth:#?}\n{text}");
                assert_eq!(other.verdict, breadth.verdict, "{}", what());
                assert!(!matches!(other.verdict, Err(Failure::Defect(_))), "{}", what());
                let length = |r: &Report| r.witness.as_ref().map(|w| w.steps.len());
                assert_eq!(length(&other).is_some(), length(&breadth).is_some(), "{}", what());
                if claim < 3 {
                    assert!(
                        length(&other) >= length(&breadth),
                        "shorter than shortest: {}",
                        what()
                    );
                    assert!(other.deep || length(&other) == length(&breadth), "{}", what());
                }
                assert!(!breadth.deep && breadth.others == 0);
                assert_eq!(other.deep, !other.notes.is_empty(), "{}", what());
                deep += u64::from(other.deep || other.statistics != breadth.statistics);
                if search == Search::Auto && seed.is_multiple_of(4) {
                    let more = decide(&model, claim, fairness, search, 3);
                    assert_eq!(format!("{other:?}"), format!("{more:?}"), "workers, {}", what());
                }
            }
            shown[claim] += u64::from(breadth.witness.is_some());
            assert!(!matches!(breadth.verdict, Ok(Verdict::Unknown(_))));
        }
    }
    println!("shown {shown:?}, another search {deep}, large {large}");
    assert!(shown.iter().filter(|&&n| n > 0).count() > 4, "{shown:?}");
    assert!(deep > cases() && large > cases(), "{deep} {large}");
}

/// A puzzle: so many moves, each of which has to be right, and much else that can be done.
const DEEP: &str = "var place = 0; var other[9];
    Right(k) = [place == k] right.k{place = k + 1;} -> Right(k + 1);
    Wrong(i) = wrong.i{other[i] = (other[i] + 1) % 7;} -> Wrong(i);
    S() = (|||i:{0..8}@Wrong(i)) ||| Right(0);
    #define there place == 40;
    #assert S reaches there;";

#[test]
fn what_lies_deep_is_found_and_the_report_says_whether_it_is_shortest() {
    let model = load(DEEP).expect("a model").model;
    let budget = Budget { max_states: Some(20_000), ..Budget::UNLIMITED };
    let options = Options { budget, order: false, ..Options::DEFAULT };
    let breadth = check(&model, 0, &Options { search: Search::Breadth, ..options });
    assert!(matches!(breadth.verdict, Ok(Verdict::Unknown(_))), "{:?}", breadth.verdict);
    let auto = check(&model, 0, &options);
    assert_eq!(auto.verdict, Ok(Verdict::Holds));
    let steps = auto.witness.expect("a way").steps.len();
    assert!((40..2_000).contains(&steps), "{steps}");
    assert!(auto.deep && auto.notes.len() == 1, "{:?}", auto.notes);
    // Breadth first beside it, and once more for a shorter one.
    assert!(auto.others > 20_000 && auto.others > auto.statistics.nodes, "{}", auto.others);
}

/// Philosophers of whom one eats no more when forty meals have been eaten: millions of states breadth first.
const FULL: &str = "var fork[9]; var meals = 0;
    Phil(i) = think.i -> [fork[i] == 0] left.i{fork[i] = 1} ->
        [fork[(i + 1) % 9] == 0] right.i{fork[(i + 1) % 9] = 1} ->
        eat.i{if (meals < 40) {meals = meals + 1;}} ->
        put.i{fork[i] = 0; fork[(i + 1) % 9] = 0} -> Phil(i);
    S() = |||i:{0..8}@Phil(i);
    #define full meals == 40;
    #assert S() |= [](full -> <>eat.0);";

#[test]
fn a_violation_of_a_formula_that_lies_deep_is_found_on_any_number_of_workers() {
    let model = load(FULL).expect("a model").model;
    let reports = [1, 2, 4].map(|n| decide(&model, 0, Fairness::None, Search::Auto, n));
    assert_eq!(reports[0].verdict, Ok(Verdict::Violated(())));
    let looked = reports[0].statistics.nodes + reports[0].others;
    assert!(reports[0].deep && looked < 100_000, "{looked}");
    for other in &reports[1..] {
        assert_eq!(format!("{other:?}"), format!("{:?}", reports[0]));
    }
}
