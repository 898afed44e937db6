//! A transition system: states from left to right by their distance from the initial one, steps as arrows.

use std::collections::BTreeMap;

use linchpin_lts::{Explicit, TAU};

use super::{Align, Drawing, Look, Shape, Tip, wide};

/// The figure of a system.
pub(crate) fn draw(lts: &Explicit) -> Drawing {
    let count = lts.states() as usize;
    let mut depth = vec![None; count];
    // One layer after the other.
    let mut layers: Vec<Vec<u32>> = vec![vec![lts.initial()]];
    depth[lts.initial() as usize] = Some(0);
    while let Some(layer) = layers.last().filter(|layer| !layer.is_empty()) {
        let mut next = Vec::new();
        for edge in layer.iter().flat_map(|state| lts.edges(*state)) {
            if depth[edge.target as usize].is_none() {
                depth[edge.target as usize] = Some(layers.len());
                next.push(edge.target);
            }
        }
        layers.push(next);
    }
    layers.pop();
    // Steps between the same states share an arrow.
    let mut arrows: BTreeMap<(u32, u32), Vec<(String, bool)>> = BTreeMap::new();
    for state in 0..lts.states() {
        for edge in lts.edges(state) {
            let text = lts.labels()[edge.label as usize].to_string();
            arrows.entry((state, edge.target)).or_default().push((text, edge.label == TAU));
        }
    }
    let words = |steps: &[(String, bool)]| {
        let texts: Vec<&str> = steps.iter().map(|s| s.0.as_str()).collect();
        let text = texts.join(", ");
        match text.chars().count() {
            0..=28 => text,
            _ => text.chars().take(27).chain(['…']).collect(),
        }
    };
    let longest = arrows.values().map(|s| wide(&words(s))).fold(40.0, f64::max);
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let (across, down) = (longest + 60.0, 64.0);
    let mut places = vec![[0.0, 0.0]; count];
    for (at, layer) in layers.iter().enumerate() {
        let shift = (tallest - layer.len() as f64) / 2.0;
        for (k, state) in layer.iter().enumerate() {
            places[*state as usize] = [50.0 + at as f64 * across, 50.0 + (k as f64 + shift) * down];
        }
    }
    let mut drawing = Drawing {
        width: 90.0 + (layers.len() as f64 - 1.0).max(0.0) * across,
        height: 70.0 + tallest * down,
        shapes: Vec::new(),
    };
    for ((from, to), steps) in &arrows {
        if depth[*from as usize].is_none() {
            continue;
        }
        step(
            &mut drawing,
            places[*from as usize],
            places[*to as usize],
            &words(steps),
            steps.iter().all(|s| s.1),
        );
    }
    let start = places[lts.initial() as usize];
    let enter = vec![[start[0] - 34.0, start[1]], [start[0] - 11.0, start[1]]];
    drawing.shapes.push(Shape::Line(enter, Look::Ink, Tip::Arrow));
    for (state, [x, y]) in places.iter().enumerate().filter(|(s, _)| depth[*s].is_some()) {
        drawing.shapes.push(Shape::Box([x - 10.0, y - 10.0, 20.0, 20.0, 10.0], Look::Ink));
        let text = state.to_string();
        drawing.shapes.push(Shape::Text([*x, y + 4.0], Align::Middle, Look::Ink, text));
    }
    drawing
}

/// An arrow with its labels: straight ahead, in a bow back, or round to where it began.
fn step(drawing: &mut Drawing, from: [f64; 2], to: [f64; 2], text: &str, silent: bool) {
    let look = if silent { Look::Dashed } else { Look::Ink };
    let ([x1, y1], [x2, y2]) = (from, to);
    let (points, at) = if from == to {
        let loops = [
            [x1 - 6.0, y1 - 9.0],
            [x1 - 26.0, y1 - 40.0],
            [x1 + 26.0, y1 - 40.0],
            [x1 + 6.0, y1 - 9.0],
        ];
        (loops, [x1, y1 - 36.0])
    } else if x2 > x1 {
        let bend = (x2 - x1) / 3.0;
        (
            [[x1 + 10.0, y1], [x1 + bend, y1], [x2 - bend, y2], [x2 - 11.0, y2]],
            [f64::midpoint(x1, x2), f64::midpoint(y1, y2) - 4.0],
        )
    } else {
        let low = y1.max(y2) + 30.0;
        (
            [[x1, y1 + 10.0], [x1, low], [x2, low], [x2, y2 + 11.0]],
            [f64::midpoint(x1, x2), low - 4.0],
        )
    };
    drawing.shapes.push(Shape::Curve(points, look, Tip::Arrow));
    let ink = if silent { Look::Faint } else { Look::Ink };
    drawing.shapes.push(Shape::Text(at, Align::Middle, ink, text.to_string()));
}
