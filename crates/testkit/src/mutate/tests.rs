//! Every mutation on a small object.

use linchpin_syntax::lin;

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
    let program = lin::load(TEXT, &[]).expect("a model").program;
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
    let program = lin::load(TEXT, &[]).expect("a model").program;
    let mut texts: Vec<String> = mutants(TEXT, &program).into_iter().map(|m| m.text).collect();
    let count = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), count);
    assert!(!texts.contains(&TEXT.to_string()));
}
