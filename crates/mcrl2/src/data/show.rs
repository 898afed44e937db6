//! Values as mCRL2 writes them.

use super::store::{Node, Store, Value};
use crate::builtin::Builtin;
use crate::check::Spec;

/// A value as text.
pub(crate) fn show(spec: &Spec, store: &Store, value: Value) -> String {
    let Some(node) = store.node(value) else {
        return super::store::as_int(value).to_string();
    };
    let one = |value: &Value| show(spec, store, *value);
    let all = |list: &[Value]| list.iter().map(one).collect::<Vec<_>>().join(", ");
    match node {
        Node::Bool(b) => b.to_string(),
        Node::Big(n) => n.to_string(),
        Node::Nil => "[]".into(),
        Node::Cons(head, tail) => match store.list(value) {
            Some(elements) => format!("[{}]", all(&elements)),
            None => format!("{} |> {}", one(head), one(tail)),
        },
        Node::Op(op, list) if list.is_empty() => spec.ops[*op as usize].name.clone(),
        Node::Op(op, list) => {
            let op = &spec.ops[*op as usize];
            let (first, rest) = list.split_at(op.parameters.len().min(list.len()));
            let first = if first.is_empty() { String::new() } else { format!("({})", all(first)) };
            let rest = if rest.is_empty() { String::new() } else { format!("({})", all(rest)) };
            format!("{}{first}{rest}", op.name)
        }
        Node::Set(list) => format!("{{{}}}", all(list)),
        Node::Bag(list) if list.is_empty() => "{:}".into(),
        Node::Bag(list) => {
            let each = |(e, n): &(Value, Value)| format!("{}: {}", one(e), one(n));
            format!("{{{}}}", list.iter().map(each).collect::<Vec<_>>().join(", "))
        }
        Node::Closure(lambda, captured) | Node::Comprehension(_, _, lambda, captured) => {
            let text = &spec.lambdas[*lambda as usize].text;
            match captured.is_empty() {
                true => text.clone(),
                false => format!("({text} with {})", all(captured)),
            }
        }
        Node::Updated(function, updates) => {
            let mut text = format!("({})", one(function));
            for (key, value) in updates {
                text += &format!("[{} -> {}]", one(key), one(value));
            }
            text
        }
        Node::Stuck(Builtin::Update, list) => {
            format!("({})[{} -> {}]", one(&list[0]), one(&list[1]), one(&list[2]))
        }
        Node::Stuck(builtin, list) => match (builtin.is_infix(), &**list) {
            (true, [a]) => format!("{}({})", builtin.name(), one(a)),
            (true, [a, b]) => format!("({} {} {})", one(a), builtin.name(), one(b)),
            _ => format!("{}({})", builtin.name(), all(list)),
        },
        Node::Applied(function, list) => format!("({})({})", one(function), all(list)),
        Node::If([c, a, b]) => format!("if({}, {}, {})", one(c), one(a), one(b)),
    }
}
