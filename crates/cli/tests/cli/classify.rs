//! Other conditions than linearizability: reports, and `--classify`.

use serde_json::Value as Json;

use crate::run::{approved, ended, linchpin, models, run};
use crate::sample::size;

#[test]
fn an_order_that_cannot_be_kept_is_shown_with_two_ways_to_go_on() {
    approved("not_strong.txt", &run("check network.lin --check Places").out);
}

#[test]
fn a_history_that_is_not_sequentially_consistent_is_explained() {
    let ran = run("check network.lin --check Network/sequential");
    approved("not_sequential.txt", &ran.out);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn clients_without_bounds_are_refused_by_name() {
    let ran = run("check network.lin --check endless");
    assert!(ran.err.contains("`sequential` needs bounded clients (`ops n`)"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn all_conditions_are_decided_and_the_weakest_violated_one_comes_first() {
    let ran = run("check network.lin --classify --check Network/quiescent --check Places");
    approved("classify.txt", &ran.out);
    assert_eq!(ran.code, Some(0));
    // The first line names the bounds, which can be long.
    let long = |line: &&str| line.starts_with("  ") && line.chars().count() > 80;
    assert_eq!(ran.out.lines().find(long), None);
}

#[test]
fn what_cannot_be_decided_is_said() {
    let ran = run("check network.lin --classify --check Places --max-states 10");
    assert!(ran.out.contains("Nothing could be decided."), "{}", ran.out);
    assert_eq!(ran.code, Some(3));
    let ran = run("check network.lin --classify --check endless --max-states 3000");
    assert!(ran.out.contains("`sequential` needs bounded clients (`ops n`)"), "{}", ran.out);
}

/// Conditions meet models here that were written for other conditions: seven files of the corpus ended in a
/// panic once.
#[test]
fn every_model_of_the_corpus_can_be_classified() {
    let (states, time) = size(("200", "60s"), ("3000", "5s"));
    let corpus = models().join("../../../../corpus/lin");
    let mut command = linchpin();
    command.args(["check", "--classify", "--format", "json", "--max-states", states]);
    let ran = ended(command.args(["--timeout", time]).arg(corpus).output().expect("it starts"));
    let objects: Vec<Json> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(objects.len() > 400, "{}", objects.len());
    for object in objects {
        assert_eq!(object["schema"], "linchpin-classify/1", "{object}");
    }
    assert!(matches!(ran.code, Some(0 | 3)), "{:?}\n{}", ran.code, ran.err);
}

#[test]
fn a_classification_can_be_read_by_programs() {
    let ran = run("check network.lin --classify --check Network/quiescent --format json");
    let object: Json = serde_json::from_str(ran.out.trim()).expect("JSON");
    assert_eq!(object["schema"], "linchpin-classify/1");
    assert_eq!(object["check"], "Network");
    assert_eq!(object["holds"], serde_json::json!(["quiescent"]));
    assert_eq!(object["violated"], serde_json::json!(["sequential", "linearizable", "strong"]));
    let conditions = object["conditions"].as_array().expect("an array");
    assert_eq!(conditions.len(), 4);
    assert_eq!(conditions[0]["as_expected"], true);
    assert_eq!(conditions[1]["violation"]["kind"], "not_sequentially_consistent");
    assert!(conditions[1]["witness"]["failure"]["because"].is_array());
}

#[test]
fn the_ways_to_go_on_can_be_read_by_programs() {
    let ran = run("check network.lin --check Places --format json");
    let object: Json = serde_json::from_str(ran.out.trim()).expect("JSON");
    assert_eq!(object["violation"]["kind"], "not_strongly_linearizable");
    let ways = object["witness"]["failure"]["continuations"].as_array().expect("an array");
    assert_eq!(ways.len(), 2);
    assert!(ways.iter().all(|w| w["replay"]["turns"].is_array() && w["leaves"].is_array()));
    assert_ne!(ways[0]["leaves"], ways[1]["leaves"]);
}
