//! `cargo xtask bench`: how large and how fast, with and without each reduction.
//!
//! Every measurement runs in a process of its own (`bench-one`), because the peak of its memory is
//! read from the system at its end. Figures of the search are the same every time; seconds, rates
//! and memory are recorded, not asserted. A measurement that is stopped gives a lower bound.

mod csp;
mod growth;
mod history;
mod mcrl2;
mod methods;
mod one;
mod plot;
mod porcupine;
mod program;
mod quasi;
mod systems;
mod table;
mod workers;

use std::process::Command;

use linchpin_check::Reductions;

pub(crate) use csp::run as run_csp;
pub(crate) use growth::run as run_growth;
pub(crate) use history::run as run_history;
pub(crate) use mcrl2::run as run_mcrl2;
pub(crate) use methods::run as run_methods;
pub(crate) use one::run as run_one;
pub(crate) use quasi::run as run_quasi;
pub(crate) use systems::run as run_systems;
pub(crate) use workers::run as run_workers;

/// A check of the corpus, with other bounds if needed.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    file: &'static str,
    check: &'static str,
    /// Threads and operations per thread, instead of those of the check.
    bounds: Option<(u32, u32)>,
    /// A parameter of the model.
    set: Option<(&'static str, &'static str)>,
    /// Left out by `--quick`.
    long: bool,
}

const fn row(name: &'static str, file: &'static str, check: &'static str) -> Row {
    Row { name, file, check, bounds: None, set: None, long: false }
}

const fn treiber(threads: u32, ops: u32, long: bool) -> Row {
    let row = row("Treiber stack", "treiber_stack/gc.lin", "TreiberStack");
    Row { bounds: Some((threads, ops)), long, ..row }
}

const fn general(name: &'static str, file: &'static str, check: &'static str) -> Row {
    Row { bounds: Some((3, 2)), long: true, ..row(name, file, check) }
}

/// What is measured.
const ROWS: &[Row] = &[
    treiber(2, 2, false),
    treiber(2, 3, false),
    treiber(3, 2, false),
    treiber(3, 3, true),
    treiber(4, 2, true),
    general("Treiber stack, hazard pointers", "treiber_stack/hazard.lin", "TreiberStack"),
    general("Michael-Scott queue", "michael_scott_queue/gc.lin", "MichaelScottQueue"),
    Row {
        set: Some(("SIZE", "6")),
        ..general("Herlihy-Wing queue", "herlihy_wing_queue/array.lin", "mixed")
    },
    general("Lazy list set, two keys", "list_set/lazy.lin", "two_keys"),
    row("Snark deque, second error", "snark/recheck.lin", "popped_twice"),
];

/// Limits of one measurement.
#[derive(Clone, Copy)]
struct Limits {
    nodes: u64,
    seconds: u64,
}

/// With all reductions on.
const COMPLETE: Limits = Limits { nodes: 20_000_000, seconds: 120 };
/// With some switched off.
const REDUCED: Limits = Limits { nodes: 500_000, seconds: 5 };
const QUICK: Limits = Limits { nodes: 300_000, seconds: 3 };

/// Exploration without the specification.
const PLAIN: &str = "none, object alone";

/// What a measurement gives.
struct Measured {
    verdict: String,
    states: u64,
    nodes: u64,
    transitions: u64,
    seconds: f64,
    /// Seconds of all cores together; `None` where the system cannot be asked.
    cpu: Option<f64>,
    /// As the system counts it; `None` where it cannot be asked.
    peak: Option<u64>,
}

impl Measured {
    fn finished(&self) -> bool {
        self.verdict != "unknown"
    }
}

/// Measures everything, prints the tables and writes them to `record/bench.md`.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let quick = args.contains(&"--quick");
    let workers = linchpin_testkit::parallel::cores();
    let limits = if quick { QUICK } else { REDUCED };
    let mut without = Vec::new();
    for reduction in &Reductions::TABLE {
        let mut reductions = Reductions::ALL;
        reductions.set(reduction.name, false);
        without.push((format!("no {}", reduction.name), reductions));
    }
    without.push(("none".to_string(), Reductions::NONE));

    let rows: Vec<&Row> = ROWS.iter().filter(|r| !(quick && r.long)).collect();
    let mut complete = Vec::new();
    let mut reduced = Vec::new();
    for row in &rows {
        eprintln!("{} {}", row.name, row.bounds_text());
        complete.push(measure(row, Reductions::ALL, workers, COMPLETE, &[])?);
        let measured: Result<Vec<_>, _> =
            without.iter().map(|(_, r)| measure(row, *r, workers, limits, &[])).collect();
        reduced.push(measured?);
    }
    // The plain rate of exploration (without the specification), with it, and what a second worker
    // gives.
    let rates: Vec<(Row, &str, Reductions, usize)> = vec![
        (treiber(3, 2, true), PLAIN, Reductions::NONE, 1),
        (treiber(3, 2, true), PLAIN, Reductions::NONE, workers),
        (treiber(2, 3, false), "none", Reductions::NONE, 1),
        (treiber(3, 2, true), "none", Reductions::NONE, 1),
        (treiber(3, 2, true), "none", Reductions::NONE, workers),
        (treiber(3, 3, false), "all", Reductions::ALL, 1),
        (treiber(3, 3, false), "all", Reductions::ALL, workers),
    ];
    let mut rated = Vec::new();
    for (row, name, reductions, workers) in rates.into_iter().filter(|r| !(quick && r.0.long)) {
        let extra: &[&str] = if name == PLAIN { &["--explore"] } else { &[] };
        let measured = measure(&row, reductions, workers, COMPLETE, extra)?;
        rated.push((row, name, workers, measured));
    }

    let mut text = table::complete(&rows, &complete, workers);
    let names: Vec<&str> = without.iter().map(|(name, _)| name.as_str()).collect();
    text += &table::reduced(&rows, &names, &complete, &reduced, limits);
    text += &table::rates(&rated);
    print!("{text}");
    if quick {
        return Ok(());
    }
    crate::record("bench.md", &text)
}

fn measure(
    row: &Row,
    reductions: Reductions,
    workers: usize,
    limits: Limits,
    extra: &[&str],
) -> Result<Measured, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.args(["bench-one", row.file, row.check]);
    command.args(extra);
    command.args(["--on", &reductions.names().join(",")]);
    command.args(["--workers", &workers.to_string()]);
    command.args(["--nodes", &limits.nodes.to_string()]);
    command.args(["--seconds", &limits.seconds.to_string()]);
    if let Some((threads, ops)) = row.bounds {
        command.args(["--threads", &threads.to_string(), "--ops", &ops.to_string()]);
    }
    if let Some((name, value)) = row.set {
        command.args(["--set", name, value]);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.trim().split('\t').collect();
    let (true, [verdict, states, nodes, transitions, seconds, cpu, peak]) =
        (output.status.success(), words.as_slice())
    else {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} {}: {error}", row.file, row.check));
    };
    let number = |word: &str| word.parse::<u64>().map_err(|e| e.to_string());
    Ok(Measured {
        verdict: verdict.to_string(),
        states: number(states)?,
        nodes: number(nodes)?,
        transitions: number(transitions)?,
        seconds: seconds.parse::<f64>().map_err(|e| e.to_string())?,
        cpu: cpu.parse().ok(),
        peak: number(peak).ok(),
    })
}

impl Row {
    fn bounds_text(&self) -> String {
        self.bounds.map_or(String::new(), |(threads, ops)| format!("{threads} x {ops}"))
    }
}
