//! The line that shows how far a search is.

use std::time::Duration;

use linchpin_engine::Progress;

use super::numbers::{bytes, counted, grouped, rate};

/// Takes the line away.
pub(crate) const ERASE: &str = "\r\x1b[K";

/// Columns for the name: an assertion may be long, and the figures are what people look at.
const NAME: usize = 30;

/// The line, written over the one before. One that is as wide as the terminal would be broken and could not be erased.
pub(crate) fn line(name: &str, progress: &Progress, elapsed: Duration, columns: usize) -> String {
    let s = &progress.statistics;
    let room = NAME.min(columns / 3);
    let name = match name.chars().count() {
        n if n <= room => name.to_string(),
        _ => name.chars().take(room - 2).chain("..".chars()).collect(),
    };
    let text = format!(
        "{name}: {}, {}, depth {}, {} to do, {}",
        counted(s.nodes, "state"),
        rate(s.nodes, elapsed),
        s.depth,
        grouped(progress.frontier),
        bytes(s.memory),
    );
    let text: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{ERASE}{text}")
}

#[cfg(test)]
mod tests {
    use linchpin_engine::Figures;

    use super::*;

    #[test]
    fn a_long_name_leaves_room_for_the_figures() {
        let statistics = Figures { nodes: 123_456, depth: 7, ..Figures::default() };
        let progress = Progress { statistics, frontier: 9 };
        let text = line(&"[] ".repeat(40), &progress, Duration::from_secs(1), 80);
        assert!(text.contains("..: 123 456 states, 123 k/s, depth 7"), "{text}");
        for columns in [30, 40, 60, 80, 200] {
            let text = line(&"[] ".repeat(40), &progress, Duration::from_secs(1), columns);
            assert!(text.contains("123 456 states"), "{text}");
            assert!(text.chars().count() < columns + ERASE.len(), "{text}");
        }
    }
}
