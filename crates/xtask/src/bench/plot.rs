//! Plots as SVG: a few panels, whole numbers to the right, powers of ten upwards, lines named where they end.
//!
//! Written by hand: it is a page of code, and what a library for plots would do otherwise (names beside their lines
//! instead of a legend, no overlap) would be most of it.

use std::fmt::Write;

/// A line: its name, and a value for each of 1, 2, 3 and so on as far as it goes.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) values: Vec<(u32, f64)>,
}

/// One panel.
pub(super) struct Panel {
    /// What is shown.
    pub(super) title: String,
    /// What the whole numbers are.
    pub(super) along: &'static str,
    /// The first is the one to look at.
    pub(super) lines: Vec<Line>,
    /// Single values from elsewhere, with a name.
    pub(super) marks: Vec<(u32, f64, &'static str)>,
}

const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 250.0;
/// Around the lines of a panel: left, right (for names), above, below.
const MARGIN: [f64; 4] = [46.0, 74.0, 26.0, 34.0];
/// The height of a name.
const NAME: f64 = 10.5;

/// Colours that people with any kind of colour vision can tell apart (M. Okabe, K. Ito), and two greys.
const COLOURS: [&str; 9] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#b8a000", "#777777",
    "#a05000",
];

/// All panels, so many beside each other.
pub(super) fn svg(title: &str, panels: &[Panel], columns: usize) -> String {
    let rows = panels.len().div_ceil(columns);
    let (width, height) = (WIDTH * columns as f64, HEIGHT * rows as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let (x, y) = (WIDTH * (i % columns) as f64, HEIGHT * (i / columns) as f64);
        let _ = writeln!(text, "<g transform=\"translate({x} {y})\">");
        panel.draw(&mut text);
        text.push_str("</g>\n");
    }
    text + "</svg>\n"
}

impl Panel {
    fn draw(&self, text: &mut String) {
        let [left, right, above, below] = MARGIN;
        let (inner_width, inner_height) = (WIDTH - left - right, HEIGHT - above - below);
        let points = || self.lines.iter().flat_map(|line| line.values.iter().copied());
        let all = || points().chain(self.marks.iter().map(|m| (m.0, m.1)));
        let last = all().map(|p| p.0).max().unwrap_or(1).max(2);
        let low = all().map(|p| p.1.log10().floor()).fold(f64::MAX, f64::min).min(9.0);
        let high = all().map(|p| p.1.log10().ceil()).fold(low + 1.0, f64::max);
        let x = |n: u32| left + inner_width * f64::from(n - 1) / f64::from(last - 1);
        let y = |value: f64| above + inner_height * (high - value.log10()) / (high - low);
        let _ = writeln!(
            text,
            "<text x=\"{left}\" y=\"14\" font-weight=\"bold\">{}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            self.title,
            left + inner_width / 2.0,
            HEIGHT - 6.0,
            self.along,
        );
        for power in low as i32..=high as i32 {
            let at = y(10f64.powi(power));
            let _ = writeln!(
                text,
                "<path d=\"M{left} {at:.1}h{inner_width}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 5.0,
                at + 4.0,
                power_of_ten(power),
            );
        }
        for n in 1..=last {
            let at = HEIGHT - below + 14.0;
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"middle\">{n}</text>",
                x(n)
            );
        }
        // The one to look at comes last, on top of the others.
        for (i, line) in self.lines.iter().enumerate().rev() {
            let path: Vec<String> =
                line.values.iter().map(|&(n, v)| format!("{:.1} {:.1}", x(n), y(v))).collect();
            let (colour, strength) = style(i);
            let _ = writeln!(
                text,
                "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{strength}\" \
                 stroke-linecap=\"round\"/>",
                path.join("L")
            );
        }
        for &(n, value, name) in &self.marks {
            let (x, y) = (x(n), y(value));
            let _ = writeln!(
                text,
                "<path d=\"M{:.1} {:.1}l8 8m0-8l-8 8\" stroke=\"#000\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                x - 4.0,
                y - 4.0,
                x - 7.0,
                y + 4.0,
            );
        }
        let mut names: Vec<(f64, f64, usize)> = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            if let Some(&(n, value)) = line.values.last() {
                names.push((y(value), x(n), i));
            }
        }
        self.name_lines(text, names, above, HEIGHT - below);
    }

    /// Writes names to the right of where lines end, moved apart.
    fn name_lines(&self, text: &mut String, mut names: Vec<(f64, f64, usize)>, top: f64, end: f64) {
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = names.len();
        let mut places: Vec<f64> = Vec::new();
        for (at, ..) in &names {
            let least = places.last().map_or(top, |last| last + NAME);
            places.push(at.max(least));
        }
        // What has been moved below the end moves up again.
        for i in (0..count).rev() {
            let most = end - NAME * (count - 1 - i) as f64;
            places[i] = places[i].min(most);
        }
        for (place, (at, x, i)) in places.into_iter().zip(names) {
            let (colour, _) = style(i);
            let right = WIDTH - MARGIN[1] + 8.0;
            let _ = writeln!(
                text,
                "<path d=\"M{:.1} {at:.1}L{:.1} {place:.1}\" stroke=\"{colour}\" stroke-width=\"0.5\" \
                 stroke-dasharray=\"2 2\"/>\
                 <text x=\"{right:.1}\" y=\"{:.1}\" font-size=\"10\" fill=\"{colour}\">{}</text>",
                x + 2.0,
                right - 2.0,
                place + 3.5,
                self.lines[i].name,
            );
        }
    }
}

fn style(line: usize) -> (&'static str, f64) {
    match line {
        0 => ("#000", 2.5),
        i => (COLOURS[(i - 1) % COLOURS.len()], 1.2),
    }
}

fn power_of_ten(power: i32) -> String {
    match power {
        -2 => "0.01".into(),
        -1 => "0.1".into(),
        0..=3 => 10i32.pow(power as u32).to_string(),
        4..=5 => format!("{} k", 10i32.pow(power as u32 - 3)),
        6..=8 => format!("{} M", 10i32.pow(power as u32 - 6)),
        _ => format!("1e{power}"),
    }
}
