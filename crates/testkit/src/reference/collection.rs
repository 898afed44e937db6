//! Methods and literals of the abstract collections, straight on [`Value`]s.

use std::collections::BTreeMap;

use linchpin_lin::Value;
use linchpin_lin::program::{FaultKind, Method, Type};

use super::expression::int;

/// A literal: tuple, struct, array, or collection, according to its type.
pub(super) fn literal(parts: Vec<Value>, ty: &Type) -> Value {
    match ty {
        Type::Seq(_) => Value::Seq(parts),
        Type::Set(_) => Value::Set(parts.into_iter().collect()),
        Type::Bag(_) => {
            let mut bag = BTreeMap::new();
            parts.into_iter().for_each(|v| *bag.entry(v).or_insert(0) += 1);
            Value::Bag(bag)
        }
        Type::Map(..) => Value::Map(BTreeMap::new()),
        _ => Value::Tuple(parts),
    }
}

/// The elements of a collection, without repetition for a bag.
pub(super) fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::Seq(xs) => xs.clone(),
        Value::Set(xs) => xs.iter().cloned().collect(),
        Value::Bag(xs) => xs.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Applies a method; the arguments are those of the call.
pub(super) fn apply(
    method: Method,
    receiver: &mut Value,
    args: Vec<Value>,
) -> Result<Value, FaultKind> {
    // Common to all collections.
    let size = match receiver {
        Value::Seq(xs) => xs.len(),
        Value::Set(xs) => xs.len(),
        Value::Bag(xs) => xs.values().map(|n| *n as usize).sum(),
        Value::Map(xs) => xs.len(),
        _ => 0,
    };
    match method {
        Method::Len => return Ok(Value::Int(size as i32)),
        Method::IsEmpty => return Ok(Value::Bool(size == 0)),
        Method::Min | Method::Max => {
            let all = elements(receiver);
            let best =
                if method == Method::Min { all.into_iter().min() } else { all.into_iter().max() };
            return best.ok_or(FaultKind::EmptyUnwrap);
        }
        _ => {}
    }
    let mut args = args.into_iter();
    let mut arg = || args.next().unwrap_or(Value::Unit);
    match receiver {
        Value::Seq(xs) => sequence(method, xs, arg(), arg()),
        Value::Set(xs) => Ok(match method {
            Method::Contains => Value::Bool(xs.contains(&arg())),
            Method::Insert => Value::Bool(xs.insert(arg())),
            Method::Remove => Value::Bool(xs.remove(&arg())),
            _ => {
                xs.clear();
                Value::Unit
            }
        }),
        Value::Bag(xs) => Ok(bag(method, xs, arg())),
        Value::Map(xs) => Ok(match method {
            Method::Contains => Value::Bool(xs.contains_key(&arg())),
            Method::Get => Value::Option(xs.get(&arg()).cloned().map(Box::new)),
            Method::Remove => Value::Bool(xs.remove(&arg()).is_some()),
            Method::Put => {
                xs.insert(arg(), arg());
                Value::Unit
            }
            _ => {
                xs.clear();
                Value::Unit
            }
        }),
        _ => Ok(Value::Unit),
    }
}

fn sequence(
    method: Method,
    xs: &mut Vec<Value>,
    first: Value,
    second: Value,
) -> Result<Value, FaultKind> {
    let within = |i: i32, end: usize| {
        usize::try_from(i).ok().filter(|i| *i < end).ok_or(FaultKind::IndexOutOfRange)
    };
    Ok(match method {
        Method::PushBack => {
            xs.push(first);
            Value::Unit
        }
        Method::PushFront => {
            xs.insert(0, first);
            Value::Unit
        }
        Method::PopBack => xs.pop().ok_or(FaultKind::EmptyUnwrap)?,
        Method::PopFront if xs.is_empty() => return Err(FaultKind::EmptyUnwrap),
        Method::PopFront => xs.remove(0),
        Method::First => xs.first().cloned().ok_or(FaultKind::EmptyUnwrap)?,
        Method::Last => xs.last().cloned().ok_or(FaultKind::EmptyUnwrap)?,
        Method::RemoveAt => xs.remove(within(int(&first), xs.len())?),
        Method::InsertAt => {
            xs.insert(within(int(&first), xs.len() + 1)?, second);
            Value::Unit
        }
        Method::Contains => Value::Bool(xs.contains(&first)),
        _ => {
            xs.clear();
            Value::Unit
        }
    })
}

fn bag(method: Method, xs: &mut BTreeMap<Value, u32>, x: Value) -> Value {
    let copies = xs.get(&x).copied().unwrap_or(0);
    match method {
        Method::Contains => Value::Bool(copies > 0),
        Method::Count => Value::Int(copies as i32),
        Method::Insert => {
            xs.insert(x, copies + 1);
            Value::Bool(true)
        }
        Method::Remove => {
            if copies > 1 {
                xs.insert(x, copies - 1);
            } else {
                xs.remove(&x);
            }
            Value::Bool(copies > 0)
        }
        _ => {
            xs.clear();
            Value::Unit
        }
    }
}
