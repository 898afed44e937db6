//! Threads and per-thread variables.

use super::*;

#[test]
fn per_thread_variables_have_an_element_for_every_thread() {
    let ty = || Type::PerThread(Box::new(Type::INT));
    let me = || expr(ExprKind::SelfThread, Type::Thread);
    let number = expr(ExprKind::ThreadIndex(Box::new(me())), Type::INT);
    let body = vec![assign(index(global(0, ty()), me(), Type::INT), int(7)), ret(number)];
    let spec = spec_of(vec![ty()], vec![proc(vec![], vec![], Type::INT, body)], None);
    let initial = spec.initial().unwrap();
    assert_eq!(initial, [[Value::Tuple(ints([0, 0]))]]);
    let outcomes = spec.execute(&initial[0], OpId(0), &[], 2).unwrap();
    assert_eq!(outcomes, [(vec![Value::Tuple(ints([0, 7]))], Value::Int(1))]);
}

#[test]
fn threads_can_be_counted_and_numbered_from_zero() {
    assert_eq!(value_of(expr(ExprKind::ThreadCount, Type::INT)), Ok(Value::Int(2)));
    let at = |i| value_of(expr(ExprKind::ThreadAt(Box::new(int(i))), Type::Thread));
    assert_eq!(at(0), Ok(Value::Thread(1)));
    assert_eq!(at(1), Ok(Value::Thread(2)));
    assert_eq!(at(2), Err(FaultKind::IndexOutOfRange));
}

#[test]
fn an_initial_value_of_a_per_thread_variable_is_copied_for_every_thread() {
    let ty = || Type::PerThread(Box::new(Type::INT));
    let init = proc(vec![], vec![], Type::Unit, vec![assign(global(0, ty()), int(4))]);
    let nothing = proc(vec![], vec![], Type::Unit, vec![]);
    let spec = spec_of(vec![ty()], vec![nothing], Some(init));
    assert_eq!(spec.initial().unwrap(), [[Value::Tuple(ints([4, 4]))]]);
}

#[test]
fn specifications_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + Clone>() {}
    shareable::<Specification>();
}
