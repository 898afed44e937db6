//! Expressions, places and ranges.

use super::*;

#[test]
fn arithmetic_rounds_to_zero_and_never_wraps() {
    let case = |op, a, b| value_of(binary(op, int(a), int(b)));
    assert_eq!(case(BinOp::Div, -7, 2), Ok(Value::Int(-3)));
    assert_eq!(case(BinOp::Rem, -7, 2), Ok(Value::Int(-1)));
    assert_eq!(case(BinOp::Rem, 7, 0), Err(FaultKind::DivisionByZero));
    assert_eq!(case(BinOp::Shl, -1, 31), Ok(Value::Int(i32::MIN)));
    assert_eq!(case(BinOp::Shr, -5, 1), Ok(Value::Int(-3)));
    assert_eq!(case(BinOp::BitAnd, -2, 7), Ok(Value::Int(6)));
    assert_eq!(case(BinOp::BitXor, 5, 3), Ok(Value::Int(6)));
    assert_eq!(case(BinOp::BitOr, 5, 3), Ok(Value::Int(7)));
    for (op, a, b) in [
        (BinOp::Add, i32::MAX, 1),
        (BinOp::Sub, i32::MIN, 1),
        (BinOp::Mul, 65_536, 65_536),
        (BinOp::Div, i32::MIN, -1),
        (BinOp::Shl, 1, 31),
        (BinOp::Shl, 1, 32),
        (BinOp::Shl, 0, -1),
        (BinOp::Shr, 1, 32),
    ] {
        assert_eq!(case(op, a, b), Err(FaultKind::IntegerOutOfRange), "{a} {op:?} {b}");
    }
    let negated = expr(ExprKind::Unary(UnOp::Neg, Box::new(int(i32::MIN))), Type::INT);
    assert_eq!(value_of(negated), Err(FaultKind::IntegerOutOfRange));
}

#[test]
fn and_or_and_select_evaluate_only_what_they_need() {
    let bad = || binary(BinOp::Eq, binary(BinOp::Div, int(1), int(0)), int(0));
    assert_eq!(value_of(binary(BinOp::And, boolean(false), bad())), Ok(Value::Bool(false)));
    assert_eq!(value_of(binary(BinOp::Or, boolean(true), bad())), Ok(Value::Bool(true)));
    assert_eq!(value_of(binary(BinOp::Or, boolean(false), bad())), Err(FaultKind::DivisionByZero));
    let select = |c| ExprKind::Select(Box::new(boolean(c)), Box::new(int(1)), Box::new(bad()));
    assert_eq!(value_of(expr(select(true), Type::INT)), Ok(Value::Int(1)));
    assert_eq!(value_of(expr(select(false), Type::INT)), Err(FaultKind::DivisionByZero));
}

#[test]
fn the_range_of_the_destination_is_checked_in_all_parts() {
    let store = |ty: Type, value: Expr| {
        let result = proc(vec![], vec![], Type::Unit, vec![assign(global(0, ty.clone()), value)]);
        run(vec![ty], result, &[]).map(|_| ()).map_err(|f| f.kind)
    };
    let outside = Err(FaultKind::IntegerOutOfRange);
    assert_eq!(store(SMALL, int(3)), Ok(()));
    assert_eq!(store(SMALL, int(4)), outside);
    let pair = |a, b| expr(ExprKind::Aggregate(vec![int(a), int(b)]), Type::Struct(StructId(0)));
    assert_eq!(store(Type::Struct(StructId(0)), pair(0, 9)), Ok(()));
    assert_eq!(store(Type::Struct(StructId(0)), pair(9, 0)), outside);
    let option = Type::Option(Box::new(SMALL));
    let some = expr(ExprKind::Some(Box::new(int(-1))), option.clone());
    assert_eq!(store(option, some), outside);
    let list = expr(ExprKind::Aggregate(vec![int(1), int(7)]), seq(SMALL));
    assert_eq!(store(seq(SMALL), list), outside);
}

#[test]
fn parameters_results_and_inserted_elements_are_checked_too() {
    let outside = FaultKind::IntegerOutOfRange;
    let identity = |from: Type, to| proc(vec![from.clone()], vec![], to, vec![ret(local(0, from))]);
    let kind = |p, n| run(vec![], p, &[Value::Int(n)]).map_err(|f| f.kind);
    assert!(kind(identity(SMALL, Type::INT), 3).is_ok());
    assert_eq!(kind(identity(SMALL, Type::INT), 4), Err(outside));
    assert_eq!(kind(identity(Type::INT, SMALL), 4), Err(outside));

    let push = method(Method::PushFront, global(0, seq(SMALL)), vec![int(5)], Type::Unit);
    let op = proc(vec![], vec![], Type::Unit, vec![stmt(StmtKind::Expr(push))]);
    assert_eq!(run(vec![seq(SMALL)], op, &[]).unwrap_err().kind, outside);
}

#[test]
fn parts_and_elements_are_places() {
    // a[1].1 = 8; return a
    let pair = || Type::Struct(StructId(0));
    let array = || Type::Array(Box::new(pair()), 2);
    let element = index(global(0, array()), int(1), pair());
    let part = expr(ExprKind::Part(Box::new(element), 1), Type::INT);
    let op = proc(vec![], vec![], array(), vec![assign(part, int(8)), ret(global(0, array()))]);
    let outcomes = run(vec![array()], op, &[]).unwrap();
    let pair = |a, b| Value::Tuple(ints([a, b]));
    assert_eq!(outcomes[0].1, Value::Tuple(vec![pair(0, 0), pair(0, 8)]));
    assert_eq!(outcomes[0].0, [outcomes[0].1.clone()]);
}

#[test]
fn an_index_outside_is_a_fault() {
    let list = || expr(ExprKind::Aggregate(vec![int(1), int(7)]), seq(Type::INT));
    assert_eq!(value_of(index(list(), int(1), Type::INT)), Ok(Value::Int(7)));
    for i in [2, -1] {
        let fault = value_of(index(list(), int(i), Type::INT));
        assert_eq!(fault, Err(FaultKind::IndexOutOfRange));
    }
}

#[test]
fn the_address_of_a_place_is_evaluated_before_the_value() {
    // s = [1, 2]; s[0] = s.pop_back(): the index is known, the store comes last.
    let ty = || seq(Type::INT);
    let pop = method(Method::PopBack, global(0, ty()), vec![], Type::INT);
    let body = vec![
        assign(global(0, ty()), expr(ExprKind::Aggregate(vec![int(1), int(2)]), ty())),
        assign(index(global(0, ty()), int(0), Type::INT), pop),
    ];
    let outcomes = run(vec![ty()], proc(vec![], vec![], Type::Unit, body), &[]).unwrap();
    assert_eq!(outcomes[0].0, [Value::Seq(ints([2]))]);
}
