//! Strongly connected sets of nodes of a product, with the edges between them, and their division.

use linchpin_engine::components;
use linchpin_lts::Trouble;

use crate::graph::Graph;
use crate::product::{Edge, Map, Product};

/// A strongly connected set of nodes. Edges have places in `nodes` as targets.
pub(crate) struct Component {
    pub(crate) nodes: Vec<u32>,
    pub(crate) edges: Vec<Vec<Edge>>,
}

impl Component {
    /// The nodes with the edges that the product has between them.
    pub(crate) fn of<G: Graph>(
        product: &mut Product<'_, G>,
        nodes: Vec<u32>,
    ) -> Result<Component, Trouble> {
        let places: Map<u32, u32> = nodes.iter().zip(0..).map(|(n, place)| (*n, place)).collect();
        let mut all = Vec::new();
        let mut edges = Vec::with_capacity(nodes.len());
        for node in &nodes {
            product.edges(*node, &mut all)?;
            let inside = all.iter().filter_map(|e| {
                let target = *places.get(&e.target)?;
                Some(Edge { target, ..*e })
            });
            edges.push(inside.collect());
        }
        Ok(Component { nodes, edges })
    }

    /// The marks of the edges inside.
    pub(crate) fn marks(&self) -> u64 {
        self.edges.iter().flatten().fold(0, |marks, e| marks | e.marks)
    }

    /// The strongly connected parts with an edge inside that are left when only some nodes are kept.
    pub(crate) fn parts(&self, keep: &[bool]) -> Vec<Component> {
        let part = components(self.nodes.len() as u32, |node, cursor| {
            let edges = if keep[node as usize] { &self.edges[node as usize][..] } else { &[] };
            let kept = edges.iter().skip(*cursor).position(|e| keep[e.target as usize])?;
            *cursor += kept + 1;
            Some(edges[*cursor - 1].target)
        });
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (node, part) in part.iter().enumerate().filter(|(node, _)| keep[*node]) {
            parts[*part as usize].push(node as u32);
        }
        parts.iter().filter_map(|members| self.part(members)).collect()
    }

    /// A part as a component of its own, if there is an edge inside.
    fn part(&self, members: &[u32]) -> Option<Component> {
        let places: Map<u32, u32> = members.iter().zip(0..).map(|(m, place)| (*m, place)).collect();
        let edges: Vec<Vec<Edge>> = members
            .iter()
            .map(|m| {
                let inside = self.edges[*m as usize].iter();
                inside
                    .filter_map(|e| Some(Edge { target: *places.get(&e.target)?, ..*e }))
                    .collect()
            })
            .collect();
        let nodes = members.iter().map(|m| self.nodes[*m as usize]).collect();
        edges.iter().any(|e| !e.is_empty()).then_some(Component { nodes, edges })
    }
}
