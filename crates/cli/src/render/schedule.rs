//! A schedule as a table: thread, line, statement, what it did.

use std::path::Path;

use linchpin_evidence::narrative::{Deed, Entry, Interval, Narrative};
use linchpin_evidence::words::{self, call_or_return};

use super::columns::{cut, pad, width};
use crate::screen::{Screen, Tone};

/// Columns for line, statement and effect together, at most, and what is beside them; the statement is
/// shortened where they need more, but not below its least width.
const ROOM: usize = 65;
const BESIDE: usize = 15;
const STATEMENT: usize = 20;

/// A schedule with more entries is abridged to its first and last entries.
const LONG: usize = 150;
const FIRST: usize = 30;
const LAST: usize = 100;
/// So many steps that no other thread takes notice of are folded.
const FOLD: usize = 3;

/// The lines of the table. What comes from an entry on may repeat itself for ever.
pub(crate) fn render(
    screen: &Screen,
    path: &Path,
    narrative: &Narrative,
    all: bool,
    repeats: Option<usize>,
) -> Vec<String> {
    let entries = &narrative.entries;
    let table = Table { path, ..Table::new(screen, entries, &narrative.operations) };
    if let Some(from) = repeats {
        let (before, around) = entries.split_at(from.min(entries.len()));
        let mut lines = if all { table.lines(before) } else { table.folded(before) };
        let turn = screen.either("↻", "@");
        lines.push(screen.paint(Tone::Heading, format!("{turn}  from here on again and again:")));
        lines.extend(table.lines(around));
        return lines;
    }
    if all {
        return table.lines(entries);
    }
    if entries.len() <= LONG {
        return table.folded(entries);
    }
    let (first, last) = (&entries[..FIRST], &entries[entries.len() - LAST..]);
    let mut lines = table.folded(first);
    let left_out = entries.len() - FIRST - LAST;
    let dots = screen.either("⋮", "...");
    lines.push(format!("{dots}  {left_out} steps are left out here (-v shows them)"));
    lines.extend(table.folded(last));
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
    /// The file that line numbers lead to; none if it is empty.
    path: &'a Path,
}

impl<'a> Table<'a> {
    fn new(screen: &'a Screen, entries: &[Entry], operations: &'a [Interval]) -> Self {
        let statements =
            entries.iter().filter(|e| !matches!(e.deed, Deed::Call(_) | Deed::Return(_)));
        let widest = statements.clone().map(|e| width(&e.at.text)).max().unwrap_or(0);
        let mut table =
            Table { screen, operations, line: 1, statement: widest, path: Path::new("") };
        table.line = entries.iter().map(|e| e.at.label().len()).max().unwrap_or(1);
        let effects = statements.map(|e| width(&table.effect(e))).max().unwrap_or(0);
        let room =
            ROOM.min(screen.columns.saturating_sub(BESIDE)).saturating_sub(table.line + effects);
        table.statement = widest.min(room.max(STATEMENT));
        table
    }

    fn lines(&self, entries: &[Entry]) -> Vec<String> {
        let mut last = None;
        entries.iter().map(|entry| self.line(entry, &mut last)).collect()
    }

    /// The same, with runs of steps that no other thread takes notice of on one line.
    fn folded(&self, entries: &[Entry]) -> Vec<String> {
        let mut last = None;
        let mut lines = Vec::new();
        for run in entries.chunk_by(|a, b| a.alone && b.alone && a.thread == b.thread) {
            let [first, .., end] = run else {
                lines.extend(run.iter().map(|entry| self.line(entry, &mut last)));
                continue;
            };
            if run.len() < FOLD {
                lines.extend(run.iter().map(|entry| self.line(entry, &mut last)));
                continue;
            }
            let steps = end.step - first.step + 1;
            let dots = self.screen.either("⋮", ":");
            let steps = if steps == 1 { "a step".into() } else { format!("{steps} steps") };
            let what = format!("{steps} that no other thread takes notice of");
            let what = format!("{dots:>0$}    {what}", self.line);
            let name = self.name(first.thread, &mut last);
            lines.push(format!("{name} {}", self.screen.paint(Tone::Quiet, what)));
        }
        lines
    }

    /// The name of a thread, where it takes over.
    fn name(&self, thread: u32, last: &mut Option<u32>) -> String {
        let name = match thread {
            t if *last == Some(t) => String::new(),
            0 => "init".to_string(),
            t => format!("T{t}"),
        };
        *last = Some(thread);
        self.screen.paint(Tone::Thread, format!("{name:<4}"))
    }

    fn line(&self, entry: &Entry, last: &mut Option<u32>) -> String {
        let name = self.name(entry.thread, last);
        let number = format!("{:>1$}", entry.at.label(), self.line);
        let number = self.screen.paint(Tone::Quiet, number);
        let path = entry.at.file.as_ref().map_or(self.path, Path::new);
        let number = self.screen.link(path, entry.at.line, &number);
        format!("{name} {number}  {}", self.deed(entry)).trim_end().to_string()
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
