//! For a browser: the data of an assertion on the page of reports (`html`).

use linchpin_check::Reductions;
use linchpin_csp::{Failure, Refused, Witness, WitnessStep};
use linchpin_lin::{Span, line_column};
use linchpin_lts::Verdict;
use serde_json::{Value as Json, json};

use super::events::effect;
use crate::args::ORDER;
use crate::csp::{self, Decided};
use crate::render::html::operations;
use crate::render::numbers::{bytes, counted, grouped, seconds};
use crate::render::verdict::Limits;
use crate::screen::Screen;

/// An assertion as the page shows it. `source` is the number of its file.
pub(super) fn check(decided: &Decided<'_>, limits: &Limits, source: usize) -> Json {
    let report = &decided.report;
    let (word, headline) = match &report.verdict {
        Ok(Verdict::Holds) => ("holds", "valid"),
        Ok(Verdict::Violated(())) => ("violated", "NOT valid"),
        Ok(Verdict::Unknown(_)) => ("unknown", "unknown"),
        Err(Failure::Trouble(_)) => ("error", "the model goes wrong"),
        Err(Failure::Defect(_)) => ("error", "internal error"),
    };
    let s = super::statistics(decided);
    let mut figures = vec![
        ("states", grouped(s.nodes)),
        ("transitions", grouped(s.transitions)),
        ("depth", grouped(u64::from(s.depth))),
        ("time", seconds(decided.elapsed)),
        ("memory", bytes(s.memory)),
    ];
    if report.others > 0 {
        figures.push(("states of other searches", grouped(report.others)));
    }
    if let Some(value) = report.value {
        figures.push(("value", value.to_string()));
    }
    let verdict = super::verdict(&Screen::PLAIN, decided, limits);
    let line = line_of(decided, decided.asserted.span);
    let all = decided.source.model.assertions();
    let unique = all.iter().filter(|a| a.text == decided.asserted.text).count() == 1;
    let name = &decided.asserted.text;
    let because = super::sentences(decided);
    json!({
        "name": if unique { name.clone() } else { format!("{name} ({})", decided.number) },
        "source": source,
        "line": line,
        "verdict": word,
        "headline": headline,
        "sentence": format!("{}: {verdict}.", decided.asserted.text),
        "bounds": bounds(decided, limits),
        "command": decided.again,
        "figures": figures,
        "because": because,
        "reductions": decided.reductions.iter().map(reduction).collect::<Vec<_>>(),
        "witness": report.witness.as_ref().map(|w| witness(decided, w)),
    })
}

fn reduction(name: &&str) -> Json {
    let what = match (*name, Reductions::TABLE.iter().find(|r| r.name == *name)) {
        (_, Some(r)) => r.about,
        (csp::OPERATIONS, _) => "operations begin as late and end as early as they can",
        _ => ORDER,
    };
    json!({ "name": name, "what": what })
}

/// Which executions were looked at, and how far the search was allowed to go.
fn bounds(decided: &Decided<'_>, limits: &Limits) -> String {
    let mut parts = vec![match decided.fairness {
        Some(fair) => format!("executions that are {}", fair.adjective()),
        None => "all executions".to_string(),
    }];
    parts.extend(limits.states.map(|n| format!("at most {}", counted(n, "state"))));
    parts.extend(limits.time.map(|t| format!("at most {}", seconds(t))));
    parts.join(", ")
}

fn witness(decided: &Decided<'_>, witness: &Witness) -> Json {
    let last = witness.steps.len();
    let wrong = matches!(decided.report.verdict, Err(Failure::Trouble(_)));
    let several = witness.steps.iter().any(|s| s.by != [0]);
    let step = |(i, s): (usize, &WitnessStep)| {
        let effect = effect(&Screen::PLAIN, &s.changes);
        let places: Vec<Json> = s.places.iter().filter_map(|p| place(decided, *p)).collect();
        let line = s.places.first().map_or(0, |p| line_of(decided, *p));
        let at: Vec<String> =
            (s.places.iter()).map(|p| decided.source.model.files().position(p.start)).collect();
        json!({
            "index": i,
            "step": i,
            "thread": s.by.first().map_or(0, |n| n + 1),
            "by": if several { s.by.iter().map(|n| n + 1).collect() } else { Vec::new() },
            "line": line,
            "at": at.join(", "),
            "places": places,
            "event": s.label,
            "text": s.label,
            "effect": effect,
            "alone": false,
            "bad": (wrong || matches!(witness.refused, Some(Refused::Event(_)))) && i + 1 == last,
        })
    };
    let steps: Vec<Json> = witness.steps.iter().enumerate().map(step).collect();
    let frame = |variables: &Vec<(String, String)>| {
        let cells = variables.iter();
        let cells = cells.map(|(name, value)| json!({ "name": name, "value": value }));
        json!({ "variables": cells.collect::<Vec<_>>() })
    };
    let history = super::history(decided);
    let operations = history.as_ref().map(|(narrative, _)| operations(narrative));
    json!({
        "trace": true,
        "threads": history.as_ref().map(|(narrative, _)| &narrative.roles),
        "operations": operations,
        "failing": history.as_ref().and_then(|(_, failing)| *failing),
        "holds": matches!(decided.report.verdict, Ok(Verdict::Holds)),
        "because": super::sentences(decided),
        "repeats": witness.repeats.filter(|&from| from < last),
        "refused": witness.refused.as_ref().map(|r| refused(r, witness)),
        "entries": steps,
        "steps": steps,
        "frames": witness.moments().iter().map(frame).collect::<Vec<_>>(),
    })
}

/// What the specification does not allow, and what it does.
fn refused(refused: &Refused, witness: &Witness) -> Json {
    match refused {
        Refused::Event(allowed) => {
            json!({ "event": witness.steps.last().map(|s| &s.label), "allowed": allowed })
        }
        Refused::Offers(offered, accepted) => json!({ "offered": offered, "accepted": accepted }),
        Refused::Divergence => json!({ "divergence": true }),
    }
}

/// The line of a place in the main file, whose text is on the page; 0 if it is elsewhere.
fn line_of(decided: &Decided<'_>, span: Span) -> usize {
    let place = decided.source.model.files().place(span);
    if place.number == 0 { line_column(place.text, place.span.start).0 } else { 0 }
}

/// A passage of the main file: line, column and length in characters of its first line.
fn place(decided: &Decided<'_>, span: Span) -> Option<Json> {
    let place = decided.source.model.files().place(span);
    if place.number != 0 {
        return None;
    }
    let (line, column) = line_column(place.text, place.span.start);
    let passage = place.text.get(place.span.range()).unwrap_or("");
    let length = passage.lines().next().unwrap_or("").chars().count();
    Some(json!({ "line": line, "column": column, "length": length }))
}
