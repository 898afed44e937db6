//! By how many places operations may be out of order: `{ dequeue: 2, pop -> some + peek: 1 }`, as models say it.

use std::fmt;

use crate::builtin::{Code, Returns};
use crate::datum::Datum;
use crate::spec::{Source, Spec};

/// The greatest factor, as in the language.
const MOST: u32 = 64;

/// Which results of an operation are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// `pop`
    Any,
    /// `pop -> some`: not nothing.
    Some,
    /// `pop -> empty`, `pop -> 3`
    Is(Datum),
}

/// Operations that are counted together, and by how many places they may be out of order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) members: Vec<(u8, Which)>,
    pub(crate) factor: u32,
}

/// Groups of operations with their factors. What is in no group has the factor 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    pub(crate) groups: Vec<Group>,
    text: String,
}

/// What an operation may have returned, and its group then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Whatever the log says, even if that is nothing.
    Plain(Option<u8>),
    /// This result, of which the log says nothing.
    Is(Datum, Option<u8>),
    /// None of these.
    But(Vec<Datum>, Option<u8>),
}

impl Reading {
    pub(crate) fn group(&self) -> Option<u8> {
        match self {
            Reading::Plain(group) | Reading::Is(_, group) | Reading::But(_, group) => *group,
        }
    }
}

impl Factors {
    /// Reads `{ dequeue: 2 }`, for the operations of a specification.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, spec: &Spec) -> Result<Factors, String> {
        let inner = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}'));
        let Some(inner) = inner.filter(|t| !t.trim().is_empty()) else {
            return Err("which operations may be out of order, and by how much? Say so: \
                        `quasi { dequeue: 2 }`"
                .to_string());
        };
        let mut groups: Vec<Group> = Vec::new();
        let mut seen: Vec<(u8, Which)> = Vec::new();
        let pieces = split(inner, &[',']);
        let last = pieces.len() - 1;
        for (i, piece) in pieces.into_iter().enumerate() {
            // There may be a comma at the end.
            if i == last && i > 0 && piece.trim().is_empty() {
                continue;
            }
            let parts = split(piece, &[':']);
            let [members, factor] = parts[..] else {
                return Err(format!("`{}` is no group: `dequeue: 2` is one", piece.trim()));
            };
            let factor = factor.trim();
            let Some(factor) = factor.parse::<u32>().ok().filter(|n| *n <= MOST) else {
                return Err(format!("the factor `{factor}` is no number from 0 to {MOST}"));
            };
            let members = split(members, &['+']).into_iter();
            let members = members.map(|m| member(m.trim(), spec)).collect::<Result<Vec<_>, _>>()?;
            for member in &members {
                if seen.contains(member) {
                    let name = spec.op_name(member.0);
                    return Err(format!("`{name}` is in a group already"));
                }
                seen.push(member.clone());
            }
            groups.push(Group { members, factor });
        }
        if groups.len() > MOST as usize {
            return Err(format!("more than {MOST} groups are not counted"));
        }
        Ok(Factors { groups, text: inner.trim().to_string() })
    }

    /// The factor of a group.
    pub(crate) fn factor(&self, group: u8) -> i32 {
        self.groups[group as usize].factor as i32
    }

    /// The group of an operation with this result, if its factor is not 0: one that names the result comes first.
    pub(crate) fn group(&self, op: u8, result: &Datum) -> Option<u8> {
        let find = |fits: &dyn Fn(&Which) -> bool| {
            let has =
                |g: &Group| g.members.iter().any(|(member, which)| *member == op && fits(which));
            self.groups.iter().position(has)
        };
        let named = find(&|which| match which {
            Which::Any => false,
            Which::Some => *result != Datum::Nil,
            Which::Is(value) => value == result,
        });
        let group = named.or_else(|| find(&|which| *which == Which::Any))?;
        (self.groups[group].factor > 0).then_some(group as u8)
    }

    /// The ways to read an operation, with the result that the log has, if any.
    pub(crate) fn readings(&self, op: u8, result: Option<&Datum>) -> Vec<Reading> {
        let members = || self.groups.iter().flat_map(|g| &g.members).filter(|m| m.0 == op);
        let named: Vec<&Which> = members().map(|m| &m.1).filter(|w| **w != Which::Any).collect();
        if let Some(result) = result {
            return vec![Reading::Plain(self.group(op, result))];
        }
        if named.is_empty() {
            return vec![Reading::Plain(self.group(op, &Datum::Nil))];
        }
        // What is named, everything else that is something, and nothing.
        let mut but = vec![Datum::Nil];
        for which in &named {
            if let Which::Is(value) = which
                && !but.contains(value)
            {
                but.push(value.clone());
            }
        }
        let is = |value: &Datum| Reading::Is(value.clone(), self.group(op, value));
        let mut readings: Vec<Reading> = but.iter().map(is).collect();
        let other = match named.contains(&&Which::Some) {
            true => members().find(|m| m.1 == Which::Some),
            false => members().find(|m| m.1 == Which::Any),
        };
        let group = other.and_then(|m| self.groups.iter().position(|g| g.members.contains(m)));
        let group = group.filter(|g| self.groups[*g].factor > 0).map(|g| g as u8);
        readings.push(Reading::But(but, group));
        readings
    }
}

impl fmt::Display for Factors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `pop -> some`
fn member(text: &str, spec: &Spec) -> Result<(u8, Which), String> {
    let (name, result) = match text.split_once("->") {
        Some((name, result)) => (name.trim(), Some(result.trim())),
        None => (text, None),
    };
    let Some(op) = spec.op(name) else {
        return Err(format!("`{}` has no operation `{name}`", spec.name()));
    };
    let Some(result) = result else { return Ok((op, Which::Any)) };
    let which = match result {
        "some" => Which::Some,
        "empty" | "nil" => Which::Is(Datum::Nil),
        "" => return Err(format!("`{text}`: a result is missing")),
        _ => Which::Is(match serde_json::from_str(result) {
            Ok(json) => Datum::from_json(&json),
            Err(_) => Datum::text(result),
        }),
    };
    let value = match &which {
        Which::Is(value) => value,
        _ => &Datum::Nil,
    };
    let fits = match &spec.source {
        Source::Builtin(of) => {
            let op = &of.ops[op as usize];
            op.returns != Returns::Nothing && !matches!(op.code, Code::Txn | Code::ReadAll)
        }
        Source::Written(of) => !of.gives_nothing(op) && of.result(op, value).is_ok(),
        Source::Executed(_) => false,
    };
    match fits {
        true => Ok((op, which)),
        false => Err(format!("`{text}`: `{name}` gives nothing like that back")),
    }
}

/// The parts of a text between separators that are not inside quotes or brackets.
fn split<'t>(text: &'t str, separators: &[char]) -> Vec<&'t str> {
    let (mut parts, mut begin) = (Vec::new(), 0);
    let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ if depth == 0 && separators.contains(&c) => {
                parts.push(&text[begin..i]);
                begin = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::{Factors, Reading};
    use crate::datum::Datum;
    use crate::spec::Spec;

    #[test]
    fn factors_are_read_as_models_say_them() {
        let spec = Spec::builtin("queue").expect("a queue");
        let factors = |text: &str| Factors::parse(text, &spec);
        let some = factors("{ deq -> some + peek: 2, deq -> empty: 0, enq: 1, }").expect("factors");
        let group = |name: &str, result: &Datum| some.group(spec.op(name).expect("one"), result);
        assert_eq!(group("dequeue", &Datum::Int(3)), Some(0));
        assert_eq!(group("peek", &Datum::Nil), Some(0));
        assert_eq!(group("dequeue", &Datum::Nil), None);
        assert_eq!(group("enqueue", &Datum::Nil), Some(2));
        let lost = some.readings(spec.op("dequeue").expect("one"), None);
        let but = Reading::But(vec![Datum::Nil], Some(0));
        assert_eq!(lost, [Reading::Is(Datum::Nil, None), but]);
        let comma = factors("{ deq -> \"a, b: c\": 1 }").expect("factors");
        assert_eq!(comma.group(1, &Datum::text("a, b: c")), Some(0));
        assert_eq!(comma.to_string(), "deq -> \"a, b: c\": 1");
        for (wrong, why) in [
            ("", "Say so"),
            ("{ }", "Say so"),
            ("{ deq }", "is no group"),
            ("{ deq: -1 }", "no number from 0 to 64"),
            ("{ deq: 65 }", "no number from 0 to 64"),
            ("{ pop: 1 }", "has no operation `pop`"),
            ("{ deq: 1, dequeue: 2 }", "in a group already"),
            ("{ enq -> 3: 1 }", "gives nothing like that back"),
            ("{ deq ->: 1 }", "a result is missing"),
            ("{ deq: 1, , enq: 1 }", "is no group"),
        ] {
            let error = factors(wrong).expect_err(wrong);
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
