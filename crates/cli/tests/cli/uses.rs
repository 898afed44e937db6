//! Models in several files, as users see them.

use std::fs;

use tempfile::TempDir;

use crate::run::{Ran, ended, linchpin};

/// Objects and what they are compared with, in two files.
const SHARED: &str = "\
object Counter {
  var c: 0..=4
  op inc() -> 0..=4 {
    let old = c
    c = old + 1
    return old
  }
}
spec Counting {
  var n: 0..=4
  op inc() -> 0..=4 { n += 1; return n - 1 }
}
";
const MODEL: &str =
    "use \"shared/counter.lin\"\ncheck Counter against Counting { threads 2, ops 2 }\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("shared")).expect("a folder");
    fs::write(folder.path().join("shared/counter.lin"), SHARED).expect("it can be written");
    fs::write(folder.path().join("m.lin"), MODEL).expect("it can be written");
    folder
}

fn inside(folder: &TempDir, arguments: &str) -> Ran {
    let mut command = linchpin();
    command.current_dir(folder.path()).args(arguments.split_whitespace());
    ended(command.output().expect("it starts"))
}

#[test]
fn schedules_name_the_file() {
    let folder = folder();
    let ran = inside(&folder, "check m.lin");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("counter.lin:5    c = old + 1"), "{}", ran.out);
    let ran = inside(&folder, "check m.lin --format json");
    assert!(ran.out.contains("\"file\":\"shared/counter.lin\""), "{}", ran.out);
    let ran = inside(&folder, "check m.lin --format html");
    assert!(ran.out.contains("\"file\":\"shared/counter.lin\""), "the page has the other file");
}

#[test]
fn files_without_checks_are_passed_over_if_others_use_them() {
    let folder = folder();
    let ran = inside(&folder, "check .");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{}", ran.out);
    let ran = inside(&folder, "check shared/counter.lin");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("the file has no checks (for example: check Counter against"),
        "{}",
        ran.err
    );
    fs::write(folder.path().join("alone.lin"), "const N = 1\n").expect("it can be written");
    let ran = inside(&folder, "check .");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("alone.lin") && !ran.err.contains("counter.lin"), "{}", ran.err);
}

#[test]
fn an_error_in_another_file_names_both() {
    let folder = folder();
    let broken = SHARED.replace("n += 1", "m += 1");
    fs::write(folder.path().join("shared/counter.lin"), broken).expect("it can be written");
    let ran = inside(&folder, "check m.lin");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("shared/counter.lin:11:23"), "{}", ran.err);
    assert!(ran.err.contains("this file is a part of m.lin"), "{}", ran.err);
}

#[test]
fn a_checkpoint_notices_a_change_of_another_file() {
    let folder = folder();
    let check = "check m.lin --no-dead --no-tighten --max-states";
    let ran = inside(&folder, &format!("{check} 5 --checkpoint kept"));
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let other = format!("// another text\n{SHARED}");
    fs::write(folder.path().join("shared/counter.lin"), other).expect("it can be written");
    let ran = inside(&folder, &format!("{check} 10 --resume kept"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`shared/counter.lin` has changed since"), "{}", ran.err);
}

#[test]
fn points_are_put_into_the_file_that_was_given() {
    let ran = inside(&folder(), "points m.lin");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`Counter` is in another file"), "{}", ran.err);
}
