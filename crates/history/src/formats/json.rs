//! Our own format: JSON lines, easily written from any language.
//!
//! ```text
//! {"process": 0, "type": "invoke", "op": "push", "args": [1]}
//! {"process": 0, "type": "ok"}
//! {"process": 0, "op": "pop", "args": [], "result": 3, "call": 10, "return": 20}
//! ```
//!
//! `type` is `invoke`, `ok`, `fail` or `info`. The result is with the return; `key` may be a field of its own, `time` is
//! looked at only to see that it does not go backwards. Of a line for a whole operation `return` is missing or null if it
//! never returned. Fields that are not known are ignored.

use serde_json::{Map, Value as Json};

use super::{Entries, Entry, Time, UNIT, What};
use crate::datum::Datum;
use crate::spec::{Input, Output, Trouble};

pub(super) fn read(text: &str) -> Result<Entries, Trouble> {
    lines(text, line)
}

/// Reads line by line; the last one may be cut off.
pub(super) fn lines(
    text: &str,
    read: fn(&str, u32) -> Result<Option<Entry>, Trouble>,
) -> Result<Entries, Trouble> {
    let (mut entries, mut warnings) = (Vec::new(), Vec::new());
    let mut lines = text.split_inclusive('\n').zip(1u32..).peekable();
    while let Some((line, number)) = lines.next() {
        match read(line.trim(), number) {
            Ok(entry) => entries.extend(entry),
            Err(_) if lines.peek().is_none() && !line.ends_with('\n') && cut_off(line) => {
                warnings.push((number, "the last line is cut off and was left out".to_string()));
            }
            Err(trouble) => return Err(trouble),
        }
    }
    Ok(Entries { entries, warnings })
}

/// Does the text end in the middle of its JSON?
fn cut_off(line: &str) -> bool {
    serde_json::from_str::<Json>(line).is_err_and(|e| e.is_eof())
}

/// An object.
pub(super) fn object(text: &str, number: u32) -> Result<Option<Map<String, Json>>, Trouble> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |message: String| Err(Trouble { line: number, message });
    match serde_json::from_str(text) {
        Ok(Json::Object(object)) => Ok(Some(object)),
        Ok(_) => wrong("every line is an object: {\"process\": 0, \"op\": ...}".to_string()),
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at line").next().unwrap_or(&why);
            wrong(format!("this is no JSON: {why} (column {})", error.column()))
        }
    }
}

pub(super) fn line(text: &str, number: u32) -> Result<Option<Entry>, Trouble> {
    let Some(mut object) = object(text, number)? else { return Ok(None) };
    let wrong = |message: &str| Trouble { line: number, message: message.to_string() };
    let process = object.get("process").map(Datum::from_json);
    let process = process.ok_or_else(|| wrong("there is no `process`"))?;
    let name = ["op", "f"].iter().find_map(|field| object.get(*field)?.as_str());
    let name: std::sync::Arc<str> = name.unwrap_or("").into();
    let key = object.get("key").map(Datum::from_json);
    let time = |field: &str| match object.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(time) => {
            // The same unit for both: some languages write 5.0 as 5.
            let whole = time.as_i64().map(|t| Time::from(t) * UNIT);
            let time = whole.or_else(|| time.as_f64().map(|t| (t * UNIT as f64) as Time));
            time.map(Some).ok_or_else(|| wrong(&format!("`{field}` is no number")))
        }
    };
    let (now, call, ret) = (time("time")?, time("call")?, time("return")?);
    let kind = match object.get("type").or_else(|| object.get("status")) {
        None => None,
        Some(Json::String(kind)) => Some(kind.clone()),
        Some(_) => return Err(wrong("`type` is `invoke`, `ok`, `fail` or `info`")),
    };
    let args = match object.remove("args") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(args)) => args.iter().map(Datum::from_json).collect(),
        Some(_) => return Err(wrong("`args` is a list")),
    };
    let result = object.remove("result").map(|r| Datum::from_json(&r));
    let what = match (kind.as_deref(), call) {
        (Some("invoke" | "call"), None) => What::Invoke(Input::Args(args)),
        (Some("ok" | "return"), None) => What::Ok(Output::Result(result)),
        (Some("fail"), None) => What::Fail(None),
        (Some("info"), None) => What::Info,
        (None | Some("ok"), Some(call)) => {
            let output = if ret.is_some() { Output::Result(result) } else { Output::Unknown };
            What::Whole { input: Input::Args(args), output, call, ret }
        }
        (Some("info"), Some(call)) => {
            What::Whole { input: Input::Args(args), output: Output::Unknown, call, ret: None }
        }
        // It did not happen.
        (Some("fail"), Some(_)) => return Ok(None),
        (None, None) => {
            return Err(wrong(
                "there is neither a `type` (of a call or return) nor a `call` (a time)",
            ));
        }
        (Some(_), _) => return Err(wrong("`type` is `invoke`, `ok`, `fail` or `info`")),
    };
    if name.is_empty() && matches!(what, What::Invoke(_) | What::Whole { .. }) {
        return Err(wrong("there is no `op`"));
    }
    Ok(Some(Entry { line: number, process, name, key, time: now, what }))
}
