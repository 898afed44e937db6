//! Statements, calls and budgets.

use super::*;

#[test]
fn helpers_get_copies_and_have_their_own_locals() {
    // helper(x) { x = x + 1; g = x; return x }   op { y = 1; r = helper(y); return (y, r) }
    let x = || local(0, Type::INT);
    let helper = proc(
        vec![Type::INT],
        vec![],
        Type::INT,
        vec![
            assign(x(), binary(BinOp::Add, x(), int(1))),
            assign(global(0, Type::INT), x()),
            ret(x()),
        ],
    );
    let pair = Type::Tuple(vec![Type::INT, Type::INT]);
    let call = expr(ExprKind::Call(ProcId(1), vec![x()]), Type::INT);
    let op = proc(
        vec![],
        vec![Type::INT, Type::INT],
        pair.clone(),
        vec![
            assign(x(), int(1)),
            assign(local(1, Type::INT), call),
            ret(expr(ExprKind::Aggregate(vec![x(), local(1, Type::INT)]), pair)),
        ],
    );
    let spec = spec_of(vec![Type::INT], vec![op, helper], None);
    let outcomes = spec.execute(&[Value::Int(0)], OpId(0), &[], 1).unwrap();
    assert_eq!(outcomes, [(ints([2]), Value::Tuple(ints([1, 2])))]);
}

#[test]
fn loops_break_and_continue_at_the_loop_they_name() {
    // outer: for i in 0..5 { loop { if i == 1 {continue outer}; if i == 3 {break outer}; break }; sum += 10 + i }
    let i = || local(0, Type::INT);
    let sum = || local(1, Type::INT);
    let inner = vec![
        when(binary(BinOp::Eq, i(), int(1)), vec![stmt(StmtKind::Continue(LoopId(0)))], vec![]),
        when(binary(BinOp::Eq, i(), int(3)), vec![stmt(StmtKind::Break(LoopId(0)))], vec![]),
        stmt(StmtKind::Break(LoopId(1))),
    ];
    let add = binary(BinOp::Add, sum(), binary(BinOp::Add, int(10), i()));
    let outer = StmtKind::Loop {
        id: LoopId(0),
        cond: Some(binary(BinOp::Lt, i(), int(5))),
        body: vec![
            stmt(StmtKind::Loop { id: LoopId(1), cond: None, body: inner, step: vec![] }),
            assign(sum(), add),
        ],
        step: vec![assign(i(), binary(BinOp::Add, i(), int(1)))],
    };
    let body = vec![stmt(outer), ret(sum())];
    assert_eq!(results(vec![Type::INT, Type::INT], Type::INT, body), ints([22]));
}

#[test]
fn an_endless_loop_is_given_up() {
    let body = vec![stmt(StmtKind::Loop { id: LoopId(0), cond: None, body: vec![], step: vec![] })];
    let fault = run(vec![], proc(vec![], vec![], Type::Unit, body), &[]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Divergence);
}

#[test]
fn deep_nesting_is_a_fault_and_not_a_stack_overflow() {
    let mut e = int(0);
    for _ in 0..5_000 {
        e = binary(BinOp::Add, e, int(1));
    }
    // The tree itself is deep, so dropping it needs a large stack; the evaluation gets a small one.
    let spec = spec_of(vec![], vec![proc(vec![], vec![], Type::INT, vec![ret(e)])], None);
    let shared = spec.clone();
    let evaluation = std::thread::Builder::new().stack_size(1 << 20);
    let outcome = evaluation.spawn(move || shared.execute(&[], OpId(0), &[], 1)).unwrap().join();
    assert_eq!(outcome.unwrap().unwrap_err().kind, FaultKind::Divergence);
}

#[test]
fn a_false_assertion_is_a_fault_where_it_stands() {
    let body = vec![stmt(StmtKind::Assert(boolean(false)))];
    let fault = run(vec![], proc(vec![], vec![], Type::Unit, body), &[]).unwrap_err();
    assert_eq!((fault.kind, fault.span), (FaultKind::AssertionFailed, Span::new(20, 30)));
}

#[test]
fn what_does_not_belong_into_a_specification_is_reported() {
    let free = stmt(StmtKind::Free(int(0)));
    let fault = run(vec![], proc(vec![], vec![], Type::Unit, vec![free]), &[]).unwrap_err();
    assert!(fault.message.contains("ill-formed"), "{fault}");
    assert!(Specification::new(&Program::default(), SpecId(0), 1).is_err());
}
