//! `cargo xtask corpus` and `cargo xtask bless`.

use linchpin_testkit::corpus::run::{Configuration, run};
use linchpin_testkit::corpus::{self, Corpus, counts};

use crate::option;

/// The corpus of this repository, or what is wrong with it.
pub(crate) fn load() -> Result<Corpus, String> {
    corpus::load(&corpus::root()).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })
}

/// Runs all checks in all configurations and compares.
pub(crate) fn check(args: &[&str]) -> Result<(), String> {
    let full = args.contains(&"--full");
    let seed = match option(args, "--seed") {
        Some(seed) => seed.parse().map_err(|_| "the seed is a number".to_string())?,
        None => 1,
    };
    let corpus = load()?;
    let (max_nodes, subsets) = if full { (500_000, 10) } else { (50_000, 3) };
    let mut configurations = vec![Configuration::complete(1), Configuration::complete(2)];
    configurations.push(Configuration::facts(max_nodes / 20));
    configurations.extend(Configuration::reduced(max_nodes, subsets, seed));
    let run = run(&corpus, &configurations);
    print!("{}", run.summary());
    let text = std::fs::read_to_string(corpus::root().join("counts.toml"))
        .map_err(|error| format!("counts.toml: {error}"))?;
    let mut failures = run.failures();
    failures.extend(run.differences(&counts::parse(&text)?));
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Measures all checks with all reductions on and writes the counts.
pub(crate) fn bless() -> Result<(), String> {
    let corpus = load()?;
    let run = run(&corpus, &[Configuration::complete(1), Configuration::complete(2)]);
    let counts = run.counts();
    let mut failures = run.failures();
    failures.extend(run.differences(&counts));
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    std::fs::write(corpus::root().join("counts.toml"), counts::print(&counts))
        .map_err(|error| format!("counts.toml: {error}"))?;
    print!("{}", run.summary());
    crate::gallery::run(&[])
}
