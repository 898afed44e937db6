//! Partial order reduction makes no difference to verdicts: random networks of processes with private
//! and shared variables, channels and shared events, decided with and without it.

use crate::common::random::Random;
use crate::sample::count;
use std::collections::BTreeSet;

use linchpin_csp::{Failure, Model, Options, Preserve, Reduced, Report, check, load};
use linchpin_engine::Budget;
use linchpin_lts::{Label, LabelledSystem, Move, TAU, Trouble, Verdict};
use linchpin_relations::{RefinementOptions, Semantics, refines};

fn cases() -> u64 {
    count(50, 250)
}

/// What processes have to do with each other.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Variables,
    Channels,
    Events,
}

struct Writer {
    random: Random,
    kind: Kind,
    wrong: bool,
}

impl Writer {
    fn value(&mut self) -> String {
        let names = ["own[i]", "x", "0", "1", "2", "i", "own[x % 3]", "(own[i] + 1) % 3"];
        names[self.random.below(names.len())].to_string()
    }

    fn condition(&mut self) -> String {
        if self.kind == Kind::Channels && self.random.below(3) == 0 {
            return self.random.pick(&["call(cempty, c)", "call(cfull, c)"]).to_string();
        }
        let (a, b) = (self.value(), self.value());
        let op = self.random.pick(&["==", "!=", "<"]);
        format!("{a} {op} {b}")
    }

    fn program(&mut self) -> String {
        let v = self.value();
        match self.random.below(9) {
            0 | 1 => format!("{{ x = ({v}) % 3; }}"),
            2 => format!("{{ own[own[i]] = ({v}) % 3; }}"),
            3 => {
                let c = self.condition();
                format!("{{ if ({c}) {{ own[i] = 2; }} else {{ own[i] = 0; x = 1; }} }}")
            }
            4 => "{ own[i] = (own[i] + 1) % 3; own[own[i]] = 1; }".to_string(),
            5 | 6 if self.wrong => "{ own[i] = 2 / x; }".to_string(),
            _ => format!("{{ own[i] = ({v}) % 3; }}"),
        }
    }

    fn step(&mut self) -> String {
        match (self.random.below(10), self.kind) {
            (0, _) => "tau".to_string(),
            (1, _) => format!("tau{}", self.program()),
            (2, _) => format!("o.({})", self.value()),
            (3, _) => self.random.pick(&["a", "e.i"]).to_string(),
            (4, _) => format!("e.i{}", self.program()),
            (5 | 6, Kind::Channels) => format!("c!({})", self.value()),
            (7, Kind::Channels) => "c?y -> o.y".to_string(),
            (8, Kind::Channels) => self.random.pick(&["c?1", "c?[own[i] != y]y"]).to_string(),
            (9, Kind::Channels) => self.random.pick(&["d!1", "d?1", "d?z"]).to_string(),
            (5..8, Kind::Events) => self.random.pick(&["b", "g", "f.0", "f.i"]).to_string(),
            _ => format!("tau{}", self.program()),
        }
    }

    fn end(&mut self, k: usize) -> String {
        match self.random.below(8) {
            0 => "Skip".into(),
            1 => "Stop".into(),
            2 => format!("P{}(i)", 1 - k),
            3 => format!("P{k}((i + 1) % 3)"),
            4 => format!("P{k}(x)"),
            _ => format!("P{k}(i)"),
        }
    }

    fn body(&mut self, length: usize, k: usize) -> String {
        if length == 0 {
            return self.end(k);
        }
        let rest = self.body(length - 1, k);
        let (s, t, c) = (self.step(), self.step(), self.condition());
        match self.random.below(10) {
            0 => format!("{s} -> if ({c}) {{ {rest} }} else {{ a -> Skip }}"),
            1 => format!("{s} -> ifa ({c}) {{ {rest} }} else {{ tau -> Skip }}"),
            2 => format!("{s} -> [{c}] ({rest})"),
            3 => format!("({s} -> {rest} [] {t} -> {})", self.end(k)),
            4 => format!("({s} -> Skip; {t} -> {rest})"),
            5 => format!("{s} -> (({t} -> Skip ||| a -> Skip); {rest})"),
            _ => format!("{s} -> {rest}"),
        }
    }
}

fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let kind = [Kind::Variables, Kind::Channels, Kind::Events][random.below(3)];
    let wrong = random.below(5) == 0;
    let mut w = Writer { random, kind, wrong };
    let mut text = "var own[3]; var x = 1;\nchannel c 1; channel d 0;\n".to_string();
    let goal = (w.random.below(3), w.random.below(3), w.random.below(3));
    text += &format!("#define goal x == {} && own[{}] == {};\n", goal.0, goal.1, goal.2);
    text += "#define low own[0] == 0;\n";
    for k in 0..2 {
        let length = 1 + w.random.below(4);
        let body = w.body(length, k);
        text += &format!("P{k}(i) = {body};\n");
        if kind == Kind::Events {
            text +=
                &format!("#alphabet P{k} {{b, f.i{}}};\n", w.random.pick(&["", ", g", ", f.0"]));
        }
    }
    let count = 2 + w.random.below(2);
    let part = |w: &mut Writer, i: usize| format!("P{}({i})", w.random.below(2));
    let parts: Vec<String> = (0..count).map(|i| part(&mut w, i)).collect();
    let others: Vec<String> = (0..count).map(|i| part(&mut w, i)).collect();
    let op = if kind == Kind::Events { " || " } else { " ||| " };
    let hide = w.random.pick(&["", " \\ {a}", " \\ {e.0, e.1, a}", " \\ {e.0, e.1, e.2, b}"]);
    text += &format!("S() = ({}){hide};\nT() = ({}){hide};\n", parts.join(op), others.join(op));
    text
}

const CLAIMS: [&str; 18] = [
    "S deadlockfree",
    "S nonterminating",
    "S divergencefree",
    "S deterministic",
    "S reaches goal",
    "S reaches goal with max(x + own[1])",
    "S refines T",
    "S refines<F> T",
    "S refines<FD> T",
    "T refines S",
    "S |= <>a",
    "S |= []<>a",
    "S |= [](a -> <>e.0)",
    "S |= []!goal",
    "S |= [](low -> <>a)",
    "S |= (!a) U low",
    "S |= <>[]low",
    "S |= [](a -> X e.0)",
];

fn decide(model: &Model, claim: usize, order: bool) -> Report {
    decide_joined(model, claim, order, true)
}

fn decide_joined(model: &Model, claim: usize, order: bool, join: bool) -> Report {
    let budget = Budget { max_states: Some(20_000), ..Budget::UNLIMITED };
    check(model, claim, &Options { budget, order, join, ..Options::DEFAULT })
}

/// Local work taken together with the step before it: the same answers, in fewer states.
#[test]
fn verdicts_do_not_depend_on_whether_local_work_is_joined() {
    const OF_STATES: [usize; 4] = [0, 1, 4, 5];
    let (mut joined, mut apart, mut fewer, mut shown, mut large) = (0, 0, 0, 0, 0);
    for seed in 0..cases() {
        let mut text = model(seed);
        for claim in CLAIMS {
            text += &format!("#assert {claim};\n");
        }
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        for claim in OF_STATES {
            let one = decide_joined(&model, claim, true, true);
            let other = decide_joined(&model, claim, true, false);
            let what = || format!("seed {seed}, {}: {one:#?}\n{other:#?}\n{text}", CLAIMS[claim]);
            if [&one, &other].iter().any(|r| matches!(r.verdict, Ok(Verdict::Unknown(_)))) {
                large += 1;
                continue;
            }
            if let [Ok(a), Ok(b)] = [&one.verdict, &other.verdict] {
                assert_eq!(a, b, "{}", what());
                assert_eq!(one.value, other.value, "{}", what());
            }
            assert_eq!(one.witness.is_some(), other.witness.is_some(), "{}", what());
            assert!(!matches!(one.verdict, Err(Failure::Defect(_))), "{}", what());
            shown += u64::from(one.witness.is_some());
            joined += one.statistics.states;
            apart += other.statistics.states;
            fewer += u64::from(one.statistics.states < other.statistics.states);
        }
    }
    println!("{joined} states instead of {apart}, fewer in {fewer} cases, {shown} shown");
    assert!(fewer > cases() / 4 && shown > cases() / 4, "{fewer} {shown}");
    assert!(large < cases() / 4, "{large} are too large");
}

#[test]
fn verdicts_do_not_depend_on_it() {
    let (mut compared, mut violated, mut troubled, mut large) = ([0; CLAIMS.len()], 0, 0, 0);
    let (mut with, mut without) = ([0u64; CLAIMS.len()], [0u64; CLAIMS.len()]);
    let cases = cases();
    for seed in 0..cases {
        let mut text = model(seed);
        for claim in CLAIMS {
            text += &format!("#assert {claim};\n");
        }
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        for (claim, name) in CLAIMS.iter().enumerate() {
            let (one, all) = (decide(&model, claim, true), decide(&model, claim, false));
            let what = || format!("seed {seed}, {name}: {one:#?}\n{all:#?}\n{text}");
            match (&one.verdict, &all.verdict) {
                (Ok(Verdict::Unknown(_)), _) | (_, Ok(Verdict::Unknown(_))) => {
                    large += 1;
                    continue;
                }
                // A violation may be found before the place where the model goes wrong.
                (Err(Failure::Trouble(_)), Err(Failure::Trouble(_))) => troubled += 1,
                (Ok(Verdict::Holds) | Ok(Verdict::Violated(())), Err(Failure::Trouble(_))) => {
                    assert!(one.witness.is_some(), "{}", what());
                    troubled += 1;
                    continue;
                }
                (one, all) => assert_eq!(one, all, "{}", what()),
            }
            assert_eq!(one.value, all.value, "{}", what());
            if claim < 2
                && !(one.deep || all.deep)
                && let (Some(a), Some(b)) = (&one.witness, &all.witness)
            {
                assert_eq!(a.steps.len(), b.steps.len(), "a shortest one: {}", what());
            }
            compared[claim] += 1;
            violated += usize::from(one.verdict == Ok(Verdict::Violated(())));
            with[claim] += one.statistics.states;
            without[claim] += all.statistics.states;
        }
    }
    println!("compared {compared:?}, violated {violated}, troubled {troubled}, too large {large}");
    println!("states {with:?} of {without:?}");
    assert!(compared.iter().all(|&n| n > cases * 8 / 10), "{compared:?}");
    assert!(violated as u64 > 3 * cases && troubled as u64 > cases / 20, "{violated}, {troubled}");
    // Otherwise there was nothing to compare.
    for claim in [0, 1, 4, 5, 6, 10, 13] {
        assert!(with[claim] * 20 < without[claim] * 19, "{}", CLAIMS[claim]);
    }
}

/// The same system with all labels silent but some.
struct Only<'s, S>(&'s S, Vec<String>);

impl<S: LabelledSystem> LabelledSystem for Only<'_, S> {
    type Scratch = S::Scratch;

    fn scratch(&self) -> S::Scratch {
        self.0.scratch()
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn initial(&self, scratch: &mut S::Scratch) -> Result<Vec<u32>, Trouble> {
        self.0.initial(scratch)
    }

    fn successors(
        &self,
        scratch: &mut S::Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        self.0.successors(scratch, state, &mut |m| {
            let kept = self.1.contains(&self.0.label(m.label));
            emit(Move { label: if kept { m.label } else { TAU }, ..m });
        })
    }

    fn label(&self, label: Label) -> String {
        self.0.label(label)
    }
}

/// All states without steps; nothing if there are too many states.
fn ends<S: LabelledSystem>(system: &S) -> Result<Option<BTreeSet<Vec<u32>>>, Trouble> {
    let mut scratch = system.scratch();
    let initial = system.initial(&mut scratch)?;
    let (mut seen, mut todo) = (BTreeSet::from([initial.clone()]), vec![initial]);
    let mut ends = BTreeSet::new();
    while let Some(state) = todo.pop() {
        let mut some = false;
        system.successors(&mut scratch, &state, &mut |m| {
            some = true;
            if seen.insert(m.state.to_vec()) {
                todo.push(m.state.to_vec());
            }
        })?;
        if !some {
            ends.insert(state);
        }
        if seen.len() > 20_000 {
            return Ok(None);
        }
    }
    Ok(Some(ends))
}

/// Is everything that one system does there in another?
fn is_kept<A: LabelledSystem, B: LabelledSystem>(
    all: &A,
    some: &B,
    how: Semantics,
) -> Option<bool> {
    let budget = Budget { max_states: Some(20_000), ..Budget::UNLIMITED };
    match refines(all, some, how, RefinementOptions::default(), &budget).ok()?.verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

#[test]
fn steps_that_wait_for_others_count() {
    for text in [
        // An argument that another process changes.
        "var x = 0; var y[2]; P(i) = tau{y[i] = 1;} -> o.(y[0]) -> Stop; Q() = P(x);
         W() = tau{x = 1;} -> a -> Stop; S() = Q() ||| W();",
        // An input that waits for a message, beside something that need not wait.
        "channel c 1; P() = c?1 -> a -> Stop [] tau -> b -> Stop; W() = c!1 -> a -> Stop;
         S() = P() ||| W();",
        // An output that waits for room.
        "channel c 1; P() = c!1 -> c!2 -> a -> Stop [] c!3 -> (tau -> b -> Stop [] c!2 -> Stop);
         W() = c?x -> a -> Stop; S() = P() ||| W();",
        // Termination, which all have to agree on.
        "P() = Skip [] tau -> a -> Stop; W() = tau -> Skip; S() = P() ||| W();",
        // A meeting whose name is the value of a variable.
        "var x = 1; P() = f.x -> a -> Stop [] tau -> e -> Stop; #alphabet P {f.1};
         W() = tau -> f.1 -> Stop; #alphabet W {f.1}; S() = P() || W();",
        // What comes after a condition on parameters.
        "var x = 0; var y = 0; P() = tau{y = x;} -> o.y -> Stop; R(k) = a -> Q(k);
         Q(k) = ifa (k == 0) { Skip } else { tau{x = 1;} -> Stop }; S() = P() ||| R(1);",
        // A meeting beside something else.
        "P() = b -> a -> Stop [] tau -> e -> Stop; W() = tau -> b -> Stop; S() = P() || W();",
    ] {
        let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
        let system = model.system("S").expect("there is S").expect("it is well");
        let reduced = Reduced::new(&system, Preserve::Ends, false, false, &Budget::UNLIMITED);
        assert_eq!(ends(&reduced), ends(&system), "{text}");
        let reduced = Reduced::new(&system, Preserve::Traces, false, false, &Budget::UNLIMITED);
        assert_eq!(is_kept(&system, &reduced, Semantics::Failures), Some(true), "{text}");
    }
}

#[test]
fn nothing_that_counts_is_lost() {
    let (mut compared, mut lost) = ([0u64; 6], 0);
    let cases = cases();
    for seed in 0..cases {
        let text = model(seed);
        let loaded = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        let Some(Ok(system)) = loaded.system("S") else { panic!("seed {seed}\n{text}") };
        let Ok(all) = ends(&system) else {
            // Where the model goes wrong, the smaller one does, too.
            for preserve in [Preserve::Ends, Preserve::Traces] {
                assert!(
                    ends(&Reduced::new(&system, preserve, false, false, &Budget::UNLIMITED))
                        .is_err(),
                    "seed {seed}\n{text}"
                );
            }
            lost += 1;
            continue;
        };
        let Some(all) = all else { continue };
        let reduced = Reduced::new(&system, Preserve::Ends, false, false, &Budget::UNLIMITED);
        assert_eq!(ends(&reduced), Ok(Some(all)), "ends, seed {seed}\n{text}");
        compared[0] += 1;
        let reduced = Reduced::new(&system, Preserve::Traces, false, false, &Budget::UNLIMITED);
        let semantics = [Semantics::WeakTrace, Semantics::Failures, Semantics::FailuresDivergences];
        for (i, how) in semantics.into_iter().enumerate() {
            // Fewer failures would be found one way, more the other.
            for kept in [is_kept(&system, &reduced, how), is_kept(&reduced, &system, how)] {
                let Some(kept) = kept else { continue };
                assert!(kept, "{how:?}, seed {seed}\n{text}");
                compared[1 + i] += 1;
            }
        }
        let events = vec!["a".to_string(), "e.0".to_string()];
        let (slots, endless) = (Vec::new(), false);
        let reduced = Reduced::new(
            &system,
            Preserve::Seen { events: events.clone(), slots, endless },
            false,
            false,
            &Budget::UNLIMITED,
        );
        let (all, some) = (Only(&system, events.clone()), Only(&reduced, events));
        for (i, how) in
            [Semantics::WeakTrace, Semantics::FailuresDivergences].into_iter().enumerate()
        {
            let Some(kept) = is_kept(&all, &some, how) else { continue };
            assert!(kept, "events, {how:?}, seed {seed}\n{text}");
            compared[4 + i] += 1;
        }
    }
    println!("compared {compared:?}, {lost} go wrong");
    assert!(
        compared.iter().all(|&n| n > cases * 7 / 10) && lost > cases / 200,
        "{compared:?}, {lost}"
    );
}
