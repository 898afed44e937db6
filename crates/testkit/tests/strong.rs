//! Strong linearizability: the game and the definition agree on random programs, and the judge confirms
//! every lost game.
//!
//! `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Violation, check};
use linchpin_evidence::{Claim, judge};
use linchpin_lin::program::{Behaviour, Condition, Program};
use linchpin_lts::Verdict;
use linchpin_testkit::brute::{Limits, Strength, strength};
use linchpin_testkit::differential::ALL;
use linchpin_testkit::{agree, generate};

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Strong,
    NotStrong,
    /// Too big, or wrong in another way.
    Undecided,
    /// The specification goes wrong.
    GoesWrong,
}

/// The program of a text with at most two operations per thread, to be checked for strong
/// linearizability.
fn load(text: &str) -> Option<Arc<Program>> {
    let mut program = linchpin_lin::syntax::load(text, &[]).ok()?.program;
    for check in &mut program.checks {
        check.condition = Condition::Strong;
        for role in &mut check.roles {
            if let Behaviour::General { count, .. } = &mut role.behaviour {
                *count = Some(count.map_or(2, |n| n.min(2)));
            }
        }
    }
    Some(Arc::new(program))
}

fn compare(text: &str, subsets: &[u32], limits: Limits) -> Result<Fate, String> {
    let Some(program) = load(text) else { return Ok(Fate::Undecided) };
    let Some(strong) = strength(&program, 0, limits) else { return Ok(Fate::Undecided) };
    for &subset in subsets {
        let options = Options { reductions: Reductions::subset(subset), ..Options::default() };
        let report = match check(&program, &program.checks[0], &options) {
            Ok(report) => report,
            Err(CheckError::Unsupported(_)) => return Ok(Fate::Undecided),
            Err(CheckError::Specification(_)) if strong == Strength::GoesWrong => continue,
            Err(error) => return Err(format!("{subset}: {error:?}")),
        };
        match (&report.verdict, strong) {
            (Verdict::Holds, Strength::Strong) => {}
            (
                Verdict::Violated(Counterexample {
                    violation: Violation::Branching(branches),
                    schedule,
                }),
                Strength::NotStrong,
            ) => {
                let claim = Claim::Branching(branches);
                judge(&program, &program.checks[0], claim, schedule)
                    .map_err(|e| format!("{subset}: the judge does not agree: {e}"))?;
            }
            (verdict, _) => return Err(format!("{subset}: {verdict:?}, but it is {strong:?}")),
        }
    }
    Ok(match strong {
        Strength::Strong => Fate::Strong,
        Strength::NotStrong => Fate::NotStrong,
        Strength::GoesWrong => Fate::GoesWrong,
    })
}

fn subsets(seed: u64) -> [u32; 4] {
    let mixed = seed.wrapping_mul(0xd134_2543_de82_ef95) >> 40;
    [ALL, 0, ALL & !(1 << (seed % Reductions::TABLE.len() as u64)), mixed as u32 & ALL]
}

/// Compares one program for every seed.
fn agree(text: impl Fn(u64) -> String + Sync, count: u64) -> [u32; 4] {
    let seeds = generate::seeds(1, 100, count);
    let mut tally = [0; 4];
    let limits = Limits { states: 20_000, histories: 6_000 };
    let compare = |text: &str, seed| compare(text, &subsets(seed), limits);
    for fate in agree::on_all(&seeds, text, compare) {
        tally[fate as usize] += 1;
    }
    let [strong, not_strong, undecided, wrong] = tally;
    println!("{strong} strong, {not_strong} not strong, {undecided} undecided, {wrong} go wrong");
    tally
}

#[test]
fn game_and_definition_agree_on_random_programs() {
    let [strong, not_strong, undecided, _] = agree(generate::program, 300);
    let all = strong + not_strong + undecided;
    assert!(all < 100 || strong + not_strong > all / 5);
}

#[test]
fn game_and_definition_agree_on_random_objects_that_put_decisions_off() {
    let [strong, not_strong, undecided, _] = agree(generate::deferring, 400);
    let all = strong + not_strong + undecided;
    assert!(all < 100 || strong > all / 10 && not_strong > all / 50);
}

#[test]
fn game_and_definition_agree_where_the_specification_goes_wrong() {
    let text = |seed| match seed % 2 {
        0 => generate::faulty(&generate::program(seed), seed),
        _ => generate::faulty(&generate::deferring(seed), seed),
    };
    let [strong, not_strong, undecided, wrong] = agree(text, 400);
    let all = strong + not_strong + undecided + wrong;
    assert!(all < 100 || strong > all / 50, "{strong} {not_strong} {wrong} of {all}");
}

/// When `first` returns, `second` is pending, and so is `look`, which will tell which of the two was first. In the
/// specification it goes wrong before both. So every history is explained, but no order can be kept, unless the one
/// that goes wrong.
const ONLY_WRONG: &str = "object Obj {
  var called: 0..=2
  var done: bool
  var looked: bool
  op first() { await called == 2; done = true }
  op second() { fetch_add(called, 1); await looked }
  op look() -> 1..=2 {
    fetch_add(called, 1)
    await done
    let x = choose(1..=2)
    looked = true
    return x
  }
}
spec Abs {
  var who: 0..=2
  op first() { if who == 0 { who = 1 } }
  op second() { if who == 0 { who = 2 } }
  op look() -> 1..=2 { assert who != 0; return who }
}
check Obj against Abs {
  role a(1) script { first() }
  role b(1) script { second() }
  role c(1) script { look() }
}
";

#[test]
fn a_game_that_is_lost_because_the_specification_goes_wrong_is_no_violation() {
    let all: Vec<u32> = (0..=ALL).collect();
    let limits = Limits::default();
    assert_eq!(compare(ONLY_WRONG, &all, limits), Ok(Fate::GoesWrong));
    let right = ONLY_WRONG.replace("assert who", "assume who");
    assert_eq!(compare(&right, &all, limits), Ok(Fate::NotStrong));
}
