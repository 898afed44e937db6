//! Verdict, figures and witness do not depend on the number of workers, nor on whether a search was kept and gone on with
//! in another run: for the game of strong linearizability, for the simplest witness, and for every method.

use std::sync::Arc;

use linchpin_check::{CheckError, Cost, Counterexample, Method, Options, Violation, check};
use linchpin_engine::{Budget, Keeper};
use linchpin_lin::Covered;
use linchpin_lin::program::{Check, Condition, Expect, Program};
use linchpin_lts::{Figures, Verdict};
use linchpin_testkit::corpus::{self, Case};
use linchpin_testkit::keeping::Memory;
use linchpin_testkit::parallel;
use linchpin_testkit::sample::size;

/// Most nodes; a limit is reached at the same place by any number of workers, too.
fn most() -> u64 {
    size(2_000, 10_000)
}

/// What must not depend on the number of workers.
type Outcome = Result<(Verdict<Counterexample>, Figures, Option<Cost>, Covered), CheckError>;

fn outcome(
    program: &Arc<Program>,
    c: &Check,
    method: Method,
    minimise: u64,
    workers: usize,
    keeper: Option<&dyn Keeper>,
) -> Outcome {
    let budget = Budget { workers, max_states: Some(most()), keeper, ..Budget::UNLIMITED };
    let options = Options { method, minimise, budget, ..Options::default() };
    let report = check(program, c, &options)?;
    Ok((report.verdict, report.statistics, report.minimal, report.covered))
}

/// The outcome, which is the same for one, two and four workers, and in another run.
fn compare(case: &Case, c: &Check, method: Method, minimise: u64) -> Result<Outcome, String> {
    let run = |workers, keeper: Option<&Memory>| {
        let keeper = keeper.map(|memory| memory as &dyn Keeper);
        outcome(&case.program, c, method, minimise, workers, keeper)
    };
    let by = |workers| run(workers, None);
    let one = by(1);
    let memory = Memory::new(case.text.len() as u64);
    let kept = run(2, Some(&*memory));
    let resumed = run(2, Some(&*memory.resumed()));
    for (found, when) in [(kept, "kept"), (resumed, "resumed")] {
        if found != one {
            let place = format!("{} {}, {}", case.path, c.name, method.name());
            return Err(format!("{place}, {when}: {found:?}\nbut alone: {one:?}"));
        }
    }
    for workers in [2, 4] {
        let many = by(workers);
        if many != one {
            let place = format!("{} {}, {}", case.path, c.name, method.name());
            return Err(format!("{place}, {workers} workers: {many:?}\nbut alone: {one:?}"));
        }
    }
    Ok(one)
}

/// Lost games, simplest witnesses, and violations found by other methods.
#[derive(Default)]
struct Tally {
    lost: u32,
    simplest: u32,
    otherwise: u32,
}

fn compare_case(case: &Case) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for c in &case.program.checks {
        let wrong = c.expect != Some(Expect::Holds);
        if wrong || c.condition == Condition::Strong {
            let found = compare(case, c, Method::Refinement, most())?;
            if let Ok((Verdict::Violated(found), _, minimal, _)) = found {
                tally.lost += u32::from(matches!(found.violation, Violation::Branching(_)));
                tally.simplest += u32::from(minimal.is_some());
            }
        }
        if wrong && c.condition == Condition::Linearizable {
            for method in [Method::Recordings, Method::External, Method::ExternalSound] {
                let found = compare(case, c, method, 0)?;
                let violated = matches!(found, Ok((Verdict::Violated(_), ..)));
                tally.otherwise += u32::from(violated);
            }
        }
    }
    Ok(tally)
}

#[test]
fn results_do_not_depend_on_the_number_of_workers() {
    let corpus = corpus::load(&corpus::root()).expect("the corpus");
    let cases: Vec<&Case> = corpus.cases.iter().collect();
    let mut sum = Tally::default();
    for tally in parallel::map(&cases, parallel::cores(), |case| compare_case(case)) {
        let Tally { lost, simplest, otherwise } = tally.unwrap_or_else(|what| panic!("{what}"));
        sum.lost += lost;
        sum.simplest += simplest;
        sum.otherwise += otherwise;
    }
    let Tally { lost, simplest, otherwise } = sum;
    println!("{lost} lost games, {simplest} simplest witnesses, {otherwise} by other methods");
    assert!(lost > 2 && simplest > 100 && otherwise > 100);
}
