//! What single constructs do, against what PAT does with them.

use linchpin_csp::{Answer, Failure, Options, check, load};
use linchpin_lts::Verdict;

/// The answers to all assertions of a model: verdict, and the labels of the witness.
fn answers(text: &str) -> Vec<(Answer, Option<String>)> {
    let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
    let options = Options::DEFAULT;
    (0..model.assertions().len())
        .map(|i| {
            let report = check(&model, i, &options);
            let labels = report
                .witness
                .map(|w| w.steps.iter().map(|s| s.label.as_str()).collect::<Vec<_>>().join(" "));
            (report.verdict, labels)
        })
        .collect()
}

/// The verdict of the only assertion, and its witness.
#[track_caller]
fn expect(text: &str, verdict: Answer, witness: Option<&str>) {
    let answers = answers(text);
    assert_eq!(answers.len(), 1, "one assertion");
    assert_eq!(answers[0].0, verdict, "{text}");
    assert_eq!(answers[0].1.as_deref(), witness, "{text}");
}

#[test]
fn a_process_that_stops_is_a_deadlock_and_one_that_terminates_is_not() {
    expect("P = a -> b -> Stop; #assert P deadlockfree;", Ok(Verdict::Violated(())), Some("a b"));
    expect("P = a -> Skip; #assert P deadlockfree;", Ok(Verdict::Holds), None);
    expect(
        "P = a -> Skip; #assert P nonterminating;",
        Ok(Verdict::Violated(())),
        Some("a terminate"),
    );
    expect("P = a -> P; #assert P nonterminating;", Ok(Verdict::Holds), None);
}

#[test]
fn sequences_have_a_silent_step_after_calls_only() {
    let text = "P = a -> Skip; b -> Stop; #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("a b"));
    let text = "Q = a -> R; R = Skip; P = Q(); b -> Stop; #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("a tau b"));
}

#[test]
fn the_three_conditionals_differ_in_their_silent_step() {
    let with = |kind: &str| {
        format!("var x = 1; P = {kind}(x == 1) {{a -> Stop}}; #assert P deadlockfree;")
    };
    expect(&with("if"), Ok(Verdict::Violated(())), Some("tau a"));
    expect(&with("ifa"), Ok(Verdict::Violated(())), Some("a"));
    expect(&with("ifb"), Ok(Verdict::Violated(())), Some("tau a"));
    expect(
        "var x = 0; P = ifb(x == 1) {a -> Stop}; #assert P deadlockfree;",
        Ok(Verdict::Violated(())),
        Some(""),
    );
    expect(
        "var x = 0; P = if(x == 1) {a -> Stop}; #assert P deadlockfree;",
        Ok(Verdict::Holds),
        None,
    );
}

#[test]
fn cases_are_tried_in_order_and_the_last_resort_is_skip() {
    let text = "var x = 2;
        P = case { x == 1: a -> Stop x == 2: b -> Stop default: c -> Stop };
        #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("tau b"));
    expect(
        "var x = 3; P = case { x == 1: a -> Stop }; #assert P deadlockfree;",
        Ok(Verdict::Holds),
        None,
    );
}

#[test]
fn parallel_processes_meet_in_shared_events_without_program() {
    let text = "P = a -> b -> Stop; Q = b -> c -> Stop; S = P || Q; #assert S deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("a b c"));
    // With a program, `b` of P is another event.
    let text = "var x = 0; P = b{x = 1} -> Stop; Q = b -> Stop; S = P || Q;
        #define both x == 1; #assert S reaches both;";
    expect(text, Ok(Verdict::Holds), Some("b"));
    let text =
        "P = a -> Stop; Q = b -> Stop; #alphabet Q {a, b}; S = P || Q; #assert S deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("b"));
}

#[test]
fn termination_of_parallel_processes_is_common() {
    expect(
        "P = Skip ||| a -> Skip; #assert P nonterminating;",
        Ok(Verdict::Violated(())),
        Some("a terminate"),
    );
    expect("P = Skip || Stop; #assert P deadlockfree;", Ok(Verdict::Violated(())), Some(""));
}

#[test]
fn choices_are_decided_by_any_step_or_by_a_visible_one() {
    let text = "P = (tau -> a -> Stop) [] b -> P; #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("tau a"));
    let text = "var x = 0; P = (tau -> a -> P) [*] b{x = 1} -> Stop;
        #define g x == 1; #assert P reaches g;";
    expect(text, Ok(Verdict::Holds), Some("b"));
    let text = "var x = 0; P = (tau{x = 1} -> a -> P) [*] b{x = x + 1} -> Stop;
        #define g x == 2; #assert P reaches g;";
    expect(text, Ok(Verdict::Holds), Some("tau b"));
    expect(
        "P = a -> Stop <> b -> P; #assert P deadlockfree;",
        Ok(Verdict::Violated(())),
        Some("tau a"),
    );
}

#[test]
fn an_interrupt_ends_the_first_process_unless_it_has_terminated() {
    let text = "P = (a -> b -> Skip) interrupt c -> Stop; #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("c"));
    let text = "var x = 0; P = (a{x = 1} -> Skip) interrupt c{x = x + 2} -> Stop;
        #define g x == 3; #assert P reaches g;";
    expect(text, Ok(Verdict::Holds), Some("a c"));
}

#[test]
fn hidden_events_are_silent_and_may_diverge() {
    expect(
        "P = (a -> P) \\ {a}; #assert P divergencefree;",
        Ok(Verdict::Violated(())),
        Some("tau"),
    );
    expect("P = a -> P; #assert P divergencefree;", Ok(Verdict::Holds), None);
    expect(
        "P = e.1 -> Stop \\ {x:{0..1} @ e.x}; #assert P deadlockfree;",
        Ok(Verdict::Violated(())),
        Some("tau"),
    );
}

#[test]
fn channels_with_and_without_buffer() {
    let text = "channel c 1; P = c!1 -> c!2 -> Skip; Q = c?x -> got.x -> Q;
        S = P ||| Q; #assert S deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("c!1 c?1 c!2 got.1 c?2 got.2"));
    let text = "channel c 0; P = c!3.4 -> Stop; Q = c?x.y -> got.x.y -> Stop;
        S = P ||| Q; #assert S deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("c.3.4 got.3.4"));
    let text = "channel c 1; P = c!1 -> Stop; Q = c?[x > 1]x -> Stop; S = P ||| Q;
        #assert S deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("c!1"));
    let text =
        "channel c[2] 1; var y = 0; P = c[1]!5 -> Stop; Q = c[1]?5{y = 1} -> Stop; S = P ||| Q;
        #define g y == 1 && call(cempty, c[1]); #assert S reaches g;";
    expect(text, Ok(Verdict::Holds), Some("c[1]!5 c[1]?5"));
}

#[test]
fn atomic_steps_go_before_others() {
    let text =
        "var x = 0; P = atomic{a{x = 1} -> b{x = 2} -> Skip}; Q = [x == 1] bad{x = 9} -> Skip;
        S = P ||| Q; #define g x == 9; #assert S reaches g;";
    expect(text, Ok(Verdict::Violated(())), None);
}

#[test]
fn arguments_that_depend_on_variables_are_evaluated_when_the_process_moves() {
    // Between `a` and the first step of Q, `b` changes x.
    let text = "var x = 0; var y = 0; P = a -> Q(x); Q(i) = got{y = i + 1} -> Skip;
        R = b{x = 7} -> Skip; S = P ||| R; #define g y == 8; #assert S reaches g;";
    expect(text, Ok(Verdict::Holds), Some("b a got"));
    // The same below a sequence.
    let text = "var x = 0; var y = 0; P = a -> Q(x); Q(i) = got{y = i + 1} -> Skip;
        R = b{x = 7} -> Skip; S = begin -> (P ||| R); #define g y == 8; #assert S reaches g;";
    expect(text, Ok(Verdict::Holds), Some("begin b a got"));
}

#[test]
fn extreme_values_are_found() {
    let text = "var x = 0; P = [x < 5] inc{x++} -> P; #define g x > 1;
        #assert P reaches g with max(x * 10); #assert P reaches g with min(x);";
    let model = load(text).unwrap().model;
    let options = Options::DEFAULT;
    assert_eq!(check(&model, 0, &options).value, Some(50));
    assert_eq!(check(&model, 1, &options).value, Some(2));
}

#[test]
fn models_that_go_wrong_say_where() {
    for (text, message, place) in [
        ("var x:{0..1} = 0; P = a{x++} -> P; #assert P deadlockfree;", "`x` becomes 2", "x++"),
        ("var x = 0; P = a{x = 1 / x} -> P; #assert P deadlockfree;", "division by zero", "1 / x"),
        ("var a[2]; P = e{a[2] = 1} -> P; #assert P deadlockfree;", "the index 2", "a[2] = 1"),
        ("P = P [] a -> P; #assert P deadlockfree;", "unfolds without end", "P"),
        ("var x = 1; P = [x] a -> P; #assert P deadlockfree;", "truth value", "[x] a -> P"),
        ("P = assert(1 == 2); #assert P deadlockfree;", "assertion is false", "assert(1 == 2)"),
    ] {
        let (verdict, _) = answers(text).remove(0);
        let Err(Failure::Trouble(trouble)) = verdict else { panic!("{text}: {verdict:?}") };
        assert!(trouble.message.contains(message), "{}", trouble.message);
        let (from, to) = trouble.at.unwrap();
        assert_eq!(&text[from as usize..to as usize], place);
    }
}

#[test]
fn processes_that_grow_without_bound_are_refused() {
    for text in [
        "P = a -> (P ||| P); #assert P deadlockfree;",
        "P = a -> P; b -> Skip; #assert P deadlockfree;",
        "P = a -> (P interrupt b -> Skip); #assert P deadlockfree;",
    ] {
        let (verdict, _) = answers(text).remove(0);
        let Err(Failure::Trouble(trouble)) = verdict else { panic!("{text}: {verdict:?}") };
        assert!(trouble.message.contains("grows without bound"), "{}", trouble.message);
    }
}

#[test]
fn replicated_and_indexed_processes() {
    let text =
        "var n = 0; P = a{n++} -> Skip; S = |||{3}@P(); #define g n == 3; #assert S reaches g;";
    expect(text, Ok(Verdict::Holds), Some("a a a"));
    let text = "var n = 0; P(i) = a.i{n = n + i} -> Skip; S = |||i:{1..3}@P(i);
        #define g n == 6; #assert S reaches g;";
    expect(text, Ok(Verdict::Holds), Some("a.3 a.2 a.1"));
    let text = "S = []i:{1..3};j:{5,7}@e.i.j -> Stop; #assert S deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("e.1.5"));
}

#[test]
fn initial_arrays_macros_and_programs() {
    let text = "#define N 2; enum {red, green}; var a = [1(2), 3..6, 7(N*2), 12..10]; var s = 0;
        #define sum(i, j) a[i] + a[j];
        #define reset { s = 0; };
        P = go{ var i = 0; while (i < 13) { s = s + a[i]; i++; } if (s == 81) { s = call(sum, 0, 12) + green } else { reset } } -> Skip;
        #define g s == 12; #assert P reaches g;";
    expect(text, Ok(Verdict::Holds), Some("go"));
}

#[test]
fn refinement_and_formulas_are_decided() {
    let text = "P = a -> b -> P; Q = a -> (b -> Q [] c -> Q);
        #assert P refines Q; #assert Q refines P; #assert P refines<F> Q; #assert Q refines<FD> Q;
        #assert P |= []<>b; #assert Q |= []<>c; #assert Q |= [](a -> <>(b || c));";
    let answers = answers(text);
    let verdicts: Vec<bool> = answers.iter().map(|(v, _)| *v == Ok(Verdict::Holds)).collect();
    assert_eq!(verdicts, [true, false, false, true, true, false, true]);
    assert_eq!(answers[1].1.as_deref(), Some("a c"));
    assert_eq!(answers[5].1.as_deref(), Some("a b"));
}

#[test]
fn formulas_that_pat_reads_differently_are_marked() {
    let text = "P = a -> b -> P; #assert P |= a -> b && <>b;";
    let warnings = load(text).unwrap().warnings;
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].code, "W401");
    let text = "P = a -> P; #assert P |= []<>aa;";
    assert_eq!(load(text).unwrap().warnings[0].code, "W402");
}

/// The message of the trouble that the only assertion ends with.
#[track_caller]
fn trouble(text: &str) -> String {
    match answers(text).remove(0).0 {
        Err(Failure::Trouble(trouble)) => trouble.message,
        other => panic!("{other:?}\n{text}"),
    }
}

/// The messages of what is wrong with a text.
#[track_caller]
fn refused(text: &str) -> String {
    let errors = load(text).expect_err("this is refused");
    errors.iter().map(|d| d.message.as_str()).collect::<Vec<_>>().join("; ")
}

#[test]
fn arrays_are_assigned_compared_and_handed_over_as_a_whole() {
    let text = "var a = [1, 2, 3]; var b[3]; var x = 0;
        P = e{b = a; x = b[2];} -> (ifa (b == a && b != [0(3)]) {Q(a)} else {Stop});
        Q(l) = f{a[0] = 9;} -> ([l[0] == 1] g.(l[1]) -> Stop);
        #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("e f g.2"));
    // An array that is handed over is looked up when the process moves, as other arguments are.
    let text = "var a = [1, 2]; P = e{a = [x0, 5 - 1];} -> Q(a); #define x0 7;
        Q(l) = f.(l[0]).(l[1]) -> Q([l[1], l[0]]);
        #assert P |= X X f.7.4 && X X X f.4.7;";
    assert_eq!(answers(text)[0].0, Ok(Verdict::Holds));
    // Both are one until the program ends, whatever kind of variable they are.
    let text = "var a = [1, 2]; var s = 0; var b[2];
        P = e{s = a; s[1] = 5; b = s; a[0] = 3;} -> f.a[0].a[1].s[0].s[1].b[0].b[1] ->
            g{b = a; b = [7, 7]; b[0] = 8; a[1] = 4;} -> h{var l = a; l[0] = 6; s = b;} ->
            k{s[0] = 9} -> f.a[0].a[1].s[0].s[1].b[0].b[1] -> Stop;
        #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("e f.3.5.3.5.3.5 g h k f.6.4.9.7.8.7"));
    for program in [
        "if (x == 0) { b = a; } b[0] = 1;",
        "while (x < 2) { b[0] = 1; b = a; x = x + 1; }",
        "b = a; x = (b[0] = 1);",
    ] {
        let text = format!(
            "var a = [1, 2]; var b[2]; var x = 0; P = e{{{program}}} -> Stop; #assert P deadlockfree;"
        );
        assert!(refused(&text).contains("not supported here"), "{program}");
    }
    let text = "var a = [1, 2]; P = e{a = [1, 2, 3];} -> Stop; #assert P deadlockfree;";
    assert!(trouble(text).contains("3 elements"));
    // In a message of a channel without a buffer, too.
    let text = "channel c 0; var a = [4, 5]; var b[2];
        P = c![1, 2] -> c!a -> Stop; Q = c?l -> c?m{b = m; b[1] = l[1];} -> e.b[0].b[1] -> Stop;
        R = P() ||| Q(); #assert R deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("c.[1, 2] c.[4, 5] e.4.2"));
    let text = "channel c 2; P = c!([1, 2]) -> c?l -> e.(l[1]) -> Stop; #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("c![1, 2] c?[1, 2] e.2"));
}

#[test]
fn collections_of_the_libraries_do_what_theirs_do() {
    let text = "#import \"PAT.Lib.Queue\"; #import \"PAT.Lib.Stack\"; #import \"PAT.Lib.Set\";
        #import \"PAT.Lib.List\"; #import \"PAT.Lib.HashTable\";
        var<Queue> q; var<Stack> s = new Stack(); var<Set> t; var<List> l = new List([3, 4, 3]);
        var<HashTable> h; var x = 0;
        P = e{q.Enqueue(1); q.Enqueue(2); q.Dequeue(); x = q.First() + q.Count();} -> e.x ->
            f{s.Push(5); s.Push(6); x = s.Pop(); if (t.Add(4)) { t.Add(2); }} -> f.x.(s.Peek()) ->
            g{l.Remove(3); l.RemoveAt(1); l.Add(x); h.Add(1, 7); h.Add(1, 8);} ->
            [t.Contains(2) && !l.Contains(3) && h.ContainsKey(1)]
            g.(t.Get(1)).(l.Get(0)).(h.GetValue(1)).(l.Count()) -> Stop;
        #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("e e.3 f f.6.5 g g.4.4.7.2"));
    let queue = "#import \"PAT.Lib.Queue\"; var<Queue> q; var x = 0;";
    let with = |process: &str| format!("{queue} P = {process}; #assert P deadlockfree;");
    assert_eq!(trouble(&with("e{q.Dequeue();} -> Stop")), "the Queue is empty");
    assert!(refused(&with("e{x = q.Dequeue();} -> Stop")).contains("has no result"));
    assert!(refused(&with("[q.Enqueue(1)] e -> Stop")).contains("only in the program"));
    assert!(refused(&with("e{q.Push(1);} -> Stop")).contains("the method `Push` of Queue"));
    assert!(refused("var<Queue> q; P = Skip;").contains("the type `Queue` is not supported"));
    assert!(refused("#import \"x\"; var<Foo> q; P = Skip;").contains("the type `Foo`"));
    // Equal contents are equal states.
    let text = with("a{q.Enqueue(1);} -> b{q.Dequeue();} -> P");
    assert_eq!(answers(&text)[0].0, Ok(Verdict::Holds));
}

#[test]
fn functions_of_the_mathematical_library_need_its_import() {
    let text = "P = e.(call(Pow, 2, 5)).(call(Max, 1, 7)).(call(Abs, -3)) -> Stop;
        #assert P deadlockfree;";
    assert!(refused(text).contains("the function `Pow` is not supported"));
    let text = format!("#import \"PAT.Math\"; {text}");
    expect(&text, Ok(Verdict::Violated(())), Some("e.32.7.3"));
    assert!(refused("P = e.(call(max, 1, 2)) -> Stop;").contains("`max`"));
}

#[test]
fn names_of_variables_are_events_in_formulas() {
    let text = "var y = true; P = a -> P; #assert P |= []y;";
    let loaded = load(text).expect("a model");
    assert!(loaded.warnings.iter().any(|w| w.message.contains("not the variable")));
    assert_eq!(answers(text)[0].0, Ok(Verdict::Violated(())));
    let text = "var y = true; P = a -> P; #define yes y; #assert P |= []yes;";
    assert_eq!(answers(text)[0].0, Ok(Verdict::Holds));
}

#[test]
fn hidden_variables_do_not_make_states_different() {
    let text = "hvar n = 0; P = a{n = n + 1;} -> P; #assert P deadlockfree;";
    expect(text, Ok(Verdict::Holds), None);
    let model = load(text).expect("a model").model;
    assert_eq!(check(&model, 0, &Options::DEFAULT).statistics.states, 1);
    // Where something looks at them they do.
    let text = "hvar n = 0; var x = 0;
        P = a{x = 1; n = 1;} -> Q [] b -> a{x = 1; n = 2;} -> Q; Q = [n == 2] c -> Stop;
        #define goal n == 2; #assert P reaches goal;";
    expect(text, Ok(Verdict::Holds), Some("b a"));
    let text = "hvar n = 0; hvar m = 0; P = a{n = n + 1; m = n;} -> P [] [m == 3] c -> Stop;
        #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("a a a c"));
    let text = "hvar n[2]; var x = 0; P = a{n[0] = 3; x = n[0];} -> b.(n[0]) -> Stop;
        #assert P deadlockfree;";
    expect(text, Ok(Verdict::Violated(())), Some("a b.3"));
    // Where the model goes wrong because of one, it does.
    let text = "var b = true; hvar h = 0; hvar g = 0; P = a{h = b;} -> c{g = h + 1;} -> P;
        #assert P deadlockfree;";
    assert!(trouble(text).contains("a number is needed"));
    let text = "hvar h = 0; hvar k[2]; P = a{h = h + 1;} -> b{k[h] = 1;} -> P;
        #assert P deadlockfree;";
    assert!(trouble(text).contains("the index 2 is outside"));
    let text = "hvar h = 0; var x = 1; P = a{h = x == 1;} -> b{h = h + h;} -> P;
        #assert P deadlockfree;";
    assert!(trouble(text).contains("a number is needed"));
}

#[test]
fn the_values_of_hidden_variables_are_followed_along_a_witness() {
    let text = "hvar n = 0; hvar m = 1; P = a{n = n + 1; m = m * 3000;} -> P [] b -> Q;
        Q = c{n = n + 10;} -> d -> e{m = n;} -> Stop; #assert P deadlockfree;
        #assert P |= []!e;";
    let model = load(text).expect("a model").model;
    for number in 0..2 {
        let witness = check(&model, number, &Options::DEFAULT).witness.expect("a witness");
        let shown: Vec<String> = (witness.steps.iter())
            .map(|s| {
                let changes = s.changes.iter().map(|c| format!("{} {}->{}", c.name, c.from, c.to));
                format!("{}: {}", s.label, changes.collect::<Vec<_>>().join(", "))
            })
            .collect();
        assert_eq!(shown, ["b: ", "c: n 0->10", "d: ", "e: m 1->10"]);
        assert_eq!(witness.variables, [("n".into(), "10".into()), ("m".into(), "10".into())]);
    }
    // From where on a value is too large it stays as it is.
    let text = "hvar m = 3000; var x = 0; P = a{m = m * m; x = x + 1;} -> P;
        #define three x == 3; #assert P reaches three;";
    let model = load(text).expect("a model").model;
    let witness = check(&model, 0, &Options::DEFAULT).witness.expect("a witness");
    let variables = [("m".to_string(), "9000000".to_string()), ("x".into(), "3".into())];
    assert_eq!(witness.variables, variables);
}

#[test]
fn files_of_another_language_are_called_by_its_name() {
    let errors = load("-- a file of FDR\nchannel a, b\nP = a -> P\n").expect_err("not CSP#");
    assert!(errors[0].notes.iter().any(|n| n.contains("FDR")), "{errors:?}");
}

#[test]
fn what_cannot_be_unfolded_matters_only_where_its_condition_holds() {
    let with = |value: i32| {
        format!(
            "var x = {value}; P = a -> Stop [] [x == 1] (Q || Q); Q = e.x -> Stop;
             #assert P deadlockfree;"
        )
    };
    expect(&with(0), Ok(Verdict::Violated(())), Some("a"));
    assert!(trouble(&with(1)).contains("alphabet"));
}

#[test]
fn of_two_ways_to_terminate_the_atomic_one_goes_before_other_steps() {
    for process in ["atomic { Skip } [*] Skip", "Skip [*] atomic { Skip }"] {
        let text = format!("P = b -> Stop [*] ({process}) [*] (c -> Stop); #assert P |= []!b;");
        expect(&text, Ok(Verdict::Holds), None);
    }
}

/// Guards of many steps are looked up by the values of variables; what could go wrong in them does so where it is
/// looked at, and nowhere else.
#[test]
fn many_guards_go_wrong_where_few_would() {
    let model = |first: &str| {
        format!(
            "var x = 0; var y = 0;
             Many(n) = [] i:{{0..11}} @ ([{first} && 6 / (n - i) > 0] a.i{{y = i}} -> Stop);
             S = step{{x = 1}} -> Many(3);
             #define g y == 2; #assert S reaches g;"
        )
    };
    // With `x == i` only the second is looked at, where 6 is divided by 2.
    expect(&model("x == i"), Ok(Verdict::Violated(())), None);
    expect(&model("x != 0 && i == 2"), Ok(Verdict::Holds), Some("step a.2"));
    // All are looked at, one of which divides by zero.
    let answers = answers(&model("x == 1"));
    let Err(Failure::Trouble(trouble)) = &answers[0].0 else { panic!("{:?}", answers[0].0) };
    assert!(trouble.message.contains("division by zero"), "{}", trouble.message);
}

/// Beyond the range of a variable there is no value, so nobody looks for one.
#[test]
fn a_greatest_value_at_the_end_of_a_range_ends_the_search() {
    let model = |range: &str| {
        let text = format!(
            "var x{range} = 0; var y = 0;
             S = [x < 5] up{{x = x + 1}} -> S [] [y < 1000] side{{y = y + 1}} -> S;
             #define g true; #assert S reaches g with max(2 * x - 1);"
        );
        check(&load(&text).expect("a model").model, 0, &Options::DEFAULT)
    };
    let (bounded, free) = (model(":{0..5}"), model(""));
    assert_eq!((bounded.value, free.value), (Some(9), Some(9)));
    assert_eq!(bounded.witness.map(|w| w.steps.len()), Some(5));
    assert!(bounded.statistics.states < 30 && free.statistics.states == 6006);
}
