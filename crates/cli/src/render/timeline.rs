//! A history as a picture: threads as lanes, operations as intervals, time from left to right.
//!
//! Columns are given out from left to right: every call and return gets one of its own, and a
//! return comes far enough after its call for the text of the operation. If the picture is too wide
//! it is continued below.

use std::ops::Range;

use linchpin_evidence::narrative::{Interval, Narrative};

use super::columns::{cut, width};
use crate::screen::{Screen, Tone};

/// The lines of the picture, at most `width` columns wide. The operation `failing` is marked.
pub(crate) fn render(
    screen: &Screen,
    narrative: &Narrative,
    failing: Option<usize>,
    width: usize,
) -> Vec<String> {
    let Narrative { roles, operations, events, .. } = narrative;
    let (threads, events) = (roles.len(), *events);
    let labels: Vec<String> = operations.iter().map(|o| label(o, screen)).collect();
    let room = width.saturating_sub(format!("T{threads}  ").len()).max(20);
    // As much air between the events as there is room for.
    let places = |gap| columns(operations, &labels, events, gap);
    let columns = [3, 2].into_iter().map(places).find(|c| c.total <= room);
    let Columns { events: columns, total } = columns.unwrap_or_else(|| places(1));
    // The lanes as characters, each with its colour.
    let mut lanes = vec![vec![(' ', None); total]; threads];
    for (i, (operation, label)) in operations.iter().zip(&labels).enumerate() {
        let Some(lane) = lanes.get_mut(operation.thread as usize - 1) else { continue };
        let fails = failing == Some(i);
        let tone = fails.then_some(Tone::Bad);
        let from = columns[operation.begin];
        let to = operation.end.map_or(total - 1, |e| columns[e]);
        let [line, begin, end, wrong] = match (screen.unicode, operation.end) {
            (true, Some(_)) => ['─', '├', '┤', '✗'],
            (true, None) => ['┄', '├', '┄', '✗'],
            (false, Some(_)) => ['-', '|', '|', 'X'],
            (false, None) => ['.', '|', '.', 'X'],
        };
        lane[from..=to].fill((line, tone));
        lane[from] = (begin, tone);
        lane[to] = (end, tone);
        if fails && let Some(mark) = lane.get_mut(to + 1) {
            *mark = (wrong, tone);
        }
        let (at, label) = place(screen, label, from + 1..to, room);
        for (offset, c) in label.chars().enumerate() {
            lane[at + offset] = (c, tone);
        }
    }
    bands(screen, &lanes, total, room)
}

/// `pop() = a`
fn label(operation: &Interval, screen: &Screen) -> String {
    match operation.result.as_deref() {
        None | Some("()") => operation.call.clone(),
        Some(result) => format!("{}{}{result}", operation.call, screen.either("→", "=")),
    }
}

/// Where the text of an interval goes: in the middle of its part in the first band that has room for it, else
/// shortened in the largest one. A text is never cut at the end of a band.
fn place(screen: &Screen, label: &str, inside: Range<usize>, room: usize) -> (usize, String) {
    let length = width(label);
    let bands = inside.start / room..=inside.end.saturating_sub(1) / room;
    let parts = bands.map(|b| (b * room).max(inside.start)..((b + 1) * room).min(inside.end));
    let parts: Vec<Range<usize>> = parts.filter(|p| !p.is_empty()).collect();
    let first = parts.iter().find(|p| p.len() >= length);
    let Some(part) = first.or_else(|| parts.iter().rev().max_by_key(|p| p.len())) else {
        return (inside.start, String::new());
    };
    let label = cut(screen, label, part.len());
    let at = part.start + part.len().saturating_sub(label.chars().count()) / 2;
    (at, label)
}

/// Where the events are.
struct Columns {
    /// The column of every event.
    events: Vec<usize>,
    /// How many columns there are.
    total: usize,
}

/// Gives out columns, `gap` apart where the texts do not need more.
fn columns(operations: &[Interval], labels: &[String], events: usize, gap: usize) -> Columns {
    let mut columns: Vec<usize> = Vec::with_capacity(events);
    let mut next = 0;
    for event in 0..events {
        let returning = operations.iter().position(|o| o.end == Some(event));
        if let Some(i) = returning {
            next = next.max(columns[operations[i].begin] + labels[i].chars().count() + 3);
        }
        columns.push(next);
        // An interval that has just ended and the next one do not touch.
        next += gap.max(1 + usize::from(returning.is_some()));
    }
    // One more for a mark behind the last return; pending operations need room for their texts.
    let end = columns.last().map_or(0, |c| c + 2);
    let pending = operations.iter().zip(labels).filter(|(o, _)| o.end.is_none());
    let total =
        pending.map(|(o, l)| columns[o.begin] + l.chars().count() + 4).fold(end, usize::max);
    Columns { events: columns, total }
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

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: Screen = Screen { unicode: false, ..Screen::PLAIN };

    fn operation(
        thread: u32,
        call: &str,
        result: Option<&str>,
        begin: usize,
        end: Option<usize>,
    ) -> Interval {
        let result = result.map(str::to_string);
        Interval { thread, call: call.to_string(), result, begin, end }
    }

    fn history(operations: Vec<Interval>) -> Narrative {
        let ends = operations.iter().flat_map(|o| [Some(o.begin), o.end]).flatten();
        Narrative {
            roles: vec![
                "thread".to_string();
                operations.iter().map(|o| o.thread).max().unwrap_or(1) as usize
            ],
            events: ends.max().map_or(0, |n| n + 1),
            operations,
            entries: Vec::new(),
        }
    }

    #[test]
    fn intervals_overlap_in_the_picture_as_they_do_in_time() {
        let history = history(vec![
            operation(1, "push(a)", Some("()"), 0, Some(2)),
            operation(2, "pop()", Some("b"), 1, Some(4)),
            operation(1, "pop()", None, 3, None),
        ]);
        let lines = render(&ASCII, &history, Some(1), 76);
        assert_eq!(lines, ["T1  |-push(a)-|  |.pop()..", "T2     |--pop()=b---|X",]);
    }

    #[test]
    fn a_long_history_is_continued_below_and_no_line_is_too_wide() {
        let call = |i: u32| {
            let event = 2 * i as usize;
            operation(1 + i % 3, "enqueue(a)", Some("()"), event, Some(event + 1))
        };
        let calls = (0..20).map(call).collect();
        let lines = render(&ASCII, &history(calls), None, 60);
        assert!(lines.len() > 4 && lines.len() % 4 == 3, "{lines:?}");
        assert!(lines.iter().all(|l| l.len() <= 60), "{lines:?}");
    }

    #[test]
    fn no_text_is_cut_at_the_end_of_a_line() {
        let call = |i: usize| {
            operation(1 + i as u32 % 2, "enqueue(a)", Some("()"), 2 * i, Some(2 * i + 1))
        };
        for columns in 24..70 {
            let lines = render(&ASCII, &history((0..12).map(call).collect()), None, columns);
            let texts: usize = lines.iter().map(|l| l.matches("enqueue(a)").count()).sum();
            let short = lines.iter().map(|l| l.matches("..").count()).sum::<usize>();
            assert_eq!(texts + short, 12, "{columns}: {lines:?}");
        }
    }

    #[test]
    fn a_history_without_operations_has_empty_lanes() {
        assert_eq!(render(&ASCII, &history(Vec::new()), None, 76), Vec::<String>::new());
    }
}
