//! A schedule: a row per step that others take notice of, a column per thread.

use linchpin_evidence::explain::Explanation;
use linchpin_evidence::narrative::{Deed, Entry, Narrative};
use linchpin_evidence::words;

use super::{Drawing, Look, Shape, Tip, wide};

const ROW: f64 = 18.0;

pub(super) fn draw(explanation: &Explanation) -> Drawing {
    let narrative = &explanation.narrative;
    let rows: Vec<(&Entry, String)> = (narrative.entries.iter())
        .filter(|e| !e.alone && e.thread > 0)
        .map(|e| (e, text(e, narrative)))
        .collect();
    let threads = narrative.roles.len() as u32;
    let width_of = |thread: u32| {
        let of = rows.iter().filter(|(e, _)| e.thread == thread);
        of.map(|(_, text)| wide(text)).fold(40.0, f64::max) + 24.0
    };
    let widths: Vec<f64> = (1..=threads).map(width_of).collect();
    let left = |thread: u32| 34.0 + widths[..thread as usize - 1].iter().sum::<f64>();
    let height = 30.0 + rows.len() as f64 * ROW;
    let mut drawing =
        Drawing { width: 34.0 + widths.iter().sum::<f64>(), height, shapes: Vec::new() };
    for thread in 1..=threads {
        let role = &narrative.roles[thread as usize - 1];
        let role = if role == "thread" { String::new() } else { format!(" {role}") };
        drawing.text([left(thread), 14.0], Look::Thread(thread), format!("T{thread}{role}"));
    }
    let line = vec![[0.0, 20.0], [drawing.width - 8.0, 20.0]];
    drawing.shapes.push(Shape::Line(line, Look::Faint, Tip::None));
    for (i, (entry, text)) in rows.into_iter().enumerate() {
        let y = 34.0 + i as f64 * ROW;
        let wrong = matches!(entry.deed, Deed::Fault(_)) || entry.blame.is_some();
        drawing.text([0.0, y], Look::Faint, format!("{:>3}", entry.at.label()));
        drawing.text([left(entry.thread), y], if wrong { Look::Bad } else { Look::Ink }, text);
    }
    drawing
}

fn text(entry: &Entry, narrative: &Narrative) -> String {
    match &entry.deed {
        Deed::Call(_) | Deed::Return(_) => words::call_or_return(entry, &narrative.operations),
        _ => {
            let effect = words::effect(entry, "→");
            let gap = if effect.is_empty() { "" } else { "  " };
            format!("{}{gap}{effect}", entry.at.text)
        }
    }
}
