//! Equality and order of values. Equality may be unknown: of `head([])` and 1, say.
//!
//! Values may be as deep as lists are long, so what is still to be compared is kept in a list of our own.

use std::cmp::Ordering;

use super::store::{Node, Store, Value, is_int};
use crate::check::Spec;
use crate::code::OpKind;

/// Are two values equal? `None` if their normal forms do not tell.
pub(super) fn equal(spec: &Spec, store: &Store, a: Value, b: Value) -> Option<bool> {
    let mut todo = vec![(a, b)];
    let mut known = true;
    let constructor = |op: &u32| matches!(spec.ops[*op as usize].kind, OpKind::Constructor(_));
    while let Some((a, b)) = todo.pop() {
        if a == b {
            continue;
        }
        if is_int(a) && is_int(b) {
            return Some(false);
        }
        match (store.node(a), store.node(b)) {
            (Some(Node::Bool(_)), Some(Node::Bool(_)))
            | (Some(Node::Nil), Some(Node::Cons(..)))
            | (Some(Node::Cons(..)), Some(Node::Nil)) => return Some(false),
            (Some(Node::Cons(h, t)), Some(Node::Cons(i, u))) => todo.extend([(*t, *u), (*h, *i)]),
            (Some(Node::Op(f, x)), Some(Node::Op(g, y))) if constructor(f) && constructor(g) => {
                if f != g || x.len() != y.len() {
                    return Some(false);
                }
                todo.extend(x.iter().copied().zip(y.iter().copied()).rev());
            }
            // Elements of finite sets are different from each other, so equal sets are the same.
            (Some(Node::Set(_)), Some(Node::Set(_))) | (Some(Node::Bag(_)), Some(Node::Bag(_))) => {
                return Some(false);
            }
            // Updates change the function, so different ones of the same function differ somewhere,
            // if the values do.
            (Some(Node::Updated(f, x)), Some(Node::Updated(g, y))) if f == g => {
                let one_sided = |x: &[(Value, Value)], y: &[(Value, Value)]| {
                    x.iter().any(|(k, _)| !y.iter().any(|(l, _)| k == l))
                };
                if one_sided(x, y) || one_sided(y, x) {
                    return Some(false);
                }
                known = false;
                // With the same keys, in the same order.
                todo.extend(x.iter().zip(y).map(|((_, v), (_, w))| (*v, *w)));
            }
            (Some(Node::Updated(f, _)), _) if *f == b => return Some(false),
            (_, Some(Node::Updated(g, _))) if *g == a => return Some(false),
            // Two numbers have different values, or they would be the same.
            _ => match (store.number(a), store.number(b)) {
                (Some(_), Some(_)) => return Some(false),
                _ => known = false,
            },
        }
    }
    known.then_some(true)
}

/// What is left of a comparison.
enum Rest {
    Of(Value, Value),
    Decided(Ordering),
}

/// A total order: numbers by size, constructors in the order of their declaration, lists
/// lexicographically, everything else in an order that is the same in every run.
pub(super) fn compare(spec: &Spec, store: &Store, a: Value, b: Value) -> Ordering {
    let rank = |op: u32| match spec.ops[op as usize].kind {
        OpKind::Constructor(rank) => (0, rank),
        _ => (1, op),
    };
    let by_content = |a: Value, b: Value| {
        let key = |v: Value| (!is_int(v), store.hash(v));
        key(a).cmp(&key(b))
    };
    let mut todo = vec![Rest::Of(a, b)];
    while let Some(rest) = todo.pop() {
        let (a, b) = match rest {
            Rest::Of(a, b) if a == b => continue,
            Rest::Of(a, b) => (a, b),
            Rest::Decided(ordering) => return ordering,
        };
        let mut lists = |x: &[Value], y: &[Value]| {
            if x.len() != y.len() {
                todo.push(Rest::Decided(x.len().cmp(&y.len())));
            }
            todo.extend(x.iter().zip(y).rev().map(|(x, y)| Rest::Of(*x, *y)));
            Ordering::Equal
        };
        let ordering = match (store.number(a), store.number(b)) {
            (Some(x), Some(y)) => x.cmp(&y),
            _ => match (store.node(a), store.node(b)) {
                (Some(Node::Bool(x)), Some(Node::Bool(y))) => x.cmp(y),
                (Some(Node::Nil), Some(Node::Cons(..))) => Ordering::Less,
                (Some(Node::Cons(..)), Some(Node::Nil)) => Ordering::Greater,
                (Some(Node::Cons(h, t)), Some(Node::Cons(i, u))) => lists(&[*h, *t], &[*i, *u]),
                (Some(Node::Op(f, x)), Some(Node::Op(g, y))) => {
                    rank(*f).cmp(&rank(*g)).then_with(|| lists(x, y))
                }
                (Some(Node::Set(x)), Some(Node::Set(y))) => lists(x, y),
                _ => by_content(a, b),
            },
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}
