//! Specifications built by hand: what the tree means, without any front end.

use super::*;
use crate::program::{
    BinOp, Block, DataId, Expr, ExprKind, Field, LocalId, LoopId, Method, ProcId, Spec, Stmt,
    StmtKind, Struct, StructId, UnOp, Var, VarId,
};

const SMALL: Type = Type::Int { lo: 0, hi: 3 };

fn seq(ty: Type) -> Type {
    Type::Seq(Box::new(ty))
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::new(7, 9),
    }
}

fn int(n: i32) -> Expr {
    expr(ExprKind::Const(Value::Int(n)), Type::INT)
}

fn boolean(b: bool) -> Expr {
    expr(ExprKind::Const(Value::Bool(b)), Type::Bool)
}

fn local(i: u32, ty: Type) -> Expr {
    expr(ExprKind::Local(LocalId(i)), ty)
}

fn global(i: u32, ty: Type) -> Expr {
    expr(ExprKind::Global(VarId(i)), ty)
}

fn index(base: Expr, i: Expr, ty: Type) -> Expr {
    expr(ExprKind::Index(Box::new(base), Box::new(i)), ty)
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let ty = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => Type::INT,
        _ => Type::Bool,
    };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

fn method(m: Method, receiver: Expr, args: Vec<Expr>, ty: Type) -> Expr {
    expr(ExprKind::Method(m, Box::new(receiver), args), ty)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::new(20, 30),
    }
}

fn assign(place: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place, value })
}

fn ret(e: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(e)))
}

fn when(cond: Expr, then: Block, els: Block) -> Stmt {
    stmt(StmtKind::If { cond, then, els })
}

fn var(ty: Type) -> Var {
    let init = Value::default_of(&ty, &structs());
    Var {
        name: "v".into(),
        ty,
        init,
        span: Span::default(),
    }
}

fn proc(params: Vec<Type>, locals: Vec<Type>, result: Type, body: Block) -> Proc {
    Proc {
        name: "op".into(),
        params: params.len() as u32,
        locals: params.into_iter().chain(locals).map(var).collect(),
        result,
        body,
        span: Span::default(),
    }
}

/// A program with one struct, `(0..=3, int)`, and nothing else.
fn structs() -> Program {
    let field = |ty| Field {
        name: "f".into(),
        ty,
    };
    let pair = Struct {
        name: "Pair".into(),
        fields: vec![field(SMALL), field(Type::INT)],
    };
    Program {
        structs: vec![pair],
        ..Program::default()
    }
}

/// A specification whose first procedure is its operation, for two threads.
fn spec_of(vars: Vec<Type>, procs: Vec<Proc>, init: Option<Proc>) -> Specification {
    let unit = Unit {
        vars: vars.into_iter().map(var).collect(),
        procs,
        ops: vec![ProcId(0)],
        init,
        ..Unit::default()
    };
    let program = Program {
        specs: vec![Spec { unit }],
        ..structs()
    };
    Specification::new(&program, SpecId(0), 2).unwrap()
}

/// Runs the operation of a specification with one procedure in its only initial state.
fn run(vars: Vec<Type>, proc: Proc, args: &[Value]) -> Result<Vec<Outcome>, SpecFault> {
    let spec = spec_of(vars, vec![proc], None);
    let initial = spec.initial().unwrap();
    assert_eq!(initial.len(), 1);
    spec.execute(&initial[0], OpId(0), args, 2)
}

/// The results of an operation without variables.
fn results(locals: Vec<Type>, result: Type, body: Block) -> Vec<Value> {
    let outcomes = run(vec![], proc(vec![], locals, result, body), &[]).unwrap();
    outcomes.into_iter().map(|(_, result)| result).collect()
}

/// The value of an expression without variables.
fn value_of(e: Expr) -> Result<Value, FaultKind> {
    let ty = e.ty.clone();
    match run(vec![], proc(vec![], vec![], ty, vec![ret(e)]), &[]) {
        Ok(mut outcomes) => {
            assert_eq!(outcomes.len(), 1);
            Ok(outcomes.remove(0).1)
        }
        Err(fault) => Err(fault.kind),
    }
}

fn ints<const N: usize>(ns: [i32; N]) -> Vec<Value> {
    ns.into_iter().map(Value::Int).collect()
}

#[test]
fn a_queue_keeps_its_order() {
    let ty = || seq(Type::Data(DataId(0)));
    let data = || Type::Data(DataId(0));
    let push = method(
        Method::PushBack,
        global(0, ty()),
        vec![local(0, data())],
        Type::Unit,
    );
    let pop = method(Method::PopFront, global(0, ty()), vec![], data());
    let procs = vec![
        proc(
            vec![data()],
            vec![],
            Type::Unit,
            vec![stmt(StmtKind::Expr(push))],
        ),
        proc(vec![], vec![], data(), vec![ret(pop)]),
    ];
    let mut spec = spec_of(vec![ty()], procs, None);
    Arc::get_mut(&mut spec.program).unwrap().specs[0]
        .unit
        .ops
        .push(ProcId(1));

    let mut state = spec.initial().unwrap().remove(0);
    for n in [5, 4] {
        let outcomes = spec.execute(&state, OpId(0), &[Value::Data(n)], 1).unwrap();
        assert_eq!(outcomes.len(), 1);
        assert_eq!(outcomes[0].1, Value::Unit);
        state.clone_from(&outcomes[0].0);
    }
    let left = vec![Value::Seq(vec![Value::Data(4)])];
    assert_eq!(
        spec.execute(&state, OpId(1), &[], 1).unwrap(),
        [(left, Value::Data(5))]
    );
    let fault = spec
        .execute(&[Value::Seq(vec![])], OpId(1), &[], 1)
        .unwrap_err();
    assert_eq!(
        (fault.kind, fault.span),
        (FaultKind::EmptyUnwrap, Span::new(7, 9))
    );
}

#[test]
fn choices_multiply_and_equal_outcomes_are_merged() {
    // x = choose(0..=2); y = choose(10, 11); return x + y: six runs, four sums.
    let range = ExprKind::ChooseRange(Box::new(int(0)), Box::new(int(2)));
    let body = vec![
        assign(local(0, Type::INT), expr(range, Type::INT)),
        assign(
            local(1, Type::INT),
            expr(ExprKind::Choose(vec![int(10), int(11)]), Type::INT),
        ),
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
    assert_eq!(
        results(vec![], Type::INT, vec![ret(expr(range, Type::INT))]),
        []
    );
    let empty = expr(
        ExprKind::Const(Value::Set(BTreeSet::new())),
        Type::Set(Box::new(Type::INT)),
    );
    let from = expr(ExprKind::ChooseFrom(Box::new(empty)), Type::INT);
    assert_eq!(results(vec![], Type::INT, vec![ret(from)]), []);
}

#[test]
fn all_elements_of_a_collection_can_be_chosen() {
    let bag = expr(
        ExprKind::Aggregate(vec![int(4), int(2), int(4)]),
        Type::Bag(Box::new(Type::INT)),
    );
    let from = expr(ExprKind::ChooseFrom(Box::new(bag)), Type::INT);
    assert_eq!(results(vec![], Type::INT, vec![ret(from)]), ints([2, 4]));
}

#[test]
fn a_fault_of_one_choice_is_a_fault_of_the_operation() {
    let divisor = expr(ExprKind::Choose(vec![int(1), int(0)]), Type::INT);
    let quotient = binary(BinOp::Div, int(1), divisor);
    let fault = run(
        vec![],
        proc(vec![], vec![], Type::INT, vec![ret(quotient)]),
        &[],
    )
    .unwrap_err();
    assert_eq!(fault.kind, FaultKind::DivisionByZero);
}

#[test]
fn arithmetic_rounds_to_zero_and_never_wraps() {
    let case = |op, a, b| value_of(binary(op, int(a), int(b)));
    assert_eq!(case(BinOp::Div, -7, 2), Ok(Value::Int(-3)));
    assert_eq!(case(BinOp::Rem, -7, 2), Ok(Value::Int(-1)));
    assert_eq!(case(BinOp::Rem, 7, 0), Err(FaultKind::DivisionByZero));
    for (op, a, b) in [
        (BinOp::Add, i32::MAX, 1),
        (BinOp::Sub, i32::MIN, 1),
        (BinOp::Mul, 65_536, 65_536),
        (BinOp::Div, i32::MIN, -1),
    ] {
        assert_eq!(
            case(op, a, b),
            Err(FaultKind::IntegerOutOfRange),
            "{a} {op:?} {b}"
        );
    }
    let negated = expr(
        ExprKind::Unary(UnOp::Neg, Box::new(int(i32::MIN))),
        Type::INT,
    );
    assert_eq!(value_of(negated), Err(FaultKind::IntegerOutOfRange));
}

#[test]
fn and_or_and_select_evaluate_only_what_they_need() {
    let bad = || binary(BinOp::Eq, binary(BinOp::Div, int(1), int(0)), int(0));
    assert_eq!(
        value_of(binary(BinOp::And, boolean(false), bad())),
        Ok(Value::Bool(false))
    );
    assert_eq!(
        value_of(binary(BinOp::Or, boolean(true), bad())),
        Ok(Value::Bool(true))
    );
    assert_eq!(
        value_of(binary(BinOp::Or, boolean(false), bad())),
        Err(FaultKind::DivisionByZero)
    );
    let select = |c| ExprKind::Select(Box::new(boolean(c)), Box::new(int(1)), Box::new(bad()));
    assert_eq!(value_of(expr(select(true), Type::INT)), Ok(Value::Int(1)));
    assert_eq!(
        value_of(expr(select(false), Type::INT)),
        Err(FaultKind::DivisionByZero)
    );
}

#[test]
fn the_range_of_the_destination_is_checked_in_all_parts() {
    let store = |ty: Type, value: Expr| {
        let result = proc(
            vec![],
            vec![],
            Type::Unit,
            vec![assign(global(0, ty.clone()), value)],
        );
        run(vec![ty], result, &[]).map(|_| ()).map_err(|f| f.kind)
    };
    let outside = Err(FaultKind::IntegerOutOfRange);
    assert_eq!(store(SMALL, int(3)), Ok(()));
    assert_eq!(store(SMALL, int(4)), outside);
    let pair = |a, b| {
        expr(
            ExprKind::Aggregate(vec![int(a), int(b)]),
            Type::Struct(StructId(0)),
        )
    };
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

    let push = method(
        Method::PushFront,
        global(0, seq(SMALL)),
        vec![int(5)],
        Type::Unit,
    );
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
    let op = proc(
        vec![],
        vec![],
        array(),
        vec![assign(part, int(8)), ret(global(0, array()))],
    );
    let outcomes = run(vec![array()], op, &[]).unwrap();
    let pair = |a, b| Value::Tuple(ints([a, b]));
    assert_eq!(outcomes[0].1, Value::Tuple(vec![pair(0, 0), pair(0, 8)]));
    assert_eq!(outcomes[0].0, [outcomes[0].1.clone()]);
}

#[test]
fn an_index_outside_is_a_fault() {
    let list = || expr(ExprKind::Aggregate(vec![int(1), int(7)]), seq(Type::INT));
    assert_eq!(
        value_of(index(list(), int(1), Type::INT)),
        Ok(Value::Int(7))
    );
    for i in [2, -1] {
        let fault = value_of(index(list(), int(i), Type::INT));
        assert_eq!(fault, Err(FaultKind::IndexOutOfRange));
    }
}

#[test]
fn maps_grow_by_assignment_and_miss_keys_loudly() {
    let ty = || Type::Map(Box::new(Type::INT), Box::new(Type::INT));
    let at = |k| index(global(0, ty()), int(k), Type::INT);
    let op = |e: Expr| {
        let result = e.ty.clone();
        run(
            vec![ty()],
            proc(vec![], vec![], result, vec![assign(at(1), int(5)), ret(e)]),
            &[],
        )
        .map(|outcomes| outcomes[0].1.clone())
        .map_err(|f| f.kind)
    };
    let option = Type::Option(Box::new(Type::INT));
    let get = |k| method(Method::Get, global(0, ty()), vec![int(k)], option.clone());
    assert_eq!(op(at(1)), Ok(Value::Int(5)));
    assert_eq!(op(at(2)), Err(FaultKind::IndexOutOfRange));
    assert_eq!(op(get(1)), Ok(Value::Option(Some(Box::new(Value::Int(5))))));
    assert_eq!(op(get(2)), Ok(Value::Option(None)));
    let unwrapped = expr(ExprKind::Unwrap(Box::new(get(2))), Type::INT);
    assert_eq!(op(unwrapped), Err(FaultKind::EmptyUnwrap));
    let removed = method(Method::Remove, global(0, ty()), vec![int(1)], Type::Bool);
    assert_eq!(op(removed), Ok(Value::Bool(true)));
}

#[test]
fn sequence_methods_do_what_their_names_say() {
    let ty = || seq(Type::INT);
    let on = |m, args: Vec<i32>| {
        let init = assign(
            global(0, ty()),
            expr(ExprKind::Aggregate(vec![int(5), int(1), int(9)]), ty()),
        );
        let call = method(
            m,
            global(0, ty()),
            args.into_iter().map(int).collect(),
            Type::INT,
        );
        run(
            vec![ty()],
            proc(vec![], vec![], Type::INT, vec![init, ret(call)]),
            &[],
        )
        .map(|mut o| o.remove(0))
        .map(|(state, result)| (state[0].clone(), result))
        .map_err(|f| f.kind)
    };
    let list = |ns: &[i32]| Value::Seq(ns.iter().copied().map(Value::Int).collect());
    let same = list(&[5, 1, 9]);
    assert_eq!(on(Method::Len, vec![]), Ok((same.clone(), Value::Int(3))));
    assert_eq!(
        on(Method::IsEmpty, vec![]),
        Ok((same.clone(), Value::Bool(false)))
    );
    assert_eq!(
        on(Method::Contains, vec![9]),
        Ok((same.clone(), Value::Bool(true)))
    );
    assert_eq!(on(Method::First, vec![]), Ok((same.clone(), Value::Int(5))));
    assert_eq!(on(Method::Last, vec![]), Ok((same.clone(), Value::Int(9))));
    assert_eq!(on(Method::Min, vec![]), Ok((same.clone(), Value::Int(1))));
    assert_eq!(on(Method::Max, vec![]), Ok((same, Value::Int(9))));
    assert_eq!(
        on(Method::PushBack, vec![2]),
        Ok((list(&[5, 1, 9, 2]), Value::Unit))
    );
    assert_eq!(
        on(Method::PushFront, vec![2]),
        Ok((list(&[2, 5, 1, 9]), Value::Unit))
    );
    assert_eq!(
        on(Method::InsertAt, vec![3, 2]),
        Ok((list(&[5, 1, 9, 2]), Value::Unit))
    );
    assert_eq!(
        on(Method::InsertAt, vec![4, 2]),
        Err(FaultKind::IndexOutOfRange)
    );
    assert_eq!(
        on(Method::RemoveAt, vec![1]),
        Ok((list(&[5, 9]), Value::Int(1)))
    );
    assert_eq!(
        on(Method::RemoveAt, vec![3]),
        Err(FaultKind::IndexOutOfRange)
    );
    assert_eq!(
        on(Method::PopBack, vec![]),
        Ok((list(&[5, 1]), Value::Int(9)))
    );
    assert_eq!(
        on(Method::PopFront, vec![]),
        Ok((list(&[1, 9]), Value::Int(5)))
    );
    assert_eq!(on(Method::Clear, vec![]), Ok((list(&[]), Value::Unit)));
}

#[test]
fn sets_tell_what_is_new_and_bags_count_copies() {
    // Every call of the list on one collection, the results as a tuple.
    let calls = |ty: Type, calls: Vec<(Method, Vec<i32>)>| {
        let parts: Vec<Expr> = calls
            .into_iter()
            .map(|(m, args)| {
                method(
                    m,
                    global(0, ty.clone()),
                    args.into_iter().map(int).collect(),
                    Type::INT,
                )
            })
            .collect();
        let tuple = Type::Tuple(vec![Type::INT; parts.len()]);
        let body = vec![ret(expr(ExprKind::Aggregate(parts), tuple.clone()))];
        match run(vec![ty], proc(vec![], vec![], tuple, body), &[])
            .unwrap()
            .remove(0)
            .1
        {
            Value::Tuple(parts) => parts,
            other => vec![other],
        }
    };
    use Method::{Contains, Count, Insert, Len, Max, Min, Remove};
    let set = vec![
        (Insert, vec![4]),
        (Insert, vec![4]),
        (Insert, vec![2]),
        (Min, vec![]),
        (Max, vec![]),
        (Remove, vec![4]),
        (Remove, vec![4]),
        (Contains, vec![4]),
        (Len, vec![]),
    ];
    let (yes, no) = (Value::Bool(true), Value::Bool(false));
    let number = |n| Value::Int(n);
    assert_eq!(
        calls(Type::Set(Box::new(Type::INT)), set),
        [
            yes.clone(),
            no.clone(),
            yes.clone(),
            number(2),
            number(4),
            yes.clone(),
            no.clone(),
            no.clone(),
            number(1)
        ]
    );
    let bag = vec![
        (Insert, vec![4]),
        (Insert, vec![4]),
        (Count, vec![4]),
        (Len, vec![]),
        (Remove, vec![4]),
        (Contains, vec![4]),
        (Remove, vec![4]),
        (Contains, vec![4]),
        (Remove, vec![4]),
    ];
    assert_eq!(
        calls(Type::Bag(Box::new(Type::INT)), bag),
        [
            yes.clone(),
            yes.clone(),
            number(2),
            number(2),
            yes.clone(),
            yes.clone(),
            yes,
            no.clone(),
            no
        ]
    );
}

#[test]
fn the_address_of_a_place_is_evaluated_before_the_value() {
    // s = [1, 2]; s[0] = s.pop_back(): the index is known, the store comes last.
    let ty = || seq(Type::INT);
    let pop = method(Method::PopBack, global(0, ty()), vec![], Type::INT);
    let body = vec![
        assign(
            global(0, ty()),
            expr(ExprKind::Aggregate(vec![int(1), int(2)]), ty()),
        ),
        assign(index(global(0, ty()), int(0), Type::INT), pop),
    ];
    let outcomes = run(vec![ty()], proc(vec![], vec![], Type::Unit, body), &[]).unwrap();
    assert_eq!(outcomes[0].0, [Value::Seq(ints([2]))]);
}

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
            ret(expr(
                ExprKind::Aggregate(vec![x(), local(1, Type::INT)]),
                pair,
            )),
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
        when(
            binary(BinOp::Eq, i(), int(1)),
            vec![stmt(StmtKind::Continue(LoopId(0)))],
            vec![],
        ),
        when(
            binary(BinOp::Eq, i(), int(3)),
            vec![stmt(StmtKind::Break(LoopId(0)))],
            vec![],
        ),
        stmt(StmtKind::Break(LoopId(1))),
    ];
    let add = binary(BinOp::Add, sum(), binary(BinOp::Add, int(10), i()));
    let outer = StmtKind::Loop {
        id: LoopId(0),
        cond: Some(binary(BinOp::Lt, i(), int(5))),
        body: vec![
            stmt(StmtKind::Loop {
                id: LoopId(1),
                cond: None,
                body: inner,
                step: vec![],
            }),
            assign(sum(), add),
        ],
        step: vec![assign(i(), binary(BinOp::Add, i(), int(1)))],
    };
    let body = vec![stmt(outer), ret(sum())];
    assert_eq!(
        results(vec![Type::INT, Type::INT], Type::INT, body),
        ints([22])
    );
}

#[test]
fn an_endless_loop_is_given_up() {
    let body = vec![stmt(StmtKind::Loop {
        id: LoopId(0),
        cond: None,
        body: vec![],
        step: vec![],
    })];
    let fault = run(vec![], proc(vec![], vec![], Type::Unit, body), &[]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Divergence);
}

#[test]
fn too_many_choices_are_given_up() {
    let all = ExprKind::ChooseRange(Box::new(int(i32::MIN)), Box::new(int(i32::MAX)));
    let body = vec![ret(expr(all, Type::INT))];
    let fault = run(vec![], proc(vec![], vec![], Type::INT, body), &[]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Divergence);
}

#[test]
fn deep_nesting_is_a_fault_and_not_a_stack_overflow() {
    let mut e = int(0);
    for _ in 0..5_000 {
        e = binary(BinOp::Add, e, int(1));
    }
    // The tree itself is deep, so dropping it needs a large stack; the evaluation gets a small one.
    let spec = spec_of(
        vec![],
        vec![proc(vec![], vec![], Type::INT, vec![ret(e)])],
        None,
    );
    let shared = spec.clone();
    let evaluation = std::thread::Builder::new().stack_size(1 << 20);
    let outcome = evaluation
        .spawn(move || shared.execute(&[], OpId(0), &[], 1))
        .unwrap()
        .join();
    assert_eq!(outcome.unwrap().unwrap_err().kind, FaultKind::Divergence);
}

#[test]
fn a_false_assertion_is_a_fault_where_it_stands() {
    let body = vec![stmt(StmtKind::Assert(boolean(false)))];
    let fault = run(vec![], proc(vec![], vec![], Type::Unit, body), &[]).unwrap_err();
    assert_eq!(
        (fault.kind, fault.span),
        (FaultKind::AssertionFailed, Span::new(20, 30))
    );
}

#[test]
fn per_thread_variables_have_an_element_for_every_thread() {
    let ty = || Type::PerThread(Box::new(Type::INT));
    let me = || expr(ExprKind::SelfThread, Type::Thread);
    let number = expr(ExprKind::ThreadIndex(Box::new(me())), Type::INT);
    let body = vec![
        assign(index(global(0, ty()), me(), Type::INT), int(7)),
        ret(number),
    ];
    let spec = spec_of(
        vec![ty()],
        vec![proc(vec![], vec![], Type::INT, body)],
        None,
    );
    let initial = spec.initial().unwrap();
    assert_eq!(initial, [[Value::Tuple(ints([0, 0]))]]);
    let outcomes = spec.execute(&initial[0], OpId(0), &[], 2).unwrap();
    assert_eq!(
        outcomes,
        [(vec![Value::Tuple(ints([0, 7]))], Value::Int(1))]
    );
}

#[test]
fn threads_can_be_counted_and_numbered_from_zero() {
    assert_eq!(
        value_of(expr(ExprKind::ThreadCount, Type::INT)),
        Ok(Value::Int(2))
    );
    let at = |i| value_of(expr(ExprKind::ThreadAt(Box::new(int(i))), Type::Thread));
    assert_eq!(at(0), Ok(Value::Thread(1)));
    assert_eq!(at(1), Ok(Value::Thread(2)));
    assert_eq!(at(2), Err(FaultKind::IndexOutOfRange));
}

#[test]
fn initialisation_may_choose_where_to_begin() {
    let either = expr(ExprKind::Choose(vec![int(3), int(1), int(3)]), Type::INT);
    let init = proc(
        vec![],
        vec![],
        Type::Unit,
        vec![assign(global(0, Type::INT), either)],
    );
    let nothing = proc(vec![], vec![], Type::Unit, vec![]);
    let spec = spec_of(vec![Type::INT], vec![nothing], Some(init));
    assert_eq!(spec.initial().unwrap(), [ints([1]), ints([3])]);
}

#[test]
fn an_initial_value_of_a_per_thread_variable_is_copied_for_every_thread() {
    let ty = || Type::PerThread(Box::new(Type::INT));
    let init = proc(
        vec![],
        vec![],
        Type::Unit,
        vec![assign(global(0, ty()), int(4))],
    );
    let nothing = proc(vec![], vec![], Type::Unit, vec![]);
    let spec = spec_of(vec![ty()], vec![nothing], Some(init));
    assert_eq!(spec.initial().unwrap(), [[Value::Tuple(ints([4, 4]))]]);
}

#[test]
fn what_does_not_belong_into_a_specification_is_reported() {
    let free = stmt(StmtKind::Free(int(0)));
    let fault = run(vec![], proc(vec![], vec![], Type::Unit, vec![free]), &[]).unwrap_err();
    assert!(fault.message.contains("ill-formed"), "{fault}");
    assert!(Specification::new(&Program::default(), SpecId(0), 1).is_err());
}

#[test]
fn specifications_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + Clone>() {}
    shareable::<Specification>();
}
