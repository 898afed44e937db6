//! All states of a system, or enough of them, breadth first, with a shortest way to each.

use linchpin_engine::{Budget, Limit, Progress, Statistics, Unfolded, Unfolding};
use linchpin_lts::{Label, LabelledSystem, Trouble, Verdict};

use super::{Answer, Failure, Report, Witness, WitnessStep};
use crate::reduced::Reduced;
use crate::system::System;

/// How many slots are written between two questions whether to go on.
const BATCH: usize = 1 << 16;

/// Why exploration ended.
pub(super) enum End<T> {
    /// Everything was seen.
    All,
    /// Somebody has seen enough.
    Found(T),
    /// A limit.
    Limit(Limit),
    /// The model goes wrong in this state.
    Trouble(u32, Trouble),
}

/// The states seen so far.
pub(super) struct Explorer<'s> {
    pub(super) system: &'s System,
    pub(super) graph: Unfolding<'s, Reduced<'s>>,
    /// For each state from where it was first reached, and by which step (its number there).
    parents: Vec<(u32, u32)>,
    next: u32,
    /// Levels that are complete, and the state with which the next one is.
    depth: u32,
    level: u32,
}

impl<'s> Explorer<'s> {
    /// Nothing yet but the initial state.
    pub(super) fn new(reduced: &'s Reduced<'s>) -> Result<Self, Trouble> {
        let mut graph = Unfolding::new(reduced);
        graph.initial()?;
        let system = reduced.system;
        Ok(Explorer { system, graph, parents: vec![(0, 0)], next: 0, depth: 0, level: 1 })
    }

    /// Goes on until `look` returns something. It is shown every state once, with its steps.
    pub(super) fn run<T>(
        &mut self,
        budget: &Budget<'_>,
        mut look: impl FnMut(&Unfolding<'s, Reduced<'s>>, u32, &[Unfolded]) -> Option<T>,
    ) -> End<T> {
        let mut steps = Vec::new();
        let mut written = BATCH;
        while self.next < self.graph.states() {
            if written >= BATCH {
                written = 0;
                if let Some(limit) = budget.exceeded(&self.progress()) {
                    return End::Limit(limit);
                }
            }
            let state = self.next;
            match self.graph.steps(state) {
                Ok(list) => {
                    steps.clear();
                    steps.extend_from_slice(list);
                }
                Err(trouble) => return End::Trouble(state, trouble),
            }
            written += (1 + steps.len()) * self.system.width();
            for (i, step) in steps.iter().enumerate() {
                if step.target as usize == self.parents.len() {
                    self.parents.push((state, i as u32));
                }
            }
            self.next += 1;
            if self.next == self.level {
                self.depth += 1;
                self.level = self.graph.states();
            }
            if let Some(found) = look(&self.graph, state, &steps) {
                return End::Found(found);
            }
        }
        End::All
    }

    fn progress(&self) -> Progress {
        let frontier = u64::from(self.graph.states() - self.next);
        Progress { statistics: self.statistics(), frontier }
    }

    /// Figures.
    pub(super) fn statistics(&self) -> Statistics {
        let states = u64::from(self.graph.states());
        Statistics {
            states,
            nodes: states,
            transitions: self.graph.transitions() as u64,
            depth: self.depth,
            memory: (self.graph.memory() + self.parents.len() * 8) as u64,
            ..Statistics::default()
        }
    }

    /// The slots of a state.
    pub(super) fn state(&self, state: u32) -> Vec<u32> {
        let mut words = Vec::new();
        self.graph.read(state, &mut words);
        words
    }

    /// States and labels of a shortest way to a state.
    pub(super) fn way(&mut self, state: u32) -> Vec<(u32, Label, u32, Vec<u32>)> {
        let mut way = Vec::new();
        let mut at = state;
        while at != 0 {
            let (parent, step) = self.parents[at as usize];
            let step = self.graph.steps(parent).map(|s| s[step as usize]);
            let Ok(step) = step else { break };
            way.push((parent, step.label, at, self.graph.group(step.group).to_vec()));
            at = parent;
        }
        way.reverse();
        way
    }

    /// A way as it is shown.
    pub(super) fn witness(
        &self,
        sentence: impl Into<String>,
        way: &[(u32, Label, u32, Vec<u32>)],
    ) -> Witness {
        let mut path = vec![self.state(way.first().map_or(0, |step| step.0))];
        path.extend(way.iter().map(|step| self.state(step.2)));
        let steps = way.iter().map(|(_, label, _, by)| (*label, by.clone()));
        let (steps, variables) = shown(self.system, &path, steps);
        Witness { sentence: sentence.into(), steps, repeats: None, variables }
    }

    /// The report of an exploration that ended without a finding of its own.
    pub(super) fn report<T>(&mut self, end: End<T>, all: Answer) -> Report {
        let (verdict, witness) = match end {
            End::Trouble(state, trouble) => {
                let way = self.way(state);
                let witness = self.witness("the model goes wrong after these steps", &way);
                (Err(Failure::Trouble(trouble)), Some(witness))
            }
            End::Limit(limit) => (Ok(Verdict::Unknown(limit)), None),
            End::All | End::Found(_) => (all, None),
        };
        Report { verdict, witness, value: None, notes: Vec::new(), statistics: self.statistics() }
    }

    /// The report of an exploration that found a state.
    pub(super) fn found(
        &mut self,
        state: u32,
        verdict: Answer,
        sentence: impl Into<String>,
    ) -> Report {
        let way = self.way(state);
        self.confirmed(verdict, sentence, &way, None)
    }

    /// The report of a finding, after its execution has been replayed in the whole process, step by
    /// step.
    pub(super) fn confirmed(
        &self,
        verdict: Answer,
        sentence: impl Into<String>,
        way: &[(u32, Label, u32, Vec<u32>)],
        repeats: Option<usize>,
    ) -> Report {
        let statistics = self.statistics();
        let (verdict, witness) = match self.replay(way) {
            Ok(()) => {
                let witness = self.witness(sentence, way);
                (verdict, Some(Witness { repeats, ..witness }))
            }
            Err(why) => (Err(Failure::Defect(why)), None),
        };
        Report { verdict, witness, value: None, notes: Vec::new(), statistics }
    }

    fn replay(&self, way: &[(u32, Label, u32, Vec<u32>)]) -> Result<(), String> {
        let mut scratch = self.system.scratch();
        let mut at = self.system.initial(&mut scratch).map_err(|t| t.message)?;
        for (i, (_, label, target, _)) in way.iter().enumerate() {
            let target = self.state(*target);
            let mut possible = false;
            let result = self.system.successors(&mut scratch, &at, &mut |m| {
                possible |= m.label == *label && m.state == target;
            });
            result.map_err(|trouble| trouble.message)?;
            if !possible {
                return Err(format!("step {} of the execution is not possible", i + 1));
            }
            at = target;
        }
        Ok(())
    }

    /// Has a state no step in the whole process?
    pub(super) fn is_end(&self, state: u32) -> bool {
        let mut some = false;
        let (mut scratch, state) = (self.system.scratch(), self.state(state));
        let result = self.system.successors(&mut scratch, &state, &mut |_| some = true);
        result.is_ok() && !some
    }
}

/// An execution as it is shown: its steps, and the variables and channels at its end.
pub(super) fn shown(
    system: &System,
    path: &[Vec<u32>],
    steps: impl Iterator<Item = (Label, Vec<u32>)>,
) -> (Vec<WitnessStep>, Vec<(String, String)>) {
    let mut scratch = system.scratch();
    let mut at = path[0].clone();
    let steps = steps.zip(&path[1..]).map(|((label, by), to)| {
        let (places, next) = system.follow(&mut scratch, &at, label, to);
        let changes = system.changes(&at, &next);
        at = next;
        WitnessStep { label: system.label(label), places, by, changes }
    });
    let steps = steps.collect();
    (steps, system.contents(&at))
}
