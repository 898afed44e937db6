//! The other commands.

use std::fs;

use crate::run::{approved, ended, linchpin, run, simulate};

#[test]
fn list_shows_what_is_in_a_file() {
    let ran = run("list roles.lin stack.lin --set MAX=3");
    // `stack.lin` has no parameter of that name.
    assert_eq!(ran.code, Some(2));
    let ran = run("list roles.lin --set MAX=3");
    approved("list.txt", &(ran.out + &run("list stack.lin locks.lin").out));
}

#[test]
fn list_shows_the_conditions_of_checks() {
    let ran = run("list conditions.lin");
    assert_eq!(ran.code, Some(0));
    approved("list_conditions.txt", &ran.out);
}

#[test]
fn reductions_are_listed_with_what_they_preserve() {
    let ran = run("reductions");
    for name in [
        "tighten",
        "private",
        "constant",
        "locks",
        "once",
        "reuse",
        "dead",
        "heap",
        "threads",
        "data",
        "antichain",
        "order",
        "equal",
    ] {
        assert!(ran.out.contains(&format!("\n  switched off by --no-{name}\n")), "{}", ran.out);
    }
    assert_eq!(ran.out.matches("preserves: ").count(), 13);
}

#[test]
fn completions_name_the_flags_that_come_from_the_table() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(&format!("completions {shell}"));
        assert!(ran.out.contains("no-antichain"), "{shell}");
    }
    assert_eq!(run("completions tcsh").code, Some(2));
}

#[test]
fn a_simulation_is_the_same_for_the_same_seed() {
    let ran = run("simulate stack.lin --seed 3 --steps 20");
    assert_eq!(ran.code, Some(0));
    approved("simulate.txt", &ran.out);
    assert_eq!(run("simulate stack.lin --seed 3 --steps 20").out, ran.out);
    assert_ne!(run("simulate stack.lin --seed 4 --steps 20").out, ran.out);
}

#[test]
fn random_simulations_end_at_faults_deadlocks_and_the_end() {
    let ends = |arguments: &str, end: &str| {
        (0..50).any(|seed| run(&format!("{arguments} --seed {seed}")).out.ends_with(end))
    };
    assert!(ends("simulate locks.lin", "deadlock: no thread can go on\n"));
    assert!(ends("simulate locks.lin", "the end: no step is possible\n"));
    assert!(ends("simulate fault.lin", "null dereference\n"));
    assert!(ends("simulate stack.lin --check forever --steps 5", "after 5 steps (--steps)\n"));
}

#[test]
fn at_the_prompt_steps_are_chosen_by_number() {
    let ran = simulate("counter.lin", "1\n1\nnonsense\n9\n2\nb\nq\n");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    approved("prompt.txt", &ran.out);
}

#[test]
fn the_prompt_has_help_history_locals_random_steps_and_undo() {
    let ran = simulate("counter.lin", "?\n1\n1\nl\nh\nr 2\nundo\nr\nr x\nq\n");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for part in
        ["  NUMBER  take that step", "T1  n = 0", "call increment()", "there is no such step"]
    {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    // The history is a picture, too.
    assert!(
        ran.out.contains("T1  |.increment()") || ran.out.contains("T1  ├┄increment()"),
        "{}",
        ran.out
    );
    let again = simulate("counter.lin", "r 5\nq\n").out;
    assert_eq!(again, simulate("counter.lin", "r 5\nq\n").out);
    assert_eq!(again.matches("?: help> ").count(), 2, "{again}");
}

#[test]
fn specifications_of_mcrl2_are_listed_and_simulated() {
    let file = "../../../../corpus/mcrl2/coarse_set.mcrl2";
    let ran = run(&format!("list {file}"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for part in ["sorts\n  Cell", "actions\n", "processes\n"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let ran = run(&format!("simulate {file} --seed 1 --steps 3"));
    assert!(ran.out.ends_with("stopped after 3 steps (--steps)\n"), "{}", ran.out);
    let ran = simulate(file, "r 2\nh\nb\nl\nq\n");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("   2  Call") || ran.out.contains("   2  (silent)"), "{}", ran.out);
}

#[test]
fn the_manual_has_every_command() {
    let page = run("man").out;
    assert!(page.contains(".TH linchpin 1"), "{page}");
    for command in ["CHECK", "HISTORY", "SIMULATE", "LTS", "COMPARE", "FMT"] {
        assert!(page.contains(&format!(".SH \"{command}\"")), "{command}");
    }
}

#[test]
fn figures_are_drawn_of_the_first_violation_and_other_kinds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (history, memory, steps) = (path("h.svg"), path("m.tex"), path("s.svg"));
    let ran = run(&format!(
        "check counter.lin -q --figure {history} --figure memory={memory} --figure schedule={steps}"
    ));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let text = |path: &String| fs::read_to_string(path).unwrap();
    assert!(text(&history).contains("increment()") && text(&history).ends_with("</svg>\n"));
    assert!(text(&memory).contains("\\begin{tikzpicture}"));
    assert!(text(&steps).contains("let n = N"));
    let ran = run("check counter.lin --figure history.pdf");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`history.pdf` does not end in `.svg` or `.tex`"), "{}", ran.err);
    let late = path("late.svg");
    let ran = run(&format!("check counter.lin -q --figure memory@999={late}"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("there is no step 999"), "{}", ran.err);
}

#[test]
fn several_answers_end_with_one_line() {
    let ran = run("check stack.lin counter.lin");
    let last = ran.out.lines().last().unwrap_or_default();
    assert!(last.contains(" checks: ") && last.contains(" unexpected, 0 unknown; "), "{last}");
    assert!(!run("check counter.lin --check Atomic").out.contains(" checks: "));
    assert_eq!(run("check wrong.lin misspelt.lin").out, "");
    assert!(!run("check stack.lin counter.lin --format json").out.contains(" checks: "));
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    use std::io::Write;
    use std::process::Stdio;
    let pipe = |arguments: &[&str], text: &str| {
        let mut child = linchpin();
        child.arg("fmt").args(arguments).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        ended(child.wait_with_output().unwrap())
    };
    let ran = pipe(&[], "object   A{\nvar n:int\n}\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "object A {\n  var n: int\n}\n"));
    assert_eq!(pipe(&["--check"], "object   A{ }\n").code, Some(1));
    assert_eq!(pipe(&["--check"], &ran.out).code, Some(0));
    assert_eq!(pipe(&[], "object {").code, Some(2));
}

#[test]
fn the_end_of_the_input_ends_a_simulation() {
    for answers in ["", "1", "1\n2\n", "b\nb\n", "\u{fffd}\n"] {
        let ran = simulate("locks.lin", answers);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{answers:?}");
    }
}

#[test]
fn fmt_changes_a_file_once_and_check_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lin");
    let untidy = "object   A{\nvar n:int\n      op f( ){ n=1 }\n}\n";
    fs::write(&path, untidy).unwrap();
    let fmt = |arguments: &[&str]| {
        ended(linchpin().arg("fmt").args(arguments).arg(&path).output().unwrap())
    };
    let ran = fmt(&["--check"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.ends_with("a.lin: is not formatted\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), untidy);
    assert_eq!(fmt(&[]).code, Some(0));
    let tidy = fs::read_to_string(&path).unwrap();
    assert_eq!(tidy, "object A {\n  var n: int\n  op f() { n = 1 }\n}\n");
    assert_eq!((fmt(&["--check"]).code, fmt(&[]).code), (Some(0), Some(0)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn fmt_of_a_directory_is_that_of_the_models_below_it() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
    let ran = ended(linchpin().args(["fmt", "--check", corpus]).output().unwrap());
    assert_eq!((ran.code, &*ran.out, &*ran.err), (Some(0), "", ""));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.lin"), "spec  S{ }\n").unwrap();
    std::fs::write(folder.path().join("b.csp"), "P()=Skip;\n").unwrap();
    let ran = ended(linchpin().args(["fmt", "--check"]).arg(folder.path()).output().unwrap());
    assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 1));
}

#[test]
fn fmt_leaves_a_file_with_errors_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lin");
    fs::write(&path, "object { @").unwrap();
    let ran = ended(linchpin().arg("fmt").arg(&path).output().unwrap());
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("error"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), "object { @");
}

#[test]
fn the_help_of_check_names_every_flag() {
    approved("help_check.txt", &run("check --help").out);
}

#[test]
fn new_models_hold_are_laid_out_and_overwrite_nothing() {
    let kinds = run("new --list").out;
    assert_eq!(run("new").out, kinds);
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = 0;
    for kind in kinds.lines().filter_map(|line| line.split_whitespace().next()) {
        let file = folder.path().join(format!("{kind}.lin"));
        let path = file.display();
        let made = run(&format!("new {kind} -o {path}"));
        assert_eq!((made.code, made.err.as_str()), (Some(0), ""), "{kind}");
        let ran = run(&format!("check {path} --strict --expect"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{kind}: {}", ran.out);
        assert!(!ran.out.contains("never"), "{kind}: {}", ran.out);
        assert_eq!(run(&format!("fmt --check {path}")).code, Some(0), "{kind}");
        let again = run(&format!("new {kind} -o {path}"));
        assert_eq!(again.code, Some(2));
        assert!(again.err.contains("is there already"), "{}", again.err);
        assert_eq!(run(&format!("new {kind} -o -")).out, fs::read_to_string(&file).expect("it"));
        seen += 1;
    }
    assert!(seen >= 7, "{kinds}");
    let ran = run("new heap");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("there is no model for `heap`"), "{}", ran.err);
}

#[test]
fn examples_are_the_models_of_the_corpus() {
    let all = run("example");
    assert!(all.out.lines().count() > 200, "{}", all.out);
    let ran = run("example treiber");
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.starts_with("//") && ran.out.contains("check "), "{}", ran.out);
    assert!(ran.err.contains("There are also:"), "{}", ran.err);
    let one = run("example counter/lost_update.lin");
    assert!(one.out.contains("object Counter") && one.err.is_empty(), "{}", one.err);
    assert_eq!(run("example no_such_thing").code, Some(2));
}
