//! Automata on infinite words: those of formulas.
//!
//! Transitions, not states, carry marks, and there may be several: a run is accepting if it takes
//! transitions of every mark infinitely often (transition-based generalised Büchi automata).

use std::convert::Infallible;

use linchpin_engine::components_of;
use linchpin_formula::Atom;

/// What holds at a position: bit `i` for the atom `i` of the automaton.
pub type Letter = u64;

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// Where it leads.
    pub target: u32,
    /// Atoms that must hold.
    pub positive: Letter,
    /// Atoms that must not hold.
    pub negative: Letter,
    /// Its marks.
    pub marks: u64,
}

impl Transition {
    /// May it be taken when this is read?
    #[inline]
    pub fn allows(&self, letter: Letter) -> bool {
        self.positive & !letter == 0 && self.negative & letter == 0
    }
}

/// An automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The atoms, at most 64.
    pub atoms: Vec<Atom>,
    /// All marks: one bit each.
    pub marks: u64,
    /// Transitions by state. State 0 is the initial one.
    pub states: Vec<Vec<Transition>>,
    /// The state from which everything is accepted, whatever happens, if there is one.
    pub anything: Option<u32>,
    /// Does it accept by reaching [`Automaton::anything`] only? So it is for formulas that say that
    /// something happens at some time.
    pub by_reaching: bool,
}

impl Automaton {
    /// From which states is a letter accepted that is read again and again, for ever?
    pub(crate) fn accept_repeated(&self, letter: Letter) -> Vec<bool> {
        let allowed =
            |state: u32| self.states[state as usize].iter().filter(move |t| t.allows(letter));
        let Ok(own) = components_of(self.states.len() as u32, |state| {
            Ok::<_, Infallible>(allowed(state).map(|t| t.target))
        });
        let mut marks: Vec<Option<u64>> = vec![None; own.len()];
        for (state, &component) in own.iter().enumerate() {
            for t in allowed(state as u32).filter(|t| own[t.target as usize] == component) {
                let all = &mut marks[component as usize];
                *all = Some(all.unwrap_or(0) | t.marks);
            }
        }
        // A component that can be reached from another has a smaller number.
        let mut order: Vec<u32> = (0..own.len() as u32).collect();
        order.sort_by_key(|state| own[*state as usize]);
        let mut good: Vec<bool> = marks.iter().map(|marks| *marks == Some(self.marks)).collect();
        for state in order {
            good[own[state as usize] as usize] |=
                allowed(state).any(|t| good[own[t.target as usize] as usize]);
        }
        own.iter().map(|component| good[*component as usize]).collect()
    }

    /// Does it accept the word in which `stem` is followed by `cycle` for ever? From the definition,
    /// for tests: a cycle of the product with the word has every mark, for which its strongly
    /// connected components are enough.
    pub fn accepts(&self, stem: &[Letter], cycle: &[Letter]) -> bool {
        assert!(!cycle.is_empty(), "an infinite word repeats something");
        let length = stem.len() + cycle.len();
        let letter = |i: usize| if i < stem.len() { stem[i] } else { cycle[i - stem.len()] };
        let after = |i: usize| if i + 1 == length { stem.len() } else { i + 1 };
        let node = |position: usize, state: u32| position * self.states.len() + state as usize;
        let count = length * self.states.len();
        let successors = |n: usize| {
            let (position, state) = (n / self.states.len(), n % self.states.len());
            self.states[state]
                .iter()
                .filter(move |t| t.allows(letter(position)))
                .map(move |t| (node(after(position), t.target), t.marks))
        };
        let reachable = |from: usize| {
            let mut seen = vec![false; count];
            let mut todo: Vec<usize> = successors(from).map(|(n, _)| n).collect();
            while let Some(n) = todo.pop() {
                if !std::mem::replace(&mut seen[n], true) {
                    todo.extend(successors(n).map(|(n, _)| n));
                }
            }
            seen
        };
        let reached: Vec<Vec<bool>> = (0..count).map(reachable).collect();
        (0..count).any(|n| {
            if !reached[n][n] || !(n == node(0, 0) || reached[node(0, 0)][n]) {
                return false;
            }
            let together = |m: usize| reached[n][m] && reached[m][n];
            let mut marks = 0;
            for m in (0..count).filter(|m| together(*m)) {
                marks |= successors(m).filter(|s| together(s.0)).fold(0, |all, s| all | s.1);
            }
            marks == self.marks
        })
    }
}
