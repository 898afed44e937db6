//! One exit code per kind of outcome.

use crate::run::run;

#[track_caller]
fn code(arguments: &str, expected: i32) {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(expected), "{}{}", ran.out, ran.err);
}

#[test]
fn zero_if_everything_holds() {
    code("check counter.lin --check Atomic", 0);
    code("check stack.lin --check Stack --check forever", 0);
}

#[test]
fn one_if_something_is_violated() {
    code("check counter.lin", 1);
    code("check counter.lin --check Counter", 1);
    code("check locks.lin", 1);
    code("check fault.lin", 1);
}

#[test]
fn two_for_bad_input() {
    code("check missing.lin", 2);
    code("check wrong.lin", 2);
    code("check no_checks.lin", 2);
    code("check spec_fault.lin", 2);
    for reductions in ["", "--no-reductions"] {
        let ran = run(&format!("check spec_faults.lin {reductions}"));
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        // No order explains that `f(1)` returns, but the specification goes wrong in all.
        let wrong = ran.err.matches("the specification goes wrong").count();
        assert_eq!(wrong, 4, "{}", ran.err);
        // No order explains what `look` returns, and in none that is tried for it the specification goes wrong.
        for refused in ["NOT quiescently consistent", "NOT sequentially consistent"] {
            assert!(ran.out.contains(refused), "{}", ran.out);
        }
    }
    code("check spec_faults.lin --classify", 2);
    code("check counter.lin --check Missing", 2);
}

#[test]
fn three_if_a_limit_is_reached() {
    let ran = run("check stack.lin --check Stack --max-states 10");
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.starts_with("Stack: unknown: the limit of 10 states was reached after depth "));
    let ran = run("check stack.lin --check Stack --max-memory 1k");
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.contains("unknown: the memory limit of 1.0 kB was reached"), "{}", ran.out);
    let ran = run("check stack.lin --check Stack --timeout 0s");
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.contains("unknown: the time limit of 0 s was reached"), "{}", ran.out);
}

#[test]
fn three_if_a_step_is_too_long() {
    let ran = run("check too_long.lin");
    let unknown = ran.out.matches("unknown: a step was given up").count();
    assert_eq!((unknown, ran.code), (5, Some(3)), "{}{}", ran.out, ran.err);
    let ran = run("check too_long.lin --check grows --format json");
    assert!(ran.out.contains("\"limit\":\"step\""), "{}", ran.out);
    let ran = run("lts too_long.lin");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    assert!(ran.err.contains("a step was given up"), "{}", ran.err);
    code("points too_long.lin", 3);
}

#[test]
fn a_name_alone_stands_for_all_conditions_of_a_check() {
    let ran = run("check conditions.lin --check Segments --max-states 1");
    let verdicts = ran.out.lines().filter(|l| l.starts_with("Segments/")).count();
    // Points are wrong in the very first state.
    assert_eq!((verdicts, ran.code), (6, Some(1)), "{}{}", ran.out, ran.err);
    let ran = run("check conditions.lin --check Segments/quasi-2 --max-states 1");
    assert!(ran.out.starts_with("Segments/quasi-2: unknown"), "{}{}", ran.out, ran.err);
    let ran = run("check conditions.lin --check Segments/strong");
    assert!(ran.err.contains("there is no check `Segments/strong`"), "{}", ran.err);
}

#[test]
fn the_worst_of_several_wins() {
    // Bad input before violated before unknown before holds.
    code("check counter.lin missing.lin", 2);
    code("check missing.lin counter.lin", 2);
    code("check counter.lin stack.lin --max-states 30", 1);
    code("check roles.lin stack.lin --max-states 30 --check Register --check Stack", 3);
}

#[test]
fn with_expect_the_expectations_of_the_file_decide() {
    code("check counter.lin --expect", 0);
    code("check locks.lin --expect", 0);
    code("check fault.lin --expect", 0);
    // Nothing expected means that it holds.
    code("check stack.lin --expect --check Stack", 0);
    code("check stack.lin --expect --check late", 1);
    // Unknown is not what was expected.
    code("check counter.lin --expect --max-states 1", 1);
    // One thread loses no update: not as expected.
    let ran = run("check counter.lin --expect --check Counter --threads 1");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("(NOT as expected: violated)"), "{}", ran.out);
    code("check missing.lin --expect", 2);
}

#[test]
fn help_and_version_are_no_errors_and_wrong_flags_are() {
    code("--help", 0);
    code("--version", 0);
    code("check --help", 0);
    code("", 2);
    code("check", 2);
    code("check counter.lin --no-such-flag", 2);
    code("nonsense", 2);
}
