//! Witnesses: executions that violate a formula.

use linchpin_engine::{Edge, Meter, Stepper, Stop, Taken, Way};
use linchpin_lts::{LabelledSystem, Trouble};

use crate::component::{Division, Graph};
use crate::fairness::{Fairness, Item, Rights};
use crate::product::not_a_step;

/// What comes after the steps of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// These steps, which lead back to where they begin, for ever.
    Cycle(Vec<Taken>),
    /// Nothing: no step is possible.
    End,
    /// Anything: it is violated already.
    Open,
}

/// An execution, from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The initial state.
    pub initial: Vec<u32>,
    /// First these steps.
    pub stem: Vec<Taken>,
    /// Then this.
    pub tail: Tail,
}

impl Lasso {
    /// The steps, those of a cycle once, and the place from which on they repeat, if they do.
    pub fn steps(&self) -> (impl Iterator<Item = &Taken> + Clone, Option<usize>) {
        let (cycle, repeats) = match &self.tail {
            Tail::Cycle(cycle) => (&cycle[..], Some(self.stem.len())),
            Tail::End | Tail::Open => (&[][..], None),
        };
        (self.stem.iter().chain(cycle), repeats)
    }
}

/// The steps of the system along a way.
pub(crate) fn steps<S: LabelledSystem>(
    system: &S,
    graph: &Graph<'_>,
    way: &Way,
) -> Result<Vec<Taken>, Trouble> {
    let mut stepper = Stepper::new(system);
    let mut taken = Vec::with_capacity(way.len());
    for (node, edge) in way {
        let (place, _) = graph.step(*node, edge);
        stepper.look_at(&graph.node(*node).0)?;
        let step = stepper.steps().nth(place).map(|step| step.taken());
        let target = graph.node(edge.target).0;
        taken.push(step.filter(|step| step.state == target).ok_or_else(not_a_step)?);
    }
    Ok(taken)
}

/// A cycle in a component, from its first node, that takes all marks and does what fairness asks for: to
/// the nearest edge that is of use, again and again, and back.
pub(crate) fn round<S: LabelledSystem>(
    graph: &Graph<'_>,
    division: &Division,
    rights: &Rights<'_, S>,
    nodes: &[u32],
    meter: &mut Meter<'_, '_>,
) -> Result<Way, Stop> {
    let mut marks = graph.automaton.marks;
    let mut owed = rights.of(graph, nodes);
    // Who has what it may expect after an edge: who is taken, and for weak fairness who is not enabled
    // where the edge leads.
    let weak = matches!(rights.fairness, Fairness::WeakProcesses | Fairness::WeakEvents);
    let rests = |edge: &Edge, item: Item| !rights.enabled(graph, edge.target).contains(&item);
    let inside = |node: u32, edge: &Edge| division.is_inside(node, edge);
    let entry = nodes[0];
    let mut cycle = Way::new();
    let mut at = entry;
    while marks != 0 || !owed.is_empty() || at != entry || cycle.is_empty() {
        let done = marks == 0 && owed.is_empty();
        let useful = |node: u32, edge: &Edge| match done {
            true => edge.target == entry,
            false => {
                graph.step(node, edge).1 & marks != 0
                    || rights.taken(graph, node, edge).iter().any(|item| owed.contains(*item))
                    || weak && owed.iter().any(|item| rests(edge, item))
            }
        };
        let Some(way) = graph.order.way(at, inside, useful, meter)? else {
            unreachable!("a strongly connected set with everything in it");
        };
        for (node, edge) in &way {
            marks &= !graph.step(*node, edge).1;
            for item in rights.taken(graph, *node, edge) {
                owed.remove(*item);
            }
            if weak {
                let resting: Vec<Item> = owed.iter().filter(|item| rests(edge, *item)).collect();
                resting.into_iter().for_each(|item| owed.remove(item));
            }
            at = edge.target;
        }
        cycle.extend(way);
    }
    Ok(cycle)
}
