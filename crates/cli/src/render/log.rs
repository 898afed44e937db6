//! A recorded history as a page draws it: its operations in columns, what matters of it, and the orders through it.
//!
//! A log can be long and its values can be large; a page is neither. Of a very long history it has the part around what is
//! shown, of a long value its beginning, and it says so. Texts that occur often are there once.

use std::collections::HashMap;

use linchpin_history::{NEVER, Obstacle, Operation};
use serde_json::{Value as Json, json};

use super::numbers::grouped;
use super::verdict::Limits;
use crate::answer;
use crate::exit::Exit;
use crate::history::Recorded;
use crate::orders::Drawn;

/// Most operations of a page.
const OPERATIONS: usize = 100_000;
/// Most characters of a call, a result, a name or a state.
const CHARACTERS: usize = 400;
/// Most steps of an order that has its states.
const STATES: usize = 1000;

/// What came of a log, for a browser.
pub(super) fn page(recorded: &Recorded<'_>, limits: &Limits, exit: Exit, file: usize) -> Json {
    let mut page = answer::page(recorded, limits, exit, file);
    page["log"] = log(recorded);
    page
}

/// Texts, each of them once.
#[derive(Default)]
struct Texts {
    numbers: HashMap<String, usize>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: String) -> usize {
        let text = shortened(text);
        if let Some(&number) = self.numbers.get(&text) {
            return number;
        }
        self.all.push(text.clone());
        self.numbers.insert(text, self.all.len() - 1);
        self.all.len() - 1
    }
}

/// The beginning of a long text, and how long it is.
fn shortened(text: String) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => text,
        Some((end, _)) => {
            let count = text.chars().count() as u64;
            format!("{}… ({} characters)", &text[..end], grouped(count))
        }
    }
}

/// The numbers of the operations that a page has: all, or those around a place and those that matter.
fn kept(total: usize, most: usize, around: usize, matter: &[u32]) -> Vec<u32> {
    if total <= most {
        return (0..total as u32).collect();
    }
    let first = around.saturating_sub(most / 2).min(total - most);
    let mut kept: Vec<u32> = (first as u32..(first + most) as u32).collect();
    kept.extend_from_slice(matter);
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn log(recorded: &Recorded<'_>) -> Json {
    let (history, spec) = (&recorded.history, recorded.spec);
    let violation = recorded.violation.as_ref();
    let matter: &[u32] = violation.map_or(&[], |v| &v.numbers);
    let failing = violation.and_then(|v| v.numbers.get(v.reason.operation)).copied();
    let end = recorded.orders.iter().find(|_| !recorded.decision.verdict.holds());
    let end = end.and_then(|order| order.steps.last()).map(|step| step.0);
    let around = failing.or(matter.last().copied()).or(end).unwrap_or(0) as usize;
    let kept = kept(history.operations.len(), OPERATIONS, around, matter);
    let on_page: HashMap<u32, usize> = kept.iter().copied().zip(0..).collect();
    let operations: Vec<&Operation> =
        kept.iter().map(|&i| &history.operations[i as usize]).collect();

    let (mut texts, mut keys) = (Texts::default(), Texts::default());
    let several = history.objects.len() > 1;
    let mut key = |o: &Operation| {
        let object = history.objects.get(o.object as usize).filter(|_| several).cloned();
        let own = spec.key(o).map(ToString::to_string);
        let name = match (object, own) {
            (Some(object), Some(own)) => Some(format!("{object} {own}")),
            (object, own) => object.or(own),
        };
        name.map(|name| keys.number(name))
    };
    let key: Vec<Option<usize>> = operations.iter().map(|o| key(o)).collect();
    let call = |o: &&Operation| {
        let object = history.objects.get(o.object as usize).filter(|name| !name.is_empty());
        let object = object.map_or(String::new(), |name| format!("{name}."));
        texts.number(object + &spec.call(o))
    };
    let call: Vec<usize> = operations.iter().map(call).collect();
    let result: Vec<Option<usize>> =
        operations.iter().map(|o| spec.result(o).map(|r| texts.number(r))).collect();
    // What had not returned yet where it went wrong.
    let cut: Vec<usize> = violation.map_or(Vec::new(), |v| {
        let open = v
            .operations
            .iter()
            .zip(&v.numbers)
            .filter(|(o, i)| !o.returns() && history.operations[**i as usize].returns());
        open.filter_map(|(_, i)| on_page.get(i).copied()).collect()
    });
    let orders = recorded.orders.iter().map(|order| drawn(recorded, order, &on_page, &mut texts));
    let orders: Vec<Json> = orders.collect();
    let name = |o: &Operation| format!("process {}: {}", process(recorded, o), recorded.call(o));
    let because = violation.map_or(Vec::new(), |v| recorded.blame(v, &name));
    json!({
        "specification": spec.name(),
        "condition": recorded.condition.word(),
        "total": history.operations.len(),
        "processes": history.processes.iter().cloned().map(shortened).collect::<Vec<_>>(),
        "keys": keys.all,
        "process": operations.iter().map(|o| o.process).collect::<Vec<_>>(),
        "key": key,
        "begin": operations.iter().map(|o| o.call).collect::<Vec<_>>(),
        "end": operations.iter().map(|o| Some(o.ret).filter(|r| *r != NEVER)).collect::<Vec<_>>(),
        "line": operations.iter().map(|o| o.line).collect::<Vec<_>>(),
        "call": call,
        "result": result,
        "matter": violation.map(|_| matter.iter().filter_map(|i| on_page.get(i)).collect::<Vec<_>>()),
        "cut": cut,
        "failing": failing.and_then(|i| on_page.get(&i)),
        "because": because.into_iter().map(shortened).collect::<Vec<_>>(),
        "orders": orders,
        "texts": texts.all,
    })
}

fn process<'a>(recorded: &'a Recorded<'_>, operation: &Operation) -> &'a str {
    recorded.history.processes.get(operation.process as usize).map_or("?", String::as_str)
}

/// An order; the operation at which it fails is the one that would have to return first.
fn drawn(
    recorded: &Recorded<'_>,
    order: &Drawn,
    on_page: &HashMap<u32, usize>,
    texts: &mut Texts,
) -> Json {
    let operation = |i: u32| &recorded.history.operations[i as usize];
    let why = |i: u32, obstacle: &Obstacle| match obstacle {
        Obstacle::After(first) => {
            format!("must come after {}", recorded.call(operation(*first as u32)))
        }
        Obstacle::Impossible => "is not possible in this state".to_string(),
        Obstacle::Result(results) => {
            let would: Vec<String> = results.iter().map(ToString::to_string).collect();
            let was = recorded.spec.result(operation(i)).unwrap_or_else(|| "nothing".to_string());
            format!("would return {}, but returned {was}", would.join(" or "))
        }
    };
    let waits = |o: &Obstacle| matches!(o, Obstacle::After(_));
    let fails = order.stuck.iter().filter(|(i, o)| !waits(o) && on_page.contains_key(i));
    let fails = fails.min_by_key(|(i, _)| operation(*i).ret).map(|(i, _)| *i);
    // An order of everything before fails at the return that nothing explains.
    let next = recorded.violation.as_ref().and_then(|v| v.numbers.get(v.reason.operation)).copied();
    let next = next.filter(|i| order.whole && order.steps.iter().all(|(placed, _)| placed != i));
    let fails = fails.or(next).and_then(|i| on_page.get(&i));
    let steps = order.steps.iter().filter(|(i, _)| on_page.contains_key(i));
    let has_states = order.steps.len() <= STATES && !order.initial.is_empty();
    let states = has_states
        .then(|| steps.clone().map(|(_, state)| texts.number(state.clone())).collect::<Vec<_>>());
    let stuck = order.stuck.iter().filter(|(i, _)| on_page.contains_key(i));
    json!({
        "whole": order.whole,
        "initial": shortened(order.initial.clone()),
        "steps": steps.map(|(i, _)| on_page[i]).collect::<Vec<_>>(),
        "states": states,
        "fails": fails,
        "stuck": stuck.map(|(i, o)| (on_page[i], shortened(why(*i, o)))).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::{kept, shortened};

    #[test]
    fn a_long_history_is_kept_around_what_matters() {
        assert_eq!(kept(3, 5, 0, &[]), [0, 1, 2]);
        assert_eq!(kept(100, 4, 50, &[3, 51, 99]), [3, 48, 49, 50, 51, 99]);
        assert_eq!(kept(100, 4, 0, &[]), [0, 1, 2, 3]);
        assert_eq!(kept(100, 4, 99, &[]), [96, 97, 98, 99]);
    }

    #[test]
    fn a_long_text_says_how_long_it_is() {
        assert_eq!(shortened("ä".repeat(400)), "ä".repeat(400));
        let long = shortened("ä".repeat(10_000));
        assert!(long.ends_with("ä… (10 000 characters)"), "{long}");
        assert_eq!(long.chars().count(), 400 + "… (10 000 characters)".chars().count());
    }
}
