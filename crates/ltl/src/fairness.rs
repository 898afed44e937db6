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

/// Somebody who may expect to be treated fairly.
pub(crate) type Item = (u32, u32);

/// To whom the steps of the states of components are opportunities: components of the system, events,
/// or for global fairness the step itself.
pub(crate) struct Rights<'p, S: LabelledSystem> {
    pub(crate) fairness: Fairness,
    stepper: Stepper<'p, S>,
    /// Those of one step after the other, of one state after the other.
    items: Vec<Item>,
    /// Where the items of a step end; before the first it is 0.
    ends: Vec<usize>,
    /// The steps of a state in `ends`, by the number of the state.
    states: HashMap<u64, Range<usize>>,
}

impl<'p, S: LabelledSystem> Rights<'p, S> {
    pub(crate) fn new(system: &'p S, fairness: Fairness) -> Self {
        let (items, ends, states) = (Vec::new(), vec![0], HashMap::new());
        Rights { fairness, stepper: Stepper::new(system), items, ends, states }
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
            let number = self.states.len() as u32;
            let Entry::Vacant(entry) = self.states.entry(graph.state(node)) else { continue };
            self.stepper.look_at(&graph.node(node).0)?;
            let from = self.ends.len() - 1;
            // Of equal steps of a state the first stands for all.
            let mut first: HashMap<(Label, &[u32]), u32> = HashMap::new();
            for (step, place) in self.stepper.steps().zip(0..) {
                match self.fairness {
                    Fairness::None => {}
                    Fairness::WeakProcesses | Fairness::StrongProcesses => {
                        self.items.extend(step.by.iter().map(|process| (*process, 0)));
                    }
                    Fairness::WeakEvents | Fairness::StrongEvents => {
                        self.items.extend((step.label != TAU).then_some((step.label, 0)));
                    }
                    Fairness::Global => {
                        let place = *first.entry((step.label, step.state)).or_insert(place);
                        self.items.push((number, place));
                    }
                }
                self.ends.push(self.items.len());
            }
            entry.insert(from..self.ends.len() - 1);
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
            let is_taken = |item: &Item| taken.binary_search(item).is_ok();
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

    /// Who is taken by the edges inside of a component, sorted.
    fn all_taken(
        &self,
        graph: &Graph<'_>,
        division: &Division,
        nodes: &[u32],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Item>, Stop> {
        let mut taken = Vec::new();
        for &node in nodes {
            for edge in division.edges(graph, node) {
                meter.tick(1)?;
                taken.extend_from_slice(self.taken(graph, node, &edge));
            }
        }
        taken.sort_unstable();
        taken.dedup();
        Ok(taken)
    }
}
