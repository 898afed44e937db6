//! Witnesses are as easy to read as possible: compared with all executions of random programs, and with
//! themselves under other reductions.
//!
//! `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::{Cost, Options, Reductions, Verdict, Violation, check};
use linchpin_evidence::{Claim, judge};
use linchpin_model::program::Program;
use linchpin_testkit::brute::{Limits, cheapest};
use linchpin_testkit::{generate, parallel};

const ALL: u32 = 127;

/// The cost of a minimal witness and the one it had before; `None` if it is not about a history.
fn minimal(program: &Arc<Program>, subset: u32) -> Result<Option<Cost>, String> {
    let reductions = Reductions::subset(subset);
    let options = Options { reductions, minimise: 1_000_000, ..Options::default() };
    let c = &program.checks[0];
    let report = check(program, c, &options).map_err(|e| format!("{e:?}"))?;
    let Verdict::Violated { violation: Violation::History, schedule } = &report.verdict else {
        return Ok(None);
    };
    let cost = report.minimal.ok_or("no minimal witness was found")?;
    let judged = judge(program, c, Claim::History, schedule).map_err(|e| e.to_string())?;
    let calls = judged.history.operations().map_err(|e| format!("{e:?}"))?.len();
    let turns = &judged.schedule.turns;
    let switches = turns.windows(2).filter(|w| w[0].thread != w[1].thread).count();
    if (calls, switches, turns.len())
        != (cost.calls as usize, cost.switches as usize, cost.steps as usize)
    {
        return Err(format!("{calls} calls, {switches} switches, {} turns: {cost:?}", turns.len()));
    }
    Ok(Some(cost))
}

fn compare(seed: u64) -> Result<bool, String> {
    let text = generate::program(seed);
    let Ok(loaded) = linchpin_syntax::lin::load(&text, &[]) else { return Ok(false) };
    let program = Arc::new(loaded.program);
    let limits = Limits { states: 20_000, histories: 6_000 };
    let Some(truth) = cheapest(&program, 0, limits) else { return Ok(false) };
    let mut compared = false;
    for subset in [ALL, 0, ALL & !(1 << (seed % 7))] {
        // Other kinds of violation may be found first.
        let Some(cost) = minimal(&program, subset)? else { continue };
        compared = true;
        if (cost.calls as usize, cost.switches as usize) != truth {
            return Err(format!("{subset}: {cost:?}, but {truth:?} is possible\n{text}"));
        }
    }
    Ok(compared)
}

#[test]
fn no_execution_of_random_programs_is_cheaper_than_the_witness() {
    let seeds = generate::seeds(1, 600);
    let results = parallel::map(&seeds, parallel::cores(), |&seed| (seed, compare(seed)));
    let mut compared = 0;
    for (seed, result) in results {
        match result {
            Ok(yes) => compared += u32::from(yes),
            Err(what) => panic!("seed {seed} (run again with LINCHPIN_SEED={seed}): {what}"),
        }
    }
    println!("{compared} witnesses compared");
    assert!(seeds.len() < 100 || compared as usize > seeds.len() / 10);
}
