//! What is refined: a graph with steps in both directions.

use linchpin_engine::{Limit, Meter};
use linchpin_lts::{Edge, Explicit, TAU};

/// Nodes (states, or groups of them) and steps.
#[derive(Debug)]
pub(super) struct Graph {
    /// The node of each state of the system.
    pub(super) node: Vec<u32>,
    /// The label that means divergence; it is not a step.
    pub(super) divergence: u32,
    offsets: Vec<usize>,
    edges: Vec<Edge>,
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
        nodes: usize,
        meter: &mut Meter<'_, '_>,
        of: impl Fn(u32, &mut dyn FnMut(u32)),
    ) -> Result<Self, Limit> {
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
    pub(super) fn plain(lts: &Explicit, meter: &mut Meter<'_, '_>) -> Result<Self, Limit> {
        meter.room::<usize>(2 * lts.states() as usize)?;
        meter.room::<Edge>(lts.steps())?;
        let mut offsets = Vec::with_capacity(lts.states() as usize + 1);
        offsets.push(0);
        let mut edges = Vec::with_capacity(lts.steps());
        for state in 0..lts.states() {
            meter.tick(1)?;
            edges.extend_from_slice(lts.edges(state));
            offsets.push(edges.len());
        }
        let node = (0..lts.states()).collect();
        Self::new(node, lts.labels().len() as u32, offsets, edges, meter)
    }

    /// A graph from its steps; those of a node lie together, each once. A step with the label of
    /// divergence has no target.
    pub(super) fn new(
        node: Vec<u32>,
        divergence: u32,
        offsets: Vec<usize>,
        edges: Vec<Edge>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Self, Limit> {
        let nodes = offsets.len() - 1;
        let of = |node: u32| &edges[offsets[node as usize]..offsets[node as usize + 1]];
        let sources = Reverse::new(nodes, meter, |source, emit| {
            of(source).iter().filter(|e| e.label != divergence).for_each(|e| emit(e.target));
        })?;
        let silent_sources = Reverse::new(nodes, meter, |source, emit| {
            of(source).iter().filter(|e| e.label == TAU).for_each(|e| emit(e.target));
        })?;
        Ok(Graph { node, divergence, offsets, edges, sources, silent_sources })
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many steps there are.
    pub(super) fn steps(&self) -> usize {
        self.edges.len()
    }

    /// The steps of a node.
    #[inline]
    pub(super) fn edges(&self, node: u32) -> &[Edge] {
        &self.edges[self.offsets[node as usize]..self.offsets[node as usize + 1]]
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
