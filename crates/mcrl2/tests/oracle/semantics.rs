//! The rules. A step of a closed term leads to a closed term, or to nothing: the end.

use std::cell::Cell;
use std::collections::HashMap;

use super::bisimulation::Graph;
use super::term::{Data, Sort, Specification, Term, Value};

/// An action with values.
type Event = (String, Vec<Value>);

/// Values of `Nat` that sums range over; no term makes larger ones.
const NUMBERS: u32 = 8;

/// States with more steps are not looked at.
const MOST_STEPS: usize = 1_000;

/// The rules, and whether there were too many steps somewhere.
struct Rules<'a> {
    specification: &'a Specification,
    many: Cell<bool>,
}

/// The transition system of a specification, unless it has more states than this.
pub(crate) fn explore(specification: &Specification, most: usize) -> Option<Graph> {
    let rules = Rules { specification, many: Cell::new(false) };
    let mut states: Vec<Option<Term>> = vec![Some(specification.init.clone())];
    let mut index: HashMap<Option<Term>, usize> = HashMap::from([(states[0].clone(), 0)]);
    let mut steps: Vec<Vec<(String, usize)>> = Vec::new();
    while steps.len() < states.len() {
        if states.len() > most || rules.many.get() {
            return None;
        }
        let mut list = Vec::new();
        match states[steps.len()].clone() {
            // The end is announced, and then there is nothing.
            None => list.push(("Terminate".to_string(), Some(Term::Delta))),
            Some(term) => {
                for (events, after) in moves(&rules, &term) {
                    list.push((label(events), after));
                }
            }
        }
        let mut found = Vec::new();
        for (label, after) in list {
            let number = states.len();
            let target = *index.entry(after.clone()).or_insert(number);
            if target == number {
                states.push(after);
            }
            found.push((label, target));
        }
        steps.push(found);
    }
    (!rules.many.get()).then_some(Graph { steps })
}

fn label(events: Vec<Event>) -> String {
    let one = |(name, values): &Event| match values.is_empty() {
        true => name.clone(),
        false => {
            let values: Vec<String> = values.iter().map(Value::text).collect();
            format!("{name}({})", values.join(", "))
        }
    };
    let mut parts: Vec<String> = events.iter().map(one).collect();
    parts.sort();
    if parts.is_empty() { "tau".into() } else { parts.join("|") }
}

fn domain(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::D => (0..3).map(Value::D).collect(),
        Sort::Nat => (0..NUMBERS).map(Value::Nat).collect(),
        Sort::Pair => (0..3).flat_map(|d| (0..NUMBERS).map(move |n| Value::Pair(d, n))).collect(),
    }
}

fn moves(rules: &Rules<'_>, term: &Term) -> Vec<(Vec<Event>, Option<Term>)> {
    let of = |term: &Term| match rules.many.get() {
        true => Vec::new(),
        false => moves(rules, term),
    };
    let wrapped = |body: &Term, wrap: &dyn Fn(Box<Term>) -> Term| {
        let list = of(body).into_iter();
        list.map(|(e, after)| (e, after.map(|t| wrap(Box::new(t))))).collect::<Vec<_>>()
    };
    match term {
        Term::Delta => Vec::new(),
        Term::Act(actions) => {
            let events = actions.iter().map(|(name, arguments)| {
                (name.clone(), arguments.iter().map(value).collect::<Vec<Value>>())
            });
            vec![(events.collect(), None)]
        }
        Term::Choice(a, b) => [of(a), of(b)].concat(),
        Term::Sequence(a, b) => {
            let then = |after: Option<Term>| match after {
                None => (**b).clone(),
                Some(term) => Term::Sequence(Box::new(term), b.clone()),
            };
            of(a).into_iter().map(|(e, after)| (e, Some(then(after)))).collect()
        }
        Term::Sum(name, sort, body) => {
            domain(*sort).iter().flat_map(|v| of(&substitute(body, name, v))).collect()
        }
        Term::Condition(c, a, b) => match (value(c), b) {
            (Value::Bool(true), _) => of(a),
            (_, Some(b)) => of(b),
            (_, None) => Vec::new(),
        },
        Term::Call(process, arguments) => {
            let (parameters, body) = &rules.specification.processes[*process];
            let mut body = body.clone();
            for ((name, _), argument) in parameters.iter().zip(arguments) {
                body = substitute(&body, name, &value(argument));
            }
            of(&body)
        }
        Term::Parallel(a, b) => {
            let join = |a: Option<Term>, b: Option<Term>| match (a, b) {
                (None, None) => None,
                (Some(one), None) | (None, Some(one)) => Some(one),
                (Some(a), Some(b)) => Some(Term::Parallel(Box::new(a), Box::new(b))),
            };
            let (left, right) = (of(a), of(b));
            if left.len() * right.len() > MOST_STEPS {
                rules.many.set(true);
                return Vec::new();
            }
            let mut list = Vec::new();
            for (e, after) in &left {
                list.push((e.clone(), join(after.clone(), Some((**b).clone()))));
            }
            for (e, after) in &right {
                list.push((e.clone(), join(Some((**a).clone()), after.clone())));
            }
            for (e, after) in &left {
                for (f, other) in &right {
                    list.push(([&e[..], f].concat(), join(after.clone(), other.clone())));
                }
            }
            list
        }
        Term::Hide(names, body) => {
            let mut list = wrapped(body, &|t| Term::Hide(names.clone(), t));
            list.iter_mut().for_each(|(events, _)| events.retain(|(n, _)| !names.contains(n)));
            list
        }
        Term::Block(names, body) => {
            let mut list = wrapped(body, &|t| Term::Block(names.clone(), t));
            list.retain(|(events, _)| !events.iter().any(|(n, _)| names.contains(n)));
            list
        }
        Term::Allow(sets, body) => {
            let mut list = wrapped(body, &|t| Term::Allow(sets.clone(), t));
            list.retain(|(events, _)| {
                let mut names: Vec<&String> = events.iter().map(|(n, _)| n).collect();
                names.sort();
                let same = |set: &Vec<String>| {
                    let mut set: Vec<&String> = set.iter().collect();
                    set.sort();
                    set == names
                };
                names.is_empty() || sets.iter().any(same)
            });
            list
        }
        Term::Rename(pairs, body) => {
            let mut list = wrapped(body, &|t| Term::Rename(pairs.clone(), t));
            for (name, _) in list.iter_mut().flat_map(|(events, _)| events) {
                if let Some((_, to)) = pairs.iter().find(|(from, _)| from == name) {
                    *name = to.clone();
                }
            }
            list
        }
        Term::Comm(left, body) => {
            let mut list = wrapped(body, &|t| Term::Comm(left.clone(), t));
            list.iter_mut().for_each(|(events, _)| communicate(left, events));
            list
        }
    }
}

/// Replaces what can communicate, as often as possible.
fn communicate(rules: &[(Vec<String>, String)], events: &mut Vec<Event>) {
    'again: loop {
        for (left, result) in rules {
            for values in events.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>() {
                // With these arguments: one event for every name.
                let mut rest = events.clone();
                let all = left.iter().all(|name| {
                    let place = rest.iter().position(|(n, v)| n == name && *v == values);
                    place.map(|at| rest.remove(at)).is_some()
                });
                if all {
                    rest.push((result.clone(), values));
                    *events = rest;
                    continue 'again;
                }
            }
        }
        return;
    }
}

/// The value of a closed expression.
fn value(data: &Data) -> Value {
    let truth = |d: &Data| matches!(value(d), Value::Bool(true));
    match data {
        Data::Value(v) => v.clone(),
        Data::Variable(name) => panic!("`{name}` is free"),
        Data::Next(e) => match value(e) {
            Value::D(d) => Value::D((d + 1) % 3),
            other => other,
        },
        Data::Plus(e, k) => match value(e) {
            Value::Nat(n) => Value::Nat((n + k) % 3),
            other => other,
        },
        Data::Pair(a, b) => match (value(a), value(b)) {
            (Value::D(d), Value::Nat(n)) => Value::Pair(d, n),
            other => panic!("{other:?} is no pair"),
        },
        Data::Left(e) => match value(e) {
            Value::Pair(d, _) => Value::D(d),
            other => other,
        },
        Data::Right(e) => match value(e) {
            Value::Pair(_, n) => Value::Nat(n),
            other => other,
        },
        Data::Equal(a, b) => Value::Bool(value(a) == value(b)),
        Data::Less(a, b) => Value::Bool(value(a) < value(b)),
        Data::Not(e) => Value::Bool(!truth(e)),
        Data::And(a, b) => Value::Bool(truth(a) && truth(b)),
        Data::Or(a, b) => Value::Bool(truth(a) || truth(b)),
        Data::If(c, a, b) => value(if truth(c) { a } else { b }),
    }
}

fn replace(data: &Data, name: &str, by: &Value) -> Data {
    let one = |e: &Data| Box::new(replace(e, name, by));
    match data {
        Data::Value(_) => data.clone(),
        Data::Variable(n) if n == name => Data::Value(by.clone()),
        Data::Variable(_) => data.clone(),
        Data::Next(e) => Data::Next(one(e)),
        Data::Plus(e, k) => Data::Plus(one(e), *k),
        Data::Pair(a, b) => Data::Pair(one(a), one(b)),
        Data::Left(e) => Data::Left(one(e)),
        Data::Right(e) => Data::Right(one(e)),
        Data::Equal(a, b) => Data::Equal(one(a), one(b)),
        Data::Less(a, b) => Data::Less(one(a), one(b)),
        Data::Not(e) => Data::Not(one(e)),
        Data::And(a, b) => Data::And(one(a), one(b)),
        Data::Or(a, b) => Data::Or(one(a), one(b)),
        Data::If(c, a, b) => Data::If(one(c), one(a), one(b)),
    }
}

/// A term with a value for a variable; an inner sum over the same name hides it.
fn substitute(term: &Term, name: &str, by: &Value) -> Term {
    let one = |t: &Term| Box::new(substitute(t, name, by));
    let data = |list: &[Data]| list.iter().map(|e| replace(e, name, by)).collect::<Vec<_>>();
    match term {
        Term::Delta => Term::Delta,
        Term::Act(actions) => {
            Term::Act(actions.iter().map(|(n, list)| (n.clone(), data(list))).collect())
        }
        Term::Choice(a, b) => Term::Choice(one(a), one(b)),
        Term::Sequence(a, b) => Term::Sequence(one(a), one(b)),
        Term::Sum(n, ..) if n == name => term.clone(),
        Term::Sum(n, sort, body) => Term::Sum(n.clone(), *sort, one(body)),
        Term::Condition(c, a, b) => {
            Term::Condition(replace(c, name, by), one(a), b.as_ref().map(|b| one(b)))
        }
        Term::Call(process, arguments) => Term::Call(*process, data(arguments)),
        Term::Parallel(a, b) => Term::Parallel(one(a), one(b)),
        Term::Hide(names, body) => Term::Hide(names.clone(), one(body)),
        Term::Block(names, body) => Term::Block(names.clone(), one(body)),
        Term::Allow(sets, body) => Term::Allow(sets.clone(), one(body)),
        Term::Rename(pairs, body) => Term::Rename(pairs.clone(), one(body)),
        Term::Comm(rules, body) => Term::Comm(rules.clone(), one(body)),
    }
}
