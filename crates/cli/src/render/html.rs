//! Answers as data of a page, which the crate `page` makes.

use std::collections::BTreeMap;
use std::path::Path;

use linchpin_check::Reductions;
use linchpin_evidence::explain::{Attempt, Awaited, Continued, Explanation, Failure, Order};
use linchpin_evidence::film::Frame;
use linchpin_evidence::narrative::{Deed, Entry, Narrative};
use linchpin_evidence::words;
use linchpin_lin::line_column;
use linchpin_lin::program::OpId;
use serde_json::{Value as Json, json};

use super::numbers::{bytes, grouped, seconds};
use super::verdict::{self, Limits};
use super::{coverage, json, types, violation};
use crate::answer::{Answer, View};
use crate::bounds;
use crate::exit::Exit;
use crate::input::Passages;
use crate::names::shown;
use crate::outcome::{Decided, Kind, Problem};
use crate::screen::Screen;
use crate::tally::Tally;

/// Collects checks and makes a page of them.
#[derive(Debug, Default)]
pub(crate) struct Page {
    page: linchpin_page::Page,
    tally: Tally,
}

impl Page {
    /// Adds an answer.
    pub(crate) fn add(&mut self, answer: &dyn Answer, limits: &Limits, exit: Exit) {
        let view = View { several: true, explain: true, ..View::default() };
        let file = self.source(answer.asked().path, answer.source());
        for (path, text) in answer.others() {
            self.page.source(&path.to_string_lossy(), text);
        }
        self.tally.add(answer, exit);
        let mut check = answer.page(limits, exit, file);
        check["expected"] = json!(answer.expected());
        self.page.add(check, &answer.text(&Screen::PLAIN, &view, limits));
    }

    /// Adds that there is no answer.
    pub(crate) fn problem(&mut self, problem: &Problem) {
        self.tally.problem();
        let Passages { text, diagnostics } = &*problem.passages;
        let file = self.source(&problem.path, text);
        let because = diagnostics.iter().map(|d| {
            let (line, column) = line_column(text, d.primary.span.start);
            format!("{line}:{column}: {}", d.message)
        });
        let name = problem.check.clone();
        let check = json!({
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
        });
        self.page.add(check, &super::text::problem(&Screen::PLAIN, problem));
    }

    /// The number of a file.
    fn source(&mut self, path: &Path, text: &str) -> usize {
        self.page.source(&shown(path), text)
    }

    /// Nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.page.is_empty()
    }

    /// The page.
    pub(crate) fn render(&self) -> String {
        let last = match self.tally.is_worth_a_line() {
            true => format!("{}\n", self.tally.sentence(&Screen::PLAIN)),
            false => String::new(),
        };
        self.page.render(&self.tally.total(), &last)
    }
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
        "doubt": Some(coverage::reservation(&Screen::PLAIN, decided)).filter(|text| !text.is_empty()),
        "because": coverage::sentences(decided),
        "unreached": coverage::unreached_lines(decided),
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
    let mut witness = execution(narrative, &explanation.film);
    let more = json!({
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
        "repeats": repeats(explanation),
    });
    if let (Json::Object(witness), Json::Object(more)) = (&mut witness, more) {
        witness.extend(more);
    }
    witness
}

/// An execution, whether there is anything wrong with it or not.
pub(crate) fn execution(narrative: &Narrative, film: &[Frame]) -> Json {
    let nodes: BTreeMap<usize, &str> = film
        .iter()
        .flat_map(|frame| &frame.snapshot.nodes)
        .map(|n| (n.name[1..].parse().unwrap_or(usize::MAX), n.name.as_str()))
        .collect();
    json!({
        "threads": narrative.roles,
        "operations": operations(narrative),
        "entries": narrative.entries.iter().map(|e| entry(e, narrative)).collect::<Vec<_>>(),
        "steps": steps(narrative, film.len().saturating_sub(1)),
        "nodes": nodes.values().collect::<Vec<_>>(),
        "frames": json::moments(film),
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
    let mut of: Vec<Vec<&Entry>> = vec![Vec::new(); count];
    for entry in narrative.entries.iter().filter(|e| e.step < count) {
        of[entry.step].push(entry);
    }
    let step = |(index, entries): (usize, Vec<&Entry>)| {
        let texts: Vec<_> = entries.iter().map(|e| describe(e, narrative)).collect();
        json!({
            "index": index,
            "thread": entries.first().map_or(0, |e| e.thread),
            "line": entries.last().map_or(0, |e| e.at.line),
            "file": entries.last().and_then(|e| e.at.file.as_ref()),
            "text": texts.join("; "),
            "bad": entries.iter().any(|e| matches!(e.deed, Deed::Fault(_))),
        })
    };
    of.into_iter().enumerate().map(step).collect()
}

/// What happens in an entry, in one line.
pub(crate) fn describe(entry: &Entry, narrative: &Narrative) -> String {
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
        "at": entry.at.file.as_ref().map(|_| entry.at.label()),
        "text": text(entry, narrative),
        "alone": entry.alone,
        "effect": words::effect(entry, "→"),
        "bad": matches!(entry.deed, Deed::Fault(_)) || entry.blame.is_some(),
    })
}

fn attempt(attempt: &Attempt) -> Json {
    json!({ "order": json::order(&attempt.order), "stuck": attempt.stuck })
}
