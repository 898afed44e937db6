//! Witnesses: executions that violate a formula.

use std::collections::VecDeque;

use linchpin_engine::Unfolded;
use linchpin_lts::Label;

use crate::component::Component;
use crate::fairness::{Fairness, Item, Rights};
use crate::graph::Graph;
use crate::meter::{Halt, Meter};
use crate::product::{Edge, Map, Product};

/// A step of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Which one it is of the steps of the state before it.
    pub place: u32,
    /// Its label.
    pub label: Label,
    /// The components that move ([`Graph::group`]).
    pub group: u32,
    /// The state it leads to.
    pub state: u32,
}

impl Taken {
    pub(crate) fn new((place, step): (u32, Unfolded)) -> Taken {
        Taken { place, label: step.label, group: step.group, state: step.target }
    }
}

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
    pub initial: u32,
    /// First these steps.
    pub stem: Vec<Taken>,
    /// Then this.
    pub tail: Tail,
}

/// A path breadth first: `edges` gives the edges of a place, `stop` says where to stop, after an
/// edge. The edges of the path with the places they begin at, or nothing if there is none.
fn path(
    from: u32,
    mut edges: impl FnMut(u32, &mut Vec<Edge>) -> Result<(), Halt>,
    stop: impl Fn(u32, &Edge) -> bool,
) -> Result<Option<Vec<(u32, Edge)>>, Halt> {
    let mut before: Map<u32, Option<(u32, Edge)>> = Map::default();
    before.insert(from, None);
    let mut todo = VecDeque::from([from]);
    let mut out = Vec::new();
    while let Some(place) = todo.pop_front() {
        edges(place, &mut out)?;
        for edge in &out {
            if stop(place, edge) {
                let mut path = vec![(place, *edge)];
                let mut place = place;
                while let Some(Some((previous, edge))) = before.get(&place) {
                    path.push((*previous, *edge));
                    place = *previous;
                }
                path.reverse();
                return Ok(Some(path));
            }
            before.entry(edge.target).or_insert_with(|| {
                todo.push_back(edge.target);
                Some((place, *edge))
            });
        }
    }
    Ok(None)
}

/// An execution that goes to a component by a shortest way and round in it for ever, taking all
/// marks and being fair.
pub(crate) fn witness<G: Graph>(
    product: &mut Product<'_, G>,
    component: &Component,
    fairness: Fairness,
    meter: &mut Meter<'_>,
) -> Result<Lasso, Halt> {
    let initial = product.graph.initial()?;
    let places: Map<u32, u32> =
        component.nodes.iter().zip(0..).map(|(n, place)| (*n, place)).collect();
    let starts = product.initial()?;
    let (stem, entry) = match starts.iter().find_map(|n| places.get(n)) {
        Some(place) => (Vec::new(), *place),
        None => {
            let begin = |n: u32| Edge { target: n, marks: 0, step: None };
            let edges = |node: u32, out: &mut Vec<Edge>| {
                if node == NOWHERE {
                    out.clear();
                    out.extend(starts.iter().map(|n| begin(*n)));
                } else {
                    product.edges(node, out)?;
                }
                meter.count(out.len() + 1, 0, product)
            };
            match path(NOWHERE, edges, |_, edge| places.contains_key(&edge.target))? {
                None => unreachable!("a component that was reached can be reached"),
                Some(path) => {
                    let entry = path.last().expect("a path has an edge").1.target;
                    let steps = path.iter().filter_map(|(_, e)| e.step.map(Taken::new));
                    (steps.collect(), places[&entry])
                }
            }
        }
    };
    let rights = Rights::of(product, component, fairness)?;
    let cycle = round(product, component, &rights, fairness, entry)?;
    let cycle: Vec<Taken> = cycle.iter().filter_map(|e| e.step.map(Taken::new)).collect();
    let tail = if cycle.is_empty() { Tail::End } else { Tail::Cycle(cycle) };
    Ok(Lasso { initial, stem, tail })
}

/// The place before the initial nodes.
const NOWHERE: u32 = u32::MAX;

/// What a cycle still has to do.
struct Duties {
    marks: u64,
    /// Sorted.
    items: Vec<Item>,
}

impl Duties {
    fn are_done(&self) -> bool {
        self.marks == 0 && self.items.is_empty()
    }
}

/// A cycle in a component that takes all marks and does what fairness asks for.
fn round<G: Graph>(
    product: &mut Product<'_, G>,
    component: &Component,
    rights: &Rights,
    fairness: Fairness,
    entry: u32,
) -> Result<Vec<Edge>, Halt> {
    let mut items: Vec<Item> = rights.enabled.iter().flatten().copied().collect();
    items.sort_unstable();
    items.dedup();
    let mut duties = Duties { marks: product.automaton.marks, items };
    let taken = |place: u32, edge: &Edge| {
        let mut items = Vec::new();
        if let Some((_, step)) = edge.step {
            let state = product.node(component.nodes[place as usize]).state;
            fairness.items(product.graph, state, step, &mut items);
        }
        items
    };
    // Who gets what it may expect by this edge: who is taken, and for weak fairness who is not
    // enabled where the edge leads.
    let weak = matches!(fairness, Fairness::WeakProcesses | Fairness::WeakEvents);
    let content = |place: u32, edge: &Edge, item: &Item| {
        let enabled = &rights.enabled[edge.target as usize];
        (weak && enabled.binary_search(item).is_err()) || taken(place, edge).contains(item)
    };
    let mut cycle: Vec<Edge> = Vec::new();
    let mut place = entry;
    let edges = |place: u32, out: &mut Vec<Edge>| {
        out.clone_from(&component.edges[place as usize]);
        Ok(())
    };
    loop {
        let useful = |place: u32, edge: &Edge| {
            edge.marks & duties.marks != 0
                || duties.items.iter().any(|item| content(place, edge, item))
        };
        let home = |_: u32, edge: &Edge| edge.target == entry;
        let done = duties.are_done();
        let found = match done {
            false => path(place, edges, useful)?,
            true if place == entry && !cycle.is_empty() => return Ok(cycle),
            true => path(place, edges, home)?,
        };
        let Some(path) = found else {
            unreachable!("a strongly connected set with everything in it");
        };
        for (from, edge) in &path {
            duties.marks &= !edge.marks;
            duties.items.retain(|item| !content(*from, edge, item));
            cycle.push(*edge);
            place = edge.target;
        }
    }
}
