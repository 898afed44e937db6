//! `cargo xtask corpus` and `cargo xtask bless`, for the corpora of all languages.

use linchpin_lin::program::Program;
use linchpin_testkit::corpus::run::{Configuration, Extent, run};
use linchpin_testkit::corpus::{self, Corpus, Csp, Language, Mcrl2, counts};

use crate::option;

/// The corpus of a language, or what is wrong with it.
pub(crate) fn load<P: Language>() -> Result<Corpus<P>, String> {
    corpus::read(&corpus::folder::<P>()).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })
}

/// Answers all questions in all configurations and compares.
pub(crate) fn check(args: &[&str]) -> Result<(), String> {
    let seed = match option(args, "--seed") {
        Some(seed) => seed.parse().map_err(|_| "the seed is a number".to_string())?,
        None => 1,
    };
    let extent = match args.contains(&"--full") {
        true => Extent { max_nodes: 500_000, subsets: 10, seed },
        false => Extent { max_nodes: 50_000, subsets: 3, seed },
    };
    check_one::<Program>(&extent)?;
    check_one::<Csp>(&extent)?;
    check_one::<Mcrl2>(&extent)
}

fn check_one<P: Language>(extent: &Extent) -> Result<(), String> {
    let run = run(&load::<P>()?, &P::configurations(extent));
    print!("{}", run.summary());
    let text = std::fs::read_to_string(corpus::folder::<P>().join("counts.toml"))
        .map_err(|error| format!("counts.toml: {error}"))?;
    let mut failures = run.failures();
    failures.extend(run.differences(&counts::parse(&text)?));
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Measures all questions with all reductions on and writes the counts.
pub(crate) fn bless() -> Result<(), String> {
    bless_one::<Program>()?;
    bless_one::<Csp>()?;
    bless_one::<Mcrl2>()?;
    crate::gallery::run(&[])
}

fn bless_one<P: Language>() -> Result<(), String> {
    let run = run(&load::<P>()?, &[Configuration::complete(1), Configuration::complete(2)]);
    let counts = run.counts();
    let mut failures = run.failures();
    failures.extend(run.differences(&counts));
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    std::fs::write(corpus::folder::<P>().join("counts.toml"), counts::print(&counts))
        .map_err(|error| format!("counts.toml: {error}"))?;
    print!("{}", run.summary());
    Ok(())
}
