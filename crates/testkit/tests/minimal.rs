//! Witnesses are as easy to read as possible: compared with all executions of random programs and of the
//! corpus, and with themselves under other reductions.
//!
//! Operations and context switches are compared for every kind of violation; steps of histories and
//! deadlocks, where the reductions leave steps as they are in the language. (Whether a fault happens with an
//! access or with the one before it is not the same for both sides, so its steps are not compared.)
//! `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::{CheckError, Cost, Counterexample, Options, Reductions, Violation, check};
use linchpin_evidence::{Claim, judge};
use linchpin_lin::program::{Check, Condition, Program};
use linchpin_lts::Verdict;
use linchpin_testkit::brute::{Cheapest, Limits, cheapest};
use linchpin_testkit::corpus::{self, Case};
use linchpin_testkit::differential::ALL;
use linchpin_testkit::{generate, parallel};

/// What a check shows.
enum Shown {
    /// A violation, and the cost of its witness, which is what the judge sees.
    Violation(Violation, Cost),
    /// There is none, whether it holds or its specification goes wrong.
    NoViolation,
    /// None that has a cost.
    Other,
}

fn minimal(
    program: &Arc<Program>,
    c: &Check,
    reductions: Reductions,
    most: u64,
) -> Result<Shown, String> {
    let options = Options { reductions, minimise: most, ..Options::default() };
    let report = match check(program, c, &options) {
        Err(CheckError::Specification(_)) => return Ok(Shown::NoViolation),
        report => report.map_err(|e| format!("{e:?}"))?,
    };
    let Counterexample { violation, schedule } = match report.verdict {
        Verdict::Violated(shown) => shown,
        Verdict::Holds => return Ok(Shown::NoViolation),
        Verdict::Unknown(_) => return Ok(Shown::Other),
    };
    let claim = match violation {
        Violation::History => Claim::History,
        Violation::Fault(kind) => Claim::Fault(kind),
        Violation::Deadlock => Claim::Deadlock,
        _ => return Ok(Shown::Other),
    };
    let Some(cost) = report.minimal else { return Ok(Shown::Other) };
    let judged = judge(program, c, claim, &schedule).map_err(|e| e.to_string())?;
    let calls = judged.history.operations().map_err(|e| format!("{e:?}"))?.len();
    let turns = &judged.schedule.turns;
    let switches = turns.windows(2).filter(|w| w[0].thread != w[1].thread).count();
    if (calls, switches, turns.len())
        != (cost.calls as usize, cost.switches as usize, cost.steps as usize)
    {
        return Err(format!("{calls} calls, {switches} switches, {} turns: {cost:?}", turns.len()));
    }
    Ok(Shown::Violation(violation, cost))
}

/// How many witnesses were compared: of histories, faults and deadlocks; and how many of these in
/// steps as well.
type Tally = [u32; 4];

/// Compares the witness with the truth.
fn compare(
    program: &Arc<Program>,
    c: &Check,
    truth: &Cheapest,
    reductions: Reductions,
) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let (violation, cost) = match minimal(program, c, reductions, 1_000_000)? {
        Shown::Violation(violation, cost) => (violation, cost),
        Shown::NoViolation if *truth != Cheapest::default() => {
            return Err(format!("no violation, but {truth:?} is possible"));
        }
        Shown::NoViolation | Shown::Other => return Ok(tally),
    };
    let (kind, truth) = match violation {
        Violation::History => (0, truth.history),
        Violation::Fault(kind) => (1, truth.faults.get(&kind).copied()),
        _ => (2, truth.deadlock),
    };
    let truth = truth.ok_or_else(|| format!("{violation:?} does not exist"))?;
    let price = (cost.calls as usize, cost.switches as usize, cost.steps as usize);
    let Reductions { tighten, private, constant, locks, once, reuse, .. } = reductions;
    let same_steps = kind != 1 && !(tighten || private || constant || locks || once || reuse);
    tally[kind] = 1;
    tally[3] = u32::from(same_steps);
    if (price.0, price.1) != (truth.0, truth.1) || same_steps && price.2 != truth.2 {
        return Err(format!("{violation:?}: {cost:?}, but {truth:?} is possible"));
    }
    Ok(tally)
}

fn add(sum: &mut Tally, more: Tally) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn compare_random(seed: u64) -> Result<Tally, String> {
    let text = generate::program(seed);
    let mut tally = compare_text(&text, seed)?;
    // If the specification goes wrong, an execution counts if its history is refused all the same.
    if seed.is_multiple_of(4) {
        add(&mut tally, compare_text(&generate::faulty(&text, seed), seed)?);
    }
    Ok(tally)
}

fn compare_text(text: &str, seed: u64) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let Ok(loaded) = linchpin_lin::syntax::load(text, &[]) else { return Ok(tally) };
    let program = Arc::new(loaded.program);
    let limits = Limits { states: 20_000, histories: 6_000 };
    let Some(truth) = cheapest(&program, 0, limits) else { return Ok(tally) };
    for subset in [ALL, 0, ALL & !(1 << (seed % Reductions::TABLE.len() as u64)), ALL & !63] {
        let one = compare(&program, &program.checks[0], &truth, Reductions::subset(subset));
        add(&mut tally, one.map_err(|what| format!("{subset}: {what}\n{text}"))?);
    }
    Ok(tally)
}

#[test]
fn no_execution_of_random_programs_is_cheaper_than_the_witness() {
    let seeds = generate::seeds(1, 100, 600);
    let results = parallel::map(&seeds, parallel::cores(), |&seed| (seed, compare_random(seed)));
    let mut tally = Tally::default();
    for (seed, result) in results {
        match result {
            Ok(one) => add(&mut tally, one),
            Err(what) => panic!("seed {seed} (run again with LINCHPIN_SEED={seed}): {what}"),
        }
    }
    let [histories, faults, deadlocks, steps] = tally;
    println!("{histories} histories, {faults} faults, {deadlocks} deadlocks; {steps} by steps");
    if seeds.len() >= 100 {
        let share = |n| n as usize * 60 / seeds.len();
        assert!(share(histories) > 20 && share(faults) > 10 && deadlocks > 1 && share(steps) > 15);
    }
}

/// Where the violation is cheap to find and the oracle comes to an end, with all reductions and with none.
fn compare_case(case: &Case) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let limits = Limits { states: 5_000, histories: 2_000 };
    for (number, c) in case.program.checks.iter().enumerate() {
        let place = |what| format!("{} {}: {what}", case.path, c.name);
        let known = match c.condition {
            Condition::Linearizable => cheapest(&case.program, number, limits),
            _ => None,
        };
        for reductions in [Reductions::ALL, Reductions::NONE] {
            match &known {
                Some(truth) => {
                    let one = compare(&case.program, c, truth, reductions).map_err(place)?;
                    add(&mut tally, one);
                }
                None if reductions == Reductions::ALL => {
                    minimal(&case.program, c, reductions, 20_000).map_err(place)?;
                }
                None => {}
            }
        }
    }
    Ok(tally)
}

#[test]
fn witnesses_of_the_corpus_cost_what_is_said_and_no_less_is_possible() {
    let corpus = corpus::load(&corpus::root()).expect("the corpus");
    let broken: Vec<&Case> = corpus.cases.iter().filter(|case| !case.is_correct()).collect();
    let mut tally = Tally::default();
    for result in parallel::map(&broken, parallel::cores(), |case| compare_case(case)) {
        add(&mut tally, result.unwrap_or_else(|what| panic!("{what}")));
    }
    let [histories, faults, deadlocks, steps] = tally;
    println!("{histories} histories, {faults} faults, {deadlocks} deadlocks; {steps} by steps");
    assert!(histories > 10 && faults > 10 && deadlocks > 4, "{tally:?}");
}
