//! `cargo xtask bench growth`: how states, seconds and memory grow with threads and with operations, with all
//! reductions and without each; tables in `record/growth.md`, plots in the folder `growth` of the book.
//!
//! A line goes on until a run reaches a limit. Beside the lines there are figures of SPIN, where there are any.

use std::fmt::Write;
use std::path::Path;

use linchpin_check::Reductions;

use super::plot::{Line, Panel, svg};
use super::program::{Measured, in_corpus, measure};
use super::table::grouped;

/// An object and what SPIN 6.5 (compiled with -O3, linearization points given by hand) needed for it.
struct Object {
    name: &'static str,
    /// The name of its plot.
    plot: &'static str,
    file: &'static str,
    check: &'static str,
    /// Threads, operations of each, states, seconds.
    spin: &'static [(u32, u32, f64, f64)],
}

const OBJECTS: &[Object] = &[
    Object {
        name: "Treiber stack",
        plot: "treiber",
        file: "lin/treiber_stack/gc.lin",
        check: "TreiberStack",
        spin: &[(3, 3, 21.2e6, 20.0), (4, 2, 47.8e6, 61.0)],
    },
    Object {
        name: "Michael-Scott queue",
        plot: "michael_scott",
        file: "lin/michael_scott_queue/gc.lin",
        check: "MichaelScottQueue",
        spin: &[(3, 2, 791_739.0, 0.46)],
    },
    Object {
        name: "Lazy list set",
        plot: "lazy_list",
        file: "lin/list_set/lazy.lin",
        check: "two_keys",
        spin: &[(3, 2, 5.95e6, 4.1)],
    },
];

/// What grows, and what stays.
const AXES: [(&str, u32, u32); 2] = [("threads", 2, 5), ("operations", 3, 4)];

/// Every run may take so much.
const LIMITS: [&str; 6] = ["--timeout", "5s", "--max-memory", "4G", "--workers", "1"];

/// Less cannot be told from nothing.
const LEAST_SECONDS: f64 = 0.01;

/// Measures everything, writes the tables and draws.
pub(crate) fn run() -> Result<(), String> {
    let program = crate::program()?;
    let mut text = HEAD.to_string();
    for object in OBJECTS {
        let mut panels = Vec::new();
        for (along, fixed, most) in AXES {
            let bounds = |n: u32| if along == "threads" { (n, fixed) } else { (fixed, n) };
            let mut lines = Vec::new();
            for off in std::iter::once(None).chain(Reductions::TABLE.iter().map(|r| Some(r.name))) {
                eprintln!("{}, {along}, {}", object.name, off.unwrap_or("all on"));
                lines.push((off, grow(&program, object, off, most, bounds)?));
            }
            let fixed = match along {
                "threads" => format!("{fixed} operations each"),
                _ => format!("{fixed} threads"),
            };
            let _ = writeln!(text, "\n## {}, {fixed}\n", object.name);
            text += &table(along, most, &lines);
            let spin = object.spin.iter().filter_map(|&(threads, ops, states, seconds)| {
                let n = if along == "threads" { threads } else { ops };
                (bounds(n) == (threads, ops)).then_some((n, states, seconds))
            });
            let spin: Vec<_> = spin.collect();
            panels.extend(drawn(along, &fixed, &lines, &spin));
        }
        let title = format!("{}: states, seconds and megabytes", object.name);
        draw(object.plot, &svg(&title, &panels, 3))?;
    }
    print!("{text}");
    crate::record("growth.md", &text)
}

const HEAD: &str = "# Growth\n\n\
Written by `cargo xtask bench growth`, with the program itself and one worker: states / seconds / megabytes. A line ends \
where a run takes more than five seconds or four gigabytes. The plots are in `book/src/growth`; crosses in them are \
SPIN's, which was given the linearization points.\n";

/// Runs with 1, 2, 3 and so on, as long as there is an answer.
fn grow(
    program: &Path,
    object: &Object,
    off: Option<&str>,
    most: u32,
    bounds: impl Fn(u32) -> (u32, u32),
) -> Result<Vec<(u32, Measured)>, String> {
    let mut line = Vec::new();
    for n in 1..=most {
        let (threads, ops) = bounds(n);
        let [threads, ops] = [threads, ops].map(|n| n.to_string());
        let without = off.map(|name| format!("--no-{name}"));
        let mut options = vec!["--check", object.check, "--threads", &threads, "--ops", &ops];
        options.extend(LIMITS);
        options.extend(without.as_deref());
        let measured = measure(program, &in_corpus(object.file), &options)?;
        if !measured.decided {
            break;
        }
        line.push((n, measured));
    }
    Ok(line)
}

type Grown<'a> = (Option<&'a str>, Vec<(u32, Measured)>);

fn table(along: &str, most: u32, lines: &[Grown<'_>]) -> String {
    let mut text = format!("| {along} |");
    (1..=most).for_each(|n| text += &format!(" {n} |"));
    text += &format!("\n|---|{}\n", "--:|".repeat(most as usize));
    for (off, line) in lines {
        let name = off.map_or("all on".to_string(), |off| format!("`--no-{off}`"));
        let _ = write!(text, "| {name} |");
        for n in 1..=most {
            let cell = line.iter().find(|(at, _)| *at == n).map_or(String::new(), |(_, m)| {
                let megabytes = m.peak as f64 / 1e6;
                format!("{} / {:.2} / {megabytes:.0}", grouped(m.states), m.seconds())
            });
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

/// A panel for each quantity.
fn drawn(
    along: &'static str,
    fixed: &str,
    lines: &[Grown<'_>],
    spin: &[(u32, f64, f64)],
) -> [Panel; 3] {
    let panel = |what: &str, value: fn(&Measured) -> f64, marks: Vec<(u32, f64, &'static str)>| {
        let lines = lines.iter().map(|(off, line)| Line {
            name: off.map_or("all on".to_string(), |off| format!("no {off}")),
            values: line.iter().map(|(n, m)| (*n, value(m))).collect(),
        });
        Panel { title: format!("{what}, {fixed}"), along, lines: lines.collect(), marks }
    };
    let marks = |value: fn(&(u32, f64, f64)) -> f64| {
        spin.iter().map(|mark| (mark.0, value(mark), "SPIN")).collect()
    };
    [
        panel("States", |m| m.states as f64, marks(|m| m.1)),
        panel("Seconds", |m| m.seconds().max(LEAST_SECONDS), marks(|m| m.2)),
        panel("Megabytes", |m| m.peak as f64 / 1e6, Vec::new()),
    ]
}

fn draw(name: &str, text: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/growth");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join(format!("{name}.svg")), text))
        .map_err(|error| format!("book/src/growth/{name}.svg: {error}"))
}
