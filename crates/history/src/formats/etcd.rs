//! Operations as the robustness tests of etcd write them: a stream of `{"ClientId", "Input", "Call", "Output", "Return"}`.
//!
//! What they do to single keys is read: ranges of one key, and transactions without conditions that consist of one put,
//! delete or range. Everything else (leases, conditions on revisions, ranges of several keys) is refused by name: etcd's
//! own model knows about revisions, ours of a map does not.

use serde_json::Value as Json;

use super::json::{lines, object};
use super::{Entries, Entry, What};
use crate::datum::Datum;
use crate::spec::{Input, Output, Trouble};

pub(super) fn read(text: &str) -> Result<Entries, Trouble> {
    lines(text, line)
}

/// A field, if it is there and not null.
fn field<'j>(of: &'j Json, name: &str) -> Option<&'j Json> {
    of.get(name).filter(|v| !v.is_null())
}

pub(super) fn line(text: &str, number: u32) -> Result<Option<Entry>, Trouble> {
    let Some(object) = object(text, number)? else { return Ok(None) };
    let entry = Json::Object(object);
    let wrong = |message: String| Trouble { line: number, message };
    let missing = |name: &str| wrong(format!("there is no `{name}`"));
    let process = field(&entry, "ClientId").ok_or_else(|| missing("ClientId"))?;
    let input = field(&entry, "Input").ok_or_else(|| missing("Input"))?;
    let call = field(&entry, "Call").and_then(Json::as_i64).ok_or_else(|| missing("Call"))?;
    let ret = field(&entry, "Return").and_then(Json::as_i64);
    let output = field(&entry, "Output").unwrap_or(&Json::Null);
    let (name, args, place) = request(input).map_err(|what| {
        wrong(format!(
            "{what} of etcd cannot be judged by a map: only get, put and delete of one key can"
        ))
    })?;
    let unknown = ["Error", "ClientError"].iter().any(|name| {
        field(output, name).and_then(Json::as_str).is_some_and(|text| !text.is_empty())
    });
    let partial = ["Persisted", "PartialResponse", "ResultUnknown"];
    let partial = partial.iter().any(|name| output.get(*name) == Some(&Json::Bool(true)));
    let (output, ret) = match ret {
        None => (Output::Unknown, None),
        _ if output.is_null() || unknown => (Output::Unknown, None),
        // It is known to have taken effect, though not with which result.
        Some(ret) if partial => (Output::Result(None), Some(ret)),
        Some(ret) if name == "get" => (Output::Result(Some(found(output, place))), Some(ret)),
        Some(ret) => (Output::Result(None), Some(ret)),
    };
    let what = What::Whole { input: Input::Args(args), output, call, ret };
    let process = Datum::from_json(process);
    Ok(Some(Entry { line: number, process, name: name.into(), key: None, time: None, what }))
}

/// Where the answer to a request is.
#[derive(Clone, Copy)]
enum Place {
    Range,
    Txn,
}

/// A request: its name and arguments.
fn request(input: &Json) -> Result<(&'static str, Vec<Datum>, Place), String> {
    let get = |range: &Json, place| {
        let key = ["Start", "Key"].iter().find_map(|name| field(range, name));
        let end = ["End", "RangeEnd"].iter().find_map(|name| field(range, name)?.as_str());
        let revision = field(range, "Revision").and_then(Json::as_i64).unwrap_or(0);
        match (key, end.unwrap_or(""), revision) {
            (Some(key), "", 0) => Ok(("get", vec![Datum::from_json(key)], place)),
            (_, _, 0) => Err("a range of several keys".to_string()),
            _ => Err("a range at an old revision".to_string()),
        }
    };
    if let Some(range) = field(input, "Range") {
        return get(range, Place::Range);
    }
    let Some(txn) = field(input, "Txn") else {
        let kind = field(input, "Type").and_then(Json::as_str).unwrap_or("unknown");
        return Err(format!("a request of type `{kind}`"));
    };
    let list = |name: &str| match txn.get(name) {
        Some(Json::Array(all)) => all.as_slice(),
        _ => &[],
    };
    if !list("Conditions").is_empty() || !list("OperationsOnFailure").is_empty() {
        return Err("a transaction with conditions".to_string());
    }
    let [operation] = list("OperationsOnSuccess") else {
        return Err("a transaction of several operations".to_string());
    };
    let kind = field(operation, "Type").and_then(Json::as_str).unwrap_or("");
    match kind {
        "put-operation" | "put" => {
            let put = field(operation, "Put").unwrap_or(operation);
            let key = field(put, "Key").map(Datum::from_json).ok_or("a put without a key")?;
            Ok(("put", vec![key, value(put.get("Value"))], Place::Txn))
        }
        "delete-operation" | "delete" => {
            let delete = field(operation, "Delete").unwrap_or(operation);
            let key = field(delete, "Key").map(Datum::from_json).ok_or("a delete without a key")?;
            Ok(("delete", vec![key], Place::Txn))
        }
        "range-operation" | "range" => {
            get(field(operation, "Range").unwrap_or(operation), Place::Txn)
        }
        other => Err(format!("an operation of type `{other}`")),
    }
}

/// `{"Value": "1", "Hash": 0}`; of long values there is only the hash.
fn value(json: Option<&Json>) -> Datum {
    match json {
        None | Some(Json::Null) => Datum::Nil,
        Some(Json::Object(object)) => {
            let text = object.get("Value").and_then(Json::as_str).unwrap_or("");
            let hash = object.get("Hash").and_then(Json::as_i64).unwrap_or(0);
            match (text, hash) {
                ("", hash) if hash != 0 => Datum::text(&format!("hash {hash}")),
                (text, _) => Datum::text(text),
            }
        }
        Some(other) => Datum::from_json(other),
    }
}

/// The value that a range of one key found.
fn found(output: &Json, place: Place) -> Datum {
    let answer = match place {
        Place::Range => field(output, "Range"),
        Place::Txn => field(output, "Txn").and_then(|t| field(t, "Results")).and_then(|r| r.get(0)),
    };
    let first = answer.and_then(|a| field(a, "KVs")).and_then(|kvs| kvs.get(0));
    first.map_or(Datum::Nil, |kv| value(kv.get("Value")))
}
