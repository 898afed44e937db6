//! Small specifications and the transition systems that mCRL2 gives them.

use linchpin_engine::Budget;
use linchpin_lts::{Explicit, Limit, Watch};
use linchpin_relations::{Generated, generate};

/// The steps of a specification as `source label target`, states numbered as they are found.
fn steps(text: &str) -> Vec<String> {
    let system = match linchpin_mcrl2::load(text) {
        Ok(system) => system,
        Err(problems) => panic!("{problems:#?}"),
    };
    let lts = whole(&system);
    let mut list = Vec::new();
    for state in 0..lts.states() {
        for step in lts.edges(state) {
            list.push(format!("{state} {} {}", lts.labels()[step.label as usize], step.target));
        }
    }
    list.sort();
    list
}

fn whole(system: &linchpin_mcrl2::System) -> Explicit {
    match generate(system, &Budget::UNLIMITED).expect("no trouble") {
        Generated::Whole(lts) => lts,
        Generated::Stopped { limit, .. } => panic!("{limit:?} without limit"),
    }
}

/// The codes of what is wrong.
fn codes(text: &str) -> Vec<&'static str> {
    match linchpin_mcrl2::load(text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(|d| d.code).collect(),
    }
}

#[test]
fn a_process_that_ends_says_so() {
    assert_eq!(steps("act a, b; init a . b;"), ["0 a 1", "1 b 2", "2 Terminate 3"]);
    assert_eq!(steps("act a; init a . delta;"), ["0 a 1"]);
    assert_eq!(steps("act a; init tau . a . delta;"), ["0 tau 1", "1 a 2"]);
}

#[test]
fn parallel_processes_end_together_and_act_at_once() {
    assert_eq!(
        steps("act a, b; init a || b;"),
        ["0 a 1", "0 a|b 2", "0 b 3", "1 b 2", "2 Terminate 4", "3 a 2"]
    );
    assert_eq!(steps("act a, b; init allow({a | b}, a || b);"), ["0 a|b 1", "1 Terminate 2"]);
    assert_eq!(steps("act a, b; init block({b}, a . delta || b . delta);"), ["0 a 1"]);
}

#[test]
fn communication_needs_equal_arguments_and_then_cannot_be_refused() {
    let text =
        "act s, r, c: Nat; init allow({c}, comm({s | r -> c}, s(1) . delta || r(1) . delta));";
    assert_eq!(steps(text), ["0 c(1) 1"]);
    let text =
        "act s, r, c: Nat; init allow({c}, comm({s | r -> c}, s(1) . delta || r(2) . delta));";
    assert!(steps(text).is_empty());
    // Equal arguments communicate, even if only the multi-action is allowed.
    let both =
        "act s, r, c: Nat; init allow({s | r}, comm({s | r -> c}, s(X) . delta || r(2) . delta));";
    assert_eq!(steps(&both.replace('X', "1")), ["0 r(2)|s(1) 1"]);
    assert!(steps(&both.replace('X', "2")).is_empty());
}

#[test]
fn sums_are_solved_by_communication_and_conditions() {
    let text = "act s, r, c: Nat; a: Nat;
        proc P = sum n: Nat. r(n) . a(n + 1) . P;
        init allow({c, a}, comm({s | r -> c}, s(5) . delta || P));";
    assert_eq!(steps(text), ["0 c(5) 1", "1 a(6) 2"]);
    let text = "act a: Nat; init sum n: Nat. (n < 3 && n != 1) -> a(n) . delta;";
    assert_eq!(steps(text), ["0 a(0) 1", "0 a(2) 1"]);
    let text = "sort D = struct x | y; act a: D # Bool; init sum d: D, b: Bool. a(d, b) . delta;";
    let list = ["0 a(x, false) 1", "0 a(x, true) 1", "0 a(y, false) 1", "0 a(y, true) 1"];
    assert_eq!(steps(text), list);
    let text = "sort P = struct pair(first: Nat, second: Nat);
        act s, r, c: P; a: Nat;
        init allow({c, a}, comm({s | r -> c},
            s(pair(3, 4)) . delta || sum n: Nat. r(pair(3, n)) . a(n) . delta));";
    assert_eq!(steps(text), ["0 c(pair(3, 4)) 1", "1 a(4) 2"]);
}

#[test]
fn an_infinite_sum_is_trouble_when_it_is_reached() {
    let system = linchpin_mcrl2::load("act a: Nat; init sum n: Nat. a(n) . delta;").expect("legal");
    let trouble = generate(&system, &Budget::UNLIMITED).expect_err("infinitely many steps");
    assert!(trouble.message.contains("infinite sort `Nat`"), "{}", trouble.message);
    assert_eq!(trouble.at, Some((17, 41)));
}

#[test]
fn data_are_evaluated() {
    let value = |e: &str| {
        let text = format!(
            "sort D = struct nothing | some(value: Nat)?is_some;
             map f: Nat -> Nat; g: List(Nat) -> Nat; var n: Nat; l: List(Nat);
             eqn n < 2 -> f(n) = 1; n >= 2 -> f(n) = f(Int2Nat(n - 1)) + f(Int2Nat(n - 2));
                 g([]) = 0; g(n |> l) = n + g(l);
             act a: {}; init a({}) . delta;",
            e.split_once(' ').expect("a sort").0,
            e.split_once(' ').expect("a sort").1
        );
        let list = steps(&text);
        assert_eq!(list.len(), 1, "{list:?}");
        list[0].trim_start_matches("0 a(").trim_end_matches(") 1").to_string()
    };
    for (expression, wanted) in [
        ("Nat f(20)", "10946"),
        ("Nat g([1, 2, 3] ++ [4])", "10"),
        ("Int -7 div 2", "-4"),
        ("Nat -7 mod 2", "1"),
        ("Bool is_some(nothing)", "false"),
        ("Nat value(some(3))", "3"),
        ("Nat value(nothing)", "value(nothing)"),
        ("List(Nat) 1 |> [2] <| 3", "[1, 2, 3]"),
        ("Set(Nat) {3, 1, 2} - {2}", "{1, 3}"),
        ("Bool 3 in {n: Nat | n > 2}", "true"),
        ("Bag(Nat) {1: 2, 3: 1} + {1: 1}", "{1: 3, 3: 1}"),
        ("Bool forall b: Bool. b || !b", "true"),
        ("Bool exists n: Nat. n < 10 && n * n == 49", "true"),
        ("Nat (lambda n: Nat. n * 2)[3 -> 0](3)", "0"),
        ("Nat (lambda n: Nat. n * 2)[3 -> 0](4)", "8"),
        ("Nat x + y whr x = 1, y = 2 end", "3"),
        ("Nat if(1 < 2, 10, head([]))", "10"),
        ("Nat max(3, exp(2, 3))", "8"),
        ("Nat [5, 6, 7] . 1", "6"),
        ("Nat #[5, 6, 7]", "3"),
        ("Bool nothing < some(0)", "true"),
    ] {
        assert_eq!(value(expression), wanted, "{expression}");
    }
}

#[test]
fn conditions_bound_sums_through_functions_and_members() {
    let text = "map ok: Nat # Pos -> Bool; var n: Nat; p: Pos; eqn ok(n, p) = 1 <= n && n <= p;
        act a: Nat; init sum n: Nat. ok(n, 2) -> a(n) . delta;";
    assert_eq!(steps(text), ["0 a(1) 1", "0 a(2) 1"]);
    let text = "sort M = struct some(Nat) | none; act a: M;
        proc P(b: Bag(M)) = sum m: M. (count(m, b) > 0) -> a(m) . P(b - {m: 1});
        init P({some(7): 2, none: 1});";
    let list = ["0 a(none) 2", "0 a(some(7)) 1", "1 a(none) 4", "1 a(some(7)) 3", "2 a(some(7)) 4"];
    assert_eq!(steps(text)[..5], list);
    let text = "act a: Nat; init sum n: Nat. (n in [3, 1, 3] || n == 8) -> a(n) . delta;";
    assert_eq!(steps(text), ["0 a(1) 1", "0 a(3) 1", "0 a(8) 1"]);
}

#[test]
fn functions_are_values() {
    // A mapping with a result that is a function, updated, and a constant that is one.
    let text = "sort F = Nat -> Nat;
        map all: Nat -> F; same: F; var d, n: Nat; eqn all(d)(n) = d; same(n) = n;
        act a: Nat # Nat # Nat # Bool;
        init a(all(7)(1), all(7)[1 -> 2](1), same[3 -> 4](5), all(7)[1 -> 2][1 -> 7] == all(7)) .
             delta;";
    assert_eq!(steps(text), ["0 a(7, 2, 5, true) 1"]);
    // Updates in another order are the same state.
    let text = "act a, b: Nat; proc P(f: Nat -> Nat) =
            sum n: Nat. (n < 2 && f(n) == 0) -> a(n) . P(f[n -> 1]);
        init P(lambda n: Nat. 0);";
    assert_eq!(steps(text), ["0 a(0) 1", "0 a(1) 2", "1 a(1) 3", "2 a(0) 3"]);
}

#[test]
fn names_may_be_used_for_several_things() {
    let text = "sort A = struct x(Nat) | y; B = struct x(Bool) | y;
        act a: A; a: B; a;
        proc P = a . P(3); P(n: Nat) = a(x(n)) . a(x(true)) . a(y1) . delta;
        map y1: A; eqn y1 = y;
        init P;";
    assert_eq!(steps(text), ["0 a 1", "1 a(x(3)) 2", "2 a(x(true)) 3", "3 a(y) 4"]);
    assert_eq!(codes("sort A = struct y; B = struct y; act a: A; a: B; init a(y);"), ["M006"]);
}

#[test]
fn a_condition_without_value_is_trouble() {
    let text = "act a; init (head([]) == 1) -> a . delta;";
    let system = linchpin_mcrl2::load(text).expect("legal");
    let trouble = generate(&system, &Budget::UNLIMITED).expect_err("no truth value");
    assert!(trouble.message.contains("neither true nor false"), "{}", trouble.message);
}

#[test]
fn atomic_bodies_are_not_interrupted() {
    let text = "act CallF, ReturnF, step: Nat;
        proc T(n: Nat) = CallF(n) . step(n) . step(n) . ReturnF(n) . delta;
        init allow({CallF, ReturnF, step}, T(1) || T(2));";
    let specification = linchpin_mcrl2::Specification::read(text).expect("legal");
    let system = specification.atomic(&specification.events()).expect("there are events");
    let lts = whole(&system);
    // Words of visible labels: the steps of a body are together.
    let mut words = vec![(lts.initial(), Vec::<String>::new())];
    let mut ends = 0;
    while let Some((state, word)) = words.pop() {
        let list = lts.edges(state);
        ends += usize::from(list.is_empty());
        for step in list {
            let mut next = word.clone();
            if step.label != linchpin_lts::TAU {
                next.push(lts.labels()[step.label as usize].to_string());
            }
            if let [.., before, last] = &next[..]
                && before.starts_with("step")
                && word.iter().filter(|w| *w == before).count() == 1
            {
                assert_eq!(before, last, "{next:?}");
            }
            words.push((step.target, next));
        }
    }
    assert!(ends > 0);
}

#[test]
fn processes_take_arguments_by_name() {
    let text = "act a: Nat # Nat;
        proc P(x: Nat, y: Nat) = (x < 2) -> a(x, y) . P(x = x + 1);
        init P(y = 7, x = 0);";
    assert_eq!(steps(text), ["0 a(0, 7) 1", "1 a(1, 7) 2"]);
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    assert_eq!(codes("act a; init a @ 3;"), ["M002"]);
    assert_eq!(codes("act a: Real; init delta;"), ["M002"]);
    assert_eq!(codes("act a, b; init a << b;"), ["M002"]);
    assert_eq!(codes("act a, b; init a ||_ b;"), ["M002"]);
    assert_eq!(codes("act a; proc P = a . (P || P); init P;"), ["M008"]);
    assert_eq!(codes("act a; init a . hide({a}, a);"), ["M008"]);
}

#[test]
fn mistakes_are_found() {
    assert_eq!(codes("act a; init b;"), ["M003"]);
    assert_eq!(codes("act a: Nat; init a(true);"), ["M005"]);
    assert_eq!(codes("act a: Nat; init a(1 - 2);"), ["M005"]);
    assert_eq!(codes("act a; a; init a;"), ["M004"]);
    assert_eq!(codes("act a; init a"), ["M001"]);
    assert_eq!(codes("act a; proc P = a; Q = b; R = c; init P;"), ["M003", "M003"]);
    assert_eq!(codes("map f: Nat -> Nat; var x, y: Nat; eqn f(x) = y; init delta;"), ["M007"]);
    assert_eq!(codes("act a, b, c; init comm({a | b -> c, b | c -> a}, a);"), ["M009"]);
}

/// With the stack of a main thread.
fn on_a_large_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn long_chains_and_lists_are_read_up_to_a_limit_and_refused_beyond() {
    on_a_large_stack(|| {
        let rows = |n: usize| {
            let numbers = vec!["1"; n].join(", ");
            [
                format!("act a; init {};", vec!["a"; n].join(" + ")),
                format!("act a: Nat; init a({});", vec!["1"; n].join(" + ")),
                format!("act a: Bool; init a({});", vec!["[true]"; n].join(" ++ ") + " == []"),
                format!("act a: Nat; init a(#[{numbers}]);"),
                format!("act a: Nat; init a(#{{{numbers}}});"),
                format!("map f: Nat -> Nat; act a: Nat; init a((f{})(1));", "[1 -> 2]".repeat(n)),
            ]
        };
        for text in rows(1_500) {
            assert!(!steps(&text).is_empty());
        }
        for n in [2_500, 8_000, 50_000] {
            rows(n).iter().for_each(|text| assert_eq!(codes(text), ["M002"], "{n}"));
        }
        // Brackets and chains together.
        let inner = vec!["1"; 300].join(" + ");
        let text = (0..300).fold(inner.clone(), |e, _| format!("({e}) + {inner}"));
        assert_eq!(codes(&format!("act a: Nat; init a({text});")), ["M002"]);
    });
}

#[test]
fn values_may_be_as_deep_as_lists_are_long() {
    let text = "act a: Bool; b: Bool; c: List(Bool);
        proc P(l: List(Bool), n: Nat) = (n < 17) -> tau . P(l ++ l, n + 1)
            <> a((l <| true) == (l <| false)) . b((l <| true) < (l <| false)) . c(l) . delta;
        init P([true], 0);";
    let steps = steps(text);
    assert!(steps.contains(&"17 a(false) 18".to_string()));
    assert!(steps.contains(&"18 b(false) 19".to_string()));
    assert!(steps.iter().any(|step| step.starts_with("19 c([true, true,") && step.len() > 700_000));
}

/// What goes wrong first.
fn trouble(system: &linchpin_mcrl2::System) -> String {
    generate(system, &Budget::UNLIMITED).expect_err("something goes wrong").message
}

#[test]
fn steps_that_would_take_for_ever_are_refused_or_stopped() {
    let load = |text: &str| linchpin_mcrl2::load(text).expect("a system");
    let doubling = "act a; proc P(l: List(Bool)) = a . P(l ++ l); init P([true]);";
    assert_eq!(trouble(&load(doubling)), "a list has more than 262144 elements");
    let many = "act a: Nat; init sum n, m: Nat. (n < 100000 && m < 100000 && n * m == 12345678901) -> a(n);";
    assert!(trouble(&load(many)).contains("would have to be tried"));
    let slow = "map f: Nat -> Nat; var n: Nat; eqn n < 2 -> f(n) = n;
        n >= 2 -> f(n) = f(Int2Nat(n - 1)) + f(Int2Nat(n - 2));
        act a: Nat; proc P(n: Nat) = tau . a(f(n)); init P(60);";
    let specification = linchpin_mcrl2::Specification::read(slow).expect("a specification");
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = std::sync::Arc::clone(&asked);
    let watch = Watch::new(move |_| {
        let asked = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        (asked > 100).then_some(Limit::Time)
    });
    let system = specification.system_until(&watch).expect("a system");
    assert_eq!(watch.told(), None);
    let Ok(Generated::Stopped { limit, .. }) = generate(&system, &Budget::UNLIMITED) else {
        panic!("it was not stopped");
    };
    assert_eq!((limit, watch.told()), (Limit::Time, Some(Limit::Time)));
}

#[test]
fn small_and_large_numbers_are_different() {
    let text = "act a: Bool; init a(5 == 5000000000) . delta;";
    assert_eq!(steps(text), ["0 a(false) 1"]);
}

#[test]
fn declarations_that_refer_to_each_other_in_long_rows_are_refused_or_stopped() {
    on_a_large_stack(|| {
        let rows = |n: usize, f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<String>();
        let n = 50_000;
        let aliases = rows(n, &|i| format!("sort S{i} = S{};", i + 1));
        let refused = [
            (format!("{aliases} sort S{n} = Nat; act a; init a;"), "M002"),
            (format!("{aliases} sort S{n} = S0; act a; init a;"), "M002"),
        ];
        for (text, code) in refused {
            let found = codes(&text);
            assert!(found.contains(&code) && found.len() <= 51, "{found:?}");
        }
        // An alias that is wrong says nothing about those that use it.
        assert_eq!(codes("sort A = B; B = List(A); C = A; D = C; act a; init a;"), ["M002"]);
        for n in [30, 300, 8_000] {
            let twice = rows(n, &|i| format!("proc P{i} = P{0} || P{0};", i + 1));
            assert_eq!(codes(&format!("act a; {twice} proc P{n} = a; init P0;")), ["M008"]);
        }
    });
}

/// A watch that ends everything when it was asked so often.
fn patience(questions: u32) -> Watch {
    let asked = std::sync::atomic::AtomicU32::new(0);
    Watch::new(move |_| {
        let asked = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        (asked > questions).then_some(Limit::Time)
    })
}

#[test]
fn steps_that_multiply_can_be_stopped() {
    let choices: String = (0..300).map(|i| format!("proc P{i} = P{0} + P{0};", i + 1)).collect();
    let texts = [
        format!("act a; {choices} proc P300 = a; init P0;"),
        format!("act a: Bool; proc P = tau . a({}true); init P;", "forall x: Bool. ".repeat(300)),
    ];
    for text in texts {
        let specification = linchpin_mcrl2::Specification::read(&text).expect("a specification");
        let watch = patience(100);
        let Ok(system) = specification.system_until(&watch) else { continue };
        let Ok(Generated::Stopped { limit, .. }) = generate(&system, &Budget::UNLIMITED) else {
            panic!("it was not stopped");
        };
        assert_eq!((limit, watch.told()), (Limit::Time, Some(Limit::Time)));
    }
}

#[test]
fn a_flood_of_messages_is_cut() {
    for text in ["act ;\n", "init ", "#", "\u{301}", "proc P = b;\n"] {
        let found = codes(&text.repeat(20_000));
        assert!(found.len() <= 51, "{} messages about {text}", found.len());
        assert!(found.len() < 51 || found[50] == "E000", "{text}");
    }
    let long = "a".repeat(100_000);
    assert_eq!(codes(&format!("act {long}; init {long}b;")), ["M003"]);
}
