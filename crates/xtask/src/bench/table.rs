//! Measurements as tables in Markdown.

use std::fmt::Write as _;

use super::{Limits, Measured, Row};

/// With all reductions on.
pub(super) fn complete(rows: &[&Row], measured: &[Measured], workers: usize) -> String {
    let mut text = format!(
        "# Benchmarks\n\nWritten by `cargo xtask bench`. Sizes are exact and the same everywhere; \
         seconds, rates and memory are of one machine.\n\n## All reductions on, {workers} workers\n\n\
         | model | threads x ops | verdict | states | nodes | transitions | seconds | states/s | \
         nodes/s | peak MB |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for (row, m) in rows.iter().zip(measured) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            row.name,
            row.bounds_text(),
            m.verdict,
            figures(m)
        );
    }
    text
}

/// How much larger everything is without each reduction.
pub(super) fn reduced(
    rows: &[&Row],
    names: &[&str],
    complete: &[Measured],
    reduced: &[Vec<Measured>],
    limits: Limits,
) -> String {
    let mut text = format!(
        "\n## Each reduction switched off\n\nNodes; `>` means that the search was stopped, after {} \
         million nodes or {} seconds.\n\n| model | threads x ops | all |",
        limits.nodes as f64 / 1e6,
        limits.seconds
    );
    names.iter().for_each(|name| text += &format!(" {name} |"));
    text += "\n|---|---|--:|";
    names.iter().for_each(|_| text += "--:|");
    text.push('\n');
    grid(&mut text, rows, complete, reduced, &|m| grouped(m.nodes));
    text += "\nSeconds:\n\n| model | threads x ops | all |";
    names.iter().for_each(|name| text += &format!(" {name} |"));
    text += "\n|---|---|--:|";
    names.iter().for_each(|_| text += "--:|");
    text.push('\n');
    grid(&mut text, rows, complete, reduced, &|m| format!("{:.2}", m.seconds));
    text
}

fn grid(
    text: &mut String,
    rows: &[&Row],
    complete: &[Measured],
    reduced: &[Vec<Measured>],
    figure: &dyn Fn(&Measured) -> String,
) {
    for ((row, all), others) in rows.iter().zip(complete).zip(reduced) {
        let _ = write!(text, "| {} | {} |", row.name, row.bounds_text());
        for m in std::iter::once(all).chain(others) {
            let bound = if m.finished() { "" } else { "> " };
            let _ = write!(text, " {bound}{} |", figure(m));
        }
        text.push('\n');
    }
}

/// The rate of exploration.
pub(super) fn rates(measured: &[(Row, &str, usize, Measured)]) -> String {
    let mut text = "\n## Rate of exploration\n\n| model | threads x ops | reductions | workers | \
                    states | nodes | transitions | seconds | states/s | nodes/s | peak MB | \
                    core seconds | nodes per core second |\n\
                    |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_string();
    for (row, reductions, workers, m) in measured {
        let _ = writeln!(
            text,
            "| {} | {} | {reductions} | {workers} | {} | {} | {} |",
            row.name,
            row.bounds_text(),
            figures(m),
            m.cpu.map_or("?".to_string(), |cpu| format!("{cpu:.2}")),
            m.cpu.map_or("?".to_string(), |cpu| rate(m.nodes, cpu)),
        );
    }
    text
}

/// States, nodes, transitions, seconds, rate and memory.
fn figures(m: &Measured) -> String {
    let bound = if m.finished() { "" } else { "> " };
    format!(
        "{bound}{} | {bound}{} | {bound}{} | {bound}{:.2} | {} | {} | {}",
        grouped(m.states),
        grouped(m.nodes),
        grouped(m.transitions),
        m.seconds,
        rate(m.states, m.seconds),
        rate(m.nodes, m.seconds),
        m.peak.map_or("?".to_string(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
    )
}

fn rate(count: u64, seconds: f64) -> String {
    grouped((count as f64 / seconds.max(0.001)) as u64)
}

/// A number with its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_are_grouped_from_the_right() {
        let texts = [0, 999, 1000, 1_234_567].map(super::grouped);
        assert_eq!(texts, ["0", "999", "1 000", "1 234 567"]);
    }
}
