//! Processes that differ in an index and are not told apart make no difference: random models in which an index is an
//! identity, or nearly, against the library without it, which is compared with the slow interpreter elsewhere.

use crate::common::random::Random;
use crate::sample::count;
use linchpin_csp::{Failure, Model, Options, Report, check, load};
use linchpin_engine::Budget;
use linchpin_lts::Verdict;

fn cases() -> u64 {
    count(60, 2_500)
}

/// Writes processes with an index `i`.
struct Writer {
    random: Random,
    /// One in so many expressions does something with the index that tells processes apart; 0: none.
    trap: usize,
    /// Who looks at elements, and how.
    name: &'static str,
}

impl Writer {
    fn trapped(&mut self) -> bool {
        self.trap > 0 && self.random.below(self.trap) == 0
    }

    /// A number from 0 to 2.
    fn value(&mut self) -> String {
        let i = self.name;
        if self.trapped() {
            return self
                .random
                .pick(&["i", "a[0]", "(i + 1) % 3", "a[x]", "a[(i + 1) % 3]"])
                .into();
        }
        match self.random.below(6) {
            0 => format!("a[{i}]"),
            1 => format!("m[{i}][1]"),
            2 => "x".into(),
            3 => "y".into(),
            4 => format!("(a[{i}] + x) % 3"),
            _ => self.random.below(3).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        if self.trapped() {
            return self.random.pick(&["i == 0", "i < 1", "a[1] == 0", "x == i"]).into();
        }
        let (a, b) = (self.value(), self.value());
        let op = self.random.pick(&["==", "!=", "<", ">="]);
        format!("{a} {op} {b}")
    }

    fn program(&mut self) -> String {
        let (i, e) = (self.name, self.value());
        match self.random.below(6) {
            0 => format!("{{x = {e};}}"),
            1 => format!("{{y = {e};}}"),
            2 => format!("{{m[{i}][1] = {e};}}"),
            3 => format!("{{if (a[{i}] < 2) {{a[{i}] = {e};}} else {{x = 0;}}}}"),
            _ => format!("{{a[{i}] = {e};}}"),
        }
    }

    fn event(&mut self) -> String {
        if self.trapped() {
            return self.random.pick(&["e.0", "e.x", "g.i.i", "f.1.2"]).into();
        }
        match self.random.below(8) {
            0 | 1 => format!("e.{}", self.name),
            2 => {
                let (value, program) = (self.value(), self.program());
                format!("f.{}.{value}{program}", self.name)
            }
            3 => "g".into(),
            4 => "tau".to_string() + &self.program(),
            5 => "tau".into(),
            _ => format!("e.{}", self.name) + &self.program(),
        }
    }

    fn process(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(5) {
                0 => "Skip".into(),
                1 => "Stop".into(),
                n => format!("{}({})", ["P", "Q", "P"][n - 2], self.name),
            };
        }
        match self.random.below(14) {
            0 => format!("({} [] {})", self.process(depth - 1), self.process(depth - 1)),
            1 => format!("({} <> {})", self.process(depth - 1), self.process(depth - 1)),
            2 => {
                let (c, p, q) =
                    (self.condition(), self.process(depth - 1), self.process(depth - 1));
                format!("if ({c}) {{ {p} }} else {{ {q} }}")
            }
            3 => {
                let (c, p, q) =
                    (self.condition(), self.process(depth - 1), self.process(depth - 1));
                format!("ifa ({c}) {{ {p} }} else {{ {q} }}")
            }
            4 => format!("[{}] ({})", self.condition(), self.process(depth - 1)),
            5 => format!("({}; {})", self.finite(), self.process(depth - 1)),
            6 => format!("(({} ||| {}) \\ {{e.{}}})", self.finite(), self.finite(), self.name),
            7 => format!("({} || {})", self.finite(), self.finite()),
            8 => format!("c!{} -> {}", self.value(), self.process(depth - 1)),
            9 => format!("c?v -> {}", self.process(depth - 1)),
            _ => format!("{} -> {}", self.event(), self.process(depth - 1)),
        }
    }

    /// A process that ends.
    fn finite(&mut self) -> String {
        format!("({} -> Skip)", self.event())
    }
}

fn model(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x1d);
    let n = 2 + random.below(2);
    let trap = [0, 0, 0, 40, 12][random.below(5)];
    let op = random.pick(&["|||", "|||", "||"]);
    let size = if random.below(12) == 0 { n + 1 } else { n };
    let first = if random.below(12) == 0 { 1 } else { 0 };
    let channel = random.below(2);
    let around = random.below(5);
    let mut w = Writer { random, trap, name: "i" };
    let bodies: Vec<String> = (0..4)
        .map(|_| {
            let depth = 1 + w.random.below(3);
            format!("{} -> {}", w.event(), w.process(depth))
        })
        .collect();
    let [p, q, s, r] = &bodies[..] else { unreachable!("four of them") };
    let index = format!("{op} i:{{0..N-1}}");
    let system = match around {
        0 => format!("({index} @ P(i)) ||| R()"),
        1 => format!("({index} @ (P(i) ||| Q(i))) \\ {{k:{{0..{}}}@e.k}}", n - 1),
        2 => format!("(({index} @ P(i)) || R()) \\ {{g}}"),
        _ => format!("{index} @ P(i)"),
    };
    let rows = format!("{first}, 0({})", size - 1);
    format!(
        "#define N {n};\nvar a = [{rows}];\nvar m[{n}][2];\nvar x = 0;\nvar y = 0;\nchannel c {channel};\n\
         P(i) = {p};\nQ(i) = {q};\nP2(i) = {s};\nR() = g -> R() [] e.0 -> g -> R();\n\
         T1() = ||| i:{{0..{}}} @ P2(i);\nT2() = ||| i:{{0..{}}} @ (P(i) [] Q(i));\n\
         U() = ||| i:{{0..{}}} @ V(i);\nV(i) = e.i -> V(i) [] ([] v:{{0..2}} @ f.i.v -> V(i)) [] g -> V(i) \
         [] Skip;\nS() = {system};\n#define low x == 2 && y == 1;\n#define own a[0] == 2;\n// {r}\n",
        n - 1,
        n - 1,
        n - 1,
    )
}

const CLAIMS: [&str; 12] = [
    "S deadlockfree",
    "S nonterminating",
    "S divergencefree",
    "S reaches low",
    "S reaches own",
    "S reaches x > 0 with max(x + y)",
    "S refines T1",
    "S refines T2",
    "S refines U",
    "S refines<F> T2",
    "S refines<F> U",
    "S refines<FD> U",
];

fn decide(model: &Model, claim: usize, order: bool, symmetry: bool) -> Report {
    let budget = Budget { max_states: Some(8_000), ..Budget::UNLIMITED };
    // Not together with local work that is joined, one time in two.
    let join = claim.is_multiple_of(2);
    check(model, claim, &Options { budget, order, symmetry, join, ..Options::DEFAULT })
}

#[test]
fn verdicts_do_not_depend_on_it() {
    let (mut compared, mut violated) = ([0; CLAIMS.len()], [0; CLAIMS.len()]);
    let (mut smaller, mut few, mut many) = ([0; CLAIMS.len()], 0, 0);
    for seed in 0..cases() {
        let mut text = model(seed);
        for claim in CLAIMS {
            text += &format!("#assert {claim};\n");
        }
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        for (claim, name) in CLAIMS.iter().enumerate() {
            let order = (seed as usize + claim / 2).is_multiple_of(2);
            let one = decide(&model, claim, order, true);
            let all = decide(&model, claim, order, false);
            let what = || format!("seed {seed}, {name}, {order}: {one:#?}\n{all:#?}\n{text}");
            match (&one.verdict, &all.verdict) {
                (Ok(Verdict::Unknown(_)), _) | (_, Ok(Verdict::Unknown(_))) => continue,
                // Of several places where a model goes wrong the first one by some order is shown.
                (Err(Failure::Trouble(_)), Err(Failure::Trouble(_))) => continue,
                (one, all) => assert_eq!(one, all, "{}", what()),
            }
            assert_eq!(one.value, all.value, "{}", what());
            assert_eq!(one.witness.is_some(), all.witness.is_some(), "{}", what());
            if let (Some(a), Some(b)) = (&one.witness, &all.witness)
                && !(one.deep || all.deep || claim == 2 || claim > 5)
            {
                assert_eq!(a.steps.len(), b.steps.len(), "a shortest one: {}", what());
            }
            compared[claim] += 1;
            violated[claim] += u64::from(one.verdict == Ok(Verdict::Violated(())));
            smaller[claim] += u64::from(one.statistics.states < all.statistics.states);
            few += one.statistics.states;
            many += all.statistics.states;
        }
    }
    println!("compared {compared:?}, violated {violated:?}, smaller {smaller:?}: {few} of {many}");
    let enough = |list: &[u64], part: u64| list.iter().all(|&n| n > cases() / part);
    assert!(enough(&compared, 3) && enough(&violated, 40), "{compared:?}, {violated:?}");
    assert!(smaller.iter().sum::<u64>() > cases() && few < many, "{smaller:?}: {few} of {many}");
}

/// States of the first assertion, with and without.
fn states(text: &str) -> [u64; 2] {
    let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
    [true, false].map(|symmetry| {
        let options = Options { order: false, join: false, symmetry, ..Options::DEFAULT };
        check(&model, 0, &options).statistics.states
    })
}

#[test]
fn processes_with_an_identity_are_counted() {
    let text = "var a[4]; P(i) = e.i{a[i] = 1;} -> f.i -> g.i{a[i] = 0;} -> P(i);
        S() = ||| i:{0..3} @ P(i); #assert S deadlockfree;";
    // Ways to put four things into three boxes.
    assert_eq!(states(text), [15, 81]);
    let text =
        "P(i) = e.i -> (f.i -> h -> P(i)); S() = || i:{0..3} @ P(i); #assert S deadlockfree;";
    let [few, many] = states(text);
    assert!(few < many, "{few}, {many}");
}

#[test]
fn an_index_that_tells_processes_apart_is_no_identity() {
    for body in [
        "e.i -> x{x = i;} -> P(i)",
        "e.i -> if (i == 0) { f.i -> P(i) } else { P(i) }",
        "e.i{a[i] = 0;} -> [a[0] == 0] f.i -> P(i)",
        "e.i -> e.0 -> P(i)",
        "e.i -> f.((i + 1) % 3) -> P(i)",
        "e.i -> c!i -> P(i)",
        "e.i{a[i] = 0;} -> f.i{a[x] = 1;} -> P(i)",
        "e.i{a[i] = 0;} -> f.i{a = [1, 0, 1];} -> P(i)",
    ] {
        let text = format!(
            "var a[3]; var x = 0; channel c 1; P(i) = {body}; S() = ||| i:{{0..2}} @ P(i);
             #assert S deadlockfree;"
        );
        let [few, many] = states(&text);
        assert_eq!(few, many, "{text}");
    }
}

#[test]
fn a_violation_is_shown_as_the_process_has_it() {
    let text = "var a[3]; var x = 0;
        P(i) = begin.i -> tau{a[i] = x;} -> tau{x = (a[i] + 1) % 3;} -> done.i.a[i]{a[i] = 0;} -> Skip;
        A(i) = begin.i -> tau{a[i] = x; x = x + 1;} -> done.i.a[i]{a[i] = 0;} -> Skip;
        S() = ||| i:{0..2} @ P(i); T() = ||| i:{0..2} @ A(i);
        #assert S refines T; #assert T refines T; #assert T refines<F> S;";
    let model = load(text).unwrap_or_else(|d| panic!("{d:#?}")).model;
    for claim in 0..3 {
        let decide = |symmetry| check(&model, claim, &Options { symmetry, ..Options::DEFAULT });
        let (one, all) = (decide(true), decide(false));
        assert_eq!(one.verdict, all.verdict);
        assert!(one.statistics.nodes < all.statistics.nodes);
        let steps = |report: &Report| report.witness.as_ref().map(|w| w.steps.len());
        assert_eq!(steps(&one), steps(&all));
    }
}

/// Two steps with the same label may lead to the same form by different renamings, and the specification is renamed with them.
#[test]
fn a_violation_is_that_of_the_process_which_the_specification_means() {
    let text = "var a[3]; var x = 0;
        P(i) = e.i -> P(i) [] tau -> h.i -> Stop;
        V(i) = [x == 0 || a[i] == 1] h.i -> Stop [] e.i{x = 1; a[i] = 1;} -> V(i) [] f.i -> Stop;
        S() = ||| i:{0..2} @ P(i); T() = ||| i:{0..2} @ V(i); #assert S refines T;";
    let model = load(text).unwrap_or_else(|d| panic!("{d:#?}")).model;
    for symmetry in [true, false] {
        let report = check(&model, 0, &Options { symmetry, ..Options::DEFAULT });
        let witness = report.witness.unwrap_or_else(|| panic!("{:?}", report.verdict));
        let [first, .., last] = &witness.steps[..] else { panic!("{witness:?}") };
        assert_ne!(first.label.strip_prefix("e."), last.label.strip_prefix("h."), "{witness:?}");
        assert_eq!(witness.steps.len(), 3);
    }
}
