//! Negation normal form and simplification: smaller formulas give smaller automata.
//!
//! Negations are pushed to the atoms with the dualities of the operators, and terms are rewritten
//! by equivalences between formulas, among them those listed by K. Etessami, G. Holzmann,
//! *Optimizing Büchi automata*, CONCUR 2000, and F. Somenzi, R. Bloem, *Efficient Büchi automata from
//! LTL formulae*, CAV 2000. Every rule is an equivalence on all words; a test compares both sides.

use Formula::{And, Atom, False, Next, Not, Or, Release, True, Until};

use crate::formula::Formula;

/// An equivalent formula in which only atoms are negated, simplified.
pub fn normal_form(formula: &Formula) -> Formula {
    push(formula, false)
}

/// The normal form of the formula, or of its negation.
fn push(formula: &Formula, negated: bool) -> Formula {
    match (formula, negated) {
        (True, false) | (False, true) => True,
        (True, true) | (False, false) => False,
        (Atom(_), false) => formula.clone(),
        (Atom(_), true) => formula.clone().not(),
        (Not(a), _) => push(a, !negated),
        (And(a, b), false) | (Or(a, b), true) => and(push(a, negated), push(b, negated)),
        (Or(a, b), false) | (And(a, b), true) => or(push(a, negated), push(b, negated)),
        (Next(a), _) => next(push(a, negated)),
        (Until(a, b), false) | (Release(a, b), true) => until(push(a, negated), push(b, negated)),
        (Release(a, b), false) | (Until(a, b), true) => release(push(a, negated), push(b, negated)),
    }
}

/// Is one the negation of the other? Told for literals only.
fn opposite(a: &Formula, b: &Formula) -> bool {
    match (a, b) {
        (Not(a), b) | (b, Not(a)) => **a == *b,
        _ => false,
    }
}

fn and(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (False, _) | (_, False) => False,
        (True, a) | (a, True) => a,
        (a, b) if a == b => a,
        (a, b) if opposite(&a, &b) => False,
        // X a && X b = X (a && b)
        (Next(a), Next(b)) => next(and(*a, *b)),
        // (a R b) && (a R c) = a R (b && c)
        (Release(a, b), Release(c, d)) if a == c => release(*a, and(*b, *d)),
        // (a U b) && (c U b) = (a && c) U b
        (Until(a, b), Until(c, d)) if b == d => until(and(*a, *c), *b),
        // a && (a || b) = a
        (a, Or(b, c)) | (Or(b, c), a) if a == *b || a == *c => a,
        (a, b) => a.and(b),
    }
}

fn or(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (True, _) | (_, True) => True,
        (False, a) | (a, False) => a,
        (a, b) if a == b => a,
        (a, b) if opposite(&a, &b) => True,
        // X a || X b = X (a || b)
        (Next(a), Next(b)) => next(or(*a, *b)),
        // (a U b) || (a U c) = a U (b || c)
        (Until(a, b), Until(c, d)) if a == c => until(*a, or(*b, *d)),
        // (a R b) || (c R b) = (a || c) R b
        (Release(a, b), Release(c, d)) if b == d => release(or(*a, *c), *b),
        // a || (a && b) = a
        (a, And(b, c)) | (And(b, c), a) if a == *b || a == *c => a,
        (a, b) => a.or(b),
    }
}

fn next(a: Formula) -> Formula {
    match a {
        True | False => a,
        // X []<> a = []<> a, X <>[] a = <>[] a
        a if endless(&a) => a,
        a => a.next(),
    }
}

/// `[]<> a` or `<>[] a`, for which it does not matter where an execution begins; and what is made
/// of such formulas.
fn endless(a: &Formula) -> bool {
    match a {
        Until(a, b) if **a == True => matches!(&**b, Release(c, _) if **c == False) || endless(b),
        Release(a, b) if **a == False => matches!(&**b, Until(c, _) if **c == True) || endless(b),
        And(a, b) | Or(a, b) => endless(a) && endless(b),
        _ => false,
    }
}

fn until(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (_, True) => True,
        (_, False) => False,
        (False, b) => b,
        (a, b) if a == b => b,
        // a U (endless) = endless
        (_, b) if endless(&b) => b,
        (a, Until(c, d)) => match (a, *c, *d) {
            // a U (true U b) = true U b
            (_, True, d) => until(True, d),
            // a U (a U b) = a U b, true U (a U b) = true U b
            (a, c, d) if a == c => a.until(d),
            (True, _, d) => until(True, d),
            (a, c, d) => a.until(c.until(d)),
        },
        // true U (b || c) = (true U b) || (true U c): fewer promises hang together
        (True, Or(b, c)) if endless(&b) || endless(&c) => or(until(True, *b), until(True, *c)),
        // (X a) U (X b) = X (a U b)
        (Next(a), Next(b)) => next(until(*a, *b)),
        (True, Next(b)) => next(until(True, *b)),
        (a, b) => a.until(b),
    }
}

fn release(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (_, False) => False,
        (_, True) => True,
        (True, b) => b,
        (a, b) if a == b => b,
        (_, b) if endless(&b) => b,
        (a, Release(c, d)) => match (a, *c, *d) {
            (_, False, d) => release(False, d),
            (a, c, d) if a == c => a.release(d),
            (False, _, d) => release(False, d),
            (a, c, d) => a.release(c.release(d)),
        },
        (False, And(b, c)) if endless(&b) || endless(&c) => {
            and(release(False, *b), release(False, *c))
        }
        (Next(a), Next(b)) => next(release(*a, *b)),
        (False, Next(b)) => next(release(False, *b)),
        (a, b) => a.release(b),
    }
}

/// Does this normal form say that something happens at some time? Then an execution that satisfies
/// its negation does so by never doing something.
pub fn is_guarantee(normal: &Formula) -> bool {
    match normal {
        True | False | Atom(_) | Not(_) => true,
        Release(_, _) => false,
        Next(a) => is_guarantee(a),
        And(a, b) | Or(a, b) | Until(a, b) => is_guarantee(a) && is_guarantee(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Precedence, parse};

    #[test]
    fn formulas_become_smaller_and_negations_go_to_the_atoms() {
        for (text, simple) in [
            ("!([] (a -> <> b))", "<> (a && [] !b)"),
            ("!(a U (b R c))", "(!a R (!b U !c))"),
            ("<><> a", "<> a"),
            ("[] [] a", "[] a"),
            ("<> (a U b)", "<> b"),
            ("[]<>[] a", "<> [] a"),
            ("<>[]<> a", "[] <> a"),
            ("X []<> a", "[] <> a"),
            ("a U []<>b", "[] <> b"),
            ("a && !a", "false"),
            ("[]a && []b", "[] (a && b)"),
            ("<>a || <>b", "<> (a || b)"),
            ("a U (a U b)", "(a U b)"),
            ("false R (b && []<>a)", "[] (b && <> a)"),
            ("[] X a", "X [] a"),
            ("a <-> true", "a"),
        ] {
            let formula =
                parse(text, Precedence::Usual, &mut |n| Ok(Formula::event(n))).expect("a formula");
            assert_eq!(normal_form(&formula).to_string(), simple, "{text}");
        }
    }

    #[test]
    fn safety_is_told_by_form() {
        for (text, safe) in
            [("[] (a -> X b)", true), ("a W b", true), ("[]<>a", false), ("a U b", false)]
        {
            let formula =
                parse(text, Precedence::Usual, &mut |n| Ok(Formula::event(n))).expect("a formula");
            assert_eq!(is_guarantee(&normal_form(&formula.not())), safe, "{text}");
        }
    }
}
