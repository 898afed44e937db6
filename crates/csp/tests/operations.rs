//! Events as invocations and responses: verdicts are the same with and without, and specifications
//! that are not of operations are refused.

use crate::common::random::Random;
use crate::sample::count;
use linchpin_csp::{Operations, Options, Report, check, load};
use linchpin_lts::Verdict;

fn operations() -> Operations {
    let names = |list: &[&str]| list.iter().map(|n| n.to_string()).collect();
    Operations { invocations: names(&["inv", "get"]), responses: names(&["res", "got"]) }
}

fn decide(text: &str, number: usize, operations: Option<&Operations>) -> Report {
    let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
    check(&model, number, &Options { operations, ..Options::DEFAULT })
}

/// A step of an operation.
fn step(random: &mut Random) -> String {
    let list = [
        "tau{l[i] = x;}",
        "tau{x = l[i] + 1;}",
        "tau{x = (x + 1) % 4;}",
        "tau{l[i] = l[i] + 1;}",
        "tau{l[i] = x; x = (x + 1) % 4;}",
        "tau",
        "tau{if (x < 3) { x = x + 1; } l[i] = x;}",
        "tau{l[i] = 0;}",
    ];
    list[random.below(list.len())].to_string()
}

fn body(random: &mut Random) -> String {
    let count = 1 + random.below(3);
    let steps: Vec<String> = (0..count).map(|_| step(random)).collect();
    let rest = steps.join(" -> ");
    match random.below(6) {
        0 => {
            format!("{rest} -> ifa (l[i] == x) {{ tau{{x = 0;}} -> Skip }} else {{ tau -> Skip }}")
        }
        1 => format!("[x < 3] {rest} -> Skip"),
        2 => format!("{rest} -> if (x > 1) {{ tau{{l[i] = 1;}} -> Skip }} else {{ Skip }}"),
        _ => format!("{rest} -> Skip"),
    }
}

/// An object with two operations, and a specification: another one, or its own operations in one step.
fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let n = 2 + random.below(2);
    let ops = 1 + random.below(2);
    let (f, g) = (body(&mut random), body(&mut random));
    let one = |random: &mut Random| {
        let list = [
            "tau{if (y < 3) { y = y + 1; } m[i] = y;}",
            "tau{m[i] = y;}",
            "tau{y = (y + 1) % 4; m[i] = y;}",
            "tau{m[i] = y; y = (y + 1) % 4;}",
            "tau{m[i] = 1;}",
            "(tau{m[i] = 0;} -> Skip [] tau{m[i] = 1;} -> Skip [] tau{m[i] = 2;} -> Skip [] tau{m[i] = 3;} -> Skip [] tau{m[i] = 4;} -> Skip); tau",
            "(tau{m[i] = y;} -> Skip [] tau{y = (y + 1) % 4; m[i] = y;} -> Skip [] tau{m[i] = 0;} -> Skip); tau",
        ];
        // Often one that allows much.
        list[(random.below(3) * 7 + random.below(7)).min(5 + random.below(2))].to_string()
    };
    let (a, b) = (one(&mut random), one(&mut random));
    let shared = if random.below(6) == 0 { "{z = 1;}" } else { "" };
    format!(
        "var x = 0; var l[3]; var y = 0; var m[3]; var z = 0;\n\
         F(i) = inv.i{shared} -> ({f}); res.i.l[i] -> Skip;\n\
         G(i) = get.i -> ({g}); got.i.l[i]{{l[i] = 0;}} -> Skip;\n\
         P(i, k) = ifa (k == 0) {{ Skip }} else {{ (F(i) [] G(i)); P(i, k - 1) }};\n\
         S() = ||| i:{{0..{last}}} @ P(i, {ops});\n\
         A(i) = inv.i -> {a} -> res.i.m[i] -> Skip;\n\
         B(i) = get.i -> {b} -> got.i.m[i]{{m[i] = 0;}} -> Skip;\n\
         Q(i, k) = ifa (k == 0) {{ Skip }} else {{ (A(i) [] B(i)); Q(i, k - 1) }};\n\
         T() = ||| i:{{0..{last}}} @ Q(i, {ops});\n\
         #assert S refines T;\n",
        last = n - 1,
    )
}

#[test]
fn verdicts_are_the_same() {
    let cases = count(80, 300);
    let operations = operations();
    let (mut holds, mut violated, mut used, mut with, mut without) = (0, 0, 0, 0, 0);
    for seed in 0..cases {
        let text = model(seed);
        let plain = decide(&text, 0, None);
        let told = decide(&text, 0, Some(&operations));
        assert_eq!(plain.verdict, told.verdict, "seed {seed}\n{text}\n{:?}", told.notes);
        assert_eq!(plain.witness.is_some(), told.witness.is_some(), "seed {seed}\n{text}");
        match plain.verdict {
            Ok(Verdict::Holds) => holds += 1,
            Ok(Verdict::Violated(())) => violated += 1,
            _ => continue,
        }
        if told.notes.is_empty() {
            used += 1;
            if plain.verdict == Ok(Verdict::Holds) {
                with += told.statistics.nodes;
                without += plain.statistics.nodes;
            }
        }
    }
    println!(
        "{holds} hold, {violated} violated, {used} with operations: {with} of {without} pairs"
    );
    assert!(holds > cases / 10 && violated > cases / 10, "{holds}, {violated}");
    assert!(used > cases / 2 && with * 10 < without * 8, "{used}, {with} of {without}");
}

#[test]
fn specifications_that_are_not_of_operations_are_refused() {
    let start = "var y = 0; var m[2]; channel c 1;\n";
    let end = "S() = P(0) ||| P(1); #assert S refines S;";
    for (process, why) in [
        ("P(i) = inv.i -> tau{y = 1;} -> res.i -> P(i);", None),
        ("P(i) = inv.i{y = 1;} -> res.i -> P(i);", Some("shares variables")),
        ("P(i) = inv.i -> tau{y = i;} -> res.i.y -> P(i);", Some("shares variables")),
        ("P(i) = inv.i -> res.i -> tau{y = 1;} -> P(i);", Some("shares variables")),
        ("P(i) = inv.i -> inv.i -> res.i -> P(i);", Some("inside of an operation")),
        ("P(i) = res.i -> P(i);", Some("without invocation")),
        ("P(i) = inv.i -> other -> res.i -> P(i);", Some("neither invocation nor response")),
        ("P(i) = inv -> res -> P(i);", Some("events of several processes")),
        ("P(i) = inv.i -> c!1 -> res.i -> P(i);", Some("uses channels")),
        ("P(i) = atomic { inv.i -> res.i -> Skip }; P(i);", Some("atomic")),
        ("P(i) = inv.i -> (inv.i -> Stop ||| res.i -> Stop);", Some("starts other processes")),
    ] {
        let text = format!("{start}{process}{end}\nX() = inv.7 -> get -> got -> X();");
        let report = decide(&text, 0, Some(&operations()));
        let notes = report.notes.join(" ");
        match why {
            None => assert_eq!(notes, "", "{text}"),
            Some(why) => assert!(notes.contains(why), "{text}\n{notes}"),
        }
    }
}

#[test]
fn what_an_order_shows_is_not_lost() {
    let reader = "G(i) = get.i -> tau{l[i] = x;} -> got.i.l[i] -> Stop;
        B(i) = get.i -> tau{m[i] = y;} -> got.i.m[i] -> Stop;";
    for (what, text) in [
        (
            "an invocation after which nothing can be done",
            "F(i) = inv.i -> [x == 1] tau -> res.i -> Stop; S() = F(0) ||| F(1);
             A(i) = inv.i -> tau -> res.i -> Stop; T() = A(0) ||| B(1);",
        ),
        (
            "an invocation whose effect can be seen",
            "F(i) = inv.i{x = 1;} -> tau{x = 0;} -> res.i -> Stop; S() = F(0) ||| G(1);
             A(i) = inv.i -> tau -> res.i -> Stop; T() = A(0) ||| B(1);",
        ),
        (
            "a specification that does something when it is invoked",
            "F(i) = inv.i -> tau{x = 1;} -> res.i -> Stop; S() = F(0) ||| G(1);
             A(i) = inv.i{y = 1;} -> tau -> res.i -> Stop; T() = A(0) ||| B(1);",
        ),
        (
            "a specification whose response undoes something",
            "F(i) = inv.i -> tau{x = 1;} -> res.i -> tau{x = 0;} -> Stop; S() = F(0) ||| G(1);
             A(i) = inv.i -> tau{y = 1;} -> res.i{y = 0;} -> Stop; T() = A(0) ||| B(1);",
        ),
    ] {
        let text = format!(
            "var x = 0; var y = 0; var l[2]; var m[2];\n{reader}\n{text}\n#assert S refines T;"
        );
        let report = decide(&text, 0, Some(&operations()));
        assert_eq!(report.verdict, Ok(Verdict::Violated(())), "{what}: {:?}\n{text}", report.notes);
    }
}

#[test]
fn names_that_are_no_events_are_named() {
    let text = "P() = inv -> res -> P(); #assert P refines P;";
    let report = decide(text, 0, Some(&operations()));
    assert!(report.notes[0].contains("there is no event `get`"), "{:?}", report.notes);
}
