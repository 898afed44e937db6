//! Operations as the robustness tests of etcd write them: a stream of `{"ClientId", "Input", "Call", "Output", "Return"}`.
//!
//! Of a map: ranges of one key; transactions of one put, delete or range; and a put under the one condition that its key is not
//! there (a `cas` from nil). Of a multi-register: transactions without conditions, of any number of these. What does not
//! touch values (compaction, defragmentation, granting a lease) is left out. Everything else is refused by name, since its
//! effect is not certain in a map: conditions on revisions and versions, ranges of several keys or at old revisions, reads
//! that need not be linearizable, and leases with keys. Etcd's own model knows about revisions; ours does not.

use serde_json::Value as Json;

use super::json::{lines, object};
use super::{Entries, Entry, Time, What};
use crate::datum::Datum;
use crate::spec::{Input, Output, Trouble};

/// Reads a log; every request as a transaction, if these are wanted.
pub(super) fn read(text: &str, transactions: bool) -> Result<Entries, Trouble> {
    lines(text, if transactions { transaction } else { line })
}

/// A field, if it is there and not null.
fn field<'j>(of: &'j Json, name: &str) -> Option<&'j Json> {
    of.get(name).filter(|v| !v.is_null())
}

fn list<'j>(of: &'j Json, name: &str) -> &'j [Json] {
    match of.get(name) {
        Some(Json::Array(all)) => all,
        _ => &[],
    }
}

fn number(of: &Json, name: &str) -> i64 {
    field(of, name).and_then(Json::as_i64).unwrap_or(0)
}

fn is_true(of: &Json, name: &str) -> bool {
    of.get(name) == Some(&Json::Bool(true))
}

pub(super) fn line(text: &str, number: u32) -> Result<Option<Entry>, Trouble> {
    entry(text, number, false)
}

fn transaction(text: &str, number: u32) -> Result<Option<Entry>, Trouble> {
    entry(text, number, true)
}

fn entry(text: &str, number: u32, transactions: bool) -> Result<Option<Entry>, Trouble> {
    let Some(object) = object(text, number)? else { return Ok(None) };
    let entry = Json::Object(object);
    let wrong = |message: String| Trouble { line: number, message };
    let missing = |name: &str| wrong(format!("there is no `{name}`"));
    let process = field(&entry, "ClientId").ok_or_else(|| missing("ClientId"))?;
    let input = field(&entry, "Input").ok_or_else(|| missing("Input"))?;
    let time = |name: &str| field(&entry, name).and_then(Json::as_i64).map(Time::from);
    let call = time("Call").ok_or_else(|| missing("Call"))?;
    let ret = time("Return");
    let output = field(&entry, "Output").unwrap_or(&Json::Null);
    let refused = |what: String| {
        let by = if transactions { "a multi-register" } else { "a map" };
        wrong(format!("{what} of etcd cannot be judged by {by}"))
    };
    let Some(request) = request(input).map_err(refused)? else { return Ok(None) };
    let unknown = ["Error", "ClientError"].iter().any(|name| {
        field(output, name).and_then(Json::as_str).is_some_and(|text| !text.is_empty())
    });
    let unknown = unknown || output.is_null() || ret.is_none();
    // It is known to have taken effect, though not with which result.
    let partial = ["Persisted", "PartialResponse", "ResultUnknown"];
    let partial = partial.iter().any(|name| is_true(output, name));
    let reads =
        matches!(&request, Request::Accesses(all, _) if all.iter().all(|a| a.kind == Kind::Get));
    if reads && !unknown && self::number(output, "Revision") == NOT_LINEARIZABLE {
        return Err(refused("a read that need not be linearizable".to_string()));
    }
    let known = !unknown && !partial;
    let (name, args, result) = match (&request, transactions) {
        (Request::Create(key, value), false) => {
            let done = known && field(output, "Txn").is_some();
            let success = field(output, "Txn").is_none_or(|txn| !is_true(txn, "Failure"));
            let args = vec![key.clone(), Datum::Nil, value.clone()];
            ("cas", args, done.then_some(Datum::Bool(success)))
        }
        (Request::Create(..), true) => {
            return Err(refused("a transaction with conditions".to_string()));
        }
        (Request::Accesses(all, place), true) => {
            let shown = |found: bool| {
                let one = |(i, access): (usize, &Access)| {
                    let (how, value) = match access.kind {
                        Kind::Get if found => ("r", self::found(output, *place, i)),
                        Kind::Get => ("r", Datum::Nil),
                        Kind::Put | Kind::Delete => ("w", access.value.clone()),
                    };
                    Datum::list(vec![Datum::text(how), access.key.clone(), value])
                };
                Datum::list(all.iter().enumerate().map(one).collect())
            };
            ("txn", vec![shown(false)], known.then(|| shown(true)))
        }
        (Request::Accesses(all, place), false) => {
            let [access] = all.as_slice() else {
                let what = "a transaction of several operations";
                return Err(refused(format!("{what} (`--spec multi-register` has them)")));
            };
            let key = access.key.clone();
            match access.kind {
                Kind::Get => ("get", vec![key], known.then(|| found(output, *place, 0))),
                Kind::Put => ("put", vec![key, access.value.clone()], None),
                Kind::Delete => ("delete", vec![key], None),
            }
        }
    };
    let (output, ret) = match unknown {
        true => (Output::Unknown, None),
        false => (Output::Result(result), ret),
    };
    let what = What::Whole { input: Input::Args(args), output, call, ret };
    let process = Datum::from_json(process);
    Ok(Some(Entry { line: number, process, name: name.into(), key: None, time: None, what }))
}

/// The revision that etcd's tests give to answers that need not be linearizable.
const NOT_LINEARIZABLE: i64 = -1;

/// Where the answer to a request is.
#[derive(Clone, Copy)]
enum Place {
    Range,
    Txn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Get,
    Put,
    Delete,
}

/// What is done to one key; a delete writes nil.
struct Access {
    kind: Kind,
    key: Datum,
    value: Datum,
}

/// What is asked for.
enum Request {
    Accesses(Vec<Access>, Place),
    /// A put of a key that must not be there.
    Create(Datum, Datum),
}

/// A request; nothing if it touches no values.
fn request(input: &Json) -> Result<Option<Request>, String> {
    if let Some(range) = field(input, "Range") {
        return Ok(Some(Request::Accesses(vec![get(range)?], Place::Range)));
    }
    let Some(txn) = field(input, "Txn") else {
        return match field(input, "Type").and_then(Json::as_str).unwrap_or("unknown") {
            "compact" | "defragment" | "leaseGrant" => Ok(None),
            kind => Err(format!("a request of type `{kind}`")),
        };
    };
    if !list(txn, "OperationsOnFailure").is_empty() {
        return Err("a transaction with operations for its failure".to_string());
    }
    let accesses = list(txn, "OperationsOnSuccess").iter().map(access);
    let mut accesses: Vec<Access> = accesses.collect::<Result<_, _>>()?;
    match (list(txn, "Conditions"), accesses.as_mut_slice()) {
        ([], []) => Ok(None),
        ([], _) => Ok(Some(Request::Accesses(accesses, Place::Txn))),
        ([condition], [put])
            if put.kind == Kind::Put
                && field(condition, "Key").map(Datum::from_json).as_ref() == Some(&put.key)
                && number(condition, "ExpectedRevision") == 0
                && number(condition, "ExpectedVersion") == 0 =>
        {
            let value = std::mem::replace(&mut put.value, Datum::Nil);
            Ok(Some(Request::Create(put.key.clone(), value)))
        }
        _ => Err("a transaction with conditions on revisions, or on other keys".to_string()),
    }
}

/// A range of one key.
fn get(range: &Json) -> Result<Access, String> {
    let key = ["Start", "Key"].iter().find_map(|name| field(range, name));
    let end = ["End", "RangeEnd"].iter().find_map(|name| field(range, name)?.as_str());
    match (key, end.unwrap_or(""), number(range, "Revision")) {
        (Some(key), "", 0) => {
            Ok(Access { kind: Kind::Get, key: Datum::from_json(key), value: Datum::Nil })
        }
        (_, _, 0) => Err("a range of several keys".to_string()),
        _ => Err("a range at an old revision".to_string()),
    }
}

/// An operation of a transaction.
fn access(operation: &Json) -> Result<Access, String> {
    let kind = field(operation, "Type").and_then(Json::as_str).unwrap_or("");
    match kind {
        "put-operation" | "put" => {
            let put = field(operation, "Put").unwrap_or(operation);
            if number(put, "LeaseID") != 0 {
                return Err("a put with a lease".to_string());
            }
            let key = field(put, "Key").map(Datum::from_json).ok_or("a put without a key")?;
            Ok(Access { kind: Kind::Put, key, value: value(put.get("Value")) })
        }
        "delete-operation" | "delete" => {
            let delete = field(operation, "Delete").unwrap_or(operation);
            let key = field(delete, "Key").map(Datum::from_json).ok_or("a delete without a key")?;
            Ok(Access { kind: Kind::Delete, key, value: Datum::Nil })
        }
        "range-operation" | "range" => get(field(operation, "Range").unwrap_or(operation)),
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

/// The value that a range of one key found; of a transaction, that of its operation with this number.
fn found(output: &Json, place: Place, i: usize) -> Datum {
    let answer = match place {
        Place::Range => field(output, "Range"),
        Place::Txn => field(output, "Txn").and_then(|txn| list(txn, "Results").get(i)),
    };
    let first = answer.and_then(|a| list(a, "KVs").first());
    first.map_or(Datum::Nil, |kv| value(kv.get("Value")))
}
