//! `LINCHPIN_REPORT`: this program is run once more, and the page it writes is read.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// The page of a test of this program, and the data in it.
fn page(test: &str) -> (String, Json) {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test.replace("::", "."));
    let file = folder.join(format!("{}.html", test.replace("::", ".")));
    let _ = std::fs::remove_file(&file);
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env("LINCHPIN_REPORT", &folder)
        .env_remove("LINCHPIN_BUDGET")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{e}: {said}"));
    let (_, data) = text.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data = serde_json::from_str(data).expect("JSON");
    (text, data)
}

/// The whole source has to be there, and every step must lead to a line of it.
fn lines_are_in_the_source(data: &Json) {
    let witness = &data["checks"][0]["witness"];
    for step in witness["steps"].as_array().expect("steps") {
        let source = &data["sources"][step["source"].as_u64().expect("a file") as usize];
        let line = step["line"].as_u64().expect("a line") as usize;
        assert!(source["text"].as_str().is_some_and(|t| t.lines().count() >= line), "{step}");
    }
    let frames = witness["frames"].as_array().map(Vec::len);
    assert_eq!(frames, witness["steps"].as_array().map(|s| s.len() + 1));
}

#[test]
fn a_violation_is_a_page_with_history_order_reason_and_schedule() {
    let (text, data) = page("structures::treiber::treiber_with_a_blind_push");
    lines_are_in_the_source(&data);
    let check = &data["checks"][0];
    assert_eq!(
        (&check["verdict"], &check["headline"]),
        (&"violated".into(), &"not linearizable".into())
    );
    assert!(
        check["command"].as_str().is_some_and(|c| c.starts_with("LINCHPIN_REPLAY=")),
        "{check}"
    );
    let witness = &check["witness"];
    let operations = witness["operations"].as_array().expect("operations");
    let attempt = &witness["attempts"][0];
    let placed = attempt["order"]["steps"].as_array().expect("an order");
    let stuck = attempt["stuck"].as_array().expect("what cannot be next");
    // Every operation is in the order or cannot be next; the order has the states of the specification.
    assert_eq!(placed.len() + stuck.len(), operations.len());
    assert!(
        !stuck.is_empty()
            && placed.iter().all(|s| s["state"].as_str().is_some_and(|t| t.starts_with('[')))
    );
    assert!(witness["because"][0].as_str().is_some_and(|b| b.starts_with("No order")), "{witness}");
    let entries = witness["entries"].as_array().expect("a schedule");
    let blind = |e: &&Json| e["text"] == "return self.head.store(node, Release)";
    assert!(
        entries.iter().filter(blind).all(|e| e["effect"].as_str().unwrap().starts_with("writes #"))
    );
    assert_eq!(entries.iter().filter(blind).count(), 2);
    // Without scripts there is the text.
    assert!(text.contains("No order of these operations is one of the specification."));
}

#[test]
fn a_specification_of_a_file_has_its_states_on_the_page() {
    let (_, data) = page("structures::treiber::treiber_with_a_blind_push_by_a_file");
    let order = &data["checks"][0]["witness"]["attempts"][0]["order"];
    assert_eq!(order["initial"], "items = []");
    assert_eq!(order["steps"][0]["state"], "items = [3]");
}

#[test]
fn what_holds_is_a_page_with_figures() {
    let (_, data) = page("structures::treiber::treiber");
    let check = &data["checks"][0];
    assert_eq!((&check["verdict"], &check["witness"]), (&"holds".into(), &Json::Null));
    assert!(check["figures"][0][1].as_str().is_some_and(|n| n.parse::<u32>().unwrap() > 46));
}

#[test]
#[ignore = "fails: its page is read by another test"]
fn two_who_wait_for_each_other() {
    use linchpin::sync::{Arc, Mutex};
    linchpin::model(|| {
        let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
        let other = locks.clone();
        let thread = linchpin::thread::spawn(move || {
            let _second = other.1.lock();
            let _first = other.0.lock();
        });
        let first = locks.0.lock();
        let second = locks.1.lock();
        drop((first, second));
        thread.join().unwrap();
    });
}

#[test]
fn a_deadlock_is_a_page_with_a_schedule() {
    let (_, data) = page("page::two_who_wait_for_each_other");
    lines_are_in_the_source(&data);
    let check = &data["checks"][0];
    assert_eq!(check["headline"], "a deadlock");
    let command = check["command"].as_str().unwrap_or_default();
    assert!(command.ends_with(" cargo test two_who_wait_for_each_other"), "{command}");
    assert_eq!(check["witness"]["names"][1], "T0");
    assert!(check["witness"]["because"].as_array().is_some_and(|b| b.len() == 2), "{check}");
}
