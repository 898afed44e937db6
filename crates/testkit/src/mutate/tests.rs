//! Every mutation on a small object.

use linchpin_lin::syntax;

use crate::corpus;

use super::survivors::{self, Readings};
use super::{Mutation, mutants};

const TEXT: &str = "\
object O {
  var n: 0..=9
  var m: 0..=9
  var guard: lock
  op a() -> bool {
    lock(guard)
    let x = fetch_add(n, 1)
    unlock(guard)
    if x == 3 && m == x {       // a comment with a }
      m = x
      n = 2
    } else {
      return cas(m, x, 4)
    }
    atomic {
      n = m
    }
    return false
  }
}
spec S { op a() -> bool { return choose(true, false) } }
check O against S { threads 1, ops 1 }
";

fn changes(mutation: Mutation) -> Vec<(usize, String, String)> {
    let program = syntax::load(TEXT, &[]).expect("a model").program;
    mutants(TEXT, &program)
        .into_iter()
        .filter(|m| m.mutation == mutation)
        .map(|m| (m.line, m.change.0, m.change.1))
        .collect()
}

fn change(line: usize, before: &str, after: &str) -> (usize, String, String) {
    (line, before.to_string(), after.to_string())
}

#[test]
fn a_compare_and_swap_loses_its_comparison_or_its_atomicity() {
    let cas = "return cas(m, x, 4)";
    let write = "return (swap(m, 4) == x || true)";
    assert_eq!(changes(Mutation::NoComparison), [change(13, cas, write)]);
    let split = "return (m == x && (swap(m, 4) == x || true))";
    let add = "let x = n; n = x + 1";
    assert_eq!(
        changes(Mutation::NotAtomic),
        [change(7, "let x = fetch_add(n, 1)", add), change(13, cas, split)]
    );
}

#[test]
fn locks_and_atomic_blocks_are_left_out() {
    let locks = [change(6, "lock(guard)", ""), change(8, "unlock(guard)", "")];
    assert_eq!(changes(Mutation::NoLock), locks);
    assert_eq!(changes(Mutation::NoAtomicBlock), [change(15, "atomic {", "if true {")]);
}

#[test]
fn conditions_are_weakened() {
    let head = |cond: &str| change(9, "if x == 3 && m == x {", &format!("if {cond} {{"));
    let always = [head("true"), head("true && m == x"), head("x == 3 && true")];
    assert_eq!(changes(Mutation::AlwaysTrue), always);
    assert_eq!(changes(Mutation::AlwaysFalse), [head("false")]);
    assert_eq!(changes(Mutation::Negated), [head("!(x == 3 && m == x)")]);
    assert_eq!(changes(Mutation::OneSide), [head("x == 3"), head("m == x")]);
}

#[test]
fn statements_with_their_blocks_are_swapped_and_deleted() {
    let branch = "if x == 3 && m == x { m = x n = 2 } else { return cas(m, x, 4) }";
    let deleted = changes(Mutation::Deleted);
    assert!(deleted.contains(&change(9, branch, "")), "{deleted:?}");
    assert!(deleted.contains(&change(15, "atomic { n = m }", "")), "{deleted:?}");
    let swapped = changes(Mutation::Swapped);
    assert!(swapped.contains(&change(10, "m = x n = 2", "n = 2 m = x")), "{swapped:?}");
    let with_block = format!("unlock(guard) {branch}");
    let other_way = format!("{branch} unlock(guard)");
    assert!(swapped.contains(&change(8, &with_block, &other_way)), "{swapped:?}");
}

#[test]
fn constants_change_and_every_mutant_is_another_text() {
    let constants = changes(Mutation::OtherConstant);
    assert!(constants.contains(&change(11, "n = 2", "n = 3")), "{constants:?}");
    assert!(constants.contains(&change(11, "n = 2", "n = (2 - 1)")), "{constants:?}");
    assert!(constants.contains(&change(18, "return false", "return true")), "{constants:?}");
    let program = syntax::load(TEXT, &[]).expect("a model").program;
    let mut texts: Vec<String> = mutants(TEXT, &program).into_iter().map(|m| m.text).collect();
    let count = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), count);
    assert!(!texts.contains(&TEXT.to_string()));
}

#[test]
fn mutants_of_a_file_have_different_keys() {
    let text = TEXT.replace("n = 2", "m = x");
    let program = syntax::load(&text, &[]).expect("a model").program;
    let mut keys: Vec<String> = mutants(&text, &program).into_iter().map(|m| m.key).collect();
    assert!(keys.contains(&"deleted: `m = x` -> nothing".to_string()), "{keys:#?}");
    assert!(keys.contains(&"deleted: `m = x` -> nothing (2)".to_string()), "{keys:#?}");
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

#[test]
fn survivors_are_looked_up_by_file_and_key_and_missing_ones_are_named() {
    let program = syntax::load(TEXT, &[]).expect("a model").program;
    let mutants = mutants(TEXT, &program);
    let readings = survivors::parse(
        "[[reading]]\nfile = 'o.lin'\nwhy = 'nobody reads it'\n\
         mutants = ['deleted: `n = 2` -> nothing', 'deleted: `n = 3` -> nothing']",
    )
    .expect("readings");
    let deleted = mutants.iter().find(|m| m.change.0 == "n = 2").expect("a mutant");
    assert_eq!(readings.why("o.lin", deleted), Some("nobody reads it"));
    assert_eq!(readings.why("p.lin", deleted), None);
    assert_eq!(readings.unknown("o.lin", &mutants), ["deleted: `n = 3` -> nothing"]);
    assert!(readings.unknown("p.lin", &mutants).is_empty());
}

#[test]
fn a_survivor_is_listed_only_once() {
    let reading = "[[reading]]\nfile = 'o.lin'\nwhy = 'w'\nmutants = ['k']\n";
    assert!(survivors::parse(reading).is_ok());
    let error = survivors::parse(&reading.repeat(2)).expect_err("twice");
    assert_eq!(error, "o.lin: listed twice: k");
    assert_eq!(survivors::parse(""), Ok(Readings::default()));
}

#[test]
fn the_survivors_listed_in_the_corpus_are_mutants_of_its_models() {
    let root = corpus::root();
    let text = std::fs::read_to_string(root.join("survivors.toml")).expect("survivors.toml");
    let readings = survivors::parse(&text).expect("readings");
    let corpus = corpus::load(&root).expect("a corpus");
    for (file, _) in readings.entries() {
        assert!(corpus.cases.iter().any(|c| c.path == file && c.is_correct()), "{file}");
    }
    for case in corpus.cases.iter().filter(|c| c.is_correct()) {
        let unknown = readings.unknown(&case.path, &mutants(&case.text, &case.program));
        assert!(unknown.is_empty(), "{}: {unknown:#?}", case.path);
    }
}
