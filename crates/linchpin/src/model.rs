//! A program of the user's, explored: every execution, up to the order of what commutes.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::explore as explorer;
use crate::explore::replay::{self, Replay};
use crate::page;
use crate::report::{Failed, Report, What};
use crate::runtime::scheduler::{Limits, Program, different};

/// Runs a function that starts threads with [`thread::spawn`](crate::thread::spawn) in every possible way, under sequential
/// consistency.
///
/// ```
/// use linchpin::sync::Arc;
/// use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// linchpin::model(|| {
///     let n = Arc::new(AtomicU32::new(0));
///     let other = n.clone();
///     let thread = linchpin::thread::spawn(move || other.fetch_add(1, SeqCst));
///     n.fetch_add(1, SeqCst);
///     thread.join().unwrap();
///     assert_eq!(n.load(SeqCst), 2);
/// });
/// ```
///
/// # Panics
/// If a thread panics, or there is a deadlock, a livelock, a data race or a leak.
#[track_caller]
pub fn model(f: impl Fn() + 'static) {
    let report = explore(f);
    if !report.is_ok() {
        panic!("{report}");
    }
    println!("{report}");
}

/// The same as [`model`], with what came of it instead of a panic.
pub fn explore(f: impl Fn() + 'static) -> Report {
    // The test harness names its threads.
    let thread = std::thread::current();
    let name = thread.name().and_then(|name| name.rsplit("::").next()).unwrap_or("model");
    let report = explored(name, f);
    page::write(&report);
    report
}

fn explored(name: &str, f: impl Fn() + 'static) -> Report {
    let program: Program = Rc::new(f);
    let mut report = Report::new(name, 0, 0);
    let most = std::env::var("LINCHPIN_BUDGET").ok().and_then(|n| n.parse().ok());
    let mut found = None;
    let said = std::env::var("LINCHPIN_REPLAY").ok().filter(|r| !r.is_empty());
    match said.as_deref().map(|text| text.strip_prefix('@').and_then(replay::read)) {
        Some(Some(schedule)) => {
            report.replayed = true;
            found = Some(schedule);
        }
        Some(None) => {
            let why = "LINCHPIN_REPLAY is no execution of this test".to_string();
            report.failed = Some(Failed::refused(why));
            return report;
        }
        None => {
            let most = most.unwrap_or(500_000);
            report.tally = explorer::all(&program, Limits::default(), most, &mut |execution| {
                if execution.failure.is_some() {
                    found = Some(execution.schedule());
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
        }
    }
    if let Some(schedule) = found {
        let limits = Limits { tracing: true, ..Limits::default() };
        let execution = explorer::once(&program, limits, &mut Replay::new(schedule.clone()));
        if let Some(failure) = execution.failure.clone() {
            let history: &[crate::brute::Done<(), ()>] = &[];
            let what = What::Failure(failure);
            let choices = Vec::new();
            let drawn = page::folder().map(|_| {
                let because = execution.failure.iter().flat_map(|f| f.lines.clone()).collect();
                page::drawn(history, &[], &execution, (None, because, &[]))
            });
            let failed = Failed::new(what, history, &[], execution, &choices, &schedule);
            report.failed = Some(Failed { drawn, ..failed });
        } else if !report.replayed {
            report.failed = Some(Failed::refused_as(different("it does not fail")));
        }
    }
    report
}
