//! Files that mean harm, or look like it: nothing escapes, nothing is overwritten.

use std::fs;
use std::path::Path;

use crate::run::{Ran, ended, linchpin};

/// Runs the program in a folder.
fn run_in(folder: &Path, arguments: &[&str]) -> Ran {
    ended(linchpin().current_dir(folder).args(arguments).output().expect("it starts"))
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Characters that do something to a terminal, to a log or to the order of others.
fn harmful(text: &str) -> Vec<char> {
    let hidden = |c: &char| {
        c.is_control() && !"\r\n\t".contains(*c)
            || matches!(c, '\u{61c}' | '\u{200f}' | '\u{2028}' | '\u{202e}')
    };
    text.chars().filter(hidden).collect()
}

const LABEL: &str = "\u{1b}]0;owned\u{7}\u{1b}[31mX\u{9b}31m\u{202e}\u{2028}\u{61c}\u{200f}";

#[test]
fn labels_cannot_write_to_the_terminal_the_log_or_the_page() {
    let label = format!("des (0,1,2)\n(0,\"{LABEL}\",1)\n");
    let folder = folder(&[("a.aut", &label), ("b.aut", "des (0,1,2)\n(0,\"b\",1)\n")]);
    for relation in ["trace", "strong", "failures"] {
        for format in ["text", "github", "html", "junit", "json"] {
            for color in ["never", "always"] {
                let arguments =
                    ["--color", color, "compare", "a.aut", "b.aut", "--relation", relation];
                let ran = run_in(folder.path(), &[&arguments[..], &["--format", format]].concat());
                let ours = ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[0m", "\u{1b}[2m"];
                let plain = ours.iter().fold(ran.out.clone(), |text, s| text.replace(s, ""));
                assert_eq!(harmful(&plain), [], "{relation} {format} {color}: {plain:?}");
                assert!(!ran.out.contains("\u{1b}[31mX"), "{relation} {format} {color}");
                assert_eq!(ran.code, Some(1), "{relation} {format} {color}: {}", ran.err);
            }
        }
    }
    let text = run_in(folder.path(), &["compare", "a.aut", "b.aut", "--relation", "trace"]).out;
    assert!(text.contains(r"\u{1b}]0;owned\u{7}\u{1b}[31mX\u{9b}31m\u{202e}"), "{text}");
}

#[cfg(unix)]
#[test]
fn names_of_files_are_shown_without_doing_anything() {
    let name = "\u{1b}]0;owned\u{7}\u{202e}.lin";
    let model = "object O { op f() { assert false } }\nspec S { op f() { } }\ncheck O against S";
    let folder = folder(&[(name, model), ("-x.lin", model), ("wrong\u{1b}[2J.lin", "object")]);
    for format in ["text", "github", "html", "junit", "json"] {
        let ran = run_in(folder.path(), &["check", ".", "--format", format]);
        assert_eq!(harmful(&ran.out), [], "{format}: {}", ran.out);
        assert_eq!(harmful(&ran.err), [], "{format}: {}", ran.err);
    }
    for command in ["list", "fmt"] {
        let ran = run_in(folder.path(), &[command, name, "wrong\u{1b}[2J.lin"]);
        assert_eq!((harmful(&ran.out), harmful(&ran.err)), (vec![], vec![]), "{command}");
    }
    let ran = run_in(folder.path(), &["check", "--", "-x.lin"]);
    assert!(ran.out.contains("linchpin check ./-x.lin"), "{}", ran.out);
}

#[test]
fn a_report_does_not_take_the_place_of_what_is_read() {
    let system = "des (0,1,2)\n(0,\"b\",1)\n";
    let folder = folder(&[("a.aut", system), ("b.aut", system), ("x.txt", "object")]);
    let refused: [&[&str]; 4] = [
        &["reduce", "a.aut", "-o", "./a.aut"],
        &["lts", "a.aut", "-o", "a.aut"],
        &["compare", "a.aut", "x.txt", "--relation", "trace", "-o", "x.txt"],
        &["check", "x.txt", "--language", "lin", "-o", "x.txt"],
    ];
    for arguments in refused {
        let ran = run_in(folder.path(), arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?} {}", ran.out);
        assert!(ran.err.contains("is read"), "{arguments:?} {}", ran.err);
    }
    assert_eq!(fs::read_to_string(folder.path().join("a.aut")).unwrap(), system);
    assert_eq!(fs::read_to_string(folder.path().join("x.txt")).unwrap(), "object");
    assert_eq!(run_in(folder.path(), &["lts", "a.aut", "-o", "b.aut"]).code, Some(0));
}

#[test]
fn a_byte_order_mark_is_accepted_everywhere() {
    let files = [
        ("a.lin", "\u{feff}object O { op f() { } }\nspec S { op f() { } }\ncheck O against S\n"),
        ("a.csp", "\u{feff}P = a -> P; #assert P deadlockfree;"),
        ("a.mcrl2", "\u{feff}act a; proc P = a . P; init P;"),
        ("a.aut", "\u{feff}des (0,1,2)\n(0,\"b\",1)\n"),
    ];
    let folder = folder(&files);
    for name in ["a.lin", "a.csp:P", "a.mcrl2", "a.aut"] {
        let ran = run_in(folder.path(), &["lts", name, "--format", "json"]);
        assert_eq!(ran.code, Some(0), "{name} {}", ran.err);
    }
    for name in ["a.lin", "a.csp"] {
        assert_eq!(run_in(folder.path(), &["check", name]).code, Some(0), "{name}");
        assert_eq!(run_in(folder.path(), &["list", name]).code, Some(0), "{name}");
    }
    assert_eq!(run_in(folder.path(), &["fmt", "--check", "a.lin"]).code, Some(0));
}

/// Forty structs, each with the previous one twice: a test that writes one out does not end.
#[test]
fn a_type_that_doubles_forty_times_is_refused_by_every_command() {
    let structs = (1..=40).map(|i| format!("struct S{i} {{ a: S{0}, b: S{0} }}\n", i - 1));
    let model = structs.collect::<String>()
        + "struct S0 { a: bool }\nobject O { var a: S40\nop f() { } }\n\
           spec S { op f() { } }\ncheck O against S { threads 2, ops 1 }\n";
    let folder = folder(&[("a.lin", &model)]);
    for command in ["check", "list", "simulate", "points", "lts"] {
        let ran = run_in(folder.path(), &[command, "a.lin"]);
        assert_eq!(ran.code, Some(2), "{command}");
        assert!(ran.err.contains("E038") && ran.err.contains("8192 parts"), "{}", ran.err);
    }
}

#[test]
fn a_script_that_is_not_ours_does_not_run_in_a_page() {
    let folder =
        folder(&[("a.lin", "object O { op f() { } }\nspec S { op f() { } }\ncheck O against S\n")]);
    let page = run_in(folder.path(), &["check", "a.lin", "--format", "html"]).out;
    let policy = page.split_once("script-src '").expect("a policy").1.split_once('\'');
    let policy = policy.expect("a source").0;
    assert!(policy.starts_with("sha256-") && policy.len() == 51, "{policy}");
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("nonce"));
}

#[test]
fn a_fault_before_the_first_step_has_a_moment_of_memory_too() {
    let model = "object O { var x: int\ninit { assert x == 1 }\nop f() { } }\n\
                 spec S { op f() { } }\ncheck O against S { threads 1, ops 1 }\n";
    let folder = folder(&[("a.lin", model)]);
    let ran = run_in(folder.path(), &["check", "a.lin", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(object["violation"]["kind"], "fault", "{object}");
    let moments = object["witness"]["memory"].as_array().expect("moments");
    assert_eq!(moments.len(), 1);
    assert!(moments[0]["variables"].is_array());
}

/// The text is read again for every place where a point may stand.
#[test]
fn the_time_for_finding_points_is_kept_with_thousands_of_operations() {
    let ops: String = (0..5_000).map(|i| format!("op f{i}() {{ }}\n")).collect();
    let model = format!(
        "object O {{ {ops} }}\nspec S {{ {ops} }}\ncheck O against S {{ threads 2, ops 1 }}\n"
    );
    let folder = folder(&[("a.lin", &model)]);
    let ran = run_in(folder.path(), &["points", "a.lin", "--timeout", "1s"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("O: unknown"), "{}", ran.out);
}
