//! Labelled systems as something to search.
//!
//! [`Stepper`] is what a worker needs for any space over a labelled system: the steps of a state, in
//! order, with the hashes by which the engine divides states. [`States`] is the simplest space: the
//! states themselves, each looked at once.

use std::io;

use linchpin_lts::{Label, LabelledSystem, Loading, Renumber, Saving, Trouble};

use crate::meter::Stop;
use crate::search::{Cover, Found, Space};

/// A step of a labelled system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// What an observer sees.
    pub label: Label,
    /// The components that move.
    pub by: &'a [u32],
    /// Where it leads.
    pub state: &'a [u32],
    /// The hash of that, if the system has one of its own.
    pub hash: Option<u64>,
}

impl Step<'_> {
    /// As a step that was taken.
    pub fn taken(&self) -> Taken {
        Taken { label: self.label, by: self.by.to_vec(), state: self.state.to_vec() }
    }
}

/// A step that was taken, on the way to something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// What an observer sees.
    pub label: Label,
    /// The components that move.
    pub by: Vec<u32>,
    /// Where it leads.
    pub state: Vec<u32>,
}

/// Computes the steps of one state after the other.
pub struct Stepper<'s, S: LabelledSystem> {
    system: &'s S,
    scratch: S::Scratch,
    /// Label, hash, and where the components and the state end in `words`.
    heads: Vec<(Label, Option<u64>, usize, usize)>,
    words: Vec<u32>,
}

impl<'s, S: LabelledSystem> Stepper<'s, S> {
    /// For a system.
    pub fn new(system: &'s S) -> Self {
        Stepper { system, scratch: system.scratch(), heads: Vec::new(), words: Vec::new() }
    }

    /// The system.
    pub fn system(&self) -> &'s S {
        self.system
    }

    /// What the worker remembers.
    pub fn scratch(&self) -> &S::Scratch {
        &self.scratch
    }

    /// The initial state, with its hash if the system has one of its own.
    pub fn initial(&mut self) -> Result<(Vec<u32>, Option<u64>), Trouble> {
        let state = self.system.initial(&mut self.scratch)?;
        let hash = self.system.hash(&mut self.scratch, &state);
        Ok((state, hash))
    }

    /// The hash of a state, if the system has one of its own.
    pub fn hash(&mut self, state: &[u32]) -> Option<u64> {
        self.system.hash(&mut self.scratch, state)
    }

    /// Computes the steps of a state.
    pub fn look_at(&mut self, state: &[u32]) -> Result<(), Trouble> {
        let Self { system, scratch, heads, words } = self;
        heads.clear();
        words.clear();
        system.successors(scratch, state, &mut |m| {
            words.extend_from_slice(m.by);
            let by = words.len();
            words.extend_from_slice(m.state);
            heads.push((m.label, None, by, words.len()));
        })?;
        for (_, hash, by, end) in heads {
            *hash = system.hash(scratch, &words[*by..*end]);
        }
        Ok(())
    }

    /// The steps of the state that was looked at last, in the order of the system.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = Step<'_>> + Clone {
        let mut from = 0;
        self.heads.iter().map(move |&(label, hash, by, end)| {
            let step = Step { label, by: &self.words[from..by], state: &self.words[by..end], hash };
            from = end;
            step
        })
    }
}

/// What ends a search over a labelled system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding<V> {
    /// It cannot go on: the system does not say what comes after a state, or that takes too long.
    Stop(Stop),
    /// What is looked for.
    Violation(V),
}

impl<V, S: Into<Stop>> From<S> for Finding<V> {
    fn from(stop: S) -> Self {
        Finding::Stop(stop.into())
    }
}

/// The states of a system. Edges are called by the labels of the system.
pub struct States<'s, S, F> {
    system: &'s S,
    look: F,
}

impl<'s, S, F, V> States<'s, S, F>
where
    S: LabelledSystem,
    F: Fn(&[u32], &Stepper<'s, S>) -> Result<Option<V>, Trouble> + Sync,
{
    /// `look` is shown every state with its steps and says whether it is what is looked for. It remembers nothing: a
    /// search that goes on where another run has stopped does not show it everything.
    pub fn new(system: &'s S, look: F) -> Self {
        States { system, look }
    }
}

impl<S: Sync, F: Sync> Cover for States<'_, S, F> {}

impl<'s, S, F, V> Space for States<'s, S, F>
where
    S: LabelledSystem,
    V: Clone + Send + Sync,
    F: Fn(&[u32], &Stepper<'s, S>) -> Result<Option<V>, Trouble> + Sync,
{
    type Worker = Stepper<'s, S>;
    type Violation = Finding<V>;

    fn worker(&self) -> Self::Worker {
        Stepper::new(self.system)
    }

    fn initial(&self, w: &mut Self::Worker, found: &mut dyn FnMut(Found<'_, Finding<V>>)) {
        match w.initial() {
            Ok((state, hash)) => {
                found(Found::Node { state: &state, tag: 0, label: 0, cost: 0, hash });
            }
            Err(trouble) => found(Found::Violation(trouble.into())),
        }
    }

    fn expand(
        &self,
        w: &mut Self::Worker,
        state: &[u32],
        _: u32,
        found: &mut dyn FnMut(Found<'_, Finding<V>>),
    ) {
        let seen = w.look_at(state).and_then(|()| (self.look)(state, w));
        match seen {
            Err(trouble) => return found(Found::Violation(trouble.into())),
            Ok(Some(violation)) => return found(Found::Violation(Finding::Violation(violation))),
            Ok(None) => {}
        }
        for Step { label, state, hash, .. } in w.steps() {
            found(Found::Node { state, tag: 0, label, cost: 1, hash });
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.system.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.system.load(from)
    }
}

/// The steps along a path of states from the first one on: of those that lead from one to the next and
/// are `allowed` there (by number, from 0), the first.
pub fn retrace<S: LabelledSystem>(
    system: &S,
    path: &[Vec<u32>],
    mut allowed: impl FnMut(usize, &Step<'_>) -> bool,
) -> Result<Vec<Taken>, Trouble> {
    let mut stepper = Stepper::new(system);
    let mut taken = Vec::with_capacity(path.len());
    for (i, pair) in path.windows(2).enumerate() {
        stepper.look_at(&pair[0])?;
        let mut steps = stepper.steps();
        let Some(step) = steps.find(|step| *step.state == pair[1] && allowed(i, step)) else {
            let message = "a step of the search is not one of the system".to_string();
            return Err(Trouble::new(message));
        };
        taken.push(step.taken());
    }
    Ok(taken)
}
