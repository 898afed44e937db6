//! The steps of an execution: as a trace the way PAT writes it, and as a table with their places.

use std::ops::Range;

use linchpin_csp::{Change, Witness, WitnessStep};
use linchpin_lin::line_column;

use crate::csp::Source;
use crate::render::columns::{cut, pad, width, wrapped};
use crate::screen::{Screen, Tone};

/// A part of an execution with more steps is abridged to its first and last ones.
const LONG: usize = 150;
const FIRST: usize = 30;
const LAST: usize = 100;
/// The most columns for places and for events.
const PLACES: usize = 14;
const EVENT: usize = 30;

/// Steps that are shown, or how many are left out.
enum Part {
    Steps(Range<usize>),
    Gap(usize),
}

/// What is shown of an execution, before it repeats itself and then.
fn parts(witness: &Witness, all: bool) -> Vec<Part> {
    let (end, from) = (witness.steps.len(), witness.repeats.unwrap_or(usize::MAX));
    let mut parts = Vec::new();
    for range in [0..from.min(end), from.min(end)..end] {
        match range.len() {
            0 => {}
            n if all || n <= LONG => parts.push(Part::Steps(range)),
            n => {
                parts.push(Part::Steps(range.start..range.start + FIRST));
                parts.push(Part::Gap(n - FIRST - LAST));
                parts.push(Part::Steps(range.end - LAST..range.end));
            }
        }
    }
    parts
}

/// `init -> a -> tau -> (b -> c)*`
pub(crate) fn trace(witness: &Witness) -> String {
    words(witness, true).join(" ")
}

/// The same in lines.
pub(super) fn lines(witness: &Witness, all: bool, columns: usize) -> Vec<String> {
    let words = words(witness, all);
    // An arrow stays with the event after it.
    let mut lines = vec![String::new()];
    for word in words {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && width(line) + 1 + width(&word) > columns {
            lines.push(format!("  {word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            *line += &word;
        }
    }
    lines
}

/// `init`, `-> a`, `-> (b`, `-> c)*`
fn words(witness: &Witness, all: bool) -> Vec<String> {
    let mut words = vec!["init".to_string()];
    for part in parts(witness, all) {
        match part {
            Part::Gap(n) => words.push(format!("-> ... {n} steps ...")),
            Part::Steps(range) => words.extend(range.map(|i| {
                let open = if witness.repeats == Some(i) { "(" } else { "" };
                format!("-> {open}{}", witness.steps[i].label)
            })),
        }
    }
    if witness.repeats.is_some_and(|r| r < witness.steps.len())
        && let Some(last) = words.last_mut()
    {
        *last += ")*";
    }
    words
}

/// The steps with who takes them, where they are written, and what they change.
pub(super) fn table(screen: &Screen, source: &Source, witness: &Witness, all: bool) -> Vec<String> {
    let table = Table::new(screen, source, &witness.steps, all);
    let mut lines = Vec::new();
    for part in parts(witness, all) {
        match part {
            Part::Gap(n) => {
                let dots = screen.either("⋮", "...");
                lines.push(format!("{dots}  {n} steps are left out here (-v shows them)"));
            }
            Part::Steps(range) => {
                if witness.repeats == Some(range.start) {
                    let turn = screen.either("↻", "@");
                    let mark = format!("{turn}  from here on again and again:");
                    lines.push(screen.paint(Tone::Heading, mark));
                }
                lines.extend(range.map(|i| table.line(&witness.steps[i])));
            }
        }
    }
    lines
}

/// The lines of some steps, for simulations.
pub(crate) fn steps(screen: &Screen, source: &Source, steps: &[WitnessStep]) -> Vec<String> {
    let who = steps.iter().map(|s| width(&who(s))).max().unwrap_or(0).min(PLACES);
    let table = Table { who, ..Table::new(screen, source, steps, false) };
    steps.iter().map(|step| table.line(step)).collect()
}

/// How wide the columns are.
struct Table<'a> {
    screen: &'a Screen,
    source: &'a Source,
    /// Is nothing to be cut?
    all: bool,
    who: usize,
    places: usize,
    event: usize,
}

impl<'a> Table<'a> {
    fn new(screen: &'a Screen, source: &'a Source, steps: &[WitnessStep], all: bool) -> Self {
        let widest = |of: &dyn Fn(&WitnessStep) -> usize, most: usize| {
            steps.iter().map(of).max().unwrap_or(0).min(most)
        };
        // Who takes a step is of interest only if there are several.
        let several = steps.iter().any(|s| s.by != [0]);
        let who = if several { widest(&|s| width(&who(s)), PLACES) } else { 0 };
        let places = widest(&|s| width(&places(source, s)), PLACES);
        let event = widest(&|s| width(&s.label), EVENT);
        Table { screen, source, all, who, places, event }
    }

    fn line(&self, step: &WitnessStep) -> String {
        let screen = self.screen;
        let mut line = String::new();
        if self.who > 0 {
            line += &screen.paint(Tone::Thread, pad(&cut(screen, &who(step), self.who), self.who));
            line += "  ";
        }
        let places = pad(&places(self.source, step), self.places);
        let places = screen.paint(Tone::Quiet, places);
        line += &match step.places.first() {
            Some(span) => {
                let (path, text, span) = self.source.place(*span);
                screen.link(path, line_column(text, span.start).0, &places)
            }
            None => places,
        };
        line += &format!("  {}", pad(&step.label, self.event));
        let used = self.who + 2 * usize::from(self.who > 0) + self.places + 2;
        let used = used + self.event.max(width(&step.label)) + 2;
        let effect = effect(screen, &step.changes);
        let room = (screen.columns - super::text::INDENT).saturating_sub(used).max(20);
        let effect = if self.all { effect } else { cut(screen, &effect, room) };
        format!("{line}  {effect}").trim_end().to_string()
    }
}

/// The components that take a step, counted from 1: `#1 #2`.
fn who(step: &WitnessStep) -> String {
    let names: Vec<_> = step.by.iter().map(|n| format!("#{}", n + 1)).collect();
    names.join(" ")
}

/// Where a step is written: `3:5, 7:1`.
fn places(source: &Source, step: &WitnessStep) -> String {
    let files = source.model.files();
    let places = step.places.iter().map(|span| files.position(span.start));
    places.collect::<Vec<_>>().join(", ")
}

/// `x: 0 → 1, c: [] → [1]`
pub(super) fn effect(screen: &Screen, changes: &[Change]) -> String {
    let arrow = screen.either("→", "->");
    let one = |c: &Change| format!("{}: {} {arrow} {}", c.name, c.from, c.to);
    changes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `x = 1, c = []`, in lines.
pub(crate) fn contents(variables: &[(String, String)], columns: usize) -> Vec<String> {
    let all: Vec<String> = variables.iter().map(|(name, v)| format!("{name} = {v}")).collect();
    wrapped(&all.join(", "), columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn witness(events: &[&str], repeats: Option<usize>) -> Witness {
        let step = |label: &&str| WitnessStep {
            label: label.to_string(),
            places: Vec::new(),
            by: vec![0],
            changes: Vec::new(),
        };
        let steps = events.iter().map(step).collect();
        let (sentence, variables) = (String::new(), Vec::new());
        Witness { sentence, steps, repeats, variables, refused: None }
    }

    #[test]
    fn a_trace_is_written_as_pat_does() {
        assert_eq!(trace(&witness(&[], None)), "init");
        assert_eq!(trace(&witness(&["a", "tau", "b"], None)), "init -> a -> tau -> b");
        assert_eq!(trace(&witness(&["a", "b", "c"], Some(1))), "init -> a -> (b -> c)*");
        assert_eq!(trace(&witness(&["a"], Some(0))), "init -> (a)*");
    }

    #[test]
    fn long_traces_are_broken_before_arrows() {
        let w = witness(&["abc", "def", "ghi"], Some(2));
        assert_eq!(lines(&w, false, 14), ["init -> abc", "  -> def", "  -> (ghi)*"]);
        assert_eq!(lines(&w, false, 80), ["init -> abc -> def -> (ghi)*"]);
    }

    #[test]
    fn what_is_left_out_of_a_long_trace_is_counted() {
        let w = witness(&["a"; 400], Some(200));
        let shown = |all| lines(&w, all, 80).join(" ");
        assert_eq!(shown(false).matches("-> ... 70 steps ...").count(), 2);
        assert_eq!(shown(false).matches('a').count(), 260);
        assert_eq!(shown(true).matches('a').count(), 400);
        assert_eq!(shown(false).matches("(a").count(), 1);
    }
}
