//! Given points and inferred points.

use serde_json::Value;

use crate::run::{approved, run};

/// The text without the figures of the search.
fn steady(text: &str) -> String {
    let line = |l: &str| match l.contains(" candidates, ") {
        true => "  [figures]".to_string(),
        false => l.to_string(),
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

#[test]
fn points_that_are_wrong_are_told_from_an_object_that_is_wrong() {
    let early = run("check points.lin --check Early");
    assert_eq!(early.code, Some(1));
    approved("points_early.txt", &early.out);
    let lossy = run("check points.lin --check Lossy");
    assert_eq!(lossy.code, Some(1));
    approved("points_lossy.txt", &lossy.out);
    assert_eq!(run("check points.lin --check Marked").code, Some(0));
}

#[test]
fn the_kind_of_violation_says_who_is_wrong() {
    let kind = |check: &str| {
        let ran = run(&format!("check points.lin --check {check} --format json"));
        let object: Value = serde_json::from_str(ran.out.trim()).unwrap();
        object["violation"]["kind"].as_str().unwrap().to_string()
    };
    assert_eq!(kind("Early"), "not_linearizable_at_its_points");
    assert_eq!(kind("Lossy"), "not_linearizable");
}

#[test]
fn points_are_found_and_shown_in_the_source() {
    let ran = run("points stack.lin");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    approved("points_found.txt", &steady(&ran.out));
}

#[test]
fn the_source_with_points_passes_the_check_of_points() {
    let ran = run("points stack.lin --format json");
    let object: Value = serde_json::from_str(ran.out.trim()).unwrap();
    assert_eq!(object["answer"], "points");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marked.lin");
    let text = object["source"].as_str().unwrap();
    let text =
        text.replace("check Stack against StackSpec", "check Stack against StackSpec points");
    std::fs::write(&path, &text).unwrap();
    let ran = run(&format!("check {} --check Stack -q", path.display()));
    assert_eq!(ran.code, Some(0), "{}{}\n{text}", ran.out, ran.err);
    assert!(ran.out.contains("linearizable at its points"), "{}", ran.out);
}

#[test]
fn an_operation_without_points_is_named_with_two_executions() {
    let ran = run("points no_points.lin");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    approved("points_none.txt", &steady(&ran.out));
    assert!(ran.out.lines().all(|l| l.chars().count() <= 80), "{}", ran.out);
    let ran = run("points no_points.lin --format json");
    let object: Value = serde_json::from_str(ran.out.trim()).unwrap();
    assert_eq!(object["without"][0]["operation"], "enqueue");
    assert_eq!(object["without"][0]["executions"].as_array().unwrap().len(), 2);
}

#[test]
fn points_that_the_file_marks_are_candidates_and_wrong_ones_go() {
    let ran = run("points points.lin --check Early");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    approved("points_moved.txt", &steady(&ran.out));
}

#[test]
fn statements_that_are_never_reached_have_no_points() {
    let ran = run("points dead_return.lin");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let marked: Vec<&str> = ran.out.lines().filter(|line| line.ends_with("  point")).collect();
    assert_eq!(marked.len(), 1, "{}", ran.out);
    // As many as without the second `return`.
    assert!(ran.out.contains("  2 candidates, "), "{}", ran.out);
}

#[test]
fn other_ends_of_the_search_have_their_exit_codes() {
    assert_eq!(run("points stack.lin --check late").code, Some(1));
    assert_eq!(run("points stack.lin --proposals 1").code, Some(3));
    assert_eq!(run("points stack.lin --max-states 2").code, Some(3));
    assert_eq!(run("points stack.lin --check nothing").code, Some(2));
    assert_eq!(run("points missing.lin").code, Some(2));
    assert_eq!(run("points no_checks.lin").code, Some(2));
    approved("help_points.txt", &run("points --help").out);
}
