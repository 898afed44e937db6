//! mCRL2 specifications on the command line.

use crate::run::run;

const CORPUS: &str = "../../../../corpus/mcrl2";

#[test]
fn a_stack_is_compared_with_its_atomic_version() {
    let ran = run(&format!("check {CORPUS}/treiber_stack.mcrl2 --atomic"));
    assert!(
        ran.out.contains("treiber_stack.mcrl2: linearizable, with these clients"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("yes (237 classes of states)"), "{}", ran.out);
    assert!(ran.out.contains("1 724 states, 3 275 steps, against 1 662 states, 2 121 steps"));
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_queue_is_refuted_by_a_history() {
    let ran = run(&format!("check {CORPUS}/shann_queue.mcrl2 --atomic"));
    assert!(ran.out.contains("shann_queue.mcrl2: NOT linearizable"), "{}", ran.out);
    assert!(ran.out.contains("can only do ReturnDequeue("), "{}", ran.out);
    assert_eq!(ran.code, Some(1));
    let ran = run(&format!("check {CORPUS}/shann_queue.mcrl2 --atomic --format json"));
    let value: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(value["holds"], false);
    assert_eq!(value["weak_traces_equal"], false);
    assert_eq!(value["trace"].as_array().map(Vec::len), Some(5), "{value}");
}

#[test]
fn bisimilarity_is_said_to_be_sufficient_only() {
    let ran = run(&format!("check {CORPUS}/shann_queue.mcrl2 --atomic --threads 2 --ops 1"));
    assert!(ran.out.contains("linearizable, with these clients"), "{}", ran.out);
    assert!(ran.out.contains("bisimilarity is sufficient, not necessary"), "{}", ran.out);
    assert!(ran.out.contains("weak traces: the same"), "{}", ran.out);
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_specification_is_compared_with_another() {
    let file = format!("{CORPUS}/treiber_stack.mcrl2");
    let ran = run(&format!("check {file} --against {CORPUS}/coarse_set.mcrl2"));
    assert!(ran.out.contains("has a history that is NOT allowed"), "{}", ran.out);
    assert_eq!(ran.code, Some(1));
    let ran = run(&format!("check {file} --against {file} --quiet"));
    assert!(ran.out.contains("every history is allowed"), "{}", ran.out);
    assert_eq!(ran.code, Some(0));
    let ran = run(&format!("check {file}"));
    assert!(ran.err.contains("--atomic"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn mistakes_and_trouble_are_shown_with_their_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.display().to_string()
    };
    let wrong = file("wrong.mcrl2", "act a: Nat;\ninit a(true) . b;\n");
    let ran = run(&format!("lts {wrong}"));
    assert!(ran.err.contains("error[M005]") && ran.err.contains("wrong.mcrl2:2"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
    let infinite = file("infinite.mcrl2", "act a: Nat;\ninit sum n: Nat. a(n);\n");
    let ran = run(&format!("lts {infinite}"));
    assert!(ran.err.contains("infinite sort `Nat`"), "{}", ran.err);
    assert!(ran.err.contains("infinite.mcrl2:2"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
    let silent = file("silent.mcrl2", "act a;\ninit a;\n");
    let ran = run(&format!("check {silent} --atomic"));
    assert!(ran.err.contains("no process does an invocation"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
}
