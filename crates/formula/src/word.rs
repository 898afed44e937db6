//! The meaning of formulas, from the definition: on infinite words that repeat themselves, and on
//! finite ones.
//!
//! This is what automata are compared with in tests, and what judges a counterexample: it knows
//! nothing of automata or searches.

use crate::formula::{Atom, Formula};
use crate::simplify::normal_form;

/// Does a formula hold at the first position of the infinite word in which `length` positions are
/// followed by those from `back` on, for ever? `holds` says what holds at a position.
///
/// # Panics
/// If `back` is not one of the positions.
pub fn holds_on_lasso(
    formula: &Formula,
    length: usize,
    back: usize,
    holds: &dyn Fn(usize, &Atom) -> bool,
) -> bool {
    assert!(back < length, "what repeats itself has at least one position");
    Lasso { length, back, holds }.truth(formula)[0]
}

struct Lasso<'w> {
    length: usize,
    back: usize,
    holds: &'w dyn Fn(usize, &Atom) -> bool,
}

impl Lasso<'_> {
    /// At which positions the formula holds.
    fn truth(&self, formula: &Formula) -> Vec<bool> {
        let both = |a: &Formula, b: &Formula, f: fn(bool, bool) -> bool| {
            let (a, b) = (self.truth(a), self.truth(b));
            a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
        };
        match formula {
            Formula::True => vec![true; self.length],
            Formula::False => vec![false; self.length],
            Formula::Atom(atom) => (0..self.length).map(|i| (self.holds)(i, atom)).collect(),
            Formula::Not(a) => self.truth(a).into_iter().map(|a| !a).collect(),
            Formula::And(a, b) => both(a, b, |a, b| a && b),
            Formula::Or(a, b) => both(a, b, |a, b| a || b),
            Formula::Next(a) => {
                let a = self.truth(a);
                (0..self.length).map(|i| a[self.after(i)]).collect()
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.first(|i| b[i], |i| !a[i]).into_iter().map(|f| f == Some(true)).collect()
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                let first = self.first(|i| a[i] && b[i], |i| !b[i]);
                first.into_iter().map(|f| f != Some(false)).collect()
            }
        }
    }

    fn after(&self, position: usize) -> usize {
        if position + 1 == self.length { self.back } else { position + 1 }
    }

    /// What comes first from every position on: something good (true), or something bad and nothing
    /// good at the same position (false); or neither ever. Backwards, and round twice: what comes
    /// after the last position is known after the first time.
    fn first(
        &self,
        good: impl Fn(usize) -> bool,
        bad: impl Fn(usize) -> bool,
    ) -> Vec<Option<bool>> {
        let mut first = vec![None; self.length];
        for position in (0..self.length).rev().chain((0..self.length).rev()) {
            first[position] = match () {
                () if good(position) => Some(true),
                () if bad(position) => Some(false),
                () => first[self.after(position)],
            };
        }
        first
    }
}

/// Is it certain after the first `length` positions that the formula does not hold, whatever comes
/// later? Told by the form of the formula, as by O. Kupferman, M. Vardi, *Model checking of safety
/// properties*, FMSD 19(3), 2001: the prefix is informative for the violation. A formula that
/// contradicts itself somewhere (`<> (a && !a)`) does not say so as early as a simpler one that is
/// equivalent, so that one is asked, too.
pub fn violated_by_prefix(
    formula: &Formula,
    length: usize,
    holds: &dyn Fn(usize, &Atom) -> bool,
) -> bool {
    let refuted = |formula: &Formula| certain(formula, false, 0, length, holds);
    length > 0 && (refuted(formula) || refuted(&normal_form(formula)))
}

/// Is it certain that the formula has this truth value at a position of a finite word?
fn certain(
    formula: &Formula,
    value: bool,
    at: usize,
    length: usize,
    holds: &dyn Fn(usize, &Atom) -> bool,
) -> bool {
    let here = |f: &Formula, value: bool, at: usize| certain(f, value, at, length, holds);
    if at >= length {
        return matches!((formula, value), (Formula::True, true) | (Formula::False, false));
    }
    match (formula, value) {
        (Formula::True, _) => value,
        (Formula::False, _) => !value,
        (Formula::Atom(atom), _) => holds(at, atom) == value,
        (Formula::Not(a), _) => here(a, !value, at),
        (Formula::And(a, b), true) | (Formula::Or(a, b), false) => {
            here(a, value, at) && here(b, value, at)
        }
        (Formula::Or(a, b), true) | (Formula::And(a, b), false) => {
            here(a, value, at) || here(b, value, at)
        }
        (Formula::Next(a), _) => here(a, value, at + 1),
        // Certain to hold: the second does at some position, the first at all before.
        (Formula::Until(a, b), true) | (Formula::Release(a, b), false) => (at..length)
            .take_while(|i| *i == at || here(a, value, i - 1))
            .any(|i| here(b, value, i)),
        // Certain not to hold: the second does not up to a position where the first does not.
        (Formula::Until(a, b), false) | (Formula::Release(a, b), true) => {
            (at..length).take_while(|i| here(b, value, *i)).any(|i| here(a, value, i))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Precedence, parse};

    fn formula(text: &str) -> Formula {
        parse(text, Precedence::Usual, &mut |n| Ok(Formula::event(n))).expect("a formula")
    }

    /// A position of a word is a string of the atoms that hold there.
    fn on(word: &[&str], back: usize, text: &str) -> bool {
        let holds = |i: usize, atom: &Atom| match atom {
            Atom::Event(text) => word[i].contains(text.as_str()),
            Atom::Condition(_) => false,
        };
        holds_on_lasso(&formula(text), word.len(), back, &holds)
    }

    #[test]
    fn words_that_repeat_themselves_satisfy_what_they_should() {
        let word = ["", "a", "b", "ab"];
        assert!(on(&word, 2, "[]<>a") && on(&word, 2, "[]<>b") && on(&word, 2, "<>[]b"));
        assert!(!on(&word, 1, "<>[]b") && !on(&word, 3, "X b"));
        assert!(on(&word, 0, "[] (a -> <> b)") && on(&word, 0, "X (a U b)"));
        assert!(on(&word, 3, "!a U a") && !on(&word, 3, "a U b") && on(&word, 3, "!(a && b) W b"));
        assert!(on(&["a"], 0, "[]a && [] X X a && (false R a)"));
        assert!(!on(&["a", ""], 1, "b R a") && on(&["a", "ab", ""], 2, "b R a"));
    }

    #[test]
    fn beginnings_violate_only_what_nothing_can_mend() {
        let violated = |word: &[&str], text: &str| {
            let holds = |i: usize, atom: &Atom| match atom {
                Atom::Event(text) => word[i].contains(text.as_str()),
                Atom::Condition(_) => false,
            };
            violated_by_prefix(&formula(text), word.len(), &holds)
        };
        assert!(violated(&["", "a"], "[] !a") && !violated(&["", ""], "[] !a"));
        assert!(!violated(&["a"], "[] (a -> X b)") && violated(&["a", ""], "[] (a -> X b)"));
        assert!(violated(&["a", ""], "a U b") && !violated(&["a", "a"], "a U b"));
        assert!(!violated(&["a"], "<> b") && !violated(&[], "false"));
        assert!(violated(&[""], "<> (a && !a)") && violated(&[""], "!([] (a -> a))"));
    }
}
