//! Formulas of linear temporal logic over the executions of a labelled system.
//!
//! A formula speaks about positions of an execution. Position 0 is the initial state, reached by no
//! event (or, if somebody asks for it, by the event `init`); position `i` is the state after the
//! `i`-th step together with the label of that step. So an event holds at the position that its
//! step leads to, and a condition is one on the state there, which is how PAT reads them.
//!
//! Only the operators below exist; the others are abbreviations that their constructors expand.

use std::fmt;

/// What can hold at a position of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The step that leads here has the label with this text.
    Event(String),
    /// The state is one in which a condition holds; the caller knows which by its number.
    Condition(u32),
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// Holds.
    True,
    /// Does not hold.
    False,
    /// The atom holds at this position.
    Atom(Atom),
    /// The other does not hold.
    Not(Box<Formula>),
    /// Both hold.
    And(Box<Formula>, Box<Formula>),
    /// One of them holds.
    Or(Box<Formula>, Box<Formula>),
    /// It holds at the next position (`X`).
    Next(Box<Formula>),
    /// The second holds at some position from here on, the first at all before (`U`).
    Until(Box<Formula>, Box<Formula>),
    /// The second holds at all positions from here on, up to and with one where the first holds,
    /// if there is one (`R`, `V`).
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The step that leads here has this label.
    pub fn event(text: impl Into<String>) -> Formula {
        Formula::Atom(Atom::Event(text.into()))
    }

    /// The condition of that number holds.
    pub fn condition(number: u32) -> Formula {
        Formula::Atom(Atom::Condition(number))
    }

    /// Holds if the other does not.
    #[expect(clippy::should_implement_trait, reason = "a constructor like the others")]
    pub fn not(self) -> Formula {
        Formula::Not(self.into())
    }

    /// `a && b`.
    pub fn and(self, other: Formula) -> Formula {
        Formula::And(self.into(), other.into())
    }

    /// `a || b`.
    pub fn or(self, other: Formula) -> Formula {
        Formula::Or(self.into(), other.into())
    }

    /// `a -> b`.
    pub fn implies(self, other: Formula) -> Formula {
        self.not().or(other)
    }

    /// `a <-> b`.
    pub fn equals(self, other: Formula) -> Formula {
        let both = self.clone().and(other.clone());
        both.or(self.not().and(other.not()))
    }

    /// `X a`.
    pub fn next(self) -> Formula {
        Formula::Next(self.into())
    }

    /// `a U b`.
    pub fn until(self, other: Formula) -> Formula {
        Formula::Until(self.into(), other.into())
    }

    /// `a R b`.
    pub fn release(self, other: Formula) -> Formula {
        Formula::Release(self.into(), other.into())
    }

    /// `a W b`: until, or for ever.
    pub fn weak_until(self, other: Formula) -> Formula {
        other.clone().release(self.or(other))
    }

    /// `<> a`.
    pub fn eventually(self) -> Formula {
        Formula::True.until(self)
    }

    /// `[] a`.
    pub fn always(self) -> Formula {
        Formula::False.release(self)
    }

    /// The atoms in it, each once, in the order of their first occurrence.
    pub fn atoms(&self) -> Vec<&Atom> {
        let mut atoms = Vec::new();
        self.collect(&mut atoms);
        atoms
    }

    fn collect<'f>(&'f self, atoms: &mut Vec<&'f Atom>) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Atom(atom) => {
                if !atoms.contains(&atom) {
                    atoms.push(atom);
                }
            }
            Formula::Not(a) | Formula::Next(a) => a.collect(atoms),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b) => {
                a.collect(atoms);
                b.collect(atoms);
            }
        }
    }

    /// Does it speak of the next position? Formulas that do not cannot tell executions that differ
    /// in repetitions only.
    pub fn has_next(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => false,
            Formula::Next(_) => true,
            Formula::Not(a) => a.has_next(),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b) => a.has_next() || b.has_next(),
        }
    }
}

/// Conditions are shown as `#0`, `#1`: only the caller knows their names.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::True => f.write_str("true"),
            Formula::False => f.write_str("false"),
            Formula::Atom(Atom::Event(text)) => f.write_str(text),
            Formula::Atom(Atom::Condition(number)) => write!(f, "#{number}"),
            Formula::Not(a) => write!(f, "!{a}"),
            Formula::And(a, b) => write!(f, "({a} && {b})"),
            Formula::Or(a, b) => write!(f, "({a} || {b})"),
            Formula::Next(a) => write!(f, "X {a}"),
            Formula::Until(a, b) if **a == Formula::True => write!(f, "<> {b}"),
            Formula::Until(a, b) => write!(f, "({a} U {b})"),
            Formula::Release(a, b) if **a == Formula::False => write!(f, "[] {b}"),
            Formula::Release(a, b) => write!(f, "({a} R {b})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_expanded_and_shown() {
        let [a, b] = ["a", "b.1"].map(Formula::event);
        let formula = a.clone().implies(b.clone().eventually()).always();
        assert_eq!(formula.to_string(), "[] (!a || <> b.1)");
        assert_eq!(a.clone().weak_until(b.clone()).to_string(), "(b.1 R (a || b.1))");
        assert_eq!(a.clone().equals(b).atoms().len(), 2);
        assert!(!formula.has_next() && a.next().not().has_next());
    }
}
