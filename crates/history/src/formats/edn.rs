//! EDN, as Jepsen and Knossos write histories: a vector, a list or a stream of maps with `:process :type :f :value`.
//!
//! A small reader of our own: what is needed is a page, and places in the text are wanted. Tagged literals are read as
//! what they tag, `#_` and comments are skipped, sets are lists.

use std::sync::Arc;

use super::{Entries, Entry, Time, What};
use crate::datum::Datum;
use crate::spec::{Input, Output, Trouble};

/// Values in values in values, at most.
const DEEPEST: usize = 200;

pub(super) fn read(text: &str) -> Result<Entries, Trouble> {
    let (mut entries, mut warnings) = (Vec::new(), Vec::new());
    let mut reader = Reader { text, at: 0, line: 1 };
    // A vector around everything is taken off, so that a log that is cut off is read as far as it goes.
    reader.skip(0);
    let wrapped = reader.rest().starts_with(['[', '(']);
    if wrapped {
        reader.advance(1);
    }
    loop {
        reader.skip(0);
        match reader.rest().chars().next() {
            None if wrapped => {
                warnings.push((reader.line, "the log is cut off".to_string()));
                break;
            }
            None => break,
            Some(']' | ')') if wrapped => {
                reader.advance(1);
                reader.skip(0);
                if !reader.rest().is_empty() {
                    return Err(reader.wrong("something follows the end of the history"));
                }
                break;
            }
            Some(',') => reader.advance(1),
            Some(_) => {}
        }
        let line = reader.line;
        let datum = match reader.datum(0) {
            Ok(datum) => datum,
            Err(_) if reader.rest().is_empty() => {
                warnings.push((line, "the last entry is cut off and was left out".to_string()));
                break;
            }
            Err(trouble) => return Err(trouble),
        };
        entries.extend(entry(&datum, line)?);
    }
    Ok(Entries { entries, warnings })
}

/// An entry of a history; nothing if it is none of a client.
fn entry(datum: &Datum, line: u32) -> Result<Option<Entry>, Trouble> {
    let wrong = |message: String| Trouble { line, message };
    let Datum::Map(fields) = datum else {
        return Err(wrong(format!(
            "an entry is a map {{:process 0, :type :invoke ...}}, not {datum}"
        )));
    };
    let field = |name: &str| fields.iter().find(|(k, _)| k.letters() == Some(name)).map(|(_, v)| v);
    let missing = |name: &str| wrong(format!("there is no `:{name}`"));
    let process = field("process").ok_or_else(|| missing("process"))?;
    if process.letters() == Some("nemesis") {
        return Ok(None);
    }
    let kind = field("type").ok_or_else(|| missing("type"))?;
    let name = field("f").ok_or_else(|| missing("f"))?;
    let name: Arc<str> =
        name.letters().ok_or_else(|| wrong(format!("`:f` is a name, not {name}")))?.into();
    let value = field("value").cloned().unwrap_or(Datum::Nil);
    let what = what(kind.letters().unwrap_or(""), value)
        .ok_or_else(|| wrong(format!("`:type` is :invoke, :ok, :fail or :info, not {kind}")))?;
    let time = match field("time") {
        Some(Datum::Int(time)) => Some(Time::from(*time)),
        _ => None,
    };
    let key = field("key").cloned();
    Ok(Some(Entry { line, process: process.clone(), name, key, time, what }))
}

/// What an entry of this type is.
pub(super) fn what(kind: &str, value: Datum) -> Option<What> {
    Some(match kind {
        "invoke" => What::Invoke(Input::Value(value)),
        "ok" => What::Ok(Output::Value(value)),
        "fail" => What::Fail(Some(value)),
        "info" => What::Info,
        _ => return None,
    })
}

/// The value at the beginning of a text, if it is one, and nothing but space follows.
pub(super) fn value(text: &str) -> Option<Datum> {
    let mut reader = Reader { text, at: 0, line: 1 };
    let datum = reader.datum(0).ok()?;
    reader.skip(0);
    reader.rest().is_empty().then_some(datum)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) {
        let passed = &self.rest()[..bytes];
        self.line += passed.bytes().filter(|&b| b == b'\n').count() as u32;
        self.at += bytes;
    }

    fn wrong(&self, message: &str) -> Trouble {
        Trouble { line: self.line, message: message.to_string() }
    }

    /// Space, commas, comments, and values that are commented out.
    fn skip(&mut self, depth: usize) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            self.advance(rest.len() - trimmed.len());
            let rest = self.rest();
            if rest.starts_with(';') {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("#_") && depth < DEEPEST {
                self.advance(2);
                if self.datum(depth + 1).is_err() {
                    return;
                }
            } else {
                return;
            }
        }
    }

    fn datum(&mut self, depth: usize) -> Result<Datum, Trouble> {
        if depth > DEEPEST {
            return Err(self.wrong("values are nested too deeply"));
        }
        self.skip(depth);
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Err(self.wrong("the text ends in the middle of a value"));
        };
        match first {
            '[' => self.list(']', depth).map(Datum::list),
            '(' => self.list(')', depth).map(Datum::list),
            '{' => self.map(depth),
            '"' => self.string(),
            '#' if rest.starts_with("#{") => {
                self.advance(1);
                self.list('}', depth).map(Datum::list)
            }
            '#' => {
                self.advance(1);
                // A tag, and what it tags.
                let tag = self.token();
                if tag.is_empty() {
                    return Err(self.wrong("there is no tag behind `#`"));
                }
                self.datum(depth + 1)
            }
            '\'' | '^' => {
                self.advance(1);
                self.datum(depth + 1)
            }
            '\\' => {
                self.advance(1);
                let Some(letter) = self.rest().chars().next() else {
                    return Err(self.wrong("the text ends in the middle of a value"));
                };
                self.advance(letter.len_utf8());
                let more = self.token();
                Ok(Datum::text(&format!("{letter}{more}")))
            }
            ')' | ']' | '}' => Err(self.wrong(&format!("there is a `{first}` too many"))),
            _ => {
                let token = self.token();
                match token {
                    "" => Err(self.wrong(&format!("nothing begins with `{first}`"))),
                    token => Ok(atom(token)),
                }
            }
        }
    }

    /// Letters up to the next space or bracket.
    fn token(&mut self) -> &'t str {
        let rest = self.rest();
        let stops = |c: char| c.is_whitespace() || ",;\"()[]{}".contains(c);
        let token = &rest[..rest.find(stops).unwrap_or(rest.len())];
        self.advance(token.len());
        token
    }

    fn list(&mut self, close: char, depth: usize) -> Result<Vec<Datum>, Trouble> {
        self.advance(1);
        let mut elements = Vec::new();
        loop {
            self.skip(depth);
            if self.rest().starts_with(close) {
                self.advance(1);
                return Ok(elements);
            }
            elements.push(self.datum(depth + 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Datum, Trouble> {
        let line = self.line;
        let elements = self.list('}', depth)?;
        let (pairs, rest) = elements.as_chunks::<2>();
        match rest {
            [] => Ok(Datum::map(pairs.iter().map(|[k, v]| (k.clone(), v.clone())).collect())),
            _ => Err(Trouble { line, message: "a map has a key without a value".to_string() }),
        }
    }

    fn string(&mut self) -> Result<Datum, Trouble> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.advance(at + 1);
                    return Ok(Datum::text(&text));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                c => text.push(c),
            }
        }
        self.at = self.text.len();
        Err(self.wrong("a text is not closed"))
    }
}

/// A number, a word, `nil`, a truth value.
fn atom(token: &str) -> Datum {
    match token {
        "nil" => return Datum::Nil,
        "true" => return Datum::Bool(true),
        "false" => return Datum::Bool(false),
        _ => {}
    }
    if let Some(word) = token.strip_prefix(':') {
        return Datum::Word(word.into());
    }
    let digits = token.strip_suffix('N').unwrap_or(token);
    let signless = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if !signless.starts_with(|c: char| c.is_ascii_digit()) {
        return Datum::Word(token.into());
    }
    match digits.strip_prefix('+').unwrap_or(digits).parse() {
        Ok(n) => Datum::Int(n),
        Err(_) => Datum::Number(token.into()),
    }
}
