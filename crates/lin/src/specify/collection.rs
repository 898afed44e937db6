//! Methods of the abstract collections.

use std::collections::BTreeMap;

use super::SpecFault;
use super::eval::int;
use super::exec::{Run, Stop};
use super::place::{is_place, position};
use crate::program::{Expr, FaultKind, Method, Type};
use crate::value::Value;
use linchpin_text::Span;

impl Run<'_> {
    /// Calls a method: the address of the receiver, then the arguments, then the access.
    pub(super) fn method(
        &mut self,
        method: Method,
        receiver: &Expr,
        args: &[Expr],
        span: Span,
    ) -> Result<Value, Stop> {
        if is_place(receiver) {
            let place = self.place(receiver)?;
            let args = self.eval_all(args)?;
            self.new_elements_fit(method, &args, &receiver.ty, span)?;
            Ok(apply(method, self.load_mut(&place)?, args, span)?)
        } else {
            let mut collection = self.eval(receiver)?;
            let args = self.eval_all(args)?;
            Ok(apply(method, &mut collection, args, span)?)
        }
    }

    /// Are the numbers to be stored in the range of the element type?
    fn new_elements_fit(
        &self,
        method: Method,
        args: &[Value],
        receiver: &Type,
        span: Span,
    ) -> Result<(), SpecFault> {
        match (method, receiver, args) {
            (Method::PushBack | Method::PushFront, Type::Seq(ty), [x])
            | (Method::InsertAt, Type::Seq(ty), [_, x])
            | (Method::Insert, Type::Set(ty) | Type::Bag(ty), [x]) => self.fits(x, ty, span),
            (Method::Put, Type::Map(key, value), [k, v]) => {
                self.fits(k, key, span)?;
                self.fits(v, value, span)
            }
            _ => Ok(()),
        }
    }
}

fn apply(
    method: Method,
    collection: &mut Value,
    args: Vec<Value>,
    span: Span,
) -> Result<Value, SpecFault> {
    let mut args = args.into_iter();
    let args = (args.next(), args.next());
    match collection {
        Value::Seq(elements) => seq(method, elements, args, span),
        Value::Set(elements) => Ok(match (method, args.0) {
            (Method::Len, _) => int(elements.len(), span)?,
            (Method::IsEmpty, _) => Value::Bool(elements.is_empty()),
            (Method::Contains, Some(x)) => Value::Bool(elements.contains(&x)),
            (Method::Insert, Some(x)) => Value::Bool(elements.insert(x)),
            (Method::Remove, Some(x)) => Value::Bool(elements.remove(&x)),
            (Method::Min, _) => some(elements.first().cloned(), span)?,
            (Method::Max, _) => some(elements.last().cloned(), span)?,
            (Method::Clear, _) => {
                elements.clear();
                Value::Unit
            }
            _ => return Err(no_method(span)),
        }),
        Value::Bag(elements) => bag(method, elements, args.0, span),
        Value::Map(entries) => Ok(match (method, args) {
            (Method::Len, _) => int(entries.len(), span)?,
            (Method::IsEmpty, _) => Value::Bool(entries.is_empty()),
            (Method::Contains, (Some(k), _)) => Value::Bool(entries.contains_key(&k)),
            (Method::Get, (Some(k), _)) => Value::Option(entries.get(&k).cloned().map(Box::new)),
            (Method::Put, (Some(k), Some(v))) => {
                entries.insert(k, v);
                Value::Unit
            }
            (Method::Remove, (Some(k), _)) => Value::Bool(entries.remove(&k).is_some()),
            (Method::Clear, _) => {
                entries.clear();
                Value::Unit
            }
            _ => return Err(no_method(span)),
        }),
        _ => Err(SpecFault::ill_formed(span, "a method of something that is no collection")),
    }
}

fn seq(
    method: Method,
    elements: &mut Vec<Value>,
    args: (Option<Value>, Option<Value>),
    span: Span,
) -> Result<Value, SpecFault> {
    Ok(match (method, args) {
        (Method::Len, _) => int(elements.len(), span)?,
        (Method::IsEmpty, _) => Value::Bool(elements.is_empty()),
        (Method::Contains, (Some(x), _)) => Value::Bool(elements.contains(&x)),
        (Method::PushBack, (Some(x), _)) => {
            elements.push(x);
            Value::Unit
        }
        (Method::PushFront, (Some(x), _)) => {
            elements.insert(0, x);
            Value::Unit
        }
        (Method::InsertAt, (Some(i), Some(x))) => {
            // One more position than there are elements: at the end.
            elements.insert(position(&i, elements.len() + 1, span)?, x);
            Value::Unit
        }
        (Method::PopBack, _) => some(elements.pop(), span)?,
        (Method::PopFront, _) => some((!elements.is_empty()).then(|| elements.remove(0)), span)?,
        (Method::RemoveAt, (Some(i), _)) => elements.remove(position(&i, elements.len(), span)?),
        (Method::First, _) => some(elements.first().cloned(), span)?,
        (Method::Last, _) => some(elements.last().cloned(), span)?,
        (Method::Min, _) => some(elements.iter().min().cloned(), span)?,
        (Method::Max, _) => some(elements.iter().max().cloned(), span)?,
        (Method::Clear, _) => {
            elements.clear();
            Value::Unit
        }
        _ => return Err(no_method(span)),
    })
}

fn bag(
    method: Method,
    elements: &mut BTreeMap<Value, u32>,
    arg: Option<Value>,
    span: Span,
) -> Result<Value, SpecFault> {
    Ok(match (method, arg) {
        (Method::Len, _) => int(elements.values().map(|n| *n as usize).sum(), span)?,
        (Method::IsEmpty, _) => Value::Bool(elements.is_empty()),
        (Method::Contains, Some(x)) => Value::Bool(elements.contains_key(&x)),
        (Method::Count, Some(x)) => int(elements.get(&x).map_or(0, |n| *n as usize), span)?,
        (Method::Insert, Some(x)) => {
            *elements.entry(x).or_insert(0) += 1;
            Value::Bool(true)
        }
        (Method::Remove, Some(x)) => match elements.get_mut(&x) {
            None => Value::Bool(false),
            Some(1) => Value::Bool(elements.remove(&x).is_some()),
            Some(n) => {
                *n -= 1;
                Value::Bool(true)
            }
        },
        (Method::Min, _) => some(elements.keys().next().cloned(), span)?,
        (Method::Max, _) => some(elements.keys().next_back().cloned(), span)?,
        (Method::Clear, _) => {
            elements.clear();
            Value::Unit
        }
        _ => return Err(no_method(span)),
    })
}

fn some(element: Option<Value>, span: Span) -> Result<Value, SpecFault> {
    element.ok_or_else(|| {
        SpecFault::new(FaultKind::EmptyUnwrap, span, "an element of an empty collection")
    })
}

fn no_method(span: Span) -> SpecFault {
    SpecFault::ill_formed(span, "the collection has no such method")
}
