//! Reports for programs.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::run::run;

/// The objects that a run wrote.
fn objects(arguments: &str) -> Vec<Value> {
    let ran = run(arguments);
    assert_eq!(ran.err, "", "everything is in the objects");
    ran.out.lines().map(|line| serde_json::from_str(line).expect("an object per line")).collect()
}

#[test]
fn every_check_has_an_object_of_its_own() {
    let all = objects("check counter.lin stack.lin --format json");
    let names: Vec<_> = all.iter().map(|o| (&o["file"], &o["check"], &o["verdict"])).collect();
    let expected = [
        ("counter.lin", "Counter", "violated"),
        ("counter.lin", "Atomic", "holds"),
        ("stack.lin", "Stack", "holds"),
        ("stack.lin", "late", "violated"),
        ("stack.lin", "forever", "holds"),
    ];
    assert_eq!(names.len(), expected.len());
    for (found, expected) in names.iter().zip(expected) {
        assert_eq!(
            (found.0, found.1, found.2),
            (&expected.0.into(), &expected.1.into(), &expected.2.into())
        );
    }
    assert!(all.iter().all(|o| o["schema"] == "linchpin-check/1"));
}

#[test]
fn a_witness_has_history_schedule_and_reason() {
    let object = &objects("check counter.lin --check Counter --format json")[0];
    assert_eq!(object["violation"]["kind"], "not_linearizable");
    assert_eq!(object["as_expected"], true);
    assert_eq!(object["bounds"]["text"], "2 threads, 1 operation each");
    let witness = &object["witness"];
    assert_eq!(witness["threads"], serde_json::json!(["thread", "thread"]));
    assert_eq!(witness["history"].as_array().unwrap().len(), 2);
    assert_eq!(witness["history"][0]["call"], "increment()");
    assert_eq!(witness["failure"]["allowed"][0], "1");
    let actions: Vec<_> = witness["schedule"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["call", "read", "call", "read", "write", "return", "write", "return"]);
    assert!(witness["replay"]["turns"].as_array().is_some_and(|t| !t.is_empty()));
}

#[test]
fn faults_deadlocks_and_limits_have_names() {
    let fault = &objects("check fault.lin --format json")[0];
    assert_eq!(fault["violation"]["fault"], "null_dereference");
    assert_eq!(fault["witness"]["failure"]["line"], 11);
    let deadlock = &objects("check locks.lin --format json")[0];
    assert_eq!(deadlock["violation"]["kind"], "deadlock");
    assert_eq!(deadlock["witness"]["failure"]["waiting"].as_array().unwrap().len(), 2);
    let unknown = &objects("check stack.lin --check Stack --max-states 9 --format json")[0];
    assert_eq!((&unknown["verdict"], &unknown["limit"]), (&"unknown".into(), &"states".into()));
}

#[test]
fn bad_input_is_an_object_too() {
    let kind = |arguments: &str| {
        let object = objects(&format!("check {arguments} --format json")).pop().unwrap();
        assert_eq!(object["verdict"], "error");
        assert!(object["error"]["message"].as_str().is_some_and(|m| !m.is_empty()));
        object["error"]["kind"].as_str().unwrap().to_string()
    };
    assert_eq!(kind("missing.lin"), "unreadable");
    assert_eq!(kind("wrong.lin"), "diagnostics");
    assert_eq!(kind("no_checks.lin"), "no_such_check");
    assert_eq!(kind("locks.lin --check Nope"), "no_such_check");
    assert_eq!(kind("spec_fault.lin"), "specification");
    assert_eq!(kind("roles.lin --check Register --threads 2"), "bounds");
    let wrong = &objects("check misspelt.lin --format json")[0];
    let diagnostic = &wrong["error"]["diagnostics"][0];
    assert_eq!((&diagnostic["at"]["line"], &diagnostic["severity"]), (&3.into(), &"error".into()));
    assert_eq!(diagnostic["edits"][0]["replacement"], "count");
}

/// All names of fields in a value, except below names that are data themselves.
fn fields(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| fields(v, names)),
        Value::Object(object) => {
            for (name, value) in object {
                names.insert(name.clone());
                if !["params", "values"].contains(&name.as_str()) {
                    fields(value, names);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-schema.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut names = BTreeSet::new();
    for arguments in [
        "counter.lin stack.lin roles.lin",
        "fault.lin locks.lin wrong.lin misspelt.lin",
        "missing.lin spec_fault.lin",
    ] {
        for object in objects(&format!("check {arguments} --format json")) {
            fields(&object, &mut names);
        }
    }
    assert!(names.len() > 40, "{names:?}");
    let missing: Vec<_> = names.iter().filter(|n| !text.contains(&format!("`{n}`"))).collect();
    assert!(missing.is_empty(), "not in docs/json-schema.md: {missing:?}");
}
