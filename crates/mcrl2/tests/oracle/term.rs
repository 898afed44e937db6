//! Terms of a part of mCRL2, and how they are written.

use std::fmt::Write;

/// The sorts that occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Bool,
    /// `struct d0 | d1 | d2`.
    D,
    Nat,
    /// `struct pair(left: D, right: Nat)`.
    Pair,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    Bool(bool),
    D(u8),
    Nat(u32),
    Pair(u8, u32),
}

/// A data expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Data {
    Value(Value),
    Variable(String),
    /// A function of D, by equations: d0 -> d1 -> d2 -> d0.
    Next(Box<Data>),
    /// `(e + k) mod 3`.
    Plus(Box<Data>, u32),
    Pair(Box<Data>, Box<Data>),
    Left(Box<Data>),
    Right(Box<Data>),
    Equal(Box<Data>, Box<Data>),
    Less(Box<Data>, Box<Data>),
    Not(Box<Data>),
    And(Box<Data>, Box<Data>),
    Or(Box<Data>, Box<Data>),
    If(Box<Data>, Box<Data>, Box<Data>),
}

/// An action with arguments.
pub(crate) type Action = (String, Vec<Data>);

/// A process term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Delta,
    Act(Vec<Action>),
    Choice(Box<Term>, Box<Term>),
    Sequence(Box<Term>, Box<Term>),
    Sum(String, Sort, Box<Term>),
    Condition(Data, Box<Term>, Option<Box<Term>>),
    Call(usize, Vec<Data>),
    Parallel(Box<Term>, Box<Term>),
    Hide(Vec<String>, Box<Term>),
    Block(Vec<String>, Box<Term>),
    Allow(Vec<Vec<String>>, Box<Term>),
    Rename(Vec<(String, String)>, Box<Term>),
    Comm(Vec<(Vec<String>, String)>, Box<Term>),
}

/// Processes with their parameters, and the initial one.
#[derive(Clone, Debug)]
pub(crate) struct Specification {
    pub(crate) processes: Vec<(Vec<(String, Sort)>, Term)>,
    pub(crate) init: Term,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Bool => "Bool",
            Sort::D => "D",
            Sort::Nat => "Nat",
            Sort::Pair => "Pair",
        }
    }
}

impl Value {
    pub(crate) fn text(&self) -> String {
        match self {
            Value::Bool(b) => b.to_string(),
            Value::D(d) => format!("d{d}"),
            Value::Nat(n) => n.to_string(),
            Value::Pair(d, n) => format!("pair(d{d}, {n})"),
        }
    }
}

impl Data {
    fn text(&self) -> String {
        match self {
            Data::Value(value) => value.text(),
            Data::Variable(name) => name.clone(),
            Data::Next(e) => format!("turn({})", e.text()),
            Data::Plus(e, k) => format!("(({} + {k}) mod 3)", e.text()),
            Data::Pair(a, b) => format!("pair({}, {})", a.text(), b.text()),
            Data::Left(e) => format!("left({})", e.text()),
            Data::Right(e) => format!("right({})", e.text()),
            Data::Equal(a, b) => format!("({} == {})", a.text(), b.text()),
            Data::Less(a, b) => format!("({} < {})", a.text(), b.text()),
            Data::Not(e) => format!("!({})", e.text()),
            Data::And(a, b) => format!("({} && {})", a.text(), b.text()),
            Data::Or(a, b) => format!("({} || {})", a.text(), b.text()),
            Data::If(c, a, b) => format!("if({}, {}, {})", c.text(), a.text(), b.text()),
        }
    }
}

fn list(names: &[String]) -> String {
    names.join(", ")
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Delta => "delta".into(),
            Term::Act(actions) if actions.is_empty() => "tau".into(),
            Term::Act(actions) => {
                let one = |(name, arguments): &Action| match arguments.is_empty() {
                    true => name.clone(),
                    false => {
                        let arguments: Vec<String> = arguments.iter().map(Data::text).collect();
                        format!("{name}({})", list(&arguments))
                    }
                };
                format!("({})", actions.iter().map(one).collect::<Vec<_>>().join(" | "))
            }
            Term::Choice(a, b) => format!("({} + {})", a.text(), b.text()),
            Term::Sequence(a, b) => format!("({} . {})", a.text(), b.text()),
            Term::Sum(name, sort, body) => {
                format!("(sum {name}: {}. {})", sort.name(), body.text())
            }
            Term::Condition(c, a, None) => format!("(({}) -> {})", c.text(), a.text()),
            Term::Condition(c, a, Some(b)) => {
                format!("(({}) -> {} <> {})", c.text(), a.text(), b.text())
            }
            Term::Call(process, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Data::text).collect();
                match arguments.is_empty() {
                    true => format!("P{process}"),
                    false => format!("P{process}({})", list(&arguments)),
                }
            }
            Term::Parallel(a, b) => format!("({} || {})", a.text(), b.text()),
            Term::Hide(names, body) => format!("hide({{{}}}, {})", list(names), body.text()),
            Term::Block(names, body) => format!("block({{{}}}, {})", list(names), body.text()),
            Term::Allow(sets, body) => {
                let sets: Vec<String> = sets.iter().map(|s| s.join(" | ")).collect();
                format!("allow({{{}}}, {})", list(&sets), body.text())
            }
            Term::Rename(pairs, body) => {
                let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} -> {b}")).collect();
                format!("rename({{{}}}, {})", list(&pairs), body.text())
            }
            Term::Comm(rules, body) => {
                let rules: Vec<String> =
                    rules.iter().map(|(l, r)| format!("{} -> {r}", l.join(" | "))).collect();
                format!("comm({{{}}}, {})", list(&rules), body.text())
            }
        }
    }
}

impl Specification {
    /// The text of the whole.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(
            "sort D = struct d0 | d1 | d2; Pair = struct pair(left: D, right: Nat);\n\
             map turn: D -> D; eqn turn(d0) = d1; turn(d1) = d2; turn(d2) = d0;\n\
             act a, b, e; s, r, c: D; t, u, w: Nat; x, y, z: Pair; m: D # Nat;\n",
        );
        for (i, (parameters, body)) in self.processes.iter().enumerate() {
            let parameters: Vec<String> =
                parameters.iter().map(|(n, s)| format!("{n}: {}", s.name())).collect();
            let head = match parameters.is_empty() {
                true => format!("P{i}"),
                false => format!("P{i}({})", list(&parameters)),
            };
            let _ = writeln!(text, "proc {head} = {};", body.text());
        }
        let _ = writeln!(text, "init {};", self.init.text());
        text
    }
}
