//! `cargo xtask histories`: random recorded histories, decided in every way and by brute force; writes `record/histories.md`.

use linchpin_testkit::parallel;
use linchpin_testkit::recorded::{Tally, compare};
use linchpin_testkit::relaxed;

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
        let (mut tally, mut within) = (Tally::default(), relaxed::Tally::default());
        let strict = chunk.iter().filter_map(|&seed| compare(seed, &mut tally).err());
        let mut wrong: Vec<String> = strict.collect();
        wrong.extend(chunk.iter().filter_map(|&s| relaxed::compare(s, &mut within).err()));
        (tally, within, wrong)
    });
    let (mut all, mut within) = (Tally::default(), relaxed::Tally::default());
    let mut wrong = 0;
    for (tally, relaxed, differences) in &results {
        all.add(tally);
        within.add(relaxed);
        differences.iter().for_each(|what| println!("{what}"));
        wrong += differences.len();
    }
    println!("{all}\n{within}\n{wrong} disagreements");
    let text = format!(
        "# Recorded histories against brute force\n\nWritten by `cargo xtask histories`: random histories of two to eight \
         operations, seeds {first} to {}. Each was decided in twelve ways (everything, without each reduction, every search \
         alone, without a search), followed event by event, judged, shrunk and judged again, written and read in every \
         format, and decided for sequential and quiescent consistency. As many others, of two to six operations, some with \
         results exchanged, were decided for quasi linearizability with random factors; witnesses were gone through and \
         violations judged, made small and judged again.\n\n```text\n{all}\n{within}\n{wrong} disagreements\n```\n",
        first + count - 1,
    );
    crate::record("histories.md", &text)?;
    match wrong {
        0 => Ok(()),
        n => Err(format!("{n} disagreements")),
    }
}
