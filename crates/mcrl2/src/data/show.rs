//! Values as mCRL2 writes them.
//!
//! Values may be as deep as lists are long, so what is still to be written is kept in a list of our own.

use super::store::{Node, Store, Value, as_int};
use crate::builtin::Builtin;
use crate::check::Spec;

/// What is still to be written.
enum Rest<'s> {
    Text(&'s str),
    Of(Value),
}

/// A value as text.
pub(crate) fn show(spec: &Spec, store: &Store, value: Value) -> String {
    let mut text = String::new();
    let mut todo = vec![Rest::Of(value)];
    while let Some(rest) = todo.pop() {
        match rest {
            Rest::Text(part) => text.push_str(part),
            Rest::Of(value) => {
                let from = todo.len();
                one(spec, store, value, &mut text, &mut todo);
                // What was written last is to come last.
                todo[from..].reverse();
            }
        }
    }
    text
}

/// Appends values with commas between them.
fn all<'s>(list: impl IntoIterator<Item = Value>, todo: &mut Vec<Rest<'s>>) {
    for (i, value) in list.into_iter().enumerate() {
        todo.extend((i > 0).then_some(Rest::Text(", ")));
        todo.push(Rest::Of(value));
    }
}

/// The parts of one value, in order; what has none is written at once.
fn one<'s>(
    spec: &'s Spec,
    store: &'s Store,
    value: Value,
    text: &mut String,
    todo: &mut Vec<Rest<'s>>,
) {
    use Rest::{Of, Text};
    let Some(node) = store.node(value) else {
        return text.push_str(&as_int(value).to_string());
    };
    let brackets = |open, list: &[Value], close, todo: &mut Vec<Rest<'s>>| {
        todo.push(Text(open));
        all(list.iter().copied(), todo);
        todo.push(Text(close));
    };
    match node {
        Node::Bool(b) => text.push_str(if *b { "true" } else { "false" }),
        Node::Big(n) => text.push_str(&n.to_string()),
        Node::Nil => text.push_str("[]"),
        Node::Cons(head, tail) => match store.list(value) {
            Some(elements) => brackets("[", &elements, "]", todo),
            None => todo.extend([Of(*head), Text(" |> "), Of(*tail)]),
        },
        Node::Op(op, list) => {
            let op = &spec.ops[*op as usize];
            let (first, rest) = list.split_at(op.parameters.len().min(list.len()));
            todo.push(Text(&op.name));
            for list in [first, rest].into_iter().filter(|list| !list.is_empty()) {
                brackets("(", list, ")", todo);
            }
        }
        Node::Set(list) => brackets("{", list, "}", todo),
        Node::Bag(list) if list.is_empty() => text.push_str("{:}"),
        Node::Bag(list) => {
            for (i, (e, n)) in list.iter().enumerate() {
                let before = if i == 0 { "{" } else { ", " };
                todo.extend([Text(before), Of(*e), Text(": "), Of(*n)]);
            }
            todo.push(Text("}"));
        }
        Node::Closure(lambda, captured) | Node::Comprehension(_, _, lambda, captured) => {
            let lambda = &spec.lambdas[*lambda as usize].text;
            match captured.is_empty() {
                true => todo.push(Text(lambda)),
                false => {
                    todo.extend([Text("("), Text(lambda)]);
                    brackets(" with ", captured, ")", todo);
                }
            }
        }
        Node::Updated(function, updates) => {
            todo.extend([Text("("), Of(*function), Text(")")]);
            for (key, value) in updates {
                todo.extend([Text("["), Of(*key), Text(" -> "), Of(*value), Text("]")]);
            }
        }
        Node::Stuck(Builtin::Update, list) => {
            todo.extend([Text("("), Of(list[0]), Text(")["), Of(list[1])]);
            todo.extend([Text(" -> "), Of(list[2]), Text("]")]);
        }
        Node::Stuck(builtin, list) => match (builtin.is_infix(), &**list) {
            (true, [a, b]) => {
                todo.extend([Text("("), Of(*a), Text(" "), Text(builtin.name())]);
                todo.extend([Text(" "), Of(*b), Text(")")]);
            }
            _ => {
                todo.push(Text(builtin.name()));
                brackets("(", list, ")", todo);
            }
        },
        Node::Applied(function, list) => {
            todo.extend([Text("("), Of(*function), Text(")")]);
            brackets("(", list, ")", todo);
        }
        Node::If(parts) => brackets("if(", parts, ")", todo),
    }
}
