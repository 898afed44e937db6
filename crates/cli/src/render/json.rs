//! Reports for programs: one JSON object per line, as docs/json-schema.md describes.
//!
//! The structures here *are* the schema: names and order of the fields are what is written. Fields
//! may be added; a change of meaning or a removal needs a new schema number.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use linchpin_check::Violation;
use linchpin_evidence::conditions::Stretched;
use linchpin_evidence::explain::{Explanation, Failure, Order};
use linchpin_evidence::film::Frame;
use linchpin_evidence::narrative::{Deed, Entry, Interval, Location, Narrative};
use linchpin_evidence::snapshot::Cell;
use linchpin_lin::display::display_value;
use linchpin_lin::program::{Behaviour, Check, Condition, DataDomain, Program};
use linchpin_lin::replay::ActionKind;
use linchpin_lin::{Diagnostic, Severity, line_column};
use linchpin_lin::{Span, Value};
use linchpin_lts::{Limit, Schedule};
use linchpin_text::printable_name;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{coverage, verdict};
use crate::input::Source;
use crate::outcome::{Decided, Problem};

const SCHEMA: &str = "linchpin-check/1";

#[derive(Serialize)]
struct Object<'a> {
    schema: &'static str,
    file: String,
    check: Option<&'a str>,
    verdict: &'static str,
    #[serde(flatten)]
    rest: Rest<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Rest<'a> {
    Decided(Box<Decision<'a>>),
    Problem { error: Json },
}

#[derive(Serialize)]
struct Decision<'a> {
    object: &'a str,
    specification: &'a str,
    violation: Option<Json>,
    limit: Option<&'static str>,
    expected: Option<String>,
    as_expected: Option<bool>,
    bounds: Json,
    params: BTreeMap<&'a str, String>,
    counts: Counts,
    coverage: Json,
    advice: &'a [String],
    seconds: f64,
    memory_bytes: u64,
    peak_memory_bytes: Option<u64>,
    reductions: Vec<&'static str>,
    warnings: Vec<Json>,
    witness: Option<Json>,
    command: &'a str,
}

#[derive(Serialize)]
struct Counts {
    states: u64,
    object_states: u64,
    transitions: u64,
    depth: u32,
    widest: u64,
    specification_sets: usize,
}

/// An object on its line. Characters that cannot be seen as themselves are escaped, as JSON has it for all characters: the
/// line may be read on a terminal, and means the same.
pub(crate) fn line(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        match printable_name(c.encode_utf8(&mut [0; 4])) {
            Cow::Borrowed(text) => out += text,
            Cow::Owned(_) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('\n');
    out
}

/// A verdict.
pub(crate) fn decided(decided: &Decided<'_>) -> Json {
    let (program, check, report) = (&decided.source.program, decided.check, &decided.report);
    let shown = report.verdict.evidence();
    let s = &report.statistics;
    let expect = check.expect.as_ref();
    let rest = Decision {
        object: &program.objects[check.object.index()].unit.name,
        specification: check.against_name(program),
        violation: shown.map(|shown| violation(&shown.violation, decided)),
        limit: report.verdict.limit().map(Limit::name),
        expected: expect.map(verdict::expected),
        as_expected: expect.map(|e| report.is_as_expected(e)),
        bounds: bounds(program, check),
        params: params(program),
        counts: Counts {
            states: s.nodes,
            object_states: s.states,
            transitions: s.transitions,
            depth: s.depth,
            widest: s.widest,
            specification_sets: report.sets,
        },
        coverage: coverage::json(decided),
        advice: &decided.advice,
        seconds: decided.elapsed.as_secs_f64(),
        memory_bytes: s.memory,
        peak_memory_bytes: crate::memory::peak(),
        reductions: report.reductions.names(),
        warnings: warnings(decided.source),
        witness: decided
            .violation
            .as_ref()
            .map(|(s, explanation)| witness(s, explanation, decided.report.minimal.is_some())),
        command: &decided.again,
    };
    json!(Object {
        schema: SCHEMA,
        file: decided.source.path.display().to_string(),
        check: Some(&check.name),
        verdict: report.verdict.name(),
        rest: Rest::Decided(Box::new(rest)),
    })
}

/// Why there is no verdict.
pub(crate) fn problem(problem: &Problem) -> Json {
    let error = json!({
        "kind": problem.kind.name(),
        "message": problem.message,
        "diagnostics": diagnostics(&problem.passages.text, &problem.passages.diagnostics),
    });
    json!(Object {
        schema: SCHEMA,
        file: problem.path.display().to_string(),
        check: problem.check.as_deref(),
        verdict: "error",
        rest: Rest::Problem { error },
    })
}

pub(crate) fn violation(violation: &Violation, decided: &Decided<'_>) -> Json {
    match violation {
        // What is not strongly linearizable for this reason is not linearizable.
        Violation::History if decided.check.condition == Condition::Strong => {
            json!({ "kind": "not_linearizable" })
        }
        Violation::Temporal(_) => json!({ "kind": "violates_formula" }),
        Violation::History | Violation::Endless { .. } => {
            let kind = format!("not_{}", decided.adjective().replace([' ', '-'], "_"));
            json!({ "kind": kind })
        }
        Violation::Branching(_) => json!({ "kind": "not_strongly_linearizable" }),
        Violation::Fault(kind) => json!({ "kind": "fault", "fault": kind.name() }),
        Violation::Deadlock => json!({ "kind": "deadlock" }),
    }
}

pub(crate) fn bounds(program: &Program, check: &Check) -> Json {
    let object = &program.objects[check.object.index()].unit;
    let roles = check.roles.iter().map(|role| match &role.behaviour {
        Behaviour::General { ops, count } => json!({
            "name": role.name,
            "threads": role.threads,
            "behaviour": "general",
            "operations": ops.iter().map(|o| object.op(*o).name.as_str()).collect::<Vec<_>>(),
            "operations_per_thread": count,
        }),
        Behaviour::Script(_) => json!({
            "name": role.name,
            "threads": role.threads,
            "behaviour": "script",
        }),
    });
    let values = program.data.iter().zip(&check.data).map(|(data, domain)| {
        let domain = match domain {
            DataDomain::Fresh => json!("fresh"),
            DataDomain::Finite(n) => json!(n),
        };
        (data.name.clone(), domain)
    });
    json!({
        "text": crate::bounds::words(program, check),
        "roles": roles.collect::<Vec<_>>(),
        "heap": check.heap,
        "values": values.collect::<serde_json::Map<_, _>>(),
    })
}

fn params(program: &Program) -> BTreeMap<&str, String> {
    let show = |value: &Value| display_value(value, &linchpin_lin::program::Type::Unit, program);
    program.params.iter().map(|(name, value, _)| (name.as_str(), show(value))).collect()
}

pub(crate) fn witness(schedule: &Schedule, explanation: &Explanation, minimal: bool) -> Json {
    let narrative = &explanation.narrative;
    json!({
        "threads": narrative.roles,
        "history": operations(narrative),
        "failure": failure(&explanation.failure),
        "remark": explanation.remark,
        "schedule": narrative.entries.iter().map(entry).collect::<Vec<_>>(),
        "memory": moments(&explanation.film),
        "minimal": minimal,
        "replay": replay(schedule),
    })
}

/// An execution that is no violation.
pub(crate) fn told(narrative: &Narrative, schedule: &Schedule) -> Json {
    json!({
        "threads": narrative.roles,
        "history": operations(narrative),
        "schedule": narrative.entries.iter().map(entry).collect::<Vec<_>>(),
        "replay": replay(schedule),
    })
}

fn operations(narrative: &Narrative) -> Vec<Json> {
    let operation = |o: &Interval| {
        json!({
            "thread": o.thread,
            "call": o.call,
            "result": o.result,
            "call_event": o.begin,
            "return_event": o.end,
        })
    };
    narrative.operations.iter().map(operation).collect()
}

fn replay(schedule: &Schedule) -> Json {
    let turns = schedule
        .turns
        .iter()
        .map(|t| json!({ "thread": t.thread + 1, "choices": t.choices, "instructions": t.length }));
    json!({ "initial": schedule.initial, "turns": turns.collect::<Vec<_>>() })
}

fn failure(failure: &Failure) -> Json {
    match failure {
        Failure::Response { operation, allowed, before, attempts } => {
            let attempts = attempts.iter().map(|a| {
                let stuck = a.stuck.iter();
                let stuck = stuck.map(|(o, why)| json!({ "operation": o, "because": why }));
                json!({ "order": order(&a.order), "stuck": stuck.collect::<Vec<_>>() })
            });
            json!({
                "operation": operation,
                "allowed": allowed,
                "linearization_before": before.as_ref().map(order),
                "attempts": attempts.collect::<Vec<_>>(),
            })
        }
        Failure::Points { operation, because, order: explains } => {
            let order = explains.as_ref().map(order);
            json!({ "operation": operation, "because": because, "linearization": order })
        }
        Failure::Refused { operation, because, stretched } => {
            let stretched = stretched.as_ref().map(self::stretched);
            json!({ "operation": operation, "because": because, "stretched": stretched })
        }
        Failure::Branching { because, continuations } => {
            let continuations = continuations.iter().map(|c| {
                json!({
                    "leaves": c.leaves,
                    "history": operations(&c.narrative),
                    "schedule": c.narrative.entries[c.after.min(c.narrative.entries.len())..]
                        .iter().map(entry).collect::<Vec<_>>(),
                    "replay": replay(&c.schedule),
                })
            });
            json!({ "because": because, "continuations": continuations.collect::<Vec<_>>() })
        }
        Failure::Fault { kind, thread, at } => in_file(
            at,
            json!({
                "fault": kind.name(),
                "thread": thread,
                "line": at.line,
                "statement": at.text,
            }),
        ),
        Failure::Deadlock { waiting, locks } => {
            let waiting = waiting.iter().map(|(thread, at)| {
                let lock = locks.iter().find(|l| l.thread == *thread);
                let waits = json!({
                    "thread": thread,
                    "line": at.line,
                    "statement": at.text,
                    "lock": lock.map(|l| &l.lock),
                    "holder": lock.map(|l| l.holder),
                });
                in_file(at, waits)
            });
            json!({ "waiting": waiting.collect::<Vec<_>>() })
        }
        Failure::Endless { operation, because, from } => {
            json!({ "operation": operation, "because": because, "repeats_from": from })
        }
    }
}

/// An order that needs a larger factor.
pub(crate) fn stretched(of: &Stretched) -> Json {
    let places = of.places.iter().map(|p| {
        json!({
            "operation": p.operation,
            "effect": p.effect,
            "distance": p.distance,
            "factor": p.factor,
            "state": p.state,
        })
    });
    json!({
        "group": of.group,
        "factor": of.factor,
        "needed": of.needed,
        "places": places.collect::<Vec<_>>(),
    })
}

/// Memory before the first step and after every step. If the initialisation goes wrong, there is no step, and nothing is
/// known of the memory.
pub(crate) fn moments(film: &[Frame]) -> Vec<Json> {
    match film.is_empty() {
        true => vec![json!({ "variables": [], "nodes": [], "locals": [], "lines": [] })],
        false => film.iter().map(moment).collect(),
    }
}

/// Memory at one moment.
fn moment(frame: &Frame) -> Json {
    let nodes = frame.snapshot.nodes.iter().map(|n| {
        json!({ "name": n.name, "record": n.record, "freed": n.freed, "fields": cells(&n.fields) })
    });
    let mut moment = json!({
        "variables": cells(&frame.snapshot.variables),
        "nodes": nodes.collect::<Vec<_>>(),
        "locals": frame.snapshot.locals.iter().map(|l| cells(l)).collect::<Vec<_>>(),
        "lines": frame.places.iter().map(|at| at.as_ref().map(|at| at.line)).collect::<Vec<_>>(),
    });
    if frame.places.iter().flatten().any(|at| at.file.is_some()) {
        let file = |at: &Option<Location>| at.as_ref().and_then(|at| at.file.clone());
        moment["files"] = frame.places.iter().map(file).collect();
    }
    moment
}

/// Places with their values; what they consist of, if there is more to say than the value.
fn cells(of: &[Cell]) -> Vec<Json> {
    let cell = |c: &Cell| {
        let mut cell = json!({ "name": c.name, "value": c.value, "refers": c.refers });
        if !c.parts.is_empty() {
            cell["parts"] = json!(cells(&c.parts));
        }
        if c.past {
            cell["past"] = json!(true);
        }
        cell
    };
    of.iter().map(cell).collect()
}

pub(crate) fn order(order: &Order) -> Json {
    let steps = order.steps.iter();
    let steps =
        steps.map(|s| json!({ "operation": s.operation, "result": s.result, "state": s.state }));
    json!({ "initial": order.initial, "steps": steps.collect::<Vec<_>>() })
}

/// With the file, if the place is not in the main one.
fn in_file(at: &Location, mut object: Json) -> Json {
    if let Some(file) = &at.file {
        object["file"] = json!(file);
    }
    object
}

fn entry(entry: &Entry) -> Json {
    let Location { line, text, .. } = &entry.at;
    let object = json!({
        "step": entry.step,
        "thread": entry.thread,
        "line": line,
        "statement": text,
        "alone": entry.alone,
    });
    let mut object = in_file(&entry.at, object);
    let mut add = |name: &str, value: Json| {
        if let Some(object) = object.as_object_mut() {
            object.insert(name.to_string(), value);
        }
    };
    match &entry.deed {
        Deed::Call(i) => {
            add("action", json!("call"));
            add("operation", json!(i));
        }
        Deed::Return(i) => {
            add("action", json!("return"));
            add("operation", json!(i));
        }
        Deed::Access(action) => {
            add("action", json!(action_name(action.kind)));
            let texts =
                [("place", &action.place), ("before", &action.before), ("after", &action.after)];
            for (name, text) in texts {
                add(name, if text.is_empty() { Json::Null } else { json!(text) });
            }
            if let Some(culprit) = entry.blame {
                add("blame", json!(culprit.entry));
            }
        }
        Deed::Point(thread) => {
            add("action", json!("point"));
            add("for_thread", json!(thread));
        }
        Deed::Fault(kind) => {
            add("action", json!("fault"));
            add("fault", json!(kind.name()));
        }
        Deed::Nothing => add("action", json!("none")),
    }
    object
}

fn action_name(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Read => "read",
        ActionKind::Write => "write",
        ActionKind::CasSucceeded => "cas_succeeded",
        ActionKind::CasFailed => "cas_failed",
        ActionKind::Swap => "swap",
        ActionKind::FetchAdd => "fetch_add",
        ActionKind::Fetch => "fetch",
        ActionKind::LoadLinked => "load_linked",
        ActionKind::StoreSucceeded => "sc_succeeded",
        ActionKind::StoreFailed => "sc_failed",
        ActionKind::Valid => "vl_succeeded",
        ActionKind::Invalid => "vl_failed",
        ActionKind::Lock => "lock",
        ActionKind::Unlock => "unlock",
        ActionKind::TryLockSucceeded => "try_lock_succeeded",
        ActionKind::TryLockFailed => "try_lock_failed",
        ActionKind::New => "new",
        ActionKind::Free => "free",
        ActionKind::Point => "point",
    }
}

/// What is suspicious about the files of a model.
fn warnings(source: &Source) -> Vec<Json> {
    let mut all = Vec::new();
    source.warnings(|path, text, warnings| {
        let mut list = diagnostics(text, warnings);
        if path != source.path {
            list.iter_mut().for_each(|d| d["file"] = json!(path.display().to_string()));
        }
        all.append(&mut list);
    });
    all
}

pub(crate) fn diagnostics(text: &str, diagnostics: &[Diagnostic]) -> Vec<Json> {
    let place = |span: Span| {
        let (line, column) = line_column(text, span.start);
        json!({ "line": line, "column": column, "start": span.start, "end": span.end })
    };
    let one = |d: &Diagnostic| {
        let secondary = d.secondary.iter().map(|l| json!({ "at": place(l.span), "text": l.text }));
        let edits =
            d.edits.iter().map(|e| json!({ "at": place(e.span), "replacement": e.replacement }));
        json!({
            "severity": if d.severity == Severity::Error { "error" } else { "warning" },
            "code": if d.code.is_empty() { None } else { Some(d.code) },
            "message": d.message,
            "at": place(d.primary.span),
            "label": d.primary.text,
            "secondary": secondary.collect::<Vec<_>>(),
            "notes": d.notes,
            "help": d.help,
            "edits": edits.collect::<Vec<_>>(),
        })
    };
    diagnostics.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_is_the_same_json_without_hidden_characters() {
        let text = "\u{1b}]0;\u{7}\u{9b}\u{202e}\u{e0001}\u{7f} \\u{1b} caf\u{e9}\n";
        let line = super::line(&serde_json::to_string(text).unwrap());
        assert!(!line.trim_end().chars().any(char::is_control), "{line}");
        assert!(!line.contains('\u{202e}'), "{line}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
