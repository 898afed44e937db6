//! The built-in functions on values. What has no value (`head([])`, `2 mod 0`) stays as it is.

use std::cmp::Ordering;

use super::equal::compare;
use super::eval::{Machine, Stop};
use super::store::{EMPTY_BAG, EMPTY_SET, FALSE, NIL, Node, TRUE, Value, truth};
use crate::builtin::Builtin;

/// The longest list that is looked at as a whole.
const MAX_LIST: usize = 1 << 18;

impl Machine {
    /// The value of a built-in function.
    pub(crate) fn builtin(&mut self, builtin: Builtin, list: &[Value]) -> Result<Value, Stop> {
        let value = match (builtin, list) {
            (Builtin::Not, [a]) => match *a {
                TRUE => Some(FALSE),
                FALSE => Some(TRUE),
                _ => None,
            },
            (Builtin::Equal, [a, b]) => self.equal(*a, *b).map(truth),
            (Builtin::Unequal, [a, b]) => self.equal(*a, *b).map(|e| truth(!e)),
            (Builtin::Less, [a, b]) => self.ordered(*a, *b).map(|o| truth(o.is_lt())),
            (Builtin::LessEqual, [a, b]) => self.ordered(*a, *b).map(|o| truth(o.is_le())),
            (Builtin::Nil, []) => Some(NIL),
            (Builtin::EmptySet, []) => Some(EMPTY_SET),
            (Builtin::EmptyBag, []) => Some(EMPTY_BAG),
            (Builtin::Identity, [a]) => Some(*a),
            (Builtin::Update, [function, key, value]) => self.update(*function, *key, *value)?,
            _ => match builtin {
                Builtin::Cons
                | Builtin::Snoc
                | Builtin::Concat
                | Builtin::At
                | Builtin::Size
                | Builtin::Head
                | Builtin::Tail
                | Builtin::LastElement
                | Builtin::Front
                | Builtin::InList => self.on_lists(builtin, list)?,
                Builtin::InSet | Builtin::Count => self.membership(builtin, list[0], list[1])?,
                Builtin::Put
                | Builtin::BagUnion
                | Builtin::BagIntersection
                | Builtin::BagDifference
                | Builtin::BagSubset
                | Builtin::BagProperSubset
                | Builtin::SetToBag
                | Builtin::BagToSet => self.on_bags(builtin, list),
                Builtin::Insert
                | Builtin::Union
                | Builtin::Intersection
                | Builtin::Difference
                | Builtin::Complement
                | Builtin::SetSize
                | Builtin::Subset
                | Builtin::ProperSubset => self.on_sets(builtin, list)?,
                _ => self.on_numbers(builtin, list)?,
            },
        };
        Ok(match value {
            Some(value) => value,
            None => self.store.intern(Node::Stuck(builtin, list.into())),
        })
    }

    /// The order of two values, if both are built of constructors as far as it matters.
    fn ordered(&self, a: Value, b: Value) -> Option<Ordering> {
        match self.equal(a, b)? {
            true => Some(Ordering::Equal),
            false => Some(compare(&self.spec, &self.store, a, b)),
        }
    }

    fn on_numbers(&mut self, builtin: Builtin, list: &[Value]) -> Result<Option<Value>, Stop> {
        let mut numbers = [0i128; 2];
        for (place, value) in numbers.iter_mut().zip(list) {
            match self.store.number(*value) {
                Some(number) => *place = number,
                None => return Ok(None),
            }
        }
        let [a, b] = numbers;
        let result = match builtin {
            Builtin::Negate => a.checked_neg(),
            Builtin::Add => a.checked_add(b),
            Builtin::Subtract => a.checked_sub(b),
            Builtin::Multiply => a.checked_mul(b),
            Builtin::Div | Builtin::Mod if b <= 0 => return Ok(None),
            Builtin::Div => Some(a.div_euclid(b)),
            Builtin::Mod => Some(a.rem_euclid(b)),
            Builtin::Exp if b < 0 => return Ok(None),
            Builtin::Exp => match (a, u32::try_from(b)) {
                (0 | 1, _) => Some(if b == 0 { 1 } else { a }),
                (_, Ok(b)) => a.checked_pow(b),
                (_, Err(_)) => None,
            },
            Builtin::Abs => a.checked_abs(),
            Builtin::Max => Some(a.max(b)),
            Builtin::Min => Some(a.min(b)),
            Builtin::Successor => a.checked_add(1),
            Builtin::Predecessor => a.checked_sub(1),
            Builtin::ToNat if a >= 0 => Some(a),
            Builtin::ToPos if a >= 1 => Some(a),
            _ => return Ok(None),
        };
        match result {
            Some(number) if number.unsigned_abs() < 1 << 126 => Ok(Some(self.store.int(number))),
            _ => Err(Machine::trouble(None, "a number has more than 126 bits")),
        }
    }

    fn on_lists(&mut self, builtin: Builtin, list: &[Value]) -> Result<Option<Value>, Stop> {
        Ok(match (builtin, list) {
            (Builtin::Cons, [head, tail]) => Some(self.store.intern(Node::Cons(*head, *tail))),
            (Builtin::Snoc, [front, last]) => {
                let end = self.store.intern(Node::Cons(*last, NIL));
                self.elements(*front)?.map(|elements| self.store.make_list(&elements, end))
            }
            (Builtin::Concat, [a, b]) => {
                self.elements(*a)?.map(|elements| self.store.make_list(&elements, *b))
            }
            (Builtin::Head, [a]) => match self.store.node(*a) {
                Some(Node::Cons(head, _)) => Some(*head),
                _ => None,
            },
            (Builtin::Tail, [a]) => match self.store.node(*a) {
                Some(Node::Cons(_, tail)) => Some(*tail),
                _ => None,
            },
            (Builtin::At, [a, n]) => {
                let n = self.store.number(*n).and_then(|n| usize::try_from(n).ok());
                n.zip(self.elements(*a)?).and_then(|(n, elements)| elements.get(n).copied())
            }
            (Builtin::Size, [a]) => {
                self.elements(*a)?.map(|elements| self.store.int(elements.len() as i128))
            }
            (Builtin::LastElement, [a]) => {
                self.elements(*a)?.and_then(|elements| elements.last().copied())
            }
            (Builtin::Front, [a]) => {
                let elements = self.elements(*a)?.unwrap_or_default();
                elements.split_last().map(|(_, front)| self.store.make_list(front, NIL))
            }
            (Builtin::InList, [e, a]) => {
                self.elements(*a)?.and_then(|elements| self.member(*e, &elements))
            }
            _ => None,
        })
    }

    /// The elements of a list, if it is one to its end.
    fn elements(&self, list: Value) -> Result<Option<Vec<Value>>, Stop> {
        let elements = self.store.list(list);
        if elements.as_ref().is_some_and(|elements| elements.len() > MAX_LIST) {
            let message = format!("a list has more than {MAX_LIST} elements");
            return Err(Machine::trouble(None, message));
        }
        Ok(elements)
    }

    /// Is it one of these?
    fn member(&self, element: Value, list: &[Value]) -> Option<Value> {
        let mut answer = Some(FALSE);
        for other in list {
            match self.equal(element, *other) {
                Some(true) => return Some(TRUE),
                Some(false) => {}
                None => answer = None,
            }
        }
        answer
    }

    /// `x in s` and `count(x, b)`, also for sets that are not finite.
    fn membership(
        &mut self,
        builtin: Builtin,
        element: Value,
        set: Value,
    ) -> Result<Option<Value>, Stop> {
        let Some(node) = self.store.node(set).cloned() else { return Ok(None) };
        Ok(match node {
            Node::Set(members) => self.member(element, &members),
            Node::Bag(members) => {
                let mut count = Some(self.store.int(0));
                for (other, times) in &members {
                    match self.equal(element, *other) {
                        Some(true) => {
                            count = Some(*times);
                            break;
                        }
                        Some(false) => {}
                        None => count = None,
                    }
                }
                self.counted(builtin, count)
            }
            Node::Comprehension(_, _, lambda, captured) => {
                let value = self.enter(lambda, &captured, &[element])?;
                match self.store.number(value) {
                    Some(_) => self.counted(builtin, Some(value)),
                    None => Some(value),
                }
            }
            Node::Stuck(operation, parts) => {
                let mut inside = Vec::new();
                for part in &parts {
                    inside.push(self.membership(builtin, element, *part)?);
                }
                let (a, b) = (inside.first().copied().flatten(), inside.get(1).copied().flatten());
                match operation {
                    Builtin::Complement => a.map(|a| truth(a == FALSE)),
                    Builtin::Union => match (a, b) {
                        (Some(TRUE), _) | (_, Some(TRUE)) => Some(TRUE),
                        (Some(FALSE), b) => b,
                        _ => None,
                    },
                    Builtin::Intersection => match (a, b) {
                        (Some(FALSE), _) | (_, Some(FALSE)) => Some(FALSE),
                        (Some(TRUE), b) => b,
                        _ => None,
                    },
                    Builtin::Difference => match (a, b) {
                        (Some(FALSE), _) | (_, Some(TRUE)) => Some(FALSE),
                        (Some(TRUE), Some(FALSE)) => Some(TRUE),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        })
    }

    fn counted(&self, builtin: Builtin, count: Option<Value>) -> Option<Value> {
        match builtin {
            Builtin::Count => count,
            _ => Some(truth(self.store.number(count?)? > 0)),
        }
    }

    fn on_sets(&mut self, builtin: Builtin, list: &[Value]) -> Result<Option<Value>, Stop> {
        let finite = |machine: &Machine, v: Value| match machine.store.node(v) {
            Some(Node::Set(members)) => Some(members.to_vec()),
            _ => None,
        };
        if builtin == Builtin::Insert {
            let Some(mut members) = finite(self, list[1]) else { return Ok(None) };
            members.push(list[0]);
            return Ok(Some(self.make_set(members)));
        }
        let Some(a) = finite(self, list[0]) else {
            // A finite set less or cut with anything can be computed member by member.
            return match (builtin, list.get(1).and_then(|b| finite(self, *b))) {
                (Builtin::Intersection, Some(b)) => self.filtered(b, list[0], true),
                (Builtin::Complement, _) => Ok(match self.store.node(list[0]) {
                    Some(Node::Stuck(Builtin::Complement, inner)) => Some(inner[0]),
                    _ => None,
                }),
                _ => Ok(None),
            };
        };
        match builtin {
            Builtin::SetSize => return Ok(Some(self.store.int(a.len() as i128))),
            Builtin::Complement => return Ok(None),
            Builtin::Intersection => return self.filtered(a, list[1], true),
            Builtin::Difference => return self.filtered(a, list[1], false),
            Builtin::Subset | Builtin::ProperSubset => {
                let size = a.len();
                let Some(inside) = self.filtered(a, list[1], true)? else { return Ok(None) };
                let Some(kept) = finite(self, inside) else { return Ok(None) };
                let proper = match finite(self, list[1]) {
                    Some(b) => b.len() > size,
                    None if builtin == Builtin::ProperSubset => return Ok(None),
                    None => true,
                };
                let holds = kept.len() == size && (builtin == Builtin::Subset || proper);
                return Ok(Some(truth(holds)));
            }
            _ => {}
        }
        let Some(b) = finite(self, list[1]) else { return Ok(None) };
        Ok(Some(self.make_set([a, b].concat())))
    }

    /// The members that are (or are not) in another set.
    fn filtered(
        &mut self,
        members: Vec<Value>,
        set: Value,
        inside: bool,
    ) -> Result<Option<Value>, Stop> {
        let mut kept = Vec::new();
        for member in members {
            match self.membership(Builtin::InSet, member, set)? {
                Some(TRUE) if inside => kept.push(member),
                Some(FALSE) if !inside => kept.push(member),
                Some(TRUE | FALSE) => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(self.make_set(kept)))
    }

    pub(crate) fn make_set(&mut self, mut members: Vec<Value>) -> Value {
        let (spec, store) = (&self.spec, &self.store);
        members.sort_by(|a, b| compare(spec, store, *a, *b));
        members.dedup();
        self.store.intern(Node::Set(members.into()))
    }

    fn on_bags(&mut self, builtin: Builtin, list: &[Value]) -> Option<Value> {
        let bag = |machine: &Machine, v: Value| match machine.store.node(v) {
            Some(Node::Bag(members)) => members
                .iter()
                .map(|(e, n)| machine.store.number(*n).map(|n| (*e, n)))
                .collect::<Option<Vec<(Value, i128)>>>(),
            Some(Node::Set(members)) => Some(members.iter().map(|e| (*e, 1)).collect()),
            _ => None,
        };
        let times = |bag: &[(Value, i128)], e: Value| {
            bag.iter().find(|(other, _)| *other == e).map_or(0, |(_, n)| *n)
        };
        match builtin {
            Builtin::Put => {
                let (n, mut members) = (self.store.number(list[1])?, bag(self, list[2])?);
                members.push((list[0], n));
                return Some(self.make_bag(members));
            }
            Builtin::SetToBag => {
                let members = bag(self, list[0])?;
                return Some(self.make_bag(members));
            }
            Builtin::BagToSet => {
                let members = bag(self, list[0])?.into_iter().map(|(e, _)| e).collect();
                return Some(self.make_set(members));
            }
            _ => {}
        }
        let (a, b) = (bag(self, list[0])?, bag(self, list[1])?);
        let members: Vec<(Value, i128)> = match builtin {
            Builtin::BagUnion => [a, b].concat(),
            Builtin::BagIntersection => {
                a.iter().map(|(e, n)| (*e, (*n).min(times(&b, *e)))).collect()
            }
            Builtin::BagDifference => {
                a.iter().map(|(e, n)| (*e, (*n - times(&b, *e)).max(0))).collect()
            }
            Builtin::BagSubset => return Some(truth(a.iter().all(|(e, n)| *n <= times(&b, *e)))),
            _ => {
                let below = a.iter().all(|(e, n)| *n <= times(&b, *e));
                return Some(truth(below && list[0] != list[1]));
            }
        };
        Some(self.make_bag(members))
    }

    fn make_bag(&mut self, mut members: Vec<(Value, i128)>) -> Value {
        let (spec, store) = (&self.spec, &self.store);
        members.sort_by(|a, b| compare(spec, store, a.0, b.0));
        let mut merged: Vec<(Value, i128)> = Vec::new();
        for (element, n) in members {
            match merged.last_mut() {
                Some((last, m)) if *last == element => *m += n,
                _ => merged.push((element, n)),
            }
        }
        merged.retain(|(_, n)| *n > 0);
        let members = merged.into_iter().map(|(e, n)| (e, self.store.int(n))).collect();
        self.store.intern(Node::Bag(members))
    }

    /// `f[x -> y]`, in the one form that all equal updates have: keys in order, and none whose
    /// value is that of the function anyway.
    fn update(&mut self, function: Value, key: Value, value: Value) -> Result<Option<Value>, Stop> {
        let (base, mut updates) = match self.store.node(function) {
            Some(Node::Updated(base, updates)) => (*base, updates.to_vec()),
            Some(Node::Closure(..) | Node::Op(..)) => (function, Vec::new()),
            _ => return Ok(None),
        };
        for (other, _) in &updates {
            if self.equal(*other, key).is_none() {
                return Ok(None);
            }
        }
        let before = self.apply(base, &[key])?;
        updates.retain(|(other, _)| *other != key);
        if self.equal(before, value) != Some(true) {
            let (spec, store) = (&self.spec, &self.store);
            let at = updates.partition_point(|(k, _)| compare(spec, store, *k, key).is_lt());
            updates.insert(at, (key, value));
        }
        Ok(Some(match updates.is_empty() {
            true => base,
            false => self.store.intern(Node::Updated(base, updates.into())),
        }))
    }
}
