//! What the list of survivors says, compared with what became of the mutants.

use std::sync::Arc;

use linchpin_lin::syntax;
use linchpin_testkit::corpus::Case;
use linchpin_testkit::mutate::mutants;
use linchpin_testkit::mutate::survivors::{Readings, parse};

use super::{Fate, Reason, Trial, compare, missing, table};

const TEXT: &str = "\
object O {
  var n: 0..=9
  op a() { n = 1 }
}
spec S { op a() { } }
check O against S { threads 1, ops 1, expect holds }
";
const KEY: &str = "deleted: `n = 1` -> nothing";

fn case() -> Case {
    Case {
        path: "o/o.lin".to_string(),
        source: String::new(),
        note: String::new(),
        twins: Vec::new(),
        text: TEXT.to_string(),
        files: linchpin_lin::Files::new(TEXT),
        program: Arc::new(syntax::load(TEXT, &[]).expect("a model").program),
    }
}

fn trial(case: &Case, fate: Fate) -> Trial<'_> {
    let mut mutants = mutants(&case.text, &case.program).into_iter();
    let mutant = mutants.find(|m| m.key == KEY).expect("a mutant");
    Trial { case, mutant, fate }
}

fn listed(key: &str) -> Readings {
    let text = format!("[[reading]]\nfile = 'o/o.lin'\nwhy = 'unread'\nmutants = ['{key}']");
    parse(&text).expect("readings")
}

fn open() -> Fate {
    Fate::Survived { confirmed: true, reason: Reason::Open }
}

#[test]
fn an_open_survivor_that_is_listed_is_equivalent_and_printed_with_its_reason() {
    let case = case();
    let mut trials = [trial(&case, open())];
    let readings = listed(KEY);
    assert!(compare(&readings, &mut trials).is_empty());
    assert!(missing(&readings, &trials, None).is_empty());
    assert_eq!(trials[0].fate, Fate::Survived { confirmed: true, reason: Reason::Equivalent });
    let text = table::print(&trials, &readings, 1);
    assert!(text.contains("- equivalent: unread\n  - line 3, deleted: `n = 1`"), "{text}");
    let mut trials = [trial(&case, open())];
    assert!(compare(&Readings::default(), &mut trials).is_empty());
    assert_eq!(trials[0].fate, open());
}

#[test]
fn a_listed_mutant_that_is_noticed_or_explained_otherwise_is_stale() {
    let case = case();
    let narrow = Fate::Survived { confirmed: true, reason: Reason::Narrow };
    let stuck = Fate::Survived { confirmed: true, reason: Reason::Stuck };
    for fate in [Fate::Violated, Fate::Fault, Fate::Deadlock, narrow, stuck] {
        let mut trials = [trial(&case, fate.clone())];
        assert_eq!(compare(&listed(KEY), &mut trials).len(), 1, "{fate:?}");
    }
    let mut trials = [trial(&case, Fate::Unknown)];
    assert!(compare(&listed(KEY), &mut trials).is_empty());
}

#[test]
fn an_entry_without_a_mutant_is_stale_unless_its_file_was_left_out() {
    let case = case();
    let trials = [trial(&case, open())];
    let readings = listed("deleted: `m = 1` -> nothing");
    let stale = ["STALE: o/o.lin: there is no mutant deleted: `m = 1` -> nothing"];
    assert_eq!(missing(&readings, &trials, None), stale);
    assert_eq!(missing(&readings, &trials, Some("o.lin")), stale);
    assert!(missing(&readings, &trials, Some("p.lin")).is_empty());
}
