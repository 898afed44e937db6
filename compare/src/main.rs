//! How many executions Linchpin, loom and shuttle need for the same programs, and what they say: a table.
//!
//! All are asked for everything: loom without a bound on preemptions, shuttle depth first. A question ends after twenty
//! seconds, and after two million executions.

mod structures;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_secs(20);
const EXECUTIONS: u64 = 2_000_000;

/// A program for each of the three.
struct Row {
    name: &'static str,
    linchpin: fn(),
    loom: fn(),
    shuttle: fn(),
}

macro_rules! rows {
    ($($name:literal: $program:ident($($arg:expr),*);)*) => {
        [$(Row {
            name: $name,
            linchpin: || structures::linchpin::$program($($arg),*),
            loom: || structures::loom::$program($($arg),*),
            shuttle: || structures::shuttle::$program($($arg),*),
        }),*]
    };
}

/// Executions, seconds, verdict.
struct Answer(u64, f64, String);

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} | {:.2} | {}", self.0, self.1, self.2)
    }
}

/// Runs something that counts executions and panics if it finds something, or gives up.
fn asked(run: impl FnOnce(Arc<AtomicU64>, Instant) -> Option<String>) -> Answer {
    let count = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let said = panic::catch_unwind(AssertUnwindSafe(|| run(count.clone(), start)));
    let verdict = match said {
        Ok(None) => "all executions".to_string(),
        Ok(Some(why)) => why,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|t| (*t).to_string()));
            let text = text.unwrap_or_default();
            match text {
                _ if text.starts_with("linchpin: ") => {
                    let first = text.lines().next().unwrap_or_default();
                    format!("found: {}", first.rsplit(": ").next().unwrap_or_default())
                }
                _ if text.contains("two threads have the lock") => "found: a panic".to_string(),
                _ if text.contains("maximum number of branches") => {
                    "gave up: too many branches".to_string()
                }
                _ => format!("gave up: {}", text.lines().next().unwrap_or_default()),
            }
        }
    };
    Answer(count.load(Relaxed), start.elapsed().as_secs_f64(), verdict)
}

const STOPPED: &str = "stopped: too many";

fn linchpin(program: fn()) -> Answer {
    asked(|count, _| {
        let report = linchpin::explore(program);
        count.store(report.executions(), Relaxed);
        match (report.is_ok(), report.is_complete()) {
            (false, _) => panic!("{report}"),
            (true, true) => None,
            (true, false) => Some(STOPPED.to_string()),
        }
    })
}

fn loom(program: fn()) -> Answer {
    asked(|count, start| {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = None;
        builder.max_duration = Some(TIME);
        builder.max_permutations = Some(EXECUTIONS as usize);
        let counted = count.clone();
        builder.check(move || {
            counted.fetch_add(1, Relaxed);
            program();
        });
        let over = start.elapsed() >= TIME || count.load(Relaxed) >= EXECUTIONS;
        over.then(|| STOPPED.to_string())
    })
}

fn shuttle(program: fn()) -> Answer {
    asked(|count, _| {
        let mut config = shuttle::Config::default();
        config.max_time = Some(TIME);
        config.failure_persistence = shuttle::FailurePersistence::None;
        let scheduler = shuttle::scheduler::DfsScheduler::new(Some(EXECUTIONS as usize), false);
        let counted = count.clone();
        let start = Instant::now();
        shuttle::Runner::new(scheduler, config).run(move || {
            counted.fetch_add(1, Relaxed);
            program();
        });
        let over = start.elapsed() >= TIME || count.load(Relaxed) >= EXECUTIONS;
        over.then(|| STOPPED.to_string())
    })
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let rows = rows! {
        "Treiber's stack, 2 x 2": treiber(2, 2);
        "Treiber's stack, 3 x 1": treiber(3, 1);
        "Treiber's stack, 3 x 2": treiber(3, 2);
        "Michael and Scott's queue, 2 x 2": michael_scott(2, 2);
        "Michael and Scott's queue, 3 x 1": michael_scott(3, 1);
        "ring with two places, 2 x 2": ring(2, 2);
        "ring with two places, 3 x 1": ring(3, 1);
        "sequence lock, 1 writer, 1 reader": seqlock(1, 1);
        "sequence lock, 1 writer, 2 readers": seqlock(2, 1);
        "ticket lock, 2 threads": ticket(2, false);
        "ticket lock, 3 threads": ticket(3, false);
        "broken ticket lock, 2 threads": ticket(2, true);
    };
    println!("| program | by | executions | seconds | verdict |");
    println!("|---|---|---:|---:|---|");
    for Row { name, linchpin: ours, loom: its, shuttle: their } in rows {
        println!("| {name} | Linchpin | {} |", linchpin(ours));
        println!("| | loom 0.7.2 | {} |", loom(its));
        println!("| | shuttle 0.8.1 | {} |", shuttle(their));
    }
}
