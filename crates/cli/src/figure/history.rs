//! A history: a lane per thread, a bar per operation, the longest order through the bars, and where it cannot go on.

use linchpin_evidence::explain::{Attempt, Explanation, Failure};
use linchpin_evidence::narrative::{Deed, Interval};

use super::{Align, CHAR, Drawing, Look, Shape, Tip, wide};

const LANE: f64 = 46.0;
const TOP: f64 = 26.0;

/// Where a bar begins and ends, in steps.
struct Bar {
    from: f64,
    to: Option<f64>,
}

pub(super) fn draw(explanation: &Explanation) -> Drawing {
    let narrative = &explanation.narrative;
    let steps = narrative.entries.iter().map(|e| e.step + 1).max().unwrap_or(1) as f64;
    let moment = |deed: &Deed| {
        let entry = narrative.entries.iter().find(|e| e.deed == *deed);
        entry.map(|e| (e.step + 1) as f64)
    };
    let bar = |i: usize| Bar {
        from: moment(&Deed::Call(i)).unwrap_or(0.0),
        to: moment(&Deed::Return(i)),
    };
    let bars: Vec<Bar> = (0..narrative.operations.len()).map(bar).collect();
    let role = |role: &String| if role == "thread" { 0.0 } else { wide(role) + 8.0 };
    let left = 34.0 + narrative.roles.iter().map(role).fold(0.0, f64::max);
    // Every label has room in its bar.
    let room =
        narrative.operations.iter().zip(&bars).map(|(o, bar)| {
            (wide(&label(o)) + 10.0) / (bar.to.unwrap_or(steps) - bar.from).max(0.5)
        });
    let pace = room.fold(12.0, f64::max).min(60.0);
    let x = |step: f64| left + 8.0 + step * pace;
    let y = |thread: u32| TOP + (f64::from(thread) - 0.5) * LANE;
    let mut drawing = Drawing {
        width: x(steps) + 34.0,
        height: TOP + narrative.roles.len() as f64 * LANE + 8.0,
        shapes: Vec::new(),
    };
    for (thread, role) in (1..).zip(&narrative.roles) {
        let line = vec![[left, y(thread)], [x(steps) + 24.0, y(thread)]];
        drawing.shapes.push(Shape::Line(line, Look::Faint, Tip::None));
        drawing.text([4.0, y(thread) + 4.0], Look::Thread(thread), format!("T{thread}"));
        if role != "thread" {
            drawing.text([30.0, y(thread) + 4.0], Look::Faint, role.clone());
        }
    }
    let (failing, attempt) = match &explanation.failure {
        Failure::Response { operation, attempts, .. } => (Some(*operation), attempts.first()),
        Failure::Points { operation, .. }
        | Failure::Refused { operation, .. }
        | Failure::Endless { operation, .. } => (*operation, None),
        Failure::Fault { thread, .. } => {
            let pending = |o: &Interval| Some(o.thread) == *thread && o.end.is_none();
            (narrative.operations.iter().position(pending), None)
        }
        Failure::Branching { .. } | Failure::Deadlock { .. } => (None, None),
    };
    for (i, (operation, bar)) in narrative.operations.iter().zip(&bars).enumerate() {
        let (from, to) = (x(bar.from), bar.to.map_or(x(steps) + 14.0, x));
        let (thread, open) = (operation.thread, bar.to.is_none());
        let look = match (failing == Some(i), open) {
            (true, _) => Look::Failing(thread, open),
            (false, true) => Look::Open(thread),
            (false, false) => Look::Thread(thread),
        };
        let (text, above) = (label(operation), wide(&label(operation)) > to - from + 8.0);
        drawing
            .shapes
            .push(Shape::Box([from - 6.0, y(thread) - 17.0, to - from + 12.0, 34.0, 6.0], look));
        let ink = if failing == Some(i) { Look::Bad } else { Look::Ink };
        let at = [from, y(thread) - if above { 20.0 } else { 4.0 }];
        drawing.text(at, ink, text);
    }
    for entry in narrative.entries.iter().filter(|e| e.thread > 0) {
        let bad = matches!(entry.deed, Deed::Fault(_));
        let look = if bad { Look::Bad } else { Look::Thread(entry.thread) };
        let radius = if bad { 5.5 } else { 3.0 };
        drawing
            .shapes
            .push(Shape::Dot([x((entry.step + 1) as f64), y(entry.thread) + 9.0, radius], look));
    }
    if let Failure::Endless { from: Some(from), .. } = &explanation.failure {
        let first = narrative.entries.get(*from).map_or(0, |e| e.step) as f64 + 0.5;
        again(&mut drawing, x(first), x(steps) + 10.0);
    }
    if let Some(attempt) = attempt {
        through(&mut drawing, attempt, failing, &bars, steps, |i, place| {
            [x(place), y(narrative.operations[i].thread) + 2.0]
        });
    }
    drawing
}

/// `pop() → a`
fn label(operation: &Interval) -> String {
    match operation.result.as_deref() {
        None | Some("()") => operation.call.clone(),
        Some(result) => format!("{} → {result}", operation.call),
    }
}

/// The way back from the end of a loop to its beginning.
fn again(drawing: &mut Drawing, from: f64, to: f64) {
    let curve = [[to, TOP - 2.0], [to, TOP - 24.0], [from, TOP - 24.0], [from, TOP - 2.0]];
    drawing.shapes.push(Shape::Curve(curve, Look::Ink, Tip::Arrow));
    for x in [from, to] {
        let line = vec![[x, TOP - 2.0], [x, drawing.height - 6.0]];
        drawing.shapes.push(Shape::Line(line, Look::Dashed, Tip::None));
    }
    let at = [(from + to) / 2.0, TOP - 7.0];
    drawing.shapes.push(Shape::Text(at, Align::Middle, Look::Ink, "again and again".into()));
}

/// An order through the bars: every point inside its bar, none left of the one before; and where it cannot go on.
fn through(
    drawing: &mut Drawing,
    attempt: &Attempt,
    failing: Option<usize>,
    bars: &[Bar],
    steps: f64,
    at: impl Fn(usize, f64) -> [f64; 2],
) {
    let end = |i: usize| bars[i].to.unwrap_or(steps + 0.5);
    let stuck = attempt.stuck.iter().map(|s| s.0);
    let stuck = stuck.clone().find(|i| Some(*i) == failing).or_else(|| stuck.clone().next());
    let limit = stuck.map_or(steps, end);
    let order: Vec<usize> = attempt.order.steps.iter().map(|s| s.operation).collect();
    let mut highest = vec![limit; order.len() + 1];
    for k in (0..order.len()).rev() {
        highest[k] = highest[k + 1].min(end(order[k]));
    }
    let (mut lowest, mut last) = (0.0_f64, f64::NEG_INFINITY);
    let mut points = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        lowest = lowest.max(bars[i].from);
        // Near what comes before, and after it.
        let place = f64::midpoint(lowest, highest[k].min(lowest + 8.0));
        let place = if place <= last { f64::midpoint(last, highest[k]) } else { place };
        last = place;
        points.push(at(i, place));
    }
    drawing.shapes.push(Shape::Line(points.clone(), Look::Ink, Tip::None));
    drawing.shapes.extend(points.iter().map(|[x, y]| Shape::Dot([*x, *y, 4.0], Look::Ink)));
    let Some(stuck) = stuck else { return };
    let [x, y] = at(stuck, end(stuck));
    let x = x - CHAR / 2.0;
    if let Some(last) = points.last() {
        drawing.shapes.push(Shape::Line(vec![*last, [x, y]], Look::Freed, Tip::None));
    }
    for (a, b) in [(-5.0, 5.0), (5.0, -5.0)] {
        let stroke = vec![[x - 5.0, y + a], [x + 5.0, y + b]];
        drawing.shapes.push(Shape::Line(stroke, Look::Bad, Tip::None));
    }
}
