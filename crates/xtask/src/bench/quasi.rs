//! `cargo xtask bench quasi`: quasi linearizability beside the figures of its paper.
//!
//! The rows are those of K. Adhikari, J. Street, C. Wang, Y. Liu and S. Zhang (SPIN 2013): Table 4, with
//! the factor in the condition and the ordinary specification, and Table 1, with a specification
//! relaxed by hand, whose largest rows ran out of memory there. The models are ours.

use std::fmt::Write as _;

use linchpin_check::Reductions;

use super::table::grouped;
use super::{Limits, Row, measure, row};

/// Limits of one measurement.
const LIMITS: Limits = Limits { nodes: 20_000_000, seconds: 120 };

/// A row of a table of the paper.
struct Theirs {
    row: Row,
    /// The length of a segment, which is the factor plus 1.
    length: Option<u32>,
    /// The name and value of another parameter.
    size: Option<(&'static str, u32)>,
    factor: u32,
    /// Seconds and states there; `None` where it ran out of memory.
    paper: Option<(&'static str, &'static str)>,
}

const fn segments(
    name: &'static str,
    factor: u32,
    n: u32,
    paper: (&'static str, &'static str),
) -> Theirs {
    Theirs {
        row: row(name, "segment_queue/segments.lin", "SegmentQueue/quasi"),
        length: Some(factor + 1),
        size: Some(("SEGMENTS", n)),
        factor,
        paper: Some(paper),
    }
}

const fn priority(
    name: &'static str,
    factor: u32,
    n: u32,
    paper: (&'static str, &'static str),
) -> Theirs {
    Theirs {
        row: row(name, "quasi_priority_queue/clusters.lin", "SegmentedPriorityQueue/quasi"),
        length: Some(factor + 1),
        size: Some(("SIZE", n)),
        factor,
        paper: Some(paper),
    }
}

const fn fixed(row: Row, paper: (&'static str, &'static str)) -> Theirs {
    Theirs { row, length: None, size: None, factor: 2, paper: Some(paper) }
}

const fn by_hand(factor: u32, n: u32, paper: Option<(&'static str, &'static str)>) -> Theirs {
    Theirs {
        row: row("segmented queue", "segment_queue/by_hand.lin", "by_hand"),
        length: Some(factor + 1),
        size: Some(("SEGMENTS", n)),
        factor,
        paper,
    }
}

const TABLE_4: &[Theirs] = &[
    segments("Quasi Queue (3)", 2, 1, ("7.2", "126 810")),
    segments("Quasi Queue (6)", 2, 2, ("21.2", "237 760")),
    segments("Quasi Queue (9)", 2, 3, ("114.5", "1 741 921")),
    segments("Quasi Queue (4)", 3, 1, ("131.6", "442 558")),
    segments("Quasi Queue (8)", 3, 2, ("1517.1", "1 986 924")),
    fixed(
        row("Queue buggy1", "segment_queue/empty_moves_on.lin", "SegmentQueue"),
        ("0.4", "1 204"),
    ),
    fixed(row("Queue buggy2", "segment_queue/wrong_segment.lin", "SegmentQueue"), ("0.1", "345")),
    fixed(
        row("Lin. Queue", "random_queue/linearizable.lin", "MichaelScottQueue/quasi"),
        ("5.5", "240 583"),
    ),
    priority("Q. Priority Queue (6)", 2, 6, ("34.3", "472 981")),
    priority("Q. Priority Queue (9)", 2, 9, ("198.4", "1 478 045")),
    priority("Q. Priority Queue (4)", 3, 4, ("343.1", "1 408 763")),
    fixed(
        row(
            "Priority Queue buggy",
            "quasi_priority_queue/empty_moves_on.lin",
            "SegmentedPriorityQueue",
        ),
        ("5.4", "894"),
    ),
    fixed(
        row("Lin. Stack", "quasi_stack/linearizable.lin", "TreiberStack/quasi"),
        ("0.2", "2 690"),
    ),
];

const TABLE_1: &[Theirs] = &[
    by_hand(1, 6, Some(("2.0", "126 547"))),
    by_hand(1, 10, Some(("55.9", "2 488 052"))),
    by_hand(1, 15, None),
    by_hand(2, 3, Some(("130.7", "4 484 213"))),
    by_hand(2, 4, None),
    by_hand(3, 1, Some(("8.8", "284 484"))),
    by_hand(3, 2, None),
    by_hand(4, 1, Some(("124.4", "3 432 702"))),
    by_hand(4, 2, None),
];

/// Measures everything, prints the tables and writes them to `record/quasi.md`.
pub(crate) fn run() -> Result<(), String> {
    let workers = linchpin_testkit::parallel::cores();
    let mut text = format!(
        "# Quasi linearizability\n\nWritten by `cargo xtask bench quasi`, with {workers} workers. Any number of \
         operations per thread, two threads. `>` means that the search was stopped. Sizes are exact and the \
         same everywhere; seconds and memory are of one machine, core seconds of all its cores together.\n"
    );
    for (title, rows) in [
        ("Table 4: the factor in the condition", TABLE_4),
        ("Table 1: specification relaxed by hand", TABLE_1),
    ] {
        let _ = write!(
            text,
            "\n## {title}\n\n| model | factor | segments | verdict | states | nodes | transitions | \
             seconds | core seconds | peak MB | seconds there | states there |\n\
             |---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        );
        for theirs in rows {
            line(&mut text, theirs, workers)?;
        }
    }
    print!("{text}");
    crate::record("quasi.md", &text)
}

fn line(text: &mut String, theirs: &Theirs, workers: usize) -> Result<(), String> {
    let Theirs { row, length, size, factor, paper } = theirs;
    eprintln!("{} {factor}", row.name);
    let length = length.map(|n| n.to_string());
    let number = size.map(|(_, n)| n.to_string());
    let mut extra = Vec::new();
    extra.extend(length.iter().flat_map(|n| ["--set", "K", n]));
    extra.extend(size.iter().zip(&number).flat_map(|(s, n)| ["--set", s.0, n]));
    let m = measure(row, Reductions::ALL, workers, LIMITS, &extra)?;
    let bound = if m.finished() { "" } else { "> " };
    let segments = size.filter(|s| s.0 == "SEGMENTS").map_or(String::new(), |s| s.1.to_string());
    let (seconds, states) = paper.unwrap_or(("out of memory", ""));
    let _ = writeln!(
        text,
        "| {} | {factor} | {segments} | {} | {bound}{} | {bound}{} | {bound}{} | {bound}{:.2} | {} | {} | \
         {seconds} | {states} |",
        row.name,
        m.verdict,
        grouped(m.states),
        grouped(m.nodes),
        grouped(m.transitions),
        m.seconds,
        m.cpu.map_or("?".to_string(), |cpu| format!("{cpu:.2}")),
        m.peak.map_or("?".to_string(), |bytes| format!("{:.0}", bytes as f64 / 1e6)),
    );
    Ok(())
}
