//! What a worker needs to run steps, and how the choices of a step are enumerated.

use linchpin_lts::Events;

use super::trace::Effect;
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
    /// How many choices had been made when the operation was called, in a step that calls one.
    pub(crate) called: usize,
    pub(crate) events: Events,
    pub(crate) length: u32,
    pub(crate) owners: Owners,
    pub(crate) trace: Vec<Effect>,
}

impl Scratch {
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

    /// Moves on to the next combination of choices; false when all have been tried.
    pub(crate) fn next_choices(&mut self) -> bool {
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

    pub(crate) fn reset_choices(&mut self) {
        self.choices.clear();
        self.arity.clear();
    }
}
