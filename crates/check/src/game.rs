//! The game of strong linearizability, solved while it is explored.
//!
//! Positions are the nodes of a search. The steps of the object from a position are numbered, and its
//! edges have these numbers: the edges with the same number lead to the answers to one step. A position is
//! *lost* for the checker if the object has a step to which every answer is lost, or to which there is
//! none. Each time what has been explored has doubled, losses are propagated backwards (Liu, Smolka, ICALP
//! 1998), and the search ends when an initial position is lost, or when everything has been explored: then
//! the checker wins. What has not been explored yet is not lost.
//!
//! Every loss has a *height*, greater than those of all answers to the step that shows it, so that
//! following heights downwards ends at a return without answer. That gives the evidence: a tree of steps of
//! the object that branches where the checker has several answers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;

use linchpin_engine::{
    Budget, Cover, Ending, Explored, Figures, Found, Limit, Meter, NOWHERE, NodeId, Plan, Space,
    explore,
};
use linchpin_lts::{
    Branch, Event, EventKind, Loading, Outcome, Renumber, Saving, Schedule, TransitionSystem, Turn,
};

use crate::configurations::{EMPTY, SetId};
use crate::lift;
use crate::product::{Product, Worker};
use crate::strong_linearizability as strong;

/// How a game ends.
pub(crate) enum End {
    /// The checker has an answer to everything.
    Won,
    /// It does not: after the schedule, every order can be refuted by one of the branches.
    Lost(Schedule, Vec<Branch>),
    /// The play behind a loss was not found again: a defect of the checker.
    NoPlay,
    /// A limit was hit.
    Stopped(Limit),
}

/// Solves the game of a product, the checker being lenient or not (`strong_linearizability::returns`).
pub(crate) fn solve(product: &Product<'_>, lenient: bool, budget: &Budget<'_>) -> (End, Figures) {
    let game = Game { product, lenient };
    let plan = Plan { edges: true, ..Plan::default() };
    let mut lost = Ok(Heights::new());
    let mut is_lost = |explored: &Explored| {
        lost = losses(explored, budget);
        // If there is no time to look, there is none to go on.
        lost.as_ref().map_or(true, |lost| explored.initial().iter().any(|i| lost.contains_key(i)))
    };
    let (ending, statistics, explored) = explore(&game, plan, budget, &mut is_lost);
    let end = match ending {
        Ending::Violation { violation: never, .. } => match never {},
        Ending::Exhausted => End::Won,
        // What is there may be enough all the same.
        Ending::Stopped(limit) if !is_lost(&explored) => End::Stopped(limit),
        Ending::Stopped(_) | Ending::Enough => match &lost {
            Err(limit) => End::Stopped(*limit),
            Ok(lost) => Evidence { game, player: game.worker(), explored: &explored, lost }.find(),
        },
    };
    (end, statistics)
}

/// The lost positions, each with how far it is from a return without answer.
type Heights = HashMap<NodeId, u32>;

/// Finds the positions that are lost, however the game goes on where it has not been explored.
fn losses(explored: &Explored, budget: &Budget<'_>) -> Result<Heights, Limit> {
    let nodes = explored.len() as u64;
    let mut meter = Meter::after(budget, Figures { nodes, ..Figures::default() });
    let ordered = explored.in_order();
    // The steps of the object: from where, and how many answers are not lost.
    let mut steps: Vec<(NodeId, u32)> = Vec::new();
    // Positions with the steps they are answers to.
    let mut answers: Vec<(NodeId, u32)> = Vec::new();
    let mut heights = Heights::new();
    let mut lost = Vec::new();
    for &from in ordered.nodes() {
        let mut label = None;
        for edge in explored.edges(from) {
            meter.tick(1)?;
            if edge.target == NOWHERE {
                heights.insert(from, 0);
                lost.push(from);
                continue;
            }
            if label.replace(edge.label) != Some(edge.label) {
                steps.push((from, 0));
            }
            answers.push((edge.target, steps.len() as u32 - 1));
            if let Some((_, open)) = steps.last_mut() {
                *open += 1;
            }
        }
    }
    answers.sort_unstable();
    // Height by height, so the last answer that is lost has the greatest one.
    for height in 1.. {
        if lost.is_empty() {
            break;
        }
        for position in std::mem::take(&mut lost) {
            let first = answers.partition_point(|(answer, _)| *answer < position);
            for &(_, step) in answers[first..].iter().take_while(|(answer, _)| *answer == position)
            {
                meter.tick(1)?;
                let (from, open) = &mut steps[step as usize];
                *open -= 1;
                if *open == 0 && !heights.contains_key(from) {
                    heights.insert(*from, height);
                    lost.push(*from);
                }
            }
        }
    }
    Ok(heights)
}

/// A concrete step and the answers to it.
type Answered = (Turn, Vec<u32>, Vec<SetId>);

/// Positions: states of the object with what the order so far has led to.
#[derive(Clone, Copy)]
struct Game<'p, 'm> {
    product: &'p Product<'m>,
    lenient: bool,
}

/// What a worker needs.
struct Player<'m> {
    worker: Worker<'m>,
    /// Answers that were found before.
    answers: HashMap<(SetId, Vec<u32>), Vec<SetId>>,
}

impl<'m> Game<'_, 'm> {
    /// The steps from a state with the answers to each.
    fn steps(&self, player: &mut Player<'m>, state: &[u32], set: SetId) -> Vec<Answered> {
        let steps = lift::steps(self.product.model, &mut player.worker, state);
        steps
            .into_iter()
            .map(|(turn, state, events)| {
                let mut sets = vec![set];
                for event in events.iter() {
                    let mut next = Vec::new();
                    for set in sets {
                        next.extend(self.answers(player, set, event));
                    }
                    sets = next;
                }
                (turn, state, sets)
            })
            .collect()
    }

    fn answers(&self, player: &mut Player<'m>, set: SetId, event: Event<'_>) -> Vec<SetId> {
        let kind = u32::from(event.kind == EventKind::Return);
        let mut words = vec![kind, event.thread, event.op];
        words.extend_from_slice(event.values);
        let key = (set, words);
        if let Some(known) = player.answers.get(&key) {
            return known.clone();
        }
        let configurations = self.product.configurations;
        let mut sets = match event.kind {
            EventKind::Call => {
                configurations.split(set, event, &|_, track, t, call| strong::call(track, t, call))
            }
            // Only a check that asks for points has them.
            EventKind::Point => vec![set],
            EventKind::Return => configurations.split(set, event, &|terms, track, t, done| {
                strong::returns(terms, track, t, done, self.lenient)
            }),
        };
        debug_assert!(!sets.contains(&EMPTY));
        // Not by their numbers, which depend on which worker came first.
        sets.sort_by_key(|&set| configurations.facts(&mut player.worker.memory, set).content);
        player.answers.insert(key, sets.clone());
        sets
    }

    /// Shows the canonical form of a position.
    fn canonical<T>(
        &self,
        player: &mut Player<'m>,
        state: &[u32],
        set: SetId,
        show: impl FnOnce(&[u32], SetId) -> T,
    ) -> T {
        let Worker { memory, canonical, .. } = &mut player.worker;
        let (state, set) = self.product.canonical(memory, canonical, state, set);
        show(state, set)
    }

    /// The initial states, by number; none where there is a fault, which has been reported before any game.
    fn initial_states(&self, player: &mut Player<'m>) -> Vec<Option<Vec<u32>>> {
        let mut states = Vec::new();
        self.product.model.initial(&mut player.worker.scratch, &mut |outcome| {
            states.push(match outcome {
                Outcome::Next { state, .. } => Some(state.to_vec()),
                Outcome::Fault(_) => None,
            });
        });
        states
    }
}

impl Cover for Game<'_, '_> {}

impl<'m> Space for Game<'_, 'm> {
    type Worker = Player<'m>;
    type Violation = Infallible;

    fn worker(&self) -> Player<'m> {
        Player { worker: self.product.new_worker(), answers: HashMap::new() }
    }

    fn initial(&self, player: &mut Player<'m>, found: &mut dyn FnMut(Found<'_, Infallible>)) {
        let (set, _) = self.product.configurations.initial();
        for state in self.initial_states(player).iter().flatten() {
            self.canonical(player, state, set, |state, set| found(Found::node(state, set)));
        }
    }

    fn expand(
        &self,
        player: &mut Player<'m>,
        state: &[u32],
        set: SetId,
        found: &mut dyn FnMut(Found<'_, Infallible>),
    ) {
        let steps = self.steps(player, state, set);
        // A step without answer decides; what else could happen does not matter.
        if let Some(label) = steps.iter().position(|(_, _, sets)| sets.is_empty()) {
            return found(Found::Nowhere { label: label as u32 });
        }
        for (label, (_, state, sets)) in steps.iter().enumerate() {
            for &set in sets {
                self.canonical(player, state, set, |state, tag| {
                    found(Found::Node { state, tag, label: label as u32, cost: 1, hash: None });
                });
            }
        }
    }

    fn is_full(&self) -> bool {
        self.product.configurations.is_full()
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.product.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.product.load(from)
    }
}

/// A lost game, to be played again with concrete states.
struct Evidence<'e, 'p, 'm> {
    game: Game<'p, 'm>,
    player: Player<'m>,
    explored: &'e Explored,
    lost: &'e Heights,
}

impl Evidence<'_, '_, '_> {
    /// The play that shows that an initial position is lost.
    fn find(&mut self) -> End {
        let (set, _) = self.game.product.configurations.initial();
        for (number, state) in self.game.initial_states(&mut self.player).into_iter().enumerate() {
            let Some(state) = state else { continue };
            if self.height(&state, set).is_some() {
                return match self.play(state, set) {
                    Some(Branch { turns, branches }) => {
                        End::Lost(Schedule { initial: number as u32, turns }, branches)
                    }
                    None => End::NoPlay,
                };
            }
        }
        End::NoPlay
    }

    /// The height of a concrete position that is lost.
    fn height(&mut self, state: &[u32], set: SetId) -> Option<u32> {
        let Evidence { game, player, explored, lost } = self;
        let position = game.canonical(player, state, set, |state, set| explored.find(state, set));
        lost.get(&position?).copied()
    }

    /// How the object wins from a concrete position; `None` if that cannot be found.
    fn play(&mut self, mut state: Vec<u32>, mut set: SetId) -> Option<Branch> {
        let mut branch = Branch::default();
        let mut height = self.height(&state, set)?;
        loop {
            let mut best: Option<(u32, usize, Answered)> = None;
            for (turn, next, sets) in self.game.steps(&mut self.player, &state, set) {
                let heights: Option<Vec<u32>> =
                    sets.iter().map(|&set| self.height(&next, set)).collect();
                let Some(heights) = heights else { continue };
                // The height of a step without answers is 0, as it is in `losses`.
                let rank = heights.iter().map(|h| h + 1).max().unwrap_or(0);
                if rank <= height && best.as_ref().is_none_or(|b| (rank, sets.len()) < (b.0, b.1)) {
                    best = Some((rank, sets.len(), (turn, next, sets)));
                }
            }
            let (rank, _, (turn, next, sets)) = best?;
            branch.turns.push(turn);
            match sets[..] {
                [] => return Some(branch),
                [only] => {
                    (state, set, height) = (next, only, rank - 1);
                }
                _ => {
                    for set in sets {
                        branch.branches.push(self.play(next.clone(), set)?);
                    }
                    return Some(branch);
                }
            }
        }
    }
}
