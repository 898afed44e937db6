//! The corpora of all languages: every question, in many configurations, against the expected verdicts
//! and the blessed counts. `cargo xtask corpus` does the same with budgets of your choice.

use linchpin_lin::program::Program;
use linchpin_testkit::corpus::run::{Extent, run};
use linchpin_testkit::corpus::{self, Csp, Language, Mcrl2, counts};
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
