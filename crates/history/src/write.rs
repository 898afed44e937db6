//! A history as a log, in every format that can be read: for generators, and to see that reading is right.

use crate::builtin::Code;
use crate::datum::Datum;
use crate::formats::Format;
use crate::history::Operation;
use crate::spec::Spec;

/// Writes a history of one object. Of our own format, whole operations if `whole`, otherwise calls and returns. Nothing if
/// the format has no words for an operation.
pub fn write(spec: &Spec, operations: &[Operation], format: Format, whole: bool) -> Option<String> {
    let mut events: Vec<(u32, bool, &Operation)> = Vec::with_capacity(2 * operations.len());
    for operation in operations {
        events.push((operation.call, false, operation));
        if operation.returns() && !(whole || format == Format::Etcd) {
            events.push((operation.ret, true, operation));
        }
    }
    events.sort_by_key(|e| (e.0, e.1));
    let mut text = String::new();
    for (place, is_return, operation) in events {
        let (name, process) = (spec.op_name(operation.op), operation.process);
        let line = match format {
            Format::Json if whole => {
                let mut line = format!(
                    "{{\"process\":{process},\"op\":\"{name}\",\"args\":{}",
                    Datum::list(arguments(spec, operation)).to_json()
                );
                if let Some(result) = result(spec, operation) {
                    line += &format!(",\"result\":{}", result.to_json());
                }
                line += &format!(",\"call\":{}", operation.call);
                if operation.returns() {
                    line += &format!(",\"return\":{}", operation.ret);
                }
                line + "}"
            }
            Format::Json if is_return => {
                let result = result(spec, operation);
                let result =
                    result.map_or(String::new(), |r| format!(",\"result\":{}", r.to_json()));
                format!(
                    "{{\"process\":{process},\"type\":\"ok\",\"op\":\"{name}\"{result},\"time\":{place}}}"
                )
            }
            Format::Json => format!(
                "{{\"process\":{process},\"type\":\"invoke\",\"op\":\"{name}\",\"args\":{},\"time\":{place}}}",
                Datum::list(arguments(spec, operation)).to_json()
            ),
            Format::Edn | Format::Jepsen => {
                let value = jepsen(spec, operation, is_return)?;
                let kind = if is_return { "ok" } else { "invoke" };
                match format {
                    Format::Edn => {
                        format!("{{:process {process}, :type :{kind}, :f :{name}, :value {value}}}")
                    }
                    _ => format!("INFO  jepsen.util - {process}\t:{kind}\t:{name}\t{value}"),
                }
            }
            Format::Etcd => etcd(spec, operation)?,
        };
        text += &line;
        text.push('\n');
    }
    Some(text)
}

fn arguments(spec: &Spec, operation: &Operation) -> Vec<Datum> {
    match spec.code(operation.op) {
        Some(Code::Txn) => vec![accesses(operation, None)],
        _ => operation.args.to_vec(),
    }
}

fn result(spec: &Spec, operation: &Operation) -> Option<Datum> {
    match (spec.code(operation.op), &operation.result) {
        (Some(Code::Txn), Some(results)) => Some(accesses(operation, results.elements())),
        (_, result) => result.clone(),
    }
}

/// `[[r x nil] [w y 1]]`
fn accesses(operation: &Operation, results: Option<&[Datum]>) -> Datum {
    let one = |(i, access): (usize, &Datum)| match access.elements() {
        Some([Datum::Bool(write), key, value]) => {
            let value = results.and_then(|r| r.get(i)).unwrap_or(value).clone();
            Datum::list(vec![Datum::text(if *write { "w" } else { "r" }), key.clone(), value])
        }
        _ => Datum::Nil,
    };
    Datum::list(
        operation.args[0].elements().unwrap_or_default().iter().enumerate().map(one).collect(),
    )
}

/// The value of an entry of Jepsen.
fn jepsen(spec: &Spec, operation: &Operation, is_return: bool) -> Option<Datum> {
    let code = spec.code(operation.op)?;
    // Nor can it be said that something returned, but nobody knows what.
    let says = !matches!(
        code,
        Code::Write
            | Code::Add
            | Code::Increment
            | Code::Decrement
            | Code::Raise
            | Code::Acquire
            | Code::Release
            | Code::Push
            | Code::SetAdd
            | Code::SetRemove
            | Code::SetContains
            | Code::Insert
            | Code::Put
            | Code::Append
            | Code::Delete
            | Code::LogAppend
    ) && (code != Code::Enqueue || spec.limit().is_some());
    if is_return && says && operation.result.is_none() {
        return None;
    }
    // What is not `:ok` with its value cannot be said.
    let success = operation.result == Some(Datum::Bool(false));
    Some(match (code, &*operation.args) {
        (Code::Txn, _) => accesses(
            operation,
            operation.result.as_ref().and_then(Datum::elements).filter(|_| is_return),
        ),
        (Code::LogAppend, _) if operation.result.is_some() => return None,
        (_, []) if is_return => operation.result.clone().unwrap_or(Datum::Nil),
        (_, []) => Datum::Nil,
        (Code::Get | Code::Delete, [key]) => {
            let result = operation.result.clone().filter(|_| is_return);
            Datum::list(vec![key.clone(), result.unwrap_or(Datum::Nil)])
        }
        (Code::SetAdd | Code::SetRemove | Code::SetContains | Code::Enqueue, [value]) => {
            match (&operation.result, is_return) {
                (Some(result), true) => result.clone(),
                (None, true) if matches!(value, Datum::Bool(_)) => return None,
                _ => value.clone(),
            }
        }
        (Code::LogGet, [place]) => match (&operation.result, is_return) {
            (Some(result), true) => result.clone(),
            (None, true) => return None,
            _ => place.clone(),
        },
        (Code::Cas | Code::CasKey, _) if success && is_return => match &*operation.args {
            [key, _, _] => Datum::list(vec![key.clone(), Datum::Bool(false)]),
            _ => Datum::Bool(false),
        },
        (Code::GetAndAdd, [n]) => {
            operation.result.clone().filter(|_| is_return).unwrap_or(n.clone())
        }
        (_, [key, old, new]) => {
            Datum::list(vec![key.clone(), Datum::list(vec![old.clone(), new.clone()])])
        }
        (_, [a, b]) => Datum::list(vec![a.clone(), b.clone()]),
        (_, [value]) => value.clone(),
        _ => return None,
    })
}

fn etcd(spec: &Spec, operation: &Operation) -> Option<String> {
    let text = |datum: &Datum| match datum {
        Datum::Text(_) => Some(datum.to_json().to_string()),
        _ => None,
    };
    let key = text(operation.args.first()?)?;
    let value = |value: &Datum| Some(format!("{{\"Value\":{},\"Hash\":0}}", text(value)?));
    let txn = |inner: String| {
        format!(
            "{{\"Type\":\"txn\",\"Range\":null,\"Txn\":{{\"Conditions\":null,\"OperationsOnSuccess\":[{inner}],\"OperationsOnFailure\":null}}}}"
        )
    };
    let (input, output) = match spec.code(operation.op)? {
        Code::Get => {
            let found = match &operation.result {
                None if operation.returns() => return None,
                None | Some(Datum::Nil) => "null".to_string(),
                Some(found) => {
                    format!("[{{\"Key\":{key},\"Value\":{},\"ModRevision\":1}}]", value(found)?)
                }
            };
            let range = format!(
                "{{\"Type\":\"range\",\"Range\":{{\"Start\":{key},\"End\":\"\",\"Limit\":0,\"Revision\":0}},\"Txn\":null}}"
            );
            (
                range,
                format!(
                    "{{\"Txn\":null,\"Range\":{{\"KVs\":{found},\"Count\":1}},\"Revision\":1}}"
                ),
            )
        }
        Code::Put if text(&operation.args[1]).is_some() => {
            let put = format!(
                "{{\"Type\":\"put-operation\",\"Put\":{{\"Key\":{key},\"Value\":{},\"LeaseID\":0}}}}",
                value(&operation.args[1])?
            );
            (
                txn(put),
                "{\"Txn\":{\"Failure\":false,\"Results\":[{\"KVs\":null}]},\"Revision\":1}"
                    .to_string(),
            )
        }
        Code::Delete => {
            let delete = format!("{{\"Type\":\"delete-operation\",\"Delete\":{{\"Key\":{key}}}}}");
            (
                txn(delete),
                "{\"Txn\":{\"Failure\":false,\"Results\":[{\"Deleted\":1}]},\"Revision\":1}"
                    .to_string(),
            )
        }
        _ => return None,
    };
    let (output, ret) = match operation.returns() {
        true => (output, operation.ret),
        false => ("{\"Error\":\"timeout\"}".to_string(), operation.call + 1),
    };
    let (process, call) = (operation.process, operation.call);
    Some(format!(
        "{{\"ClientId\":{process},\"Input\":{input},\"Call\":{call},\"Output\":{output},\"Return\":{ret}}}"
    ))
}
