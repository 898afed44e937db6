//! Of the ways in which failures and divergences are not refined, the one that begins earliest.
//!
//! A refusal, or an event that is not allowed, is found breadth first, so after as few steps as possible. A divergence
//! *begins* in the first pair from which silent steps can go on for ever; to see that they do, its cycle has to
//! be closed, which may take many steps more. So the first search (`refine`) may meet a refusal or an event before a
//! divergence that begins earlier, or one divergence before another. Here, when something is known to be wrong, the
//! same pairs are explored once more with what it takes to tell: from every pair the search may turn to follow
//! silent steps only. A step costs so much more than one after the turn that all that can follow a turn
//! comes before the next step. So when a pair after `n` steps is found to be wrong, every cycle that begins after
//! less is there, and when a cycle is found, nothing that begins earlier is missing. Of equals, a refusal or
//! an event is shown rather than a divergence.
//!
//! What follows silent steps only may be more than the first search has seen (it may even be without end), so the
//! search gives up when it has seen several times as much; then what was found first is shown.

use std::io;

use linchpin_engine::{
    Budget, Cover, Edge, Ending, Explored, Finding, Found, Meter, NodeId, Order, Plan, Space, Step,
    Stop, explore,
};
use linchpin_lts::{LabelledSystem, Limit, Loading, Renumber, Saving, TAU};

use crate::determined::NOTHING;
use crate::refine::{Pairs, SILENT, VISIBLE, Worker, Wrong};

/// What a step costs before the turn. After it, 1: no more silent steps than this are followed.
const STEP: u64 = 1 << 32;

/// In the last slot of a state: on the way, or after the turn.
const ON_THE_WAY: u32 = 0;
const TURNED: u32 = 1;

/// More pairs than so many times those of the first search, and a few, are not looked at.
const TIMES: u64 = 4;
const A_FEW: u64 = 100_000;

/// Pairs, one after the other.
pub(crate) type Path = Vec<(Vec<u32>, u32)>;

/// What begins earliest.
pub(crate) enum First {
    /// The last pair of the path is wrong.
    Wrong(Path, Wrong),
    /// The path ends with a cycle of silent steps, which begins at this index.
    Divergence(Path, usize),
}

/// What begins earliest; `None` if that takes too long. The first search has seen so many pairs.
pub(crate) fn earliest<I: LabelledSystem, S: LabelledSystem>(
    pairs: &Pairs<'_, I, S>,
    seen: u64,
    budget: &Budget<'_>,
) -> Option<First> {
    let most = seen.saturating_mul(TIMES).saturating_add(A_FEW);
    let budget = &Budget { max_states: Some(most), ..*budget };
    let plan = Plan { order: Order::Cheapest, edges: true, ..Plan::default() };
    let mut first = Ok(None);
    let (ending, _, explored) = explore(&Turning { pairs }, plan, budget, &mut |explored| {
        first = cycle(explored, budget);
        first != Ok(None)
    });
    let cycle = match &ending {
        Ending::Violation { violation: Finding::Violation(_), .. } => cycle(&explored, budget),
        Ending::Enough => first,
        _ => return None,
    };
    match (cycle, ending) {
        (Ok(Some(cycle)), _) => {
            let mut nodes = explored.path(cycle[0]);
            nodes.extend(&cycle[1..]);
            nodes.push(cycle[0]);
            let path = straight(nodes.into_iter().map(|node| explored.node(node)).collect());
            let start = path.len() - 1 - cycle.len();
            Some(First::Divergence(path, start))
        }
        (Ok(None), Ending::Violation { path, violation: Finding::Violation(wrong) }) => {
            Some(First::Wrong(straight(path), wrong))
        }
        _ => None,
    }
}

/// A path without its turn, which is no step.
fn straight(mut path: Path) -> Path {
    let modes: Vec<Option<u32>> = path.iter_mut().map(|(state, _)| state.pop()).collect();
    if let Some(turn) = modes.iter().position(|mode| *mode == Some(TURNED)) {
        path.remove(turn);
    }
    path
}

/// The cycle of silent steps that is reached at least cost, as its nodes.
fn cycle(explored: &Explored, budget: &Budget<'_>) -> Result<Option<Vec<NodeId>>, Limit> {
    let (order, meter) = (explored.in_order(), &mut Meter::new(budget));
    let silent = |_: u32, edge: &Edge| edge.label == SILENT;
    let component = order.components(silent, meter)?;
    let inside = |node: u32, edge: &Edge| {
        edge.label == SILENT && component[node as usize] == component[edge.target as usize]
    };
    let goes_round = |node: &u32| order.edges(*node).any(|edge| inside(*node, &edge));
    let cost = |node: &u32| explored.cost(order.nodes()[*node as usize]);
    let nodes = 0..order.nodes().len() as u32;
    let Some(start) = nodes.filter(goes_round).min_by_key(cost) else { return Ok(None) };
    let way = order.way(start, inside, |_, edge| edge.target == start, meter)?;
    let node = |(number, _): (u32, Edge)| order.nodes()[number as usize];
    Ok(way.map(|way| way.into_iter().map(node).collect()))
}

/// Pairs, and what silent steps lead to after a turn.
struct Turning<'p, 's, I, S> {
    pairs: &'p Pairs<'s, I, S>,
}

impl<I: LabelledSystem, S: LabelledSystem> Cover for Turning<'_, '_, I, S> {
    fn covers(&self, small: u32, large: u32) -> bool {
        self.pairs.covers(small, large)
    }
}

/// What numbers of another run are called; the last slot of a state is a mode.
struct WithoutMode<'a>(Box<dyn Renumber + 'a>);

impl Renumber for WithoutMode<'_> {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        state.split_last_mut().map_or(Ok(()), |(_, state)| self.0.state(state))
    }

    fn tag(&self, tag: u32) -> io::Result<u32> {
        self.0.tag(tag)
    }
}

impl<'s, I: LabelledSystem, S: LabelledSystem> Space for Turning<'_, 's, I, S> {
    type Worker = (Worker<'s, I, S>, Vec<u32>);
    type Violation = Finding<Wrong>;

    fn worker(&self) -> Self::Worker {
        (self.pairs.worker(), Vec::new())
    }

    fn initial(
        &self,
        (w, slots): &mut Self::Worker,
        found: &mut dyn FnMut(Found<'_, Finding<Wrong>>),
    ) {
        self.pairs.initial(w, &mut |pair| found(in_mode(pair, ON_THE_WAY, slots)));
    }

    fn expand(
        &self,
        (w, slots): &mut Self::Worker,
        state: &[u32],
        set: u32,
        found: &mut dyn FnMut(Found<'_, Finding<Wrong>>),
    ) {
        let Some((&mode, state)) = state.split_last() else { return };
        if mode == ON_THE_WAY {
            self.pairs.expand(w, state, set, &mut |pair| found(in_mode(pair, ON_THE_WAY, slots)));
        }
        match self.turned(w, state, set, mode, slots, found) {
            Ok(()) => {}
            Err(stop) => found(Found::Violation(stop.into())),
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.pairs.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        Ok(Box::new(WithoutMode(self.pairs.load(from)?)))
    }
}

impl<'s, I: LabelledSystem, S: LabelledSystem> Turning<'_, 's, I, S> {
    /// Turns, or follows silent steps.
    fn turned(
        &self,
        w: &mut Worker<'s, I, S>,
        state: &[u32],
        set: u32,
        mode: u32,
        slots: &mut Vec<u32>,
        found: &mut dyn FnMut(Found<'_, Finding<Wrong>>),
    ) -> Result<(), Stop> {
        if set == NOTHING || self.pairs.specification.diverges(&mut w.specification, set)? {
            return Ok(());
        }
        w.implementation.look_at(state)?;
        if mode == TURNED {
            for Step { state, hash, .. } in w.implementation.steps().filter(|s| s.label == TAU) {
                let next = Found::Node { state, tag: set, label: SILENT, cost: 1, hash };
                found(in_mode(next, TURNED, slots));
            }
        } else if w.implementation.steps().any(|step| step.label == TAU) {
            let hash = w.implementation.hash(state);
            let turn = Found::Node { state, tag: set, label: VISIBLE, cost: 1, hash };
            found(in_mode(turn, TURNED, slots));
        }
        Ok(())
    }
}

/// The same with the mode in a slot of its own.
fn in_mode<'a>(
    found: Found<'_, Finding<Wrong>>,
    mode: u32,
    slots: &'a mut Vec<u32>,
) -> Found<'a, Finding<Wrong>> {
    match found {
        Found::Node { state, tag, label, hash, .. } => {
            slots.clear();
            slots.extend_from_slice(state);
            slots.push(mode);
            let (cost, label) = match mode {
                ON_THE_WAY => (STEP, VISIBLE),
                _ => (1, label),
            };
            let hash = hash.map(|hash| hash.wrapping_add(u64::from(mode)));
            Found::Node { state: slots, tag, label, cost, hash }
        }
        Found::Nowhere { label } => Found::Nowhere { label },
        Found::Violation(violation) => Found::Violation(violation),
    }
}
