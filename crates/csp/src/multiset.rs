//! Equal processes side by side are counted and not told apart.
//!
//! `|||` is commutative and associative, so its operands are a multiset. They are kept in order, by content and
//! not by the numbers of terms: then the states that differ only in which of several equal processes has come how
//! far are one state. (Five equal processes have up to 120 times fewer states.) The same is done with operands of `||` that
//! have the same alphabet. Operands that are themselves made of several components change places as
//! they are; those of different shapes are put in the order of their shapes.
//!
//! **What it preserves.** Let a permutation of operands of one `|||`, or of operands of one `||` with equal
//! alphabets, act on states: it maps steps to steps with the same label, the same variables and channels before and
//! after, and the components that move renamed. All rules for `|||` and `||` speak of *some* operands (alone, in
//! shared events, in communication, atomic ones first) or of *all* (termination), never of one by its place. So a state and
//! the same in order are strongly bisimilar, and with the same values of variables: deadlocks, reachable
//! conditions, traces, failures, divergences, and temporal formulas over events and conditions, without fairness or
//! with fairness to events, which goes by labels, do not change. It goes together with leaving steps out
//! ([`crate::Reduced`]): choose in a state what is chosen in the same in order, permuted; whether steps may be left out
//! depends on terms and not on places, so this is a choice that could have been made in the unsorted process, and what
//! is searched is its quotient.
//!
//! **What it does not preserve**, so that states are told apart: fairness to *processes*, which are known by
//! their places; *global* fairness, which is about states. (Let `a` change places of two processes and `b` change
//! nothing. Then `b a a` for ever takes both steps of the one state of the quotient, but `b` in only one of the two of
//! the process.) And `deterministic`, which asks whether two states are the same and has its own answer to that.
//!
//! **Evidence.** A path of states in order is lifted ([`Lift`]): the whole process takes steps with the same labels to
//! states that are the same when they are put in order. A cycle may lead to a state in which processes have changed places;
//! then it is gone round until it is closed, which permutations see to.
//!
//! This is the symmetry reduction of E. A. Emerson and A. P. Sistla (*Symmetry and model checking*, FMSD 9, 1996)
//! with the symmetry that can be seen in the operators: nothing has to be proved about data or
//! indices, and `||` over an index whose values occur in events or arrays is left alone.

use linchpin_engine::{Step, Stepper, Taken};
use linchpin_lts::{Label, TAU, Trouble};

use crate::eval::Evaluated;
use crate::network::Row;
use crate::reduced::{Reduced, ReducedScratch};
use crate::symmetry::{Renamer, Renaming, Variants};
use crate::system::System;
use crate::term::TermId;

/// The steps before a cycle, and those of the cycle.
pub(crate) type Closed = (Vec<Taken>, Vec<Taken>);

/// So many steps of a cycle are gone before it is given up that it closes.
const MAX_ROUNDS: usize = 1 << 16;

impl System {
    /// Puts equal processes of a state in order.
    pub(crate) fn sort(&self, state: &mut Vec<u32>) -> Evaluated<()> {
        let mut network = self.network(state[0]);
        if network.mixed {
            let root = network.arranged(&self.terms, &state[1..=network.len()]);
            self.replace(network, root, state)?;
            network = self.network(state[0]);
        }
        for row in &network.rows {
            self.sort_row(row, &mut state[1..=network.len()]);
        }
        Ok(())
    }

    fn sort_row(&self, row: &Row, components: &mut [TermId]) {
        let width = row.width as usize;
        let hash = |term: &TermId| self.terms.hash(*term);
        // They are nearly in order: at most a few have moved.
        for i in 1..row.starts.len() {
            for k in (1..=i).rev() {
                let (a, b) = (row.starts[k - 1] as usize, row.starts[k] as usize);
                let (left, right) = components.split_at_mut(b);
                let (left, right) = (&mut left[a..a + width], &mut right[..width]);
                if left == right || left.iter().map(hash).le(right.iter().map(hash)) {
                    break;
                }
                left.swap_with_slice(right);
            }
        }
    }

    /// Gives a state the form in which equal components side by side are in order, for whoever asks whether two
    /// states are the same up to that.
    pub(crate) fn sort_equal(&self, state: &mut [u32]) {
        let network = self.network(state[0]);
        for places in network.side_by_side() {
            let mut sorted: Vec<TermId> = places.iter().map(|&i| state[1 + i]).collect();
            sorted.sort_by_key(|&term| self.terms.hash(term));
            for (place, term) in places.into_iter().zip(sorted) {
                state[1 + place] = term;
            }
        }
    }
}

/// Follows paths of states that stand for others in the whole process.
pub(crate) struct Lift<'s> {
    stepper: Stepper<'s, System>,
    glass: Glass<'s>,
    /// Where it is.
    pub(crate) at: Vec<u32>,
    form: Vec<u32>,
}

/// What states of the process look like in the search.
struct Glass<'s> {
    system: &'s System,
    /// Are they in order?
    sorted: bool,
    /// If processes with an index are not told apart: how those of the process are renamed where we are.
    renamed: Option<(Renamer<'s>, Renaming)>,
}

/// A state of the search.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) state: &'a [u32],
    /// How it came to its form in the search, if that matters: a specification was renamed with it.
    pub(crate) renaming: Option<Renaming>,
}

impl<'a> Place<'a> {
    /// However it came to its form.
    fn any(state: &'a [u32]) -> Self {
        Place { state, renaming: None }
    }
}

impl Glass<'_> {
    /// Gives a state the form that stands for it, and says how identities are renamed then: in this step, and in all.
    fn form(&mut self, state: &mut Vec<u32>) -> Evaluated<(Renaming, Renaming)> {
        if self.sorted {
            self.system.sort(state)?;
        }
        let Some((renamer, so_far)) = &mut self.renamed else { return Ok((0, 0)) };
        renamer.rename(*so_far, state)?;
        Ok(match renamer.fold(state)? {
            0 => (0, *so_far),
            more => (more, renamer.both(*so_far, more)),
        })
    }

    /// The label of a step as the search sees it.
    fn label(&self, label: Label) -> Label {
        self.renamed.as_ref().map_or(label, |(renamer, by)| renamer.label(*by, label))
    }

    /// We are at another state.
    fn turn(&mut self, renaming: Renaming) {
        if let Some((_, by)) = &mut self.renamed {
            *by = renaming;
        }
    }
}

impl<'s> Lift<'s> {
    /// From the beginning.
    pub(crate) fn new(reduced: &'s Reduced<'s>) -> Result<Self, Trouble> {
        let system = reduced.system;
        let mut stepper = Stepper::new(system);
        let at = stepper.initial()?.0;
        let renamed = reduced.symmetry.as_deref().map(|symmetry| {
            let renamer = Renamer::new(system, symmetry, Variants::default());
            (renamer, symmetry.nothing())
        });
        let glass = Glass { system, sorted: reduced.sorted, renamed };
        Ok(Lift { stepper, glass, at, form: Vec::new() })
    }

    /// How identities of the process are renamed in the search where we are, if they are.
    pub(crate) fn renaming(&self) -> Option<Renaming> {
        self.glass.renamed.as_ref().map(|(_, by)| *by)
    }

    /// The first step that is allowed and leads to a state; of several that one which leads to one of `best`.
    pub(crate) fn step(
        &mut self,
        to: Place<'_>,
        best: &[Vec<u32>],
        allowed: impl Fn(&Step<'_>) -> bool,
    ) -> Result<Option<Taken>, Trouble> {
        let Lift { stepper, glass, at, form } = self;
        stepper.look_at(at)?;
        let mut found: Option<(Taken, Renaming)> = None;
        for step in stepper.steps() {
            if !allowed(&Step { label: glass.label(step.label), ..step }) {
                continue;
            }
            form.clear();
            form.extend_from_slice(step.state);
            let (last, renaming) = glass.form(form).map_err(|trouble| *trouble)?;
            if form != to.state || to.renaming.is_some_and(|asked| asked != last) {
                continue;
            }
            if best.is_empty() || best.iter().any(|state| state == step.state) {
                found = Some((step.taken(), renaming));
                break;
            }
            found.get_or_insert_with(|| (step.taken(), renaming));
        }
        Ok(found.map(|(taken, renaming)| {
            at.clone_from(&taken.state);
            glass.turn(renaming);
            taken
        }))
    }

    /// A step with the local work after it ([`crate::joined`]), to a state.
    pub(crate) fn joined(
        &mut self,
        reduced: &Reduced<'_>,
        scratch: &mut ReducedScratch,
        to: &[u32],
    ) -> Result<Vec<Taken>, Trouble> {
        self.stepper.look_at(&self.at)?;
        let firsts: Vec<Taken> = self.stepper.steps().map(|step| step.taken()).collect();
        for first in firsts {
            let mut state = first.state.clone();
            let alone = match *first.by {
                [component] if state[0] == self.at[0] => Some(component),
                _ => None,
            };
            let mut way = vec![first];
            if let Some(component) = alone {
                reduced.join(scratch, &mut state, component, &mut |(label, component, state)| {
                    way.push(Taken { label, by: vec![component], state });
                });
            }
            self.form.clone_from(&state);
            let (_, renaming) = self.glass.form(&mut self.form).map_err(|trouble| *trouble)?;
            if self.form == to {
                self.at = state;
                self.glass.turn(renaming);
                return Ok(way);
            }
        }
        Err(no_step())
    }

    /// A step with a label and then a silent one of the same components, to a state.
    pub(crate) fn two_steps(
        &mut self,
        to: Place<'_>,
        label: Label,
    ) -> Result<(Taken, Taken), Trouble> {
        self.stepper.look_at(&self.at)?;
        let same = |step: &Step<'_>| self.glass.label(step.label) == label;
        let firsts: Vec<Taken> = self.stepper.steps().filter(same).map(|s| s.taken()).collect();
        for first in firsts {
            self.at.clone_from(&first.state);
            let silent = |step: &Step<'_>| step.label == TAU && step.by == first.by;
            if let Some(second) = self.step(to, &[], silent)? {
                return Ok((first, second));
            }
        }
        Err(no_step())
    }

    /// The steps along a path, whose first state is where we are.
    pub(crate) fn path(
        &mut self,
        path: &[Vec<u32>],
        allowed: impl Fn(usize, &Step<'_>) -> bool,
    ) -> Result<Vec<Taken>, Trouble> {
        let states = path.iter().skip(1).enumerate();
        states
            .map(|(i, to)| {
                self.step(Place::any(to), &[], |step| allowed(i, step))?.ok_or_else(no_step)
            })
            .collect()
    }

    /// A cycle of steps with labels, which begins where we are: steps before it is entered, and its steps. None, if it does
    /// not close.
    pub(crate) fn cycle(&mut self, cycle: &[(Label, &[u32])]) -> Result<Option<Closed>, Trouble> {
        let mut taken = Vec::new();
        let mut begins = vec![self.at.clone()];
        while taken.len() <= MAX_ROUNDS.max(cycle.len()) {
            for (i, (label, to)) in cycle.iter().enumerate() {
                let best = if i + 1 == cycle.len() { &begins[..] } else { &[] };
                let step = self.step(Place::any(to), best, |step| step.label == *label)?;
                taken.push(step.ok_or_else(no_step)?);
            }
            if let Some(round) = begins.iter().position(|state| *state == self.at) {
                let cycle = taken.split_off(round * cycle.len());
                return Ok(Some((taken, cycle)));
            }
            begins.push(self.at.clone());
        }
        Ok(None)
    }
}

fn no_step() -> Trouble {
    Trouble::new("a step of the search is not one of the system".to_string())
}
