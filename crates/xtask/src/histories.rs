//! `cargo xtask histories`: random recorded histories, decided in every way and by brute force; writes `record/histories.md`.

use linchpin_testkit::parallel;
use linchpin_testkit::recorded::{Tally, compare};

use crate::option;

/// Compares as many histories as asked for and prints the figures.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let number = |flag: &str, default: u64| match option(args, flag) {
        Some(text) => text.parse().map_err(|_| format!("{flag}: `{text}` is no number")),
        None => Ok(default),
    };
    let (first, count) = (number("--seed", 1)?, number("--count", 100_000)?);
    let seeds: Vec<u64> = (first..first.saturating_add(count)).collect();
    let chunks: Vec<&[u64]> = seeds.chunks(1_000).collect();
    let results = parallel::map(&chunks, parallel::cores(), |chunk| {
        let mut tally = Tally::default();
        let wrong: Vec<String> =
            chunk.iter().filter_map(|&seed| compare(seed, &mut tally).err()).collect();
        (tally, wrong)
    });
    let mut all = Tally::default();
    let mut wrong = 0;
    for (tally, differences) in &results {
        all.add(tally);
        differences.iter().for_each(|what| println!("{what}"));
        wrong += differences.len();
    }
    println!("{all}, {wrong} disagreements");
    let text = format!(
        "# Recorded histories against brute force\n\nWritten by `cargo xtask histories`: random histories of two to eight \
         operations, seeds {first} to {}. Each was decided in twelve ways (everything, without each reduction, every search \
         alone, without a search), followed event by event, judged, shrunk and judged again, written and read in every \
         format, and decided for sequential and quiescent consistency.\n\n```text\n{all}, {wrong} disagreements\n```\n",
        first + count - 1,
    );
    crate::record("histories.md", &text)?;
    match wrong {
        0 => Ok(()),
        n => Err(format!("{n} disagreements")),
    }
}
