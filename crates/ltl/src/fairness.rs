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

use linchpin_engine::Unfolded;
use linchpin_lts::{TAU, Trouble};

use crate::component::Component;
use crate::graph::Graph;
use crate::product::{Map, Product};

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

    pub(crate) fn is_strong(self) -> bool {
        matches!(self, Fairness::StrongProcesses | Fairness::StrongEvents)
    }

    /// To whom a step is an opportunity: components, events, or for global fairness the step
    /// itself.
    pub(crate) fn items<G: Graph>(
        self,
        graph: &G,
        state: u32,
        step: Unfolded,
        items: &mut Vec<Item>,
    ) {
        match self {
            Fairness::None => {}
            Fairness::WeakProcesses | Fairness::StrongProcesses => {
                items.extend(graph.group(step.group).iter().map(|p| (*p, 0, 0)));
            }
            Fairness::WeakEvents | Fairness::StrongEvents => {
                items.extend((step.label != TAU).then_some((step.label, 0, 0)));
            }
            Fairness::Global => items.push((state, step.label, step.target)),
        }
    }

    /// To whom the steps of a state are opportunities, each once, sorted.
    pub(crate) fn enabled<G: Graph>(self, graph: &mut G, state: u32) -> Result<Vec<Item>, Trouble> {
        let mut steps = Vec::new();
        graph.steps(state, &mut steps)?;
        let mut items = Vec::new();
        for step in steps {
            self.items(graph, state, step, &mut items);
        }
        items.sort_unstable();
        items.dedup();
        Ok(items)
    }
}

/// Somebody who may expect to be treated fairly.
pub(crate) type Item = (u32, u32, u32);

/// What fairness says about a component.
pub(crate) struct Rights {
    /// Who is enabled, by place in the component.
    pub(crate) enabled: Vec<Vec<Item>>,
    /// Who is taken somewhere in it, sorted.
    pub(crate) taken: Vec<Item>,
}

impl Rights {
    pub(crate) fn of<G: Graph>(
        product: &mut Product<'_, G>,
        component: &Component,
        fairness: Fairness,
    ) -> Result<Rights, Trouble> {
        let mut known: Map<u32, Vec<Item>> = Map::default();
        let mut enabled = Vec::with_capacity(component.nodes.len());
        let mut taken = Vec::new();
        for (place, node) in component.nodes.iter().enumerate() {
            let state = product.node(*node).state;
            let own = match known.get(&state) {
                Some(own) => own.clone(),
                None => {
                    let own = fairness.enabled(product.graph, state)?;
                    known.insert(state, own.clone());
                    own
                }
            };
            enabled.push(own);
            for edge in &component.edges[place] {
                if let Some((_, step)) = edge.step {
                    fairness.items(product.graph, state, step, &mut taken);
                }
            }
            taken.sort_unstable();
            taken.dedup();
        }
        Ok(Rights { enabled, taken })
    }

    pub(crate) fn is_taken(&self, item: &Item) -> bool {
        self.taken.binary_search(item).is_ok()
    }
}

/// A part of a component in which an execution can go round for ever that takes all marks and is
/// fair.
pub(crate) fn fair_part<G: Graph>(
    product: &mut Product<'_, G>,
    component: Component,
    fairness: Fairness,
) -> Result<Option<Component>, Trouble> {
    let marks = product.automaton.marks;
    let mut todo = vec![component];
    while let Some(component) = todo.pop() {
        if component.marks() != marks {
            continue;
        }
        let rights = Rights::of(product, &component, fairness)?;
        if fairness.is_strong() {
            let good = |place: usize| rights.enabled[place].iter().all(|i| rights.is_taken(i));
            let keep: Vec<bool> = (0..component.nodes.len()).map(good).collect();
            if keep.iter().all(|k| *k) {
                return Ok(Some(component));
            }
            todo.extend(component.parts(&keep));
            continue;
        }
        let deprived = |item: &Item| match fairness {
            Fairness::Global => true,
            _ => rights.enabled.iter().all(|e| e.binary_search(item).is_ok()),
        };
        let all = rights.enabled.iter().flatten();
        if !all.filter(|item| !rights.is_taken(item)).any(deprived) {
            return Ok(Some(component));
        }
    }
    Ok(None)
}
