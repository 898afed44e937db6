//! Sets with other names for threads and opaque values, and what a canonical form must know of a set.
//!
//! Of the renamings that give the same least state the one is chosen that gives the set with the least
//! *content*: a hash of what the configurations are, whatever their numbers are, for numbers depend on
//! which worker came first. (If two sets have the same content, the first renaming is chosen; nothing is
//! taken for equal that is not.)

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use linchpin_engine::Renaming;
use linchpin_lin::program::DataId;
use smallvec::SmallVec;

use super::terms::Thing;
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
    /// Per data type: the values that occur.
    values: SmallVec<[SmallVec<[u32; 8]>; 1]>,
}

impl Facts {
    /// Does exchanging two threads leave the set as it is? (`false` is always correct.)
    pub(crate) fn are_twins(&self, a: usize, b: usize) -> bool {
        matches!((self.twins.get(a), self.twins.get(b)), (Some(x), Some(y)) if x == y)
    }

    /// How many values of a data type there are in state and set together: those of the state, which a
    /// renaming lists, and those that occur in the set only.
    pub(crate) fn count(&self, renaming: &Renaming, ty: usize) -> u32 {
        let named = renaming.data[ty].as_ref();
        let more = |n: &[u32]| self.values[ty].iter().filter(|v| !n.contains(v)).count();
        named.map_or(0, |n| (n.len() + more(n)) as u32)
    }

    /// Do values occur that a renaming has no names for?
    fn has_more_than(&self, names: &Names) -> bool {
        let missing =
            |(names, values): (&Option<SmallVec<[u32; 8]>>, &SmallVec<[u32; 8]>)| match names {
                Some(names) => values.iter().any(|v| !names.contains(v)),
                None => false,
            };
        names.iter().zip(&self.values).any(missing)
    }

    fn is_unchanged_by(&self, renaming: &Renaming) -> bool {
        renaming.threads.iter().enumerate().all(|(old, &new)| old == new as usize)
            && renaming
                .data
                .iter()
                .flatten()
                .all(|n| n.iter().zip(1..).all(|(&old, new)| old == new))
            && !self.has_more_than(&renaming.data)
    }
}

impl Configurations {
    /// What is known about a set.
    pub(crate) fn facts(&self, memory: &mut Memory, set: SetId) -> Arc<Facts> {
        if let Some(known) = self.facts.get(&set) {
            return known;
        }
        let words = self.read(memory, set);
        let mut content = 0u64;
        let mut hints: SmallVec<[u32; 8]> = SmallVec::from_elem(0, self.threads);
        let data_types = self.vocabulary.spec.program().data.len();
        let mut values: SmallVec<[SmallVec<[u32; 8]>; 1]> =
            SmallVec::from_elem(SmallVec::new(), data_types);
        for row in self.rows(&words) {
            memory.each_value(row, &mut |id, value| {
                let values = &mut values[id.index()];
                if !values.contains(&value) {
                    values.push(value);
                }
            });
            let mut hasher = plain_hasher();
            memory.states.get(row[0]).thing.hash(&mut hasher);
            for (i, &part) in row[1..].iter().enumerate() {
                let part = memory.parts.get(part);
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
        let facts = Arc::new(Facts { content, hints, twins, values });
        self.facts.put(set, facts.clone());
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
        let renamed = self.rename(memory, set, renaming, key.1);
        self.renamed.put(key, renamed);
        renamed
    }

    /// The same, computed; the renaming has this number.
    fn rename(&self, memory: &mut Memory, set: SetId, renaming: &Renaming, number: u32) -> SetId {
        let foreign = self.facts(memory, set).has_more_than(&renaming.data);
        let words = self.read(memory, set);
        let names = match foreign {
            true => self.complete(memory, &words, &renaming.data),
            false => renaming.data.clone(),
        };
        let mut data = |id: DataId, value: u32| match &names[id.index()] {
            Some(n) => n.iter().position(|&v| v == value).map_or(value, |i| i as u32 + 1),
            None => value,
        };
        let mut thread = |t: u32| u32::from(renaming.threads[t as usize - 1]) + 1;
        // The same states come one after the other, and there are few parts.
        let mut state = None;
        let mut parts: SmallVec<[(u32, u32); 16]> = SmallVec::new();
        let mut terms = self.vocabulary.terms(memory);
        // With names for more values it is another renaming for every set.
        let number = (!foreign).then_some(number);
        let mut renamed = Vec::new();
        for row in self.rows(&words) {
            let mut next = Configuration::from_elem(0, row.len());
            next[0] = match state {
                Some((old, new)) if old == row[0] => new,
                _ => terms.remembered(number, Thing::State(row[0]), |terms| {
                    terms.rename_state(row[0], &mut data, &mut thread)
                }),
            };
            state = Some((row[0], next[0]));
            for (i, &part) in row[1..].iter().enumerate() {
                let to = renaming.threads.get(i).map_or(i, |&t| t as usize);
                next[to + 1] = match parts.iter().find(|(old, _)| *old == part) {
                    Some(&(_, new)) => new,
                    None => {
                        let new = terms.remembered(number, Thing::Part(part), |terms| {
                            terms.rename_part(part, &mut data, &mut thread)
                        });
                        parts.push((part, new));
                        new
                    }
                };
            }
            self.rules.arrange(&terms, &mut next);
            renamed.push(next);
        }
        memory.words = words;
        self.intern(renamed)
    }

    /// Names for values that occur in the set only: they come after those of the state, in the order in
    /// which they occur when configurations are sorted by what they are.
    fn complete(&self, memory: &Memory, words: &[u32], names: &Names) -> Names {
        let state = |row: &[u32]| &memory.states.get(row[0]).thing;
        let part = |&part: &u32| &memory.parts.get(part).thing;
        let mut sorted: Vec<&[u32]> = self.rows(words).collect();
        sorted.sort_by(|a, b| {
            let parts = || a[1..].iter().map(part).cmp(b[1..].iter().map(part));
            state(a).cmp(state(b)).then_with(parts)
        });
        let mut names = names.clone();
        for row in sorted {
            memory.each_value(row, &mut |id, value| {
                if let Some(n) = &mut names[id.index()]
                    && !n.contains(&value)
                {
                    n.push(value);
                }
            });
        }
        names
    }
}
