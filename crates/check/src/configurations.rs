//! Sets of configurations: the determinised specification, built on the fly.
//!
//! The normalised state after a history is the set of all configurations that are possible (Liu,
//! Chen, Liu, Sun, FM 2009, Definition 4). What a configuration means is the business of a condition
//! (`rules`): its words are an abstract state, a part for every thread, and loose parts, all by
//! number. A history satisfies the condition iff the set contains a configuration in which it may end.
//!
//! **Lazy closure.** The set is closed under what can happen between events, so we keep only
//! *generators* (compare Lowe's just-in-time linearization, CCPE 2017).
//!
//! **Minimal generators.** A generator that another one leads to is dropped. What happens between
//! events has no cycles, so the minimal generators are unique: equal closed sets are equal here, which
//! DESIGN's version (generators as they come) does not have.
//!
//! **Where the specification goes wrong** it has no outcome, and nobody knows what it would have allowed. So
//! the configuration goes on with the state [`WRONG`], in which everything is allowed but other results for
//! operations that have taken effect before. A history is *refused* if its set is empty. If it is not, but
//! nothing in it accepts the history but what went wrong, the specification *goes wrong on* the history:
//! whether it is refused depends on what the specification does not say. Both are properties of the
//! history: an order that goes wrong after another operation took effect is found when the next return asks for
//! it, like all that has been put off, and what it says about results is kept until then. And for both a
//! larger set is the better one. So whether a history is refused, and if not, whether the specification goes
//! wrong on one, are questions that have the same answer whichever reductions are on. (Whether it goes
//! wrong in *some* order is not: the antichain and interval tightening leave orders out. Nor is which of
//! the two comes first.)
//!
//! Sets are interned (`engine`'s arena); what is known about them is kept in caches of a fixed size and
//! computed again when it was forgotten. No lock is held while anything is computed. The numbers of
//! sets, states and parts are given first come, and nothing that can be seen depends on them.

mod inclusion;
mod renaming;
mod terms;

use std::collections::HashSet;
use std::io;
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linchpin_engine::{Arena, SharedCache};
use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{SpecFault, Specification};
use linchpin_lts::{Event, EventKind, Loading, NewNumbers, Saving, damaged};
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

use crate::part::Part;
use crate::rules::Rules;
use inclusion::Inclusions;
use renaming::Facts;
use terms::Vocabulary;
pub(crate) use terms::{Memory, Terms, WRONG};

/// A set, by number. 0 is the empty set.
pub(crate) type SetId = u32;

/// The empty set: the history that led here does not satisfy the condition.
pub(crate) const EMPTY: SetId = 0;

/// A part, by number.
pub(crate) type PartId = u32;

/// [`Part::Idle`].
pub(crate) const IDLE: PartId = 0;

/// A configuration: abstract state, then a part for every thread, then loose parts, all by number.
pub(crate) type Configuration = SmallVec<[u32; 6]>;

/// A way to split a set: see [`Configurations::split`].
pub(crate) type Split<'f> =
    dyn Fn(&mut Terms<'_>, &[Configuration], usize, PartId) -> Vec<Vec<Configuration>> + 'f;
/// Some configurations.
pub(crate) type Set = HashSet<Configuration, RandomState>;

/// At most so many answers about the sets after events are remembered.
const MOVES: usize = 1 << 20;
/// At most so many answers about renamed sets are remembered.
const RENAMED: usize = 1 << 20;
/// Of at most so many sets it is remembered what canonical forms need.
const FACTS: usize = 1 << 19;

/// An event as words: [`Event::head`], then arguments or result.
pub(crate) fn words(event: Event<'_>) -> SmallVec<[u32; 8]> {
    let mut words = SmallVec::from_slice(&event.head());
    words.extend_from_slice(event.values);
    words
}

/// What a condition says about a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// An order explains it.
    Yes,
    /// None does.
    No,
    /// None does, unless one in which the specification goes wrong.
    Wrong,
}

/// The determinised specification.
pub(crate) struct Configurations {
    vocabulary: Vocabulary,
    rules: Box<dyn Rules>,
    threads: usize,
    /// States of the specification, arguments or results contain threads.
    names_threads: bool,
    /// A set is the length of its rows and a row for every configuration; sorted.
    sets: Arena,
    /// Events and renamings.
    keys: Arena,
    moves: SharedCache<(SetId, u32), (SetId, bool)>,
    renamed: SharedCache<(SetId, u32), SetId>,
    facts: SharedCache<SetId, Arc<Facts>>,
    inclusions: Inclusions,
    /// For who asks without being a worker.
    spare: Mutex<Vec<Memory>>,
    /// Some history led to a set that is not certainly accepted.
    doubted: AtomicBool,
}

impl Configurations {
    pub(crate) fn new(spec: Specification, ops: Vec<OpId>, rules: Box<dyn Rules>) -> Self {
        let vocabulary = Vocabulary::new(spec, ops);
        Configurations {
            threads: vocabulary.spec.threads() as usize,
            names_threads: vocabulary.spec.names_threads()
                || vocabulary.ops.iter().any(|&op| names_threads(&vocabulary.spec, op)),
            vocabulary,
            rules,
            sets: Arena::new(),
            keys: Arena::new(),
            moves: SharedCache::eager(MOVES),
            renamed: SharedCache::new(RENAMED),
            facts: SharedCache::new(FACTS),
            inclusions: Inclusions::new(),
            spare: Mutex::default(),
            doubted: AtomicBool::new(false),
        }
    }

    pub(crate) fn memory(&self) -> Memory {
        self.vocabulary.memory()
    }

    /// Does something with a memory that nobody else uses.
    fn with_spare<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        let lock = || -> MutexGuard<'_, Vec<Memory>> {
            self.spare.lock().unwrap_or_else(PoisonError::into_inner)
        };
        let spare = lock().pop();
        let mut memory = spare.unwrap_or_else(|| self.memory());
        let result = work(&mut memory);
        lock().push(memory);
        result
    }

    /// The set before any event, and whether the specification goes wrong already.
    pub(crate) fn initial(&self) -> (SetId, bool) {
        let states = self.vocabulary.spec.initial().map_err(|fault| self.vocabulary.note(fault));
        self.with_spare(|memory| {
            let mut terms = self.vocabulary.terms(memory);
            let states: Vec<u32> = match &states {
                Ok(states) => states.iter().map(|s| terms.intern_state(s.clone())).collect(),
                Err(()) => vec![WRONG],
            };
            let idle = Configuration::from_elem(IDLE, self.threads);
            let configuration = |state: u32| iter::once(state).chain(idle.iter().copied());
            let mut set = states.iter().map(|&state| configuration(state).collect()).collect();
            self.reduce(&mut terms, &mut set);
            (self.intern(set), states == [WRONG])
        })
    }

    /// Has a history been accepted without certainty?
    pub(crate) fn doubted(&self) -> bool {
        self.doubted.load(Ordering::Relaxed)
    }

    /// Writes all sets down, for another run, and what else was noticed.
    pub(crate) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.vocabulary.save(out)?;
        out.number(u32::from(self.doubted()))?;
        self.sets.save(out)
    }

    /// Reads that; says what the sets are called here.
    pub(crate) fn load(&self, from: &mut Loading<'_>) -> io::Result<NewNumbers> {
        self.with_spare(|memory| {
            let [states, parts] = self.vocabulary.load(memory, from)?;
            self.doubted.fetch_or(from.number::<u32>()? != 0, Ordering::Relaxed);
            Arena::load(from, |_, words| {
                let stride = words.first().map_or(0, |stride| *stride as usize);
                if stride <= self.threads || !(words.len() - 1).is_multiple_of(stride) {
                    return Err(damaged("a set of configurations"));
                }
                let rows = self.rows(&words).map(|row| {
                    let mut row = Configuration::from_slice(row);
                    row[0] = states.get(row[0])?;
                    parts.renumber(&mut row[1..])?;
                    Ok(row)
                });
                Ok(self.intern(rows.collect::<io::Result<_>>()?))
            })
        })
    }

    /// Number of sets so far, with the empty one.
    pub(crate) fn sets(&self) -> usize {
        self.sets.len() + 1
    }

    /// Are there nearly no numbers left?
    pub(crate) fn is_full(&self) -> bool {
        self.sets.is_full() || self.keys.is_full()
    }

    /// The configurations of a set, for [`Configurations::rows`]; the memory knows all numbers in them.
    /// To be given back to `Memory::words`.
    fn read(&self, memory: &mut Memory, set: SetId) -> Vec<u32> {
        let mut words = std::mem::take(&mut memory.words);
        self.sets.read(set, &mut words);
        let mut terms = self.vocabulary.terms(memory);
        self.rows(&words).for_each(|row| terms.learn(row));
        words
    }

    /// The configurations of a set.
    fn rows<'w>(&self, words: &'w [u32]) -> impl Iterator<Item = &'w [u32]> + Clone + use<'w> {
        let (stride, rows) =
            words.split_first().map_or((1, words), |(s, rows)| (*s as usize, rows));
        let threads = self.threads;
        rows.chunks_exact(stride).map(move |row| {
            // A loose part is never idle.
            let loose = row[threads + 1..].iter().take_while(|&&part| part != IDLE).count();
            &row[..threads + 1 + loose]
        })
    }

    fn configurations(&self, memory: &mut Memory, set: SetId) -> Vec<Configuration> {
        let words = self.read(memory, set);
        let all = self.rows(&words).map(Configuration::from_slice).collect();
        memory.words = words;
        all
    }

    /// The number of a set.
    fn intern(&self, mut set: Vec<Configuration>) -> SetId {
        set.sort_unstable();
        let Some(stride) = set.iter().map(SmallVec::len).max() else { return EMPTY };
        let mut words: SmallVec<[u32; 128]> = SmallVec::from_slice(&[stride as u32]);
        for c in set {
            words.extend_from_slice(&c);
            words.resize(words.len() + stride - c.len(), IDLE);
        }
        self.sets.intern(&words)
    }

    /// The set after an event, and whether the specification goes wrong on the history that led there.
    pub(crate) fn after(&self, memory: &mut Memory, set: SetId, event: Event<'_>) -> (SetId, bool) {
        let key = (set, self.keys.intern(&words(event)));
        if let Some(next) = self.moves.get(&key) {
            return next;
        }
        let from = self.configurations(memory, set);
        let mut terms = self.vocabulary.terms(memory);
        let part = self.part_of(&mut terms, event);
        let thread = event.thread as usize + 1;
        let mut set = Vec::new();
        let mut wrong = Vec::new();
        terms.forget_since(0);
        for c in &from {
            if c[0] == WRONG {
                wrong.push(c.clone());
                continue;
            }
            match event.kind {
                EventKind::Call => set.extend(self.rules.call(&mut terms, c, thread, part)),
                EventKind::Point => self.rules.point(&mut terms, c, thread, &mut set),
                EventKind::Return => self.rules.returns(&mut terms, c, thread, part, &mut set),
            }
            wrong.append(&mut terms.take_wrong_since(0));
        }
        for c in wrong {
            let mut next = self.wrong(&c);
            match event.kind {
                EventKind::Call => next[thread] = part,
                EventKind::Point => {}
                EventKind::Return if terms.is_done(next[thread]) && next[thread] != part => {
                    continue;
                }
                EventKind::Return => next[thread] = IDLE,
            }
            set.push(next);
        }
        self.reduce(&mut terms, &mut set);
        let says = self.judge(&mut terms, &set, false);
        match says {
            Says::Yes
                if !any(&set, |c| self.rules.is_sure(&mut terms, c))
                    && self.vocabulary.spec.watch().told().is_none() =>
            {
                self.doubted.store(true, Ordering::Relaxed);
            }
            Says::Yes | Says::Wrong => {}
            Says::No => set.clear(),
        }
        let next = (self.intern(set), says == Says::Wrong);
        self.moves.put(key, next);
        next
    }

    /// A configuration in which the specification has gone wrong: what returns has to fit what has taken effect.
    fn wrong(&self, c: &Configuration) -> Configuration {
        let mut wrong = Configuration::from_slice(&c[..=self.threads]);
        wrong[0] = WRONG;
        wrong
    }

    /// May a history have led to a set?
    fn judge(&self, terms: &mut Terms<'_>, set: &[Configuration], finished: bool) -> Says {
        let mut wrong = false;
        for c in set {
            if c[0] == WRONG {
                wrong = true;
                continue;
            }
            let mark = terms.mark();
            let accepts = self.rules.accepts(terms, c, finished);
            wrong |= terms.forget_since(mark);
            if accepts {
                return Says::Yes;
            }
        }
        if wrong { Says::Wrong } else { Says::No }
    }

    /// What went wrong in the specification so far, if anything did: the first in its text.
    pub(crate) fn fault(&self) -> Option<SpecFault> {
        self.vocabulary.fault()
    }

    /// Is it certain that a history that goes on may have led here, if it is accepted?
    pub(crate) fn is_sure(&self, memory: &mut Memory, set: SetId) -> bool {
        let all = self.configurations(memory, set);
        let mut terms = self.vocabulary.terms(memory);
        all.is_empty() || any(&all, |c| self.rules.is_sure(&mut terms, c))
    }

    /// May a history after which no thread has anything left to do have led here?
    pub(crate) fn ends(&self, memory: &mut Memory, set: SetId) -> Says {
        let all = self.configurations(memory, set);
        let mut terms = self.vocabulary.terms(memory);
        self.judge(&mut terms, &all, true)
    }

    /// What an event says: a `Part::Pending` or a `Part::Done`; of a point, nothing.
    fn part_of(&self, terms: &mut Terms<'_>, event: Event<'_>) -> PartId {
        let Vocabulary { spec, ops, .. } = &self.vocabulary;
        let proc = spec.unit().op(ops[event.op as usize]);
        let mut slots = event.values.iter().copied();
        let mut value = |ty| Value::unflatten(ty, spec.program(), &mut slots);
        terms.intern(match event.kind {
            EventKind::Call => {
                let params = &proc.locals[..proc.params as usize];
                Part::Pending { op: event.op, args: params.iter().map(|p| value(&p.ty)).collect() }
            }
            EventKind::Point => Part::Idle,
            EventKind::Return => Part::Done { op: event.op, result: value(&proc.result) },
        })
    }

    /// The sets that a way to split gives for an event; kept as they are, neither closed nor
    /// reduced to generators. (`split` gets a set, a thread from 1, and what the event says.)
    pub(crate) fn split(&self, set: SetId, event: Event<'_>, split: &Split<'_>) -> Vec<SetId> {
        self.with_spare(|memory| {
            let from = self.configurations(memory, set);
            let mut terms = self.vocabulary.terms(memory);
            let part = self.part_of(&mut terms, event);
            let sets = split(&mut terms, &from, event.thread as usize + 1, part);
            terms.forget_since(0);
            sets.into_iter().map(|set| self.intern(set)).collect()
        })
    }

    /// Everything a configuration leads to between events, without itself.
    fn below(&self, terms: &mut Terms<'_>, c: &Configuration, out: &mut Set) {
        if c[0] == WRONG {
            return;
        }
        for next in self.rules.moves(terms, c) {
            if !out.contains(&next) {
                out.insert(next.clone());
                self.below(terms, &next, out);
            }
        }
    }

    /// Leaves the minimal generators of a set.
    fn reduce(&self, terms: &mut Terms<'_>, set: &mut Vec<Configuration>) {
        set.sort_unstable();
        set.dedup();
        if set.len() > 1 {
            self.rules.prune(terms, set);
            let mut generated = Set::default();
            for c in &*set {
                self.below(terms, c, &mut generated);
            }
            terms.forget_since(0);
            set.retain(|c| !generated.contains(c));
        }
    }
}

/// Is something true of one of these, the specification not having gone wrong?
fn any(set: &[Configuration], mut holds: impl FnMut(&Configuration) -> bool) -> bool {
    set.iter().any(|c| c[0] != WRONG && holds(c))
}

/// Do calls or returns of an operation of the specification contain threads?
fn names_threads(spec: &Specification, op: OpId) -> bool {
    let proc = spec.unit().op(op);
    let mut types = proc.locals[..proc.params as usize].iter().map(|p| &p.ty).chain([&proc.result]);
    types.any(|ty| ty.mentions_threads(spec.program()))
}
