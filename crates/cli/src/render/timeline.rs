//! A history as a picture: threads as lanes, operations as intervals, time from left to right.
//!
//! Columns are given out from left to right: every call and return gets one of its own, and a
//! return comes far enough after its call for the text of the operation. If the picture is too wide
//! it is continued below.

use linchpin_evidence::narrative::{Interval, Narrative};

use crate::screen::{Screen, Tone};

/// The lines of the picture, at most `width` columns wide. The operation `failing` is marked.
pub(crate) fn render(
    screen: &Screen,
    narrative: &Narrative,
    failing: Option<usize>,
    width: usize,
) -> Vec<String> {
    let Narrative { threads, operations, events, .. } = narrative;
    let (threads, events) = (*threads, *events);
    let labels: Vec<String> = operations.iter().map(|o| label(o, screen)).collect();
    let margin = format!("T{threads} ").len() + 1;
    let columns = columns(operations, &labels, events);
    let total = columns.last().map_or(0, |c| c + 1) + 1;
    // The lanes as characters, each with its colour.
    let mut lanes = vec![vec![(' ', None); total]; threads as usize];
    for (i, (operation, label)) in operations.iter().zip(&labels).enumerate() {
        let Some(lane) = lanes.get_mut(operation.thread as usize - 1) else { continue };
        let tone = (failing == Some(i)).then_some(Tone::Bad);
        let from = columns[operation.begin];
        let to = operation.end.map_or(total - 1, |e| columns[e]);
        let line = match operation.end {
            Some(_) => screen.either("─", "-"),
            None => screen.either("┄", "."),
        };
        let line = line.chars().next().unwrap_or('-');
        lane[from..=to].fill((line, tone));
        lane[from] = (screen.either("├", "|").chars().next().unwrap_or('|'), tone);
        if operation.end.is_some() {
            lane[to] = (screen.either("┤", "|").chars().next().unwrap_or('|'), tone);
        }
        // In the middle of the interval.
        let room = to - from - 1;
        let at = from + 1 + room.saturating_sub(label.chars().count()) / 2;
        for (offset, c) in label.chars().enumerate().take(room) {
            lane[at + offset] = (c, tone);
        }
    }
    bands(screen, &lanes, total, width.saturating_sub(margin).max(20))
}

/// `pop() = a`
fn label(operation: &Interval, screen: &Screen) -> String {
    match operation.result.as_deref() {
        None | Some("()") => operation.call.clone(),
        Some(result) => format!("{}{}{result}", operation.call, screen.either("→", "=")),
    }
}

/// The column of every event.
fn columns(operations: &[Interval], labels: &[String], events: usize) -> Vec<usize> {
    let mut columns = Vec::with_capacity(events);
    let mut next = 0;
    for event in 0..events {
        if let Some(i) = operations.iter().position(|o| o.end == Some(event)) {
            let call: usize = columns[operations[i].begin];
            next = next.max(call + labels[i].chars().count() + 3);
        }
        columns.push(next);
        next += 1;
        // An interval that has just ended and the next one do not touch.
        if operations.iter().any(|o| o.end == Some(event)) {
            next += 1;
        }
    }
    // Pending operations need room for their texts, too.
    let last = columns.last().copied().unwrap_or(0);
    let end = operations
        .iter()
        .zip(labels)
        .filter(|(o, _)| o.end.is_none())
        .map(|(o, l)| columns[o.begin] + l.chars().count() + 3)
        .fold(last, usize::max);
    if end > last {
        columns.push(end);
    }
    columns
}

/// The lanes, cut into pieces that fit.
fn bands(
    screen: &Screen,
    lanes: &[Vec<(char, Option<Tone>)>],
    total: usize,
    room: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    for start in (0..total).step_by(room) {
        if start > 0 {
            lines.push(String::new());
        }
        for (i, lane) in lanes.iter().enumerate() {
            let name = format!("{:<1$}", format!("T{}", i + 1), format!("T{}", lanes.len()).len());
            let mut line = screen.paint(Tone::Thread, name) + "  ";
            let piece = &lane[start..total.min(start + room)];
            let used = piece.iter().rposition(|c| c.0 != ' ').map_or(0, |n| n + 1);
            for run in piece[..used].chunk_by(|a, b| a.1 == b.1) {
                let text: String = run.iter().map(|c| c.0).collect();
                line += &match run[0].1 {
                    Some(tone) => screen.paint(tone, text),
                    None => text,
                };
            }
            lines.push(line.trim_end().to_string());
        }
    }
    lines
}
