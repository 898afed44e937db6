//! The line that shows how far a search is.

use std::time::Duration;

use linchpin_engine::Progress;

use super::numbers::{bytes, grouped, rate};

/// Takes the line away.
pub(crate) const ERASE: &str = "\r\x1b[K";

/// Columns the line may use; a longer one would be broken and could not be erased.
const WIDTH: usize = 79;

/// The line, written over the one before.
pub(crate) fn line(name: &str, progress: &Progress, elapsed: Duration) -> String {
    let s = &progress.statistics;
    let text = format!(
        "{name}: {} states, {}, depth {}, {} to do, {}",
        grouped(s.nodes),
        rate(s.nodes, elapsed),
        s.depth,
        grouped(progress.frontier),
        bytes(s.memory),
    );
    let text: String = text.chars().take(WIDTH).collect();
    format!("{ERASE}{text}")
}
