//! For programs: one object on one line, as docs/json-schema.md describes.

use linchpin_csp::{Change, Failure};
use linchpin_lin::{Span, line_column};
use linchpin_lts::Verdict;
use serde_json::{Map, Value as Json, json};

use super::events::trace;
use crate::args::Fair;
use crate::csp::Decided;
use crate::render::json as checks;

/// An assertion that was decided.
pub(super) fn json(decided: &Decided<'_>) -> Json {
    let report = &decided.report;
    let text = &decided.source.text;
    let position = |offset: u32| {
        let place = decided.source.model.files().place(Span { start: offset, end: offset });
        let (line, column) = line_column(place.text, place.span.start);
        match place.number {
            0 => json!({ "line": line, "column": column }),
            _ => json!({ "file": place.name, "line": line, "column": column }),
        }
    };
    let (verdict, limit, error) = match &report.verdict {
        Ok(Verdict::Holds) => ("holds", None, None),
        Ok(Verdict::Violated(())) => ("violated", None, None),
        Ok(Verdict::Unknown(limit)) => ("unknown", Some(limit.name()), None),
        Err(Failure::Trouble(trouble)) => {
            let at = trouble.at.map(|(start, end)| [position(start), position(end)]);
            let error = json!({ "kind": "model", "message": trouble.message, "at": at });
            ("error", None, Some(error))
        }
        Err(Failure::Defect(why)) => {
            ("error", None, Some(json!({ "kind": "internal", "message": why })))
        }
    };
    let witness = report.witness.as_ref().map(|w| -> Json {
        let steps: Vec<Json> = (w.steps.iter())
            .map(|s| {
                let places: Vec<Json> = s.places.iter().map(|p| position(p.start)).collect();
                let changes: Vec<Json> = s.changes.iter().map(change).collect();
                json!({ "event": s.label, "by": s.by, "places": places, "changes": changes })
            })
            .collect();
        let variables: Map<String, Json> =
            w.variables.iter().map(|(n, v)| (n.clone(), json!(v))).collect();
        json!({
            "sentence": w.sentence,
            "trace": trace(w),
            "steps": steps,
            "repeats": w.repeats,
            "variables": variables,
        })
    });
    let history = super::history(decided).map(|(narrative, failing)| {
        let operation = |o: &linchpin_evidence::narrative::Interval| {
            json!({ "thread": o.thread, "call": o.call, "result": o.result, "begin": o.begin, "end": o.end })
        };
        let operations: Vec<Json> = narrative.operations.iter().map(operation).collect();
        json!({ "operations": operations, "failing": failing })
    });
    json!({
        "schema": "linchpin-csp/1",
        "file": decided.source.path.display().to_string(),
        "check": decided.asserted.text,
        "assertion": decided.asserted.text,
        "number": decided.number,
        "at": position(decided.asserted.span.start),
        "fairness": decided.fairness.map(Fair::word),
        "reductions": decided.reductions,
        "verdict": verdict,
        "limit": limit,
        "error": error,
        "value": report.value,
        "notes": report.notes,
        "counts": {
            "states": report.statistics.states,
            "nodes": report.statistics.nodes,
            "transitions": report.statistics.transitions,
            "others": report.others,
        },
        "seconds": decided.elapsed.as_secs_f64(),
        "memory_bytes": report.statistics.memory,
        "warnings": checks::diagnostics(text, &decided.source.warnings),
        "witness": witness,
        "history": history,
        "command": decided.again,
    })
}

fn change(change: &Change) -> Json {
    json!({ "name": change.name, "from": change.from, "to": change.to })
}
