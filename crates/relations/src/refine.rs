//! Does everything an implementation does conform to a specification? On the fly.
//!
//! Pairs of a state of the implementation and the set of states in which the specification can be
//! after the same trace are explored breadth first. A pair is wrong if the set is empty, if the state
//! is stable and refuses what no stable member refuses, or if the state diverges and no member does
//! (which of these, the [`Semantics`] says).
//!
//! M. Laveaux, J. F. Groote, T. Willemse, *Correct and efficient antichain algorithms for refinement
//! checking*, LMCS 17(1), 2021, whose definitions 2.4 to 2.8 these are and whose correction we follow:
//! a pair is not explored if the antichain has one with the same state and a *smaller* set, and a pair
//! enters the antichain when it is discovered, not when it is explored. All tests are monotone in the
//! set, so a wrong pair stays wrong with a smaller set, as soon or sooner.
//!
//! Departures: breadth first, with the state and refusal tests at discovery, so that the path found is
//! a shortest one in steps of the implementation. A pair whose set turns out not to be minimal leaves
//! the search only if the smaller one was discovered at the same depth. Divergences are strict: when
//! the specification may diverge, it allows everything from then on. The specification is determinised
//! only where the implementation goes.

use linchpin_engine::{Budget, Limit, Unfolding};
use linchpin_lts::{Edge, LabelledSystem, TAU, Trouble, Verdict};

use crate::alphabet::{Alphabet, Side};
use crate::determined::{Determined, offer};
use crate::divergence::{Divergence, lasso};
use crate::interned::included;
use crate::meter::{Meter, Stop};
use crate::walk::Walk;
use crate::witness::{Reason, Witness, WitnessStep};

/// What of a system counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// Sequences of labels, with silent steps a label like others.
    Trace,
    /// Sequences of visible labels.
    WeakTrace,
    /// Sequences of visible labels, each with what can be refused after it in a stable state.
    Failures,
    /// The same without traces that lead only to divergence, and the sequences of visible labels
    /// after which there can be endless silent steps; after a divergence everything is possible.
    FailuresDivergences,
}

impl Semantics {
    /// Are silent steps invisible?
    pub fn weak(self) -> bool {
        self != Semantics::Trace
    }
}

/// How to go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefinementOptions {
    /// Leave pairs out of which a smaller one is known (otherwise, only the same ones).
    pub antichain: bool,
}

impl Default for RefinementOptions {
    fn default() -> Self {
        RefinementOptions { antichain: true }
    }
}

/// An answer with figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// The answer.
    pub verdict: Verdict<Box<Witness>>,
    /// How much work it was.
    pub figures: Figures,
}

/// Figures of a refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// States of the implementation that were seen.
    pub implementation: u64,
    /// States of the specification that were seen.
    pub specification: u64,
    /// Sets of them.
    pub sets: u64,
    /// Pairs explored or to be explored.
    pub pairs: u64,
    /// Pairs left out because of the same or a smaller one.
    pub covered: u64,
    /// Steps of pairs.
    pub steps: u64,
    /// The longest path looked at.
    pub depth: u32,
    /// Bytes.
    pub memory: u64,
}

/// Does everything the implementation does conform to the specification? Labels are the same if
/// their texts are.
pub fn refines<I: LabelledSystem, S: LabelledSystem>(
    implementation: &I,
    specification: &S,
    semantics: Semantics,
    options: RefinementOptions,
    budget: &Budget<'_>,
) -> Result<Refinement, Trouble> {
    let (implementation, specification) =
        (Unfolding::new(implementation), Unfolding::new(specification));
    refines_walked(implementation, specification, semantics, options, budget)
}

/// The same for systems that can be walked over.
pub fn refines_walked(
    implementation: impl Walk,
    specification: impl Walk,
    semantics: Semantics,
    options: RefinementOptions,
    budget: &Budget<'_>,
) -> Result<Refinement, Trouble> {
    let mut product = Product {
        implementation,
        specification: Determined::new(specification, semantics.weak()),
        semantics,
        antichain: options.antichain,
        alphabet: Alphabet::new(),
        side: Side::default(),
        divergence: Divergence::default(),
        nodes: Vec::new(),
        first: Vec::new(),
        level: 0,
        edges: Vec::new(),
        offered: Vec::new(),
        figures: Figures::default(),
    };
    let mut meter = Meter::new(budget);
    let verdict = match product.run(&mut meter) {
        Ok(None) => Verdict::Holds,
        Ok(Some(witness)) => Verdict::Violated(Box::new(witness)),
        Err(Stop::Limit(limit)) => Verdict::Unknown(limit),
        Err(Stop::Trouble(trouble)) => return Err(trouble),
    };
    product.count(&mut meter);
    Ok(Refinement { verdict, figures: product.figures })
}

const NONE: u32 = u32::MAX;

/// A pair, and how it was found.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The state of the implementation; [`NONE`] if it was taken out of the search.
    state: u32,
    set: u32,
    parent: u32,
    /// Which step of the parent's state led here.
    step: u32,
    /// The next pair with this state in the antichain.
    next: u32,
}

/// How a pair is wrong.
enum Wrong {
    /// This step of the pair's state, counted from 0.
    Event(usize),
    Refusal,
    Divergence,
}

struct Product<I, S> {
    implementation: I,
    specification: Determined<S>,
    semantics: Semantics,
    antichain: bool,
    alphabet: Alphabet,
    side: Side,
    divergence: Divergence,
    nodes: Vec<Node>,
    /// The antichain: for each state of the implementation its first pair.
    first: Vec<u32>,
    /// Pairs from here on are of the level being discovered.
    level: usize,
    edges: Vec<Edge>,
    offered: Vec<Edge>,
    figures: Figures,
}

impl<I: Walk, S: Walk> Product<I, S> {
    fn run(&mut self, meter: &mut Meter<'_, '_>) -> Result<Option<Witness>, Stop> {
        let state = self.implementation.initial()?;
        let set = self.specification.initial(meter)?;
        self.enter(state, set, NONE, 0);
        if let Some(wrong) = self.test(state, set, meter)? {
            return self.witness(0, wrong, meter).map(Some);
        }
        let mut at = 0;
        while at < self.nodes.len() {
            // Pairs are numbered with 32 bits; one level more must not use them up.
            if self.nodes.len() > (NONE / 2) as usize {
                return Err(Stop::Limit(Limit::States));
            }
            let end = self.nodes.len();
            self.level = end;
            self.figures.depth += 1;
            while at < end {
                if self.nodes[at].state != NONE
                    && let Some((node, wrong)) = self.expand(at, meter)?
                {
                    return self.witness(node, wrong, meter).map(Some);
                }
                at += 1;
                if meter.due(1) {
                    meter.frontier = (self.nodes.len() - at) as u64;
                    self.count(meter);
                    meter.ask()?;
                }
            }
        }
        Ok(None)
    }

    /// Enters everything that comes after a pair; ends with the first one that is wrong.
    fn expand(
        &mut self,
        at: usize,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<(usize, Wrong)>, Stop> {
        let Node { state, set, .. } = self.nodes[at];
        if self.semantics == Semantics::FailuresDivergences
            && self.specification.diverges(set, meter)?
        {
            return Ok(None);
        }
        let mut edges = std::mem::take(&mut self.edges);
        self.implementation.steps(state, &mut edges)?;
        meter.due(edges.len() as u64);
        self.figures.steps += edges.len() as u64;
        for (i, &Edge { label, target }) in edges.iter().enumerate() {
            let after = if label == TAU && self.semantics.weak() {
                Some(set)
            } else {
                let implementation = &self.implementation;
                let common =
                    self.side.common(&mut self.alphabet, label, || implementation.text(label));
                self.specification.after(set, common, &mut self.alphabet, meter)?
            };
            let Some(after) = after else { return Ok(Some((at, Wrong::Event(i)))) };
            if self.enter(target, after, at as u32, i as u32)
                && let Some(wrong) = self.test(target, after, meter)?
            {
                return Ok(Some((self.nodes.len() - 1, wrong)));
            }
        }
        self.edges = edges;
        Ok(None)
    }

    /// Is the state of a pair something the set does not allow?
    fn test(
        &mut self,
        state: u32,
        set: u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Wrong>, Stop> {
        let strict = self.semantics == Semantics::FailuresDivergences;
        if !strict && self.semantics != Semantics::Failures {
            return Ok(None);
        }
        if strict {
            if self.specification.diverges(set, meter)? {
                return Ok(None);
            }
            if self.divergence.diverges(&mut self.implementation, state, meter)? {
                return Ok(Some(Wrong::Divergence));
            }
        }
        self.implementation.steps(state, &mut self.offered)?;
        if self.offered.iter().any(|e| e.label == TAU) {
            return Ok(None);
        }
        let offered =
            offer(&self.implementation, &mut self.side, &mut self.alphabet, &self.offered);
        let accepted = self.specification.acceptances(set, &mut self.alphabet, meter)?;
        let allowed = accepted.iter().any(|least| included(least, &offered));
        Ok((!allowed).then_some(Wrong::Refusal))
    }

    /// Enters a pair unless a smaller one is known.
    fn enter(&mut self, state: u32, set: u32, parent: u32, step: u32) -> bool {
        if state as usize >= self.first.len() {
            self.first.resize(state as usize + 1, NONE);
        }
        let sets = &self.specification.sets;
        let mut known = self.first[state as usize];
        while known != NONE {
            let node = &self.nodes[known as usize];
            if node.set == set || self.antichain && sets.subset(node.set, set) {
                self.figures.covered += 1;
                return false;
            }
            known = node.next;
        }
        if self.antichain {
            self.drop_covered(state, set);
        }
        let next = self.first[state as usize];
        self.first[state as usize] = self.nodes.len() as u32;
        self.nodes.push(Node { state, set, parent, step, next });
        true
    }

    /// Takes pairs with larger sets out of the antichain, and those of the same depth out of the
    /// search.
    fn drop_covered(&mut self, state: u32, set: u32) {
        let mut before = NONE;
        let mut at = self.first[state as usize];
        while at != NONE {
            let Node { set: known, next, .. } = self.nodes[at as usize];
            if self.specification.sets.subset(set, known) {
                match before {
                    NONE => self.first[state as usize] = next,
                    b => self.nodes[b as usize].next = next,
                }
                if at as usize >= self.level {
                    self.nodes[at as usize].state = NONE;
                }
            } else {
                before = at;
            }
            at = next;
        }
    }

    /// The path to a pair and what is wrong with it.
    fn witness(
        &mut self,
        node: usize,
        wrong: Wrong,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Witness, Stop> {
        // The steps as pairs of a source and the index of its step.
        let mut path = Vec::new();
        let mut at = node;
        while self.nodes[at].parent != NONE {
            let Node { parent, step, .. } = self.nodes[at];
            path.push((self.nodes[parent as usize].state, step as usize));
            at = parent as usize;
        }
        path.reverse();
        let Node { state, set, .. } = self.nodes[node];
        let reason = match wrong {
            Wrong::Event(step) => {
                path.push((state, step));
                let allowed = self.specification.labels(set, &mut self.alphabet, meter)?;
                Reason::Event { allowed: self.texts(&allowed) }
            }
            Wrong::Refusal => {
                self.implementation.steps(state, &mut self.offered)?;
                let (side, alphabet) = (&mut self.side, &mut self.alphabet);
                let offered = offer(&self.implementation, side, alphabet, &self.offered);
                let accepted = self.specification.acceptances(set, alphabet, meter)?.to_vec();
                let mut accepted: Vec<_> = accepted.iter().map(|a| self.texts(a)).collect();
                accepted.sort_unstable();
                Reason::Refusal { offered: self.texts(&offered), accepted }
            }
            Wrong::Divergence => {
                let (steps, start) = lasso(&mut self.implementation, state)?;
                let cycle = path.len() + start;
                path.extend(steps);
                Reason::Divergence { cycle }
            }
        };
        let initial = self.implementation.initial()?;
        let mut steps = Vec::with_capacity(path.len());
        for (source, index) in path {
            self.implementation.steps(source, &mut self.edges)?;
            let Edge { label, target } = self.edges[index];
            steps.push(WitnessStep {
                label,
                text: self.implementation.text(label),
                by: self.implementation.by(source, index)?,
                state: self.implementation.slots(target),
            });
        }
        Ok(Witness { initial: self.implementation.slots(initial), steps, reason })
    }

    fn texts(&self, labels: &[u32]) -> Vec<String> {
        let mut texts: Vec<String> =
            labels.iter().map(|l| self.alphabet.text(*l).to_string()).collect();
        texts.sort_unstable();
        texts
    }

    /// Brings the figures up to date.
    fn count(&mut self, meter: &mut Meter<'_, '_>) {
        let f = &mut self.figures;
        f.implementation = u64::from(self.implementation.states());
        f.specification = u64::from(self.specification.walk.states());
        f.sets = self.specification.sets.len() as u64;
        f.pairs = self.nodes.len() as u64;
        f.memory = (self.implementation.memory()
            + self.specification.memory()
            + self.nodes.capacity() * size_of::<Node>()
            + self.first.capacity() * 4
            + self.divergence.memory()) as u64;
        meter.statistics.states = f.implementation;
        meter.statistics.nodes = f.pairs;
        meter.statistics.transitions = f.steps;
        meter.statistics.depth = f.depth;
        meter.statistics.memory = f.memory;
    }
}
