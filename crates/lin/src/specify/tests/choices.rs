//! Nondeterminism.

use super::*;

#[test]
fn choices_multiply_and_equal_outcomes_are_merged() {
    // x = choose(0..=2); y = choose(10, 11); return x + y: six runs, four sums.
    let range = ExprKind::ChooseRange(Box::new(int(0)), Box::new(int(2)));
    let body = vec![
        assign(local(0, Type::INT), expr(range, Type::INT)),
        assign(local(1, Type::INT), expr(ExprKind::Choose(vec![int(10), int(11)]), Type::INT)),
        ret(binary(BinOp::Add, local(0, Type::INT), local(1, Type::INT))),
    ];
    let all = results(vec![Type::INT, Type::INT], Type::INT, body);
    assert_eq!(all, ints([10, 11, 12, 13]));
}

#[test]
fn either_takes_one_block_and_assume_discards_executions() {
    let set = |n| vec![assign(local(0, Type::INT), int(n))];
    let x = || local(0, Type::INT);
    let body = vec![
        stmt(StmtKind::Either(vec![set(1), set(2), set(3)])),
        stmt(StmtKind::Assume(binary(BinOp::Ne, x(), int(2)))),
        stmt(StmtKind::Await(binary(BinOp::Lt, x(), int(9)))),
        ret(x()),
    ];
    assert_eq!(results(vec![Type::INT], Type::INT, body), ints([1, 3]));
}

#[test]
fn a_choice_from_nothing_is_not_possible() {
    let range = ExprKind::ChooseRange(Box::new(int(1)), Box::new(int(0)));
    assert_eq!(results(vec![], Type::INT, vec![ret(expr(range, Type::INT))]), []);
    let empty = expr(ExprKind::Const(Value::Set(BTreeSet::new())), Type::Set(Box::new(Type::INT)));
    let from = expr(ExprKind::ChooseFrom(Box::new(empty)), Type::INT);
    assert_eq!(results(vec![], Type::INT, vec![ret(from)]), []);
}

#[test]
fn all_elements_of_a_collection_can_be_chosen() {
    let bag =
        expr(ExprKind::Aggregate(vec![int(4), int(2), int(4)]), Type::Bag(Box::new(Type::INT)));
    let from = expr(ExprKind::ChooseFrom(Box::new(bag)), Type::INT);
    assert_eq!(results(vec![], Type::INT, vec![ret(from)]), ints([2, 4]));
}

#[test]
fn a_fault_of_one_choice_is_a_fault_of_the_operation() {
    let divisor = expr(ExprKind::Choose(vec![int(1), int(0)]), Type::INT);
    let quotient = binary(BinOp::Div, int(1), divisor);
    let fault = run(vec![], proc(vec![], vec![], Type::INT, vec![ret(quotient)]), &[]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::DivisionByZero);
}

#[test]
fn too_many_choices_are_given_up() {
    let all = ExprKind::ChooseRange(Box::new(int(i32::MIN)), Box::new(int(i32::MAX)));
    let body = vec![ret(expr(all, Type::INT))];
    let fault = run(vec![], proc(vec![], vec![], Type::INT, body), &[]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Divergence);
}

#[test]
fn initialisation_may_choose_where_to_begin() {
    let either = expr(ExprKind::Choose(vec![int(3), int(1), int(3)]), Type::INT);
    let init = proc(vec![], vec![], Type::Unit, vec![assign(global(0, Type::INT), either)]);
    let nothing = proc(vec![], vec![], Type::Unit, vec![]);
    let spec = spec_of(vec![Type::INT], vec![nothing], Some(init));
    assert_eq!(spec.initial().unwrap(), [ints([1]), ints([3])]);
}
