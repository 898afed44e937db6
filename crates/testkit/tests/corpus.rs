//! The corpus: every check, in many configurations, against the expected verdicts and the blessed
//! counts. `cargo xtask corpus --full` does the same with larger budgets.

use linchpin_testkit::corpus::run::{Configuration, run};
use linchpin_testkit::corpus::{self, counts};

/// Most nodes for a configuration without some of the reductions.
const BUDGET: u64 = 50_000;

/// Most nodes where every claim is tested on every state.
const FACTS: u64 = 2_500;

/// Every check gets three subsets of the reductions, given by its name and this number.
const SEED: u64 = 1;

#[test]
fn every_check_has_its_expected_verdict_in_every_configuration() {
    let root = corpus::root();
    let corpus = corpus::load(&root).unwrap_or_else(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("the corpus is inconsistent:\n{}", lines.join("\n"));
    });
    let text = std::fs::read_to_string(root.join("counts.toml")).expect("counts.toml");
    let blessed = counts::parse(&text).expect("counts.toml");

    let mut configurations = vec![Configuration::complete(1), Configuration::complete(2)];
    configurations.push(Configuration::facts(FACTS));
    configurations.extend(Configuration::reduced(BUDGET, 3, SEED));
    let run = run(&corpus, &configurations);
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
