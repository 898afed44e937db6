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

/// Measures all questions with all reductions on and writes the counts; or those of models whose paths begin so, beside the
/// counts that others have.
pub(crate) fn bless(paths: &[&str]) -> Result<(), String> {
    bless_one::<Program>(paths)?;
    bless_one::<Csp>(paths)?;
    bless_one::<Mcrl2>(paths)?;
    crate::gallery::run(&[])
}

fn bless_one<P: Language>(paths: &[&str]) -> Result<(), String> {
    let mut corpus = load::<P>()?;
    let file = corpus::folder::<P>().join("counts.toml");
    let mut kept = counts::Table::new();
    if !paths.is_empty() {
        corpus.cases.retain(|case| paths.iter().any(|path| case.path.starts_with(path)));
        let text = std::fs::read_to_string(&file).map_err(|e| format!("counts.toml: {e}"))?;
        kept = counts::parse(&text)?;
        kept.retain(|known, _| !paths.iter().any(|path| known.starts_with(path)));
    }
    let run = run(&corpus, &[Configuration::complete(1), Configuration::complete(2)]);
    let mut counts = run.counts();
    let mut failures = run.failures();
    failures.extend(run.differences(&counts));
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    counts.extend(kept);
    std::fs::write(&file, counts::print(&counts))
        .map_err(|error| format!("counts.toml: {error}"))?;
    print!("{}", run.summary());
    Ok(())
}
