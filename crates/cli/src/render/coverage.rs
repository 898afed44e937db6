//! What a verdict covers, in words: what operations returned, which statements were never reached, which bound cut
//! executions short.
//!
//! A search that ends at a violation has not looked at everything, so this is said of what holds and of what is
//! not known only.

use std::collections::BTreeMap;

use linchpin_lin::{Place, Results, Returned, Span, line_column};
use linchpin_lts::Verdict;
use serde_json::{Value as Json, json};

use super::numbers::counted;
use crate::input::Source;
use crate::outcome::Decided;
use crate::screen::{Screen, Tone};

/// So many results are named, more are counted.
const NAMED: usize = 5;

/// What is to be said in the verdict itself: `, but push never returns`. Nothing if everything returns and goes on.
pub(crate) fn reservation(screen: &Screen, decided: &Decided<'_>) -> String {
    let names: Vec<_> = decided.never_returns().map(|op| format!("`{}`", op.name)).collect();
    let text = match names.as_slice() {
        [] if decided.all_end() => "but the bound on nodes ENDS EVERY EXECUTION".to_string(),
        [] => return String::new(),
        [name] => format!("but {name} NEVER RETURNS"),
        [names @ .., last] => format!("but {} and {last} NEVER RETURN", names.join(", ")),
    };
    format!(", {}", screen.paint(Tone::Doubtful, text))
}

/// The same at more length, a sentence each.
pub(crate) fn sentences(decided: &Decided<'_>) -> Vec<String> {
    let (covered, check) = (&decided.report.covered, decided.check);
    let is_over = match decided.report.verdict {
        Verdict::Holds => true,
        Verdict::Unknown(_) => false,
        Verdict::Violated(_) => return Vec::new(),
    };
    let mut sentences = Vec::new();
    let returned: Vec<_> = covered.operations.iter().filter_map(returned).collect();
    let mut first = match returned.as_slice() {
        [] if covered.operations.is_empty() => return sentences,
        [] => "nothing returned".to_string(),
        some => format!("returned: {}", some.join("; ")),
    };
    let never = covered.never_return();
    let (uncalled, stuck): (Vec<_>, Vec<_>) = never.partition(|op| !op.called);
    let names = |ops: &[&Returned]| {
        ops.iter().map(|op| format!("`{}`", op.name)).collect::<Vec<_>>().join(", ")
    };
    if is_over && covered.unreached.is_empty() {
        first += "; every statement reached";
    }
    sentences.push(first);
    let so_far = if is_over { "" } else { " so far" };
    if !stuck.is_empty() {
        sentences.push(format!("called and never returned{so_far}: {}", names(&stuck)));
    }
    if !uncalled.is_empty() {
        sentences.push(format!("never called{so_far}: {}", names(&uncalled)));
    }
    if !covered.unreached.is_empty() {
        let all = counted(covered.statements as u64, "statement");
        let lines = lines(decided.source, &covered.unreached);
        let n = covered.unreached.len();
        sentences.push(format!("{n} of {all} never reached{so_far}: {lines}"));
    }
    if !covered.unused.is_empty() && !check.condition.ignores_specification() {
        let lines = lines(decided.source, &covered.unused);
        let spec = check.against_name(&decided.source.program);
        sentences.push(format!("of {spec} never used{so_far}: {lines}"));
    }
    let endless = decided.source.program.objects[check.object.index()].is_endless();
    if covered.heap_full && (endless || check.heap.is_some()) {
        let bound = match check.heap {
            Some(heap) if !endless => format!("heap bound of {}", counted(heap.into(), "node")),
            Some(_) if makes_nodes(decided) => {
                format!("heap bound of {} (and nodes)", counted(check.cells().into(), "cell"))
            }
            _ => format!("bound of {}", counted(check.cells().into(), "cell")),
        };
        let bound = format!("the {bound} was reached");
        let all = match decided.all_end() {
            true => ", and none goes on for ever without",
            false => "",
        };
        sentences.push(format!("{bound}: executions that need more were not followed{all}"));
    }
    sentences.extend(decided.advice.iter().cloned());
    sentences
}

/// Are there nodes that its object could make?
fn makes_nodes(decided: &Decided<'_>) -> bool {
    !decided.source.program.records.is_empty()
}

/// The lines of statements that were never reached, of the object and of its specification.
pub(crate) fn unreached_lines(decided: &Decided<'_>) -> Vec<usize> {
    let covered = &decided.report.covered;
    if decided.report.verdict.is_violated() {
        return Vec::new();
    }
    let spec: &[Span] = match decided.check.condition.ignores_specification() {
        true => &[],
        false => &covered.unused,
    };
    // The text of the main file is on the page.
    let line = |span: &Span| {
        let place = decided.source.files.place(*span);
        (place.number == 0).then(|| line_column(place.text, place.span.start).0)
    };
    let mut lines: Vec<usize> = covered.unreached.iter().chain(spec).filter_map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// `push`, `pop with 0, 1, empty`; nothing if it never returned.
fn returned(op: &Returned) -> Option<String> {
    let name = &op.name;
    let with = match &op.results {
        Results::None => return None,
        Results::Many => "with many results".to_string(),
        Results::Kinds(kinds) if kinds.len() == 1 && kinds[0] == "()" => return Some(name.clone()),
        Results::Kinds(kinds) if op.has_names || kinds.len() > NAMED => {
            let kinds = counted(kinds.len() as u64, "kind");
            format!("with {kinds} of results")
        }
        Results::Kinds(kinds) => format!("with {}", kinds.join(", ")),
    };
    Some(format!("{name} {with}"))
}

/// `line 3`, `lines 3, 5 to 7`, `line 3, line 4 of queue.lin`
fn lines(source: &Source, spans: &[Span]) -> String {
    let mut by_file: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
    for span in spans {
        by_file.entry(source.files.place(*span).number).or_default().push(*span);
    }
    let one = |(number, spans): (usize, Vec<Span>)| {
        let (name, _) = source.files.part(number);
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let line = |s: &Span| {
            let place = source.files.place(*s);
            line_column(place.text, place.span.start).0
        };
        let lines = runs(spans.iter().map(line).collect());
        if number == 0 { lines } else { format!("{lines} of {name}") }
    };
    by_file.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `line 3`, `lines 3, 5 to 7`
fn runs(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for n in numbers {
        match runs.last_mut() {
            Some((_, last)) if n == *last + 1 => *last = n,
            _ => runs.push((n, n)),
        }
    }
    let word = if let [(a, b)] = runs[..]
        && a == b
    {
        "line"
    } else {
        "lines"
    };
    let shown: Vec<_> = runs
        .iter()
        .map(|&(a, b)| match b - a {
            0 => a.to_string(),
            1 => format!("{a}, {b}"),
            _ => format!("{a} to {b}"),
        })
        .collect();
    format!("{word} {}", shown.join(", "))
}

/// For programs.
pub(crate) fn json(decided: &Decided<'_>) -> Json {
    let covered = &decided.report.covered;
    if decided.report.verdict.is_violated() {
        return Json::Null;
    }
    let places = |spans: &[Span]| {
        let place = |s: &Span| {
            let Place { number, name, text, span } = decided.source.files.place(*s);
            let (line, column) = line_column(text, span.start);
            let mut place = json!({ "line": line, "column": column, "text": &text[span.range()] });
            if number > 0 {
                place["file"] = json!(name);
            }
            place
        };
        spans.iter().map(place).collect::<Vec<_>>()
    };
    let operation = |op: &Returned| {
        let results = match &op.results {
            Results::None => Some(&[][..]),
            Results::Kinds(kinds) => Some(kinds.as_slice()),
            Results::Many => None,
        };
        json!({
            "name": op.name,
            "called": op.called,
            "returned": op.results != Results::None,
            "results": results,
        })
    };
    json!({
        "operations": covered.operations.iter().map(operation).collect::<Vec<_>>(),
        "statements": covered.statements,
        "never_reached": places(&covered.unreached),
        "specification_never_used": places(&covered.unused),
        "heap_bound_reached": covered.heap_full,
        "every_execution_ends": covered.all_end,
    })
}
