//! The corpora of all languages: every question, in many configurations, against the expected verdicts
//! and the blessed counts. `cargo xtask corpus` does the same with budgets of your choice.

use std::sync::atomic::{AtomicU64, Ordering};

use linchpin_check::{Options, Report, check};
use linchpin_engine::{Budget, Keeper, Progress};
use linchpin_lin::program::{Expect, Program};
use linchpin_lts::{Limit, Verdict, Watch};
use linchpin_testkit::corpus::run::{Extent, run};
use linchpin_testkit::corpus::{self, Csp, Language, Mcrl2, counts};
use linchpin_testkit::keeping::Memory;
use linchpin_testkit::parallel;
use linchpin_testkit::sample::size;

fn every_question_has_its_expected_verdict_in_every_configuration<P: Language>() {
    let root = corpus::folder::<P>();
    let corpus = corpus::read::<P>(&root).unwrap_or_else(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("the corpus is inconsistent:\n{}", lines.join("\n"));
    });
    let text = std::fs::read_to_string(root.join("counts.toml")).expect("counts.toml");
    let blessed = counts::parse(&text).expect("counts.toml");

    let extent = Extent { max_nodes: size(2_000, 50_000), subsets: size(1, 3), seed: 1 };
    let run = run(&corpus, &P::configurations(&extent));
    print!("{}", run.summary());
    let failures = run.failures();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    let differences = run.differences(&blessed);
    assert!(
        differences.is_empty(),
        "the counts have changed; if this is meant, `cargo xtask bless`:\n{}",
        differences.join("\n")
    );
}

#[test]
fn lin() {
    every_question_has_its_expected_verdict_in_every_configuration::<Program>();
}

#[test]
fn csp() {
    every_question_has_its_expected_verdict_in_every_configuration::<Csp>();
}

#[test]
fn mcrl2() {
    every_question_has_its_expected_verdict_in_every_configuration::<Mcrl2>();
}

/// A watch that says stop when it is asked so many times.
fn stops_at(count: u64) -> Watch {
    let asked = AtomicU64::new(0);
    Watch::new(move |_| {
        let asked = asked.fetch_add(1, Ordering::Relaxed) + 1;
        (asked >= count).then_some(Limit::Time)
    })
}

#[test]
fn a_question_that_is_stopped_at_any_moment_is_unknown_or_has_the_same_answer() {
    let corpus = corpus::load(&corpus::root()).expect("the corpus");
    let cases: Vec<_> = corpus.cases.iter().collect();
    let tallies = parallel::map(&cases, parallel::cores(), |case| {
        let mut tally = [0; 3];
        for (i, c) in case.program.checks.iter().enumerate() {
            let mut moment = 1 + i as u64 % 3;
            while moment < size(2_000, 50_000) {
                let within = &stops_at(moment);
                let watch = &|_: &Progress| within.over();
                let max_states = Some(size(1_000, 5_000));
                let memory = Memory::at_limits();
                let keeper = Some(&*memory as &dyn Keeper);
                let budget = Budget { within, watch, max_states, keeper, ..Budget::UNLIMITED };
                let options = Options { budget, minimise: 500, ..Options::default() };
                let place = || format!("{} {}, stopped at {moment}", case.path, c.name);
                match check(&case.program, c, &options) {
                    Ok(Report { verdict: Verdict::Unknown(_), .. }) => tally[0] += 1,
                    Ok(Report { verdict, .. }) => {
                        let expected = c.expect == Some(Expect::Holds);
                        assert_eq!(verdict.holds(), expected, "{}", place());
                        tally[1] += 1;
                    }
                    Err(_) => tally[2] += 1,
                }
                // Gone on with in another run it ends as if nobody had stopped it.
                let resumed = memory.resumed();
                let end = |keeper| {
                    let budget = Budget { max_states, keeper, ..Budget::UNLIMITED };
                    let options = Options { budget, minimise: 500, ..Options::default() };
                    let report = check(&case.program, c, &options);
                    report.map(|r| (r.verdict, r.statistics, r.minimal, r.covered))
                };
                let (found, whole) = (end(Some(&*resumed as &dyn Keeper)), end(None));
                assert!(found == whole, "{}: {found:?}\nbut {whole:?}", place());
                moment = moment * 3 + 1;
            }
        }
        tally
    });
    let sum = |i: usize| tallies.iter().map(|tally| tally[i]).sum::<u32>();
    println!("{} unknown, {} answers, {} errors", sum(0), sum(1), sum(2));
    assert!(sum(0) > 500 && sum(1) > 200 && sum(2) < sum(1) / 4);
}
