//! `|||{..}@P`, as many processes as one likes: bisimilar to one more than can be busy at a time, which the slow
//! interpreter has one by one.

use crate::common::graph::{bisimilar, library, naive};
use crate::common::naive::Naive;
use crate::common::random::Random;
use crate::sample::count;
use linchpin_csp::{Options, check, load};
use linchpin_engine::Budget;
use linchpin_lts::Verdict;

/// What a process does while it is busy.
fn work(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.pick(&["Skip", "Skip", "Skip", "Stop"]).into();
    }
    let value = ["x", "0", "1", "(x + 1) % 3"][random.below(4)];
    let next = work(random, depth - 1);
    match random.below(10) {
        0 => format!("a -> ({next})"),
        1 => format!("e.{value}{{x = {value};}} -> ({next})"),
        2 => format!("tau{{x = {value};}} -> ({next})"),
        3 => format!("((b -> ({next})) [] ({}))", work(random, depth - 1)),
        4 => format!("((a -> ({next})) <> ({}))", work(random, depth - 1)),
        5 => format!("if (x == {value}) {{ {next} }} else {{ b -> Skip }}"),
        6 => format!("c!{value} -> ({next})"),
        7 => format!("c?v -> e.v -> ({next})"),
        8 => format!("[x != {value}] ({next})"),
        _ => format!("((a -> Skip) ||| ({next}))"),
    }
}

fn compare(text: &str) -> bool {
    let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
    let system = model.system("S").expect("there is S").unwrap_or_else(|t| panic!("{t:?}\n{text}"));
    let slow = Naive { model: model.tree() };
    let Ok(Some(slow)) = naive(&slow, slow.process("T", &[]), 1_500) else { return false };
    let fast = library(&system, 1_500).unwrap_or_else(|t| panic!("{t:?}\n{text}"));
    let fast = fast.unwrap_or_else(|| panic!("too large\n{text}"));
    assert!(bisimilar(&slow, &fast), "{text}");
    true
}

#[test]
fn one_more_than_can_be_busy_is_as_many_as_one_likes() {
    let (cases, mut compared) = (count(150, 2_000), 0);
    for seed in 0..cases {
        let mut random = Random::new(seed ^ 0x3a11);
        let depth = 1 + random.below(3);
        let work = work(&mut random, depth);
        let beside = random.pick(&["", " ||| Other()", " ||| P()"]);
        let text = format!(
            "var n = 0; var x = 0; channel c 0;
             P() = [n < 2] begin{{n = n + 1;}} -> ({work}); tau{{n = n - 1;}} -> P();
             Other() = a -> c!2 -> Other() [] tau{{x = 0;}} -> Skip;
             S() = (|||{{..}}@P()){beside};
             T() = P() ||| P() ||| P(){beside};"
        );
        compared += u64::from(compare(&text));
    }
    println!("{compared} of {cases}");
    assert!(compared > cases / 2, "{compared} of {cases}");
}

#[test]
fn two_that_have_not_begun_communicate() {
    assert!(compare(
        "var n = 0; channel c 0;
         P() = [n == 0] c!1{n = 2;} -> a{n = n - 1;} -> P()
            [] [n == 0] c?v -> b.v{n = n - 1;} -> P();
         S() = |||{..}@P();
         T() = P() ||| P() ||| P() ||| P();"
    ));
}

#[test]
fn a_process_of_several_is_taken_back_as_a_whole() {
    assert!(compare(
        "var n = 0;
         A() = [n < 1] a{n = n + 1;} -> b{n = n - 1;} -> A();
         B() = [n < 1] d{n = n + 1;} -> e{n = n - 1;} -> B();
         S() = |||{..}@(A() ||| B());
         T() = A() ||| B() ||| A() ||| B();"
    ));
}

#[test]
fn more_and_more_busy_ones_are_too_many() {
    let text = "P() = a -> b -> P(); S() = |||{..}@P(); #assert S() deadlockfree;";
    let model = load(text).unwrap_or_else(|d| panic!("{d:#?}")).model;
    let budget = Budget { max_states: Some(100_000), ..Budget::UNLIMITED };
    let report = check(&model, 0, &Options { budget, ..Options::DEFAULT });
    assert!(!matches!(report.verdict, Ok(Verdict::Holds | Verdict::Violated(()))), "{report:?}");
}
