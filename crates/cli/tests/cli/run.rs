//! Running the program, and comparing what it prints with what was approved.
//!
//! `LINCHPIN_BLESS=1 cargo test -p linchpin-cli` approves what is printed now; look at the difference
//! before you commit it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

/// The folder with the models; the program runs there.
pub(crate) fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// The program, in the folder of the models, in an environment without surprises.
pub(crate) fn linchpin() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
    command.current_dir(models()).env_clear().env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command
}

/// Runs the program with these arguments, separated by spaces.
pub(crate) fn run(arguments: &str) -> Ran {
    ended(linchpin().args(arguments.split_whitespace()).output().expect("it starts"))
}

/// Simulates with these answers to the questions.
pub(crate) fn simulate(arguments: &str, answers: &str) -> Ran {
    let mut child = linchpin()
        .arg("simulate")
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut questions = child.stdin.take().expect("it is asked");
    questions.write_all(answers.as_bytes()).expect("it listens");
    drop(questions);
    ended(child.wait_with_output().expect("it ends"))
}

pub(crate) fn ended(output: Output) -> Ran {
    Ran {
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
        code: output.status.code(),
    }
}

/// Compares with the approved text of that name.
#[track_caller]
pub(crate) fn approved(name: &str, text: &str) {
    let text = without_figures(text);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("LINCHPIN_BLESS").is_some() {
        std::fs::write(&path, &text).expect("it can be written");
        return;
    }
    let golden = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; approve it with LINCHPIN_BLESS=1", path.display()));
    assert!(
        golden == text,
        "{name} is not as approved (LINCHPIN_BLESS=1 approves it)\n\
         --- approved\n{golden}\n--- now\n{text}"
    );
}

/// `... 12 345 states`
fn ends_with_states(line: &str) -> bool {
    line.strip_suffix(" states").is_some_and(|l| l.ends_with(|c: char| c.is_ascii_digit()))
}

/// The text without the figures of searches: they change with every improvement of the search, and
/// times and sizes with the machine.
fn without_figures(text: &str) -> String {
    let line = |line: &str| match line {
        l if l.starts_with("  ")
            && (l.contains(" transitions, depth ") || l.contains(" transition, depth ")) =>
        {
            "  [figures]".to_string()
        }
        l if l.contains(" checks: ") && l.contains(" unknown; ") => {
            let (counts, _) = l.split_once(" unknown; ").unwrap_or((l, ""));
            format!("{counts} unknown; [figures]")
        }
        l if l.starts_with("  ") && ends_with_states(l) => {
            let l = l.trim_end_matches(" states");
            let l = l.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
            format!("{l}  [n] states")
        }
        l => l.to_string(),
    };
    text.lines().map(|l| line(l) + "\n").collect()
}
