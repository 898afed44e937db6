//! Values as numbers. Small integers are their own numbers; everything else is stored once, so that
//! equal values have equal numbers and a value fits into a slot.
//!
//! Values are normal forms. As in mCRL2 a normal form need not be built of constructors: `head([])`
//! and `f(1)` for a function without equations are values too.
//!
//! All workers share them. The numbers depend on who comes first, content hashes do not.

use std::hash::{Hash, Hasher};
use std::io;
use std::mem::discriminant;

use linchpin_lts::{Content, Interned, Loading, NewNumbers, Saving};
use serde::{Deserialize, Serialize};

use crate::builtin::Builtin;
use crate::sorts::{OpId, SortId};

/// The number of a value.
pub(crate) type Value = u32;

/// Values from here on are stored; those below are small integers.
const STORED: u32 = 1 << 31;
/// The number of the integer 0.
const ZERO: i128 = 1 << 30;

pub(crate) const FALSE: Value = STORED;
pub(crate) const TRUE: Value = STORED + 1;
pub(crate) const NIL: Value = STORED + 2;
pub(crate) const EMPTY_SET: Value = STORED + 3;
pub(crate) const EMPTY_BAG: Value = STORED + 4;
/// The content of a slot that has no value yet.
pub(crate) const UNBOUND: Value = u32::MAX;

/// A stored value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Node {
    Bool(bool),
    /// An integer that is not small.
    Big(i128),
    Nil,
    Cons(Value, Value),
    /// A constructor, or a function that no equation is about, with its arguments.
    Op(OpId, Box<[Value]>),
    /// A finite set, in order.
    Set(Box<[Value]>),
    /// A finite bag: elements in order, and how often.
    Bag(Box<[(Value, Value)]>),
    /// A lambda with the values it captured.
    Closure(u32, Box<[Value]>),
    /// A function with other values at some arguments, in order; no value is what it was before.
    Updated(Value, Box<[(Value, Value)]>),
    /// A set or bag given by a function, over an infinite sort.
    Comprehension(bool, SortId, u32, Box<[Value]>),
    /// A built-in function that has no value here.
    Stuck(Builtin, Box<[Value]>),
    /// A function value that no equation is about, applied.
    Applied(Value, Box<[Value]>),
    /// A choice that cannot be made.
    If([Value; 3]),
}

/// All values.
#[derive(Debug)]
pub(crate) struct Store(Interned<Node>);

impl Default for Store {
    fn default() -> Self {
        let store = Store(Interned::default());
        store.intern(Node::Bool(false));
        store.intern(Node::Bool(true));
        store.intern(Node::Nil);
        store.intern(Node::Set([].into()));
        store.intern(Node::Bag([].into()));
        store
    }
}

/// Is this a small integer?
pub(crate) fn is_int(value: Value) -> bool {
    value < STORED
}

/// The small integer that this is.
pub(crate) fn as_int(value: Value) -> i128 {
    i128::from(value) - ZERO
}

/// The new number of a value of another run.
pub(crate) fn renumbered(value: Value, new: &NewNumbers) -> io::Result<Value> {
    match value {
        UNBOUND => Ok(UNBOUND),
        STORED.. => Ok(STORED + new.get(value - STORED)?),
        _ => Ok(value),
    }
}

impl Node {
    /// Its parts.
    fn parts(&mut self) -> Vec<&mut Value> {
        match self {
            Node::Bool(_) | Node::Big(_) | Node::Nil => Vec::new(),
            Node::Cons(head, tail) => vec![head, tail],
            Node::If(list) => list.iter_mut().collect(),
            Node::Op(_, list)
            | Node::Set(list)
            | Node::Closure(_, list)
            | Node::Comprehension(_, _, _, list)
            | Node::Stuck(_, list) => list.iter_mut().collect(),
            Node::Bag(pairs) => pairs.iter_mut().flat_map(|(e, n)| [e, n]).collect(),
            Node::Updated(function, pairs) => {
                let pairs = pairs.iter_mut().flat_map(|(k, v)| [k, v]);
                std::iter::once(function).chain(pairs).collect()
            }
            Node::Applied(function, list) => {
                std::iter::once(function).chain(list.iter_mut()).collect()
            }
        }
    }
}

impl Store {
    /// Writes all values down, for another run.
    pub(crate) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        out.things(self.0.iter())
    }

    /// Reads the values of another run; says what they are called here.
    pub(crate) fn load(&self, from: &mut Loading<'_>) -> io::Result<NewNumbers> {
        from.things(|mut node: Node, new| {
            for part in node.parts() {
                *part = renumbered(*part, new)?;
            }
            Ok(self.intern(node) - STORED)
        })
    }

    pub(crate) fn intern(&self, node: Node) -> Value {
        let number = self.0.intern(self.content(&node), node);
        assert!(number < UNBOUND - STORED, "fewer than two thousand million values");
        STORED + number
    }

    /// The content hash of a value.
    pub(crate) fn hash(&self, value: Value) -> u64 {
        match is_int(value) {
            true => value.into(),
            false => self.0.hash(value - STORED),
        }
    }

    /// The content hash of a stored value, from those of its parts.
    fn content(&self, node: &Node) -> u64 {
        let mut content = Content::default();
        discriminant(node).hash(&mut content);
        let mut parts = |list: &[Value]| list.iter().for_each(|&v| content.add(self.hash(v)));
        match node {
            Node::Nil => {}
            Node::Cons(head, tail) => parts(&[*head, *tail]),
            Node::Set(list) => parts(list),
            Node::If(list) => parts(list),
            Node::Bag(pairs) => pairs.iter().for_each(|(e, n)| parts(&[*e, *n])),
            Node::Updated(function, pairs) => {
                parts(&[*function]);
                pairs.iter().for_each(|(k, v)| parts(&[*k, *v]));
            }
            Node::Op(_, list)
            | Node::Closure(_, list)
            | Node::Comprehension(_, _, _, list)
            | Node::Stuck(_, list) => parts(list),
            Node::Applied(function, list) => {
                parts(&[*function]);
                parts(list);
            }
            Node::Bool(_) | Node::Big(_) => {}
        }
        match node {
            Node::Bool(b) => b.hash(&mut content),
            Node::Big(n) => n.hash(&mut content),
            Node::Op(op, _) => op.hash(&mut content),
            Node::Closure(lambda, _) => lambda.hash(&mut content),
            Node::Comprehension(bag, sort, lambda, _) => (bag, sort, lambda).hash(&mut content),
            Node::Stuck(builtin, _) => builtin.hash(&mut content),
            _ => {}
        }
        content.finish()
    }

    pub(crate) fn int(&self, number: i128) -> Value {
        match number + ZERO {
            small @ 0..=0x7fff_ffff => small as u32,
            _ => self.intern(Node::Big(number)),
        }
    }

    /// What a stored value is.
    pub(crate) fn node(&self, value: Value) -> Option<&Node> {
        match is_int(value) {
            true => None,
            false => Some(self.0.get(value - STORED)),
        }
    }

    /// The integer that this is, if it is one.
    pub(crate) fn number(&self, value: Value) -> Option<i128> {
        match self.node(value) {
            None => Some(as_int(value)),
            Some(Node::Big(n)) => Some(*n),
            _ => None,
        }
    }

    /// The elements of a list, if it is one to its end.
    pub(crate) fn list(&self, mut value: Value) -> Option<Vec<Value>> {
        let mut elements = Vec::new();
        loop {
            match self.node(value) {
                Some(Node::Nil) => return Some(elements),
                Some(Node::Cons(head, tail)) => {
                    elements.push(*head);
                    value = *tail;
                }
                _ => return None,
            }
        }
    }

    pub(crate) fn make_list(&self, elements: &[Value], mut tail: Value) -> Value {
        for element in elements.iter().rev() {
            tail = self.intern(Node::Cons(*element, tail));
        }
        tail
    }
}

/// The value of a truth.
pub(crate) fn truth(b: bool) -> Value {
    if b { TRUE } else { FALSE }
}
