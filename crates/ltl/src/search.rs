//! Is there an accepting cycle in the product? A depth-first search that keeps components together.
//!
//! J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999, which is the
//! algorithm of H. Gabow, *Path-based depth-first search for strong and biconnected components*, IPL
//! 74, 2000, with marks: components on the path of the search are merged when an edge leads back,
//! and their marks with them. Without fairness the search ends as soon as a component has all
//! marks. With fairness every component with all marks is examined when it is complete.

use crate::component::Component;
use crate::fairness::{Fairness, fair_part};
use crate::graph::Graph;
use crate::meter::{Halt, Meter};
use crate::product::{Edge, Product};

const UNSEEN: u32 = 0;
const GONE: u32 = u32::MAX;

/// A component on the path.
struct Root {
    order: u32,
    /// Marks of the edge that leads to it from the one before.
    entry: u64,
    /// Marks of the edges inside.
    marks: u64,
    /// Is there an edge inside?
    cyclic: bool,
}

struct Frame {
    node: u32,
    edges: Vec<Edge>,
    next: usize,
}

/// A component in which an accepting and fair execution can stay for ever, if there is one.
pub(crate) fn search<G: Graph>(
    product: &mut Product<'_, G>,
    fairness: Fairness,
    meter: &mut Meter<'_>,
) -> Result<Option<Component>, Halt> {
    let all = product.automaton.marks;
    let mut order: Vec<u32> = Vec::new();
    let mut clock = 0;
    let (mut roots, mut path, mut live): (Vec<Root>, Vec<Frame>, Vec<u32>) = Default::default();
    let mut spare: Vec<Vec<Edge>> = Vec::new();
    for start in product.initial()? {
        let mut entering = Some((start, 0));
        loop {
            if let Some((node, entry)) = entering.take() {
                order.resize(product.len(), UNSEEN);
                if order[node as usize] == UNSEEN {
                    clock += 1;
                    order[node as usize] = clock;
                    roots.push(Root { order: clock, entry, marks: 0, cyclic: false });
                    live.push(node);
                    let mut edges = spare.pop().unwrap_or_default();
                    product.edges(node, &mut edges)?;
                    order.resize(product.len(), UNSEEN);
                    meter.count(edges.len() + 1, path.len(), product)?;
                    path.push(Frame { node, edges, next: 0 });
                }
            }
            let Some(frame) = path.last_mut() else { break };
            if let Some(edge) = frame.edges.get(frame.next).copied() {
                frame.next += 1;
                match order[edge.target as usize] {
                    UNSEEN => entering = Some((edge.target, edge.marks)),
                    GONE => {}
                    back => {
                        let mut marks = edge.marks;
                        while roots.last().is_some_and(|r| r.order > back) {
                            let root = roots.pop().expect("there is one");
                            marks |= root.marks | root.entry;
                        }
                        let root = roots.last_mut().expect("live nodes have a root");
                        root.marks |= marks;
                        root.cyclic = true;
                        if fairness == Fairness::None && root.marks == all {
                            let nodes = tail(&mut live, &order, root.order);
                            return Ok(Some(Component::of(product, nodes)?));
                        }
                    }
                }
                continue;
            }
            let frame = path.pop().expect("it was looked at");
            spare.push(frame.edges);
            let own = order[frame.node as usize];
            if roots.last().is_some_and(|r| r.order == own) {
                let root = roots.pop().expect("it was looked at");
                let nodes = tail(&mut live, &order, own);
                for node in &nodes {
                    order[*node as usize] = GONE;
                }
                if root.cyclic && root.marks == all && fairness != Fairness::None {
                    meter.count(nodes.len(), path.len(), product)?;
                    let component = Component::of(product, nodes)?;
                    if let Some(part) = fair_part(product, component, fairness)? {
                        return Ok(Some(part));
                    }
                }
            }
        }
    }
    Ok(None)
}

/// The nodes from the one with this order on, taken away.
fn tail(live: &mut Vec<u32>, order: &[u32], from: u32) -> Vec<u32> {
    let place = live.partition_point(|n| order[*n as usize] < from);
    live.split_off(place)
}
