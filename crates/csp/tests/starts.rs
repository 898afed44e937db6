//! Variables that begin with any value of their ranges, against the slow interpreter from each of the values.

use crate::common::graph::{Graph, naive};
use crate::common::naive::Naive;
use crate::common::random;
use crate::sample::count;
use linchpin_csp::{Options, Report, check, load};
use linchpin_lts::Verdict;

const MOST: usize = 250;

/// The graph of the slow interpreter for a text, if it is small.
fn graph(text: &str) -> Option<Graph> {
    let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
    let slow = Naive { model: model.tree() };
    naive(&slow, slow.process("S", &[]), MOST).ok().flatten()
}

#[test]
fn an_assertion_is_decided_for_every_value_that_a_variable_may_begin_with() {
    let (mut compared, mut mixed) = (0, 0);
    for seed in 0..count(200, 2_000) {
        let mut text = random::model(seed);
        text += "#assert S deadlockfree; #assert S nonterminating; #assert S reaches goal;
            #assert S |= <>a; #assert S reaches all with min(y); #assert S reaches all with max(y);
            #define all x >= 0;\n";
        let begin = |what: &str| text.replacen("var x = 0;", what, 1);
        let graphs = (0..3).map(|v| graph(&begin(&format!("var x = {v};"))));
        let Some(graphs) = graphs.collect::<Option<Vec<Graph>>>() else { continue };
        let model = load(&begin("var x:{0..2} = *;")).expect("it is read").model;
        let reports: Vec<Report> = (0..6).map(|i| check(&model, i, &Options::DEFAULT)).collect();
        // Some are refused while they run, by name.
        if reports.iter().any(|r| r.verdict.is_err()) {
            continue;
        }
        compared += 1;
        let holds = |i: usize| reports[i].verdict == Ok(Verdict::Holds);
        let dead = graphs.iter().filter(|g| g.deadlock()).count();
        mixed += usize::from(dead > 0 && dead < 3);
        assert_eq!(holds(0), dead == 0, "deadlock, seed {seed}\n{text}");
        assert_eq!(holds(1), !graphs.iter().any(Graph::ends), "end, seed {seed}\n{text}");
        let goal = text.split("#define goal x == ").nth(1).expect("a goal");
        let mut goal = goal.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
        let (x, y): (i64, i64) = (goal.next().expect("x"), goal.next().expect("y"));
        let mut all = graphs.iter().flat_map(|g| &g.values);
        assert_eq!(holds(2), all.any(|v| v["x"] == x && v["y"] == y), "seed {seed}\n{text}");
        assert_eq!(holds(3), !graphs.iter().any(|g| g.avoids("a")), "<>a, seed {seed}\n{text}");
        let ys = || graphs.iter().flat_map(|g| &g.values).map(|v| v["y"]);
        assert_eq!(reports[4].value, ys().min(), "min, seed {seed}\n{text}");
        assert_eq!(reports[5].value, ys().max(), "max, seed {seed}\n{text}");
    }
    println!("compared {compared}, of which deadlock depends on the beginning: {mixed}");
    assert!(compared * 2 > count(200, 2_000) as usize && mixed > 0);
}

#[test]
fn the_way_that_decides_is_named_and_ways_are_counted_in_order() {
    let text = "var x:{0..2} = *; var a[2]:{0..1} = *; P = [x == 1 && a[1] == 1] e -> Stop [] [x != 1 || a[1] == 0] f -> P;
        #assert P deadlockfree; #assert P reaches far with max(x); #define far a[0] == 1;";
    let model = load(text).expect("it is read").model;
    let report = check(&model, 0, &Options::DEFAULT);
    assert_eq!(report.verdict, Ok(Verdict::Violated(())));
    assert_eq!(report.notes, ["`x` begins with 1, `a` begins with [0, 1]"]);
    assert_eq!(check(&model, 1, &Options::DEFAULT).value, Some(2));
    assert!(model.system("P").expect("there is P").is_err());
}

#[test]
fn what_has_no_range_or_too_many_values_is_refused_by_name() {
    for (declaration, message) in [
        ("var x = *;", "without a range is not supported"),
        ("var x:{0..} = *;", "without a range is not supported"),
        ("var x[20]:{0..9} = *;", "more than 65536 ways to begin"),
        ("var x:{0..1} = *; var y = x;", "begins with any, is not supported"),
    ] {
        let errors = load(&format!("{declaration} P = Stop;")).expect_err("it is refused");
        assert!(errors[0].message.contains(message), "{declaration}: {errors:#?}");
    }
}
