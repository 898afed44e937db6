//! Orders of operations, looked for by exhaustive search: what the judges of several conditions share.
//!
//! A condition says which operations must come before which. Given that, an *explanation* of a history
//! is an order of all operations that have returned and some of those that have not, in which nothing
//! comes before what must precede it, and which the specification allows with the results that were
//! returned. The search places one operation after the other and remembers only which combinations of
//! placed operations and abstract state have been tried.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use linchpin_lin::display::{display_call, display_value};
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, SpecFault, Specification};
use linchpin_lin::{Model, Value};

use super::Refusal;
use crate::history::{History, Operation};
use crate::judge::Disagreement;
use crate::wing_gong::HistoryError;

/// Most combinations a search may try.
pub(super) const BUDGET: usize = 5_000_000;

/// An order: operations, by index, with their results.
pub type Order = Vec<(usize, Value)>;

/// What takes effect one after the other: operations that do so together, with their results; of one that only begins
/// to do so there is none.
pub(super) type Effects = Vec<Vec<(usize, Option<Value>)>>;

/// What explains some operations, if anything does; or all results that the open one of them can have.
pub(super) type Found = (Option<Effects>, BTreeSet<Value>);

/// Looks for what explains operations.
pub(super) type Finds<'a> =
    &'a dyn Fn(&Specified, &[Operation], Option<usize>) -> Result<Found, Disagreement>;

/// Must the first operation come before the second, in the history with these operations?
pub(super) type Precedes<'a> = &'a dyn Fn(&[Operation], usize, usize) -> bool;

/// The specification of a model, and its operation for every operation of the object.
pub(super) struct Specified {
    pub(super) specification: Specification,
    pub(super) ops: Vec<OpId>,
    /// What went wrong in the specification lately.
    fault: RefCell<Option<SpecFault>>,
}

impl Specified {
    pub(super) fn new(model: &Model) -> Result<Self, Disagreement> {
        let wrong = |error| Disagreement::History(error);
        let specification =
            model.specification().map_err(|fault| wrong(HistoryError::Specification(fault)))?;
        let object = &model.object().unit;
        let ops = (0..object.ops.len() as u32).map(OpId);
        let ops = ops
            .map(|op| specification.unit().op_named(&object.op(op).name).ok_or(op))
            .collect::<Result<_, _>>()
            .map_err(|op| wrong(HistoryError::UnknownOperation(op)))?;
        Ok(Specified { specification, ops, fault: RefCell::default() })
    }

    /// What the specification allows for an operation in a state; nothing if it goes wrong, which is noted.
    pub(super) fn outcomes(
        &self,
        state: &[Value],
        operation: &Operation,
    ) -> Vec<(AbstractState, Value)> {
        self.outcomes_of(state, self.ops[operation.op.index()], &operation.args, operation.thread)
    }

    /// The same for an operation of the specification.
    pub(super) fn outcomes_of(
        &self,
        state: &[Value],
        op: OpId,
        args: &[Value],
        thread: u32,
    ) -> Vec<(AbstractState, Value)> {
        let outcomes = self.specification.execute(state, op, args, thread);
        outcomes.unwrap_or_else(|fault| {
            self.fault.replace(Some(fault));
            Vec::new()
        })
    }

    /// What went wrong since this was asked the last time, if anything did.
    pub(super) fn take_fault(&self) -> Option<Disagreement> {
        let fault = self.fault.take()?;
        Some(Disagreement::History(HistoryError::Specification(fault)))
    }
}

/// One search.
struct Search<'a> {
    specified: &'a Specified,
    operations: &'a [Operation],
    /// Per operation: which must come before it.
    before: Vec<Vec<usize>>,
    /// This operation has returned, but what is left open; the results it can have are collected.
    open: Option<usize>,
    results: BTreeSet<Value>,
    tried: HashSet<(Vec<bool>, AbstractState, Option<Value>)>,
    order: Order,
}

impl Search<'_> {
    /// Completes the order; with an open operation, finds all its results and never succeeds.
    fn complete(
        &mut self,
        placed: &mut Vec<bool>,
        state: &AbstractState,
        result: Option<&Value>,
    ) -> Result<bool, Disagreement> {
        let missing =
            |i: usize, placed: &[bool]| !placed[i] && self.operations[i].response.is_some();
        if !(0..self.operations.len()).any(|i| missing(i, placed)) {
            self.results.extend(result.cloned());
            return Ok(self.open.is_none());
        }
        let stopped = self.specified.specification.watch().over_at(self.tried.len()).is_some();
        if stopped || self.tried.len() >= BUDGET {
            return Err(Disagreement::Undecided);
        }
        if !self.tried.insert((placed.clone(), state.clone(), result.cloned())) {
            return Ok(false);
        }
        for i in 0..self.operations.len() {
            if placed[i] || self.before[i].iter().any(|&j| !placed[j]) {
                continue;
            }
            let operation = &self.operations[i];
            placed[i] = true;
            for (state, given) in self.specified.outcomes(state, operation) {
                let open = self.open == Some(i);
                let response = operation.response.as_ref().filter(|_| !open);
                if response.is_some_and(|r| r.result != given) {
                    continue;
                }
                self.order.push((i, given.clone()));
                let result = if open { Some(&given) } else { result };
                if self.complete(placed, &state, result)? {
                    return Ok(true);
                }
                self.order.pop();
            }
            placed[i] = false;
        }
        Ok(false)
    }
}

/// An explanation of the operations, if there is one; or all results that the open one can have.
fn search(
    specified: &Specified,
    operations: &[Operation],
    precedes: Precedes<'_>,
    open: Option<usize>,
) -> Result<(Option<Order>, BTreeSet<Value>), Disagreement> {
    let all = 0..operations.len();
    let before = |i| all.clone().filter(|&j| precedes(operations, j, i)).collect();
    let mut search = Search {
        specified,
        operations,
        before: all.clone().map(before).collect(),
        open,
        results: BTreeSet::new(),
        tried: HashSet::new(),
        order: Vec::new(),
    };
    let initial = specified
        .specification
        .initial()
        .map_err(|fault| Disagreement::History(HistoryError::Specification(fault)))?;
    for state in initial {
        if search.complete(&mut vec![false; operations.len()], &state, None)? {
            return Ok((Some(search.order), search.results));
        }
    }
    Ok((None, search.results))
}

/// Is there an order of the operations of a history that keeps that of every thread, and that the specification allows?
/// Operations are those of the specification.
///
/// # Errors
/// If that cannot be decided, with the reason.
pub fn in_order_of_threads(spec: &Specification, history: &History) -> Result<bool, String> {
    let undecided = |_| "the history is too long to be judged again".to_string();
    let ops = (0..spec.unit().ops.len() as u32).map(OpId).collect();
    let specified = Specified { specification: spec.clone(), ops, fault: RefCell::default() };
    let operations = operations(history).map_err(undecided)?;
    let precedes = |all: &[Operation], i: usize, j: usize| i < j && all[i].thread == all[j].thread;
    let (found, _) = search(&specified, &operations, &precedes, None).map_err(undecided)?;
    match specified.take_fault() {
        Some(_) if found.is_none() => Err("the specification goes wrong".to_string()),
        _ => Ok(found.is_some()),
    }
}

/// Finds the first return with which the history has no explanation. `what` says which orders count.
pub(super) fn refuse(
    model: &Model,
    history: &History,
    precedes: Precedes<'_>,
    what: &str,
) -> Result<Refusal, Disagreement> {
    let finds = |specified: &Specified, operations: &[Operation], open: Option<usize>| {
        let (order, results) = search(specified, operations, precedes, open)?;
        let effects = |order: Order| order.into_iter().map(|(i, value)| vec![(i, Some(value))]);
        Ok((order.map(|order| effects(order).collect()), results))
    };
    refuse_by(model, history, &finds, what)
}

/// The same with another way to look for explanations.
pub(super) fn refuse_by(
    model: &Model,
    history: &History,
    finds: Finds<'_>,
    what: &str,
) -> Result<Refusal, Disagreement> {
    let specified = Specified::new(model)?;
    let whole = operations(history)?;
    let mut returns: Vec<(usize, usize)> = whole
        .iter()
        .enumerate()
        .filter_map(|(i, o)| o.response.as_ref().map(|r| (r.event, i)))
        .collect();
    returns.sort_unstable();
    let mut explained = Effects::new();
    let mut doubt = None;
    for (event, last) in returns {
        // Operations are in the order of their calls, so those called before keep their numbers.
        let prefix: Vec<Operation> =
            whole.iter().filter(|o| o.call < event).map(|o| until(o, event)).collect();
        specified.take_fault();
        if let (Some(effects), _) = finds(&specified, &prefix, None)? {
            explained = effects;
            continue;
        }
        // Whether that is refused depends on what the specification does not say.
        if let Some(fault) = specified.take_fault() {
            doubt = Some(fault);
            continue;
        }
        let (_, allowed) = finds(&specified, &prefix, Some(last))?;
        let name = |i: usize| name(model, &whole[i]);
        let shown = |i: usize, value: &Value| {
            let ty = &model.object().unit.op(whole[i].op).result;
            display_value(value, ty, model.program())
        };
        let result = whole[last].response.as_ref().map_or(&Value::Unit, |r| &r.result);
        let mut because = vec![
            format!("{} returned {}.", name(last), shown(last, result)),
            format!("No order that {what} explains that."),
        ];
        because.push(match allowed.len() {
            0 => "The specification allows no return here.".to_string(),
            _ => {
                let values: Vec<_> = allowed.iter().map(|v| shown(last, v)).collect();
                format!("The specification allows {}.", values.join(" or "))
            }
        });
        because.push(match explained.len() {
            0 => "Nothing had returned before.".to_string(),
            _ => "Before that return, this order explains everything:".to_string(),
        });
        for together in &explained {
            let together = together.iter().map(|(i, result)| match result {
                None => format!("{} begins", name(*i)),
                Some(Value::Unit) => name(*i),
                Some(result) => format!("{} = {}", name(*i), shown(*i, result)),
            });
            because.push(format!("  {}", together.collect::<Vec<_>>().join("  and  ")));
        }
        return Ok(Refusal { operation: Some(last), because, stretched: None });
    }
    Err(doubt.unwrap_or(Disagreement::Satisfied))
}

/// `T1: enq(a)`
pub(super) fn name(model: &Model, operation: &Operation) -> String {
    let proc = model.object().unit.op(operation.op);
    format!("T{}: {}", operation.thread, display_call(proc, &operation.args, model.program()))
}

/// The operations of a history.
pub(super) fn operations(history: &History) -> Result<Vec<Operation>, Disagreement> {
    history.operations().map_err(|m| Disagreement::History(HistoryError::Malformed(m)))
}

/// An operation as it is after an event.
fn until(operation: &Operation, event: usize) -> Operation {
    let mut operation = operation.clone();
    operation.response = operation.response.filter(|r| r.event <= event);
    operation
}
