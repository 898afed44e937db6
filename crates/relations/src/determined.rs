//! A specification determinised on the fly: sets of states, each kept once.
//!
//! In semantics that do not see silent steps the sets are closed under them. The successors of a set
//! are grouped by label when they are first asked for; a group is closed and becomes a set only when
//! the implementation really takes that step.

use linchpin_lts::{Edge, Label, TAU};

use crate::alphabet::{Alphabet, Side};
use crate::divergence::Divergence;
use crate::interned::{Interned, included};
use crate::meter::{Meter, Stop};
use crate::walk::Walk;

/// Where a label leads from a set.
#[derive(Debug)]
enum After {
    /// To these states, not closed yet.
    Targets(Box<[u32]>),
    /// To this set.
    Set(u32),
}

/// What is known about a set beyond its members.
#[derive(Debug, Default)]
struct Facts {
    moves: Option<Box<[(Label, After)]>>,
    acceptances: Option<Box<[Box<[Label]>]>>,
    diverges: Option<bool>,
}

/// The determinised specification, as far as it has been looked at.
#[derive(Debug)]
pub(crate) struct Determined<W> {
    pub(crate) walk: W,
    side: Side,
    /// Are silent steps invisible?
    weak: bool,
    pub(crate) sets: Interned,
    facts: Vec<Facts>,
    divergence: Divergence,
    /// The closure in which a state was last.
    stamps: Vec<u32>,
    stamp: u32,
    edges: Vec<Edge>,
}

impl<W: Walk> Determined<W> {
    /// Nothing of it yet.
    pub(crate) fn new(walk: W, weak: bool) -> Self {
        Determined {
            walk,
            side: Side::default(),
            weak,
            sets: Interned::default(),
            facts: Vec::new(),
            divergence: Divergence::default(),
            stamps: Vec::new(),
            stamp: 0,
            edges: Vec::new(),
        }
    }

    /// The set in which it begins.
    pub(crate) fn initial(&mut self, meter: &mut Meter<'_, '_>) -> Result<u32, Stop> {
        let state = self.walk.initial()?;
        self.close(&[state], meter)
    }

    /// The set with these states, closed under silent steps if they are invisible.
    fn close(&mut self, states: &[u32], meter: &mut Meter<'_, '_>) -> Result<u32, Stop> {
        let mut members = states.to_vec();
        if self.weak {
            self.stamp += 1;
            for &state in states {
                self.stamp(state);
            }
            let mut next = 0;
            while let Some(&state) = members.get(next) {
                next += 1;
                self.walk.steps(state, &mut self.edges)?;
                meter.tick(1 + self.edges.len() as u64, self.walk.states())?;
                for i in 0..self.edges.len() {
                    let Edge { label, target } = self.edges[i];
                    if label == TAU && self.stamp(target) {
                        members.push(target);
                    }
                }
            }
        }
        members.sort_unstable();
        members.dedup();
        let set = self.sets.enter(&members);
        if set as usize >= self.facts.len() {
            self.facts.resize_with(set as usize + 1, Facts::default);
        }
        Ok(set)
    }

    /// Marks a state as part of the current closure; was it new there?
    fn stamp(&mut self, state: u32) -> bool {
        if state as usize >= self.stamps.len() {
            self.stamps.resize(state as usize + 1, 0);
        }
        std::mem::replace(&mut self.stamps[state as usize], self.stamp) != self.stamp
    }

    /// The set after a visible label, if that is possible.
    pub(crate) fn after(
        &mut self,
        set: u32,
        label: Label,
        alphabet: &mut Alphabet,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<u32>, Stop> {
        self.group(set, alphabet, meter)?;
        let Some(moves) = &mut self.facts[set as usize].moves else { return Ok(None) };
        let Ok(at) = moves.binary_search_by_key(&label, |(l, _)| *l) else { return Ok(None) };
        match &mut moves[at].1 {
            After::Set(after) => Ok(Some(*after)),
            After::Targets(targets) => {
                let targets = std::mem::take(targets);
                let after = self.close(&targets, meter)?;
                if let Some(moves) = &mut self.facts[set as usize].moves {
                    moves[at].1 = After::Set(after);
                }
                Ok(Some(after))
            }
        }
    }

    /// Groups the steps of a set by label.
    fn group(
        &mut self,
        set: u32,
        alphabet: &mut Alphabet,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Stop> {
        if self.facts[set as usize].moves.is_some() {
            return Ok(());
        }
        let mut all: Vec<(Label, u32)> = Vec::new();
        for i in 0..self.sets.get(set).len() {
            let state = self.sets.get(set)[i];
            self.walk.steps(state, &mut self.edges)?;
            meter.tick(1 + self.edges.len() as u64, self.walk.states())?;
            for &Edge { label, target } in &self.edges {
                if label != TAU || !self.weak {
                    let walk = &self.walk;
                    let common = self.side.common(alphabet, label, || walk.text(label));
                    all.push((common, target));
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        let groups = all.chunk_by(|a, b| a.0 == b.0);
        let groups = groups.map(|group| {
            (group[0].0, After::Targets(group.iter().map(|(_, target)| *target).collect()))
        });
        self.facts[set as usize].moves = Some(groups.collect());
        Ok(())
    }

    /// What can come after a set, by label.
    pub(crate) fn labels(
        &mut self,
        set: u32,
        alphabet: &mut Alphabet,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Label>, Stop> {
        self.group(set, alphabet, meter)?;
        let moves = self.facts[set as usize].moves.iter().flatten();
        Ok(moves.map(|(label, _)| *label).collect())
    }

    /// The sets of labels that stable members offer, the minimal ones of them, each sorted.
    pub(crate) fn acceptances(
        &mut self,
        set: u32,
        alphabet: &mut Alphabet,
        meter: &mut Meter<'_, '_>,
    ) -> Result<&[Box<[Label]>], Stop> {
        if self.facts[set as usize].acceptances.is_none() {
            let mut minimal: Vec<Box<[Label]>> = Vec::new();
            for i in 0..self.sets.get(set).len() {
                let state = self.sets.get(set)[i];
                self.walk.steps(state, &mut self.edges)?;
                meter.tick(1 + self.edges.len() as u64, self.walk.states())?;
                if self.edges.iter().any(|e| e.label == TAU) {
                    continue;
                }
                let offer = offer(&self.walk, &mut self.side, alphabet, &self.edges);
                if !minimal.iter().any(|known| included(known, &offer)) {
                    minimal.retain(|known| !included(&offer, known));
                    minimal.push(offer.into());
                }
            }
            minimal.sort_unstable();
            self.facts[set as usize].acceptances = Some(minimal.into());
        }
        Ok(self.facts[set as usize].acceptances.as_deref().unwrap_or(&[]))
    }

    /// Can a member go on silently forever?
    pub(crate) fn diverges(&mut self, set: u32, meter: &mut Meter<'_, '_>) -> Result<bool, Stop> {
        if let Some(known) = self.facts[set as usize].diverges {
            return Ok(known);
        }
        let mut found = false;
        for i in 0..self.sets.get(set).len() {
            let state = self.sets.get(set)[i];
            if self.divergence.diverges(&mut self.walk, state, meter)? {
                found = true;
                break;
            }
        }
        self.facts[set as usize].diverges = Some(found);
        Ok(found)
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.walk.memory()
            + self.sets.memory()
            + self.facts.capacity() * size_of::<Facts>()
            + self.stamps.capacity() * 4
            + self.divergence.memory()
    }
}

/// The visible labels of some steps in the common alphabet, sorted.
pub(crate) fn offer(
    walk: &impl Walk,
    side: &mut Side,
    alphabet: &mut Alphabet,
    edges: &[Edge],
) -> Vec<Label> {
    let visible = edges.iter().map(|e| e.label).filter(|l| *l != TAU);
    let mut offer: Vec<Label> =
        visible.map(|l| side.common(alphabet, l, || walk.text(l))).collect();
    offer.sort_unstable();
    offer.dedup();
    offer
}
