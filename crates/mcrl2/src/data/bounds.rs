//! Which values of a variable can make a condition true (or false): a finite set that has them all,
//! if the condition says so. This is how `sum n: Nat. (n < 3) -> ...` and quantifiers over infinite
//! sorts are enumerated; mCRL2 finds the same values by narrowing.

use super::eval::{Machine, Stop};
use super::store::{Node, UNBOUND, Value, truth};
use crate::builtin::Builtin;
use crate::code::{Code, Pattern};
use crate::sorts::{INT, NAT, OpId, POS, SortId};

/// The longest range of numbers that is enumerated.
const MAX_RANGE: i128 = 1 << 20;

/// What a condition says about a variable.
#[derive(Clone, Debug)]
enum Bound {
    Any,
    /// From, to (inclusive).
    Range(Option<i128>, Option<i128>),
    Finite(Vec<Value>),
}

impl Machine {
    /// The values of a slot outside of which the condition is not `want`, or `None` if there is no
    /// finite set of them.
    pub(crate) fn candidates(
        &mut self,
        condition: &Code,
        want: bool,
        slot: u32,
        sort: SortId,
        env: &mut [Value],
    ) -> Result<Option<Vec<Value>>, Stop> {
        let bound = self.bound(condition, want, slot, env);
        Ok(self.finish(bound, sort))
    }

    /// The same for several conditions that hold together.
    pub(crate) fn candidates_of_all(
        &mut self,
        conditions: &[(&Code, bool)],
        slot: u32,
        sort: SortId,
        env: &mut [Value],
    ) -> Option<Vec<Value>> {
        let mut bound = Bound::Any;
        for (condition, want) in conditions {
            let next = self.bound(condition, *want, slot, env);
            bound = self.meet(bound, next);
        }
        self.finish(bound, sort)
    }

    fn finish(&mut self, bound: Bound, sort: SortId) -> Option<Vec<Value>> {
        let least = match sort {
            POS => Some(1),
            NAT => Some(0),
            _ => None,
        };
        match bound {
            Bound::Any => None,
            Bound::Finite(mut values) => {
                if let Some(least) = least {
                    values.retain(|v| self.store.number(*v).is_none_or(|n| n >= least));
                }
                Some(values)
            }
            Bound::Range(from, to) => {
                if !matches!(sort, POS | NAT | INT) {
                    return None;
                }
                let from = match (from, least) {
                    (Some(a), Some(b)) => a.max(b),
                    (Some(a), None) => a,
                    (None, Some(b)) => b,
                    (None, None) => return None,
                };
                let to = to?;
                if to - from > MAX_RANGE {
                    return None;
                }
                Some((from..=to).map(|n| self.store.int(n)).collect())
            }
        }
    }

    fn bound(&mut self, code: &Code, want: bool, slot: u32, env: &mut [Value]) -> Bound {
        match code {
            Code::And(parts) | Code::Or(parts) => {
                let a = self.bound(&parts[0], want, slot, env);
                let b = self.bound(&parts[1], want, slot, env);
                match matches!(code, Code::And(_)) == want {
                    true => self.meet(a, b),
                    false => self.join(a, b),
                }
            }
            Code::Builtin(Builtin::Not, list) => self.bound(&list[0], !want, slot, env),
            Code::Slot(s) if *s == slot => Bound::Finite(vec![truth(want)]),
            Code::Call(op, list) => self.called(*op, list, want, slot, env),
            Code::Builtin(builtin, list) if list.len() == 2 => {
                let (a, b) = (&list[0], &list[1]);
                match (builtin, want) {
                    (Builtin::Equal, true) | (Builtin::Unequal, false) => {
                        let first = self.solved(a, b, slot, env);
                        let second = self.solved(b, a, slot, env);
                        self.meet(first, second)
                    }
                    // `0 < count(x, b)`: a member of the bag.
                    (Builtin::Less, true) if is_count(b, slot) && !mentions(a, slot) => {
                        let Code::Builtin(_, parts) = b else { return Bound::Any };
                        match (self.eval(a, env), self.eval(&parts[1], env)) {
                            (Ok(low), Ok(bag)) if self.store.number(low) >= Some(0) => {
                                self.members(bag)
                            }
                            _ => Bound::Any,
                        }
                    }
                    (Builtin::Less, true) => self.ordered_bound(a, b, 1, slot, env),
                    (Builtin::LessEqual, true) => self.ordered_bound(a, b, 0, slot, env),
                    (Builtin::Less, false) => self.ordered_bound(b, a, 0, slot, env),
                    (Builtin::LessEqual, false) => self.ordered_bound(b, a, 1, slot, env),
                    (Builtin::InList | Builtin::InSet, true) if is_slot(a, slot) => {
                        match self.eval(b, env) {
                            Ok(list) => self.members(list),
                            Err(_) => Bound::Any,
                        }
                    }
                    _ => self.evaluated(code, want, env),
                }
            }
            Code::If(parts) => match self.eval(&parts[0], env) {
                Ok(value) if value == truth(true) => self.bound(&parts[1], want, slot, env),
                Ok(value) if value == truth(false) => self.bound(&parts[2], want, slot, env),
                _ => {
                    let a = self.bound(&parts[1], want, slot, env);
                    let b = self.bound(&parts[2], want, slot, env);
                    self.join(a, b)
                }
            },
            _ => self.evaluated(code, want, env),
        }
    }

    /// A function with one equation without patterns says what its right-hand side says.
    fn called(
        &mut self,
        op: OpId,
        list: &[Code],
        want: bool,
        slot: u32,
        env: &mut [Value],
    ) -> Bound {
        let spec = std::sync::Arc::clone(&self.spec);
        let code = |machine: &mut Machine, env: &mut [Value]| match machine
            .eval(&Code::Call(op, list.into()), env)
        {
            Ok(value) if value == truth(!want) => Bound::Finite(Vec::new()),
            _ => Bound::Any,
        };
        let [rule] = &spec.rules[op as usize][..] else { return code(self, env) };
        if rule.condition.is_some() || rule.patterns.len() != list.len() {
            return code(self, env);
        }
        let mut inner = vec![UNBOUND; rule.size as usize];
        let mut place = None;
        for (pattern, argument) in rule.patterns.iter().zip(list) {
            let Pattern::Bind(at, None) = pattern else { return code(self, env) };
            match self.eval(argument, env) {
                Ok(value) => inner[*at as usize] = value,
                Err(Stop::Unbound) if is_slot(argument, slot) && place.is_none() => {
                    place = Some(*at);
                }
                // Unknown, but it may not matter.
                Err(Stop::Unbound) if !is_slot(argument, slot) => {}
                Err(_) => return Bound::Any,
            }
        }
        match place {
            Some(place) if self.enter_bounds() => {
                let bound = self.bound(&rule.right, want, place, &mut inner);
                self.leave_bounds();
                bound
            }
            _ => code(self, env),
        }
    }

    /// A condition that does not depend on the variable holds for all values or for none.
    fn evaluated(&mut self, code: &Code, want: bool, env: &mut [Value]) -> Bound {
        match self.eval(code, env) {
            Ok(value) if value == truth(!want) => Bound::Finite(Vec::new()),
            _ => Bound::Any,
        }
    }

    /// `pattern == other`, where the variable is in the pattern.
    fn solved(&mut self, pattern: &Code, other: &Code, slot: u32, env: &mut [Value]) -> Bound {
        match self.eval(other, env) {
            Ok(value) => self.inverse(pattern, value, slot, env),
            Err(_) => Bound::Any,
        }
    }

    /// The values of the variable for which the pattern has this value.
    fn inverse(&mut self, pattern: &Code, value: Value, slot: u32, env: &mut [Value]) -> Bound {
        match pattern {
            Code::Slot(s) if *s == slot => Bound::Finite(vec![value]),
            Code::Call(op, list) => match self.store.node(value).cloned() {
                Some(Node::Op(other, values)) if other == *op && values.len() == list.len() => {
                    let mut bound = Bound::Any;
                    for (part, value) in list.iter().zip(&values) {
                        let next = self.inverse(part, *value, slot, env);
                        bound = self.meet(bound, next);
                    }
                    bound
                }
                _ => Bound::Any,
            },
            Code::Builtin(Builtin::Cons, list) => match self.store.node(value).cloned() {
                Some(Node::Cons(head, tail)) => {
                    let a = self.inverse(&list[0], head, slot, env);
                    let b = self.inverse(&list[1], tail, slot, env);
                    self.meet(a, b)
                }
                _ => Bound::Any,
            },
            _ => match (self.offset(pattern, slot, env), self.store.number(value)) {
                (Some(offset), Some(number)) => {
                    let value = self.store.int(number - offset);
                    Bound::Finite(vec![value])
                }
                _ => Bound::Any,
            },
        }
    }

    /// `low + gap <= high`, where one of them is the variable plus a known number.
    fn ordered_bound(
        &mut self,
        low: &Code,
        high: &Code,
        gap: i128,
        slot: u32,
        env: &mut [Value],
    ) -> Bound {
        let number = |machine: &mut Machine, code: &Code, env: &mut [Value]| {
            let value = machine.eval(code, env).ok()?;
            machine.store.number(value)
        };
        if let Some(offset) = self.offset(low, slot, env)
            && let Some(high) = number(self, high, env)
        {
            return Bound::Range(None, Some(high - gap - offset));
        }
        if let Some(offset) = self.offset(high, slot, env)
            && let Some(low) = number(self, low, env)
        {
            return Bound::Range(Some(low + gap - offset), None);
        }
        Bound::Any
    }

    /// What is added to the variable, if that is all the code does.
    fn offset(&mut self, code: &Code, slot: u32, env: &mut [Value]) -> Option<i128> {
        let mut number = |machine: &mut Machine, code: &Code| {
            let value = machine.eval(code, env).ok()?;
            machine.store.number(value)
        };
        match code {
            _ if is_slot(code, slot) => Some(0),
            Code::Builtin(Builtin::Add, list) if is_slot(&list[0], slot) => number(self, &list[1]),
            Code::Builtin(Builtin::Add, list) if is_slot(&list[1], slot) => number(self, &list[0]),
            Code::Builtin(Builtin::Subtract, list) if is_slot(&list[0], slot) => {
                number(self, &list[1]).map(|n| -n)
            }
            Code::Builtin(Builtin::Successor, list) if is_slot(&list[0], slot) => Some(1),
            _ => None,
        }
    }

    fn members(&self, value: Value) -> Bound {
        match self.store.node(value) {
            Some(Node::Set(members)) => Bound::Finite(members.to_vec()),
            Some(Node::Bag(members)) => Bound::Finite(members.iter().map(|(e, _)| *e).collect()),
            _ => match self.store.list(value) {
                Some(mut elements) => {
                    let mut seen = std::collections::HashSet::new();
                    elements.retain(|e| seen.insert(*e));
                    Bound::Finite(elements)
                }
                None => Bound::Any,
            },
        }
    }

    fn meet(&self, a: Bound, b: Bound) -> Bound {
        match (a, b) {
            (Bound::Any, other) | (other, Bound::Any) => other,
            (Bound::Finite(mut a), Bound::Finite(b)) => {
                a.retain(|v| b.contains(v));
                Bound::Finite(a)
            }
            (Bound::Finite(mut values), Bound::Range(from, to))
            | (Bound::Range(from, to), Bound::Finite(mut values)) => {
                values.retain(|v| {
                    let Some(n) = self.store.number(*v) else { return true };
                    from.is_none_or(|from| from <= n) && to.is_none_or(|to| n <= to)
                });
                Bound::Finite(values)
            }
            (Bound::Range(a, b), Bound::Range(c, d)) => {
                let from = [a, c].into_iter().flatten().max();
                let to = [b, d].into_iter().flatten().min();
                Bound::Range(from, to)
            }
        }
    }

    fn join(&mut self, a: Bound, b: Bound) -> Bound {
        match (a, b) {
            (Bound::Any, _) | (_, Bound::Any) => Bound::Any,
            (Bound::Finite(mut a), Bound::Finite(b)) => {
                let more: Vec<Value> = b.into_iter().filter(|v| !a.contains(v)).collect();
                a.extend(more);
                Bound::Finite(a)
            }
            (Bound::Finite(values), range @ Bound::Range(..))
            | (range @ Bound::Range(..), Bound::Finite(values)) => {
                let numbers: Option<Vec<i128>> =
                    values.iter().map(|v| self.store.number(*v)).collect();
                match numbers {
                    Some(numbers) if numbers.is_empty() => range,
                    Some(numbers) => {
                        let least = numbers.iter().min().copied();
                        let most = numbers.iter().max().copied();
                        self.join(range, Bound::Range(least, most))
                    }
                    None => Bound::Any,
                }
            }
            (Bound::Range(a, b), Bound::Range(c, d)) => {
                let from = a.zip(c).map(|(a, c)| a.min(c));
                let to = b.zip(d).map(|(b, d)| b.max(d));
                Bound::Range(from, to)
            }
        }
    }
}

/// Is this `count(x, b)` of the variable in a bag without it?
fn is_count(code: &Code, slot: u32) -> bool {
    match code {
        Code::Builtin(Builtin::Count, list) => is_slot(&list[0], slot) && !mentions(&list[1], slot),
        _ => false,
    }
}

fn mentions(code: &Code, slot: u32) -> bool {
    let mut free = Vec::new();
    code.free(&mut Vec::new(), &mut free);
    free.contains(&slot)
}

fn is_slot(code: &Code, slot: u32) -> bool {
    matches!(code, Code::Slot(s) if *s == slot)
}
