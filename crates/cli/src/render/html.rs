//! A report as one page that needs nothing else: the data, and a script that draws it.
//!
//! All text of the model is in the data, where `<` is escaped so that nothing in it can end the script
//! element; the script puts it into the page as text only. The page forbids itself to load anything. Where
//! scripts do not run, the page has the report as plain text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use linchpin_check::Reductions;
use linchpin_evidence::explain::{Attempt, Awaited, Continued, Explanation, Failure, Order};
use linchpin_evidence::narrative::{Deed, Entry, Narrative};
use linchpin_evidence::words;
use linchpin_lin::line_column;
use linchpin_lin::program::OpId;
use linchpin_text::{printable, printable_name};
use serde_json::{Value as Json, json};

use super::numbers::{bytes, grouped, seconds};
use super::verdict::{self, Limits};
use super::{json, sha256, types, violation};
use crate::answer::{Answer, View};
use crate::bounds;
use crate::exit::Exit;
use crate::input::Passages;
use crate::names::shown;
use crate::outcome::{Decided, Kind, Problem};
use crate::screen::Screen;
use crate::tally::Tally;

const PAGE: &str = include_str!("../../assets/report.html");
const STYLE: &str = include_str!("../../assets/report.css");
/// The last one draws the page, with the others.
const SCRIPTS: [&str; 5] = [
    include_str!("../../assets/report_memory.js"),
    include_str!("../../assets/report_history.js"),
    include_str!("../../assets/report_source.js"),
    include_str!("../../assets/report_why.js"),
    include_str!("../../assets/report.js"),
];
/// For recorded histories, only where there are some: before the script that uses them.
const LOG_STYLE: &str = include_str!("../../assets/log.css");
const LOG_SCRIPTS: [&str; 4] = [
    include_str!("../../assets/log_data.js"),
    include_str!("../../assets/log_canvas.js"),
    include_str!("../../assets/log_paper.js"),
    include_str!("../../assets/log.js"),
];

/// Collects checks and makes a page of them.
#[derive(Debug, Default)]
pub(crate) struct Page {
    sources: Vec<Json>,
    checks: Vec<Json>,
    tally: Tally,
    /// The report for browsers without scripts.
    text: String,
}

impl Page {
    /// Adds an answer.
    pub(crate) fn add(&mut self, answer: &dyn Answer, limits: &Limits, exit: Exit) {
        let view = View { several: true, explain: true, ..View::default() };
        self.text += &answer.text(&Screen::PLAIN, &view, limits);
        let file = self.source(answer.asked().path, answer.source());
        self.tally.add(answer, exit);
        let mut check = answer.page(limits, exit, file);
        check["expected"] = json!(answer.expected());
        self.checks.push(check);
    }

    /// Adds that there is no answer.
    pub(crate) fn problem(&mut self, problem: &Problem) {
        self.text += &super::text::problem(&Screen::PLAIN, problem);
        self.tally.problem();
        let Passages { text, diagnostics } = &*problem.passages;
        let file = self.source(&problem.path, text);
        let because = diagnostics.iter().map(|d| {
            let (line, column) = line_column(text, d.primary.span.start);
            format!("{line}:{column}: {}", d.message)
        });
        let name = problem.check.clone();
        self.checks.push(json!({
            "name": name.unwrap_or_else(|| shown(&problem.path)),
            "source": file,
            "verdict": "error",
            "headline": match problem.kind {
                Kind::Internal => "internal error",
                _ => "no verdict",
            },
            "sentence": problem.message,
            "bounds": "",
            "command": "",
            "figures": [],
            "because": because.collect::<Vec<_>>(),
            "reductions": [],
            "witness": null,
        }));
    }

    /// The number of a file.
    fn source(&mut self, path: &Path, text: &str) -> usize {
        let source = json!({ "file": shown(path), "text": text });
        if self.sources.last() != Some(&source) {
            self.sources.push(source);
        }
        self.sources.len() - 1
    }

    /// Nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// The page.
    pub(crate) fn render(&self) -> String {
        let data = json!({
            "schema": 1,
            "sources": self.sources,
            "checks": self.checks,
            "total": self.tally.total(),
        });
        let data = harmless(data.to_string().replace('<', "\\u003c"));
        let has_logs = self.checks.iter().any(|check| check.get("log").is_some());
        let mut style = STYLE.to_string();
        let mut script = String::new();
        if has_logs {
            style += LOG_STYLE;
            script += &LOG_SCRIPTS.concat();
        }
        script += &SCRIPTS.concat();
        let mut text = self.text.clone();
        if self.tally.is_worth_a_line() {
            text += &format!("{}\n", self.tally.sentence(&Screen::PLAIN));
        }
        let text = escaped(&printable(&text));
        // The data and the text last: they may contain the words that mark the places of the others.
        let page = PAGE
            .replace("/*HASH*/", &sha256::source(&script))
            .replace("/*STYLE*/", &style)
            .replace("/*SCRIPT*/", &script);
        let (before, after) = page.split_once("/*TEXT*/").unwrap_or((&page, ""));
        before.to_string() + &text + &after.replacen("/*DATA*/", &data, 1)
    }
}

/// Text as the content of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON with every character that cannot be seen as itself written by its number. A backslash is written twice.
fn harmless(json: String) -> String {
    if matches!(printable_name(&json), Cow::Borrowed(_)) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match printable_name(c.encode_utf8(&mut [0; 4])) {
            Cow::Borrowed(text) => out += text,
            Cow::Owned(number) => out += &format!("\\{number}"),
        }
    }
    out
}

/// A check as the page shows it; `source` is the number of its file.
pub(crate) fn check(decided: &Decided<'_>, limits: &Limits, source: usize) -> Json {
    let (program, check, report) = (&decided.source.program, decided.check, &decided.report);
    let object = &program.objects[check.object.index()].unit;
    let sentence = verdict::sentence(&Screen::PLAIN, decided, limits);
    let statistics = &report.statistics;
    let mut figures = vec![
        ("states with their sets", grouped(statistics.nodes)),
        ("states of the object", grouped(statistics.states)),
        ("transitions", grouped(statistics.transitions)),
        ("depth", grouped(u64::from(statistics.depth))),
        ("sets of configurations", grouped(report.sets as u64)),
        ("time", seconds(decided.elapsed)),
        ("memory", bytes(statistics.memory)),
    ];
    if let Some(expect) = &check.expect {
        figures.push(("expected", verdict::expected(expect)));
    }
    let used = report.reductions.names();
    let reductions = Reductions::TABLE.iter().filter(|r| used.contains(&r.name));
    let ops = (0..object.ops.len() as u32).map(|op| types::signature(program, object.op(OpId(op))));
    json!({
        "name": check.name,
        "source": source,
        "verdict": report.verdict.name(),
        "headline": sentence.split([';', ':']).next().and_then(|s| s.split(" for ").next())
            .and_then(|s| s.split(" with ").next()),
        "sentence": format!("{} is {sentence}.", object.name),
        "bounds": bounds::words(program, check),
        "command": decided.again,
        "figures": figures,
        "operations": ops.collect::<Vec<_>>(),
        "reductions": reductions.map(|r| json!({ "name": r.name, "what": r.about })).collect::<Vec<_>>(),
        "witness": decided.violation.as_ref().map(|(_, explanation)| witness(decided, explanation)),
    })
}

fn witness(decided: &Decided<'_>, explanation: &Explanation) -> Json {
    let narrative = &explanation.narrative;
    let (failing, attempts) = match &explanation.failure {
        Failure::Response { operation, attempts, .. } => (Some(*operation), attempts.clone()),
        Failure::Points { operation, order, .. } => {
            let explains = |order: &Order| Attempt { order: order.clone(), stuck: Vec::new() };
            (*operation, order.iter().map(explains).collect())
        }
        Failure::Refused { operation, .. } | Failure::Endless { operation, .. } => {
            (*operation, Vec::new())
        }
        Failure::Branching { .. } | Failure::Fault { .. } | Failure::Deadlock { .. } => {
            (None, Vec::new())
        }
    };
    let nodes: BTreeMap<usize, &str> = explanation
        .film
        .iter()
        .flat_map(|frame| &frame.snapshot.nodes)
        .map(|n| (n.name[1..].parse().unwrap_or(usize::MAX), n.name.as_str()))
        .collect();
    json!({
        "threads": narrative.roles,
        "operations": operations(narrative),
        "failing": failing,
        "because": violation::sentences(&Screen::PLAIN, explanation),
        "size": violation::size(&Screen::PLAIN, decided, narrative),
        "continuations": continuations(&explanation.failure),
        "stretched": match &explanation.failure {
            Failure::Refused { stretched, .. } => stretched.as_ref().map(json::stretched),
            _ => None,
        },
        "waits": waits(&explanation.failure),
        "attempts": attempts.iter().map(attempt).collect::<Vec<_>>(),
        "entries": narrative.entries.iter().map(|e| entry(e, narrative)).collect::<Vec<_>>(),
        "steps": steps(narrative, explanation.film.len().saturating_sub(1)),
        "nodes": nodes.values().collect::<Vec<_>>(),
        "frames": json::moments(explanation),
        "repeats": repeats(explanation),
    })
}

/// The step from which on the execution repeats itself for ever, if it does.
fn repeats(explanation: &Explanation) -> Option<usize> {
    let Failure::Endless { from, .. } = &explanation.failure else { return None };
    explanation.narrative.entries.get((*from)?).map(|e| e.step)
}

/// Who waits for whom.
fn waits(failure: &Failure) -> Vec<Json> {
    let Failure::Deadlock { locks, .. } = failure else { return Vec::new() };
    let wait = |l: &Awaited| json!({ "thread": l.thread, "lock": l.lock, "holder": l.holder });
    locks.iter().map(wait).collect()
}

/// The ways to go on that refute every order, as far as they go beyond what is shown.
fn continuations(failure: &Failure) -> Vec<Json> {
    let Failure::Branching { continuations, .. } = failure else { return Vec::new() };
    let continued = |c: &Continued| {
        let entries = c.narrative.entries.iter().skip(c.after);
        json!({
            "leaves": c.leaves,
            "entries": entries.map(|e| entry(e, &c.narrative)).collect::<Vec<_>>(),
        })
    };
    continuations.iter().map(continued).collect()
}

/// The operations with the moments at which they begin and end: frame `n` is after step `n`.
pub(crate) fn operations(narrative: &Narrative) -> Vec<Json> {
    let moment = |wanted: &Deed| {
        let entry = narrative.entries.iter().find(|e| e.deed == *wanted);
        entry.map(|e| e.step + 1)
    };
    let operation = |(i, o): (usize, &linchpin_evidence::narrative::Interval)| {
        json!({
            "thread": o.thread,
            "call": o.call,
            "result": o.result,
            "begin": o.begin,
            "end": o.end,
            "from": moment(&Deed::Call(i)).unwrap_or(0),
            "to": moment(&Deed::Return(i)),
        })
    };
    narrative.operations.iter().enumerate().map(operation).collect()
}

/// What happens in every step, in one line each.
fn steps(narrative: &Narrative, count: usize) -> Vec<Json> {
    let step = |index: usize| {
        let entries: Vec<_> = narrative.entries.iter().filter(|e| e.step == index).collect();
        let texts: Vec<_> = entries.iter().map(|e| describe(e, narrative)).collect();
        json!({
            "index": index,
            "thread": entries.first().map_or(0, |e| e.thread),
            "line": entries.last().map_or(0, |e| e.at.line),
            "text": texts.join("; "),
            "bad": entries.iter().any(|e| matches!(e.deed, Deed::Fault(_))),
        })
    };
    (0..count).map(step).collect()
}

fn describe(entry: &Entry, narrative: &Narrative) -> String {
    match &entry.deed {
        Deed::Call(_) | Deed::Return(_) => text(entry, narrative),
        _ => {
            let effect = words::effect(entry, "→");
            let dots = if effect.is_empty() { "" } else { ": " };
            format!("{}{dots}{effect}", entry.at.text)
        }
    }
}

fn text(entry: &Entry, narrative: &Narrative) -> String {
    match &entry.deed {
        Deed::Call(i) => format!("call {}", narrative.operations[*i].call),
        Deed::Return(i) => match narrative.operations[*i].result.as_deref() {
            None | Some("()") => "return".to_string(),
            Some(result) => format!("return {result}"),
        },
        _ => entry.at.text.clone(),
    }
}

fn entry(entry: &Entry, narrative: &Narrative) -> Json {
    json!({
        "thread": entry.thread,
        "step": entry.step,
        "line": entry.at.line,
        "text": text(entry, narrative),
        "alone": entry.alone,
        "effect": words::effect(entry, "→"),
        "bad": matches!(entry.deed, Deed::Fault(_)) || entry.blame.is_some(),
    })
}

fn attempt(attempt: &Attempt) -> Json {
    json!({ "order": json::order(&attempt.order), "stuck": attempt.stuck })
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn a_page_shows_hidden_characters_by_their_numbers() {
        let text = "\u{202e}\u{9b} \\u{1b} \"";
        let json = harmless(serde_json::to_string(text).unwrap());
        let shown: String = serde_json::from_str(&json).unwrap();
        assert_eq!(shown, "\\u{202e}\\u{9b} \\u{1b} \"");
    }
}
