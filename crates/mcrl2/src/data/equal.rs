//! Equality and order of values. Equality may be unknown: of `head([])` and 1, say.

use std::cmp::Ordering;

use super::store::{Node, Store, Value, is_int};
use crate::check::Spec;
use crate::code::OpKind;

/// Are two values equal? `None` if their normal forms do not tell.
pub(super) fn equal(spec: &Spec, store: &Store, a: Value, b: Value) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    if is_int(a) && is_int(b) {
        return Some(false);
    }
    let each = |pairs: &mut dyn Iterator<Item = (Value, Value)>| {
        let mut all = Some(true);
        for (x, y) in pairs {
            match equal(spec, store, x, y) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
        }
        all
    };
    match (store.node(a)?, store.node(b)?) {
        (Node::Bool(_), Node::Bool(_)) | (Node::Big(_), Node::Big(_)) => Some(false),
        (Node::Nil, Node::Cons(..)) | (Node::Cons(..), Node::Nil) => Some(false),
        (Node::Cons(h, t), Node::Cons(i, u)) => each(&mut [(*h, *i), (*t, *u)].into_iter()),
        (Node::Op(f, x), Node::Op(g, y)) => {
            let constructor = |op| matches!(spec.ops[op as usize].kind, OpKind::Constructor(_));
            if !constructor(*f) || !constructor(*g) {
                return None;
            }
            if f != g || x.len() != y.len() {
                return Some(false);
            }
            each(&mut x.iter().copied().zip(y.iter().copied()))
        }
        // Elements of finite sets are different from each other, so equal sets are the same.
        (Node::Set(_), Node::Set(_)) | (Node::Bag(_), Node::Bag(_)) => Some(false),
        // Updates change the function, so different ones of the same function differ somewhere, if
        // the values do.
        (Node::Updated(f, x), Node::Updated(g, y)) if f == g => {
            let one_sided = |x: &[(Value, Value)], y: &[(Value, Value)]| {
                x.iter().any(|(k, _)| !y.iter().any(|(l, _)| k == l))
            };
            let differ = |(k, v): &(Value, Value)| {
                y.iter().any(|(l, w)| k == l && equal(spec, store, *v, *w) == Some(false))
            };
            match one_sided(x, y) || one_sided(y, x) || x.iter().any(differ) {
                true => Some(false),
                false => None,
            }
        }
        (Node::Updated(f, _), _) if *f == b => Some(false),
        (_, Node::Updated(g, _)) if *g == a => Some(false),
        _ => is_number_and_other(store, a, b),
    }
}

/// A small and a large number are different.
fn is_number_and_other(store: &Store, a: Value, b: Value) -> Option<bool> {
    match (store.number(a), store.number(b)) {
        (Some(x), Some(y)) => Some(x == y),
        _ => None,
    }
}

/// A total order: numbers by size, constructors in the order of their declaration, lists
/// lexicographically.
pub(super) fn compare(spec: &Spec, store: &Store, a: Value, b: Value) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if let (Some(x), Some(y)) = (store.number(a), store.number(b)) {
        return x.cmp(&y);
    }
    let (Some(x), Some(y)) = (store.node(a), store.node(b)) else { return a.cmp(&b) };
    let lists = |x: &[Value], y: &[Value]| {
        let differ = x.iter().zip(y).map(|(x, y)| compare(spec, store, *x, *y));
        differ.fold(Ordering::Equal, Ordering::then).then(x.len().cmp(&y.len()))
    };
    match (x, y) {
        (Node::Bool(x), Node::Bool(y)) => x.cmp(y),
        (Node::Nil, Node::Cons(..)) => Ordering::Less,
        (Node::Cons(..), Node::Nil) => Ordering::Greater,
        (Node::Cons(h, t), Node::Cons(i, u)) => {
            compare(spec, store, *h, *i).then_with(|| compare(spec, store, *t, *u))
        }
        (Node::Op(f, x), Node::Op(g, y)) => {
            let rank = |op: u32| match spec.ops[op as usize].kind {
                OpKind::Constructor(rank) => (0, rank),
                _ => (1, op),
            };
            rank(*f).cmp(&rank(*g)).then_with(|| lists(x, y))
        }
        (Node::Set(x), Node::Set(y)) => lists(x, y),
        _ => a.cmp(&b),
    }
}
