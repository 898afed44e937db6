//! `#P()`, the number of processes at `P()`: against the slow interpreter, which counts in its own tree.

use crate::common::graph::{bisimilar, library, naive};
use crate::common::naive::Naive;
use crate::common::random::Random;
use crate::sample::count;
use linchpin_csp::{Options, check, load};
use linchpin_lts::Verdict;

/// What a process does. Conditions depend on variables: what is known to hold is no condition.
fn work(random: &mut Random, depth: usize) -> String {
    let of = ["#P()", "#Q()", "#P() + #Q()", "x"][random.below(4)];
    let least = random.below(3);
    if depth == 0 {
        return random.pick(&["P()", "P()", "Q()", "Q()", "Skip", "R(x)"]).into();
    }
    let next = work(random, depth - 1);
    match random.below(12) {
        0 => format!("a -> ({next})"),
        1 => format!("b{{x = {of} % 3;}} -> ({next})"),
        2 => format!("e.({of} % 3) -> ({next})"),
        3 => format!("((b -> ({next})) [] ({}))", work(random, depth - 1)),
        4 => format!("((a -> ({next})) <> ({}))", work(random, depth - 1)),
        5 => format!("if ({of} > {least}) {{ {next} }} else {{ b -> Skip }}"),
        6 => format!("c!({of} % 3) -> ({next})"),
        7 => format!("c?v -> e.v -> ({next})"),
        8 | 9 => format!("[{of} >= {least}] f -> ({next})"),
        10 => format!("[#P() < 2] f -> ({next})"),
        _ => format!("((a -> Skip); ({next}))"),
    }
}

#[test]
fn processes_are_counted_as_the_slow_interpreter_counts_them() {
    let (cases, mut compared, mut reached) = (count(400, 4_000), 0, [0; 2]);
    for seed in 0..cases {
        let mut random = Random::new(seed ^ 0xc0de);
        let bodies: Vec<String> = (0..3)
            .map(|_| {
                let depth = 1 + random.below(3);
                work(&mut random, depth)
            })
            .collect();
        let op = ["|||", "|||", "||", ";"][random.below(4)];
        let root = [
            format!("P() {op} Q() {op} P()"),
            format!("(P() {op} P()) \\ {{a, f}}"),
            format!("(P() interrupt Q()) {op} R(1)"),
            "(P() ||| Q()); P()".to_string(),
            "P() ||| P() ||| P()".to_string(),
            "P() ||| atomic { Q() }".to_string(),
        ][random.below(6)]
        .clone();
        let most = random.below(4);
        let text = format!(
            "var x = 0; channel c 0;
             #define many #P() + #Q() > {most};
             P() = a -> ({}); Q() = b -> ({}); R(i) = e.i -> ({}); S() = {root};
             #assert S() reaches many; #assert S() deadlockfree; #assert S() |= [] !many;",
            bodies[0], bodies[1], bodies[2]
        );
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        let slow = Naive { model: model.tree() };
        let Ok(Some(slow)) = naive(&slow, slow.process("S", &[]), 500) else { continue };
        let system = model.system("S").expect("there is S").unwrap_or_else(|t| panic!("{t:?}"));
        let fast = match library(&system, 1_000) {
            Err(t) if t.message.contains("is not supported") => continue,
            fast => fast.unwrap_or_else(|t| panic!("{t:?}\n{text}")),
        };
        assert!(fast.is_some_and(|fast| bisimilar(&slow, &fast)), "seed {seed}\n{text}");
        let many = slow.values.iter().any(|v| v["#P"] + v.get("#Q").unwrap_or(&0) > most as i64);
        let expected = [many, !slow.deadlock(), !many];
        for (assertion, expected) in expected.into_iter().enumerate() {
            for (order, equal) in [(true, true), (false, false), (true, false)] {
                let options = Options { order, equal, ..Options::DEFAULT };
                let report = check(&model, assertion, &options);
                let what = format!("seed {seed}, {assertion}: {:?}\n{text}", report.verdict);
                assert_eq!(report.verdict == Ok(Verdict::Holds), expected, "{what}");
                assert!(report.verdict.is_ok(), "{what}");
            }
        }
        compared += 1;
        reached[usize::from(many)] += 1;
    }
    println!("{compared} of {cases}, reached {reached:?}");
    assert!(
        compared > cases / 2 && reached.iter().all(|n| *n > cases / 10),
        "{compared} {reached:?}"
    );
}

#[test]
fn readers_are_counted_in_a_guard() {
    let text = |guard: &str| {
        format!(
            "#define reading #Reading();
             var writing = false; var bad = false;
             Writer() = [{guard}!writing] start{{writing = true; if (reading > 0) {{bad = true;}}}}
                 -> stop{{writing = false;}} -> Writer();
             Reader() = [!writing] startread -> Reading();
             Reading() = stopread -> Reader();
             S() = |||{{3}}@(Reader() ||| Writer());
             #assert S() reaches bad; #assert S() reaches three;
             #define three #Reading() == 3;"
        )
    };
    let holds = |text: &str, assertion: usize| {
        let model = load(text).unwrap_or_else(|d| panic!("{d:#?}")).model;
        check(&model, assertion, &Options::DEFAULT).verdict
    };
    assert_eq!(holds(&text("reading == 0 && "), 0), Ok(Verdict::Violated(())));
    assert_eq!(holds(&text(""), 0), Ok(Verdict::Holds));
    assert_eq!(holds(&text("reading == 0 && "), 1), Ok(Verdict::Holds));
}

#[test]
fn what_cannot_be_counted_is_refused_by_name() {
    let message = |text: &str| match load(text) {
        Err(diagnostics) => diagnostics[0].message.clone(),
        Ok(loaded) => match loaded.model.system("S").expect("there is S") {
            Err(trouble) => trouble.message,
            Ok(_) => panic!("{text}"),
        },
    };
    for (text, expected) in [
        ("S() = [#P() > 0] a -> Stop;", "there is no process `P`"),
        (
            "P(i) = a -> P(i); S() = [#P() > 0] a -> Stop;",
            "counting `P`, which has parameters, is not supported",
        ),
        ("P() = a -> P(); var x = #P(); S() = P();", "processes are counted only where they run"),
        (
            "P() = Skip; S() = [#P() > 0] a -> Stop;",
            "`#P()`: a process that does nothing cannot be counted",
        ),
        (
            "P() = Q() ||| Q(); Q() = a -> Q(); S() = [#P() > 0] a -> Stop;",
            "`#P()`: a process that is made of others cannot be counted",
        ),
        (
            "P() = a -> P(); S() = (|||{..}@P()) ||| [#P() > 0] a -> Stop;",
            "`#P()` of a process of which there are as many as one likes",
        ),
        (
            "#define n #P(); P() = a{n = 2;} -> P(); S() = P();",
            "`n` cannot be assigned: it is not a variable",
        ),
        (
            "var x; #define n x; P() = a{n = 2;} -> P(); S() = P();",
            "`n` cannot be assigned: it is not a variable",
        ),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
}
