//! The loader and the runner of the corpus notice what is wrong.

use std::fs;
use std::path::PathBuf;

use linchpin_testkit::corpus::counts::Table;
use linchpin_testkit::corpus::run::{Configuration, Extent, run};
use linchpin_testkit::corpus::{Corpus, Csp, Mcrl2, load, read};

const COUNTER: &str = "\
object O {
  var n: 0..=9
  op add() -> int { return READ }
}
spec S {
  var n: int
  op add() -> int { n += 1; return n - 1 }
}
check O against S { threads 2, ops 2, expect EXPECT }
";

fn correct(expect: &str) -> String {
    COUNTER.replace("return READ", "return fetch_add(n, 1)").replace("EXPECT", expect)
}

fn broken(expect: &str) -> String {
    COUNTER.replace("return READ", "n = n + 1; return n - 1").replace("EXPECT", expect)
}

/// A corpus of one folder, `counter`.
fn folder(name: &str, list: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let folder = root.join("counter");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("expect.toml"), list).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    root
}

const LIST: &str = "\
source = \"a test\"
[[case]]
file = \"good.lin\"
note = \"correct\"
twin = \"bad.lin\"
[[case]]
file = \"bad.lin\"
note = \"loses updates\"
";

fn pair(name: &str, good: &str, bad: &str) -> Corpus {
    load(&folder(name, LIST, &[("good.lin", good), ("bad.lin", bad)])).expect("consistent")
}

fn problems(name: &str, list: &str, files: &[(&str, &str)]) -> Vec<String> {
    let problems = load(&folder(name, list, files)).expect_err("inconsistent");
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn files_and_list_must_agree() {
    let (good, bad) = (correct("holds"), broken("violated"));
    let files = [("good.lin", good.as_str()), ("other.lin", bad.as_str())];
    assert_eq!(
        problems("agree", LIST, &files),
        [
            "counter/bad.lin: listed in expect.toml, but there is no such file",
            "counter/other.lin: not listed in expect.toml",
            "counter/good.lin: its twin `counter/bad.lin` is no broken model",
        ]
    );
    let twice = format!("{LIST}[[case]]\nfile = \"bad.lin\"\nnote = \"again\"\n");
    let files = [("good.lin", good.as_str()), ("bad.lin", bad.as_str())];
    let listed = ["counter/bad.lin: listed more than once in expect.toml"];
    assert_eq!(problems("twice", &twice, &files), listed);
}

#[test]
fn every_check_needs_an_expectation_and_every_correct_model_a_broken_twin() {
    let silent = correct("holds").replace(", expect holds", "");
    let bad = broken("violated");
    let files = [("good.lin", silent.as_str()), ("bad.lin", bad.as_str())];
    let missing = ["counter/good.lin: the check `O` has no expected verdict"];
    assert_eq!(problems("silent", LIST, &files), missing);
    let good = correct("holds");
    let files = [("good.lin", good.as_str()), ("bad.lin", bad.as_str())];
    let lonely = LIST.replace("twin = \"bad.lin\"\n", "");
    let no_twin = ["counter/good.lin: is correct and names no broken twin"];
    assert_eq!(problems("lonely", &lonely, &files), no_twin);
}

#[test]
fn a_file_that_is_no_model_is_reported_with_the_line() {
    let files = [("good.lin", "object O {\n  nonsense\n}\n"), ("bad.lin", "")];
    let found = problems("nonsense", LIST, &files);
    assert!(found[0].starts_with("counter/good.lin: line 2: "), "{found:?}");
    assert!(found.contains(&"counter/bad.lin: has no check".to_string()), "{found:?}");
}

#[test]
fn a_wrong_expectation_fails_in_every_configuration_that_decides() {
    let corpus = pair("wrong", &broken("holds"), &broken("fault assertion"));
    let mut configurations = vec![Configuration::complete(1)];
    configurations.extend(Configuration::reduced(&Extent {
        max_nodes: 10_000,
        subsets: 1,
        seed: 7,
    }));
    let run = run(&corpus, &configurations);
    let failures = run.failures();
    let unexpected = failures.iter().filter(|f| f.contains("expected was `holds`")).count();
    assert_eq!(unexpected, configurations.len(), "{failures:?}");
    // The kind of a violation matters with all reductions on only.
    let kinds: Vec<_> = failures.iter().filter(|f| f.contains("`fault assertion`")).collect();
    assert_eq!(kinds.len(), 1, "{failures:?}");
}

#[test]
fn other_counts_than_the_blessed_ones_are_reported() {
    let corpus = pair("counts", &correct("holds"), &broken("violated"));
    let run = run(&corpus, &[Configuration::complete(1), Configuration::complete(2)]);
    assert_eq!(run.failures(), [] as [String; 0]);
    let counts = run.counts();
    assert_eq!(run.differences(&counts), [] as [String; 0]);
    assert_eq!(run.differences(&Table::new()).len(), 4);
    let mut other = counts.clone();
    let checks = other.get_mut("counter/good.lin").unwrap();
    checks.get_mut("O").unwrap().nodes += 1;
    assert_eq!(run.differences(&other).len(), 2);
    let mut stale = counts.clone();
    stale.insert("counter/gone.lin".to_string(), counts["counter/good.lin"].clone());
    let gone = ["counter/gone.lin O: blessed, but there is no such check"];
    assert_eq!(run.differences(&stale), gone);
}

#[test]
fn a_twin_in_another_language_must_answer_a_question_in_another_way() {
    let list = "\
source = \"a test\"
[[case]]
file = \"good.csp\"
note = \"correct\"
twin = \"bad.csp\"
[[case]]
file = \"bad.csp\"
note = \"no better\"
";
    let model =
        "P = a -> P;\n#assert P deadlockfree; // valid\n#assert P |= [](!a); // not valid\n";
    let problems = |name: &str, good: &str, bad: &str| -> Vec<String> {
        let root = folder(name, list, &[("good.csp", good), ("bad.csp", bad)]);
        let found = read::<Csp>(&root).err().unwrap_or_default();
        found.iter().map(ToString::to_string).collect()
    };
    let broken = model.replace("a -> P", "a -> Stop").replace("// valid", "// not valid");
    assert_eq!(problems("csp", model, &broken), [] as [String; 0]);
    let same = ["counter/good.csp: its twin `counter/bad.csp` is no broken model"];
    assert_eq!(problems("csp-same", model, model), same);
    let silent = broken.replace("deadlockfree; // not valid", "deadlockfree;");
    let missing = ["counter/bad.csp: the check `P deadlockfree` has no expected verdict"];
    assert_eq!(problems("csp-silent", model, &silent), missing);
    let twice = format!("{broken}#assert P |= [](!a); // not valid\n");
    let two = ["counter/bad.csp: has two checks `P |= [](!a)`"];
    assert_eq!(problems("csp-twice", model, &twice), two);
}

#[test]
fn a_relation_that_is_not_known_is_reported() {
    let list = "source = \"a test\"\n[[case]]\nfile = \"x.mcrl2\"\nnote = \"a test\"\n";
    let model = "% expect histories\nact Call, Return;\ninit Call . Return;\n";
    let found = read::<Mcrl2>(&folder("mcrl2", list, &[("x.mcrl2", model)])).expect_err("wrong");
    let wrong = "counter/x.mcrl2: `% expect histories` is no relation with a verdict";
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [wrong]);
}
