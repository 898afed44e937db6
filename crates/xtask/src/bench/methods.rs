//! `cargo xtask bench methods`: the methods of `linchpin check --method` on the same models.
//!
//! The models are those of P. Doolan, G. Smith, C. Zhang and P. Krishnan (SPIN 2017): a set with two
//! threads and histories of 2, 4 and 6 operations (their Tables 1 to 5), and the four errors of their
//! Table 7; besides, stack and queue. One worker, as there.

use std::fmt::Write as _;

use linchpin_check::{Method, Reductions};

use super::table::grouped;
use super::{Limits, Measured, Row, measure, row};

/// Limits of one measurement.
const LIMITS: Limits = Limits { nodes: 20_000_000, seconds: 60 };

const fn bounded(name: &'static str, file: &'static str, check: &'static str, ops: u32) -> Row {
    Row { bounds: Some((2, ops)), ..row(name, file, check) }
}

const fn set(ops: u32) -> Row {
    bounded("Harris' list set", "lock_free_set/harris.lin", "two_keys", ops)
}

const fn stack(ops: u32) -> Row {
    bounded("Treiber stack", "treiber_stack/gc.lin", "TreiberStack", ops)
}

const fn queue(ops: u32) -> Row {
    bounded("Michael-Scott queue", "michael_scott_queue/gc.lin", "MichaelScottQueue", ops)
}

const ROWS: &[Row] = &[
    set(1),
    set(2),
    set(3),
    stack(1),
    stack(2),
    stack(3),
    queue(1),
    queue(2),
    queue(3),
    row("Treiber stack, ABA", "treiber_stack/aba.lin", "TreiberStack"),
    row("buggy queue", "shann_queue/published.lin", "ArrayQueue"),
    row("Snark deque, first error", "snark/published.lin", "wrongly_empty"),
    row("Snark deque, second error", "snark/recheck.lin", "popped_twice"),
    row("their Figure 8", "external_checking/figure8.lin", "Impl"),
];

/// Measures everything, prints the table and writes it to `record/methods.md`.
pub(crate) fn run() -> Result<(), String> {
    let mut text = format!(
        "## Figures\n\nWritten by `cargo xtask bench methods`. One worker; `>` means that the search was \
         stopped, after {} million nodes or {} seconds. Sizes are exact and the same everywhere; seconds \
         and memory are of one machine.\n\n\
         | model | threads x ops | method | verdict | states | nodes | transitions | seconds | peak MB |\n\
         |---|---|---|---|--:|--:|--:|--:|--:|\n",
        LIMITS.nodes / 1_000_000,
        LIMITS.seconds
    );
    for row in ROWS {
        eprintln!("{} {}", row.name, row.bounds_text());
        for method in Method::ALL {
            let m = measure(row, Reductions::ALL, 1, LIMITS, &["--method", method.name()])?;
            line(&mut text, row, method.name(), &m);
        }
        // As the others have to do without these two.
        let plain = Reductions { threads: false, data: false, ..Reductions::ALL };
        let m = measure(row, plain, 1, LIMITS, &[])?;
        line(&mut text, row, "refinement without symmetry", &m);
    }
    print!("{text}");
    crate::record("methods.md", &text)
}

fn line(text: &mut String, row: &Row, method: &str, m: &Measured) {
    let bound = if m.finished() { "" } else { "> " };
    let _ = writeln!(
        text,
        "| {} | {} | {method} | {} | {bound}{} | {bound}{} | {bound}{} | {bound}{:.2} | {} |",
        row.name,
        row.bounds_text(),
        m.verdict,
        grouped(m.states),
        grouped(m.nodes),
        grouped(m.transitions),
        m.seconds,
        m.peak.map_or("?".to_string(), |bytes| format!("{:.0}", bytes as f64 / 1e6)),
    );
}
