//! Strong linearizability: the game and the definition agree on random programs, and the judge confirms
//! every lost game.
//!
//! `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Violation, check};
use linchpin_evidence::{Claim, judge};
use linchpin_lin::program::{Behaviour, Condition, Program};
use linchpin_lts::Verdict;
use linchpin_testkit::brute::{Limits, is_strong};
use linchpin_testkit::differential::ALL;
use linchpin_testkit::{agree, generate};

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Strong,
    NotStrong,
    /// Too big, or wrong in another way.
    Undecided,
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

fn compare(text: &str, subsets: &[u32]) -> Result<Fate, String> {
    let Some(program) = load(text) else { return Ok(Fate::Undecided) };
    let limits = Limits { states: 20_000, histories: 6_000 };
    let Some(strong) = is_strong(&program, 0, limits) else { return Ok(Fate::Undecided) };
    for &subset in subsets {
        let options = Options { reductions: Reductions::subset(subset), ..Options::default() };
        let report = match check(&program, &program.checks[0], &options) {
            Ok(report) => report,
            Err(CheckError::Unsupported(_)) => return Ok(Fate::Undecided),
            Err(error) => return Err(format!("{subset}: {error:?}")),
        };
        match (&report.verdict, strong) {
            (Verdict::Holds, true) => {}
            (
                Verdict::Violated(Counterexample {
                    violation: Violation::Branching(branches),
                    schedule,
                }),
                false,
            ) => {
                let claim = Claim::Branching(branches);
                judge(&program, &program.checks[0], claim, schedule)
                    .map_err(|e| format!("{subset}: the judge does not agree: {e}"))?;
            }
            (verdict, _) => return Err(format!("{subset}: {verdict:?}, but strong is {strong}")),
        }
    }
    Ok(if strong { Fate::Strong } else { Fate::NotStrong })
}

fn subsets(seed: u64) -> [u32; 4] {
    let mixed = seed.wrapping_mul(0xd134_2543_de82_ef95) >> 40;
    [ALL, 0, ALL & !(1 << (seed % 7)), mixed as u32 & ALL]
}

/// Compares one program for every seed.
fn agree(text: impl Fn(u64) -> String + Sync, count: u64) -> [u32; 3] {
    let seeds = generate::seeds(1, 100, count);
    let mut tally = [0; 3];
    for fate in agree::on_all(&seeds, text, |text, seed| compare(text, &subsets(seed))) {
        tally[fate as usize] += 1;
    }
    println!("{} strong, {} not strong, {} undecided", tally[0], tally[1], tally[2]);
    tally
}

#[test]
fn game_and_definition_agree_on_random_programs() {
    let [strong, not_strong, undecided] = agree(generate::program, 300);
    let all = strong + not_strong + undecided;
    assert!(all < 100 || strong + not_strong > all / 5);
}

#[test]
fn game_and_definition_agree_on_random_objects_that_put_decisions_off() {
    let [strong, not_strong, undecided] = agree(generate::deferring, 400);
    let all = strong + not_strong + undecided;
    assert!(all < 100 || strong > all / 10 && not_strong > all / 50);
}
