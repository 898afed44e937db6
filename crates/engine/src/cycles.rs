//! Ways and cycles in what a search has explored.
//!
//! Questions about infinite executions are questions about cycles: which there are, and a short way to
//! one and round. Everything goes by the numbers of [`Ordered`], breadth first, so that what is found is
//! the first of the shortest.

use std::collections::HashMap;

use linchpin_lts::Limit;

use crate::components::components_of;
use crate::explored::Ordered;
use crate::meter::Meter;
use crate::store::Edge;

/// Edges one after the other, with the numbers of the nodes where they begin.
pub type Way = Vec<(u32, Edge)>;

impl Ordered<'_> {
    /// The strongly connected components that edges of a kind make, by number.
    pub fn components(
        &self,
        kind: impl Fn(u32, &Edge) -> bool + Copy,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<u32>, Limit> {
        components_of(self.nodes().len() as u32, |node| {
            meter.tick(1)?;
            let edges = self.edges(node).filter(move |edge| kind(node, edge));
            Ok(edges.map(|edge| edge.target))
        })
    }

    /// A shortest way to a node from an initial one.
    pub fn path(&self, to: u32) -> Way {
        let mut before: Vec<Option<(u32, Edge)>> = vec![None; to as usize + 1];
        // An edge that leads to a node for the first time begins at a smaller number.
        for node in 0..to {
            for edge in self.edges(node).filter(|edge| node < edge.target && edge.target <= to) {
                before[edge.target as usize].get_or_insert((node, edge));
            }
        }
        let mut path = Vec::new();
        let mut at = to;
        while let Some((node, edge)) = before[at as usize].filter(|_| at >= self.initial()) {
            path.push((node, edge));
            at = node;
        }
        path.reverse();
        path
    }

    /// A shortest way from a node along edges of a kind that ends with an edge that is wanted.
    pub fn way(
        &self,
        from: u32,
        kind: impl Fn(u32, &Edge) -> bool,
        wanted: impl Fn(u32, &Edge) -> bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Way>, Limit> {
        let mut before: HashMap<u32, (u32, Edge)> = HashMap::new();
        let (mut todo, mut next) = (vec![from], 0);
        while let Some(&node) = todo.get(next) {
            next += 1;
            meter.tick(1)?;
            for edge in self.edges(node).filter(|edge| kind(node, edge)) {
                if wanted(node, &edge) {
                    let mut way = vec![(node, edge)];
                    let mut at = node;
                    while let Some(&(node, edge)) = before.get(&at).filter(|_| at != from) {
                        way.push((node, edge));
                        at = node;
                    }
                    way.reverse();
                    return Ok(Some(way));
                }
                before.entry(edge.target).or_insert_with(|| {
                    todo.push(edge.target);
                    (node, edge)
                });
            }
        }
        Ok(None)
    }

    /// A cycle of edges of a kind, one of which is wanted: through the first node where such an edge
    /// begins, and as short as it can be there.
    pub fn cycle(
        &self,
        kind: impl Fn(u32, &Edge) -> bool + Copy,
        wanted: impl Fn(u32, &Edge) -> bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Way>, Limit> {
        let component = self.components(kind, meter)?;
        let inside = |node: u32, edge: &Edge| {
            kind(node, edge) && component[node as usize] == component[edge.target as usize]
        };
        let begins =
            |node: &u32| self.edges(*node).any(|edge| inside(*node, &edge) && wanted(*node, &edge));
        let Some(start) = (0..self.nodes().len() as u32).find(begins) else { return Ok(None) };
        let along =
            |node: u32, edge: &Edge| inside(node, edge) && (node != start || wanted(node, edge));
        self.way(start, along, |_, edge| edge.target == start, meter)
    }
}

#[cfg(test)]
mod tests {
    use crate::budget::Budget;
    use crate::explored::Explored;
    use crate::search::{Cover, Found, Plan, Space, explore};

    use super::*;

    /// Edges by node: name, target.
    struct Graph(&'static [&'static [(u32, u32)]]);

    impl Cover for Graph {}

    impl Space for Graph {
        type Worker = ();
        type Violation = ();

        fn worker(&self) {}

        fn initial(&self, (): &mut (), found: &mut dyn FnMut(Found<'_, ()>)) {
            found(Found::node(&[0], 0));
        }

        fn expand(&self, (): &mut (), s: &[u32], _: u32, found: &mut dyn FnMut(Found<'_, ()>)) {
            for &(label, target) in self.0[s[0] as usize] {
                found(Found::Node { state: &[target], tag: 0, label, cost: 1, hash: None });
            }
        }
    }

    fn explored(edges: &'static [&'static [(u32, u32)]]) -> Explored {
        let plan = Plan { edges: true, ..Plan::default() };
        explore(&Graph(edges), plan, &Budget::UNLIMITED, &mut |_| false).2
    }

    /// Nodes are numbered as they are found, here as they are written.
    fn written(way: &Way) -> Vec<(u32, u32, u32)> {
        way.iter().map(|(node, edge)| (*node, edge.label, edge.target)).collect()
    }

    #[test]
    fn a_path_is_a_shortest_one_by_the_first_edges() {
        let explored = explored(&[&[(1, 1), (2, 2), (3, 1)], &[(4, 3)], &[(5, 3), (6, 0)], &[]]);
        let order = explored.in_order();
        assert_eq!(written(&order.path(3)), [(0, 1, 1), (1, 4, 3)]);
        assert_eq!(written(&order.path(0)), []);
    }

    #[test]
    fn cycles_are_of_the_edges_that_are_allowed_and_have_one_that_is_wanted() {
        // 0 -> 1 -> 2 -> 0 by 1, 1 -> 1 by 2, 1 -> 3 by 1, 3 -> 2 by 3.
        let explored = explored(&[&[(1, 1)], &[(1, 2), (2, 1), (1, 3)], &[(1, 0)], &[(3, 2)]]);
        let order = explored.in_order();
        let meter = &mut Meter::new(&Budget::UNLIMITED);
        let mut cycle = |least: u32, most: u32| {
            let kind = |_: u32, edge: &Edge| edge.label <= most;
            let wanted = |_: u32, edge: &Edge| edge.label >= least;
            order.cycle(kind, wanted, meter).expect("no limit").map(|way| written(&way))
        };
        assert_eq!(cycle(1, 1), Some(vec![(0, 1, 1), (1, 1, 2), (2, 1, 0)]));
        assert_eq!(cycle(2, 2), Some(vec![(1, 2, 1)]));
        assert_eq!(cycle(3, 3), Some(vec![(3, 3, 2), (2, 1, 0), (0, 1, 1), (1, 1, 3)]));
        assert_eq!(cycle(4, 4), None);
        assert_eq!(cycle(0, 0), None);
    }
}
