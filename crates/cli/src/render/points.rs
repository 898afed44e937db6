//! What `linchpin points` found, in every form; text has at most 80 columns.

use std::path::Path;

use linchpin_check::GaveUp;
use linchpin_evidence::narrative::Deed;
use serde_json::{Value as Json, json};

use super::columns::cut;
use super::numbers::{grouped, seconds};
use super::verdict::Limits;
use super::{json as report, schedule, timeline};
use crate::answer::{Answer, Asked, View};
use crate::bounds;
use crate::points::{Annotated, Answer as Found, Execution, Findings, Refuted};
use crate::screen::{Screen, Tone};

const SCHEMA: &str = "linchpin-points/1";
const WIDTH: usize = 80;

impl Answer for Findings<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            path: &self.source.path,
            place: Some((&self.source.text, self.check.span)),
            name: self.check.name.clone(),
            command: &self.again,
            elapsed: self.elapsed,
        }
    }

    fn sentence(&self, screen: &Screen, _: &Limits) -> String {
        let (tone, words) = headline(&self.answer);
        screen.paint(tone, words)
    }

    fn details(&self) -> Vec<String> {
        text(&Screen::PLAIN, self).lines().skip(1).map(str::to_string).collect()
    }

    fn aligned(&self) -> bool {
        true
    }

    fn text(&self, screen: &Screen, _: &View, _: &Limits) -> String {
        text(screen, self)
    }

    fn json(&self) -> Json {
        json(self)
    }
}

/// The answer in a few words.
fn headline(answer: &Found) -> (Tone, &'static str) {
    match answer {
        Found::Points(_, _, without) if without.is_empty() => (Tone::Good, "fixed points"),
        Found::Points(..) => (Tone::Bad, "fixed points for some operations only"),
        Found::NoPoints(_) => (Tone::Bad, "no fixed points"),
        Found::Wrong => (Tone::Bad, "the object is wrong"),
        Found::Unknown(_) => (Tone::Doubtful, "unknown"),
    }
}

/// The findings for people.
fn text(screen: &Screen, found: &Findings<'_>) -> String {
    let program = &found.source.program;
    let object = &program.objects[found.check.object.index()].unit;
    let words = bounds::words(program, found.check);
    let against = found.check.against_name(program);
    let name = screen.paint(Tone::Heading, &found.check.name);
    let (tone, what) = headline(&found.answer);
    let what = screen.paint(tone, what);
    let mut out = format!("{name}: {what}\n  {} against {against}\n  {words}\n", object.name);
    let i = &found.inference;
    let figures = format!(
        "  {} candidates, {} sets tried, {} checked, {}\n",
        found.candidates,
        grouped(i.proposals),
        i.checks,
        seconds(found.elapsed)
    );
    match &found.answer {
        Found::Points(procedures, _, without) => {
            out += &figures;
            for refuted in without {
                out += &self::refuted(screen, found, refuted);
            }
            for procedure in procedures {
                out += &annotated(screen, procedure);
            }
            out += "\n";
            out += &match without.as_slice() {
                [] => "  With these lines the check `points` holds.\n".to_string(),
                _ => "  These are points of the other operations: with them the check `points` holds\n  \
                      if the operations without points may take effect at any time.\n"
                    .to_string(),
            };
        }
        Found::NoPoints(all) => {
            out += &figures;
            for refuted in all {
                out += &self::refuted(screen, found, refuted);
            }
        }
        Found::Wrong => {
            out +=
                "  It is not linearizable, or it has a fault or a deadlock, whatever its points\n";
            out += "  are; `linchpin check` shows how.\n";
        }
        Found::Unknown(why) => {
            out += &figures;
            out += match why {
                GaveUp::Check(_) => "  A check reached a limit.\n",
                GaveUp::Proposals => {
                    "  Too many sets of candidates were tried (--proposals sets the limit).\n"
                }
            };
        }
    }
    out
}

fn annotated(screen: &Screen, procedure: &Annotated) -> String {
    let mut out = format!("\n  {}\n", screen.paint(Tone::Heading, &procedure.name));
    for (number, line, point) in &procedure.lines {
        let mark = if *point { screen.either("▸", ">") } else { " " };
        let line = format!("  {mark} {:>4}  {}", number, line.trim_end());
        out += &match point {
            true => screen.paint(Tone::Good, line),
            false => line.trim_end().to_string(),
        };
        out.push('\n');
    }
    out
}

/// An operation without points, and why.
fn refuted(screen: &Screen, found: &Findings<'_>, refuted: &Refuted) -> String {
    let unit = &found.source.program.objects[found.check.object.index()].unit;
    let these = match refuted.executions.len() {
        1 => "this execution".to_string(),
        n => format!("these {n} executions"),
    };
    let mut out = match refuted.operation {
        Some(op) => format!(
            "\n  `{}` has none, even if the other operations may take effect at any time:\n  \
             no set of candidates fits {these}.\n",
            unit.op(op).name
        ),
        None => format!(
            "\n  Each operation has points while the others may take effect at any time, but\n  \
             not all together: no set of candidates fits {these}.\n"
        ),
    };
    for (i, execution) in refuted.executions.iter().enumerate() {
        out += &self::execution(screen, i + 1, execution);
    }
    out
}

fn execution(screen: &Screen, number: usize, execution: &Execution) -> String {
    let narrative = &execution.narrative;
    let mut out = format!("\n  {}\n", screen.paint(Tone::Heading, format!("execution {number}")));
    let mut push = |line: &str| {
        out += format!("    {line}").trim_end();
        out.push('\n');
    };
    timeline::render(screen, narrative, None, WIDTH - 4).iter().for_each(|l| push(l));
    push("");
    for (call, steps) in &execution.moments {
        let o = &narrative.operations[*call];
        let own = narrative.entries.iter().filter(|e| {
            let last = narrative.entries.iter().rfind(|later| later.step == e.step);
            e.thread == o.thread && steps.contains(&e.step) && last == Some(e)
        });
        let own: Vec<_> = own.filter(|e| e.deed != Deed::Return(*call)).collect();
        let never = if o.end.is_none() { ", if at all," } else { "" };
        let name = format!("T{}: {} can take effect{never}", o.thread, o.call);
        push(&match own.as_slice() {
            [] => format!("{name} at none of its own steps"),
            _ => format!("{name} at these of its own steps:"),
        });
        for entry in own {
            let what = match &entry.deed {
                Deed::Call(i) => format!("call {}", narrative.operations[*i].call),
                _ => entry.at.text.clone(),
            };
            let line = format!("  {}: {what}", entry.at.words());
            push(&cut(screen, &line, WIDTH - 4));
        }
    }
    push("");
    schedule::render(screen, Path::new(""), narrative, true, None).iter().for_each(|l| push(l));
    out
}

/// The findings for programs.
fn json(found: &Findings<'_>) -> Json {
    let program = &found.source.program;
    let unit = &program.objects[found.check.object.index()].unit;
    let one = |e: &Execution| {
        let moments = e.moments.iter();
        let moments = moments.map(|(o, s)| json!({ "operation": o, "steps": s }));
        let mut told = report::told(&e.narrative, &e.schedule);
        if let Some(told) = told.as_object_mut() {
            told.insert("moments".into(), json!(moments.collect::<Vec<_>>()));
        }
        told
    };
    let all = |without: &[Refuted]| {
        let each = without.iter().map(|r| {
            let operation = r.operation.map(|o| unit.op(o).name.as_str());
            let executions = r.executions.iter().map(one).collect::<Vec<_>>();
            json!({ "operation": operation, "executions": executions })
        });
        each.collect::<Vec<_>>()
    };
    let (answer, rest): (&str, Json) = match &found.answer {
        Found::Points(procedures, text, without) => {
            let points = procedures.iter().flat_map(|p| {
                let lines = p.lines.iter().filter(|(_, _, point)| *point);
                lines.map(
                    |(n, text, _)| json!({ "procedure": p.name, "line": n, "text": text.trim() }),
                )
            });
            let points = points.collect::<Vec<_>>();
            let without = all(without);
            ("points", json!({ "points": points, "source": text, "without": without }))
        }
        Found::NoPoints(without) => ("no_points", json!({ "without": all(without) })),
        Found::Wrong => ("wrong", json!({})),
        Found::Unknown(why) => {
            let why = match why {
                GaveUp::Check(limit) => limit.name(),
                GaveUp::Proposals => "proposals",
            };
            ("unknown", json!({ "limit": why }))
        }
    };
    let i = &found.inference;
    let mut object = json!({
        "schema": SCHEMA,
        "file": found.source.path.display().to_string(),
        "check": found.check.name,
        "verdict": found.exit().word(),
        "answer": answer,
        "object": unit.name,
        "specification": found.check.against_name(program),
        "bounds": bounds::words(program, found.check),
        "counts": {
            "candidates": found.candidates,
            "sets_tried": i.proposals,
            "sets_checked": i.checks,
            "executions": i.pool,
            "states": i.states,
        },
        "seconds": found.elapsed.as_secs_f64(),
        "command": found.again,
    });
    if let (Some(object), Json::Object(rest)) = (object.as_object_mut(), rest) {
        object.extend(rest);
    }
    object
}
