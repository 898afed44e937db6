//! A specification determinised on the fly: sets of states, each kept once.
//!
//! In semantics that do not see silent steps the sets are closed under them. A set becomes one only when
//! the implementation really takes the step that leads to it. States and sets are shared by all workers
//! ([`Arena`]); what is computed from them each worker remembers for a while, and computes again when it
//! has forgotten it.
//!
//! The determinised system can be searched itself ([`Subsets`]); its states are sets.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use linchpin_engine::{
    Arena, Budget, Cache, Cover, Finding, Found, Meter, Space, Stepper, Stop, components, hash,
    pack,
};
use linchpin_lts::{Label, LabelledSystem, Loading, NewNumbers, Renumber, Saving, TAU};

use crate::alphabet::{Alphabet, Side};
use crate::refine::Folder;

/// The set without states.
pub(crate) const NOTHING: u32 = 0;

/// A specification and what has been seen of it.
pub(crate) struct Determined<'s, S> {
    pub(crate) system: &'s S,
    /// Are silent steps invisible?
    weak: bool,
    pub(crate) alphabet: &'s Alphabet,
    pub(crate) states: Arena,
    pub(crate) sets: Arena,
    budget: &'s Budget<'s>,
}

/// So many answers of each kind a worker remembers at the most.
const MOST: usize = 1 << 16;

/// Common labels with states they lead to.
type Steps = Arc<[(Label, u32)]>;

/// What a worker remembers about a specification.
pub(crate) struct Known<'s, S: LabelledSystem> {
    stepper: Stepper<'s, S>,
    side: Side,
    meter: Meter<'s, 's>,
    steps: Cache<u32, Steps>,
    after: Cache<(u32, Label), u32>,
    renamed: Cache<(u32, u32), u32>,
    acceptances: Cache<u32, Arc<[Box<[Label]>]>>,
    diverges: Cache<u32, bool>,
    words: Vec<u32>,
}

impl<'s, S: LabelledSystem> Determined<'s, S> {
    /// Nothing of it yet.
    pub(crate) fn new(
        system: &'s S,
        weak: bool,
        alphabet: &'s Alphabet,
        budget: &'s Budget<'s>,
    ) -> Self {
        let (states, sets) = (Arena::new(), Arena::sorted());
        Determined { system, weak, alphabet, states, sets, budget }
    }

    /// Nothing remembered yet.
    pub(crate) fn known(&self) -> Known<'s, S> {
        Known {
            stepper: Stepper::new(self.system),
            side: Side::default(),
            meter: Meter::new(self.budget),
            steps: Cache::new(MOST),
            after: Cache::new(MOST),
            renamed: Cache::new(MOST),
            acceptances: Cache::new(MOST),
            diverges: Cache::new(MOST),
            words: Vec::new(),
        }
    }

    /// The set in which it begins.
    pub(crate) fn initial(&self, known: &mut Known<'s, S>) -> Result<u32, Stop> {
        let (state, _) = known.stepper.initial()?;
        self.close(known, vec![self.states.intern(&state)])
    }

    /// The set with these states, closed under silent steps if they are invisible.
    fn close(&self, known: &mut Known<'s, S>, mut members: Vec<u32>) -> Result<u32, Stop> {
        members.sort_unstable();
        members.dedup();
        if self.weak {
            let mut seen: HashSet<u32> = members.iter().copied().collect();
            let mut next = 0;
            while let Some(&state) = members.get(next) {
                next += 1;
                for &(label, target) in self.steps(known, state)?.iter() {
                    if label == TAU && seen.insert(target) {
                        members.push(target);
                    }
                }
            }
            members.sort_unstable();
        }
        Ok(self.sets.intern(&members))
    }

    /// The steps of a state, in the order of the system.
    fn steps(&self, known: &mut Known<'s, S>, state: u32) -> Result<Steps, Stop> {
        known.meter.tick(1)?;
        if let Some(steps) = known.steps.get(&state) {
            return Ok(steps.clone());
        }
        let Known { stepper, side, meter, steps: memo, words, .. } = known;
        self.states.read(state, words);
        stepper.look_at(words)?;
        let steps: Steps = stepper
            .steps()
            .map(|step| {
                let text = || self.system.label(step.label);
                let label = side.common(self.alphabet, step.label, text);
                (label, self.states.intern(step.state))
            })
            .collect();
        meter.seen(self.states.len() as u64);
        meter.tick(steps.len() as u64)?;
        memo.put(state, steps.clone());
        Ok(steps)
    }

    /// Writes everything down that has a number, for another run.
    pub(crate) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.system.save(out)?;
        out.things(self.alphabet.texts().iter())?;
        self.states.save(out)?;
        self.sets.save(out)
    }

    /// Reads that; says what sets and common labels are called here.
    pub(crate) fn load(&self, from: &mut Loading<'_>) -> io::Result<[NewNumbers; 2]> {
        let system = self.system.load(from)?;
        let labels = from.things(|text: String, new| match new.0.len() as Label {
            TAU => Ok(TAU),
            _ => Ok(self.alphabet.number(text)),
        })?;
        let states = Arena::load(from, |_, mut words| {
            system.state(&mut words)?;
            Ok(self.states.intern(&words))
        })?;
        let sets = Arena::load(from, |_, mut members| {
            states.renumber(&mut members)?;
            members.sort_unstable();
            Ok(self.sets.intern(&members))
        })?;
        Ok([sets, labels])
    }

    /// The states of a set.
    pub(crate) fn members(&self, set: u32) -> Vec<u32> {
        let mut members = Vec::new();
        self.sets.read(set, &mut members);
        members
    }

    /// The set after a label; [`NOTHING`] if that is not possible.
    pub(crate) fn after(
        &self,
        known: &mut Known<'s, S>,
        set: u32,
        label: Label,
    ) -> Result<u32, Stop> {
        if let Some(after) = known.after.get(&(set, label)) {
            return Ok(*after);
        }
        let mut targets = Vec::new();
        for state in self.members(set) {
            let steps = self.steps(known, state)?;
            targets.extend(steps.iter().filter(|(l, _)| *l == label).map(|(_, target)| *target));
        }
        let after = self.close(known, targets)?;
        known.after.put((set, label), after);
        Ok(after)
    }

    /// The set of the same states renamed. What silent steps lead to is added again: which of them a system leaves out may
    /// depend on names.
    pub(crate) fn renamed(
        &self,
        known: &mut Known<'s, S>,
        set: u32,
        renaming: u32,
        folder: &mut dyn Folder,
    ) -> Result<u32, Stop> {
        if let Some(renamed) = known.renamed.get(&(set, renaming)) {
            return Ok(*renamed);
        }
        let mut members = self.members(set);
        for state in &mut members {
            self.states.read(*state, &mut known.words);
            folder.rename(renaming, &mut known.words)?;
            *state = self.states.intern(&known.words);
        }
        let renamed = self.close(known, members)?;
        known.renamed.put((set, renaming), renamed);
        Ok(renamed)
    }

    /// What can come after a set: labels, each once. Silent steps count if they are visible.
    pub(crate) fn labels(&self, known: &mut Known<'s, S>, set: u32) -> Result<Vec<Label>, Stop> {
        let mut labels = Vec::new();
        for state in self.members(set) {
            let steps = self.steps(known, state)?;
            labels.extend(steps.iter().map(|(l, _)| *l).filter(|l| *l != TAU || !self.weak));
        }
        labels.sort_unstable();
        labels.dedup();
        Ok(labels)
    }

    /// The sets of labels that stable members offer, the minimal ones of them, each sorted.
    pub(crate) fn acceptances(
        &self,
        known: &mut Known<'s, S>,
        set: u32,
    ) -> Result<Arc<[Box<[Label]>]>, Stop> {
        if let Some(acceptances) = known.acceptances.get(&set) {
            return Ok(acceptances.clone());
        }
        let mut minimal: Vec<Box<[Label]>> = Vec::new();
        for state in self.members(set) {
            let steps = self.steps(known, state)?;
            if steps.iter().any(|(label, _)| *label == TAU) {
                continue;
            }
            let offer = sorted(steps.iter().map(|(label, _)| *label));
            if !minimal.iter().any(|known| included(known, &offer)) {
                minimal.retain(|known| !included(&offer, known));
                minimal.push(offer.into());
            }
        }
        minimal.sort_unstable();
        let acceptances: Arc<[_]> = minimal.into();
        known.acceptances.put(set, acceptances.clone());
        Ok(acceptances)
    }

    /// Can a member go on silently for ever? All it can reach silently is in the set.
    pub(crate) fn diverges(&self, known: &mut Known<'s, S>, set: u32) -> Result<bool, Stop> {
        if let Some(diverges) = known.diverges.get(&set) {
            return Ok(*diverges);
        }
        let members = self.members(set);
        let mut silent: Vec<Vec<u32>> = Vec::with_capacity(members.len());
        for &state in &members {
            let steps = self.steps(known, state)?;
            let targets = steps.iter().filter(|(label, _)| *label == TAU);
            let place = |target: &u32| members.binary_search(target).ok().map(|at| at as u32);
            silent.push(targets.filter_map(|(_, target)| place(target)).collect());
        }
        let of = |node: u32| silent[node as usize].as_slice();
        let diverges = has_cycle(members.len() as u32, of);
        known.diverges.put(set, diverges);
        Ok(diverges)
    }

    /// Is everything in `small` also in `large`?
    pub(crate) fn subset(&self, small: u32, large: u32) -> bool {
        self.sets.includes(large, small)
    }

    /// A hash of what a set is, whatever the numbers of its states are.
    fn content(&self, known: &mut Known<'s, S>, set: u32) -> u64 {
        let (mut content, mut bytes) = (0u64, Vec::new());
        for state in self.members(set) {
            self.states.read(state, &mut known.words);
            content = content.wrapping_add(known.stepper.hash(&known.words).unwrap_or_else(|| {
                pack(&known.words, &mut bytes);
                hash(&bytes)
            }));
        }
        content
    }
}

/// Is there a cycle in a graph?
pub(crate) fn has_cycle<'g>(nodes: u32, of: impl Fn(u32) -> &'g [u32]) -> bool {
    let component = components(nodes, |node, cursor| {
        *cursor += 1;
        of(node).get(*cursor - 1).copied()
    });
    let mut sizes = vec![0u32; nodes as usize];
    component.iter().for_each(|c| sizes[*c as usize] += 1);
    sizes.iter().any(|size| *size > 1) || (0..nodes).any(|node| of(node).contains(&node))
}

/// Labels in order, each once.
pub(crate) fn sorted(labels: impl Iterator<Item = Label>) -> Vec<Label> {
    let mut labels: Vec<Label> = labels.collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Inclusion of sorted sets.
pub(crate) fn included(small: &[u32], large: &[u32]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large;
    for member in small {
        let skip = rest.partition_point(|m| m < member);
        match rest.get(skip) {
            Some(m) if m == member => rest = &rest[skip + 1..],
            _ => return false,
        }
    }
    true
}

/// The determinised system as a space: a state is the number of a set. Edges are called by labels.
pub(crate) struct Subsets<'s, S>(pub(crate) Determined<'s, S>);

impl<S: Sync> Cover for Subsets<'_, S> {}

impl<'s, S: LabelledSystem> Space for Subsets<'s, S> {
    type Worker = Known<'s, S>;
    type Violation = Finding<()>;

    fn worker(&self) -> Known<'s, S> {
        self.0.known()
    }

    fn initial(&self, known: &mut Known<'s, S>, found: &mut dyn FnMut(Found<'_, Finding<()>>)) {
        match self.0.initial(known) {
            Ok(set) => self.node(known, TAU, set, found),
            Err(stop) => found(Found::Violation(stop.into())),
        }
    }

    fn expand(
        &self,
        known: &mut Known<'s, S>,
        state: &[u32],
        _: u32,
        found: &mut dyn FnMut(Found<'_, Finding<()>>),
    ) {
        let labels = match self.0.labels(known, state[0]) {
            Ok(labels) => labels,
            Err(stop) => return found(Found::Violation(stop.into())),
        };
        for label in labels {
            match self.0.after(known, state[0], label) {
                Ok(set) => self.node(known, label, set, found),
                Err(stop) => return found(Found::Violation(stop.into())),
            }
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.0.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        let [sets, labels] = self.0.load(from)?;
        Ok(Box::new(Renumbered { sets, labels }))
    }
}

/// What sets and labels of another run are called.
struct Renumbered {
    sets: NewNumbers,
    labels: NewNumbers,
}

impl Renumber for Renumbered {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        self.sets.renumber(state)
    }

    fn label(&self, label: Label) -> io::Result<Label> {
        self.labels.get(label)
    }
}

impl<'s, S: LabelledSystem> Subsets<'s, S> {
    fn node(
        &self,
        known: &mut Known<'s, S>,
        label: Label,
        set: u32,
        found: &mut dyn FnMut(Found<'_, Finding<()>>),
    ) {
        let hash = Some(self.0.content(known, set));
        found(Found::Node { state: &[set], tag: 0, label, cost: 1, hash });
    }
}
