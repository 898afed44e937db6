//! `cargo xtask bench history`: recorded histories of growing length, decided by the program itself.
//!
//! Histories are random and linearizable, or have one result that is wrong; the generator is that of the tests, and a row is
//! made again from its figures.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use linchpin_history::{Format, Spec, write};
use linchpin_testkit::histories::{Plan, Random, break_one, generate};

use super::plot::{Line, Panel, svg};
use super::porcupine::Porcupine;
use super::table::grouped;

/// What is measured: a specification, whether values are distinct, keys, and lost operations of a thousand.
struct Row {
    spec: &'static str,
    distinct: bool,
    keys: usize,
    lost: usize,
}

const fn row(spec: &'static str, distinct: bool, keys: usize, lost: usize) -> Row {
    Row { spec, distinct, keys, lost }
}

const ROWS: &[Row] = &[
    row("queue", true, 10, 0),
    row("stack", true, 10, 0),
    row("priority-queue", true, 10, 0),
    row("register", true, 10, 0),
    row("register", false, 10, 0),
    row("cas-register", false, 5, 10),
    row("set", true, 1000, 0),
    row("map", true, 100, 10),
    row("map", false, 100, 10),
];

const LENGTHS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const CLIENTS: [usize; 3] = [2, 8, 32];

/// Most operations, and most seconds for one history: all of it is over in a quarter of an hour, or in a minute.
const FULL: (usize, u64) = (1_000_000, 20);
const QUICK: (usize, u64) = (10_000, 2);

struct Measured {
    seconds: f64,
    peak: u64,
    verdict: String,
    left: Option<usize>,
}

impl Measured {
    fn shown(&self) -> String {
        match self.verdict.as_str() {
            "unknown" => "unknown".to_string(),
            _ => format!("{:.2}", self.seconds),
        }
    }
}

/// Measures everything and writes `record/history.md` and a plot; with `--quick` only prints, of shorter histories.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let program = crate::program()?;
    let quick = args.contains(&"--quick");
    let (most, seconds) = if quick { QUICK } else { FULL };
    let folder = std::env::temp_dir().join(format!("linchpin-history-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let file = folder.join("log.jsonl");
    let other = match (args.contains(&"--porcupine"), crate::option(args, "--porcupine")) {
        (false, _) => None,
        (true, Some(checkout)) => Some(Porcupine::build(checkout, &folder)?),
        (true, None) => return Err("--porcupine: where is its checkout?".to_string()),
    };
    let mut beside = BESIDE.to_string();
    let mut text = HEAD.replace("SECONDS", &seconds.to_string());
    let mut lines: Vec<Line> = Vec::new();
    for row in ROWS {
        for clients in CLIENTS {
            let mut values = Vec::new();
            for (i, operations) in LENGTHS.into_iter().enumerate().filter(|l| l.1 <= most) {
                let plan = Plan {
                    spec: row.spec,
                    clients,
                    operations,
                    lost: row.lost,
                    keys: row.keys,
                    distinct: row.distinct,
                    seed: 1,
                };
                let good = measure(&program, &file, &plan, false, seconds)?;
                if let Some(other) = &other {
                    let theirs = other.decide(row.spec, seconds, &file)?;
                    beside += &format!(
                        "| {}{} | {clients} | {} | {} | {theirs} |\n",
                        row.spec,
                        if row.distinct { ", distinct" } else { "" },
                        grouped(operations as u64),
                        good.shown(),
                    );
                }
                let bad = measure(&program, &file, &plan, true, seconds)?;
                let wrong = match bad.left {
                    Some(left) => {
                        format!("{} of {}", grouped(left as u64), grouped(operations as u64))
                    }
                    None => bad.verdict.clone(),
                };
                let line = format!(
                    "| {}{} | {} | {clients} | {} | {} | {} | {:.0} | {} | {:.0} | {wrong} |",
                    row.spec,
                    if row.distinct { ", distinct" } else { "" },
                    row.keys,
                    row.lost as f64 / 10.0,
                    grouped(operations as u64),
                    good.shown(),
                    good.peak as f64 / 1e6,
                    bad.shown(),
                    bad.peak as f64 / 1e6,
                );
                eprintln!("{line}");
                text += &line;
                text.push('\n');
                if good.verdict == "unknown" {
                    break;
                }
                if good.verdict != "holds" {
                    return Err(format!("a correct history: {}", good.verdict));
                }
                values.push((i as u32 + 3, good.seconds.max(0.001)));
            }
            if clients == 8 {
                let kind = if row.distinct { "" } else { " (search)" };
                lines.push(Line { name: format!("{}{kind}", row.spec), values });
            }
        }
    }
    if other.is_some() {
        eprintln!("{beside}");
        text += &beside;
    }
    let _ = std::fs::remove_dir_all(&folder);
    if quick {
        return Ok(());
    }
    let panel = Panel {
        title: "Seconds, 8 clients".to_string(),
        along: "operations, as a power of ten",
        lines,
        marks: Vec::new(),
    };
    let picture = svg("Recorded histories: seconds against operations", &[panel], 1);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/growth/history.svg");
    std::fs::write(&path, picture).map_err(|e| format!("book/src/growth/history.svg: {e}"))?;
    crate::record("history.md", &text)
}

/// Decides one history.
fn measure(
    program: &Path,
    file: &Path,
    plan: &Plan,
    broken: bool,
    seconds: u64,
) -> Result<Measured, String> {
    let spec = Spec::builtin(plan.spec)?;
    let mut generated = generate(&spec, plan);
    if broken {
        // In the last tenth, so that there is something to leave out.
        let mut random = Random::new(plan.seed + 1);
        break_one(plan.spec, &mut generated, &mut random);
    }
    let text = write(&spec, &generated.operations, Format::Json, true).ok_or("no text")?;
    std::fs::write(file, text).map_err(|e| e.to_string())?;
    // Into a file: nobody reads while it is watched, and what it says of an unknown verdict is long.
    let answer = file.with_extension("answer");
    let out = std::fs::File::create(&answer).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .arg("history")
        .arg(file)
        .args(["--spec", plan.spec, "--format", "json", "--timeout", &format!("{seconds}s")])
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let mut peak = 0;
    loop {
        peak = crate::peak_of(child.id()).unwrap_or(0).max(peak);
        if child.try_wait().map_err(|e| e.to_string())?.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let seconds = start.elapsed().as_secs_f64();
    let said = std::fs::read_to_string(&answer).map_err(|e| e.to_string())?;
    let verdict = said.split("\"verdict\":\"").nth(1).and_then(|t| t.split('"').next());
    let verdict = verdict.ok_or_else(|| format!("no verdict: {said}"))?.to_string();
    let left = said.split("\"violation\":{").nth(1).map(|t| t.matches("\"call_event\"").count());
    Ok(Measured { seconds, peak, verdict, left })
}

const HEAD: &str = "# Recorded histories\n\n\
Written by `cargo xtask bench history`, with the program itself: seconds from start to end, the log read and all, and the \
most megabytes that the operating system gave it. Histories are random, with seed 1: linearizable ones, and the same with \
one result replaced (which may leave them linearizable: then there is a verdict instead of what the violation was shrunk \
to). `distinct`: no value is put in twice, and (but for maps with lost operations) nothing is searched. Lost operations, of \
which nobody knows whether they took effect, in percent. What is not decided after SECONDS seconds is `unknown`; longer \
histories of the same kind are left out then.\n\n\
| specification | keys | clients | lost, % | operations | s | MB | wrong: s | MB | shrunk to |\n\
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";

const BESIDE: &str = "\n## Beside Porcupine\n\nThe correct histories, on the same machine: our program from start to end, and \
Porcupine's decision alone.\n\n| specification | clients | operations | s | Porcupine, s |\n|---|--:|--:|--:|--:|\n";
