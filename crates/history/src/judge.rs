//! The judge of what is shown: the algorithm of the crate `evidence`, on the specification as it is written in the language
//! `.lin`, which shares no code with the search and with the built-in specifications that it executes.

use std::collections::BTreeSet;
use std::sync::Arc;

use linchpin_evidence::history::{Event, History};
use linchpin_evidence::wing_gong::{Explicable, linearization};
use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::Specification;
use linchpin_lts::Watch;

use crate::datum::Datum;
use crate::history::Operation;
use crate::spec::Spec;
use crate::written::Written;

/// Most configurations that the judge may visit.
const BUDGET: usize = 2_000_000;

/// What the judge says of a history that is claimed to have no order.
#[derive(Clone, Debug)]
pub enum Judged {
    /// It has none, and this is why.
    Confirmed(Reason),
    /// It has one.
    Explained,
    /// It is too long, or says too little, to be judged.
    Undecided(String),
}

/// Why a history has no order.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The operation whose return nothing explains, by its number.
    pub operation: usize,
    /// What it could have returned, if that is known.
    pub allowed: Option<Vec<Datum>>,
    /// An order of everything before that return: operations with the states after them.
    pub before: Option<Vec<(usize, String)>>,
    /// The state in which it begins.
    pub initial: String,
}

/// Judges a history of one object, whose operations are in the order of their calls.
pub fn judge(spec: &Spec, operations: &[Operation], watch: &Watch) -> Judged {
    judged(spec, operations, watch).unwrap_or_else(Judged::Undecided)
}

/// A history as the judge reads it.
pub(crate) struct Prepared {
    pub(crate) written: Arc<Written>,
    pub(crate) specification: Specification,
    /// The operation of the twin for every operation of the specification.
    pub(crate) ops: Vec<OpId>,
    /// Numbers of operations here are those of the twin.
    pub(crate) identity: Vec<OpId>,
    pub(crate) history: History,
    /// Does it allow more than the log, which does not say what an operation returned?
    weakened: bool,
}

pub(crate) fn prepare(
    spec: &Spec,
    operations: &[Operation],
    watch: &Watch,
) -> Result<Prepared, String> {
    let (written, ops) = spec.twin(operations)?;
    let threads = lanes(operations);
    let most = threads.iter().copied().max().unwrap_or(1);
    let by_process = operations.iter().map(|o| o.process + 1).max().unwrap_or(1);
    let specification = written.specification(most.max(by_process), watch)?;
    let asks = specification.uses_caller();
    let identity = (0..specification.unit().ops.len() as u32).map(OpId).collect();
    let mut weakened = false;
    let mut events: Vec<(u32, Event)> = Vec::with_capacity(2 * operations.len());
    for (operation, lane) in operations.iter().zip(&threads) {
        let mut op = ops[operation.op as usize];
        let thread = if asks { operation.process + 1 } else { *lane };
        let (args, result) = spec.twin_operation(operation);
        if result.is_none()
            && operation.returns()
            && let Some(unseen) = written.unseen(op.0 as u8)
        {
            op = OpId(u32::from(unseen));
        }
        let args = written.args(op.0 as u8, &args)?;
        events.push((operation.call, Event::Call { thread, op, args }));
        if !operation.returns() {
            continue;
        }
        let result = match result {
            Some(result) => written.result(op.0 as u8, &result)?,
            None if written.gives_nothing(op.0 as u8) => Value::Unit,
            // Without a result it may as well not have returned; that only allows more.
            None => {
                weakened |= !written.changes_nothing(op.0 as u8);
                continue;
            }
        };
        events.push((operation.ret, Event::Return { thread, op, result }));
    }
    events.sort_by_key(|e| e.0);
    let history: History = events.into_iter().map(|e| e.1).collect();
    Ok(Prepared { written, specification, ops, identity, history, weakened })
}

fn judged(spec: &Spec, operations: &[Operation], watch: &Watch) -> Result<Judged, String> {
    let Prepared { written, specification, ops, identity, history, weakened } =
        prepare(spec, operations, watch)?;
    let found = linearization(&history, &specification, &identity, BUDGET);
    match found.map_err(|error| error.to_string())? {
        Explicable::Linearizable(_) if weakened => {
            Err("an operation returned, but the log does not say what".to_string())
        }
        Explicable::Linearizable(_) => Ok(Judged::Explained),
        Explicable::Unknown => Err("the history is too long to be judged again".to_string()),
        Explicable::NotLinearizable(refutation) => {
            let op = ops[operations[refutation.operation].op as usize].0 as u8;
            let allowed = refutation.allowed.map(|values| {
                let all: BTreeSet<Datum> =
                    values.iter().map(|v| written.shown_result(op, v)).collect();
                all.into_iter().collect()
            });
            let initial = match &refutation.before {
                Some(before) => written.describe(&before.initial),
                None => String::new(),
            };
            let before = refutation.before.map(|order| {
                let steps = order.steps.iter();
                steps.map(|s| (s.operation, written.describe(&s.state))).collect()
            });
            let operation = refutation.operation;
            Ok(Judged::Confirmed(Reason { operation, allowed, before, initial }))
        }
    }
}

/// Threads for operations, from 1, so that no thread does two things at once.
fn lanes(operations: &[Operation]) -> Vec<u32> {
    // Per lane: when its last operation ends.
    let mut ends: Vec<u32> = Vec::new();
    operations
        .iter()
        .map(|operation| {
            let lane = ends.iter().position(|&end| end < operation.call).unwrap_or_else(|| {
                ends.push(0);
                ends.len() - 1
            });
            ends[lane] = operation.ret;
            lane as u32 + 1
        })
        .collect()
}
