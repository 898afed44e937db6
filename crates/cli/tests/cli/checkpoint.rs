//! Checkpoints: nothing is lost when a run is ended, and nothing is believed that is not of the same run.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::run::{Ran, ended, linchpin};

const MODEL: &str = "corpus/lin/treiber_stack/gc.lin";
const CHECK: &str = "check m.lin --check TreiberStack --threads 3 --ops 2";
/// What is kept of its second search. (The first ends at once: what it assumes to be set once is not.)
const SEARCH: &str = "kept/search-2";

/// A folder with a model.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(MODEL);
    fs::copy(model, folder.path().join("m.lin")).expect("it can be copied");
    folder
}

fn inside(folder: &TempDir, arguments: &str) -> Ran {
    let mut command = linchpin();
    command.current_dir(folder.path()).args(arguments.split_whitespace());
    ended(command.output().expect("it starts"))
}

/// A folder with a run that was ended by a limit.
fn stopped() -> TempDir {
    let folder = folder();
    let ran = inside(&folder, &format!("{CHECK} --max-states 1000 --checkpoint kept"));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("to go on: the same command with `--resume kept`"), "{}", ran.err);
    folder
}

/// The verdict and the counts, without time and memory.
fn figures(ran: &Ran) -> String {
    ran.out.split(", depth").next().unwrap_or_default().to_string()
}

#[test]
fn a_run_that_was_ended_by_a_limit_goes_on_and_cleans_up() {
    let folder = stopped();
    let kept = folder.path().join("kept");
    assert!(kept.join("run").exists() && folder.path().join(SEARCH).exists());
    // As often as it takes.
    let again = inside(&folder, &format!("{CHECK} --max-states 1500 --resume kept --quiet"));
    assert_eq!(again.code, Some(3), "{}", again.err);
    let ran = inside(&folder, &format!("{CHECK} --workers 2 --resume kept"));
    let whole = inside(&folder, CHECK);
    assert_eq!((ran.code, figures(&ran)), (Some(0), figures(&whole)), "{}", ran.err);
    assert!(figures(&ran).contains("1 914 states"), "{}", ran.out);
    assert!(!kept.exists(), "it is removed when there is an answer");
}

#[test]
fn what_was_there_before_is_neither_overwritten_nor_removed() {
    let folder = stopped();
    let ran = inside(&folder, &format!("{CHECK} --checkpoint kept"));
    assert_eq!(ran.code, Some(2));
    let expected = "there is a checkpoint in `kept` already: go on with it (`--resume kept`), or";
    assert!(ran.err.contains(expected), "{}", ran.err);
    fs::write(folder.path().join("kept/notes.txt"), "mine").expect("it can be written");
    let ran = inside(&folder, &format!("{CHECK} --resume kept"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let left: Vec<_> = fs::read_dir(folder.path().join("kept")).expect("it is there").collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn a_checkpoint_of_something_else_is_refused_with_the_reason() {
    let folder = stopped();
    let path = |name: &str| folder.path().join(name);
    let refused = |arguments: &str, reason: &str| {
        let ran = inside(&folder, arguments);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.out);
        assert!(ran.err.contains(reason), "{}", ran.err);
    };
    let resumed = &format!("{CHECK} --resume kept");
    let other = resumed.replace("--threads 3", "--threads 4");
    refused(&other, "then: linchpin check m.lin --check TreiberStack --threads 3 --ops 2");
    refused(&format!("{CHECK} --no-heap --resume kept"), "another question");
    refused(&format!("{CHECK} --resume nowhere"), "there is no checkpoint in `nowhere`");
    refused(&format!("{CHECK} --checkpoint-every 1s"), "needs `--checkpoint` or `--resume`");
    refused(
        "check - --language lin --checkpoint new",
        "standard input is not there for another run",
    );
    refused(&format!("{resumed} --checkpoint new"), "cannot be used with");

    let model = fs::read_to_string(path("m.lin")).expect("it can be read");
    fs::write(path("m.lin"), format!("{model}\n")).expect("it can be written");
    refused(resumed, "`m.lin` has changed since the checkpoint in `kept` was written");
    fs::write(path("m.lin"), model).expect("it can be written");

    let run = fs::read_to_string(path("kept/run")).expect("it can be read");
    fs::write(path("kept/run"), run.replacen("linchpin ", "linchpin 7", 1)).expect("it can be");
    refused(resumed, "is of linchpin 7");
    fs::write(path("kept/run"), run).expect("it can be written");

    let whole = fs::read(path(SEARCH)).expect("it can be read");
    for damaged in [whole[..whole.len() / 2].to_vec(), whole[..2].to_vec(), {
        let mut bytes = whole.clone();
        bytes[whole.len() / 2] ^= 4;
        bytes
    }] {
        fs::write(path(SEARCH), damaged).expect("it can be written");
        refused(resumed, &format!("`{SEARCH}`"));
    }
    fs::write(path(SEARCH), whole).expect("it can be written");
    assert_eq!(inside(&folder, resumed).code, Some(0));
}

#[test]
fn a_search_that_cannot_be_kept_goes_on_without_it() {
    let folder = folder();
    // Where the file should be there is a directory.
    fs::create_dir_all(folder.path().join(SEARCH)).expect("it can be made");
    let ran = inside(&folder, &format!("{CHECK} --checkpoint kept --checkpoint-every 1ms"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let expected = "the checkpoint could not be written: this is a directory; the search goes on";
    assert_eq!(ran.err.matches(expected).count(), 1, "{}", ran.err);
}

#[test]
fn changed_csharp_code_is_another_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let code = "namespace PAT.Lib { public class Step { public static int next(int n) { return n + 1; } } }";
    write("Step.cs", code);
    write(
        "m.csp",
        "#import \"PAT.Lib.Step\"; var x = 0; var y = 0; P = [x < 99] a{x = call(next, x);} -> P; \
         Q = [y < 99] b{y = call(next, y);} -> Q; R = P ||| Q; #define far x == 99 && y == 99; #assert R reaches far;",
    );
    let ran = inside(&folder, "check m.csp --max-states 1000 --checkpoint kept");
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    write("Step.cs", &code.replace("n + 1", "n + 2"));
    let ran = inside(&folder, "check m.csp --resume kept");
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(
        ran.err.contains("`Step.cs` has changed since the checkpoint in `kept`"),
        "{}",
        ran.err
    );
    write("Step.cs", code);
    assert_eq!(inside(&folder, "check m.csp --resume kept").code, Some(0));
}
