//! Progress: the checker and the definitions agree on random programs, and the judge confirms every
//! lack of it.
//!
//! `LINCHPIN_SEED` chooses one seed.

use std::sync::Arc;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Violation, check};
use linchpin_engine::Budget;
use linchpin_evidence::{Claim, judge};
use linchpin_lin::program::{Behaviour, Check, Condition, DataDomain, Program};
use linchpin_lts::Verdict;
use linchpin_testkit::brute::progress;
use linchpin_testkit::differential::ALL;
use linchpin_testkit::{agree, corpus, generate};

const CONDITIONS: [Condition; 3] =
    [Condition::LockFree, Condition::WaitFree, Condition::ObstructionFree];

/// The program of a text; with clients that never stop, if asked for.
fn load(text: &str, endless: bool) -> Option<Arc<Program>> {
    let mut program = linchpin_lin::syntax::load(text, &[]).ok()?.program;
    for check in program.checks.iter_mut().filter(|_| endless) {
        check.data.iter_mut().for_each(|d| *d = DataDomain::Finite(1));
        for role in &mut check.roles {
            if let Behaviour::General { count, .. } = &mut role.behaviour {
                *count = None;
            }
        }
    }
    Some(Arc::new(program))
}

/// Which of the conditions hold, if that can be decided; with every difference an error.
fn compare(text: &str, seed: u64) -> Result<Option<[bool; 3]>, String> {
    let Some(program) = load(text, seed % 2 == 1) else { return Ok(None) };
    let Some(truth) = progress(&program, 0, 1_500) else { return Ok(None) };
    let holds = [truth.lock_free, truth.wait_free, truth.obstruction_free];
    let mixed = (seed.wrapping_mul(0xd134_2543_de82_ef95) >> 40) as u32;
    for (condition, holds) in CONDITIONS.into_iter().zip(holds) {
        for subset in [ALL, ALL & !(1 << (seed % Reductions::TABLE.len() as u64)), mixed & ALL] {
            let check = Check { condition: condition.clone(), ..program.checks[0].clone() };
            let reductions = Reductions::subset(subset);
            let (workers, max_states) = (1 + seed as usize % 3, Some(100_000));
            let budget = Budget { workers, max_states, ..Budget::UNLIMITED };
            let options = Options { reductions, budget, ..Options::default() };
            let report = match linchpin_check::check(&program, &check, &options) {
                Ok(report) => report,
                Err(CheckError::Unsupported(_)) => return Ok(None),
                Err(error) => return Err(format!("{subset}: {error:?}")),
            };
            let difference =
                |what: String| Err(format!("{subset}, {condition:?}: {what}; {truth:?}"));
            match &report.verdict {
                Verdict::Holds if holds && truth.faults.is_empty() => {}
                Verdict::Violated(Counterexample { violation: Violation::Fault(kind), .. })
                    if truth.faults.contains(kind) => {}
                Verdict::Violated(Counterexample {
                    violation: Violation::Endless { cycle, thread },
                    schedule,
                }) if !holds => {
                    let claim = Claim::Endless(cycle, *thread);
                    if let Err(why) = judge(&program, &check, claim, schedule) {
                        return difference(format!("the judge does not agree: {why}"));
                    }
                }
                // Without canonical heaps there need not be finitely many states.
                Verdict::Unknown(_) if !(reductions.heap && reductions.data) => {}
                verdict => return difference(format!("{verdict:?}")),
            }
        }
    }
    Ok(Some(holds))
}

#[test]
fn checker_and_definitions_agree_on_random_programs() {
    let seeds = generate::seeds(1, 120, 400);
    let mut tally = [[0; 2]; 3];
    let mut undecided = 0;
    for found in agree::on_all(&seeds, generate::program, compare) {
        match found {
            None => undecided += 1,
            Some(holds) => {
                for (tally, holds) in tally.iter_mut().zip(holds) {
                    tally[usize::from(holds)] += 1;
                }
            }
        }
    }
    println!("violated and holding: {tally:?}, {undecided} undecided");
    assert!(seeds.len() < 100 || tally.iter().flatten().all(|n| n * 20 > seeds.len()), "{tally:?}");
}

#[test]
fn a_claim_that_is_not_true_is_refused_by_the_judge() {
    let text = "object O {\n  var x: 0..=1\n  op f() {\n    loop {\n      if cas(x, 0, 1) { return }\n    }\n  }\n\
                \x20 op g() { x = 0 }\n}\nspec S {\n  op f() { }\n  op g() { }\n}\n\
                check O against S { threads 2, ops unbounded }\n";
    let program = load(text, false).expect("a program");
    let plain = &program.checks[0];
    let decide = |condition: Condition| {
        let check = Check { condition, ..plain.clone() };
        let report = check_now(&program, &check);
        (check, report)
    };
    let (lock_free, verdict) = decide(Condition::LockFree);
    let Verdict::Violated(Counterexample {
        violation: Violation::Endless { cycle, thread },
        schedule,
    }) = verdict
    else {
        panic!("a loop without return");
    };
    let agrees = |check: &Check, cycle: &[_], thread| {
        judge(&program, check, Claim::Endless(cycle, thread), &schedule).is_ok()
    };
    assert!(agrees(&lock_free, &cycle, thread));
    // The thread does not wait, part of a cycle is none, and the other thread does nothing.
    assert!(!agrees(&lock_free, &[], thread));
    let (wait_free, _) = decide(Condition::WaitFree);
    assert!(agrees(&wait_free, &cycle, thread) && !agrees(&wait_free, &cycle, 1 - thread));
    let (alone, _) = decide(Condition::ObstructionFree);
    assert!(agrees(&alone, &cycle, thread) && !agrees(&alone, &cycle, 1 - thread));
    assert!(!agrees(plain, &cycle, thread), "linearizability is no progress");
}

fn check_now(program: &Arc<Program>, asked: &Check) -> Verdict<Counterexample> {
    check(program, asked, &Options::default()).expect("a check").verdict
}

#[test]
fn neither_verdict_nor_counts_nor_witness_depend_on_the_number_of_workers() {
    let corpus = corpus::load(&corpus::root()).expect("a sound corpus");
    let mut violated = [0; 2];
    let cases = corpus.cases.iter().filter(|case| case.path.starts_with("progress/"));
    for (case, asked) in cases.flat_map(|case| case.program.checks.iter().map(move |c| (case, c))) {
        let decide = |workers: usize| {
            let budget = Budget { workers, ..Budget::UNLIMITED };
            let options = Options { budget, ..Options::default() };
            let report = check(&case.program, asked, &options).expect("a check");
            (report.verdict, report.statistics)
        };
        let one = decide(1);
        for workers in [2, 4] {
            assert_eq!(one, decide(workers), "{} with {workers} workers", case.path);
        }
        violated[usize::from(one.0 == Verdict::Holds)] += 1;
    }
    assert!(violated.iter().all(|n| *n > 3), "{violated:?}");
}
