//! Is there an accepting and fair execution in what has been explored of a product?
//!
//! An execution that goes on for ever goes round in a strongly connected component at last; it can be
//! accepting if the edges of that have all marks, and fairness says whether it can be fair
//! ([`Rights::fair_part`]). What is enabled is asked of the system, so a component that is
//! found in a part of the product is one of the whole. An execution that ends is accepting if the
//! automaton accepts what holds at its last position for ever.
//!
//! (J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999, has marks on
//! transitions and several of them, for which components are just right; his search is depth first. Here
//! the search is the one of all properties, and components are looked for when it has doubled.)

use std::collections::HashMap;

use linchpin_engine::{Explored, Meter, Stop, Way};
use linchpin_lts::LabelledSystem;

use crate::atoms::Atoms;
use crate::automaton::Letter;
use crate::component::{Division, Graph};
use crate::fairness::{Fairness, Rights};
use crate::lasso::{Lasso, Tail, round, steps};
use crate::product::Product;

/// An accepting and fair execution, if there is one; by a shortest way to where it ends or repeats
/// itself.
pub(crate) fn accepting<S: LabelledSystem, A: Atoms>(
    product: &Product<'_, S, A>,
    explored: &Explored,
    fairness: Fairness,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Lasso>, Stop> {
    let graph = Graph::new(explored, product.automaton);
    let end = accepting_end(product, &graph, meter)?;
    let (mut division, components) = Division::new(&graph, meter)?;
    let mut rights = Rights::new(product.system, fairness);
    // An end by a step of a node of smaller number is nearer.
    let before = end.as_ref().map_or(u32::MAX, |way| way.last().map_or(0, |(node, _)| *node));
    let lasso = |stem: Way, tail: Tail| -> Result<Option<Lasso>, Stop> {
        let (initial, _) = graph.node(stem.first().map_or(0, |(node, _)| *node));
        let stem = steps(product.system, &graph, &stem)?;
        Ok(Some(Lasso { initial, stem, tail }))
    };
    for nodes in components.into_iter().take_while(|nodes| nodes[0] < before) {
        if let Some(part) = rights.fair_part(&graph, &mut division, nodes, meter)? {
            let cycle = round(&graph, &division, &rights, &part, meter)?;
            let cycle = steps(product.system, &graph, &cycle)?;
            return lasso(graph.order.path(part[0]), Tail::Cycle(cycle));
        }
    }
    match end {
        Some(way) => lasso(way, Tail::End),
        None => Ok(None),
    }
}

/// A shortest way to an end that is accepting.
fn accepting_end<S: LabelledSystem, A: Atoms>(
    product: &Product<'_, S, A>,
    graph: &Graph<'_>,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<Way>, Stop> {
    let ends = graph.ends(meter)?;
    if !ends.contains(&true) {
        return Ok(None);
    }
    let mut known: HashMap<Letter, Vec<bool>> = HashMap::new();
    let mut accepts = |letter: Letter, automaton: u32| {
        let states =
            known.entry(letter).or_insert_with(|| product.automaton.accept_repeated(letter));
        states[automaton as usize]
    };
    for node in (0..graph.order.initial()).filter(|node| ends[*node as usize]) {
        let (state, automaton) = graph.node(node);
        if accepts(product.first_letter(&state)?, automaton) {
            return Ok(Some(Vec::new()));
        }
    }
    let mut reader = product.reader();
    for node in 0..graph.len() {
        meter.tick(1)?;
        for edge in graph.order.edges(node).filter(|edge| ends[edge.target as usize]) {
            meter.tick(1)?;
            let (state, _) = graph.node(node);
            let (place, _) = graph.step(node, &edge);
            let letter = product.letter_after(&mut reader, &state, place)?;
            if accepts(letter, graph.node(edge.target).1) {
                let mut way = graph.order.path(node);
                way.push((node, edge));
                return Ok(Some(way));
            }
        }
    }
    Ok(None)
}
