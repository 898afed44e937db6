//! What a worker needs to run steps, and how the choices of a step are enumerated.

use linchpin_lts::{Events, FaultKind, Watch};

use super::trace::Effect;
use super::{LONG, MAX_WORK, Run};
use crate::coverage::Familiar;
use crate::ownership::Owners;

/// What a worker needs to run steps.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The state being changed.
    pub(crate) work: Vec<u32>,
    pub(crate) frame: Vec<u32>,
    /// How choices are resolved, and among how many.
    pub(crate) choices: Vec<u32>,
    pub(crate) arity: Vec<u32>,
    pub(crate) taken: usize,
    /// How many choices had been made before the first shared access of the step. They are made for
    /// good; without reductions, the steps before this one make them.
    pub(crate) committed: usize,
    /// How many instructions had been executed then.
    pub(crate) reached: u32,
    /// The assumptions that steps have broken, a bit for each (see `movers`).
    pub(crate) broken: u64,
    /// Did the step come to the last cell of an array without a stated end, and want more?
    pub(crate) beyond: bool,
    pub(crate) events: Events,
    pub(crate) length: u32,
    pub(crate) owners: Owners,
    pub(crate) trace: Vec<Effect>,
    pub(super) familiar: Familiar,
    /// Where a long step was: after how many instructions, at which, with which registers and memory.
    pub(super) past: (u32, usize, Vec<u32>, Vec<u32>),
}

impl Scratch {
    /// A step begins in a state.
    pub(super) fn begin(&mut self, source: &[u32]) {
        self.work.clear();
        self.work.extend_from_slice(source);
        self.events.clear();
        self.taken = 0;
        self.committed = 0;
        self.reached = 0;
        self.length = 0;
        self.beyond = false;
        self.owners.restart();
    }

    /// The assumptions that steps have broken since this was asked last.
    pub fn broken(&mut self) -> u64 {
        std::mem::take(&mut self.broken)
    }

    /// Runs a step with all combinations of its choices. If it never ends for one of them, the others
    /// are left out, which may be endlessly many; if there are too many, or whoever is asked says that
    /// we shall stop, the last run is one that says so.
    pub(crate) fn each_choice(
        &mut self,
        watch: &Watch,
        mut run: impl FnMut(&mut Scratch) -> Run,
        mut note: impl FnMut(&Scratch, Run),
    ) {
        self.script(&[]);
        let (mut work, mut ask, mut runs) = (0, LONG, 0);
        loop {
            let end = run(self);
            note(self, end);
            work += self.length + 1;
            runs += 1;
            match end {
                Run::Fault(FaultKind::Divergence, _) => return,
                Run::Fault(kind, _) if kind.limit().is_some() => return,
                _ if !self.next_choices() => return,
                // Whoever is shown the runs may have been told to stop.
                _ if work > ask || runs % RUNS == 0 || watch.told().is_some() => {
                    if let Some(kind) = given_up(work, watch) {
                        // No choice has been made.
                        (self.taken, self.committed) = (0, 0);
                        return note(self, Run::Fault(kind, self.frame[0]));
                    }
                    ask = work + LONG;
                }
                _ => {}
            }
        }
    }

    /// Does a long step come back to where it was, so that it can go on like that for ever, or has it
    /// become too long to wait for its end? Compares with one earlier moment that is moved on each
    /// time the length has doubled (R. P. Brent, BIT 20, 1980).
    #[cold]
    pub(super) fn loops(&mut self, pc: usize, watch: &Watch) -> Option<FaultKind> {
        if self.length.is_multiple_of(LONG)
            && let Some(kind) = given_up(self.length, watch)
        {
            return Some(kind);
        }
        let (since, at, frame, work) = &mut self.past;
        if self.length == LONG || self.length == 2 * *since {
            (*since, *at) = (self.length, pc);
            frame.clone_from(&self.frame);
            work.clone_from(&self.work);
            return None;
        }
        if *at == pc && *frame == self.frame && *work == self.work {
            return Some(FaultKind::Divergence);
        }
        None
    }

    /// One of `n` alternatives; `None` if there is none.
    #[inline]
    pub(super) fn choose(&mut self, n: u32) -> Option<u32> {
        match n {
            0 => None,
            1 => Some(0),
            _ => {
                if self.taken == self.choices.len() {
                    self.choices.push(0);
                    self.arity.push(n);
                }
                self.arity[self.taken] = n;
                // A replayed schedule may ask for an alternative that does not exist; the replay
                // finds out by comparing with the arities.
                let choice = self.choices[self.taken].min(n - 1);
                self.taken += 1;
                Some(choice)
            }
        }
    }

    /// The choices of the next run.
    pub(crate) fn script(&mut self, choices: &[u32]) {
        self.choices.clear();
        self.choices.extend_from_slice(choices);
        self.arity.clear();
        self.arity.resize(choices.len(), 0);
    }

    /// Moves on to the next combination of choices; false when all have been tried.
    fn next_choices(&mut self) -> bool {
        self.choices.truncate(self.taken);
        self.arity.truncate(self.taken);
        while let Some(last) = self.choices.last_mut() {
            *last += 1;
            if *last < self.arity[self.choices.len() - 1] {
                return true;
            }
            self.choices.pop();
            self.arity.pop();
        }
        false
    }
}

/// After so many runs of a step we ask whether to go on: what is done with each may take long.
const RUNS: u32 = 1 << 6;

/// Is a step of so many instructions given up?
fn given_up(work: u32, watch: &Watch) -> Option<FaultKind> {
    match work >= MAX_WORK {
        true => Some(FaultKind::TooLong),
        false => watch.over().map(FaultKind::Stopped),
    }
}
