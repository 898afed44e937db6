//! Labelled transition systems: `lts`, `reduce`, `compare`.

use std::process::Stdio;

use crate::run::{Ran, ended, linchpin, run};

fn compare(arguments: &str) -> Ran {
    run(&format!("compare {arguments} --quiet"))
}

#[test]
fn related_systems_end_with_0_and_others_with_1() {
    let cases = [
        ("choice.aut commit.aut --relation weak-trace", 0),
        ("choice.aut choice.aut --relation strong", 0),
        ("choice.aut commit.aut --relation strong", 1),
        ("choice.aut commit.aut --relation branching", 1),
        ("choice.aut commit.aut --relation trace", 1),
        ("choice.aut commit.aut --relation failures --refines", 0),
        ("commit.aut choice.aut --relation failures --refines", 1),
        ("commit.aut choice.aut --relation failures-divergences --refines --quotient", 1),
        ("commit.aut choice.aut --relation weak-trace --refines --quotient", 0),
        ("spins.aut stops.aut --relation branching", 0),
        ("spins.aut stops.aut --relation divergence-branching", 1),
        ("spins.aut stops.aut --relation failures --refines", 0),
        ("stops.aut spins.aut --relation failures --refines", 1),
        ("spins.aut stops.aut --relation failures-divergences --refines", 1),
        ("stops.aut spins.aut --relation failures-divergences --refines", 0),
    ];
    for (arguments, code) in cases {
        let ran = compare(arguments);
        assert_eq!(ran.code, Some(code), "{arguments}: {}{}", ran.out, ran.err);
        assert_eq!(ran.out.contains("NOT"), code == 1, "{arguments}: {}", ran.out);
    }
}

#[test]
fn evidence_says_what_one_does_and_the_other_does_not() {
    let ran = compare("choice.aut commit.aut --relation trace");
    assert!(ran.out.contains("(silent)\n  and commit.aut can only do coin."), "{}", ran.out);
    let ran = compare("commit.aut choice.aut --relation failures --refines");
    assert!(ran.out.contains("offer nothing but coffee"), "{}", ran.out);
    assert!(ran.out.contains("choice.aut always offers coffee, tea."), "{}", ran.out);
    let ran = compare("spins.aut stops.aut --relation failures-divergences --refines");
    assert!(ran.out.contains("go on silently forever"), "{}", ran.out);
    let ran = compare("choice.aut commit.aut --relation strong");
    assert!(ran.out.contains("This holds in choice.aut and not in commit.aut:"), "{}", ran.out);
}

#[test]
fn systems_that_differ_only_deep_down_are_told_apart_by_a_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let chain = |length: u32| {
        let steps: Vec<String> = (0..length).map(|i| format!("({i},\"a\",{})\n", i + 1)).collect();
        let text = format!("des (0,{length},{})\n{}", length + 1, steps.concat());
        let path = folder.path().join(format!("{length}.aut"));
        std::fs::write(&path, text).expect("it can be written");
        path
    };
    let mut command = linchpin();
    command.args(["compare", "--relation", "strong", "--quiet"]).args([chain(3000), chain(3001)]);
    let ran = ended(command.output().expect("it starts"));
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("    3001  a\n  and "), "{}", ran.out);
    assert!(ran.out.ends_with("3000.aut can do nothing any more.\n"), "{}", ran.out);
}

#[test]
fn json_has_the_evidence() {
    let ran = compare("commit.aut choice.aut --relation failures --refines --format json");
    let value: serde_json::Value = serde_json::from_str(&ran.out).expect("one object");
    assert_eq!(value["related"], false);
    assert_eq!(value["evidence"]["steps"], serde_json::json!(["coin"]));
    assert_eq!(value["evidence"]["reason"]["kind"], "refusal");
    let ran = compare("choice.aut commit.aut --relation branching --format json");
    let value: serde_json::Value = serde_json::from_str(&ran.out).expect("one object");
    assert!(value["evidence"]["formula"][0].is_string(), "{value}");
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let ran = run("reduce broken.aut");
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.err, "error: broken.aut: line 3: state 2 is not one of the 2 states\n");
    let ran = run("reduce nowhere.aut");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("nowhere.aut: cannot read the file"), "{}", ran.err);
    let ran = run("lts ../models");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the name does not say which language this is"), "{}", ran.err);
    let ran = compare("choice.aut choice.aut --relation strong --refines");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`strong` is an equivalence"), "{}", ran.err);
}

#[test]
fn processes_of_a_csp_file_are_named_after_the_file() {
    let pair = "machines.csp:Commit machines.csp:Choice";
    assert_eq!(compare(&format!("{pair} --relation weak-trace")).code, Some(0));
    assert_eq!(compare(&format!("{pair} --relation failures --refines")).code, Some(1));
    let ran = compare("machines.csp:Choice choice.aut --relation branching");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for (model, message) in [
        ("machines.csp", "say which process is meant"),
        ("machines.csp:Nobody", "there is no process `Nobody`"),
    ] {
        let ran = run(&format!("lts {model}"));
        assert_eq!(ran.code, Some(2), "{model}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}

#[test]
fn systems_are_reduced_and_written_in_three_ways() {
    let ran = run("reduce choice.aut --modulo branching");
    assert_eq!(ran.out, "des (0,3,2)\n(0,\"coin\",1)\n(1,\"coffee\",0)\n(1,\"tea\",0)\n");
    assert!(ran.err.contains("4 states, 5 steps, reduced to 2 states, 3 steps"), "{}", ran.err);
    let ran = run("lts commit.aut --format cadp --quiet");
    assert!(ran.out.starts_with("des (0, 4, 3)\n(0, \"coin\", 1)\n"), "{}", ran.out);
    let ran = run("lts spins.aut --format dot --quiet");
    assert!(ran.out.contains("1 -> 1 [label=\"tau\", style=dashed];"), "{}", ran.out);
}

#[test]
fn a_file_is_written_and_read_from_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.aut");
    let mut command = linchpin();
    command.args(["lts", "counter.lin", "--check", "Atomic", "--quiet", "-o"]).arg(&path);
    let ran = ended(command.output().expect("it starts"));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    let file = std::fs::File::open(&path).expect("it was written");
    let mut command = linchpin();
    command.args(["compare", "-", "counter.lin", "--check", "Atomic", "--relation", "strong"]);
    command.args(["--quiet"]).stdin(Stdio::from(file));
    let ran = ended(command.output().expect("it starts"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let text = std::fs::read_to_string(&path).expect("it is text");
    assert!(text.contains("\"T1: call "), "{text}");
    assert!(text.contains("\"T2: return "), "{text}");
}

#[test]
fn a_large_system_is_not_drawn_and_a_limit_ends_with_3() {
    let stack = "lts ../../../../corpus/lin/treiber_stack/gc.lin --threads 2 --ops 3";
    let ran = run(&format!("{stack} --format dot"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("cannot be looked at"), "{}", ran.err);
    let ran = run(&format!("{stack} --max-states 3000 --quiet"));
    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("unknown"), "{}", ran.err);
}
