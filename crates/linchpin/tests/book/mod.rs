//! The listings of the book, and what is printed about them: this program is run once more, as a user would.

use std::fs;
use std::path::Path;
use std::process::Command;

mod counter;
mod mailbox;
mod max;
mod max_broken;

/// What a test of this program prints about its failure.
fn printed(test: &str, replay: &str) -> String {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env("LINCHPIN_REPLAY", replay)
        .env_remove("LINCHPIN_BUDGET")
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stderr).expect("a text");
    let from = text.find("linchpin: ").unwrap_or_else(|| panic!("nothing is printed:\n{text}"));
    let lines = text[from..].lines();
    let mut kept: Vec<&str> = Vec::new();
    for line in lines {
        kept.push(line);
        if line.starts_with("LINCHPIN_REPLAY=") {
            break;
        }
    }
    kept.join("\n") + "\n"
}

#[test]
fn the_output_in_the_book_is_what_is_printed() {
    let text = printed("book::max_broken::max", "");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book/max_broken.txt");
    if std::env::var("LINCHPIN_BLESS").is_ok() {
        fs::write(&path, &text).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_replay_shows_the_same_execution() {
    let text = printed("book::max_broken::max", "");
    let replay = text.lines().last().and_then(|l| l.strip_prefix("LINCHPIN_REPLAY=")).unwrap();
    let replay = replay.split(' ').next().unwrap();
    let again = printed("book::max_broken::max", replay);
    let schedule = |text: &str| text.split("\nfound").next().unwrap_or("").to_string();
    let replayed = again.split("\nreplayed").next().unwrap_or("").to_string();
    assert_eq!(schedule(&text), replayed);
    assert!(again.contains("replayed after 1 execution,"), "{again}");
}

#[test]
fn a_replay_of_something_else_is_refused() {
    for wrong in ["0.7,0@1x2", "nonsense", "0,0@1x99999999999", "0@", "9999999.1@1"] {
        let program = std::env::current_exe().expect("this program");
        let output = Command::new(program)
            .args(["--exact", "book::max::max", "--nocapture"])
            .env("LINCHPIN_REPLAY", wrong)
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let refused =
            text.contains("is no execution of this test") || text.contains("cannot be followed");
        assert!(refused, "{wrong}: {text}");
    }
}
