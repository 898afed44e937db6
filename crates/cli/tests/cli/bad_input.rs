//! Wrong input of every kind: a message, never a panic.

use std::fs;

use crate::run::{approved, ended, linchpin, run};

#[track_caller]
fn complains(arguments: &str, about: &str) {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains(about), "expected {about:?} in {:?}", ran.err);
    assert_eq!(ran.out, "");
}

/// Checks a file with this content.
fn check_bytes(content: &[u8]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.lin");
    fs::write(&path, content).unwrap();
    let ran = ended(linchpin().arg("check").arg(&path).output().unwrap());
    let folder = folder.path().display().to_string() + "/";
    (ran.code, (ran.out + &ran.err).replace(&folder, ""))
}

#[test]
fn files_that_cannot_be_read_are_named_with_the_reason() {
    complains("check missing.lin", "error: missing.lin: cannot read the file: no such file");
    complains("list folder.lin", "folder.lin: cannot read the file: no such file");
    complains("list missing.lin", "cannot read the file");
    complains("fmt missing.lin", "cannot read the file");
    complains("simulate missing.lin", "cannot read the file");
}

#[test]
fn files_that_are_no_text_are_refused() {
    assert_eq!(
        check_bytes(b"const A\xff = 1"),
        (Some(2), "error: model.lin: the file is not UTF-8: wrong byte 0xff at offset 7\n".into())
    );
    let (code, text) = check_bytes(b"\x7fELF\x02\0\0\0");
    assert_eq!((code, text.contains("the file is binary")), (Some(2), true), "{text}");
    let (code, text) = check_bytes(&vec![b' '; 3 << 20]);
    assert_eq!((code, text.contains("the file is too large")), (Some(2), true), "{text}");
    let (code, text) = check_bytes(b"");
    assert_eq!(
        (code, text.as_str()),
        (Some(2), "error: model.lin: the file has no checks (other models can `use` it)\n")
    );
}

#[test]
fn errors_of_the_text_are_shown_with_their_lines() {
    let ran = run("check wrong.lin misspelt.lin spec_fault.lin");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    approved("diagnostics.txt", &ran.err);
}

#[test]
fn without_a_unicode_locale_diagnostics_are_ascii() {
    let output = linchpin().args(["check", "wrong.lin"]).env("LC_ALL", "POSIX").output().unwrap();
    assert!(output.stderr.is_ascii());
    approved("diagnostics_ascii.txt", &ended(output).err);
}

#[test]
fn unknown_checks_are_named_with_those_there_are() {
    complains(
        "check counter.lin --check Nope",
        "error: counter.lin: there is no check `Nope` (there is: `Atomic`, `Counter`)",
    );
    complains("check counter.lin locks.lin --check Nope", "error: there is no check `Nope`");
    complains("simulate counter.lin --check Nope", "there is no check `Nope`");
}

#[test]
fn a_check_of_one_file_may_be_missing_in_another() {
    let ran = run("check counter.lin locks.lin --check Atomic -q");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn bounds_that_do_not_fit_are_refused_by_name() {
    complains(
        "check roles.lin --check Register --threads 2",
        "the check `Register` has roles; say which (it has `writer`, `reader`)",
    );
    complains(
        "check roles.lin --check Register --threads boss=2",
        "the check `Register` has no role `boss`",
    );
    complains("check roles.lin --check Register --threads reader=8", "at most 8 are possible");
    complains("check stack.lin --check Stack --values Key=2", "no opaque data type `Key`");
}

#[test]
fn flags_with_impossible_values_are_refused() {
    for flag in [
        "--threads 0",
        "--threads 9999999999999999999999",
        "--threads reader=x",
        "--ops -1",
        "--ops 99999999999",
        "--ops many",
        "--heap 1e9",
        "--values 0",
        "--workers 0",
        "--workers 100000",
        "--max-states 0",
        "--max-states 99999999999999999999999999",
        "--max-memory 5X",
        "--max-memory 99999999999999999999T",
        "--max-memory -1",
        "--timeout soon",
        "--timeout 1e999s",
        "--timeout 99999999999999999999999h",
        "--set MAX",
        "--format xml",
        "--color sometimes",
        "-q -v",
    ] {
        complains(&format!("check roles.lin {flag}"), "error: ");
    }
}

#[test]
fn parameters_can_be_set_if_there_are_any_of_that_name() {
    let ran = run("check roles.lin --check Register --set MAX=1");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    complains("check roles.lin --set MIN=1", "MIN");
    complains("check roles.lin --set MAX=true", "MAX");
}
