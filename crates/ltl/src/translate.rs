//! From formulas to automata.
//!
//! J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999: a state is a set of
//! formulas that must hold from here on; its transitions are the ways to divide what must hold into
//! what must hold now and what must hold from the next position on. `a U b` can be fulfilled now (by
//! `b`) or *promised* (by `a` and the formula again); there is one mark per until, and a transition
//! has it if it does not promise that until. Departures from the paper: sets instead of binary
//! decision diagrams; a way that asks for more than another without promising less is dropped (its
//! target has all the other's formulas, so whatever it accepts the other accepts, with no fewer
//! marks); states with the same transitions are merged; ways that need two events at once are not
//! followed, as a step has one label.
//!
//! The automaton is for the negation of what is to be checked, so it should be small, not
//! deterministic.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use crate::automaton::{Automaton, Transition};
use linchpin_formula::{Atom, Formula, is_guarantee, normal_form};

/// Most states of an automaton.
const STATES: usize = 20_000;
/// Most ways to expand one state.
const WAYS: usize = 200_000;

/// The formula is too large for an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the formula is too large: its automaton would be")
    }
}

impl std::error::Error for TooLarge {}

/// An automaton that accepts the words that satisfy the formula.
pub fn translate(formula: &Formula) -> Result<Automaton, TooLarge> {
    translate_with(formula, true)
}

/// The same, with or without knowing that at most one event happens at a time.
pub(crate) fn translate_with(formula: &Formula, one_event: bool) -> Result<Automaton, TooLarge> {
    let normal = normal_form(formula);
    let mut terms = Terms::default();
    let top = terms.add(&normal);
    if terms.atoms.len() > 64 || terms.untils.len() > 64 {
        return Err(TooLarge);
    }
    let events = if one_event { terms.events() } else { 0 };
    let marks = if terms.untils.len() == 64 { u64::MAX } else { (1 << terms.untils.len()) - 1 };
    let mut sets: Vec<Set> = vec![BTreeSet::from([top])];
    let mut numbers = HashMap::from([(sets[0].clone(), 0u32)]);
    let mut states = Vec::new();
    while states.len() < sets.len() {
        let mut ways = Vec::new();
        let now = sets[states.len()].iter().copied().collect();
        terms.expand(now, Way::default(), &mut ways)?;
        ways.retain(|w| (w.positive & events).count_ones() < 2);
        let mut transitions = Vec::new();
        for (i, way) in ways.iter().enumerate() {
            let better = |(j, other): (usize, &Way)| {
                i != j && other.asks_no_more(way) && (!way.asks_no_more(other) || j < i)
            };
            if ways.iter().enumerate().any(better) {
                continue;
            }
            let target = *numbers.entry(way.next.clone()).or_insert_with(|| {
                sets.push(way.next.clone());
                sets.len() as u32 - 1
            });
            let marks = marks & !way.promised;
            let Way { positive, negative, .. } = *way;
            transitions.push(Transition { target, positive, negative, marks });
        }
        transitions.sort_unstable();
        states.push(transitions);
        if sets.len() > STATES {
            return Err(TooLarge);
        }
    }
    let anything = sets.iter().position(BTreeSet::is_empty).map(|s| s as u32);
    let by_reaching = is_guarantee(&normal);
    let automaton = Automaton { atoms: terms.atoms, marks, states, anything, by_reaching };
    Ok(merge(automaton))
}

type Id = u32;
type Set = BTreeSet<Id>;

/// A formula in normal form whose parts are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Term {
    True,
    False,
    Literal { atom: u32, holds: bool },
    And(Id, Id),
    Or(Id, Id),
    Next(Id),
    Until { a: Id, b: Id, number: u32 },
    Release(Id, Id),
}

#[derive(Default)]
struct Terms {
    terms: Vec<Term>,
    ids: HashMap<Formula, Id>,
    atoms: Vec<Atom>,
    untils: Vec<Id>,
}

/// One way to satisfy a set of formulas.
#[derive(Clone, Debug, Default)]
struct Way {
    positive: u64,
    negative: u64,
    promised: u64,
    next: Set,
    /// What has been taken apart already.
    done: Set,
}

impl Way {
    /// Is every word that goes the other way accepted on this one?
    fn asks_no_more(&self, other: &Way) -> bool {
        self.positive & !other.positive == 0
            && self.negative & !other.negative == 0
            && self.promised & !other.promised == 0
            && self.next.is_subset(&other.next)
    }
}

impl Terms {
    fn add(&mut self, formula: &Formula) -> Id {
        if let Some(id) = self.ids.get(formula) {
            return *id;
        }
        let term = match formula {
            Formula::True => Term::True,
            Formula::False => Term::False,
            Formula::Atom(atom) => Term::Literal { atom: self.atom(atom), holds: true },
            Formula::Not(inner) => match &**inner {
                Formula::Atom(atom) => Term::Literal { atom: self.atom(atom), holds: false },
                _ => unreachable!("only atoms are negated in a normal form"),
            },
            Formula::And(a, b) => Term::And(self.add(a), self.add(b)),
            Formula::Or(a, b) => Term::Or(self.add(a), self.add(b)),
            Formula::Next(a) => Term::Next(self.add(a)),
            Formula::Until(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                self.untils.push(self.terms.len() as Id);
                Term::Until { a, b, number: self.untils.len() as u32 - 1 }
            }
            Formula::Release(a, b) => Term::Release(self.add(a), self.add(b)),
        };
        self.terms.push(term);
        let id = self.terms.len() as Id - 1;
        self.ids.insert(formula.clone(), id);
        id
    }

    fn atom(&mut self, atom: &Atom) -> u32 {
        let known = self.atoms.iter().position(|a| a == atom);
        known.unwrap_or_else(|| {
            self.atoms.push(atom.clone());
            self.atoms.len() - 1
        }) as u32
    }

    /// The atoms that are events; at most one of them holds at a time.
    fn events(&self) -> u64 {
        let events = self.atoms.iter().enumerate().filter(|(_, a)| matches!(a, Atom::Event(_)));
        events.fold(0, |all, (i, _)| all | 1 << i)
    }

    /// All ways to satisfy what is to be done in addition to what a way does already.
    fn expand(&self, mut todo: Vec<Id>, mut way: Way, ways: &mut Vec<Way>) -> Result<(), TooLarge> {
        while let Some(id) = todo.pop() {
            if !way.done.insert(id) {
                continue;
            }
            match self.terms[id as usize] {
                Term::True => {}
                Term::False => return Ok(()),
                Term::Literal { atom, holds } => {
                    let (same, other) = match holds {
                        true => (&mut way.positive, way.negative),
                        false => (&mut way.negative, way.positive),
                    };
                    if other >> atom & 1 == 1 {
                        return Ok(());
                    }
                    *same |= 1 << atom;
                }
                Term::And(a, b) => todo.extend([a, b]),
                Term::Or(a, b) => {
                    let mut left = todo.clone();
                    left.push(a);
                    self.expand(left, way.clone(), ways)?;
                    todo.push(b);
                }
                Term::Next(a) => {
                    way.next.insert(a);
                }
                Term::Until { a, b, number } => {
                    let mut now = todo.clone();
                    now.push(b);
                    self.expand(now, way.clone(), ways)?;
                    todo.push(a);
                    way.next.insert(id);
                    way.promised |= 1 << number;
                }
                Term::Release(a, b) => {
                    let mut now = todo.clone();
                    now.extend([a, b]);
                    self.expand(now, way.clone(), ways)?;
                    todo.push(b);
                    way.next.insert(id);
                }
            }
        }
        if ways.len() >= WAYS {
            return Err(TooLarge);
        }
        ways.push(way);
        Ok(())
    }
}

/// States with the same transitions become one, until all are different.
fn merge(mut automaton: Automaton) -> Automaton {
    loop {
        let mut numbers: HashMap<Vec<Transition>, u32> = HashMap::new();
        let mut states = Vec::new();
        let mut renamed = Vec::with_capacity(automaton.states.len());
        for transitions in &automaton.states {
            let number = *numbers.entry(transitions.clone()).or_insert_with(|| {
                states.push(transitions.clone());
                states.len() as u32 - 1
            });
            renamed.push(number);
        }
        if states.len() == automaton.states.len() {
            return automaton;
        }
        for transitions in &mut states {
            for t in transitions.iter_mut() {
                t.target = renamed[t.target as usize];
            }
            transitions.sort_unstable();
            transitions.dedup();
        }
        automaton.states = states;
        automaton.anything = automaton.anything.map(|s| renamed[s as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_formula::{Precedence, parse};

    fn size(text: &str) -> (usize, usize, u32) {
        let mut resolve = |n: &str| Ok(Formula::condition(n.bytes().map(u32::from).sum()));
        let formula = parse(text, Precedence::Usual, &mut resolve).expect("a formula");
        let automaton = translate(&formula).expect("a small formula");
        let transitions = automaton.states.iter().map(Vec::len).sum();
        (automaton.states.len(), transitions, automaton.marks.count_ones())
    }

    #[test]
    fn automata_of_common_formulas_are_small() {
        assert_eq!(size("!([] a)"), (2, 3, 1));
        assert_eq!(size("!([]<> a)"), (2, 3, 1));
        assert_eq!(size("[]<> a"), (1, 2, 1));
        assert_eq!(size("[]<>a && []<>b && []<>c && []<>d"), (1, 16, 4));
        assert_eq!(size("!([] (a -> <> b))"), (2, 3, 1));
        assert_eq!(size("!(([]<>a && []<>b) -> []<>c)"), (2, 12, 3));
        assert_eq!(size("a U (b U c)"), (3, 6, 2));
        assert_eq!(size("false").1, 0);
    }

    #[test]
    fn formulas_that_are_too_large_are_refused() {
        let large = (0..70).map(Formula::condition).reduce(Formula::and).expect("some");
        assert_eq!(translate(&large), Err(TooLarge));
        let formula = (0..40).map(|i| Formula::condition(i).eventually());
        let large = formula.reduce(Formula::and).expect("some");
        assert_eq!(translate(&large), Err(TooLarge));
    }

    #[test]
    fn two_events_never_happen_at_once() {
        let both = Formula::event("a").and(Formula::event("b")).eventually();
        let automaton = translate(&both).expect("a small formula");
        assert!(automaton.states.iter().flatten().all(|t| t.positive == 0));
        let both = Formula::event("a").and(Formula::condition(0)).eventually();
        let automaton = translate(&both).expect("a small formula");
        assert!(automaton.states.iter().flatten().any(|t| t.positive == 3));
    }
}
