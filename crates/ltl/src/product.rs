//! The product of a system and an automaton, built while it is searched.
//!
//! A node is a state of the system and the state that the automaton is in after reading what holds
//! there. **Where an execution ends** (no step is possible, terminated or deadlocked) what holds at
//! the last position is repeated for ever, the event included; so a node of such a state also knows
//! by which label it was reached.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use linchpin_engine::Unfolded;
use linchpin_lts::{Label, Trouble};

use crate::automaton::{Automaton, Letter};
use crate::graph::Graph;
use linchpin_formula::Atom;

/// The name of what leads to the initial state.
pub(crate) const INIT: &str = "init";

/// How a state was reached, for a node.
const ON: u32 = 0;
const BEGIN: u32 = 1;

/// A node of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) state: u32,
    pub(crate) automaton: u32,
    /// [`ON`] if there are steps; else [`BEGIN`], or 2 more than the label that leads here.
    end: u32,
}

/// A step of the product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The node it leads to.
    pub(crate) target: u32,
    pub(crate) marks: u64,
    /// The step of the system and which one it is of its state; `None` if the execution has ended.
    pub(crate) step: Option<(u32, Unfolded)>,
}

/// A hash of few words by multiplication; nobody chooses the numbers to annoy us.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32((*byte).into());
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// The product and the part of it that has been looked at.
pub(crate) struct Product<'p, G> {
    pub(crate) graph: &'p mut G,
    pub(crate) automaton: &'p Automaton,
    nodes: Vec<Node>,
    numbers: Map<Node, u32>,
    /// Atoms that are events, by the label they are the text of.
    events: Map<Label, Letter>,
    conditions: Vec<(u32, u32)>,
    /// Conditions that hold, by state.
    held: Vec<Option<Letter>>,
    steps: Vec<Unfolded>,
}

impl<'p, G: Graph> Product<'p, G> {
    pub(crate) fn new(graph: &'p mut G, automaton: &'p Automaton) -> Self {
        let atoms = automaton.atoms.iter().enumerate();
        let conditions = atoms.filter_map(|(i, atom)| match atom {
            Atom::Condition(number) => Some((i as u32, *number)),
            Atom::Event(_) => None,
        });
        let conditions = conditions.collect();
        Product {
            graph,
            automaton,
            nodes: Vec::new(),
            numbers: Map::default(),
            events: Map::default(),
            conditions,
            held: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// How many nodes have been seen.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes in use, about.
    pub(crate) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.numbers.capacity() * (size_of::<Node>() + 5)
            + self.held.capacity() * size_of::<Option<Letter>>()
    }

    pub(crate) fn node(&self, node: u32) -> Node {
        self.nodes[node as usize]
    }

    /// The initial nodes. The automaton has read what holds in the initial state.
    pub(crate) fn initial(&mut self) -> Result<Vec<u32>, Trouble> {
        let state = self.graph.initial()?;
        let letter = self.event(INIT) | self.held(state)?;
        let end = if self.is_end(state)? { BEGIN } else { ON };
        let automaton = self.automaton;
        let allowed = automaton.states[0].iter().filter(|t| t.allows(letter));
        let mut nodes: Vec<u32> =
            allowed.map(|t| self.number(Node { state, automaton: t.target, end })).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    /// The steps of a node.
    pub(crate) fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), Trouble> {
        edges.clear();
        let Node { state, automaton: from, end } = self.node(node);
        let automaton = self.automaton;
        let transitions = &automaton.states[from as usize];
        if end != ON {
            let event = if end == BEGIN { self.event(INIT) } else { self.letter(end - 2) };
            let letter = event | self.held(state)?;
            for t in transitions.iter().filter(|t| t.allows(letter)) {
                let target = self.number(Node { state, automaton: t.target, end });
                edges.push(Edge { target, marks: t.marks, step: None });
            }
            return Ok(());
        }
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let result = self.graph.steps(state, &mut steps).and_then(|()| {
            for (i, step) in steps.iter().enumerate() {
                let letter = self.letter(step.label) | self.held(step.target)?;
                let mut end = None;
                for t in transitions.iter().filter(|t| t.allows(letter)) {
                    let end = match end {
                        Some(end) => end,
                        None => {
                            let is_end = self.is_end(step.target)?;
                            *end.insert(if is_end { step.label + 2 } else { ON })
                        }
                    };
                    let node = Node { state: step.target, automaton: t.target, end };
                    let target = self.number(node);
                    edges.push(Edge { target, marks: t.marks, step: Some((i as u32, *step)) });
                }
            }
            Ok(())
        });
        self.steps = steps;
        result
    }

    fn number(&mut self, node: Node) -> u32 {
        let Self { nodes, numbers, .. } = self;
        *numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            u32::try_from(nodes.len() - 1).expect("fewer nodes than numbers")
        })
    }

    fn is_end(&mut self, state: u32) -> Result<bool, Trouble> {
        let mut steps = Vec::new();
        self.graph.steps(state, &mut steps)?;
        Ok(steps.is_empty())
    }

    /// The event with this text.
    fn event(&self, text: &str) -> Letter {
        self.events_of(|event| event == text)
    }

    fn events_of(&self, happens: impl Fn(&str) -> bool) -> Letter {
        let atoms = self.automaton.atoms.iter().enumerate();
        let same = atoms.filter(|(_, atom)| matches!(atom, Atom::Event(e) if happens(e)));
        same.fold(0, |letter, (i, _)| letter | 1 << i)
    }

    /// The event of a label.
    fn letter(&mut self, label: Label) -> Letter {
        if let Some(letter) = self.events.get(&label) {
            return *letter;
        }
        let letter = self.events_of(|event| self.graph.is_event(label, event));
        self.events.insert(label, letter);
        letter
    }

    /// The conditions that hold in a state.
    fn held(&mut self, state: u32) -> Result<Letter, Trouble> {
        if self.conditions.is_empty() {
            return Ok(0);
        }
        let place = state as usize;
        if self.held.len() <= place {
            self.held.resize(place + 1, None);
        }
        if let Some(letter) = self.held[place] {
            return Ok(letter);
        }
        let mut letter = 0;
        for &(atom, number) in &self.conditions {
            letter |= Letter::from(self.graph.holds(number, state)?) << atom;
        }
        self.held[place] = Some(letter);
        Ok(letter)
    }
}
