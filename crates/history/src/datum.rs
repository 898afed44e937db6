//! Values of a log: what clients pass and get, whatever the format.

use std::fmt;
use std::sync::Arc;

use linchpin_text::printable;

/// A value of a log.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Datum {
    /// `nil`, `null`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Another number, as it is written: compared as text.
    Number(Arc<str>),
    /// A text.
    Text(Arc<str>),
    /// A keyword or symbol of EDN, without its colon.
    Word(Arc<str>),
    /// A vector, list, set or array.
    List(Arc<[Datum]>),
    /// A map; entries are sorted.
    Map(Arc<[(Datum, Datum)]>),
}

impl Datum {
    /// A text.
    pub fn text(text: &str) -> Datum {
        Datum::Text(text.into())
    }

    /// A list.
    pub fn list(elements: Vec<Datum>) -> Datum {
        Datum::List(elements.into())
    }

    /// A map.
    pub(crate) fn map(mut entries: Vec<(Datum, Datum)>) -> Datum {
        entries.sort();
        Datum::Map(entries.into())
    }

    /// The elements of a list.
    pub(crate) fn elements(&self) -> Option<&[Datum]> {
        match self {
            Datum::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// The letters of a text or word.
    pub(crate) fn letters(&self) -> Option<&str> {
        match self {
            Datum::Text(text) | Datum::Word(text) => Some(text),
            _ => None,
        }
    }

    /// From JSON.
    pub fn from_json(json: &serde_json::Value) -> Datum {
        use serde_json::Value as Json;
        match json {
            Json::Null => Datum::Nil,
            Json::Bool(b) => Datum::Bool(*b),
            Json::Number(n) => match n.as_i64() {
                Some(n) => Datum::Int(n),
                None => Datum::Number(n.to_string().into()),
            },
            Json::String(text) => Datum::text(text),
            Json::Array(all) => Datum::list(all.iter().map(Datum::from_json).collect()),
            Json::Object(all) => {
                Datum::map(all.iter().map(|(k, v)| (Datum::text(k), Datum::from_json(v))).collect())
            }
        }
    }

    /// To JSON. A word becomes a text, a key of a map what it looks like.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Datum::Nil => Json::Null,
            Datum::Bool(b) => Json::Bool(*b),
            Datum::Int(n) => Json::from(*n),
            Datum::Number(text) => text
                .parse::<serde_json::Number>()
                .map_or_else(|_| Json::from(&**text), Json::Number),
            Datum::Text(text) | Datum::Word(text) => Json::from(&**text),
            Datum::List(all) => Json::Array(all.iter().map(Datum::to_json).collect()),
            Datum::Map(all) => Json::Object(
                all.iter()
                    .map(|(k, v)| {
                        (k.letters().map_or_else(|| k.to_string(), str::to_string), v.to_json())
                    })
                    .collect(),
            ),
        }
    }
}

macro_rules! from_numbers {
    ($($number:ty)*) => {
        $(impl From<$number> for Datum {
            fn from(n: $number) -> Datum {
                i64::try_from(n).map_or_else(|_| Datum::Number(n.to_string().into()), Datum::Int)
            }
        })*
    };
}

from_numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl From<()> for Datum {
    fn from(_nothing: ()) -> Datum {
        Datum::Nil
    }
}

impl From<bool> for Datum {
    fn from(b: bool) -> Datum {
        Datum::Bool(b)
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Datum {
        Datum::text(text)
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Datum {
        Datum::text(&text)
    }
}

/// Nothing is `nil`, something is itself; `nil` within is a list, so that the two are told apart.
impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(value: Option<T>) -> Datum {
        match value.map(Into::into) {
            None => Datum::Nil,
            Some(Datum::Nil) => Datum::list(vec![Datum::Nil]),
            Some(value) => value,
        }
    }
}

impl<T: Into<Datum>> From<Vec<T>> for Datum {
    fn from(all: Vec<T>) -> Datum {
        Datum::list(all.into_iter().map(Into::into).collect())
    }
}

impl<A: Into<Datum>, B: Into<Datum>> From<(A, B)> for Datum {
    fn from((a, b): (A, B)) -> Datum {
        Datum::list(vec![a.into(), b.into()])
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Nil => f.write_str("nil"),
            Datum::Bool(b) => write!(f, "{b}"),
            Datum::Int(n) => write!(f, "{n}"),
            Datum::Number(text) => f.write_str(text),
            Datum::Text(text) => write!(f, "{}", serde_json::Value::from(&*printable(text))),
            Datum::Word(text) => write!(f, ":{}", printable(text)),
            Datum::List(all) => {
                f.write_str("[")?;
                for (i, element) in all.iter().enumerate() {
                    write!(f, "{}{element}", if i == 0 { "" } else { " " })?;
                }
                f.write_str("]")
            }
            Datum::Map(all) => {
                f.write_str("{")?;
                for (i, (key, value)) in all.iter().enumerate() {
                    write!(f, "{}{key} {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}
