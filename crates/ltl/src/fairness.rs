//! Which executions count: fairness.
//!
//! J. Sun, Y. Liu, J. S. Dong, J. Pang, *PAT: towards flexible verification under fairness*, CAV
//! 2009: an execution that goes round in a strongly connected set of nodes for ever is fair or not
//! by what is enabled and what is taken in that set. A largest component is examined as follows.
//! *Weak* fairness and *global* fairness are the better satisfied the larger the set is, so the
//! component itself decides. *Strong* fairness need not be: states in which something is enabled
//! that is never taken in the set are removed and what is left is divided into components again (as
//! for Streett automata: E. A. Emerson, C.-L. Lei, *Modalities for model checking*, 1987). What is
//! enabled is a matter of the system alone, not of the automaton.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use linchpin_engine::{Edge, Meter, Stepper, Stop};
use linchpin_lts::{Label, LabelledSystem, TAU};

use crate::component::{Division, Graph};

/// Which executions are considered.
///
/// An execution is *weakly* fair to something if that is taken infinitely often or is infinitely
/// often not enabled; *strongly* fair, if it is taken infinitely often or from some time on never
/// enabled. An execution that ends is fair: nothing is enabled where it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// Those weakly fair to every component of the system.
    WeakProcesses,
    /// Those strongly fair to every component of the system.
    StrongProcesses,
    /// Those weakly fair to every event. Silent steps are no event.
    WeakEvents,
    /// Those strongly fair to every event.
    StrongEvents,
    /// Those that take every step infinitely often that is possible infinitely often: of equal
    /// states, label and target all are taken.
    Global,
}

impl Fairness {
    /// All of them, the first without any demand.
    pub const ALL: [Fairness; 6] = [
        Fairness::None,
        Fairness::WeakProcesses,
        Fairness::StrongProcesses,
        Fairness::WeakEvents,
        Fairness::StrongEvents,
        Fairness::Global,
    ];
}

/// Somebody who may expect to be treated fairly: a number, of a component, of a label, or of a step of a state.
pub(crate) type Item = u32;

/// To whom the steps of the states of components are opportunities: components of the system, events,
/// or for global fairness the step itself.
pub(crate) struct Rights<'p, S: LabelledSystem> {
    pub(crate) fairness: Fairness,
    stepper: Stepper<'p, S>,
    /// Those of one step after the other, of one state after the other.
    items: Vec<Item>,
    /// All are less than this.
    bound: Item,
    /// Where the items of a step end; before the first it is 0.
    ends: Vec<usize>,
    /// The steps of a state in `ends`, by the number of the state.
    states: HashMap<u64, Range<usize>>,
}

impl<'p, S: LabelledSystem> Rights<'p, S> {
    pub(crate) fn new(system: &'p S, fairness: Fairness) -> Self {
        let (items, ends, states) = (Vec::new(), vec![0], HashMap::new());
        Rights { fairness, stepper: Stepper::new(system), items, bound: 0, ends, states }
    }

    /// Looks at the states of these nodes.
    fn learn(
        &mut self,
        graph: &Graph<'_>,
        nodes: &[u32],
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Stop> {
        for &node in nodes {
            meter.tick(1)?;
            let Entry::Vacant(entry) = self.states.entry(graph.state(node)) else { continue };
            self.stepper.look_at(&graph.node(node).0)?;
            let from = self.ends.len() - 1;
            // Of equal steps of a state the first stands for all.
            let mut first: HashMap<(Label, &[u32]), Item> = HashMap::new();
            let begin = self.items.len();
            for step in self.stepper.steps() {
                match self.fairness {
                    Fairness::None => {}
                    Fairness::WeakProcesses | Fairness::StrongProcesses => {
                        self.items.extend_from_slice(step.by);
                    }
                    Fairness::WeakEvents | Fairness::StrongEvents => {
                        self.items.extend((step.label != TAU).then_some(step.label));
                    }
                    Fairness::Global => {
                        let new = self.items.len() as Item;
                        self.items.push(*first.entry((step.label, step.state)).or_insert(new));
                    }
                }
                self.ends.push(self.items.len());
            }
            entry.insert(from..self.ends.len() - 1);
            let greatest = self.items[begin..].iter().max();
            self.bound = self.bound.max(greatest.map_or(0, |item| item + 1));
        }
        Ok(())
    }

    /// To whom the steps of a node are opportunities.
    pub(crate) fn enabled(&self, graph: &Graph<'_>, node: u32) -> &[Item] {
        self.states
            .get(&graph.state(node))
            .map_or(&[], |steps| &self.items[self.ends[steps.start]..self.ends[steps.end]])
    }

    /// Who is taken by an edge of a node.
    pub(crate) fn taken(&self, graph: &Graph<'_>, node: u32, edge: &Edge) -> &[Item] {
        let Some(steps) = self.states.get(&graph.state(node)) else { return &[] };
        let step = steps.start + graph.step(node, edge).0;
        &self.items[self.ends[step]..self.ends[step + 1]]
    }

    /// A part of an accepting component in which an execution can go round for ever that takes all marks
    /// and is fair.
    pub(crate) fn fair_part(
        &mut self,
        graph: &Graph<'_>,
        division: &mut Division,
        nodes: Vec<u32>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Vec<u32>>, Stop> {
        if self.fairness == Fairness::None {
            return Ok(Some(nodes));
        }
        self.learn(graph, &nodes, meter)?;
        let mut todo = vec![nodes];
        while let Some(nodes) = todo.pop() {
            let taken = self.all_taken(graph, division, &nodes, meter)?;
            let is_taken = |item: &Item| taken[*item as usize];
            let mut content = Vec::with_capacity(nodes.len());
            for &node in &nodes {
                let enabled = self.enabled(graph, node);
                meter.tick(enabled.len() as u64)?;
                content.push(enabled.iter().all(is_taken));
            }
            if content.iter().all(|content| *content) {
                return Ok(Some(nodes));
            }
            match self.fairness {
                Fairness::StrongProcesses | Fairness::StrongEvents => {
                    let parts = division.without(graph, &nodes, &content, meter)?;
                    todo.extend(parts.into_iter().rev());
                }
                Fairness::Global | Fairness::None => {}
                // Is somebody deprived in all nodes?
                Fairness::WeakProcesses | Fairness::WeakEvents => {
                    let mut deprived = self.enabled(graph, nodes[0]).to_vec();
                    deprived.retain(|item| !is_taken(item));
                    for &node in &nodes {
                        let enabled = self.enabled(graph, node);
                        meter.tick((deprived.len() * enabled.len()) as u64)?;
                        deprived.retain(|item| enabled.contains(item));
                    }
                    if deprived.is_empty() {
                        return Ok(Some(nodes));
                    }
                }
            }
        }
        Ok(None)
    }

    /// For everybody: is it taken by an edge inside of a component?
    fn all_taken(
        &self,
        graph: &Graph<'_>,
        division: &Division,
        nodes: &[u32],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<bool>, Stop> {
        let mut taken = vec![false; self.bound as usize];
        for &node in nodes {
            for edge in division.edges(graph, node) {
                meter.tick(1)?;
                for &item in self.taken(graph, node, &edge) {
                    taken[item as usize] = true;
                }
            }
        }
        Ok(taken)
    }

    /// Everybody to whom a step of these nodes is an opportunity.
    pub(crate) fn of(&self, graph: &Graph<'_>, nodes: &[u32]) -> Owed {
        let mut owed = Owed { is: vec![false; self.bound as usize], count: 0 };
        for &item in nodes.iter().flat_map(|node| self.enabled(graph, *node)) {
            owed.count += usize::from(!std::mem::replace(&mut owed.is[item as usize], true));
        }
        owed
    }
}

/// Those who have not got yet what they may expect.
pub(crate) struct Owed {
    is: Vec<bool>,
    count: usize,
}

impl Owed {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn contains(&self, item: Item) -> bool {
        self.is[item as usize]
    }

    pub(crate) fn remove(&mut self, item: Item) {
        self.count -= usize::from(std::mem::take(&mut self.is[item as usize]));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Item> {
        (0..).zip(&self.is).filter(|(_, is)| **is).map(|(item, _)| item)
    }
}
