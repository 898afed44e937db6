//! One way through the program: every format for every question, languages by their extension, options
//! that mean nothing refused by name, several reports in one run.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{Ran, ended, linchpin, models, run};

/// A small specification with a call and a return.
const MCRL2: &str = "act CallA, ReturnA: Nat; work;\n\
    proc P(t: Nat) = CallA(t) . work . ReturnA(t) . delta;\n\
    init hide({work}, P(1) || P(2));\n";

/// The same with something that the other does not do.
const OTHER: &str = "act CallA, ReturnA: Nat; work;\n\
    proc P(t: Nat) = CallA(t) . work . ReturnA(t) . delta;\n\
    init hide({work}, P(1) . P(2));\n";

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
    folder
}

/// Runs the program in a folder.
fn inside(folder: &Path, arguments: &str) -> Ran {
    let mut command = linchpin();
    command.current_dir(folder).args(arguments.split_whitespace());
    ended(command.output().expect("it starts"))
}

/// Commands for all questions of all languages, with the exit codes.
fn questions() -> (TempDir, Vec<(&'static str, i32)>) {
    let model = |name: &str| fs::read(models().join(name)).expect("a model");
    let files = folder(&[
        ("counter.lin", &model("counter.lin")),
        ("lock.csp", &model("lock.csp")),
        ("choice.aut", &model("choice.aut")),
        ("commit.aut", &model("commit.aut")),
        ("a.mcrl2", MCRL2.as_bytes()),
        ("b.mcrl2", OTHER.as_bytes()),
    ]);
    let questions = vec![
        ("check counter.lin", 1),
        ("check counter.lin --check Atomic", 0),
        ("check counter.lin --classify", 0),
        ("check lock.csp --check 1", 0),
        ("check lock.csp --check 3", 1),
        ("check a.mcrl2 --atomic", 0),
        ("check a.mcrl2 --against b.mcrl2", 1),
        ("check a.mcrl2 --atomic --max-states 2", 3),
        ("compare choice.aut commit.aut --relation weak-trace", 0),
        ("compare choice.aut commit.aut --relation strong", 1),
        ("compare choice.aut commit.aut --relation=trace", 1),
        ("compare a.mcrl2 choice.aut --relation trace --max-states 2", 3),
        ("points counter.lin --check Atomic", 0),
        ("points counter.lin --check Counter", 1),
        ("lts a.mcrl2", 0),
        ("lts a.mcrl2 --max-states 2", 3),
        ("reduce choice.aut", 0),
    ];
    (files, questions)
}

#[test]
fn every_format_works_for_every_question() {
    let (files, questions) = questions();
    for (question, code) in questions {
        for format in ["text", "json", "html", "junit", "github"] {
            let ran = inside(files.path(), &format!("{question} --format {format}"));
            let context = format!("{question} --format {format}: {}{}", ran.out, ran.err);
            assert_eq!(ran.code, Some(code), "{context}");
            let words = ["holds", "violated", "unknown", "done"];
            match format {
                "text" => assert!(!ran.out.is_empty(), "{context}"),
                "json" => {
                    for line in ran.out.lines() {
                        let object: Value = serde_json::from_str(line).expect(&context);
                        assert!(object["schema"].is_string(), "{context}");
                        assert!(object["file"].is_string(), "{context}");
                        assert!(object.get("check").is_some(), "{context}");
                        let verdict = object["verdict"].as_str().unwrap_or_default();
                        assert!(words.contains(&verdict), "{context}");
                        assert!(object["seconds"].is_number(), "{context}");
                        assert!(object["command"].is_string(), "{context}");
                    }
                    assert!(!ran.out.is_empty(), "{context}");
                }
                "html" => {
                    let data = ran.out.split_once("id=\"data\">").expect(&context).1;
                    let data = data.split_once("</script>").expect(&context).0;
                    let data: Value = serde_json::from_str(data).expect(&context);
                    let checks = data["checks"].as_array().expect(&context);
                    assert!(!checks.is_empty(), "{context}");
                    for check in checks {
                        assert!(check["headline"].is_string(), "{context}");
                        assert!(check["figures"].is_array(), "{context}");
                        assert!(check["reductions"].is_array(), "{context}");
                        let shows = check["witness"]["frames"].as_array().map_or(0, Vec::len);
                        let drawn = question.contains("--against") || question.contains("=trace");
                        assert!(!drawn || shows > 1, "{context}");
                    }
                }
                "junit" => {
                    assert!(ran.out.starts_with("<?xml"), "{context}");
                    assert!(ran.out.contains("<testcase name="), "{context}");
                    let failed = ran.out.contains("<failure ");
                    assert_eq!(failed, code == 1, "{context}");
                    assert_eq!(ran.out.contains("<skipped "), code == 3, "{context}");
                }
                _ => {
                    let level = ["::notice ", "::error ", "", "::warning "][code as usize];
                    assert!(ran.out.contains(level), "{context}");
                    assert!(ran.out.lines().all(|l| l.starts_with("::")), "{context}");
                }
            }
        }
    }
}

#[test]
fn every_field_of_every_question_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-schema.md");
    let text = fs::read_to_string(path).expect("it is there");
    let (files, mut questions) = questions();
    questions.push(("check nothing.mcrl2 --atomic", 2));
    for (question, _) in questions {
        let ran = inside(files.path(), &format!("{question} --format json"));
        for line in ran.out.lines() {
            let object: Value = serde_json::from_str(line).expect("an object");
            for name in object.as_object().expect("an object").keys() {
                assert!(text.contains(&format!("`{name}`")), "{question}: `{name}`");
            }
            let schema = object["schema"].as_str().expect("a name");
            assert!(text.contains(&format!("\"{schema}\"")), "{question}: {schema}");
        }
    }
}

#[test]
fn what_keeps_a_specification_from_being_checked_is_an_object() {
    let files =
        folder(&[("wrong.mcrl2", b"act a: Nat;\ninit a(true);\n"), ("a.mcrl2", MCRL2.as_bytes())]);
    for (arguments, kind) in [
        ("check nothing.mcrl2 --atomic", "unreadable"),
        ("check wrong.mcrl2 --atomic", "diagnostics"),
        ("check a.mcrl2", "unsupported"),
        ("check a.mcrl2 --atomic --heap 3", "unsupported"),
        ("compare a.mcrl2 nothing.aut --relation strong", "unreadable"),
        ("lts wrong.mcrl2", "diagnostics"),
        ("points a.mcrl2", "unsupported"),
    ] {
        let ran = inside(files.path(), &format!("{arguments} --format json"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(2), ""), "{arguments}: {}", ran.out);
        let object: Value = serde_json::from_str(&ran.out).expect("one object");
        assert_eq!(object["verdict"], "error", "{arguments}");
        assert_eq!(object["error"]["kind"], kind, "{arguments}: {object}");
    }
}

#[test]
fn options_that_mean_nothing_for_a_specification_are_refused_by_name() {
    let files = folder(&[("a.mcrl2", MCRL2.as_bytes()), ("s.aut", b"des (0,0,1)\n")]);
    for option in [
        "--heap 3",
        "--values 2",
        "--set N=1",
        "--expect",
        "--check x",
        "--no-reductions",
        "--no-order",
        "--no-heap",
        "--no-antichain",
        "--classify",
        "--explain",
        "--method recordings",
        "--fairness global",
        "--minimise 7",
        "--check-facts",
    ] {
        let flag = option.split(' ').next().expect("a flag");
        let ran = inside(files.path(), &format!("check a.mcrl2 --atomic {option}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{option}");
        assert!(ran.err.contains(&format!("a.mcrl2: `{flag}` is for ")), "{option}: {}", ran.err);
    }
    for (arguments, flag) in [
        ("check a.mcrl2 --atomic --threads reader=2", "--threads ROLE=N"),
        ("check a.mcrl2 --against s.aut --calls x", "--calls"),
        ("lts a.mcrl2 --check x", "--check"),
        ("lts s.aut --threads 2", "--threads"),
        ("reduce s.aut --heap 2", "--heap"),
        ("compare s.aut a.mcrl2 --relation strong --set N=1", "--set"),
    ] {
        let ran = inside(files.path(), arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments}: {}", ran.err);
        assert!(ran.err.contains(&format!("`{flag}`")), "{arguments}: {}", ran.err);
    }
}

#[test]
fn an_extension_alone_says_the_language() {
    let counter = fs::read(models().join("counter.lin")).expect("a model");
    let latin: &[u8] = b"// caf\xe9\nP() = a -> P();\n#assert P() deadlockfree;\n";
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(
            String::from_utf8_lossy(b"P() = a -> P();\n#assert P() deadlockfree;\n")
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    let specification = [b"% caf\xe9\n", MCRL2.as_bytes()].concat();
    let files = folder(&[
        ("x.csp-models/a.lin", &counter),
        ("L.CSP", latin),
        ("wide.csp", &wide),
        ("s.MCRL2", &specification),
        ("model.txt", &counter),
    ]);
    for (arguments, code) in [
        ("lts x.csp-models/a.lin --check Atomic -q", 0),
        ("check x.csp-models/a.lin --check Atomic -q", 0),
        ("check L.CSP", 0),
        ("lts L.CSP:P", 0),
        ("list L.CSP", 0),
        ("simulate L.CSP --seed 1", 0),
        ("compare L.CSP:P wide.csp:P --relation strong", 0),
        ("check wide.csp", 0),
        ("lts wide.csp:P", 0),
        ("list wide.csp", 0),
        ("check s.MCRL2 --atomic", 0),
        ("lts s.MCRL2", 0),
        ("check model.txt", 2),
        ("check model.txt --language lin --check Atomic", 0),
    ] {
        let ran = inside(files.path(), arguments);
        assert_eq!(ran.code, Some(code), "{arguments}: {}{}", ran.out, ran.err);
    }
    let ran = inside(files.path(), "check model.txt");
    assert!(ran.err.contains("does not end in `.lin`, `.csp` or `.mcrl2`"), "{}", ran.err);
}

#[test]
fn commands_name_the_languages_they_are_for() {
    let files = folder(&[("a.mcrl2", MCRL2.as_bytes()), ("s.aut", b"des (0,0,1)\n")]);
    for command in ["list", "simulate", "fmt", "points"] {
        let known = matches!(command, "list" | "simulate");
        for file in ["a.mcrl2", "s.aut"].into_iter().filter(|f| !known || f.ends_with("aut")) {
            let ran = inside(files.path(), &format!("{command} {file}"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command} {file}");
            let says = format!("{file}: `linchpin {command}` is for `.lin`");
            assert!(ran.err.contains(&says), "{}", ran.err);
        }
    }
    let ran = inside(files.path(), "check s.aut");
    assert!(ran.err.contains("`linchpin check` is for `.lin`, `.csp` and `.mcrl2` files"));
    assert_eq!(fs::read_to_string(files.path().join("a.mcrl2")).expect("it is there"), MCRL2);
}

#[test]
fn a_check_is_named_for_lts_as_for_check() {
    for name in ["Segments", "Segments/quasi-2"] {
        let ran = run(&format!("lts conditions.lin --check {name} -q"));
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
    }
    let ran = run("lts conditions.lin --check Segments/strong");
    assert!(ran.err.contains("there is no check `Segments/strong`"), "{}", ran.err);
}

#[test]
fn reports_go_to_several_files_in_the_formats_that_their_names_say() {
    let counter = fs::read(models().join("counter.lin")).expect("a model");
    let files = folder(&[("counter.lin", &counter)]);
    let reports = "-o report.html -o results.xml -o results.json -o report.txt";
    let ran = inside(files.path(), &format!("check counter.lin missing.lin {reports}"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    let text = |name: &str| fs::read_to_string(files.path().join(name)).expect(name);
    assert!(text("report.html").contains("\"name\":\"Counter\""));
    assert!(text("results.xml").contains("<testcase name=\"Counter\""));
    assert!(text("results.xml").contains("<testcase name=\"load\" classname=\"missing.lin\""));
    assert_eq!(text("results.json").lines().count(), 3);
    assert!(text("report.txt").contains("counter.lin: Counter: NOT linearizable"));
    assert!(text("report.txt").contains("missing.lin: cannot read the file"));
    // Standard output shows what no file gets.
    let ran = inside(files.path(), "check counter.lin --check Atomic -o again.html");
    assert!(ran.out.starts_with("Atomic: linearizable"), "{}", ran.out);
    let ran = inside(files.path(), "check counter.lin --check Atomic --format json -o again.html");
    assert!(ran.out.starts_with('{'), "{}", ran.out);
    let ran = inside(files.path(), "check counter.lin -o report.pdf");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("`report.pdf` does not say its format"), "{}", ran.err);
    assert!(!files.path().join("report.pdf").exists());
}

#[test]
fn a_system_is_written_with_a_report_about_it() {
    let files = folder(&[("a.mcrl2", MCRL2.as_bytes())]);
    let ran = inside(files.path(), "lts a.mcrl2 -o a.aut -o a.dot -o a.json");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    let text = |name: &str| fs::read_to_string(files.path().join(name)).expect(name);
    assert!(text("a.aut").starts_with("des ("));
    assert!(text("a.dot").starts_with("digraph"));
    let object: Value = serde_json::from_str(&text("a.json")).expect("an object");
    assert_eq!((&object["verdict"], &object["states"]), (&"done".into(), &16.into()), "{object}");
    let ran = inside(files.path(), "lts a.mcrl2 -o a.svg -o a.tex");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(text("a.svg").ends_with("</svg>\n") && text("a.svg").contains("CallA"));
    assert!(text("a.tex").contains("\\begin{tikzpicture}"));
    for name in ["a.png", "a"] {
        let ran = inside(files.path(), &format!("lts a.mcrl2 -o {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{name}");
        assert!(ran.err.contains(&format!("nothing is written to `{name}`")), "{}", ran.err);
        assert!(!files.path().join(name).exists());
    }
    let ran = inside(files.path(), "lts a.mcrl2 --format aut -o a -q");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn all_models_below_a_directory_are_checked_in_order() {
    let counter = fs::read(models().join("counter.lin")).expect("a model");
    let csp = b"P() = a -> P();\n#assert P() deadlockfree;\n";
    let files = folder(&[("m/z.lin", &counter), ("m/b/y.csp", csp), ("m/b/notes.txt", b"")]);
    let ran = inside(files.path(), "check m -q");
    let lines: Vec<_> = ran.out.lines().map(|l| l.split(": ").next().unwrap_or("")).collect();
    assert_eq!(lines, ["m/b/y.csp", "m/z.lin", "m/z.lin"], "{}", ran.err);
    assert_eq!(ran.code, Some(1));
    fs::create_dir(files.path().join("empty")).expect("it can be made");
    let ran = inside(files.path(), "check empty");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("empty: there is no model"), "{}", ran.err);
}

#[test]
fn a_model_is_read_from_standard_input() {
    let from = |text: &str, arguments: &str| {
        let mut command = linchpin();
        command.args(arguments.split_whitespace()).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut input = child.stdin.take().expect("it listens");
        input.write_all(text.as_bytes()).expect("it listens");
        drop(input);
        ended(child.wait_with_output().expect("it ends"))
    };
    let counter = fs::read_to_string(models().join("counter.lin")).expect("a model");
    let ran = from(&counter, "check - --language lin --check Atomic -q");
    assert!(ran.out.starts_with("Atomic: linearizable"), "{}{}", ran.out, ran.err);
    let ran = from("P() = a -> P();\n#assert P() deadlockfree;\n", "check - --language csp -q");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "P() deadlockfree: valid\n"));
    let ran = from(MCRL2, "check - --language mcrl2 --atomic -q");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let ran = from("", "check -");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--language"), "{}", ran.err);
}

#[test]
fn limits_are_the_same_options_for_all_commands() {
    let (files, _) = questions();
    for command in [
        "check counter.lin --check Atomic",
        "check lock.csp --check 1",
        "check a.mcrl2 --atomic",
        "compare a.mcrl2 b.mcrl2 --relation strong",
        "points counter.lin --check Atomic",
        "lts a.mcrl2",
        "reduce choice.aut",
    ] {
        for limit in ["--timeout 0s", "--max-memory 1k"] {
            let ran = inside(files.path(), &format!("{command} {limit} --format json"));
            assert_eq!(ran.code, Some(3), "{command} {limit}: {}{}", ran.out, ran.err);
            let object: Value = serde_json::from_str(&ran.out).expect("one object");
            assert_eq!(object["verdict"], "unknown", "{command} {limit}");
        }
    }
}
