//! A schedule as a table: thread, line, statement, what it did.

use linchpin_evidence::narrative::{Deed, Entry, Interval, Narrative};
use linchpin_evidence::words::{self, call_or_return};

use super::columns::{cut, pad, width};
use crate::screen::{Screen, Tone};

/// Columns for line, statement and effect together; the statement is shortened where they need
/// more, but not below its least width.
const ROOM: usize = 65;
const STATEMENT: usize = 20;

/// A schedule with more entries is abridged to its first and last entries.
const LONG: usize = 150;
const FIRST: usize = 30;
const LAST: usize = 100;

/// The lines of the table.
pub(crate) fn render(screen: &Screen, narrative: &Narrative, all: bool) -> Vec<String> {
    let entries = &narrative.entries;
    let table = Table::new(screen, entries, &narrative.operations);
    if all || entries.len() <= LONG {
        return table.lines(entries);
    }
    let (first, last) = (&entries[..FIRST], &entries[entries.len() - LAST..]);
    let mut lines = table.lines(first);
    let left_out = entries.len() - FIRST - LAST;
    let dots = screen.either("⋮", "...");
    lines.push(format!("{dots}  {left_out} steps are left out here (-v shows them)"));
    lines.extend(table.lines(last));
    lines
}

/// The lines for some entries of a narrative, for simulations. Line numbers take `line` columns.
pub(crate) fn entries(
    screen: &Screen,
    entries: &[Entry],
    operations: &[Interval],
    line: usize,
) -> Vec<String> {
    Table { line, ..Table::new(screen, entries, operations) }.lines(entries)
}

/// How wide the columns are.
struct Table<'a> {
    screen: &'a Screen,
    operations: &'a [Interval],
    line: usize,
    statement: usize,
}

impl<'a> Table<'a> {
    fn new(screen: &'a Screen, entries: &[Entry], operations: &'a [Interval]) -> Self {
        let statements =
            entries.iter().filter(|e| !matches!(e.deed, Deed::Call(_) | Deed::Return(_)));
        let widest = statements.clone().map(|e| width(&e.at.text)).max().unwrap_or(0);
        let mut table = Table { screen, operations, line: 1, statement: widest };
        table.line = entries.iter().map(|e| e.at.line.to_string().len()).max().unwrap_or(1);
        let effects = statements.map(|e| width(&table.effect(e))).max().unwrap_or(0);
        let room = ROOM.saturating_sub(table.line + effects);
        table.statement = widest.min(room.max(STATEMENT));
        table
    }

    fn lines(&self, entries: &[Entry]) -> Vec<String> {
        let mut last = None;
        let line = |entry: &Entry| {
            // The name of a thread where it takes over.
            let name = match entry.thread {
                t if last == Some(t) => String::new(),
                0 => "init".to_string(),
                t => format!("T{t}"),
            };
            last = Some(entry.thread);
            let name = self.screen.paint(Tone::Thread, format!("{name:<4}"));
            let number = format!("{:>1$}", entry.at.line, self.line);
            let number = self.screen.paint(Tone::Quiet, number);
            format!("{name} {number}  {}", self.deed(entry)).trim_end().to_string()
        };
        entries.iter().map(line).collect()
    }

    fn deed(&self, entry: &Entry) -> String {
        let text = match &entry.deed {
            Deed::Call(_) | Deed::Return(_) => return call_or_return(entry, self.operations),
            _ => pad(&cut(self.screen, &entry.at.text, self.statement), self.statement),
        };
        let effect = self.effect(entry);
        match entry.deed {
            Deed::Fault(_) => format!("  {text}  {}", self.screen.paint(Tone::Bad, effect)),
            _ => format!("  {text}  {effect}"),
        }
    }

    /// The last column.
    fn effect(&self, entry: &Entry) -> String {
        words::effect(entry, self.screen.either("→", "->"))
    }
}
