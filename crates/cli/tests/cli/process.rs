//! The program among other programs: signals and pipes.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::run::{Ran, ended, linchpin, models};

/// Checks a file whose first question is answered soon, and interrupts when that answer is there: then the
/// file was read and the program goes on with the next question.
fn interrupted(file: &str, text: &[u8], more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let mut child = linchpin()
        .current_dir(folder.path())
        .args(["check", file])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    let (begun, first) = channel();
    let reader = std::thread::spawn(move || {
        let mut out = String::new();
        answers.read_line(&mut out).unwrap();
        begun.send(()).unwrap();
        answers.read_to_string(&mut out).unwrap();
        out
    });
    let soon = first.recv_timeout(Duration::from_secs(120));
    let interrupted = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ran = ended(child.wait_with_output().unwrap());
    let ran = Ran { out: reader.join().unwrap(), ..ran };
    assert!(soon.is_ok(), "{}{}", ran.out, ran.err);
    assert!(interrupted.elapsed() < Duration::from_secs(10));
    ran
}

#[test]
fn an_interrupt_gives_what_is_known_so_far() {
    let mut text = std::fs::read_to_string(models().join("stack.lin")).unwrap();
    text += "check Large: Stack against StackSpec { threads 4, ops 6 }\n";
    let ran = interrupted("stack.lin", text.as_bytes(), &["--check", "Stack", "--check", "Large"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("Stack: linearizable "), "{}", ran.out);
    assert!(ran.out.contains("\nLarge: unknown: interrupted after depth "), "{}", ran.out);
    // Nobody looks, so no progress is shown.
    assert_eq!(ran.err, "");
}

#[test]
fn an_interrupt_of_a_csp_model_gives_unknown_for_every_assertion() {
    let soon: &[u8] = b"R() = once -> R(); #assert R() deadlockfree; ";
    let ran = interrupted("big.csp", &[soon, crate::csp::BIG].concat(), &[]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("Q() deadlockfree: unknown: interrupted after "), "{}", ran.out);
    assert_eq!(ran.out.matches("unknown: interrupted after ").count(), 4, "{}", ran.out);
}

#[test]
fn a_timeout_is_respected() {
    let started = Instant::now();
    let output = linchpin()
        .args(["check", "stack.lin", "--check", "Stack", "--threads", "4", "--ops", "6"])
        .args(["--timeout", "500ms"])
        .output()
        .unwrap();
    let ran = ended(output);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("unknown: the time limit of 0.5 s was reached"), "{}", ran.out);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    let mut child = linchpin()
        .args(["check", "counter.lin", "locks.lin", "fault.lin"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(err, "");
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = linchpin()
        .args(["check", "counter.lin"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let ran = ended(output);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("cannot write to standard output"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_memory_is_kept_and_what_is_counted_is_what_is_occupied() {
    // What the program occupies without doing anything.
    const PROGRAM: f64 = 20e6;
    let limit = 62_914_560.0;
    let search = "check stack.lin --check Stack --threads 4 --ops 6 --workers 1";
    let ran = crate::run::run(&format!("{search} --max-memory 60M --format json"));
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let object: serde_json::Value = serde_json::from_str(&ran.out).expect("one object");
    assert_eq!(object["limit"], "memory", "{object}");
    let bytes = |name: &str| object[name].as_f64().expect("a number");
    let (counted, occupied) = (bytes("memory_bytes"), bytes("peak_memory_bytes"));
    assert!(occupied < 1.1 * limit, "{occupied} of {limit}");
    assert!(counted + PROGRAM > 0.8 * occupied, "{counted} of {occupied}");
    assert!(counted < 1.2 * occupied, "{counted} of {occupied}");
}

#[test]
fn what_a_check_has_left_occupied_does_not_end_the_next_one() {
    let model = include_str!("../models/stack.lin");
    let (model, _) = model.split_once("\ncheck").expect("a check");
    let bounds = ["threads 4, ops 6", "threads 2, ops 2", "threads 4, ops 6", "threads 2, ops 2"];
    let checks = bounds.iter().enumerate();
    let checks = checks.map(|(i, b)| format!("check c{i}: Stack against StackSpec {{ {b} }}\n"));
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{model}\n{}", checks.collect::<String>());
    std::fs::write(folder.path().join("four.lin"), text).unwrap();
    let options = ["check", "four.lin", "--max-memory", "60M", "--workers", "2"];
    let ran = ended(linchpin().current_dir(folder.path()).args(options).output().unwrap());
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let starts = |name: &str| ran.out.lines().find(|l| l.starts_with(name)).unwrap_or("");
    assert!(starts("c0: unknown").contains("memory"), "{}{}", ran.out, ran.err);
    assert!(starts("c1: ").starts_with("c1: linearizable"), "{}", ran.out);
    assert!(starts("c2: unknown").contains("memory"), "{}", ran.out);
    assert!(starts("c3: ").starts_with("c3: linearizable"), "{}", ran.out);
}

#[test]
fn a_timeout_is_respected_in_the_middle_of_a_step_and_before_the_first_state() {
    let slow = "map f: Nat -> Nat; var n: Nat; eqn n < 2 -> f(n) = n; \
                n >= 2 -> f(n) = f(Int2Nat(n - 1)) + f(Int2Nat(n - 2)); act a: Nat; ";
    for (file, text) in [
        ("step.mcrl2", format!("{slow} proc P(n: Nat) = tau . a(f(n)); init P(60);")),
        ("first.mcrl2", format!("{slow} proc P(n: Nat) = a(n) . P(n); init P(f(60));")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), text).unwrap();
        let started = Instant::now();
        let output = linchpin()
            .current_dir(folder.path())
            .args(["lts", file, "--timeout", "200ms"])
            .output()
            .unwrap();
        let ran = ended(output);
        assert_eq!(ran.code, Some(3), "{file}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("the time limit of 0.2 s was reached"), "{file}: {}", ran.err);
        assert!(started.elapsed() < Duration::from_secs(20), "{file}");
    }
    let started = Instant::now();
    let ran = crate::run::run("check too_long.lin --timeout 10ms");
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.matches("the time limit of 0.01 s").count(), 5, "{}", ran.out);
    for file in ["many_outcomes.lin", "many_calls.lin"] {
        let ran = crate::run::run(&format!("check {file} --timeout 10ms"));
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("the time limit of 0.01 s"), "{}", ran.out);
    }
    assert!(started.elapsed() < Duration::from_secs(20));
}
