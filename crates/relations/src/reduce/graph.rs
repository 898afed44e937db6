//! What is refined: a graph with steps in both directions.

use linchpin_engine::{Budget, Limit, Meter, all};
use linchpin_lts::{Edge, Explicit, Label, Rows, TAU};

/// Nodes (states, or groups of them) and steps.
#[derive(Debug)]
pub(super) struct Graph {
    /// The node of each state of the system.
    pub(super) node: Vec<u32>,
    /// The label that means divergence; it is not a step.
    pub(super) divergence: u32,
    rows: Rows,
    sources: Reverse,
    silent_sources: Reverse,
}

/// For each node some others, each once.
#[derive(Debug)]
struct Reverse {
    offsets: Vec<usize>,
    sources: Vec<u32>,
}

impl Reverse {
    fn new(
        rows: &Rows,
        counts: impl Fn(Label) -> bool,
        budget: &Budget<'_>,
    ) -> Result<Self, Limit> {
        let (nodes, meter) = (rows.states(), &mut Meter::new(budget));
        let of = |source: u32, emit: &mut dyn FnMut(u32)| {
            rows.of(source).iter().filter(|e| counts(e.label)).for_each(|e| emit(e.target));
        };
        meter.room::<usize>(3 * nodes)?;
        let mut offsets = vec![0usize; nodes + 1];
        // Each source counts once for a target, however many labels it has.
        let mut last = vec![u32::MAX; nodes];
        for source in 0..nodes as u32 {
            meter.tick(1)?;
            of(source, &mut |target| {
                if std::mem::replace(&mut last[target as usize], source) != source {
                    offsets[target as usize + 1] += 1;
                }
            });
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
        }
        meter.room::<u32>(offsets[nodes])?;
        let mut next = offsets.clone();
        let mut sources = vec![0; offsets[nodes]];
        last.fill(u32::MAX);
        for source in 0..nodes as u32 {
            meter.tick(1)?;
            of(source, &mut |target| {
                if std::mem::replace(&mut last[target as usize], source) != source {
                    sources[next[target as usize]] = source;
                    next[target as usize] += 1;
                }
            });
        }
        Ok(Reverse { offsets, sources })
    }

    #[inline]
    fn of(&self, node: u32) -> &[u32] {
        &self.sources[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }
}

impl Graph {
    /// The states themselves.
    pub(super) fn plain(lts: &Explicit, budget: &Budget<'_>) -> Result<Self, Limit> {
        budget.within.room::<usize>(2 * lts.states() as usize)?;
        budget.within.room::<Edge>(lts.steps())?;
        let node = (0..lts.states()).collect();
        Self::new(node, lts.labels().len() as u32, lts.rows().clone(), budget)
    }

    /// A graph from its steps. One with the label of divergence has no target.
    pub(super) fn new(
        node: Vec<u32>,
        divergence: u32,
        rows: Rows,
        budget: &Budget<'_>,
    ) -> Result<Self, Limit> {
        let reverse = |silent: bool| {
            let counts = |label| if silent { label == TAU } else { label != divergence };
            Reverse::new(&rows, counts, budget)
        };
        let mut both = all(budget.workers, vec![false, true], reverse)?.into_iter();
        let (sources, silent_sources) = both.next().zip(both.next()).expect("two");
        Ok(Graph { node, divergence, rows, sources, silent_sources })
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.rows.states()
    }

    /// How many steps there are.
    pub(super) fn steps(&self) -> usize {
        self.rows.steps()
    }

    /// The steps of a node.
    #[inline]
    pub(super) fn edges(&self, node: u32) -> &[Edge] {
        self.rows.of(node)
    }

    /// The nodes with steps to a node.
    #[inline]
    pub(super) fn sources(&self, node: u32) -> &[u32] {
        self.sources.of(node)
    }

    /// The nodes with silent steps to a node.
    #[inline]
    pub(super) fn silent_sources(&self, node: u32) -> &[u32] {
        self.silent_sources.of(node)
    }
}
