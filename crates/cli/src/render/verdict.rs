//! A verdict in a sentence, and the figures of the search in another.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use linchpin_check::{Counterexample, Violation};
use linchpin_engine::{Figures, Limit};
use linchpin_lin::program::{Condition, Expect};
use linchpin_lts::Verdict;

use super::coverage;
use super::numbers::{bytes, counted, limit, rate, seconds};
use crate::args::LimitOptions;
use crate::bounds;
use crate::memory;
use crate::outcome::Decided;
use crate::screen::{Screen, Tone};

/// `linearizable against Stack for 3 threads, 2 operations each (as expected)`
pub(crate) fn sentence(screen: &Screen, decided: &Decided<'_>, limits: &Limits) -> String {
    let (program, check, report) = (&decided.source.program, decided.check, &decided.report);
    let against = check.against_name(program);
    let bounds = bounds::words(program, check);
    let text = match &report.verdict {
        Verdict::Holds => {
            let word = screen.paint(Tone::Good, check.condition.adjective());
            let sentence = match &check.condition {
                Condition::Ltl(temporal) => {
                    format!(
                        "{} {} for {bounds}",
                        screen.paint(Tone::Good, "satisfies"),
                        temporal.text
                    )
                }
                condition if condition.ignores_specification() => format!("{word} for {bounds}"),
                _ => format!("{word} against {against} for {bounds}"),
            };
            sentence + &coverage::reservation(screen, decided)
        }
        Verdict::Violated(Counterexample { violation, .. }) => {
            let word = screen.paint(Tone::Bad, violation_name(violation, decided));
            let against = match violation {
                Violation::History | Violation::Branching(_)
                    if !check.condition.ignores_specification() =>
                {
                    format!(" against {against}")
                }
                _ => String::new(),
            };
            format!("{word}{against} with {bounds}")
        }
        Verdict::Unknown(reached) => {
            let word = screen.paint(Tone::Doubtful, "unknown");
            let why = limits.words(*reached);
            let depth = match report.method.is_breadth_first() {
                true => format!(" after depth {} (complete),", report.statistics.depth),
                false => " after".to_string(),
            };
            let states = counted(report.statistics.nodes, "state");
            format!("{word}: {why}{depth} {states}; {bounds}")
        }
    };
    let expectation = match &check.expect {
        None => String::new(),
        Some(expect) if report.is_as_expected(expect) => " (as expected)".to_string(),
        Some(expect) if matches!(report.verdict, Verdict::Unknown(_)) => {
            format!(" (expected: {})", expected(expect))
        }
        Some(expect) => {
            let not = screen.paint(Tone::Bad, "NOT as expected");
            format!(" ({not}: {})", expected(expect))
        }
    };
    format!("{text}{expectation}")
}

/// `NOT linearizable`, `null dereference`, `deadlock`
fn violation_name(violation: &Violation, decided: &Decided<'_>) -> String {
    match violation {
        Violation::History if decided.check.condition == Condition::Strong => {
            format!("NOT even {}", Condition::Linearizable.adjective())
        }
        Violation::Temporal(_) => match &decided.check.condition {
            Condition::Ltl(temporal) => format!("VIOLATES {}", temporal.text),
            _ => "violated".to_string(),
        },
        Violation::History | Violation::Branching(_) | Violation::Endless { .. } => {
            format!("NOT {}", decided.adjective())
        }
        Violation::Fault(kind) => kind.name().replace('_', " "),
        Violation::Deadlock => "deadlock".to_string(),
    }
}

/// Limits as they were given, for saying which one was reached.
#[derive(Clone)]
pub(crate) struct Limits {
    /// Most states.
    pub(crate) states: Option<u64>,
    /// Most bytes.
    pub(crate) memory: Option<u64>,
    /// Most time.
    pub(crate) time: Option<Duration>,
    /// Threads of the machine.
    pub(crate) workers: usize,
    /// Set by whoever wants to end it without a terminal to interrupt from.
    pub(crate) stopped: Arc<AtomicBool>,
}

/// The part of the memory that may be used unless told otherwise.
pub(crate) const MEMORY_SHARE: f64 = 0.75;

impl Limits {
    /// The limits that were given; without one on memory, most of what there is, and one worker per core.
    pub(crate) fn new(given: &LimitOptions) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Limits {
            states: given.max_states,
            memory: memory::limit(given.max_memory, MEMORY_SHARE),
            time: given.timeout,
            workers: given.workers.map_or_else(cores, usize::from),
            stopped: Arc::default(),
        }
    }

    pub(crate) fn words(&self, reached: Limit) -> String {
        let of = |text: Option<String>| text.map_or(String::new(), |t| format!(" of {t}"));
        match reached {
            Limit::States => {
                let n = self.states.map(|n| counted(n, "state"));
                format!("the limit{} was reached", of(n))
            }
            Limit::Memory => {
                format!("the memory limit{} was reached", of(self.memory.map(bytes)))
            }
            Limit::Time => format!("the time limit{} was reached", of(self.time.map(limit))),
            Limit::Step => Limit::TOO_LONG.to_string(),
            Limit::Interrupted => "interrupted".to_string(),
            Limit::Method => {
                "nothing wrong was found, but the method does not look at everything".to_string()
            }
            Limit::Unconfirmed => {
                "a violation was found, but its history is too long to be confirmed".to_string()
            }
            Limit::Continuations => format!(
                "a history was found that no continuation tried completes (up to {} further \
                 operations), but a longer one may",
                linchpin_check::FURTHER
            ),
            Limit::Lost => "a process that searched together with this one is lost".to_string(),
        }
    }
}

/// `12 345 states, 23 456 transitions, depth 23, 0.12 s, 102 k/s, 3.1 MB`
pub(crate) fn figures(s: &Figures, elapsed: Duration) -> String {
    format!(
        "{}, {}, depth {}, {}, {}, {}",
        counted(s.nodes, "state"),
        counted(s.transitions, "transition"),
        s.depth,
        seconds(elapsed),
        rate(s.nodes, elapsed),
        bytes(s.memory)
    )
}

/// The expectation in words.
pub(crate) fn expected(expect: &Expect) -> String {
    match expect {
        Expect::Holds => "holds".to_string(),
        Expect::Violated => "violated".to_string(),
        Expect::Deadlock => "deadlock".to_string(),
        Expect::Fault(kind) => format!("fault {}", kind.name()),
    }
}
