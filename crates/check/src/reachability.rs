//! Reachability: faults and deadlocks of an object under its clients, whatever the specification.
//!
//! The same search without the specification: every state of the object, once. This is also how the
//! speed of the interpreter and the store is measured.

use std::io;

use linchpin_engine::{Canonical, Cover, Found, Space};
use linchpin_lin::{Model, Scratch};
use linchpin_lts::{Liveness, Loading, Outcome, Renumber, Same, Saving, TransitionSystem};

use crate::product::Violation;
use crate::reductions::Reductions;

/// The states of a model.
pub(crate) struct States<'m> {
    pub(crate) model: &'m Model,
    pub(crate) reductions: Reductions,
}

impl Cover for States<'_> {
    fn covers(&self, _: u32, _: u32) -> bool {
        true
    }
}

impl States<'_> {
    fn merges(&self) -> bool {
        self.reductions.heap || self.reductions.threads || self.reductions.data
    }
}

/// What every state has: no tag.
const NO_TAG: u32 = 0;

impl<'m> Space for States<'m> {
    type Worker = (Scratch, Canonical<'m>);
    type Violation = Violation;

    fn worker(&self) -> Self::Worker {
        let merging = self.reductions.merging();
        (self.model.scratch(), Canonical::new(self.model.layout(), merging))
    }

    fn initial(&self, w: &mut Self::Worker, found: &mut dyn FnMut(Found<'_, Violation>)) {
        let (scratch, canonical) = w;
        self.model.initial(scratch, &mut |outcome| match outcome {
            Outcome::Fault(kind) => found(Found::Violation(Violation::Fault(kind))),
            Outcome::Next { state, .. } => {
                found(Found::node(canonical.canonical(state, &[], &|_, _| true).0, NO_TAG))
            }
        });
    }

    fn expand(
        &self,
        (scratch, canonical): &mut Self::Worker,
        state: &[u32],
        _: u32,
        found: &mut dyn FnMut(Found<'_, Violation>),
    ) {
        let merges = self.merges();
        let liveness = self.model.successors(scratch, state, &mut |step| match step.outcome {
            Outcome::Fault(kind) => found(Found::Violation(Violation::Fault(kind))),
            Outcome::Next { state, .. } if merges => {
                found(Found::node(canonical.canonical(state, &[], &|_, _| true).0, NO_TAG))
            }
            Outcome::Next { state, .. } => found(Found::node(state, NO_TAG)),
        });
        if liveness == Liveness::Deadlock {
            found(Found::Violation(Violation::Deadlock));
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.model.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.model.load(from)?;
        Ok(Box::new(Same))
    }
}
