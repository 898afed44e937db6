//! Sets with other names for threads and opaque values, and what a canonical form must know of a set.
//!
//! Of the renamings that give the same least state the one is chosen that gives the set with the least
//! *content*: a hash of what the configurations are, whatever their numbers are, for numbers depend on
//! which worker came first. (If two sets have the same content, the first renaming is chosen; nothing is
//! taken for equal that is not.)

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use linchpin_engine::Renaming;
use linchpin_model::program::DataId;
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

use super::{Configuration, Configurations, Memory, SetId};
use crate::part::plain_hasher;

/// Per data type: old values in the order of their new numbers; `None` if they keep their names.
type Names = SmallVec<[Option<SmallVec<[u32; 8]>>; 2]>;

/// What is known about a set.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The same for equal sets whatever the numbers of their parts are.
    pub(crate) content: u64,
    /// Per thread: the same for threads whose parts have the same form.
    pub(crate) hints: SmallVec<[u32; 8]>,
    /// Per thread: the first thread with which it can be exchanged without a difference to the set;
    /// nothing if there may be a difference to any.
    twins: SmallVec<[u32; 8]>,
    /// Per data type: the largest value that occurs.
    most: SmallVec<[u32; 2]>,
}

impl Facts {
    /// Does exchanging two threads leave the set as it is? (`false` is always correct.)
    pub(crate) fn are_twins(&self, a: usize, b: usize) -> bool {
        matches!((self.twins.get(a), self.twins.get(b)), (Some(x), Some(y)) if x == y)
    }

    /// How many values of a data type there are in state and set together, after a renaming that led to
    /// this set. Values that occur in the set only have the numbers after those of the state.
    pub(crate) fn values(&self, renaming: &Renaming, ty: usize) -> u32 {
        renaming.data[ty].as_ref().map_or(0, |n| self.most[ty].max(n.len() as u32))
    }

    fn is_unchanged_by(&self, renaming: &Renaming) -> bool {
        renaming.threads.iter().enumerate().all(|(old, &new)| old == new as usize)
            && renaming.data.iter().zip(&self.most).all(|(names, &most)| match names {
                None => true,
                Some(names) => {
                    names.iter().zip(1..).all(|(&old, new)| old == new)
                        && most as usize <= names.len()
                }
            })
    }
}

impl Configurations {
    /// What is known about a set.
    pub(crate) fn facts(&self, memory: &mut Memory, set: SetId) -> Arc<Facts> {
        if let Some(known) = memory.facts.get(&set) {
            return known.clone();
        }
        let words = self.read(memory, set);
        let mut content = 0u64;
        let mut hints: SmallVec<[u32; 8]> = SmallVec::from_elem(0, self.threads);
        let mut most: SmallVec<[u32; 2]> =
            SmallVec::from_elem(0, self.vocabulary.spec.program().data.len());
        let mut note = |data: &[(DataId, u32)]| {
            for &(id, value) in data {
                most[id.index()] = most[id.index()].max(value);
            }
        };
        for row in self.rows(&words) {
            let state = memory.states.get(row[0]);
            note(&state.data);
            let mut hasher = plain_hasher();
            state.thing.hash(&mut hasher);
            for (i, &part) in row[1..].iter().enumerate() {
                let part = memory.parts.get(part);
                note(&part.data);
                part.thing.hash(&mut hasher);
                if let Some(hint) = hints.get_mut(i) {
                    *hint = hint.wrapping_add(part.form);
                }
            }
            content = content.wrapping_add(hasher.finish());
        }
        let alike = |a: usize, b: usize| self.rows(&words).all(|row| row[a + 1] == row[b + 1]);
        let mut twins = SmallVec::new();
        if !self.names_threads && self.rows(&words).all(|row| row.len() == self.threads + 1) {
            let first = |t| (0..t).find(|&earlier| alike(earlier, t)).unwrap_or(t);
            twins.extend((0..self.threads).map(|t| first(t) as u32));
        }
        memory.words = words;
        let facts = Arc::new(Facts { content, hints, twins, most });
        memory.facts.put(set, facts.clone());
        facts
    }

    /// The set with threads and data renamed.
    pub(crate) fn renamed(&self, memory: &mut Memory, set: SetId, renaming: &Renaming) -> SetId {
        if self.facts(memory, set).is_unchanged_by(renaming) {
            return set;
        }
        let mut words: SmallVec<[u32; 32]> = SmallVec::new();
        words.extend(renaming.threads.iter().map(|&t| u32::from(t)));
        for names in &renaming.data {
            words.push(names.as_ref().map_or(0, |n| n.len() as u32 + 1));
            words.extend(names.iter().flatten().copied());
        }
        let key = (set, self.keys.intern(&words));
        if let Some(known) = self.renamed.get(&key) {
            return known;
        }
        let renamed = self.rename(memory, set, renaming);
        self.renamed.put(key, renamed);
        renamed
    }

    fn rename(&self, memory: &mut Memory, set: SetId, renaming: &Renaming) -> SetId {
        let words = self.read(memory, set);
        let names = self.complete(memory, &words, renaming);
        let mut data = |id: DataId, value: u32| match &names[id.index()] {
            Some(n) => n.iter().position(|&v| v == value).map_or(value, |i| i as u32 + 1),
            None => value,
        };
        let mut thread = |t: u32| u32::from(renaming.threads[t as usize - 1]) + 1;
        // The same states and parts occur again and again.
        let mut states: HashMap<u32, u32, RandomState> = HashMap::default();
        let mut parts: HashMap<u32, u32, RandomState> = HashMap::default();
        let mut terms = self.vocabulary.terms(memory);
        let mut renamed = Vec::new();
        for row in self.rows(&words) {
            let mut next = Configuration::from_elem(0, row.len());
            next[0] = *states
                .entry(row[0])
                .or_insert_with(|| terms.rename_state(row[0], &mut data, &mut thread));
            for (i, &part) in row[1..].iter().enumerate() {
                let to = renaming.threads.get(i).map_or(i, |&t| t as usize);
                next[to + 1] = *parts
                    .entry(part)
                    .or_insert_with(|| terms.rename_part(part, &mut data, &mut thread));
            }
            self.rules.arrange(&terms, &mut next);
            renamed.push(next);
        }
        memory.words = words;
        self.intern(renamed)
    }

    /// Per data type: the old values in the order of their new numbers. Those that occur in the set only
    /// come after those of the state, in the order in which they occur when configurations are sorted
    /// by what they are.
    fn complete(&self, memory: &Memory, words: &[u32], renaming: &Renaming) -> Names {
        let mut names = renaming.data.clone();
        let items = |row: &[u32], note: &mut dyn FnMut(DataId, u32)| {
            let states = &memory.states.get(row[0]).data;
            let parts = row[1..].iter().flat_map(|&part| &memory.parts.get(part).data);
            states.iter().chain(parts).for_each(|&(id, value)| note(id, value));
        };
        let mut foreign = false;
        for row in self.rows(words) {
            items(row, &mut |id, value| {
                foreign |= names[id.index()].as_ref().is_some_and(|n| !n.contains(&value));
            });
        }
        if foreign {
            let state = |row: &[u32]| &memory.states.get(row[0]).thing;
            let part = |&part: &u32| &memory.parts.get(part).thing;
            let mut sorted: Vec<&[u32]> = self.rows(words).collect();
            sorted.sort_by(|a, b| {
                let parts = || a[1..].iter().map(part).cmp(b[1..].iter().map(part));
                state(a).cmp(state(b)).then_with(parts)
            });
            for row in sorted {
                items(row, &mut |id, value| {
                    if let Some(n) = &mut names[id.index()]
                        && !n.contains(&value)
                    {
                        n.push(value);
                    }
                });
            }
        }
        names
    }
}
