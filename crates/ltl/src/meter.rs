//! How much work was done, and when to stop.

use linchpin_engine::{Budget, Limit, Progress, Statistics};
use linchpin_lts::Trouble;

use crate::graph::Graph;
use crate::product::Product;

/// Why a search cannot go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The system cannot say what comes next.
    Trouble(Trouble),
    /// A limit was hit.
    Limit(Limit),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Halt {
        Halt::Trouble(trouble)
    }
}

/// The budget is asked after so many edges.
const BATCH: u64 = 4_096;

/// Counts the work and asks the budget now and then.
pub(crate) struct Meter<'b> {
    budget: &'b Budget<'b>,
    edges: u64,
    asked: u64,
}

impl<'b> Meter<'b> {
    pub(crate) fn new(budget: &'b Budget<'b>) -> Self {
        Meter { budget, edges: 0, asked: 0 }
    }

    pub(crate) fn statistics<G: Graph>(&self, product: &Product<'_, G>) -> Statistics {
        let (states, _, memory) = product.graph.size();
        Statistics {
            states,
            nodes: product.len() as u64,
            transitions: self.edges,
            depth: 0,
            widest: 0,
            memory: memory + product.memory() as u64,
        }
    }

    /// Some edges more.
    pub(crate) fn count<G: Graph>(
        &mut self,
        edges: usize,
        frontier: usize,
        product: &Product<'_, G>,
    ) -> Result<(), Halt> {
        self.edges += edges as u64;
        if self.edges < self.asked + BATCH {
            return Ok(());
        }
        self.asked = self.edges;
        let progress = Progress { statistics: self.statistics(product), frontier: frontier as u64 };
        match self.budget.exceeded(&progress) {
            Some(limit) => Err(Halt::Limit(limit)),
            None => Ok(()),
        }
    }
}
