//! What there is one of stays one: the search, the threads, the table, the component search, the verdict.
//!
//! A second exploration loop, a second hash table or a second way to find components would have to be made
//! parallel, counted, limited and trusted again. This test looks for what such code cannot do
//! without, and names the places that have it for another reason.

use std::fs;
use std::path::{Path, PathBuf};

/// Source files of the crates that are shipped, with their paths from the root and without their tests.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut todo: Vec<PathBuf> = vec![root.join("crates")];
    let mut found = Vec::new();
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(&root).expect("below the root").display().to_string();
            let skipped = ["tests", "testkit", "xtask", "assets", "examples", "target"];
            if path.is_dir() {
                if !skipped.iter().any(|s| path.ends_with(s)) {
                    todo.push(path);
                }
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).expect("a text");
                let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
                found.push((name, shipped.to_string()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 200, "only {} files", found.len());
    found
}

/// The files in which one of the pieces occurs are exactly these.
fn only_in(pieces: &[&str], files: &[&str]) {
    let sources = sources();
    let has = |(_, text): &&(String, String)| pieces.iter().any(|piece| text.contains(piece));
    let found: Vec<&str> = sources.iter().filter(has).map(|(name, _)| name.as_str()).collect();
    assert_eq!(found, files, "{pieces:?}");
}

#[test]
fn exploration_is_the_engine_s() {
    // Queues that are none of states to be explored: control points of a process, blocks of a partition, jobs of
    // an editor; and the judge, which must not link the engine.
    only_in(
        &["VecDeque", "BinaryHeap"],
        &[
            "crates/csp/src/operations.rs",
            "crates/evidence/src/deadlock.rs",
            // The name of a type of another language.
            "crates/lin/src/syntax/elaborate/habits.rs",
            "crates/lsp/src/jobs.rs",
            "crates/relations/src/reduce/signatures.rs",
        ],
    );
}

#[test]
fn threads_are_started_in_one_place_of_the_search_and_by_the_language_server() {
    only_in(
        &["thread::scope", "thread::spawn", "thread::Builder"],
        &[
            // One for each question of a page.
            "crates/cli/src/explore/http.rs",
            // One that reads standard input, so that limits are kept meanwhile.
            "crates/cli/src/growing.rs",
            // One that waits for the others to end.
            "crates/cluster/src/link.rs",
            "crates/engine/src/workers.rs",
            // That of `std` outside a test, and words about ours.
            "crates/linchpin/src/model.rs",
            "crates/linchpin/src/runtime/foreign.rs",
            // One that watches for code that waits for ever.
            "crates/linchpin/src/runtime/patience.rs",
            "crates/linchpin/src/thread.rs",
            // One that reads from the editor and one that writes to it.
            "crates/lsp/src/frames.rs",
            "crates/lsp/src/runner.rs",
        ],
    );
}

#[test]
fn there_is_one_open_addressing_table() {
    only_in(
        &["+ 1) & mask", "+ 1) & (size - 1)", "linear probing"],
        &["crates/engine/src/table.rs"],
    );
}

#[test]
fn there_is_one_component_search() {
    let pieces = [" low[", "(low[", "lowlink", "left.pop_if(", "Depth-first search and linear"];
    only_in(&pieces, &["crates/engine/src/components.rs"]);
}

#[test]
fn there_is_one_antichain() {
    only_in(&["fn drop_covered"], &["crates/engine/src/store.rs"]);
}

#[test]
fn there_is_one_verdict_one_limit_one_budget_one_meter_and_one_watch() {
    only_in(&["pub enum Verdict"], &["crates/lts/src/outcome.rs"]);
    only_in(&["pub enum Limit"], &["crates/lts/src/outcome.rs"]);
    only_in(&["pub struct Budget"], &["crates/engine/src/budget.rs"]);
    only_in(&["struct Meter"], &["crates/engine/src/meter.rs"]);
    only_in(&["pub struct Watch"], &["crates/lts/src/watch.rs"]);
}

/// `deny.toml` says the same to cargo-deny; this needs nothing.
#[test]
fn everything_that_is_linked_comes_from_the_public_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("a lock file");
    let sources: Vec<&str> = lock.lines().filter_map(|l| l.strip_prefix("source = ")).collect();
    assert!(sources.len() > 20, "{}", sources.len());
    let registry = |source: &&str| source.starts_with("\"registry+") && *source == sources[0];
    assert!(sources.iter().all(registry), "{sources:?}");
}
