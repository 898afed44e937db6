//! Does it matter to a formula how often nothing happens?
//!
//! A step is *silent* for a formula if it is none of its events and changes none of its conditions. A
//! search that leaves executions out because others differ from them only in silent steps (partial
//! order reduction) may do so for formulas to which that makes no difference. For formulas over
//! conditions those are the ones without `X`. Events are not like that: `a U b` holds if `b` comes
//! right after `a`, and no longer if something silent comes between them; and where an execution ends,
//! its last position is repeated, event included. So it is decided, not read off the form.
//!
//! D. Peled, Th. Wilke, P. Wolper, *An algorithmic approach for checking closure properties of temporal
//! logic specifications and ω-regular languages*, TCS 195(2), 1998: the language is closed if no word of
//! the formula's automaton and word of its negation's differ only in this. Both automata read at the
//! same time; one reads alone what is silent. Departures: a word that ends may also differ in whether
//! its last position is silent, which matters to `[]<>a`; for formulas that are decided by prefixes
//! ([`is_safety`](crate::is_safety)) the question is one about finite words, so sets of states are
//! compared instead.

use std::collections::{BTreeSet, HashMap};

use linchpin_engine::components;
use linchpin_formula::{Atom, Formula};

use crate::automaton::{Automaton, Letter};
use crate::product::INIT;
use crate::translate::translate;

/// The most that can be read at a position.
const MAX_LETTERS: usize = 256;
/// The most nodes and edges of a product; beyond it the answer is no.
const MAX_NODES: usize = 20_000;
const MAX_EDGES: usize = 1_000_000;

/// Does silence matter to a formula?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The formula holds, or fails, whatever silent steps are put in or taken out, endless silence
    /// excepted.
    Ignored,
    /// So it is for executions that do not end.
    IgnoredUnlessTheEnd,
    /// Silence makes a difference, or the formula is too large to say.
    Matters,
}

/// Does silence matter to a formula?
pub fn silence(formula: &Formula) -> Silence {
    let Some(letters) = Letters::of(formula) else { return Silence::Matters };
    let Ok(negation) = translate(&formula.clone().not()) else { return Silence::Matters };
    if negation.by_reaching {
        return match (Prefixes { automaton: &negation, letters: &letters }).closed() {
            true => Silence::Ignored,
            false => Silence::Matters,
        };
    }
    let Ok(positive) = translate(formula) else { return Silence::Matters };
    Pair { left: &positive, right: &negation, letters: &letters }.silence()
}

/// What can be read: an event or none, and which conditions hold.
struct Letters {
    events: Vec<Atom>,
    conditions: Vec<Atom>,
}

/// The number of an event, from 1, or 0; conditions as bits.
type Read = (usize, u64);

impl Letters {
    fn of(formula: &Formula) -> Option<Letters> {
        let atoms = formula.atoms().into_iter().cloned();
        let (events, conditions): (Vec<Atom>, Vec<Atom>) =
            atoms.partition(|atom| matches!(atom, Atom::Event(_)));
        let few = conditions.len() < 8 && (events.len() + 1) << conditions.len() <= MAX_LETTERS;
        few.then_some(Letters { events, conditions })
    }

    fn all(&self) -> impl Iterator<Item = Read> {
        let conditions = 1u64 << self.conditions.len();
        (0..=self.events.len()).flat_map(move |e| (0..conditions).map(move |c| (e, c)))
    }

    /// What can be read first.
    fn first(&self) -> impl Iterator<Item = Read> {
        let init = self.events.iter().position(|e| *e == Atom::Event(INIT.into()));
        let init = init.map_or(0, |i| i + 1);
        (0..1u64 << self.conditions.len()).map(move |c| (init, c))
    }

    /// As an automaton reads it.
    fn letter(&self, automaton: &Automaton, (event, conditions): Read) -> Letter {
        let mut letter = 0;
        for (i, atom) in automaton.atoms.iter().enumerate() {
            let holds = match atom {
                Atom::Event(_) => event > 0 && self.events[event - 1] == *atom,
                Atom::Condition(_) => {
                    let place = self.conditions.iter().position(|c| c == atom);
                    place.is_some_and(|place| conditions >> place & 1 == 1)
                }
            };
            letter |= u64::from(holds) << i;
        }
        letter
    }
}

/// Where an automaton can go.
fn moves(automaton: &Automaton, state: u32, letter: Letter) -> impl Iterator<Item = (u32, u64)> {
    let list = automaton.states[state as usize].iter();
    list.filter(move |t| t.allows(letter)).map(|t| (t.target, t.marks))
}

/// Is there a cycle that can be reached with all these marks? Edges are given by node; those that
/// cannot be reached must not be there.
fn has_cycle(edges: &[Vec<(u32, u64)>], all: u64) -> bool {
    let part = components(edges.len() as u32, |node, cursor| {
        *cursor += 1;
        edges[node as usize].get(*cursor - 1).map(|e| e.0)
    });
    let mut marks: HashMap<u32, u64> = HashMap::new();
    for (node, list) in edges.iter().enumerate() {
        for (target, own) in list {
            if part[node] == part[*target as usize] {
                *marks.entry(part[node]).or_default() |= own;
            }
        }
    }
    marks.values().any(|m| m & all == all)
}

/// The states from which an automaton accepts one letter for ever.
fn repeats(automaton: &Automaton, letter: Letter) -> Vec<bool> {
    let from = |start: u32| {
        let (mut numbers, mut order) = (HashMap::from([(start, 0u32)]), vec![start]);
        let mut edges = Vec::new();
        while let Some(&state) = order.get(edges.len()) {
            let mut list = Vec::new();
            for (target, marks) in moves(automaton, state, letter) {
                let new = numbers.len() as u32;
                let number = *numbers.entry(target).or_insert(new);
                if number == new {
                    order.push(target);
                }
                list.push((number, marks));
            }
            edges.push(list);
        }
        has_cycle(&edges, automaton.marks)
    };
    (0..automaton.states.len() as u32).map(from).collect()
}

/// Two automata that read words which differ in silence only.
struct Pair<'a> {
    left: &'a Automaton,
    right: &'a Automaton,
    letters: &'a Letters,
}

impl Pair<'_> {
    /// Which such pairs of words are there?
    fn silence(&self) -> Silence {
        let (left, right) = (self.left, self.right);
        let shift = left.marks.count_ones();
        // Two more marks: each side reads something.
        let width = shift + right.marks.count_ones();
        if width + 2 > 64 {
            return Silence::Matters;
        }
        let (moved_left, moved_right) = (1u64 << width, 1u64 << (width + 1));
        let all = left.marks | right.marks << shift | moved_left | moved_right;
        let mut numbers: HashMap<(u32, u32, u64), u32> = HashMap::new();
        let mut order: Vec<(u32, u32, u64)> = Vec::new();
        let mut number = |order: &mut Vec<_>, node: (u32, u32, u64)| {
            let new = order.len() as u32;
            let number = *numbers.entry(node).or_insert(new);
            if number == new {
                order.push(node);
            }
            number
        };
        let reads: Vec<Read> = self.letters.all().collect();
        let of = |automaton, read| self.letters.letter(automaton, read);
        let ends: HashMap<Read, (Vec<bool>, Vec<bool>)> = (reads.iter())
            .map(|&r| (r, (repeats(left, of(left, r)), repeats(right, of(right, r)))))
            .collect();
        // After the last position, one word repeats it and the other is silent.
        let differ_at_end = |p: u32, q: u32, read: Read| {
            let (loud, silent) = (&ends[&read], &ends[&(0, read.1)]);
            loud.0[p as usize] && silent.1[q as usize] || silent.0[p as usize] && loud.1[q as usize]
        };
        let mut at_end = false;
        for read in self.letters.first() {
            for (p, _) in moves(left, 0, of(left, read)) {
                for (q, _) in moves(right, 0, of(right, read)) {
                    at_end |= differ_at_end(p, q, read);
                    number(&mut order, (p, q, read.1));
                }
            }
        }
        let mut edges: Vec<Vec<(u32, u64)>> = Vec::new();
        let mut count = 0;
        while let Some(&(p, q, c)) = order.get(edges.len()) {
            let mut list = Vec::new();
            for &read in &reads {
                for (p, a) in moves(left, p, of(left, read)) {
                    for (q, b) in moves(right, q, of(right, read)) {
                        at_end |= differ_at_end(p, q, read);
                        let marks = a | b << shift | moved_left | moved_right;
                        list.push((number(&mut order, (p, q, read.1)), marks));
                    }
                }
            }
            for (p, a) in moves(left, p, of(left, (0, c))) {
                list.push((number(&mut order, (p, q, c)), a | moved_left));
            }
            for (q, b) in moves(right, q, of(right, (0, c))) {
                list.push((number(&mut order, (p, q, c)), b << shift | moved_right));
            }
            count += list.len();
            if order.len() > MAX_NODES || count > MAX_EDGES {
                return Silence::Matters;
            }
            edges.push(list);
        }
        match (has_cycle(&edges, all), at_end) {
            (true, _) => Silence::Matters,
            (false, true) => Silence::IgnoredUnlessTheEnd,
            (false, false) => Silence::Ignored,
        }
    }
}

/// An automaton that accepts by reaching a state.
struct Prefixes<'a> {
    automaton: &'a Automaton,
    letters: &'a Letters,
}

/// The states an automaton may be in; nothing if it has accepted.
type Set = Option<BTreeSet<u32>>;

impl Prefixes<'_> {
    fn after(&self, set: &Set, read: Read) -> Set {
        let letter = self.letters.letter(self.automaton, read);
        let set = set.as_ref()?;
        let next = set.iter().flat_map(|&s| moves(self.automaton, s, letter)).map(|m| m.0);
        let next: BTreeSet<u32> = next.collect();
        let accepted = self.automaton.anything.is_some_and(|anything| next.contains(&anything));
        (!accepted).then_some(next)
    }

    /// Are prefixes accepted whatever silence is put in or taken out?
    fn closed(&self) -> bool {
        let reads: Vec<Read> = self.letters.all().collect();
        let start = Some(BTreeSet::from([0]));
        let mut seen: BTreeSet<(Set, u64)> = BTreeSet::new();
        let mut todo: Vec<(Set, u64)> =
            self.letters.first().map(|read| (self.after(&start, read), read.1)).collect();
        // Pairs of sets that must not be told apart.
        let mut same: Vec<(Set, Set)> = Vec::new();
        while let Some((set, c)) = todo.pop() {
            if set.is_none() || !seen.insert((set.clone(), c)) {
                continue;
            }
            if seen.len() > MAX_NODES {
                return false;
            }
            same.push((set.clone(), self.after(&set, (0, c))));
            todo.extend(reads.iter().map(|&read| (self.after(&set, read), read.1)));
        }
        let mut compared: BTreeSet<(Set, Set)> = BTreeSet::new();
        while let Some((a, b)) = same.pop() {
            if a == b || !compared.insert((a.clone(), b.clone())) {
                continue;
            }
            if a.is_none() || b.is_none() || compared.len() > MAX_NODES {
                return false;
            }
            same.extend(reads.iter().map(|&read| (self.after(&a, read), self.after(&b, read))));
        }
        true
    }
}
