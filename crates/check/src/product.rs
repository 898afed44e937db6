//! The product of an object and its determinised specification.
//!
//! Whatever the condition: the object's states are explored together with the set of configurations
//! (`configurations`) after the history so far, breadth first, with the antichain of Laveaux, Groote and
//! Willemse (LMCS 2021) and the reductions of `reductions`.
//!
//! *Departures.* Only the object's states are explored; the specification is never a process.
//! Threads and data are renamed in state and set together, before a node is stored, which the
//! papers do not do. Faults and deadlocks of the model are violations of their own kind and are
//! looked for on the way.

use std::io;

use linchpin_engine::{Canonical, Cover, Found, Renaming, Space};
use linchpin_lin::specify::SpecFault;
use linchpin_lin::{Model, Scratch};
use linchpin_lts::{
    Branch, FaultKind, Liveness, Loading, NewNumbers, Outcome, Renumber, Saving, TransitionSystem,
    Turn,
};
use smallvec::SmallVec;

use crate::configurations::{Configurations, EMPTY, Memory, Says, SetId};
use crate::reductions::Reductions;

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A history does not satisfy the condition of the check. (Of strong linearizability: it is not
    /// even linearizable. Of leaks: the state at its end does not.)
    History,
    /// Every linearization of the history so far is refuted by one of these ways to go on: the object
    /// is not strongly linearizable.
    Branching(Vec<Branch>),
    /// A run-time error.
    Fault(FaultKind),
    /// Threads wait for each other for ever.
    Deadlock,
    /// After the schedule these turns can be taken again and again, for ever, and a thread does not
    /// get the progress that the condition asks for.
    Endless {
        /// The turns; none if the thread waits.
        cycle: Vec<Turn>,
        /// The thread, from 0.
        thread: u32,
    },
    /// The schedule does not satisfy the formula of the check, together with what comes after it:
    /// these turns for ever, nothing at all if there are none, anything if it is not said.
    Temporal(Option<Vec<Turn>>),
}

/// What ends a search.
#[derive(Clone, Debug)]
pub(crate) enum Finding {
    /// The object is wrong.
    Violation(Violation),
    /// The specification itself went wrong.
    Specification(SpecFault),
    /// The model is not what it says it is (only looked for on request).
    BrokenFact(String),
    /// The model is not as it was assumed to be: the search is to begin again without these assumptions.
    Assumptions(u64),
}

/// The product of an object and its specification.
#[derive(Clone, Copy)]
pub(crate) struct Product<'m> {
    pub(crate) model: &'m Model,
    pub(crate) configurations: &'m Configurations,
    pub(crate) reductions: Reductions,
    /// Test what the model claims about itself on every state.
    pub(crate) check_facts: bool,
    /// Go on where the specification goes wrong on a history: only violations are looked for.
    pub(crate) beyond: bool,
}

/// What a worker needs to compute successors in the product.
pub(crate) struct Worker<'m> {
    pub(crate) scratch: Scratch,
    pub(crate) memory: Memory,
    pub(crate) canonical: Canonical<'m>,
}

impl<'m> Product<'m> {
    pub(crate) fn new_worker(&self) -> Worker<'m> {
        Worker {
            scratch: self.model.scratch(),
            memory: self.configurations.memory(),
            canonical: Canonical::new(self.model.layout(), self.reductions.merging()),
        }
    }

    fn merges(&self) -> bool {
        self.reductions.heap || self.reductions.threads || self.reductions.data
    }

    /// What the model claims about itself and is not true in a state, if that is to be tested.
    pub(crate) fn broken_fact(&self, state: &[u32]) -> Option<Finding> {
        let tested = if self.check_facts { self.model.check_facts(state) } else { Ok(()) };
        tested.err().map(|broken| Finding::BrokenFact(broken.claim))
    }

    /// The canonical form of a node.
    pub(crate) fn canonical<'w>(
        &self,
        memory: &mut Memory,
        canonical: &'w mut Canonical<'m>,
        state: &[u32],
        set: SetId,
    ) -> (&'w [u32], SetId) {
        let (state, set, _) = self.canonical_with(memory, canonical, state, set, None);
        (state, set)
    }

    /// The canonical form of a node, and the new name of a thread that is special; `None` if it keeps
    /// its name.
    pub(crate) fn canonical_with<'w>(
        &self,
        memory: &mut Memory,
        canonical: &'w mut Canonical<'m>,
        state: &[u32],
        set: SetId,
        special: Option<u32>,
    ) -> (&'w [u32], SetId, Option<u32>) {
        let facts = self.configurations.facts(memory, set);
        let renames = canonical.renames_tags();
        let is_special = |t: usize| special == Some(t as u32);
        let mut marked = SmallVec::<[u32; 8]>::new();
        let mut hints = &facts.hints;
        if let Some(special) = special {
            let mark = |(t, &h): (usize, &u32)| if t as u32 == special { !h } else { h };
            marked.extend(hints.iter().enumerate().map(mark));
            hints = &marked;
        }
        let (state, alternatives) = canonical.canonical(state, hints, &|a, b| {
            is_special(a) == is_special(b) && facts.are_twins(a, b)
        });
        if !renames {
            return (state, set, None);
        }
        let alone = alternatives.len() == 1;
        let mut best: Option<(u64, Option<u32>, SetId, &Renaming)> = None;
        for renaming in alternatives {
            let renamed = self.configurations.renamed(memory, set, renaming);
            let thread = special.and_then(|t| renaming.threads.get(t as usize));
            let thread = thread.map(|&t| u32::from(t));
            let content = match alone {
                true => 0,
                false => self.configurations.facts(memory, renamed).content,
            };
            if best.is_none_or(|(least, of, ..)| (content, thread) < (least, of)) {
                best = Some((content, thread, renamed, renaming));
            }
        }
        let Some((_, special, set, renaming)) = best else { return (state, set, None) };
        let layout = self.model.layout();
        for (ty, counter) in layout.fresh.iter().enumerate() {
            if let Some(counter) = counter
                && self.reductions.data
                && layout.data_symmetric[ty]
            {
                state[*counter] = facts.count(renaming, ty);
            }
        }
        (state, set, special)
    }

    /// The set after the events of a step, and whether the specification goes wrong on the history.
    pub(crate) fn after(
        &self,
        memory: &mut Memory,
        mut set: SetId,
        events: &linchpin_lts::Events,
    ) -> (SetId, bool) {
        let mut wrong = false;
        for event in events.iter() {
            let (next, goes_wrong) = self.configurations.after(memory, set, event);
            set = next;
            wrong |= goes_wrong;
        }
        (set, wrong)
    }

    /// What is wrong with the specification, which goes wrong on a history, if that is to be said.
    pub(crate) fn fault(&self) -> Option<Finding> {
        let fault = if self.beyond { None } else { self.configurations.fault() };
        fault.map(Finding::Specification)
    }
}

fn violation<'a>(violation: Violation) -> Found<'a, Finding> {
    Found::Violation(Finding::Violation(violation))
}

impl Cover for Product<'_> {
    fn covers(&self, small: u32, large: u32) -> bool {
        self.reductions.antichain && self.configurations.contains(small, large)
    }
}

/// What tags of another run are called.
pub(crate) struct Tags(pub(crate) NewNumbers);

impl Renumber for Tags {
    fn tag(&self, tag: u32) -> io::Result<u32> {
        self.0.get(tag)
    }
}

impl<'m> Space for Product<'m> {
    type Worker = Worker<'m>;
    type Violation = Finding;

    fn worker(&self) -> Worker<'m> {
        self.new_worker()
    }

    fn initial(&self, w: &mut Worker<'m>, found: &mut dyn FnMut(Found<'_, Finding>)) {
        let (set, wrong) = self.configurations.initial();
        if wrong && let Some(fault) = self.fault() {
            return found(Found::Violation(fault));
        }
        let Worker { scratch, memory, canonical } = w;
        self.model.initial(scratch, &mut |outcome| match outcome {
            Outcome::Fault(kind) => found(violation(Violation::Fault(kind))),
            Outcome::Next { state, .. } if self.merges() => {
                let (state, tag) = self.canonical(memory, canonical, state, set);
                found(Found::node(state, tag));
            }
            Outcome::Next { state, .. } => found(Found::node(state, set)),
        });
    }

    fn expand(
        &self,
        w: &mut Worker<'m>,
        state: &[u32],
        set: u32,
        found: &mut dyn FnMut(Found<'_, Finding>),
    ) {
        if let Some(broken) = self.broken_fact(state) {
            found(Found::Violation(broken));
        }
        if self.model.leaks(state) {
            return found(violation(Violation::History));
        }
        let Worker { scratch, memory, canonical } = w;
        // A specification that goes wrong may do so slowly, and after every one of a million choices.
        let mut wrong = false;
        let liveness = self.model.successors(scratch, state, &mut |step| match step.outcome {
            _ if wrong => {}
            Outcome::Fault(kind) => found(violation(Violation::Fault(kind))),
            Outcome::Next { state, events } => {
                let (set, went_wrong) = self.after(memory, set, events);
                if set == EMPTY {
                    return found(violation(Violation::History));
                }
                if went_wrong && let Some(fault) = self.fault() {
                    wrong = true;
                    return found(Found::Violation(fault));
                }
                if self.merges() {
                    let (state, tag) = self.canonical(memory, canonical, state, set);
                    found(Found::node(state, tag));
                } else {
                    found(Found::node(state, set));
                }
            }
        });
        let broken = scratch.broken();
        if broken != 0 {
            found(Found::Violation(Finding::Assumptions(broken)));
        }
        match liveness {
            _ if wrong => {}
            Liveness::Deadlock => found(violation(Violation::Deadlock)),
            Liveness::Finished => match self.configurations.ends(memory, set) {
                Says::Yes => {}
                Says::No => found(violation(Violation::History)),
                Says::Wrong => {
                    if let Some(fault) = self.fault() {
                        found(Found::Violation(fault));
                    }
                }
            },
            Liveness::Live => {}
        }
    }

    fn is_full(&self) -> bool {
        self.configurations.is_full()
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.configurations.save(out)?;
        self.model.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        let sets = self.configurations.load(from)?;
        self.model.load(from)?;
        Ok(Box::new(Tags(sets)))
    }
}
