//! The checker agrees with brute force on random programs, whatever reductions are on.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many, from
//! `LINCHPIN_FROM=n` on; `LINCHPIN_SUBSETS=all` tries every subset of the reductions. For many programs
//! there is `cargo xtask random`.

use linchpin_lin::program::Condition;
use linchpin_testkit::agree::{self, Tally};
use linchpin_testkit::brute::Limits;
use linchpin_testkit::differential::{ALL, Agreement, compare, compare_by, subsets};
use linchpin_testkit::generate;

#[test]
fn checker_and_oracle_agree_on_random_programs() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let every = std::env::var("LINCHPIN_SUBSETS").is_ok_and(|v| v == "all");
    let text = |seed: u64| match seed % 2 {
        0 => generate::wrong(&generate::program(seed), seed),
        _ => generate::program(seed),
    };
    let found = agree::on_all(&generate::seeds(1, 300, 3000), text, |text, seed| {
        let subsets = if every { (0..=ALL).collect() } else { subsets(seed) };
        compare(text, &subsets, limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("programs", 2, 3, 3);
}

#[test]
fn checker_and_oracle_agree_on_objects_whose_locks_guard_most_of_their_memory() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let seeds = generate::seeds(700_000, 300, 2000);
    let found = agree::on_all(&seeds, generate::guarded, |text, seed| {
        compare(text, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("objects with locks", 2, 5, 5);
}

#[test]
fn checker_and_oracle_agree_on_objects_whose_memory_is_mostly_set_once() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let seeds = generate::seeds(1_200_000, 300, 3000);
    let found = agree::on_all(&seeds, generate::settled, |text, seed| {
        compare(text, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("objects set once", 2, 5, 5);
}

#[test]
fn checker_and_oracle_agree_on_objects_that_give_records_back() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let seeds = generate::seeds(1_300_000, 300, 3000);
    let found = agree::on_all(&seeds, generate::recycled, |text, seed| {
        compare(text, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("objects that give records back", 2, 5, 5);
}

/// Without watching writes, or if nodes that others know were taken for new ones, two reads would be one step and these
/// would hold.
#[test]
fn what_changes_after_others_may_rely_on_it_is_seen() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let looks = "op same() -> bool {
    let h = head
    if h == null { return true }
    let a = h.f
    let b = h.f
    return a == b
  }";
    let set_again = "object Obj {
  var x: 0..=3
  op set() { if cas(x, 0, 1) { return } }
  op again() { if x == 1 { x = 2 } }
  op same() -> bool {
    let a = x
    let b = x
    return a == b || a == 0
  }
}
spec Abs { op set() {} op again() {} op same() -> bool { return true } }
check Obj against Abs { threads 2, ops 2 }
";
    let shown = |how: &str| {
        format!(
            "node Node {{ f: 0..=3 }}
object Obj {{
  var head: Node
  op show() {{
    let n = new Node
    {how}
  }}
  {looks}
}}
spec Abs {{ op show() {{}} op same() -> bool {{ return true }} }}
check Obj against Abs {{ threads 2, ops 1 }}
"
        )
    };
    let texts = [
        set_again.to_string(),
        shown("let m = n; head = m; n.f = 1"),
        shown("if cas(head, null, n) { n.f = 1 }"),
    ];
    for text in texts {
        assert_eq!(compare(&text, &[ALL, 0], limits).unwrap(), [Agreement::Violated], "{text}");
    }
}

#[test]
fn checker_and_oracle_agree_on_monitors() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let seeds = generate::seeds(1_000_000, 200, 2000);
    let found = agree::on_all(&seeds, generate::monitors, |text, seed| {
        compare(text, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("monitors", 2, 5, 5);
}

#[test]
fn checker_and_oracle_agree_on_values_that_carry_others() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let seeds = generate::seeds(1_500_000, 300, 3000);
    let text = |seed: u64| match seed % 2 {
        0 => generate::wrong(&generate::sums(seed), seed),
        _ => generate::sums(seed),
    };
    let found = agree::on_all(&seeds, text, |text, seed| {
        compare(text, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect("values that carry others", 2, 5, 5);
}

#[test]
fn checker_and_oracle_agree_on_leaks() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let text = |seed: u64| generate::manual(&generate::program(seed), seed);
    let found = agree::on_all(&generate::seeds(900_000, 300, 3000), text, |text, seed| match text
        .contains("  memory ")
    {
        true => compare_by(text, &Condition::LeakFree, &subsets(seed), limits)
            .map_err(|d| d.to_string()),
        false => Ok(Vec::new()),
    });
    let asked: Vec<_> = found.into_iter().filter(|found| !found.is_empty()).collect();
    Tally::of(&asked).expect("leaks", 2, 5, 5);
}

/// Where the bound on the heap leaves out something that is possible if another record is counted, or a specification
/// allows more than the oracle looks at: five of a hundred thousand programs, about which the oracle was wrong.
#[test]
fn checker_and_oracle_agree_at_the_bound_on_the_heap_and_on_specifications_that_are_too_big() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let seeds = [5_019_683, 5_033_620, 5_058_441, 5_070_715, 5_092_171];
    let wrong = seeds.into_iter().filter_map(|seed| {
        let text = generate::program(seed);
        let compared = match seed {
            5_019_683 => compare_by(&text, &Condition::Sequential, &subsets(seed), limits),
            _ => compare(&text, &subsets(seed), limits),
        };
        compared.err().map(|difference| format!("{seed}: {difference}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}
