//! Strongly connected sets of nodes of a product, with the edges between them, and their division.
//!
//! R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM Journal on Computing 1(2), 1972.

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
        const NEVER: u32 = u32::MAX;
        let count = self.nodes.len();
        let (mut order, mut low) = (vec![NEVER; count], vec![0; count]);
        let mut part = vec![NEVER; count];
        let (mut stack, mut path) = (Vec::new(), Vec::new());
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut clock = 0;
        for root in (0..count as u32).filter(|n| keep[*n as usize]) {
            if order[root as usize] != NEVER {
                continue;
            }
            path.push((root, 0));
            while let Some((node, next)) = path.last_mut() {
                let n = *node as usize;
                if *next == 0 {
                    (order[n], low[n]) = (clock, clock);
                    clock += 1;
                    stack.push(n as u32);
                }
                if let Some(edge) = self.edges[n].get(*next) {
                    *next += 1;
                    let t = edge.target as usize;
                    if keep[t] && order[t] == NEVER {
                        path.push((edge.target, 0));
                    } else if keep[t] && part[t] == NEVER {
                        low[n] = low[n].min(order[t]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let p = *parent as usize;
                    low[p] = low[p].min(low[n]);
                }
                if low[n] == order[n] {
                    let from = stack.iter().rposition(|s| *s as usize == n).expect("on the stack");
                    let members = stack.split_off(from);
                    for member in &members {
                        part[*member as usize] = parts.len() as u32;
                    }
                    parts.push(members);
                }
            }
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
