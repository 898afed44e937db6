//! The game of strong linearizability, solved while it is explored.
//!
//! Positions are found breadth first. A position is *lost* for the checker if the object has a step to
//! which every answer is lost, or to which there is none. Losses are propagated to where they came from as
//! soon as they are known (Liu, Smolka, ICALP 1998), and the search ends when an initial position is lost,
//! or when everything has been explored: then the checker wins. Every loss has a *height*, greater than
//! those of all answers to the step that shows it, so that following heights downwards ends at a return
//! without answer. That gives the evidence: a tree of steps of the object that branches where the checker
//! has several answers.
//!
//! The search is sequential; its figures do not depend on the number of workers.

use std::collections::{HashMap, VecDeque};

use linchpin_engine::{Budget, Limit, Progress, Statistics, pack, unpack};
use linchpin_lts::{Branch, Event, EventKind, Events, Outcome, Schedule, TransitionSystem, Turn};
use linchpin_model::specify::SpecFault;
use smallvec::SmallVec;

use crate::configurations::{EMPTY, SetId};
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

/// A position that is not lost.
const OPEN: u32 = u32::MAX;
/// Positions that are expanded between two looks at the budget.
const BATCH: usize = 1024;

struct Position {
    state: u32,
    set: SetId,
    /// How far from a return without answer, if lost.
    height: u32,
    depth: u32,
    /// The moves it is an answer of.
    of: SmallVec<[u32; 2]>,
}

/// A step of the object from a position.
struct Move {
    from: u32,
    /// Answers that are not lost.
    open: u32,
    /// Greatest height of the lost ones.
    height: u32,
}

/// A concrete step and the answers to it.
type Answered = (Turn, Vec<u32>, Vec<SetId>);

pub(crate) struct Game<'p, 'm> {
    product: &'p Product<'m>,
    worker: Worker<'m>,
    /// Packed states, by number, and their numbers.
    states: Vec<std::rc::Rc<[u8]>>,
    numbers: HashMap<std::rc::Rc<[u8]>, u32>,
    positions: Vec<Position>,
    index: HashMap<(u32, SetId), u32>,
    moves: Vec<Move>,
    answers: HashMap<(SetId, Vec<u32>), Vec<SetId>>,
    statistics: Statistics,
    bytes: Vec<u8>,
}

impl<'p, 'm> Game<'p, 'm> {
    pub(crate) fn new(product: &'p Product<'m>) -> Self {
        Game {
            product,
            worker: product.new_worker(),
            states: Vec::new(),
            numbers: HashMap::new(),
            positions: Vec::new(),
            index: HashMap::new(),
            moves: Vec::new(),
            answers: HashMap::new(),
            statistics: Statistics::default(),
            bytes: Vec::new(),
        }
    }

    /// Plays.
    pub(crate) fn solve(&mut self, budget: &Budget<'_>) -> Result<(End, Statistics), SpecFault> {
        let set = self.product.configurations.initial()?;
        for state in self.initial_states() {
            self.position(&state, set, 0);
        }
        let initial = self.positions.len();
        let mut next = 0;
        while next < self.positions.len() {
            if self.positions[next].height == OPEN {
                self.expand(next as u32)?;
            }
            next += 1;
            if let Some(lost) = (0..initial).find(|&i| self.positions[i].height != OPEN) {
                self.measure();
                return Ok((self.evidence(lost as u32, set)?, self.statistics));
            }
            if next % BATCH == 0 {
                self.measure();
                let frontier = (self.positions.len() - next) as u64;
                let progress = Progress { statistics: self.statistics, frontier };
                if let Some(limit) = budget.exceeded(&progress) {
                    return Ok((End::Stopped(limit), self.statistics));
                }
            }
        }
        self.measure();
        Ok((End::Won, self.statistics))
    }

    /// Finds the steps from a position and the answers to them.
    fn expand(&mut self, from: u32) -> Result<(), SpecFault> {
        let Position { state, set, depth, .. } = self.positions[from as usize];
        let mut slots = Vec::new();
        unpack(&self.states[state as usize], &mut slots);
        for (_, state, sets) in self.steps(&slots, set)? {
            self.statistics.transitions += 1;
            let mut answers: SmallVec<[u32; 4]> =
                sets.iter().map(|&set| self.position(&state, set, depth + 1)).collect();
            answers.sort_unstable();
            answers.dedup();
            let (mut open, mut height) = (0, 0);
            let number = self.moves.len() as u32;
            for &answer in &answers {
                let position = &mut self.positions[answer as usize];
                if position.height == OPEN {
                    open += 1;
                    position.of.push(number);
                } else {
                    height = height.max(position.height + 1);
                }
            }
            self.moves.push(Move { from, open, height });
            if open == 0 {
                self.lose(from, height);
                break;
            }
        }
        Ok(())
    }

    /// A position is lost, and so may be others.
    fn lose(&mut self, position: u32, height: u32) {
        self.positions[position as usize].height = height;
        let mut lost = VecDeque::from([position]);
        while let Some(position) = lost.pop_front() {
            let Position { height, .. } = self.positions[position as usize];
            for number in std::mem::take(&mut self.positions[position as usize].of) {
                let m = &mut self.moves[number as usize];
                m.open -= 1;
                m.height = m.height.max(height + 1);
                let (open, height) = (m.open, m.height);
                let from = &mut self.positions[m.from as usize];
                if open == 0 && from.height == OPEN {
                    from.height = height;
                    lost.push_back(m.from);
                }
            }
        }
    }

    fn initial_states(&mut self) -> Vec<Vec<u32>> {
        let mut states = Vec::new();
        self.product.model.initial(&mut self.worker.scratch, &mut |outcome| {
            // A fault has been reported before any game.
            states.push(match outcome {
                Outcome::Next { state, .. } => state.to_vec(),
                Outcome::Fault(_) => Vec::new(),
            });
        });
        states
    }

    /// The steps from a concrete state with the answers to each.
    fn steps(&mut self, state: &[u32], set: SetId) -> Result<Vec<Answered>, SpecFault> {
        let mut steps: Vec<(Turn, Vec<u32>, Events)> = Vec::new();
        self.product.model.successors(&mut self.worker.scratch, state, &mut |step| {
            if let Outcome::Next { state, events } = step.outcome {
                let turn = Turn {
                    thread: step.thread,
                    choices: step.choices.to_vec(),
                    length: step.length,
                };
                steps.push((turn, state.to_vec(), events.clone()));
            }
        });
        steps
            .into_iter()
            .map(|(turn, state, events)| {
                let mut sets = vec![set];
                for event in events.iter() {
                    let mut next = Vec::new();
                    for set in sets {
                        next.extend(self.answers(set, event)?);
                    }
                    sets = next;
                }
                Ok((turn, state, sets))
            })
            .collect()
    }

    fn answers(&mut self, set: SetId, event: Event<'_>) -> Result<Vec<SetId>, SpecFault> {
        let kind = u32::from(event.kind == EventKind::Return);
        let mut words = vec![kind, event.thread, event.op];
        words.extend_from_slice(event.values);
        let key = (set, words);
        if let Some(known) = self.answers.get(&key) {
            return Ok(known.clone());
        }
        let configurations = self.product.configurations;
        let sets = match event.kind {
            EventKind::Call => configurations
                .split(set, event, &|_, track, t, call| Ok(strong::call(track, t, call))),
            // Only a check that asks for points has them.
            EventKind::Point => Ok(vec![set]),
            EventKind::Return => configurations.split(set, event, &strong::returns),
        }?;
        debug_assert!(!sets.contains(&EMPTY));
        self.answers.insert(key, sets.clone());
        Ok(sets)
    }

    /// The canonical form of a concrete position.
    fn canonical(&mut self, state: &[u32], set: SetId) -> SetId {
        let Worker { memory, canonical, .. } = &mut self.worker;
        let (state, set) = self.product.canonical(memory, canonical, state, set);
        pack(state, &mut self.bytes);
        set
    }

    /// The number of a concrete position, which may be new.
    fn position(&mut self, state: &[u32], set: SetId, depth: u32) -> u32 {
        let set = self.canonical(state, set);
        let number = match self.numbers.get(&self.bytes[..]) {
            Some(&number) => number,
            None => {
                let packed: std::rc::Rc<[u8]> = self.bytes.as_slice().into();
                self.states.push(packed.clone());
                self.numbers.insert(packed, self.states.len() as u32 - 1);
                self.states.len() as u32 - 1
            }
        };
        let next = self.positions.len() as u32;
        let position = *self.index.entry((number, set)).or_insert(next);
        if position == next {
            let of = SmallVec::new();
            self.positions.push(Position { state: number, set, height: OPEN, depth, of });
            self.statistics.depth = self.statistics.depth.max(depth);
        }
        position
    }

    /// The height of a concrete position that is lost.
    fn height(&mut self, state: &[u32], set: SetId) -> Option<u32> {
        let set = self.canonical(state, set);
        let number = *self.numbers.get(&self.bytes[..])?;
        let position = *self.index.get(&(number, set))?;
        Some(self.positions[position as usize].height).filter(|&height| height != OPEN)
    }

    fn measure(&mut self) {
        let packed = self.states.iter().map(|s| s.len() + 64).sum::<usize>();
        let memory = packed
            + self.positions.len() * (size_of::<Position>() + 24)
            + self.moves.len() * size_of::<Move>()
            + self.answers.len() * 96
            + 0;
        self.statistics.states = self.states.len() as u64;
        self.statistics.nodes = self.positions.len() as u64;
        self.statistics.memory = memory as u64;
    }

    /// The play that shows that an initial position is lost.
    fn evidence(&mut self, lost: u32, set: SetId) -> Result<End, SpecFault> {
        let initial = self.initial_states();
        for (number, state) in initial.into_iter().enumerate() {
            if self.position(&state, set, 0) == lost {
                return Ok(match self.play(state, set)? {
                    Some(Branch { turns, branches }) => {
                        End::Lost(Schedule { initial: number as u32, turns }, branches)
                    }
                    None => End::NoPlay,
                });
            }
        }
        Ok(End::NoPlay)
    }

    /// How the object wins from a concrete position; `None` if that cannot be found.
    fn play(&mut self, mut state: Vec<u32>, mut set: SetId) -> Result<Option<Branch>, SpecFault> {
        let mut branch = Branch::default();
        let Some(mut height) = self.height(&state, set) else { return Ok(None) };
        loop {
            let mut best: Option<(u32, usize, Answered)> = None;
            for (turn, next, sets) in self.steps(&state, set)? {
                let heights: Option<Vec<u32>> =
                    sets.iter().map(|&set| self.height(&next, set)).collect();
                let Some(heights) = heights else { continue };
                // The height of a step without answers is 0, as it is in `expand`.
                let rank = heights.iter().map(|h| h + 1).max().unwrap_or(0);
                if rank <= height && best.as_ref().is_none_or(|b| (rank, sets.len()) < (b.0, b.1)) {
                    best = Some((rank, sets.len(), (turn, next, sets)));
                }
            }
            let Some((rank, _, (turn, next, sets))) = best else { return Ok(None) };
            branch.turns.push(turn);
            match sets[..] {
                [] => return Ok(Some(branch)),
                [only] => {
                    (state, set, height) = (next, only, rank - 1);
                }
                _ => {
                    for set in sets {
                        match self.play(next.clone(), set)? {
                            Some(further) => branch.branches.push(further),
                            None => return Ok(None),
                        }
                    }
                    return Ok(Some(branch));
                }
            }
        }
    }
}
