//! Processes that differ in an index only are not told apart.
//!
//! In `||| i:{0..N-1} @ P(i)`, and the same with `||`, processes often use the index for nothing but to say who they are: as
//! part of their events, as index of arrays with an element for each, compared with each other. Then it makes no
//! difference which of them has come how far, if their elements and events change places with them.
//!
//! **What is done.** A renaming of identities acts on a state: every component goes to the place of its new identity and has that one
//! in its term, elements of arrays with an element for each go there as well, parts of events that are identities get the new
//! one. [`identities`] finds from the text which places hold identities and that nothing else is done with them: so every rule of the
//! semantics applies to a state if and only if it applies to the renamed one, with renamed events. The renaming is an
//! automorphism of the steps. That it keeps the first state and the structure (alphabets, hidden events) is looked at
//! when the system is known ([`Network::is_kept`](crate::network::Network::is_kept)), for all renamings by those that exchange two neighbours. Of all
//! renamings of a state one stands for all: the one in which the identities are in the order of what belongs to them. Where
//! processes have started others so that the structure is another one, the state stands for itself.
//!
//! **What it preserves.** States without steps, endless silence, and conditions that read no element of these arrays: they hold in a state if
//! they hold in the renamed one. Refinement of traces and failures, if the specification has the same identities: a pair of a state and a
//! set of states of the specification is wrong if and only if both renamed are ([`linchpin_relations::Symmetry`]). It is not used for
//! formulas, for refinement with divergences, nor together with [`crate::multiset`]. It goes together with leaving steps out: what is chosen in the state
//! that stands for others is a choice that could have been made in them, renamed; and the order of the proviso does not
//! depend on identities, since at the same place of the text a component has its one identity at the same places.
//!
//! **Evidence.** [`crate::multiset::Lift`] keeps the renaming that leads from the state of the whole process to the one that stands for it, and
//! looks at steps through it. Where processes have started others the renamed state may have its components in another order
//! than the search; then the question is decided again without this.
//!
//! This is the symmetry of scalarsets (C. N. Ip and D. Dill, see [`identities`]) with a sorted form that is not always the same for all
//! renamings of a state: two identities to which the same belongs stay as they are, which is the same state.

mod identities;

use std::collections::HashMap;
use std::hash::Hasher;
use std::sync::atomic::{AtomicBool, Ordering};

use linchpin_lts::{Content, Label, Trouble};
use linchpin_relations::Folder;

use self::identities::{Identities, identities};
use crate::eval::Evaluated;
use crate::labels::SetId;
use crate::program::NodeId;
use crate::system::System;
use crate::term::{Term, TermId};
use crate::value::{MAX_NUMBER_SLOT, Value, from_slot};

/// A renaming: four bits for each identity, which are its new one. It is never 0, as there are two at least.
pub(crate) type Renaming = u32;

/// The new identity of one.
fn new(renaming: Renaming, identity: u32) -> u32 {
    renaming >> (4 * identity) & 15
}

/// What is known about the identities of a process.
pub(crate) struct Symmetry {
    identities: Identities,
    /// The structure of the first state.
    network: u32,
    /// The components of each identity there.
    places: Vec<Vec<u32>>,
    /// By the name of an event: which parts are identities.
    parts: HashMap<String, Vec<usize>>,
    /// Was there a state with another structure?
    left: AtomicBool,
}

impl Symmetry {
    /// The symmetry of a process, if there is one.
    pub(crate) fn of(system: &System) -> Option<Symmetry> {
        if !system.counted.is_empty() {
            return None;
        }
        let first = system.first();
        let identities = identities(&system.program, system.root)?;
        let mut parts: HashMap<String, Vec<usize>> = HashMap::new();
        for &(name, part) in &identities.parts {
            parts.entry(system.program.names[name as usize].clone()).or_default().push(part);
        }
        let (places, left) = (vec![Vec::new(); identities.count as usize], AtomicBool::new(false));
        let mut symmetry = Symmetry { identities, network: first[0], places, parts, left };
        for (place, &term) in system.components(first).iter().enumerate() {
            match symmetry.identity(system, term) {
                Ok(Some(identity)) => symmetry.places[identity as usize].push(place as u32),
                Ok(None) => {}
                Err(Several) => return None,
            }
        }
        let each = symmetry.places[0].len();
        let even = each > 0 && symmetry.places.iter().all(|places| places.len() == each);
        let mut renamer = Renamer::new(system, &symmetry, Variants::default());
        let kept = |neighbour: u32| renamer.keeps(first, neighbour);
        (even && (0..symmetry.identities.count - 1).all(kept)).then_some(symmetry)
    }

    /// Have processes started others, so that some components have no place of their own?
    pub(crate) fn was_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Do two processes have the same identities?
    pub(crate) fn agrees(&self, other: &Symmetry) -> bool {
        self.identities.agree(&other.identities)
    }

    /// The renaming that changes nothing.
    pub(crate) fn nothing(&self) -> Renaming {
        (0..self.identities.count).fold(0, |all, i| all | i << (4 * i))
    }

    /// Does none of these slots of variables belong to one identity?
    pub(crate) fn is_common(&self, slots: &[u32]) -> bool {
        let count = self.identities.count;
        let owned = |slot: &u32| {
            self.identities
                .arrays
                .iter()
                .any(|&(base, row)| (base..base + count * row).contains(slot))
        };
        !slots.iter().any(owned)
    }

    /// The identity in a term, if it has one and not several.
    fn identity(&self, system: &System, term: TermId) -> Result<Option<Value>, Several> {
        let mut known = None;
        let mut several = false;
        self.each(system, term, &mut |v| {
            several |= known.is_some_and(|known| known != v);
            known = Some(v);
        });
        if several { Err(Several) } else { Ok(known) }
    }

    /// Looks at all identities in a term.
    fn each(&self, system: &System, term: TermId, look: &mut dyn FnMut(Value)) {
        let closure = |node: NodeId, env: &[Value], look: &mut dyn FnMut(Value)| {
            let mask = self.identities.places[node as usize];
            env.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).for_each(|(_, &v)| look(v));
        };
        let parts: &[TermId] = match system.terms.get(term) {
            Term::Stop | Term::Skip | Term::NamedSkip | Term::Done | Term::Fault(..) => &[],
            Term::Leaf(node, env) => return closure(*node, env, look),
            Term::Guard(node, env, a) | Term::Sequence(a, node, env) => {
                closure(*node, env, look);
                &[*a]
            }
            Term::IfAtomic(node, env, a, b) => {
                closure(*node, env, look);
                &[*a, *b]
            }
            Term::Choice(parts)
            | Term::External(parts)
            | Term::Interleave(parts)
            | Term::Parallel(_, parts) => parts,
            Term::Interrupt(a, b) => &[*a, *b],
            Term::Hide(a, _) | Term::Atomic(a) | Term::Many(a) => &[*a],
        };
        parts.iter().for_each(|&part| self.each(system, part, look));
    }

    /// The text of an event before it was renamed.
    pub(crate) fn original(&self, renaming: Renaming, text: &str) -> String {
        let count = self.identities.count;
        let back = (0..count).fold(0, |all, i| all | i << (4 * new(renaming, i)));
        self.text(back, text)
    }

    /// The text of an event with other identities.
    fn text(&self, renaming: Renaming, text: &str) -> String {
        let mut pieces = text.split('.');
        let name = pieces.next().unwrap_or_default();
        let Some(parts) = self.parts.get(name) else { return text.to_string() };
        let mut renamed = name.to_string();
        for (i, piece) in pieces.enumerate() {
            renamed.push('.');
            match piece.parse::<u32>() {
                Ok(identity) if parts.contains(&i) && identity < self.identities.count => {
                    renamed += &new(renaming, identity).to_string();
                }
                _ => renamed += piece,
            }
        }
        renamed
    }
}

/// A component has several identities.
struct Several;

/// Both processes of a refinement that have the same identities.
pub(crate) struct Both<'s> {
    pub(crate) implementation: (&'s System, &'s Symmetry),
    pub(crate) specification: (&'s System, &'s Symmetry),
}

impl linchpin_relations::Symmetry for Both<'_> {
    fn folder(&self) -> Box<dyn Folder + '_> {
        let of = |(system, symmetry)| Renamer::new(system, symmetry, Variants::default());
        Box::new(Renamers(of(self.implementation), of(self.specification)))
    }
}

/// Those of both processes.
struct Renamers<'s>(Renamer<'s>, Renamer<'s>);

impl Folder for Renamers<'_> {
    fn fold(&mut self, state: &mut Vec<u32>) -> Result<Option<(u32, Option<u64>)>, Trouble> {
        let renaming = self.0.fold(state).map_err(|trouble| *trouble)?;
        Ok((renaming != 0).then(|| (renaming, Some(self.0.system.content(state)))))
    }

    fn rename(&mut self, renaming: u32, state: &mut Vec<u32>) -> Result<(), Trouble> {
        self.1.rename(renaming, state).map_err(|trouble| *trouble)
    }
}

/// Memory of one worker.
#[derive(Default)]
pub(crate) struct Variants {
    /// By term: the same with each identity.
    of: Vec<Option<Box<[TermId]>>>,
    /// What belongs to each identity, and the identities in the order of that.
    keys: Vec<u64>,
    order: Vec<u32>,
    before: Vec<u32>,
}

/// Renames states of a process.
pub(crate) struct Renamer<'s> {
    system: &'s System,
    symmetry: &'s Symmetry,
    pub(crate) variants: Variants,
}

impl<'s> Renamer<'s> {
    pub(crate) fn new(system: &'s System, symmetry: &'s Symmetry, variants: Variants) -> Self {
        Renamer { system, symmetry, variants }
    }

    /// Do the first state and the structure stay what they are when two neighbours are exchanged?
    fn keeps(&mut self, first: &[u32], neighbour: u32) -> bool {
        let (system, symmetry) = (self.system, self.symmetry);
        let exchanged = |i: u32| match i {
            i if i == neighbour => i + 1,
            i if i == neighbour + 1 => i - 1,
            i => i,
        };
        let count = symmetry.identities.count;
        let renaming = (0..count).fold(0, |all, i| all | exchanged(i) << (4 * i));
        let mut places: Vec<u32> = (0..system.components(first).len() as u32).collect();
        for (i, from) in symmetry.places.iter().enumerate() {
            let to = &symmetry.places[exchanged(i as u32) as usize];
            from.iter().zip(to).for_each(|(&from, &to)| places[from as usize] = to);
        }
        let network = system.network(symmetry.network);
        if !network.is_kept(&system.terms, &places, &mut |set| self.set(renaming, set)) {
            return false;
        }
        let mut renamed = first.to_vec();
        self.rename(renaming, &mut renamed).is_ok() && renamed == first
    }

    /// Gives a state the identities in order, and says how they were renamed; 0 if they are in order.
    pub(crate) fn fold(&mut self, state: &mut Vec<u32>) -> Evaluated<Renaming> {
        let (system, symmetry) = (self.system, self.symmetry);
        if state[0] != symmetry.network {
            symmetry.left.store(true, Ordering::Relaxed);
            return Ok(0);
        }
        let count = symmetry.identities.count;
        let data = state.len() - system.data_width();
        self.variants.keys.clear();
        for identity in 0..count {
            let mut key = Content::default();
            for &place in &symmetry.places[identity as usize] {
                let term = self.variant(state[1 + place as usize], 0);
                key.add(system.terms.hash(term));
            }
            for &(base, row) in &symmetry.identities.arrays {
                let from = data + (base + identity * row) as usize;
                for &slot in &state[from..from + row as usize] {
                    key.add(match slot {
                        0..=MAX_NUMBER_SLOT => slot.into(),
                        _ => system.terms.value_hash(from_slot(slot)),
                    });
                }
            }
            self.variants.keys.push(key.finish());
        }
        if self.variants.keys.is_sorted() {
            return Ok(0);
        }
        self.variants.order.clear();
        self.variants.order.extend(0..count);
        let keys = &self.variants.keys;
        self.variants.order.sort_by_key(|&identity| keys[identity as usize]);
        let order = self.variants.order.iter().enumerate();
        let renaming = order.fold(0, |all, (rank, identity)| all | (rank as u32) << (4 * identity));
        self.rename(renaming, state)?;
        Ok(renaming)
    }

    /// Renames the identities of a state.
    pub(crate) fn rename(&mut self, renaming: Renaming, state: &mut Vec<u32>) -> Evaluated<()> {
        let (system, symmetry) = (self.system, self.symmetry);
        let count = symmetry.identities.count;
        let mut before = std::mem::take(&mut self.variants.before);
        before.clone_from(state);
        let network = system.network(state[0]);
        if state[0] == symmetry.network {
            for (i, from) in symmetry.places.iter().enumerate() {
                let identity = new(renaming, i as u32);
                let to = &symmetry.places[identity as usize];
                for (&from, &to) in from.iter().zip(to) {
                    state[1 + to as usize] = self.variant(before[1 + from as usize], identity);
                }
            }
        } else {
            let root = network.term(&system.terms, &state[1..=network.len()]);
            let root = self.renamed(root, &|v| new(renaming, v as u32) as Value);
            system.replace(network, root, state)?;
        }
        let (from, to) = (before.len() - system.data_width(), state.len() - system.data_width());
        for &(base, row) in &symmetry.identities.arrays {
            for i in 0..count {
                let old = from + (base + i * row) as usize;
                let place = to + (base + new(renaming, i) * row) as usize;
                state[place..place + row as usize]
                    .copy_from_slice(&before[old..old + row as usize]);
            }
        }
        self.variants.before = before;
        Ok(())
    }

    /// The renaming that does one after the other.
    pub(crate) fn both(&self, first: Renaming, second: Renaming) -> Renaming {
        let count = self.symmetry.identities.count;
        (0..count).fold(0, |all, i| all | new(second, new(first, i)) << (4 * i))
    }

    /// The label of an event with other identities.
    pub(crate) fn label(&self, renaming: Renaming, label: Label) -> Label {
        let labels = &self.system.terms.labels;
        labels.label(&self.symmetry.text(renaming, labels.text(label)))
    }

    fn set(&self, renaming: Renaming, set: SetId) -> SetId {
        let labels = &self.system.terms.labels;
        labels.set(labels.members(set).iter().map(|&l| self.label(renaming, l)).collect())
    }

    /// The term of a component with another identity.
    fn variant(&mut self, term: TermId, identity: u32) -> TermId {
        if self.variants.of.len() <= term as usize {
            self.variants.of.resize(term as usize + 1, None);
        }
        if let Some(known) = &self.variants.of[term as usize] {
            return known[identity as usize];
        }
        // Sets of events in a component are about itself or about all, so it is enough to exchange two.
        let own = self.symmetry.identity(self.system, term).ok().flatten();
        let variant = |i: Value| match own {
            Some(own) => self.renamed(term, &|v| match v {
                v if v == own => i,
                v if v == i => own,
                v => v,
            }),
            None => term,
        };
        let count = self.symmetry.identities.count as Value;
        let variants: Box<[TermId]> = (0..count).map(variant).collect();
        let variant = variants[identity as usize];
        self.variants.of[term as usize] = Some(variants);
        variant
    }

    /// A term with other identities.
    fn renamed(&self, term: TermId, new: &dyn Fn(Value) -> Value) -> TermId {
        let terms = &self.system.terms;
        let closure = |node: NodeId, env: &mut [Value]| {
            let mask = self.symmetry.identities.places[node as usize];
            let held = env.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
            held.for_each(|(_, v)| *v = new(*v));
        };
        let part = |part: &mut TermId| *part = self.renamed(*part, new);
        let mut renamed = terms.get(term).clone();
        match &mut renamed {
            Term::Stop | Term::Skip | Term::NamedSkip | Term::Done | Term::Fault(..) => {
                return term;
            }
            Term::Leaf(node, env) => closure(*node, env),
            Term::Guard(node, env, a) | Term::Sequence(a, node, env) => {
                closure(*node, env);
                part(a);
            }
            Term::IfAtomic(node, env, a, b) => {
                closure(*node, env);
                part(a);
                part(b);
            }
            Term::Choice(parts) | Term::External(parts) | Term::Interleave(parts) => {
                parts.iter_mut().for_each(part);
            }
            Term::Parallel(alphabets, parts) => {
                let sets = terms.alphabet(*alphabets).iter();
                *alphabets = terms.alphabets(sets.map(|&set| self.renamed_set(set, new)).collect());
                parts.iter_mut().for_each(part);
            }
            Term::Interrupt(a, b) => {
                part(a);
                part(b);
            }
            Term::Hide(a, set) => {
                part(a);
                *set = self.renamed_set(*set, new);
            }
            Term::Atomic(a) | Term::Many(a) => part(a),
        }
        terms.intern(renamed)
    }

    fn renamed_set(&self, set: SetId, new: &dyn Fn(Value) -> Value) -> SetId {
        let count = self.symmetry.identities.count;
        let renaming = (0..count).fold(0, |all, i| all | (new(i as Value) as u32) << (4 * i));
        self.set(renaming, set)
    }
}
