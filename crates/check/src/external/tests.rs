//! What the methods find, and that one linearization in common is not enough.

use crate::report::Counterexample;
use std::collections::BTreeSet;
use std::sync::Arc;

use linchpin_lin::program::{OpId, Program};
use linchpin_lin::specify::{AbstractState, Specification};
use linchpin_lin::{Model, Value};
use linchpin_lts::Verdict;

use super::*;
use crate::configurations::Configurations;
use crate::linearizability::Linearizability;
use crate::product::Violation;
use crate::{Method, Options, Reductions, check};

const FIGURE_8: &str = include_str!("../../../../corpus/lin/external_checking/figure8.lin");
const COMMON_ORDER: &str =
    include_str!("../../../../corpus/lin/external_checking/common_order.lin");
const LOST_WRITE: &str = include_str!("../../../../corpus/lin/external_checking/lost_write.lin");
const BOTH_COUNT: &str = include_str!("../../../../corpus/lin/external_checking/both_count.lin");

fn load(text: &str) -> Arc<Program> {
    Arc::new(linchpin_lin::syntax::load(text, &[]).unwrap().program)
}

fn verdict(text: &str, method: Method) -> &'static str {
    let program = load(text);
    let options = Options { method, ..Options::default() };
    match check(&program, &program.checks[0], &options).unwrap().verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(Counterexample { violation: Violation::History, .. }) => "violated",
        Verdict::Violated(_) => "violated otherwise",
        Verdict::Unknown(Limit::Method) => "unknown",
        Verdict::Unknown(_) => "stopped",
    }
}

/// A search that leaves out histories with a linearization in common with an earlier one.
fn with_common(text: &str) -> (Ending<Finding>, Figures) {
    let program = load(text);
    let c = &program.checks[0];
    let reductions = Method::ExternalSound.reductions(Reductions::ALL);
    let model = Model::new(program.clone(), c, reductions.granularity()).unwrap();
    let spec = Specification::of(&program, c, model.threads()).unwrap();
    let ops = (0..spec.unit().ops.len() as u32).map(OpId).collect();
    let configurations = Configurations::new(spec, ops, Box::new(Linearizability));
    let product = Product {
        model: &model,
        configurations: &configurations,
        reductions,
        check_facts: true,
        beyond: false,
    };
    depth_first(&product, in_common, &Budget::UNLIMITED)
}

#[test]
fn external_checking_misses_the_error_of_figure_8_and_the_others_find_it() {
    let verdicts = Method::ALL.map(|method| verdict(FIGURE_8, method));
    assert_eq!(verdicts, ["violated", "violated", "unknown", "violated"]);
}

#[test]
fn one_linearization_in_common_is_not_enough() {
    for text in [COMMON_ORDER, LOST_WRITE] {
        assert!(matches!(with_common(text).0, Ending::Exhausted));
        let verdicts = Method::ALL.map(|method| verdict(text, method));
        assert_eq!(verdicts, ["violated", "violated", "unknown", "violated"]);
    }
    // Here no state has got a second history, so the earlier one was always the first one.
    let (_, statistics) = with_common(LOST_WRITE);
    assert_eq!(statistics.nodes, statistics.states);
}

#[test]
fn one_linearization_in_common_is_enough_for_figure_8() {
    let (ending, _) = with_common(FIGURE_8);
    let violation = Finding::Violation(Violation::History);
    assert!(matches!(&ending, Ending::Violation { violation: v, .. } if same(v, &violation)));
}

fn same(a: &Finding, b: &Finding) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[test]
fn nothing_found_is_a_proof_for_all_methods_but_external() {
    let verdicts = Method::ALL.map(|method| verdict(BOTH_COUNT, method));
    assert_eq!(verdicts, ["holds", "holds", "unknown", "holds"]);
}

#[test]
fn recordings_need_bounded_clients() {
    let text = FIGURE_8.replace("ops 2", "ops unbounded");
    let program = load(&text);
    let options = Options { method: Method::Recordings, ..Options::default() };
    let error = check(&program, &program.checks[0], &options).unwrap_err();
    let crate::CheckError::Unsupported(error) = error else { panic!("{error:?}") };
    assert_eq!(
        error.message,
        "the method `recordings` keeps the whole history: it needs a bound on the operations of \
         `thread`"
    );
}

/// An operation in a linearization: who, which, arguments, result.
type Placed = (u32, u32, Vec<Value>, Value);

/// Have two histories a linearization in common? From the definition, by trying all orders.
fn in_common(product: &Product<'_>, histories: &Histories, a: HistoryId, b: HistoryId) -> bool {
    let [a, b] = [a, b].map(|h| linearizations(product.model, &histories.events(h)));
    a.intersection(&b).next().is_some()
}

/// An operation of a history: who, which, arguments; when called; when returned, with what.
struct Operation {
    thread: u32,
    op: u32,
    args: Vec<Value>,
    called: usize,
    returned: Option<(usize, Value)>,
}

fn linearizations(model: &Model, history: &[(bool, u32, u32, Vec<u32>)]) -> BTreeSet<Vec<Placed>> {
    let spec = Specification::of(model.program(), model.check(), model.threads()).unwrap();
    let mut operations: Vec<Operation> = Vec::new();
    for (time, (returns, thread, op, slots)) in history.iter().enumerate() {
        let proc = model.object().unit.op(OpId(*op));
        let mut slots = slots.iter().copied();
        let mut read = |ty| Value::unflatten(ty, model.program(), &mut slots);
        if *returns {
            let result = read(&proc.result);
            let open = operations.iter_mut().rfind(|o| o.thread == *thread).unwrap();
            open.returned = Some((time, result));
        } else {
            let args = proc.locals[..proc.params as usize].iter().map(|p| read(&p.ty)).collect();
            let called = time;
            operations.push(Operation { thread: *thread, op: *op, args, called, returned: None });
        }
    }
    let mut found = BTreeSet::new();
    for state in spec.initial().unwrap() {
        orders(
            &spec,
            &operations,
            &mut vec![false; operations.len()],
            &state,
            &mut Vec::new(),
            &mut found,
        );
    }
    found
}

fn orders(
    spec: &Specification,
    operations: &[Operation],
    placed: &mut Vec<bool>,
    state: &AbstractState,
    order: &mut Vec<Placed>,
    found: &mut BTreeSet<Vec<Placed>>,
) {
    let open = |placed: &[bool], i: usize| !placed[i] && operations[i].returned.is_some();
    if !(0..operations.len()).any(|i| open(placed, i)) {
        found.insert(order.clone());
    }
    for (i, next) in operations.iter().enumerate() {
        let before = |j: usize| operations[j].returned.as_ref().is_some_and(|r| r.0 < next.called);
        if placed[i] || (0..operations.len()).any(|j| open(placed, j) && before(j)) {
            continue;
        }
        let outcomes = spec.execute(state, OpId(next.op), &next.args, next.thread + 1).unwrap();
        for (state, result) in outcomes {
            if next.returned.as_ref().is_some_and(|(_, observed)| *observed != result) {
                continue;
            }
            placed[i] = true;
            order.push((next.thread, next.op, next.args.clone(), result));
            orders(spec, operations, placed, &state, order, found);
            order.pop();
            placed[i] = false;
        }
    }
}
