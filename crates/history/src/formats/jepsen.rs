//! Lines of the log of Jepsen: `INFO  jepsen.util - 3  :invoke  :cas  [1 4]`, with tabs or spaces, and other lines between.

use super::{Entries, Entry, edn};
use crate::datum::Datum;
use crate::spec::Trouble;

pub(super) fn read(text: &str) -> Result<Entries, Trouble> {
    let entries: Vec<Entry> =
        text.lines().zip(1u32..).filter_map(|(text, number)| line(text, number)).collect();
    match entries.is_empty() {
        true => Err(Trouble {
            line: 1,
            message: "no line looks like `3  :invoke  :read  nil`".to_string(),
        }),
        false => Ok(Entries { entries, warnings: Vec::new() }),
    }
}

/// A line that is about an operation.
pub(super) fn line(text: &str, number: u32) -> Option<Entry> {
    let kinds = [":invoke", ":ok", ":fail", ":info"];
    // The type stands between the process and the operation.
    let (at, kind) = kinds
        .iter()
        .filter_map(|kind| {
            let at = text.find(kind)?;
            let after = text[at + kind.len()..].chars().next()?;
            (after.is_whitespace()).then_some((at, *kind))
        })
        .min()?;
    let process = text[..at].split_whitespace().next_back()?;
    let process = Datum::Int(process.parse().ok()?);
    let rest = text[at + kind.len()..].trim_start();
    let name_end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = rest[..name_end].strip_prefix(':')?;
    let value = rest[name_end..].trim();
    // What comes after the value, such as the reason of a failure, is not part of it.
    let value = match value {
        "" => Datum::Nil,
        text => {
            edn::value(text.split('\t').next().unwrap_or(text).trim()).or_else(|| first(text))?
        }
    };
    let what = edn::what(&kind[1..], value)?;
    Some(Entry { line: number, process, name: name.into(), key: None, time: None, what })
}

/// The first of several values.
fn first(text: &str) -> Option<Datum> {
    edn::value(&format!("[{text}]"))?.elements()?.first().cloned()
}
