//! The judge of quasi linearizability.
//!
//! The definition is in `quasi` of the crate `check` (Adhikari, Street, Wang, Liu and Zhang, SPIN 2013,
//! Definition 4, with a bound on the drift): two orders are built together, one in which the operations
//! take effect, between their calls and returns, and one in which they have their places, which the
//! specification allows. Here both are looked for by going through one finite history from event to
//! event and trying everything at each of them (`moments`), with operations as they are: nothing is
//! summed up.
//!
//! *Extensions.* A history that goes on may be completed by further operations, which take effect after
//! its end and can have places before. Before the end there are at most as many as the factors allow
//! altogether, and all are tried. After the end there may be any number: what is possible with none, one,
//! two ... is tried until nothing new is found, and then it is certain that no extension exists. If
//! that takes more than [`FURTHER`] further operations, or [`EXTENSIONS`] moments, nothing is decided.

mod moments;
mod recorded;
mod stretch;

use std::collections::HashSet;

use linchpin_lin::Model;
use linchpin_lin::display::display_value;
use linchpin_lin::program::{Condition, QuasiGroup, QuasiResult};
use linchpin_lin::replay::Replay;
use linchpin_lts::{Liveness, TransitionSystem};

use super::Refusal;
use super::order::{name, operations};
use crate::history::{History, Operation};
use crate::judge::Disagreement;
use moments::{Moment, Moments};
pub use recorded::{Recorded, RecordedHistory};
pub use stretch::{Apart, Stretched};

/// Most moments of a history to try.
const BUDGET: usize = 3_000_000;

/// Most moments after it to try.
const EXTENSIONS: usize = 50_000;

/// Most further operations after it.
const FURTHER: usize = 16;

/// Decides that the history has no extension that is quasi linearizable; or, if every thread has
/// finished, that it is not quasi linearizable itself.
pub(super) fn refuse(
    model: &Model,
    replay: &Replay,
    history: &History,
) -> Result<Refusal, Disagreement> {
    let end = replay.steps.last().map_or(&replay.initial, |s| &s.state);
    let finished = model.successors(&mut model.scratch(), end, &mut |_| {}) == Liveness::Finished;
    refuse_history(model, history, finished)
}

/// The same of any history, if it is over (`finished`) or goes on.
pub(super) fn refuse_history(
    model: &Model,
    history: &History,
    finished: bool,
) -> Result<Refusal, Disagreement> {
    let Condition::Quasi(groups) = &model.check().condition else {
        return Err(Disagreement::Undecided);
    };
    let operations = operations(history)?;
    let moments = Moments::new(model, groups, &operations)?;
    match accepts(&moments, true) {
        Ok(false) => Ok(refusal(model, &operations, moments.last(), groups)),
        // Whether there is an extension does not matter any more.
        Ok(true) | Err(Disagreement::Undecided) if finished => match accepts(&moments, false)? {
            false => Ok(refusal(model, &operations, None, groups)),
            true => Err(Disagreement::Satisfied),
        },
        Ok(true) => Err(Disagreement::Satisfied),
        Err(error) => Err(error),
    }
}

/// Can the history be completed, by further operations if it may be extended?
fn accepts(moments: &Moments<'_>, extended: bool) -> Result<bool, Disagreement> {
    let mut seen: HashSet<Moment> = HashSet::new();
    let mut todo = moments.initial()?;
    let (mut layer, mut rounds) = (Vec::new(), 0);
    while let Some(moment) = todo.pop() {
        if moments.is_over(&moment) {
            layer.push(moment);
            continue;
        }
        let mut next = moments.after(&moment);
        if extended {
            next.extend(moments.with_another(&moment));
        }
        todo.extend(next.into_iter().filter(|m| seen.insert(m.clone())));
        rounds += 1;
        let stopped = moments.model.watch().over_at(rounds).is_some();
        if stopped || seen.len() > BUDGET {
            return Err(Disagreement::Undecided);
        }
    }
    seen = layer.iter().cloned().collect();
    for _ in 0..=FURTHER {
        let mut done = 0;
        while done < layer.len() {
            if moments.is_complete(&layer[done]) {
                return Ok(true);
            }
            if moments.model.watch().over_at(done).is_some() {
                return Err(Disagreement::Undecided);
            }
            let next = moments.after(&layer[done]);
            layer.extend(next.into_iter().filter(|m| seen.insert(m.clone())));
            done += 1;
        }
        if !extended || layer.is_empty() {
            return Ok(false);
        }
        if seen.len() > EXTENSIONS {
            break;
        }
        let mut longer = Vec::new();
        for moment in &layer {
            let next = moments.with_another(moment);
            longer.extend(next.into_iter().filter(|m| seen.insert(m.clone())));
        }
        layer = longer;
    }
    Err(Disagreement::Undecided)
}

fn refusal(
    model: &Model,
    operations: &[Operation],
    last: Option<usize>,
    groups: &[QuasiGroup],
) -> Refusal {
    let object = &model.object().unit;
    let factors = groups.iter().map(|g| format!("{}: {}", member_words(model, g), g.factor));
    let factors: Vec<String> = factors.collect();
    let factors = if factors.is_empty() { "all 0".to_string() } else { factors.join(", ") };
    let first = match last {
        Some(i) => {
            let o = &operations[i];
            let ty = &object.op(o.op).result;
            let result = o.response.as_ref();
            let result = result.map_or(String::new(), |r| {
                format!(" returned {}", display_value(&r.result, ty, model.program()))
            });
            format!("{}{result}; no order within the factors explains that.", name(model, o))
        }
        None => "Everything is done, and no order within the factors explains it all.".to_string(),
    };
    let mut because = vec![first, format!("The factors are {factors}.")];
    let stretched = stretch::stretched(model, groups, operations);
    because.extend(stretched.as_ref().map(|s| {
        let Stretched { group, factor, needed, .. } = s;
        format!("With {needed} instead of {factor} for {group} there would be an order.")
    }));
    Refusal { operation: last, because, stretched }
}

/// What shares a factor: `enqueue`, `dequeue -> some + size`
fn member_words(model: &Model, group: &QuasiGroup) -> String {
    let members = group.members.iter().map(|(op, result)| {
        let op = model.object().unit.op(*op);
        let result = match result {
            QuasiResult::Any => return op.name.clone(),
            QuasiResult::Some => "some".to_string(),
            QuasiResult::Is(value) => display_value(value, &op.result, model.program()),
        };
        format!("{} -> {result}", op.name)
    });
    members.collect::<Vec<_>>().join(" + ")
}
