//! What `linchpin points` found: as text of at most 80 columns, or as JSON.

use linchpin_check::GaveUp;
use linchpin_model::program::OpId;
use serde_json::{Value as Json, json};

use super::numbers::{grouped, seconds};
use super::{json as report, schedule, timeline};
use crate::bounds;
use crate::points::{Annotated, Answer, Execution, Findings};
use crate::screen::{Screen, Tone};

const SCHEMA: &str = "linchpin-points/1";
const WIDTH: usize = 80;
/// More moments than this are counted and not listed.
const MOMENTS: usize = 8;

/// The findings for people.
pub(crate) fn text(screen: &Screen, found: &Findings<'_>) -> String {
    let program = &found.source.program;
    let object = &program.objects[found.check.object.index()].unit;
    let words = bounds::words(program, found.check);
    let against = found.check.against_name(program);
    let name = screen.paint(Tone::Heading, &found.check.name);
    let head = |tone, what: &str| {
        format!(
            "{name}: {} for {} against {against}\n  {words}\n",
            screen.paint(tone, what),
            object.name
        )
    };
    let i = &found.inference;
    let figures = format!(
        "  {} candidates, {} sets tried, {} checked, {}\n",
        found.candidates,
        grouped(i.proposals),
        i.checks,
        seconds(found.elapsed)
    );
    let mut out = String::new();
    match &found.answer {
        Answer::Points(procedures, _) => {
            out += &head(Tone::Good, "points");
            out += &figures;
            for procedure in procedures {
                out += &annotated(screen, procedure);
            }
            out += "\n  Every operation takes effect at its points in all executions that were\n";
            out += "  checked: with these lines the check `points` holds.\n";
        }
        Answer::NoPoints(operations, executions) => {
            out += &head(Tone::Bad, "no fixed points");
            out += &figures;
            out += &format!("\n  {}\n", culprits(found, operations));
            let n = executions.len();
            out += &match n {
                1 => "  No set of candidates fits this execution.\n".to_string(),
                _ => format!("  No set of candidates fits these {n} executions.\n"),
            };
            for (k, execution) in executions.iter().enumerate() {
                out += &self::execution(screen, k + 1, execution);
            }
        }
        Answer::Wrong => {
            out += &head(Tone::Bad, "the object is wrong");
            out +=
                "  It is not linearizable, or it has a fault or a deadlock, whatever its points\n";
            out += "  are; `linchpin check` shows how.\n";
        }
        Answer::Unknown(why) => {
            out += &head(Tone::Doubtful, "unknown");
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

/// The operations that have no points, in a sentence.
fn culprits(found: &Findings<'_>, operations: &[OpId]) -> String {
    let unit = &found.source.program.objects[found.check.object.index()].unit;
    let names: Vec<_> = operations.iter().map(|o| format!("`{}`", unit.op(*o).name)).collect();
    match names.as_slice() {
        [] => "No operation alone is to blame: even if one may take effect at any time,\n  \
               the others have no points."
            .to_string(),
        [one] => format!(
            "It is {one} that has none: the other operations have points if it may take\n  \
             effect at any time."
        ),
        several => format!(
            "If one of {} may take effect at any time,\n  the other operations have points.",
            several.join(", ")
        ),
    }
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
        let name = format!("T{}: {}", o.thread, o.call);
        if steps.len() > MOMENTS {
            push(&format!("{name} can take effect after {} of the steps.", steps.len()));
            continue;
        }
        push(&format!("{name} can take effect only after"));
        for step in steps {
            if let Some(entry) = narrative.entries.iter().rfind(|e| e.step == *step) {
                push(&format!("  T{} line {}: {}", entry.thread, entry.at.line, entry.at.text));
            }
        }
    }
    push("");
    schedule::render(screen, narrative, false).iter().for_each(|l| push(l));
    out
}

/// The findings for programs, as one line.
pub(crate) fn json(found: &Findings<'_>) -> String {
    let program = &found.source.program;
    let unit = &program.objects[found.check.object.index()].unit;
    let (answer, rest): (&str, Json) = match &found.answer {
        Answer::Points(procedures, text) => {
            let points = procedures.iter().flat_map(|p| {
                let lines = p.lines.iter().filter(|(_, _, point)| *point);
                lines.map(
                    |(n, text, _)| json!({ "procedure": p.name, "line": n, "text": text.trim() }),
                )
            });
            ("points", json!({ "points": points.collect::<Vec<_>>(), "source": text }))
        }
        Answer::NoPoints(operations, executions) => {
            let names: Vec<_> = operations.iter().map(|o| unit.op(*o).name.as_str()).collect();
            let executions = executions.iter().map(|e| {
                let moments = e.moments.iter();
                let moments = moments.map(|(o, s)| json!({ "operation": o, "steps": s }));
                let mut told = report::told(&e.narrative, &e.schedule);
                if let Some(told) = told.as_object_mut() {
                    told.insert("moments".into(), json!(moments.collect::<Vec<_>>()));
                }
                told
            });
            let executions = executions.collect::<Vec<_>>();
            ("no_points", json!({ "operations": names, "executions": executions }))
        }
        Answer::Wrong => ("wrong", json!({})),
        Answer::Unknown(why) => {
            let why = match why {
                GaveUp::Check(_) => "check",
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
    });
    if let (Some(object), Json::Object(rest)) = (object.as_object_mut(), rest) {
        object.extend(rest);
    }
    format!("{object}\n")
}
