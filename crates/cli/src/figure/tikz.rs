//! A drawing as TikZ, to be put into a document with `\input`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::svg::{CHANGED, stroke, thread};
use super::{Align, Drawing, Look, Shape, Tip};

pub(super) fn write(drawing: &Drawing) -> String {
    let mut body = String::new();
    let mut colours = BTreeSet::new();
    for shape in &drawing.shapes {
        let _ = writeln!(body, "  {}", one(shape, &mut colours));
    }
    let mut out =
        "% Needs \\usepackage{tikz}. Put it into a document with \\input{...}.\n".to_string();
    out += "\\begin{tikzpicture}[x=0.75bp, y=-0.75bp, >=stealth, every node/.style={inner sep=0, font=\\ttfamily\\scriptsize}]\n";
    for colour in colours {
        let _ =
            writeln!(out, "  \\definecolor{{lin{colour}}}{{HTML}}{{{}}}", colour.to_uppercase());
    }
    let _ = writeln!(
        out,
        "  \\useasboundingbox (0,0) rectangle ({},{});",
        drawing.width, drawing.height
    );
    out + &body + "\\end{tikzpicture}\n"
}

fn one(shape: &Shape, colours: &mut BTreeSet<&'static str>) -> String {
    let look = match shape {
        Shape::Box(_, look)
        | Shape::Line(_, look, _)
        | Shape::Curve(_, look, _)
        | Shape::Dot(_, look)
        | Shape::Text(_, _, look, _) => *look,
    };
    let (colour, dashed) = stroke(look);
    colours.insert(colour);
    let lines = |tip: Tip| {
        let dashes = if dashed { ", dashed" } else { "" };
        let wide = if matches!(look, Look::Failing(..)) { ", line width=1.4pt" } else { "" };
        let arrow = if tip == Tip::Arrow { ", ->" } else { "" };
        format!("draw=lin{colour}{dashes}{wide}{arrow}")
    };
    match shape {
        Shape::Box([x, y, w, h, r], _) => {
            let fill = match look {
                Look::Thread(t) | Look::Open(t) | Look::Failing(t, _) => {
                    colours.insert(thread(t));
                    format!(", fill=lin{}!16", thread(t))
                }
                Look::Changed => {
                    colours.insert(CHANGED);
                    format!(", fill=lin{CHANGED}")
                }
                _ => ", fill=white".to_string(),
            };
            let corners =
                if *r > 0.0 { format!(", rounded corners={}pt", r * 0.75) } else { String::new() };
            format!(
                "\\path[{}{fill}{corners}] ({x},{y}) rectangle ({},{});",
                lines(Tip::None),
                x + w,
                y + h
            )
        }
        Shape::Line(points, _, tip) => {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("({x},{y})")).collect();
            format!("\\path[{}] {};", lines(*tip), points.join(" -- "))
        }
        Shape::Curve([a, b, c, d], _, tip) => {
            let at = |[x, y]: &[f64; 2]| format!("({x},{y})");
            format!(
                "\\path[{}] {} .. controls {} and {} .. {};",
                lines(*tip),
                at(a),
                at(b),
                at(c),
                at(d)
            )
        }
        Shape::Dot([x, y, r], _) => {
            format!("\\fill[lin{colour}] ({x},{y}) circle [radius={}pt];", r * 0.75)
        }
        Shape::Text([x, y], align, _, text) => {
            let anchor = match align {
                Align::Start => "base west",
                Align::Middle => "base",
            };
            let text = escaped(text);
            let text = match look {
                Look::Bad | Look::Changed => format!("\\textbf{{{text}}}"),
                _ => text,
            };
            format!("\\node[anchor={anchor}, text=lin{colour}] at ({x},{y}) {{{text}}};")
        }
    }
}

/// A text without any meaning to TeX.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out += "\\textbackslash{}",
            '^' => out += "\\textasciicircum{}",
            '~' => out += "\\textasciitilde{}",
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '→' => out += "$\\to$",
            '…' => out += "\\dots{}",
            '_' | '&' | '%' | '$' | '#' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
