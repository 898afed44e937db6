//! Figures for papers and slides: a history, memory or a schedule as SVG or TikZ (`--figure`).
//!
//! What is drawn is laid out once, as a [`Drawing`] of a few shapes (`history`, `memory`, `schedule`, `system`); two
//! writers (`svg`, `tikz`) know nothing but shapes. Lengths are in pixels, a character is [`CHAR`] wide.

mod history;
mod memory;
mod schedule;
mod svg;
pub(crate) mod system;
mod tikz;

use std::path::{Path, PathBuf};

use linchpin_evidence::explain::Explanation;

use crate::names::shown;

/// The width of a character.
const CHAR: f64 = 7.3;

/// A picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drawing {
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Left, top, width, height, radius of the corners.
    Box([f64; 5], Look),
    /// Straight lines.
    Line(Vec<[f64; 2]>, Look, Tip),
    /// A curve with two points that pull.
    Curve([[f64; 2]; 4], Look, Tip),
    /// A disc: middle and radius.
    Dot([f64; 3], Look),
    /// A text at its base line.
    Text([f64; 2], Align, Look, String),
}

/// Has a line an arrow at its end?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tip {
    None,
    Arrow,
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Start,
    Middle,
}

/// What something looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Ink,
    Faint,
    Bad,
    /// Of a thread, from 1.
    Thread(u32),
    /// The same, dashed: it has not come to an end.
    Open(u32),
    /// A red frame around what belongs to a thread; dashed if it has not come to an end.
    Failing(u32, bool),
    /// Something that changed.
    Changed,
    /// A node that was given back, and what still points at it.
    Freed,
    /// A line that only leads the eye.
    Dashed,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    History,
    /// After this many steps, or at the end.
    Memory(Option<usize>),
    Schedule,
}

/// A figure that was asked for: `history.svg`, `memory=heap.tex`, `memory@3=heap.svg`, `schedule=steps.tex`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    pub(crate) part: Part,
    pub(crate) path: PathBuf,
    tikz: bool,
}

/// Is it TikZ, as the name says? `None`: it is neither that nor SVG.
fn is_tikz(path: &Path) -> Option<bool> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(false),
        "tex" | "tikz" => Some(true),
        _ => None,
    }
}

impl Figure {
    /// What was asked for on the command line.
    pub(crate) fn parse(text: &str) -> Result<Figure, String> {
        let (part, path) = match text.split_once('=') {
            None => (Part::History, text),
            Some(("history", path)) => (Part::History, path),
            Some(("schedule", path)) => (Part::Schedule, path),
            Some(("memory", path)) => (Part::Memory(None), path),
            Some((part, path)) => {
                let step = part.strip_prefix("memory@").and_then(|n| n.parse().ok());
                let step = step.ok_or_else(|| {
                    format!("`{part}` is not `history`, `schedule`, `memory` or `memory@STEP`")
                })?;
                (Part::Memory(Some(step)), path)
            }
        };
        let path = PathBuf::from(path);
        let tikz = is_tikz(&path).ok_or_else(|| {
            let name = shown(&path);
            format!("`{name}` does not end in `.svg` or `.tex`; other figures are not drawn")
        })?;
        Ok(Figure { part, path, tikz })
    }

    /// The figure of a violation; or why there is none.
    pub(crate) fn draw(&self, explanation: &Explanation) -> Result<String, String> {
        let drawing = match self.part {
            Part::History => history::draw(explanation),
            Part::Schedule => schedule::draw(explanation),
            Part::Memory(step) => memory::draw(explanation, step)?,
        };
        Ok(drawing.write(self.tikz))
    }
}

impl Drawing {
    /// The text of the picture.
    pub(crate) fn write(&self, tikz: bool) -> String {
        if tikz { tikz::write(self) } else { svg::write(self) }
    }

    fn text(&mut self, at: [f64; 2], look: Look, text: impl Into<String>) {
        self.shapes.push(Shape::Text(at, Align::Start, look, text.into()));
    }
}

/// How wide a text is.
fn wide(text: &str) -> f64 {
    text.chars().count() as f64 * CHAR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_named_by_what_it_shows_and_how_it_is_written() {
        let figure = |text| Figure::parse(text).map(|f| (f.part, f.tikz));
        assert_eq!(figure("a.svg"), Ok((Part::History, false)));
        assert_eq!(figure("schedule=a.tex"), Ok((Part::Schedule, true)));
        assert_eq!(figure("memory=a.svg"), Ok((Part::Memory(None), false)));
        assert_eq!(figure("memory@12=a.tikz"), Ok((Part::Memory(Some(12)), true)));
        assert!(figure("a.pdf").is_err_and(|e| e.contains("`a.pdf` does not end in `.svg`")));
        assert!(figure("heap=a.svg").is_err_and(|e| e.contains("`heap` is not")));
        assert!(figure("memory@x=a.svg").is_err());
    }

    #[test]
    fn both_writers_write_every_shape_and_escape_texts() {
        let mut drawing = Drawing { width: 100.0, height: 50.0, shapes: Vec::new() };
        drawing.text([1.0, 2.0], Look::Bad, "a_b <c> & {d} 50% #1 \\x ^ ~ $");
        drawing.shapes.push(Shape::Box([0.0, 0.0, 10.0, 10.0, 2.0], Look::Failing(1, true)));
        drawing.shapes.push(Shape::Dot([5.0, 5.0, 2.0], Look::Thread(9)));
        drawing.shapes.push(Shape::Line(vec![[0.0, 0.0], [9.0, 9.0]], Look::Freed, Tip::Arrow));
        let curve = [[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [3.0, 0.0]];
        drawing.shapes.push(Shape::Curve(curve, Look::Dashed, Tip::None));
        let svg = drawing.write(false);
        assert!(svg.contains("a_b &lt;c&gt; &amp; {d} 50% #1 \\x ^ ~ $</text>"), "{svg}");
        assert!(svg.matches("<").count() == svg.matches(">").count(), "{svg}");
        for shape in
            ["<rect", "<circle", "<polyline", "<path d=\"M0,0 C1,1 2,1 3,0\"", "stroke-dasharray"]
        {
            assert!(svg.contains(shape), "{shape}: {svg}");
        }
        let tikz = drawing.write(true);
        let escaped = r"a\_b \textless{}c\textgreater{} \& \{d\} 50\% \#1 \textbackslash{}x \textasciicircum{} \textasciitilde{} \$";
        assert!(tikz.contains(escaped), "{tikz}");
        assert!(
            tikz.starts_with("% ") && tikz.trim_end().ends_with("\\end{tikzpicture}"),
            "{tikz}"
        );
        for shape in ["rectangle", "circle", "-- (9,9)", ".. controls (1,1) and (2,1) .. (3,0)"] {
            assert!(tikz.contains(shape), "{shape}: {tikz}");
        }
    }
}
