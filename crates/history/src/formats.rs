//! From the text of a log to calls and returns, one file per format, and from these to operations (`gather`).
//!
//! Nothing here panics, whatever the text: it fails with a line and a reason.

mod edn;
mod etcd;
mod gather;
mod jepsen;
mod json;

pub(crate) use gather::{Clocks, Gather};

use std::sync::Arc;

use crate::datum::Datum;
use crate::history::History;
use crate::spec::{Input, Output, Spec, Trouble};

/// A format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Our own: a JSON object per line, for every call and return or for every operation.
    Json,
    /// Maps of Jepsen and Knossos.
    Edn,
    /// Lines of the log of Jepsen.
    Jepsen,
    /// Operations of etcd's robustness tests.
    Etcd,
}

/// How to read a log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// In which format; `None`: as the text looks.
    pub format: Option<Format>,
    /// Is a `cas` that fails one that returned false, if it repeats its arguments?
    pub failed_cas_returns: bool,
}

/// A time, in millionths of the unit of the log: whole numbers and fractions must be comparable.
pub(crate) type Time = i128;

/// The unit of a log.
pub(crate) const UNIT: Time = 1_000_000;

/// What a log says: somebody calls, or an operation ends, or both at once.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) line: u32,
    pub(crate) process: Datum,
    pub(crate) name: Arc<str>,
    pub(crate) key: Option<Datum>,
    pub(crate) time: Option<Time>,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Invoke(Input),
    Ok(Output),
    Fail(Option<Datum>),
    Info,
    /// A whole operation with its times; no time: it never returned.
    Whole {
        input: Input,
        output: Output,
        call: Time,
        ret: Option<Time>,
    },
}

/// Text, word by word or line by line.
pub(crate) struct Entries {
    pub(crate) entries: Vec<Entry>,
    pub(crate) warnings: Vec<(u32, String)>,
}

/// Reads a log.
///
/// # Errors
/// The first line that is wrong, and why.
pub fn read(text: &str, spec: &Spec, reading: &Reading) -> Result<History, Trouble> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = match reading.format {
        Some(format) => format,
        None => recognise(text)?,
    };
    let read = match format {
        Format::Json => json::read(text)?,
        Format::Edn => edn::read(text)?,
        Format::Jepsen => jepsen::read(text)?,
        Format::Etcd => etcd::read(text, spec.has_transactions())?,
    };
    let reading = Reading { format: Some(format), ..*reading };
    let mut gather = Gather::new(spec, reading, gather::pairs(&read.entries));
    for entry in read.entries {
        gather.add(entry)?;
    }
    let mut history = gather.finish()?;
    history.warnings = read.warnings;
    Ok(history)
}

/// One line of a log that grows, in a format that has lines.
pub(crate) fn line(text: &str, number: u32, format: Format) -> Result<Option<Entry>, Trouble> {
    match format {
        Format::Json => json::line(text, number),
        Format::Jepsen => Ok(jepsen::line(text, number)),
        Format::Etcd => etcd::line(text, number),
        Format::Edn => {
            Ok(edn::read(text)?.entries.into_iter().next().map(|e| Entry { line: number, ..e }))
        }
    }
}

/// The format of a text, by how it begins.
pub(crate) fn recognise(text: &str) -> Result<Format, Trouble> {
    let begin = text.trim_start();
    let first = begin.lines().next().unwrap_or("");
    let inside = begin.strip_prefix('{').map(str::trim_start);
    match inside {
        Some(_) if first.contains("\"ClientId\"") || first.contains("\"ClientID\"") => {
            Ok(Format::Etcd)
        }
        Some(inside) if inside.starts_with('"') => Ok(Format::Json),
        Some(_) => Ok(Format::Edn),
        None if begin.is_empty() => {
            Err(Trouble { line: 1, message: "the log is empty".to_string() })
        }
        None if begin.starts_with(['[', '(', ';']) || begin.starts_with("#{") => {
            let json = begin.starts_with('[') && begin[1..].trim_start().starts_with("{\"");
            match json {
                true => Err(Trouble {
                    line: 1,
                    message: "a JSON array is not a log; write one object per line".to_string(),
                }),
                false => Ok(Format::Edn),
            }
        }
        None if text.lines().any(|l| jepsen::line(l, 0).is_some()) => Ok(Format::Jepsen),
        None if begin.starts_with('#') => Ok(Format::Edn),
        None => Err(Trouble {
            line: 1,
            message:
                "this is no log in a known format: neither JSON lines nor EDN, and no line looks \
                      like `3  :invoke  :read  nil`"
                    .to_string(),
        }),
    }
}
