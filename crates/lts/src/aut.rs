//! The Aldebaran format `.aut`, as mCRL2 and CADP write it.
//!
//! ```text
//! des (0, 2, 2)
//! (0, "push(1)", 1)
//! (1, i, 0)
//! ```
//!
//! The first line has the initial state and the numbers of steps and states; then comes one step per
//! line. mCRL2 writes no blanks and quotes every label; CADP writes a blank after a comma and leaves
//! the quotes out where it can. Labels have no escapes, so a label is what is between the first and
//! the last comma of its line, without the quotes around it. Silent steps are `tau` (mCRL2) or `i`
//! (CADP), with or without quotes.
//!
//! Files are read and written line by line and never held in memory. What is not exactly right is
//! refused with the number of its line.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, Read, Write};

use crate::explicit::Explicit;
use crate::labelled::{Label, TAU};
use crate::outcome::Limit;
use crate::rows::{Edge, Rows};
use crate::watch::Watch;

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutError {
    /// The line, from 1.
    pub line: u64,
    /// A sentence.
    pub message: String,
}

impl fmt::Display for AutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for AutError {}

/// Whose habits are followed in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `(0,"tau",1)`
    Mcrl2,
    /// `(0, i, 1)`
    Cadp,
}

/// No label is as long as this; a longer line is not of this format.
const LONGEST: u64 = 1 << 20;

/// So many states may be in no step.
const SPARE: u64 = 1 << 20;

/// Reads a file.
pub fn read_aut(input: impl BufRead) -> Result<Explicit, AutError> {
    read_aut_until(input, &Watch::NEVER)
}

/// The same, with somebody to ask whether to go on and whether there is room; if not, there is an error, and
/// whoever was asked knows why.
pub fn read_aut_until(mut input: impl BufRead, watch: &Watch) -> Result<Explicit, AutError> {
    let mut lines = Lines { input: &mut input, number: 0, bytes: Vec::new() };
    let header = match lines.next()? {
        Some(line) => header(line),
        None => Err("the file is empty; it should begin with `des (`".to_string()),
    };
    let (initial, count, states) = lines.located(header)?;
    if initial >= states {
        let message = format!("the initial state {initial} is not one of the {states} states");
        return lines.located(Err(message));
    }
    // Every step names two states; a few may be in none, but not most of a great many.
    if u64::from(states) > count.saturating_mul(2).saturating_add(SPARE) {
        let message = format!("{states} states are far more than {count} steps can lead to");
        return lines.located(Err(message));
    }
    let mut labels = Labels::default();
    let (mut sources, mut edges): (Vec<u32>, Vec<Edge>) = Default::default();
    let mut sorted = true;
    while let Some(line) = lines.next()? {
        let step = step(line, states, &mut labels);
        let (source, label, target) = lines.located(step)?;
        if edges.len() as u64 == count {
            let message = format!("the first line promises {count} steps, and here is one more");
            return lines.located(Err(message));
        }
        if edges.len() == edges.capacity() {
            // A broken header must not make us allocate what the file cannot fill.
            let left = count - edges.len() as u64;
            let more = (edges.len() as u64).clamp(1 << 16, 1 << 22).min(left) as usize;
            lines.located(stopped(watch.room::<(u32, Edge)>(edges.len() + more)))?;
            sources.reserve_exact(more);
            edges.reserve_exact(more);
        }
        sorted &= sources.last().is_none_or(|last| *last <= source);
        sources.push(source);
        edges.push(Edge { label, target });
    }
    if (edges.len() as u64) < count {
        let found = edges.len();
        let message = format!("the file ends after {found} of the {count} steps promised");
        return lines.located(Err(message));
    }
    lines.located(stopped(watch.room::<[usize; 2]>(states as usize)))?;
    if !sorted {
        lines.located(stopped(watch.room::<Edge>(edges.len())))?;
        let steps = sources.iter().zip(&edges).map(|(s, e)| (*s, e.label, e.target));
        return Ok(Explicit::gathered(initial, states, labels.texts, steps));
    }
    // Most files are in order; then the steps are where they belong.
    let mut offsets = vec![0usize; states as usize + 1];
    sources.iter().for_each(|source| offsets[*source as usize + 1] += 1);
    drop(sources);
    for i in 0..states as usize {
        offsets[i + 1] += offsets[i];
    }
    Ok(Explicit::of(initial, labels.texts, Rows::tidied(offsets, edges)))
}

/// A limit as a message.
fn stopped(asked: Result<(), Limit>) -> Result<(), String> {
    asked.map_err(|limit| format!("not read to the end because of a limit ({})", limit.name()))
}

/// Lines that are not blank, with their numbers.
struct Lines<'a, R> {
    input: &'a mut R,
    number: u64,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<'_, R> {
    fn next(&mut self) -> Result<Option<&[u8]>, AutError> {
        loop {
            self.bytes.clear();
            self.number += 1;
            let read = self.input.by_ref().take(LONGEST).read_until(b'\n', &mut self.bytes);
            let length = self.located(read.map_err(|e| format!("cannot be read: {e}")))?;
            if length == 0 {
                self.number -= 1;
                return Ok(None);
            }
            if length as u64 == LONGEST && self.bytes.last() != Some(&b'\n') {
                return self.located(Err("this line is too long for a step".to_string()));
            }
            if !self.bytes.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some(self.bytes.trim_ascii()))
    }

    fn located<T>(&self, result: Result<T, String>) -> Result<T, AutError> {
        result.map_err(|message| AutError { line: self.number.max(1), message })
    }
}

/// The initial state and the numbers of steps and states.
fn header(line: &[u8]) -> Result<(u32, u64, u32), String> {
    let shape = || "the first line should be `des (initial state, steps, states)`".to_string();
    // Some editors put a byte order mark in front.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let inside = line.strip_prefix(b"des").ok_or_else(shape)?.trim_ascii();
    let inside = inside.strip_prefix(b"(").and_then(|l| l.strip_suffix(b")")).ok_or_else(shape)?;
    let mut fields = inside.split(|b| *b == b',').map(<[u8]>::trim_ascii);
    let (Some(initial), Some(steps), Some(states), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(shape());
    };
    if initial.contains(&b'/') {
        return Err("probabilistic transition systems are not supported".to_string());
    }
    Ok((state(initial)?, number(steps)?, state(states)?))
}

fn number(field: &[u8]) -> Result<u64, String> {
    let value = field.iter().try_fold(0u64, |value, digit| match digit {
        b'0'..=b'9' => value.checked_mul(10)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    });
    value.filter(|_| !field.is_empty()).ok_or_else(|| {
        let text: String = String::from_utf8_lossy(field).chars().take(40).collect();
        format!("`{text}` is not a number")
    })
}

fn state(field: &[u8]) -> Result<u32, String> {
    let value = number(field)?;
    let small = u32::try_from(value).ok().filter(|v| *v < u32::MAX);
    small
        .ok_or_else(|| format!("there cannot be a state {value}: states are numbered with 32 bits"))
}

/// The labels found so far.
struct Labels {
    numbers: HashMap<Box<[u8]>, Label>,
    texts: Vec<Box<str>>,
}

impl Default for Labels {
    fn default() -> Self {
        let silent = ["tau", "i"].map(|text| (text.as_bytes().into(), TAU));
        Labels { numbers: silent.into(), texts: vec!["tau".into()] }
    }
}

impl Labels {
    fn number(&mut self, text: &[u8]) -> Result<Label, String> {
        if let Some(label) = self.numbers.get(text) {
            return Ok(*label);
        }
        let readable = std::str::from_utf8(text).map_err(|_| "the label is not UTF-8 text")?;
        let label = self.texts.len() as Label;
        self.texts.push(readable.into());
        self.numbers.insert(text.into(), label);
        Ok(label)
    }
}

/// A line `(source, label, target)`.
fn step(line: &[u8], states: u32, labels: &mut Labels) -> Result<(u32, Label, u32), String> {
    let shape = || "a step should be `(source, label, target)`".to_string();
    let inside = line.strip_prefix(b"(").and_then(|l| l.strip_suffix(b")")).ok_or_else(shape)?;
    let first = inside.iter().position(|b| *b == b',').ok_or_else(shape)?;
    let last = inside.iter().rposition(|b| *b == b',').ok_or_else(shape)?;
    if first == last {
        return Err(shape());
    }
    let known = |field: &[u8]| {
        let number = state(field.trim_ascii())?;
        match number < states {
            true => Ok(number),
            false => Err(format!("state {number} is not one of the {states} states")),
        }
    };
    let label = inside[first + 1..last].trim_ascii();
    let text = match label {
        [] => return Err("the label is missing".to_string()),
        [b'"', text @ .., b'"'] => text,
        [b'"', ..] | [.., b'"'] => return Err("a quote around the label is missing".to_string()),
        text => text,
    };
    let (source, target) = (known(&inside[..first])?, known(&inside[last + 1..])?);
    Ok((source, labels.number(text)?, target))
}

/// Writes a file. Fails as the output does, and if a label could not be read again as it is.
pub fn write_aut(lts: &Explicit, dialect: Dialect, output: &mut impl Write) -> std::io::Result<()> {
    for text in &lts.labels()[1..] {
        let lost = match &**text {
            "tau" | "i" => "would be read as silent",
            text if text.contains(['\n', '\r']) => "has more than one line",
            _ => continue,
        };
        let message = format!("the label `{}` {lost}", text.escape_debug());
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
    }
    let (gap, silent) = match dialect {
        Dialect::Mcrl2 => ("", "\"tau\""),
        Dialect::Cadp => (" ", "i"),
    };
    let labels: Vec<String> = std::iter::once(silent.to_string())
        .chain(lts.labels()[1..].iter().map(|text| format!("\"{text}\"")))
        .collect();
    let (initial, steps, states) = (lts.initial(), lts.steps(), lts.states());
    writeln!(output, "des ({initial},{gap}{steps},{gap}{states})")?;
    for source in 0..states {
        for &Edge { label, target } in lts.edges(source) {
            writeln!(output, "({source},{gap}{},{gap}{target})", labels[label as usize])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Explicit, AutError> {
        read_aut(text.as_bytes())
    }

    fn steps(lts: &Explicit) -> Vec<(u32, &str, u32)> {
        let of = |s| lts.edges(s).iter().map(move |e| (s, e));
        let all = (0..lts.states()).flat_map(of);
        all.map(|(s, e)| (s, &*lts.labels()[e.label as usize], e.target)).collect()
    }

    #[test]
    fn files_of_both_tools_are_read() {
        let mcrl2 =
            "des (0,4,3)\n(0,\"push(1, 2)\",1)\n(0,\"tau\",2)\n(1,\"a|b\",2)\n(2,\"tau\",2)\n";
        let lts = read(mcrl2).unwrap();
        assert_eq!((lts.initial(), lts.states(), lts.steps()), (0, 3, 4));
        let expected = [(0, "tau", 2), (0, "push(1, 2)", 1), (1, "a|b", 2), (2, "tau", 2)];
        assert_eq!(steps(&lts), expected);
        let cadp = "des ( 1 , 3 , 3 )\r\n(1, PUT !TRUE, 0)\r\n (0, i, 2)\r\n(2, \"i\", 1)\r\n\r\n";
        let lts = read(cadp).unwrap();
        assert!(read(&format!("\u{feff}{mcrl2}")).is_ok());
        assert_eq!(lts.initial(), 1);
        assert_eq!(steps(&lts), [(0, "tau", 2), (1, "PUT !TRUE", 0), (2, "tau", 1)]);
    }

    #[test]
    fn labels_may_have_commas_quotes_and_parentheses() {
        let lts = read("des (0,2,1)\n(0,\"say(\"a, b\", [1,2])\",0)\n(0,f(x,y),0)\n").unwrap();
        assert_eq!(steps(&lts), [(0, "say(\"a, b\", [1,2])", 0), (0, "f(x,y)", 0)]);
    }

    #[test]
    fn broken_files_are_refused_with_the_line() {
        let cases: [(&str, u64, &str); 17] = [
            ("des (0,1,4000000000)\n(0,\"a\",1)", 1, "far more than 1 steps can lead to"),
            ("", 1, "the file is empty"),
            ("\n\ndas (0,0,1)", 3, "the first line should be"),
            ("des (0,0)", 1, "the first line should be"),
            ("des (0,0,x)", 1, "`x` is not a number"),
            ("des (0,0,)", 1, "`` is not a number"),
            ("des (0 1/2 1,0,2)", 1, "probabilistic"),
            ("des (1,0,1)", 1, "the initial state 1"),
            ("des (0,0,4294967295)", 1, "there cannot be a state"),
            ("des (0,1,1)\n(0,\"a\",0)\n(0,\"b\",0)\n", 3, "promises 1 steps"),
            ("des (0,3,1)\n(0,\"a\",0)\n\n", 3, "ends after 1 of the 3"),
            ("des (0,1,1)\n(0,\"a\",1)\n", 2, "state 1 is not one of the 1"),
            ("des (0,1,1)\n(0,\"a\"0)\n", 2, "a step should be"),
            ("des (0,1,1)\n(0,\"a,0)\n", 2, "a quote around the label"),
            ("des (0,1,1)\n(0,,0)\n", 2, "the label is missing"),
            ("des (0,1,1)\n(0,\"a\",0\n", 2, "a step should be"),
            ("des (0,1,1)\n(-1,\"a\",0)\n", 2, "`-1` is not a number"),
        ];
        for (text, line, message) in cases {
            let error = read(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.message.contains(message), "{text:?}: {error}");
        }
        let error = read_aut(&b"des (0,1,1)\n(0,\"\xff\",0)\n"[..]).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (2, "the label is not UTF-8 text"));
        let long = format!("des (0,1,1)\n(0,\"{}\",0)\n", "x".repeat(2 << 20));
        assert!(read(&long).unwrap_err().message.contains("too long"));
    }

    #[test]
    fn steps_may_be_in_any_order_and_reading_may_be_stopped() {
        let text = "des (0,4,3)\n(2,\"a\",0)\n(0,\"b\",1)\n(0,\"a\",2)\n(1,\"tau\",1)\n";
        let expected = [(0, "a", 2), (0, "b", 1), (1, "tau", 1), (2, "a", 0)];
        assert_eq!(steps(&read(text).unwrap()), expected);
        let watch = Watch::new(|bytes| (bytes > 0).then_some(Limit::Memory));
        let error = read_aut_until(text.as_bytes(), &watch).unwrap_err();
        assert!(error.message.contains("because of a limit"), "{error}");
        assert_eq!(watch.told(), Some(Limit::Memory));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = "des (2,5,4)\n(0,\"tau\",1)\n(0,\"say(\"a,b\")\",3)\n(0,\"c\",0)\n(2,\"tau\",0)\n(2,\"c\",1)\n";
        let lts = read(text).unwrap();
        let mut written = Vec::new();
        write_aut(&lts, Dialect::Mcrl2, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
        let mut written = Vec::new();
        write_aut(&lts, Dialect::Cadp, &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(
            written.starts_with("des (2, 5, 4)\n(0, i, 1)\n(0, \"say(\"a,b\")\", 3)\n"),
            "{written}"
        );
        assert_eq!(read(&written).unwrap(), lts);
    }

    #[test]
    fn a_label_that_could_not_be_read_again_is_not_written() {
        for text in ["i", "tau", "a\nb"] {
            let lts = Explicit::new(0, 1, vec!["tau".into(), text.into()], &[(0, 1, 0)]);
            assert!(write_aut(&lts, Dialect::Mcrl2, &mut Vec::new()).is_err(), "{text:?}");
        }
    }
}
