//! A drawing as SVG that needs nothing else.

use std::fmt::Write;

use super::{Align, Drawing, Look, Shape, Tip};

/// Colours of threads, readable on white.
pub(super) const THREADS: [&str; 8] =
    ["1a5fd0", "9c4d00", "7a3db8", "00695c", "ad1457", "566300", "37474f", "8d2f00"];
pub(super) const BAD: &str = "b42318";
pub(super) const FAINT: &str = "5b6270";
pub(super) const INK: &str = "1d2127";
pub(super) const CHANGED: &str = "fff1c2";

/// The colour of the lines of something, and whether they are dashed.
pub(super) fn stroke(look: Look) -> (&'static str, bool) {
    match look {
        Look::Ink | Look::Changed => (INK, false),
        Look::Faint => (FAINT, false),
        Look::Dashed => (FAINT, true),
        Look::Bad => (BAD, false),
        Look::Freed => (BAD, true),
        Look::Failing(_, open) => (BAD, open),
        Look::Thread(t) => (thread(t), false),
        Look::Open(t) => (thread(t), true),
    }
}

/// The colour of a thread, from 1.
pub(super) fn thread(t: u32) -> &'static str {
    THREADS[(t.max(1) as usize - 1) % THREADS.len()]
}

pub(super) fn write(drawing: &Drawing) -> String {
    let Drawing { width, height, shapes } = drawing;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"12\">\n<defs>"
    );
    for colour in [INK, BAD, FAINT] {
        let _ = write!(
            out,
            "<marker id=\"tip-{colour}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#{colour}\"/></marker>"
        );
    }
    out += "</defs>\n";
    for shape in shapes {
        let _ = writeln!(out, "{}", one(shape));
    }
    out + "</svg>\n"
}

fn one(shape: &Shape) -> String {
    match shape {
        Shape::Box([x, y, w, h, r], look) => {
            let (fill, opacity) = match look {
                Look::Thread(t) | Look::Open(t) | Look::Failing(t, _) => (thread(*t), "0.16"),
                Look::Changed => (CHANGED, "1"),
                _ => ("ffffff", "1"),
            };
            format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{r}\" fill=\"#{fill}\" \
                 fill-opacity=\"{opacity}\"{}/>",
                lines(*look, Tip::None)
            )
        }
        Shape::Line(points, look, tip) => {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("{x},{y}")).collect();
            format!(
                "<polyline points=\"{}\" fill=\"none\"{}/>",
                points.join(" "),
                lines(*look, *tip)
            )
        }
        Shape::Curve([a, b, c, d], look, tip) => {
            let at = |[x, y]: &[f64; 2]| format!("{x},{y}");
            format!(
                "<path d=\"M{} C{} {} {}\" fill=\"none\"{}/>",
                at(a),
                at(b),
                at(c),
                at(d),
                lines(*look, *tip)
            )
        }
        Shape::Dot([x, y, r], look) => {
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"#{}\"/>", stroke(*look).0)
        }
        Shape::Text([x, y], align, look, text) => {
            let anchor = match align {
                Align::Start => "",
                Align::Middle => " text-anchor=\"middle\"",
            };
            let weight =
                if matches!(look, Look::Bad | Look::Changed) { " font-weight=\"700\"" } else { "" };
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let colour = stroke(*look).0;
            format!(
                "<text x=\"{x}\" y=\"{y}\"{anchor}{weight} fill=\"#{colour}\" xml:space=\"preserve\">{text}</text>"
            )
        }
    }
}

/// How lines are drawn.
fn lines(look: Look, tip: Tip) -> String {
    let (colour, dashed) = stroke(look);
    let wide = if matches!(look, Look::Failing(..)) { "2.4" } else { "1.3" };
    let dashes = if dashed { " stroke-dasharray=\"5 3\"" } else { "" };
    let marker = match tip {
        Tip::Arrow => format!(" marker-end=\"url(#tip-{colour})\""),
        Tip::None => String::new(),
    };
    format!(" stroke=\"#{colour}\" stroke-width=\"{wide}\"{dashes}{marker}")
}
