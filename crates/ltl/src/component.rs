//! The part of a product that has been explored, and its strongly connected components.

use std::collections::BTreeMap;

use linchpin_engine::{Edge, Explored, Limit, Meter, Ordered, components_of};

use crate::automaton::Automaton;
use crate::product::END;

/// What has been explored of a product. Nodes have the numbers of [`Ordered`].
pub(crate) struct Graph<'e> {
    pub(crate) explored: &'e Explored,
    pub(crate) order: Ordered<'e>,
    pub(crate) automaton: &'e Automaton,
}

impl<'e> Graph<'e> {
    pub(crate) fn new(explored: &'e Explored, automaton: &'e Automaton) -> Self {
        Graph { explored, order: explored.in_order(), automaton }
    }

    pub(crate) fn len(&self) -> u32 {
        self.order.nodes().len() as u32
    }

    /// The slots of a node's state, and the state of the automaton.
    pub(crate) fn node(&self, node: u32) -> (Vec<u32>, u32) {
        self.explored.node(self.order.nodes()[node as usize])
    }

    /// A number that nodes with the same state of the system have in common.
    pub(crate) fn state(&self, node: u32) -> u64 {
        self.explored.state_number(self.order.nodes()[node as usize])
    }

    /// Which nodes have no steps.
    pub(crate) fn ends(&self, meter: &mut Meter<'_, '_>) -> Result<Vec<bool>, Limit> {
        let is_end = |&node| self.explored.edges(node).any(|edge| edge.label == END);
        meter.tick(u64::from(self.len()))?;
        Ok(self.order.nodes().iter().map(is_end).collect())
    }

    /// Which step of a node's state an edge is, and its marks.
    pub(crate) fn step(&self, node: u32, edge: &Edge) -> (usize, u64) {
        let tag = self.explored.tag(self.order.nodes()[node as usize]);
        let transitions = &self.automaton.states[tag as usize];
        let label = edge.label as usize;
        (label / transitions.len(), transitions[label % transitions.len()].marks)
    }
}

/// Which strongly connected component every node is in. A component is called by its first node.
pub(crate) struct Division(Vec<u32>);

/// The component of nodes that have been taken out of theirs.
const GONE: u32 = u32::MAX;

impl Division {
    /// Nodes are divided, and the accepting components are given ([`Division::accepting`]).
    pub(crate) fn new(
        graph: &Graph<'_>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(Self, Vec<Vec<u32>>), Limit> {
        let nodes: Vec<u32> = (0..graph.len()).collect();
        let own = graph.order.components(|_, _| true, meter)?;
        let mut division = Division(vec![GONE; nodes.len()]);
        division.name(&nodes, &own);
        let accepting = division.accepting(graph, &nodes, meter)?;
        Ok((division, accepting))
    }

    pub(crate) fn is_inside(&self, node: u32, edge: &Edge) -> bool {
        self.0[node as usize] == self.0[edge.target as usize]
    }

    /// The edges of a node that lead to nodes of the same component.
    pub(crate) fn edges<'a>(
        &'a self,
        graph: &'a Graph<'_>,
        node: u32,
    ) -> impl Iterator<Item = Edge> + 'a {
        graph.order.edges(node).filter(move |edge| self.is_inside(node, edge))
    }

    /// Divides a component, whose nodes are sorted, again without those that are not kept.
    pub(crate) fn without(
        &mut self,
        graph: &Graph<'_>,
        nodes: &[u32],
        keep: &[bool],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Vec<u32>>, Limit> {
        let mut kept = Vec::new();
        for (&node, keep) in nodes.iter().zip(keep) {
            match keep {
                true => kept.push(node),
                false => self.0[node as usize] = GONE,
            }
        }
        let own = components_of(kept.len() as u32, |place| {
            meter.tick(1)?;
            let edges = self.edges(graph, kept[place as usize]);
            let places = edges.filter_map(|edge| kept.binary_search(&edge.target).ok());
            Ok(places.map(|place| place as u32))
        })?;
        self.name(&kept, &own);
        self.accepting(graph, &kept, meter)
    }

    /// Names the components of some nodes.
    fn name(&mut self, nodes: &[u32], own: &[u32]) {
        let mut first = vec![GONE; nodes.len()];
        for (&node, &own) in nodes.iter().zip(own) {
            let first = &mut first[own as usize];
            *first = node.min(*first);
            self.0[node as usize] = *first;
        }
    }

    /// The components of these nodes whose edges have all marks, those first that are reached first;
    /// nodes are sorted before and after.
    fn accepting(
        &self,
        graph: &Graph<'_>,
        nodes: &[u32],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Vec<u32>>, Limit> {
        let mut found: BTreeMap<u32, (u64, Vec<u32>)> = BTreeMap::new();
        for &node in nodes {
            meter.tick(1)?;
            let marks = self.edges(graph, node).map(|edge| graph.step(node, &edge).1);
            if let Some(marks) = marks.reduce(|all, marks| all | marks) {
                let own = found.entry(self.0[node as usize]).or_default();
                own.0 |= marks;
                own.1.push(node);
            }
        }
        let accepting = found.into_values().filter(|(marks, _)| *marks == graph.automaton.marks);
        Ok(accepting.map(|(_, nodes)| nodes).collect())
    }
}
