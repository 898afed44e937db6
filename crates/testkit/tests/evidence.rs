//! What explanations say about steps is true of the executions they explain.

use linchpin_check::{Counterexample, Options, Violation, check};
use linchpin_evidence::explain::explain;
use linchpin_evidence::{Claim, judge};
use linchpin_lin::program::Expect;
use linchpin_lin::replay::{Replay, ReplayEvent};
use linchpin_lts::{Schedule, Turn, Verdict};
use linchpin_testkit::corpus::{self, Case};
use linchpin_testkit::parallel;
use linchpin_testkit::sample::size;

/// The schedule with a turn for every step.
fn fine(schedule: &Schedule, replay: &Replay) -> Schedule {
    let mut choices: Vec<_> = schedule.turns.iter().map(|t| t.choices.as_slice()).collect();
    let turn = |step: &linchpin_lin::replay::ReplayStep| {
        let (length, count) = step.extent;
        let (own, rest) = choices[step.turn].split_at(count);
        choices[step.turn] = rest;
        Turn { thread: step.thread, choices: own.to_vec(), length }
    };
    Schedule { initial: schedule.initial, turns: replay.steps.iter().map(turn).collect() }
}

/// Calls and returns of every thread, without the names of statements.
fn events(replay: &Replay) -> Vec<&ReplayEvent> {
    replay.steps.iter().flat_map(|s| &s.events).collect()
}

/// Moves every step that is said to be alone to just after the step of its thread before it, and to just
/// before the one after it; gives how many were moved.
fn moved(case: &Case, index: usize, minimise: u64) -> Result<usize, String> {
    let (program, c) = (&case.program, &case.program.checks[index]);
    let options = Options { minimise, ..Options::default() };
    let report = check(program, c, &options).map_err(|e| format!("{e:?}"))?;
    let Verdict::Violated(Counterexample { violation: Violation::History, schedule }) =
        &report.verdict
    else {
        return Ok(0);
    };
    let judged = judge(program, c, Claim::History, schedule).map_err(|e| e.to_string())?;
    let explanation = explain(&judged, &case.files);
    let fine = fine(schedule, &judged.replay);
    let threads: Vec<u32> = fine.turns.iter().map(|t| t.thread).collect();
    let mut count = 0;
    for (step, &thread) in threads.iter().enumerate() {
        let mut entries = explanation.narrative.entries.iter().filter(|e| e.step == step);
        if !entries.all(|e| e.alone) {
            continue;
        }
        let before = threads[..step].iter().rposition(|&t| t == thread).map_or(0, |i| i + 1);
        let after = threads[step + 1..].iter().position(|&t| t == thread);
        let after = after.map_or(threads.len() - 1, |i| step + i);
        for to in [before, after] {
            let mut other = fine.clone();
            let turn = other.turns.remove(step);
            other.turns.insert(to, turn);
            let replay = judged
                .model
                .replay(&other)
                .map_err(|e| format!("step {step} does not move to {to}: {e:?}"))?;
            if events(&replay) != events(&judged.replay) {
                return Err(format!("step {step} at {to} makes a difference"));
            }
            count += usize::from(to != step);
        }
    }
    Ok(count)
}

#[test]
fn steps_that_nobody_takes_notice_of_can_happen_earlier_and_later() {
    let corpus = corpus::load(&corpus::root()).unwrap();
    let checks: Vec<(&Case, usize)> = corpus
        .cases
        .iter()
        .flat_map(|case| (0..case.program.checks.len()).map(move |i| (case, i)))
        .filter(|(case, i)| case.program.checks[*i].expect != Some(Expect::Holds))
        .collect();
    let results: Vec<Result<usize, String>> =
        parallel::map(&checks, parallel::cores(), |(case, i)| {
            Ok(moved(case, *i, 0)? + moved(case, *i, size(1_000, 20_000))?)
        });
    let mut count = 0;
    for ((case, i), result) in checks.iter().zip(results) {
        let name = &case.program.checks[*i].name;
        count += result.unwrap_or_else(|e| panic!("{} {name}: {e}", case.path));
    }
    println!("{count} steps were moved");
    assert!(count > 100);
}
