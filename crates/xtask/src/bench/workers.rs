//! `cargo xtask bench workers`: what a second worker gives, and how much memory there is to a state, in all languages.

use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use linchpin_engine::all;

use super::program::{Measured, in_corpus, measure};
use super::table::grouped;

/// A model and how to check it.
struct Row {
    name: &'static str,
    /// In the folder `corpus`.
    file: &'static str,
    /// A text of the model, and what to put there instead.
    instead: Option<(&'static str, &'static str)>,
    options: &'static [&'static str],
}

const fn row(name: &'static str, file: &'static str, options: &'static [&'static str]) -> Row {
    Row { name, file, instead: None, options }
}

const STACK: &str = "lin/treiber_stack/gc.lin";
const ROWS: &[Row] = &[
    row("Treiber stack 3 x 3", STACK, &["--check", "TreiberStack", "--threads", "3", "--ops", "3"]),
    row("Treiber stack 4 x 2", STACK, &["--check", "TreiberStack", "--threads", "4", "--ops", "2"]),
    row(
        "The same without `constant` and `locks`",
        STACK,
        &["--check", "TreiberStack", "--threads", "4", "--ops", "2", "--no-constant", "--no-locks"],
    ),
    row(
        "Michael-Scott queue 3 x 2",
        "lin/michael_scott_queue/gc.lin",
        &["--check", "MichaelScottQueue", "--threads", "3", "--ops", "2"],
    ),
    row(
        "Lazy list set 3 x 2",
        "lin/list_set/lazy.lin",
        &["--check", "two_keys", "--threads", "3", "--ops", "2"],
    ),
    Row {
        instead: Some(("#define N 2;", "#define N 3;")),
        ..row("SNZI of size 3, `.csp`", "csp/snzi.csp", &["--check", "1"])
    },
    row(
        "Treiber stack 3 x 3, `.mcrl2`",
        "mcrl2/treiber_stack.mcrl2",
        &["--atomic", "--threads", "3", "--ops", "3"],
    ),
];

/// What the program occupies without doing anything: next to nothing is checked.
const NOTHING: Row =
    row("nothing", STACK, &["--check", "TreiberStack", "--threads", "1", "--ops", "1"]);

/// Each row is measured so often, and the fastest counts.
const TIMES: usize = 3;

/// Measures everything and writes `record/workers.md`.
pub(crate) fn run() -> Result<(), String> {
    let program = crate::program()?;
    let mut text = HEAD.to_string();
    let _ = writeln!(
        text,
        "Two loops that share nothing took {:.2} times less time side by side than one after the other; no ratio can be \
         expected to be better.\n\n{COLUMNS}",
        yardstick(),
    );
    let nothing = measure_row(&program, &NOTHING, "1")?.peak;
    for row in ROWS {
        eprintln!("{}", row.name);
        let [one, two] = fastest(&program, row)?;
        let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {} / {} | {} / {} | {} |",
            row.name,
            grouped(one.states),
            one.seconds(),
            two.seconds(),
            one.seconds() / two.seconds(),
            megabytes(one.counted),
            megabytes(one.peak),
            megabytes(two.counted),
            megabytes(two.peak),
            grouped(one.peak.saturating_sub(nothing) / one.states.max(1)),
        );
    }
    print!("{text}");
    crate::record("workers.md", &text)
}

const HEAD: &str = "# Workers and memory\n\n\
Written by `cargo xtask bench workers`, with the program itself. Seconds are of one machine, from start to end, and the \
fastest of three; memory is in megabytes, as counted by the program and as given by the operating system. Bytes are those \
given, without what the program occupies if it has next to nothing to check, per state, with one worker.\n\n";

const COLUMNS: &str = "\
| model | states | 1 worker, s | 2 workers, s | ratio | memory, 1 worker | memory, 2 workers | bytes per state |\n\
|---|--:|--:|--:|--:|--:|--:|--:|";

/// What the second of two cores brings to work that shares nothing.
fn yardstick() -> f64 {
    const ROUNDS: u64 = 500_000_000;
    let spin = |rounds: u64| (0..rounds).fold(0, |x: u64, i| black_box(x ^ i));
    let seconds = |workers: usize| {
        let start = Instant::now();
        let work = |rounds| Ok::<_, ()>(spin(rounds));
        black_box(all(workers, vec![ROUNDS; 2], work).is_ok());
        start.elapsed().as_secs_f64()
    };
    let fastest = |workers| (0..TIMES).map(|_| seconds(workers)).fold(f64::MAX, f64::min);
    fastest(1) / fastest(2)
}

/// With one worker and with two, in turns: what disturbs one mostly disturbs the other.
fn fastest(program: &Path, row: &Row) -> Result<[Measured; 2], String> {
    let both = || -> Result<_, String> {
        Ok([measure_row(program, row, "1")?, measure_row(program, row, "2")?])
    };
    let mut best = both()?;
    for _ in 1..TIMES {
        for (best, again) in best.iter_mut().zip(both()?) {
            if again.took < best.took {
                *best = again;
            }
        }
    }
    Ok(best)
}

fn measure_row(program: &Path, row: &Row, workers: &str) -> Result<Measured, String> {
    let mut file = in_corpus(row.file);
    if let Some((old, new)) = row.instead {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        if !text.contains(old) {
            return Err(format!("{}: there is no `{old}`", row.file));
        }
        file = other_file(row.file);
        std::fs::write(&file, text.replace(old, new)).map_err(|e| e.to_string())?;
    }
    measure(program, &file, &[row.options, &["--workers", workers]].concat())
}

fn other_file(file: &str) -> PathBuf {
    let name = Path::new(file).file_name().unwrap_or_default();
    std::env::temp_dir().join(format!("linchpin-bench-{}-{}", std::process::id(), name.display()))
}
