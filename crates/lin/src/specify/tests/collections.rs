//! Collections.

use super::*;

#[test]
fn a_queue_keeps_its_order() {
    let ty = || seq(Type::Data(DataId(0)));
    let data = || Type::Data(DataId(0));
    let push = method(Method::PushBack, global(0, ty()), vec![local(0, data())], Type::Unit);
    let pop = method(Method::PopFront, global(0, ty()), vec![], data());
    let procs = vec![
        proc(vec![data()], vec![], Type::Unit, vec![stmt(StmtKind::Expr(push))]),
        proc(vec![], vec![], data(), vec![ret(pop)]),
    ];
    let mut spec = spec_of(vec![ty()], procs, None);
    Arc::get_mut(&mut spec.program).unwrap().specs[0].unit.ops.push(ProcId(1));

    let mut state = spec.initial().unwrap().remove(0);
    for n in [5, 4] {
        let outcomes = spec.execute(&state, OpId(0), &[Value::Data(n)], 1).unwrap();
        assert_eq!(outcomes.len(), 1);
        assert_eq!(outcomes[0].1, Value::Unit);
        state.clone_from(&outcomes[0].0);
    }
    let left = vec![Value::Seq(vec![Value::Data(4)])];
    assert_eq!(spec.execute(&state, OpId(1), &[], 1).unwrap(), [(left, Value::Data(5))]);
    let fault = spec.execute(&[Value::Seq(vec![])], OpId(1), &[], 1).unwrap_err();
    assert_eq!((fault.kind, fault.span), (FaultKind::EmptyUnwrap, Span::new(7, 9)));
}

#[test]
fn maps_grow_by_assignment_and_miss_keys_loudly() {
    let ty = || Type::Map(Box::new(Type::INT), Box::new(Type::INT));
    let at = |k| index(global(0, ty()), int(k), Type::INT);
    let op = |e: Expr| {
        let result = e.ty.clone();
        run(vec![ty()], proc(vec![], vec![], result, vec![assign(at(1), int(5)), ret(e)]), &[])
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
        let init =
            assign(global(0, ty()), expr(ExprKind::Aggregate(vec![int(5), int(1), int(9)]), ty()));
        let call = method(m, global(0, ty()), args.into_iter().map(int).collect(), Type::INT);
        run(vec![ty()], proc(vec![], vec![], Type::INT, vec![init, ret(call)]), &[])
            .map(|mut o| o.remove(0))
            .map(|(state, result)| (state[0].clone(), result))
            .map_err(|f| f.kind)
    };
    let list = |ns: &[i32]| Value::Seq(ns.iter().copied().map(Value::Int).collect());
    let same = list(&[5, 1, 9]);
    assert_eq!(on(Method::Len, vec![]), Ok((same.clone(), Value::Int(3))));
    assert_eq!(on(Method::IsEmpty, vec![]), Ok((same.clone(), Value::Bool(false))));
    assert_eq!(on(Method::Contains, vec![9]), Ok((same.clone(), Value::Bool(true))));
    assert_eq!(on(Method::First, vec![]), Ok((same.clone(), Value::Int(5))));
    assert_eq!(on(Method::Last, vec![]), Ok((same.clone(), Value::Int(9))));
    assert_eq!(on(Method::Min, vec![]), Ok((same.clone(), Value::Int(1))));
    assert_eq!(on(Method::Max, vec![]), Ok((same, Value::Int(9))));
    assert_eq!(on(Method::PushBack, vec![2]), Ok((list(&[5, 1, 9, 2]), Value::Unit)));
    assert_eq!(on(Method::PushFront, vec![2]), Ok((list(&[2, 5, 1, 9]), Value::Unit)));
    assert_eq!(on(Method::InsertAt, vec![3, 2]), Ok((list(&[5, 1, 9, 2]), Value::Unit)));
    assert_eq!(on(Method::InsertAt, vec![4, 2]), Err(FaultKind::IndexOutOfRange));
    assert_eq!(on(Method::RemoveAt, vec![1]), Ok((list(&[5, 9]), Value::Int(1))));
    assert_eq!(on(Method::RemoveAt, vec![3]), Err(FaultKind::IndexOutOfRange));
    assert_eq!(on(Method::PopBack, vec![]), Ok((list(&[5, 1]), Value::Int(9))));
    assert_eq!(on(Method::PopFront, vec![]), Ok((list(&[1, 9]), Value::Int(5))));
    assert_eq!(on(Method::Clear, vec![]), Ok((list(&[]), Value::Unit)));
}

#[test]
fn sets_tell_what_is_new_and_bags_count_copies() {
    // Every call of the list on one collection, the results as a tuple.
    let calls = |ty: Type, calls: Vec<(Method, Vec<i32>)>| {
        let parts: Vec<Expr> = calls
            .into_iter()
            .map(|(m, args)| {
                method(m, global(0, ty.clone()), args.into_iter().map(int).collect(), Type::INT)
            })
            .collect();
        let tuple = Type::Tuple(vec![Type::INT; parts.len()]);
        let body = vec![ret(expr(ExprKind::Aggregate(parts), tuple.clone()))];
        match run(vec![ty], proc(vec![], vec![], tuple, body), &[]).unwrap().remove(0).1 {
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
