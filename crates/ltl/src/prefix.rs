//! Formulas that say that something never happens: a violation has a beginning that shows it.
//!
//! The automaton of the negation accepts by reaching the state from which it accepts anything, so
//! there is nothing to repeat: breadth first, the shortest violation. Fairness does not matter, as
//! every beginning can be continued fairly. What happens at the end of an execution does not matter
//! either, which is how PAT decides such formulas (O. Kupferman, M. Vardi, *Model checking of safety
//! properties*, FMSD 19(3), 2001).

use crate::graph::Graph;
use crate::lasso::{Lasso, Tail, Taken};
use crate::meter::{Halt, Meter};
use crate::product::{Edge, Product};

/// A shortest execution after which the automaton accepts anything, if there is one.
pub(crate) fn search<G: Graph>(
    product: &mut Product<'_, G>,
    meter: &mut Meter<'_>,
) -> Result<Option<Lasso>, Halt> {
    let Some(anything) = product.automaton.anything else { return Ok(None) };
    let initial = product.graph.initial()?;
    // Breadth first, nodes in the order of their discovery.
    let mut todo = product.initial()?;
    let mut before: Vec<Option<(u32, Taken)>> = vec![None; product.len()];
    let mut seen = vec![false; product.len()];
    for node in &todo {
        seen[*node as usize] = true;
    }
    let mut next = 0;
    let mut edges: Vec<Edge> = Vec::new();
    while let Some(node) = todo.get(next).copied() {
        next += 1;
        if product.node(node).automaton == anything {
            let mut stem = Vec::new();
            let mut node = node;
            while let Some((previous, taken)) = before[node as usize] {
                stem.push(taken);
                node = previous;
            }
            stem.reverse();
            return Ok(Some(Lasso { initial, stem, tail: Tail::Open }));
        }
        product.edges(node, &mut edges)?;
        seen.resize(product.len(), false);
        before.resize(product.len(), None);
        for edge in &edges {
            let Some(step) = edge.step else { continue };
            if !std::mem::replace(&mut seen[edge.target as usize], true) {
                before[edge.target as usize] = Some((node, Taken::new(step)));
                todo.push(edge.target);
            }
        }
        meter.count(edges.len() + 1, todo.len() - next, product)?;
    }
    Ok(None)
}
