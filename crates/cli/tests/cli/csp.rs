//! Models of PAT at the command line.

use std::fs;

use serde_json::Value;

use crate::run::{Ran, approved, ended, linchpin, run, simulate};

/// A model with more states than anybody has time for.
pub(crate) const BIG: &[u8] = b"#define N 40; var a[N]; P(i) = flip.i{a[i] = 1 - a[i];} -> P(i); \
    Q() = ||| i:{0..N-1} @ P(i); #assert Q() deadlockfree; #assert Q() |= [] !nothing; \
    #assert Q() refines Q(); #assert Q() divergencefree;";

#[track_caller]
fn complains(arguments: &str, about: &str) {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains(about), "expected {about:?} in {:?}", ran.err);
    assert_eq!(ran.out, "");
}

/// Checks a model with this content.
fn check(content: &[u8], more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.csp"), content).unwrap();
    let mut command = linchpin();
    command.current_dir(folder.path()).args(["check", "model.csp"]).args(more);
    ended(command.output().unwrap())
}

#[test]
fn assertions_are_answered_with_trace_places_and_variables() {
    let ran = run("check lock.csp");
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), ""), "one of them goes wrong");
    approved("csp.txt", &ran.out);
    let ran = run("check lock.csp --check 2 --fairness strong-processes -q");
    let fair = "valid for executions that are strongly fair to every process";
    assert_eq!(ran.out, format!("Clients() |= []<> take.0: {fair}\n"));
    assert_eq!(ran.code, Some(0));
}

#[test]
fn without_a_unicode_locale_reports_are_ascii() {
    let mut command = linchpin();
    command.args(["check", "lock.csp", "--check", "2"]).env("LC_ALL", "C");
    let ran = ended(command.output().unwrap());
    assert!(ran.out.is_ascii(), "{}", ran.out);
    assert!(ran.out.contains("@  from here on again and again:"), "{}", ran.out);
}

#[test]
fn assertions_are_chosen_by_number_or_text() {
    assert_eq!(run("check lock.csp --check 1 -q").out, "Clients() deadlockfree: valid\n");
    let mut command = linchpin();
    command.args(["check", "lock.csp", "-q", "--check", "Stuck() refines Idle()"]);
    assert_eq!(ended(command.output().unwrap()).out, "Stuck() refines Idle(): NOT valid\n");
    complains("check lock.csp --check 10", "there is no check `10` (there is: `1`, ");
}

#[test]
fn long_traces_are_broken_and_abridged_within_80_columns() {
    let model = b"var n; P() = [n < 400] count.n{n = n + 1;} -> P(); #assert P() deadlockfree;";
    let ran = check(model, &[]);
    assert!(ran.out.lines().all(|l| l.chars().count() <= 80), "{}", ran.out);
    assert!(ran.out.contains("-> ... 270 steps ...") && ran.out.contains("-> count.399\n"));
    assert!(ran.out.contains("270 steps are left out here (-v shows them)"));
    let all = check(model, &["-v"]).out;
    assert!(all.contains("-> count.200 ") && all.contains("n: 200 → 201"), "{all}");
    assert!(all.lines().all(|l| l.chars().count() <= 80), "{all}");
}

#[test]
fn the_command_that_shows_it_again_does() {
    let first = run("check lock.csp --check 2 --fairness weak-events").out;
    let command = first.lines().find(|l| l.trim_start().starts_with("linchpin check")).unwrap();
    let command = command.trim_start().strip_prefix("linchpin ").unwrap();
    assert_eq!(command, "check lock.csp --check 2 --fairness weak-events");
}

#[test]
fn programs_get_every_step_with_places_and_changes() {
    let ran = run("check lock.csp --format json");
    let objects: Vec<Value> =
        ran.out.lines().map(|l| serde_json::from_str(l).expect("an object per line")).collect();
    let verdicts: Vec<_> = objects.iter().map(|o| o["verdict"].as_str().unwrap()).collect();
    let (holds, violated) = ("holds", "violated");
    let expected =
        [holds, violated, violated, violated, "error", holds, violated, violated, violated];
    assert_eq!(verdicts, expected);
    let stuck = &objects[2];
    assert_eq!(stuck["at"]["line"], 20);
    assert_eq!(stuck["witness"]["trace"], "init -> ask -> c!7");
    let sent = &stuck["witness"]["steps"][1];
    assert_eq!(sent["places"][0]["column"], 18);
    let change = serde_json::json!([{ "name": "c", "from": "[]", "to": "[7]" }]);
    assert_eq!(sent["changes"], change);
    assert_eq!(stuck["command"], "linchpin check lock.csp --check 3");
    assert_eq!(objects[1]["witness"]["repeats"], 0);
    let fair = run("check lock.csp --check 2 --fairness global --format json").out;
    let fair: Value = serde_json::from_str(&fair).unwrap();
    assert_eq!((&fair["verdict"], &fair["fairness"]), (&"holds".into(), &"global".into()));
}

#[test]
fn every_field_is_documented() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-schema.md");
    let text = fs::read_to_string(path).unwrap();
    let text = &text[text.find("## Assertions of `.csp` models").expect("a section")..];
    for line in run("check lock.csp --format json").out.lines() {
        let object: Value = serde_json::from_str(line).unwrap();
        let step = &object["witness"]["steps"][0];
        for part in [&object, &object["witness"], step, &step["changes"][0], &object["error"]] {
            for name in part.as_object().into_iter().flatten().map(|(name, _)| name) {
                assert!(text.contains(&format!("`{name}`")), "{name} is not documented");
            }
        }
    }
}

#[test]
fn servers_get_junit_and_annotations() {
    let xml = run("check lock.csp --format junit").out;
    let mut lines = xml.lines().map(str::trim);
    let suite = lines.find(|l| l.starts_with("<testsuite ")).unwrap();
    assert!(suite.contains("name=\"lock.csp\""), "{suite}");
    let counts = "tests=\"9\" failures=\"6\" errors=\"1\" skipped=\"0\"";
    assert!(suite.contains(counts), "{suite}");
    assert!(
        xml.contains("init -&gt; ask -&gt; c!7")
            && xml.contains("linchpin check lock.csp --check 3"),
        "{xml}"
    );
    let unknown = check(BIG, &["--max-states", "5", "--format", "junit"]).out;
    assert!(unknown.contains("<skipped message=\"unknown: the limit of 5 states"), "{unknown}");
    let notes = run("check lock.csp --format github").out;
    assert_eq!(notes.lines().count(), 9);
    let third = notes.lines().nth(2).unwrap();
    let begin = "::error file=lock.csp,line=20,title=Stuck() deadlockfree::NOT valid%0AA deadlock";
    assert!(third.starts_with(begin), "{third}");
    assert!(notes.starts_with("::notice file=lock.csp,line=18,"), "{notes}");
}

#[test]
fn the_page_has_every_assertion_with_its_execution() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let mut command = linchpin();
    command.args(["check", "lock.csp", "--format", "html", "-o"]).arg(&page);
    let ran = ended(command.output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    let text = fs::read_to_string(page).unwrap();
    let data = text.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    let checks = data["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 9);
    let lasso = &checks[1]["witness"];
    assert_eq!(lasso["repeats"], 0);
    assert_eq!(
        lasso["frames"].as_array().unwrap().len(),
        1 + lasso["steps"].as_array().unwrap().len()
    );
    let meet = &checks[7]["witness"]["steps"][0];
    assert_eq!(meet["at"], "13:11, 13:37");
    assert_eq!(meet["by"], serde_json::json!([1, 2]));
    assert_eq!(checks[4]["verdict"], "error");
}

#[test]
fn a_file_expects_its_assertions_to_hold() {
    assert_eq!(run("check lock.csp --check 1 --expect -q").code, Some(0));
    assert_eq!(run("check lock.csp --check 3 --expect -q").code, Some(1));
    assert_eq!(check(BIG, &["--max-states", "5"]).code, Some(3));
    assert_eq!(check(BIG, &["--max-states", "5", "--expect"]).code, Some(1));
}

#[test]
fn options_that_mean_nothing_here_are_refused_by_name() {
    for (option, value) in [
        ("--classify", ""),
        ("--method", "recordings"),
        ("--check-facts", ""),
        ("--explain", ""),
        ("--minimise", "5"),
        ("--atomic", ""),
        ("--against", "x.mcrl2"),
        ("--calls", "a"),
        ("--returns", "a"),
        ("--threads", "2"),
        ("--ops", "2"),
        ("--heap", "2"),
        ("--values", "2"),
        ("--no-heap", ""),
        ("--no-threads", ""),
    ] {
        complains(&format!("check lock.csp {option} {value}"), &format!("lock.csp: `{option}` "));
    }
    complains("check counter.lin --no-order", "`--no-order` is for `.csp` models");
    complains("check counter.lin --fairness weak-events", "`--fairness` is for formulas of `.csp`");
    assert_eq!(run("check lock.csp --check 1 --workers 2 -q").code, Some(0));
}

#[test]
fn limits_give_unknown_with_the_limit() {
    for (options, about) in [
        (["--max-states", "500"], "unknown: the limit of 500 states was reached after "),
        (["--timeout", "200ms"], "unknown: the time limit of 0.2 s was reached after "),
        (["--max-memory", "1M"], "unknown: the memory limit of 1.0 MB was reached after "),
    ] {
        let ran = check(BIG, &options);
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        assert_eq!(ran.out.matches(about).count(), 4, "{}", ran.out);
    }
}

#[test]
fn wrong_models_are_refused_with_place_and_help() {
    let wrong = |content: &str, about: &[&str]| {
        let ran = check(content.as_bytes(), &[]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        for words in about {
            assert!(ran.err.contains(words), "expected {words:?} in {}", ran.err);
        }
    };
    wrong("P = a -> -> b;", &["error[", "model.csp:1:10"]);
    wrong("P = a -> b\n#assert P deadlockfree;", &["expected `;`, but there is `#`"]);
    let claims = "expected what is asserted: `deadlockfree`, `divergencefree`, `deterministic`";
    wrong("P = a -> Stop;\n#assert P deadlokfree;", &["model.csp:2:11", claims]);
    wrong("Client = a -> Cleint;\n#assert Client deadlockfree;", &["did you mean `Client`?"]);
    wrong("P = a -> Stop;\n#assert Q deadlockfree;", &["error[", "model.csp:2:9", "`Q`"]);
    wrong("P = a -> Stop;", &["model.csp: the file has no assertions", "#assert P deadlockfree;"]);
    wrong("", &["model.csp: the file has no assertions"]);
    wrong("\u{0}\u{1}", &["model.csp: the file is binary"]);
    complains("check missing.csp", "missing.csp: cannot read the file: no such file");
    complains("list missing.csp", "missing.csp: cannot read the file: no such file");
    complains("simulate missing.csp", "missing.csp: cannot read the file: no such file");
}

#[test]
fn list_shows_what_is_in_a_model() {
    let ran = run("list lock.csp");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    approved("csp_list.txt", &ran.out);
    let set = run("list lock.csp --set N=3").out;
    assert!(set.contains("N     2:9   = 3 (set on the command line)"), "{set}");
    complains("list counter.lin --lib x", "`--lib` is for `.csp` models");
}

#[test]
fn other_commands_say_that_they_are_for_other_models() {
    let before = fs::read(crate::run::models().join("lock.csp")).unwrap();
    complains(
        "fmt lock.csp",
        "lock.csp: `linchpin fmt` is for `.lin` files, and this is a `.csp` one",
    );
    complains(
        "fmt --check lock.csp",
        "lock.csp: `linchpin fmt` is for `.lin` files, and this is a `.csp` one",
    );
    assert_eq!(fs::read(crate::run::models().join("lock.csp")).unwrap(), before);
    complains("points lock.csp", "lock.csp: `linchpin points` is for `.lin` files");
    complains("lts lock.csp", "say which process is meant: FILE.csp:PROCESS");
}

#[test]
fn processes_are_simulated_at_the_prompt() {
    let ran = simulate("lock.csp", "1\n1\nnonsense\nb\nb\nb\n2\nq\n");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    approved("csp_prompt.txt", &ran.out);
    for answers in ["", "1", "1\n2\n", "b\nb\n"] {
        let ran = simulate("lock.csp --check Meet", answers);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{answers:?}");
    }
}

#[test]
fn processes_are_simulated_at_random() {
    let ran = run("simulate lock.csp --seed 3 --steps 5");
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.ends_with("stopped after 5 steps (--steps)\n"), "{}", ran.out);
    assert_eq!(run("simulate lock.csp --seed 3 --steps 5").out, ran.out);
    let ends = |process: &str, end: &str| {
        let out = run(&format!("simulate lock.csp --check {process} --seed 1")).out;
        assert!(out.ends_with(end), "{out}");
    };
    ends("Stuck", "deadlock: no step is possible\n");
    ends("8", "the end: the process has terminated\n");
    ends("Divided", "the model goes wrong\n");
    complains("simulate lock.csp --check Nobody", "there is no assertion and no process `Nobody`");
    complains("simulate machines.csp", "say which process is meant (--check)");
    complains("simulate lock.csp --ops 3", "`--ops` is for `.lin` and `.mcrl2` models");
}

#[test]
fn reductions_change_no_verdict_and_can_be_switched_off() {
    let verdicts = run("check lock.csp -q").out;
    for (options, used) in [
        ("", "order, equal, antichain"),
        ("--no-order", "equal, antichain"),
        ("--no-equal", "order, antichain"),
        ("--no-antichain", "order, equal"),
        ("--no-reductions", "none"),
    ] {
        assert_eq!(run(&format!("check lock.csp -q {options}")).out, verdicts);
        let verbose = run(&format!("check lock.csp -v --check 3 {options}")).out;
        assert!(verbose.contains(&format!("  reductions: {used}\n")), "{verbose}");
        let again = format!("linchpin check lock.csp --check 3 {options}");
        assert!(verbose.contains(&format!("{}\n", again.trim_end())), "{verbose}");
    }
}

#[test]
fn options_that_mean_nothing_for_any_file_are_refused_by_name() {
    for option in ["--atomic", "--against a.aut", "--calls a", "--returns a", "--no-order"] {
        let flag = option.split(' ').next().unwrap();
        complains(&format!("check counter.lin {option}"), &format!("`{flag}` is for `."));
    }
    for option in ["--classify", "--explain", "--check-facts", "--minimise 7", "--no-heap"] {
        let flag = option.split(' ').next().unwrap();
        complains(&format!("check any.mcrl2 --atomic {option}"), &format!("`{flag}` "));
    }
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn inside(folder: &tempfile::TempDir, arguments: &str) -> Ran {
    let mut command = linchpin();
    command.current_dir(folder.path()).args(arguments.split(' '));
    ended(command.output().unwrap())
}

const CALLS: &str = "#import \"PAT.Lib.Example\";\nvar x = 0;\nP = a{x = call(half, 7);} -> Skip;\n#define goal x == 3;\n#assert P reaches goal;";
const HALF: &str = "namespace PAT.Lib {\n  public class Example {\n    public static int half(int whole) { return whole / 2; }\n  }\n}\n";

#[test]
fn csharp_code_is_found_beside_the_model_in_lib_and_where_it_is_said() {
    for name in ["PAT.Lib.Example.cs", "Example.cs", "Lib/PAT.Lib.Example.cs", "Lib/Example.cs"] {
        let folder = folder(&[("m.csp", CALLS), (name, HALF)]);
        assert_eq!(inside(&folder, "check m.csp -q").out, "P reaches goal: valid\n", "{name}");
    }
    let folder = folder(&[("d/m.csp", CALLS), ("code/Example.cs", HALF)]);
    let ran = inside(&folder, "check d/m.csp");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the source of `PAT.Lib.Example` was not found"), "{}", ran.err);
    let ran = inside(&folder, "check d/m.csp --lib code");
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("linchpin check d/m.csp --lib code\n"), "{}", ran.out);
    assert_eq!(inside(&folder, "lts d/m.csp:P --lib code -q").code, Some(0));
    assert_eq!(inside(&folder, "simulate d/m.csp --lib code --seed 1").code, Some(0));
}

#[test]
fn what_is_wrong_with_another_file_is_said_there() {
    let broken = HALF.replace("whole / 2", "whol / 2");
    let files = folder(&[("d/m.csp", CALLS), ("d/Example.cs", &broken)]);
    let ran = inside(&files, "check d/m.csp");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("d/Example.cs:3:48"), "{}", ran.err);
    assert!(ran.err.contains("did you mean `whole`?"), "{}", ran.err);
    let fault = HALF.replace("whole / 2", "whole / 0");
    let files = folder(&[("m.csp", CALLS), ("Example.cs", &fault)]);
    let ran = inside(&files, "check m.csp");
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("Example.cs:3:48"), "{}", ran.out);
    let ran = inside(&files, "check m.csp --format json");
    let json: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(json["error"]["at"][0]["file"], "Example.cs");
    assert_eq!(json["error"]["at"][0]["line"], 3);
}

#[test]
fn files_are_included_relative_to_the_file_that_does() {
    let main = "#include \"parts/p.csp\";\n#include \"parts/n.csp\";\n#assert P deadlockfree;\n";
    let p = "#include \"n.csp\";\nvar a[N];\nP = e{a[N - 1] = 1;} -> Stop;\n";
    let files = folder(&[("m.csp", main), ("parts/p.csp", p), ("parts/n.csp", "#define N 2;\n")]);
    let ran = inside(&files, "check m.csp");
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("parts/p.csp:3:5"), "{}", ran.out);
    let listed = inside(&files, "list m.csp").out;
    assert!(listed.contains("parts/n.csp:1:9"), "{listed}");
    let wrong =
        folder(&[("m.csp", main), ("parts/p.csp", p), ("parts/n.csp", "#define N 0 - 2;\n")]);
    let ran = inside(&wrong, "check m.csp");
    assert!(ran.err.contains("parts/p.csp:2:7"), "{}", ran.err);
    let cycle = folder(&[
        ("m.csp", main),
        ("parts/p.csp", p),
        ("parts/n.csp", "#include \"../parts/p.csp\";\n#define N 2;\n"),
    ]);
    let ran = inside(&cycle, "check m.csp");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`../parts/p.csp` includes itself"), "{}", ran.err);
    let missing = folder(&[("m.csp", main)]);
    let ran = inside(&missing, "check m.csp");
    assert!(ran.err.contains("there is no file `parts/p.csp` to include"), "{}", ran.err);
}

#[test]
fn constants_are_set_from_the_command_line() {
    let model = "#define NUM 2;\n#define M NUM * 2;\n#define small x < M;\n#define f(a) a + 1;\nvar x = 0;\n\
                 P = [x < NUM] up{x++;} -> P [] [x == NUM] Stop;\n#define top x == 5;\n#assert P reaches top;\n";
    let files = folder(&[("m.csp", model)]);
    assert_eq!(inside(&files, "check m.csp -q").code, Some(1));
    let ran = inside(&files, "check m.csp --set NUM=5");
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("linchpin check m.csp --set NUM=5\n"), "{}", ran.out);
    let listed = inside(&files, "list m.csp --set NUM=-3").out;
    assert!(listed.contains("= -3 (set on the command line)"), "{listed}");
    assert!(listed.contains("M      2:9  = -6"), "{listed}");
    for (set, message) in [
        ("NUN=1", "did you mean `NUM`?"),
        ("K=1", "the constants are NUM, M, small, top"),
        ("f=1", "`f` has parameters or stands for statements, and cannot be set"),
        (
            "NUM=x",
            "`NUM=x` is no value: a number from -1073741824 to 1073741824, `true` or `false`",
        ),
        ("NUM=2000000000", "`NUM=2000000000` is no value"),
    ] {
        let ran = inside(&files, &format!("check m.csp --set {set}"));
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(message), "{set}: {}", ran.err);
    }
}
