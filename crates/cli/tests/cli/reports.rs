//! Reports for people, as approved.

use crate::run::{approved, linchpin, run};

#[test]
fn a_history_without_linearization_is_explained() {
    approved("not_linearizable.txt", &run("check counter.lin").out);
    approved("late_link.txt", &run("check stack.lin --check late").out);
    approved("roles.txt", &run("check writer.lin").out);
}

#[test]
fn a_deadlock_is_explained() {
    approved("deadlock.txt", &run("check locks.lin").out);
}

#[test]
fn a_fault_is_explained() {
    approved("fault.txt", &run("check fault.lin").out);
    approved("fault_init.txt", &run("check fault_init.lin").out);
}

#[test]
fn roles_scripts_and_bounds_are_said_in_words() {
    let all = run("check roles.lin").out + &run("check stack.lin --check forever").out;
    approved("bounds.txt", &all);
    let changed = "check stack.lin --check Stack --threads 1 --ops 1 --heap 7 --values 3";
    approved("changed_bounds.txt", &run(changed).out);
    approved("roles_changed.txt", &run("check roles.lin --check Register --threads reader=1").out);
}

#[test]
fn without_a_unicode_locale_reports_are_ascii() {
    let output = linchpin().args(["check", "counter.lin"]).env("LC_ALL", "C").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.is_ascii(), "{text}");
    approved("ascii.txt", &text);
}

#[test]
fn colours_are_used_only_when_asked_for() {
    assert!(!run("check counter.lin").out.contains('\x1b'));
    let coloured = run("check counter.lin --color always").out;
    assert!(coloured.contains("\x1b[1m\x1b[31mNOT linearizable\x1b[0m"), "{coloured:?}");
    let output = linchpin().args(["check", "wrong.lin", "--color", "never"]).output().unwrap();
    assert!(!output.stderr.contains(&0x1b));
}

#[test]
fn several_files_are_all_checked_and_named() {
    let ran = run("check counter.lin missing.lin locks.lin -q");
    approved("several.txt", &(ran.out + &ran.err));
    assert_eq!(ran.code, Some(2));
}

#[test]
fn quiet_leaves_the_verdict_and_verbose_says_more() {
    assert_eq!(run("check locks.lin --quiet").out.lines().count(), 1);
    let verbose = run("check counter.lin --check Atomic -v").out;
    let reductions = "reductions: tighten, private, constant, locks, once, reuse, dead, heap, threads, data, antichain";
    assert!(verbose.contains(reductions), "{verbose}");
    let none = run("check counter.lin --check Atomic -v --no-reductions").out;
    assert!(none.contains("reductions: none"), "{none}");
    let most = run("check counter.lin --check Atomic -v --no-heap --no-data").out;
    assert!(
        most.contains(
            "reductions: tighten, private, constant, locks, once, reuse, dead, threads, antichain"
        ),
        "{most}"
    );
}

#[test]
fn the_command_that_shows_it_again_does() {
    let first = run("check stack.lin --check late --threads 2 --no-heap --values Value=3 --ops 2");
    let command = first.out.lines().find(|l| l.trim_start().starts_with("linchpin check"));
    let arguments = command.unwrap().trim_start().strip_prefix("linchpin ").unwrap();
    assert_eq!(
        arguments,
        "check stack.lin --check late --threads 2 --ops 2 --values Value=3 --no-heap"
    );
    let without_figures = |text: &str| {
        let lines = text.lines().filter(|l| !l.contains(" transitions, "));
        lines.map(|l| l.to_string() + "\n").collect::<String>()
    };
    assert_eq!(without_figures(&run(arguments).out), without_figures(&first.out));
}
