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
//! Sets are hash-consed and moves are memoised, both shared by all workers; every worker has a copy
//! of what it has used, so that the common case takes no lock.

mod inclusion;

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linchpin_engine::Renaming;
use linchpin_lts::{Event, EventKind};
use linchpin_model::Value;
use linchpin_model::program::{DataId, OpId};
use linchpin_model::specify::{SpecFault, Specification};
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

use crate::part::{Anatomy, Part, plain_hasher};
use crate::rules::Rules;
use inclusion::{Closure, Inclusions};

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

type Words = SmallVec<[u32; 8]>;
/// A renamed set, and how many values of each data type there are in state and set together.
type Renamed = (SetId, SmallVec<[u32; 2]>);
/// Abstract states and results after an operation, by number.
type Outcomes = Arc<[(u32, PartId)]>;
/// A way to split a set: see [`Configurations::split`].
pub(crate) type Split<'f> = dyn Fn(
        &mut Terms<'_>,
        &[Configuration],
        usize,
        PartId,
    ) -> Result<Vec<Vec<Configuration>>, SpecFault>
    + 'f;
type Map<K, V> = HashMap<K, V, RandomState>;
type Set = HashSet<Configuration, RandomState>;

fn hasher() -> RandomState {
    RandomState::new()
}

/// What is known about a set.
#[derive(Debug)]
pub(crate) struct SetInfo {
    configurations: Vec<Configuration>,
    /// The same for equal sets whatever the numbers of their parts are.
    pub(crate) content: u64,
    /// Per thread: the same for threads whose parts have the same form.
    pub(crate) hints: SmallVec<[u32; 8]>,
    /// Per data type: the values that occur, sorted.
    data: Vec<Vec<u32>>,
    /// A history that goes on may have led here.
    accepts: bool,
    /// That is certain.
    pub(crate) sure: bool,
    /// A history after which no thread has anything left to do may have led here.
    pub(crate) ends: bool,
}

/// Interned things.
struct Interned<T> {
    items: Vec<Arc<T>>,
    index: Map<Arc<T>, u32>,
}

impl<T: Eq + Hash> Interned<T> {
    fn new() -> Self {
        Interned { items: Vec::new(), index: Map::with_hasher(hasher()) }
    }

    fn intern(&mut self, item: T) -> u32 {
        if let Some(&id) = self.index.get(&item) {
            return id;
        }
        let id = self.items.len() as u32;
        let item = Arc::new(item);
        self.items.push(item.clone());
        self.index.insert(item, id);
        id
    }

    fn get(&self, id: u32) -> &Arc<T> {
        &self.items[id as usize]
    }
}

struct Tables {
    states: Interned<Vec<Value>>,
    parts: Interned<Part>,
    sets: Interned<Vec<Configuration>>,
    infos: Vec<Arc<SetInfo>>,
    moves: Map<(SetId, Words), SetId>,
    outcomes: Map<(u32, u32, u32), Outcomes>,
    renamed: Map<(SetId, Renaming), Renamed>,
    closures: Map<SetId, Arc<Closure>>,
    bytes: usize,
}

/// What rules may ask for.
pub(crate) struct Terms<'a> {
    spec: &'a Specification,
    ops: &'a [OpId],
    uses_caller: bool,
    tables: &'a mut Tables,
}

impl Terms<'_> {
    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.spec.threads() as usize
    }

    /// Do outcomes depend on who calls?
    pub(crate) fn uses_caller(&self) -> bool {
        self.uses_caller
    }

    /// The part with this number.
    pub(crate) fn part(&self, id: PartId) -> &Arc<Part> {
        self.tables.parts.get(id)
    }

    /// The number of a part.
    pub(crate) fn intern(&mut self, part: Part) -> PartId {
        self.tables.parts.intern(part)
    }

    /// Calls `note` for every opaque value in a configuration.
    pub(crate) fn visit_data(&self, c: &Configuration, note: &mut dyn FnMut(DataId, u32)) {
        self.visit_state(c, note);
        c[1..].iter().for_each(|&part| self.visit_part(self.part(part), note));
    }

    /// Calls `note` for every opaque value in the abstract state of a configuration.
    pub(crate) fn visit_state(&self, c: &Configuration, note: &mut dyn FnMut(DataId, u32)) {
        self.spec.visit_data(self.tables.states.get(c[0]), note);
    }

    /// Calls `note` for every opaque value in a part.
    pub(crate) fn visit_part(&self, part: &Part, note: &mut dyn FnMut(DataId, u32)) {
        Anatomy { spec: self.spec, ops: self.ops }.visit(part, note);
    }

    /// A configuration with its opaque values renamed; the loose parts stay where they are.
    pub(crate) fn rename_data(
        &mut self,
        c: &Configuration,
        data: &mut dyn FnMut(DataId, u32) -> u32,
    ) -> Configuration {
        let anatomy = Anatomy { spec: self.spec, ops: self.ops };
        let mut next = c.clone();
        let state = self.spec.rename(self.tables.states.get(c[0]), data, &mut |t| t);
        next[0] = self.tables.states.intern(state);
        for part in &mut next[1..] {
            let renamed = anatomy.rename(self.tables.parts.get(*part), data, &mut |t| t);
            *part = self.tables.parts.intern(renamed);
        }
        next
    }

    /// An operation that has not taken effect?
    pub(crate) fn is_pending(&self, id: PartId) -> bool {
        matches!(**self.part(id), Part::Pending { .. })
    }

    /// All states and results (`Part::Done`) after a `Part::Pending` of `thread` (from 1) took
    /// effect in an abstract state.
    pub(crate) fn outcomes(
        &mut self,
        state: u32,
        call: PartId,
        thread: usize,
    ) -> Result<Outcomes, SpecFault> {
        let key = (state, call, if self.uses_caller { thread as u32 } else { 0 });
        if let Some(known) = self.tables.outcomes.get(&key) {
            return Ok(known.clone());
        }
        let part = self.part(call).clone();
        let Part::Pending { op, args } = &*part else { return Ok(Arc::new([])) };
        let from = self.tables.states.get(state).clone();
        let outcomes = self.spec.execute(&from, self.ops[*op as usize], args, thread as u32)?;
        let outcomes: Outcomes = outcomes
            .into_iter()
            .map(|(state, result)| {
                let done = self.tables.parts.intern(Part::Done { op: *op, result });
                (self.tables.states.intern(state), done)
            })
            .collect();
        self.tables.outcomes.insert(key, outcomes.clone());
        self.tables.bytes += 128;
        Ok(outcomes)
    }
}

/// The determinised specification.
pub(crate) struct Configurations {
    spec: Specification,
    /// Specification operation of every operation of the object.
    ops: Vec<OpId>,
    rules: Box<dyn Rules>,
    threads: usize,
    /// States of the specification, arguments or results contain threads.
    names_threads: bool,
    uses_caller: bool,
    tables: Mutex<Tables>,
    inclusions: Inclusions,
    /// Some history led to a set that is not certainly accepted.
    doubted: AtomicBool,
}

/// What a worker remembers.
pub(crate) struct Memory {
    moves: Map<(SetId, Words), SetId>,
    renamed: Map<(SetId, Renaming), Renamed>,
    infos: Vec<Option<Arc<SetInfo>>>,
    key: Words,
}

impl Configurations {
    pub(crate) fn new(spec: Specification, ops: Vec<OpId>, rules: Box<dyn Rules>) -> Self {
        let mut tables = Tables {
            states: Interned::new(),
            parts: Interned::new(),
            sets: Interned::new(),
            infos: Vec::new(),
            moves: Map::with_hasher(hasher()),
            outcomes: Map::with_hasher(hasher()),
            renamed: Map::with_hasher(hasher()),
            closures: Map::with_hasher(hasher()),
            bytes: 0,
        };
        tables.parts.intern(Part::Idle);
        tables.sets.intern(Vec::new());
        let threads = spec.threads() as usize;
        tables.infos.push(Arc::new(SetInfo {
            configurations: Vec::new(),
            content: 0,
            hints: SmallVec::from_elem(0, threads),
            data: vec![Vec::new(); spec.program().data.len()],
            accepts: false,
            sure: true,
            ends: false,
        }));
        Configurations {
            threads,
            names_threads: spec.names_threads() || ops.iter().any(|&op| names_threads(&spec, op)),
            uses_caller: spec.uses_caller(),
            spec,
            ops,
            rules,
            tables: Mutex::new(tables),
            inclusions: Inclusions::new(),
            doubted: AtomicBool::new(false),
        }
    }

    fn terms<'t>(&'t self, tables: &'t mut Tables) -> Terms<'t> {
        Terms { spec: &self.spec, ops: &self.ops, uses_caller: self.uses_caller, tables }
    }

    fn anatomy(&self) -> Anatomy<'_> {
        Anatomy { spec: &self.spec, ops: &self.ops }
    }

    pub(crate) fn memory(&self) -> Memory {
        Memory {
            moves: Map::with_hasher(hasher()),
            renamed: Map::with_hasher(hasher()),
            infos: Vec::new(),
            key: Words::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        // A worker that panicked left nothing half-done that matters: entries are added whole.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The set before any event.
    pub(crate) fn initial(&self) -> Result<SetId, SpecFault> {
        let states = self.spec.initial()?;
        let mut tables = self.lock();
        let set = states
            .into_iter()
            .map(|state| {
                let mut c = Configuration::from_elem(IDLE, self.threads + 1);
                c[0] = tables.states.intern(state);
                c
            })
            .collect();
        self.add_minimal(&mut tables, set)
    }

    /// Has a history been accepted without certainty?
    pub(crate) fn doubted(&self) -> bool {
        self.doubted.load(Ordering::Relaxed)
    }

    /// Number of sets so far.
    pub(crate) fn sets(&self) -> usize {
        self.lock().infos.len()
    }

    /// Estimate of the bytes used.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    pub(crate) fn info<'m>(&self, memory: &'m mut Memory, set: SetId) -> &'m Arc<SetInfo> {
        let i = set as usize;
        if memory.infos.len() <= i {
            memory.infos.resize(i + 1, None);
        }
        memory.infos[i].get_or_insert_with(|| self.lock().infos[i].clone())
    }

    /// The set after an event.
    pub(crate) fn after(
        &self,
        memory: &mut Memory,
        set: SetId,
        event: Event<'_>,
    ) -> Result<SetId, SpecFault> {
        memory.key.clear();
        memory.key.extend_from_slice(&event.head());
        memory.key.extend_from_slice(event.values);
        let key = (set, memory.key.clone());
        if let Some(&next) = memory.moves.get(&key) {
            return Ok(next);
        }
        let next = self.shared_after(&key, event)?;
        memory.moves.insert(key, next);
        Ok(next)
    }

    fn shared_after(&self, key: &(SetId, Words), event: Event<'_>) -> Result<SetId, SpecFault> {
        let mut tables = self.lock();
        if let Some(&next) = tables.moves.get(key) {
            return Ok(next);
        }
        let thread = event.thread as usize + 1;
        let part = self.part_of(&mut tables, event);
        let from = tables.infos[key.0 as usize].clone();
        let mut set = Vec::new();
        let mut terms = self.terms(&mut tables);
        for c in &from.configurations {
            match event.kind {
                EventKind::Call => set.extend(self.rules.call(&mut terms, c, thread, part)?),
                EventKind::Point => self.rules.point(&mut terms, c, thread, &mut set)?,
                EventKind::Return => self.rules.returns(&mut terms, c, thread, part, &mut set)?,
            }
        }
        let next = self.add_minimal(&mut tables, set)?;
        let info = &tables.infos[next as usize];
        if info.accepts && !info.sure {
            self.doubted.store(true, Ordering::Relaxed);
        }
        let next = if info.accepts { next } else { EMPTY };
        tables.moves.insert(key.clone(), next);
        tables.bytes += 96;
        Ok(next)
    }

    /// What an event says: a `Part::Pending` or a `Part::Done`; of a point, nothing.
    fn part_of(&self, tables: &mut Tables, event: Event<'_>) -> PartId {
        let proc = self.spec.unit().op(self.ops[event.op as usize]);
        let program = self.spec.program();
        let mut slots = event.values.iter().copied();
        let mut value = |ty| Value::unflatten(ty, program, &mut slots);
        tables.parts.intern(match event.kind {
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
    pub(crate) fn split(
        &self,
        set: SetId,
        event: Event<'_>,
        split: &Split<'_>,
    ) -> Result<Vec<SetId>, SpecFault> {
        let mut tables = self.lock();
        let part = self.part_of(&mut tables, event);
        let from = tables.infos[set as usize].clone();
        let thread = event.thread as usize + 1;
        let sets = split(&mut self.terms(&mut tables), &from.configurations, thread, part)?;
        sets.into_iter().map(|set| self.add_set(&mut tables, set)).collect()
    }

    /// Everything a configuration leads to between events, without itself.
    fn below(
        &self,
        tables: &mut Tables,
        c: &Configuration,
        out: &mut Set,
    ) -> Result<(), SpecFault> {
        let moves = self.rules.moves(&mut self.terms(tables), c)?;
        for next in moves {
            if out.insert(next.clone()) {
                self.below(tables, &next, out)?;
            }
        }
        Ok(())
    }

    fn add_minimal(
        &self,
        tables: &mut Tables,
        mut set: Vec<Configuration>,
    ) -> Result<SetId, SpecFault> {
        set.sort_unstable();
        set.dedup();
        if set.len() > 1 {
            self.rules.prune(&mut self.terms(tables), &mut set);
            let mut generated = Set::with_hasher(hasher());
            for c in &set {
                self.below(tables, c, &mut generated)?;
            }
            set.retain(|c| !generated.contains(c));
        }
        self.add_set(tables, set)
    }

    fn add_set(
        &self,
        tables: &mut Tables,
        mut set: Vec<Configuration>,
    ) -> Result<SetId, SpecFault> {
        set.sort_unstable();
        if let Some(&known) = tables.sets.index.get(&set) {
            return Ok(known);
        }
        // The specification may fault here, so the set gets its number when all is known about it.
        let mut info = self.describe(tables, &set);
        for finished in [false, true] {
            let mut accepts = false;
            for c in &info.configurations {
                accepts = accepts || self.rules.accepts(&mut self.terms(tables), c, finished)?;
            }
            *(if finished { &mut info.ends } else { &mut info.accepts }) = accepts;
        }
        let mut sure = info.configurations.is_empty();
        for c in &info.configurations {
            sure = sure || self.rules.is_sure(&mut self.terms(tables), c)?;
        }
        info.sure = sure;
        Ok(self.add_info(tables, set, info))
    }

    /// Numbers a set that is not known, together with what is known about it.
    fn add_info(&self, tables: &mut Tables, set: Vec<Configuration>, info: SetInfo) -> SetId {
        let words: usize = info.configurations.iter().map(SmallVec::len).sum();
        tables.bytes += 200 + words * 12;
        tables.infos.push(Arc::new(info));
        tables.sets.intern(set)
    }

    fn describe(&self, tables: &Tables, set: &[Configuration]) -> SetInfo {
        let anatomy = self.anatomy();
        let mut data = vec![Vec::new(); self.spec.program().data.len()];
        let mut note = |id: DataId, value: u32| {
            let values: &mut Vec<u32> = &mut data[id.index()];
            if !values.contains(&value) {
                values.push(value);
            }
        };
        let mut content = 0u64;
        let mut hints: SmallVec<[u32; 8]> = SmallVec::from_elem(0, self.threads);
        for c in set {
            let state = tables.states.get(c[0]);
            self.spec.visit_data(state, &mut note);
            let mut hasher = plain_hasher();
            state.hash(&mut hasher);
            for (i, &part) in c[1..].iter().enumerate() {
                let part = tables.parts.get(part);
                part.hash(&mut hasher);
                anatomy.visit(part, &mut note);
                if i < self.threads {
                    hints[i] = hints[i].wrapping_add(anatomy.form(part));
                }
            }
            content = content.wrapping_add(hasher.finish());
        }
        data.iter_mut().for_each(|values| values.sort_unstable());
        SetInfo {
            configurations: set.to_vec(),
            content,
            hints,
            data,
            accepts: !set.is_empty(),
            sure: true,
            ends: !set.is_empty(),
        }
    }

    /// Does exchanging two threads leave the set as it is? (`false` is always correct.)
    pub(crate) fn twins(&self, info: &SetInfo, a: usize, b: usize) -> bool {
        !self.names_threads
            && info
                .configurations
                .iter()
                .all(|c| c[a + 1] == c[b + 1] && c.len() == self.threads + 1)
    }

    /// The set with threads and data renamed, and how many values of each data type there are
    /// then in state and set together.
    pub(crate) fn renamed(&self, memory: &mut Memory, set: SetId, renaming: &Renaming) -> Renamed {
        let info = self.info(memory, set).clone();
        if let Some(counts) = unchanged(&info, renaming) {
            return (set, counts);
        }
        let key = (set, renaming.clone());
        if let Some(found) = memory.renamed.get(&key) {
            return found.clone();
        }
        let mut tables = self.lock();
        let found = match tables.renamed.get(&key) {
            Some(found) => found.clone(),
            None => {
                let found = self.rename(&mut tables, &info, renaming);
                tables.bytes += 128;
                tables.renamed.insert(key.clone(), found.clone());
                found
            }
        };
        drop(tables);
        memory.renamed.insert(key, found.clone());
        found
    }

    fn rename(&self, tables: &mut Tables, info: &SetInfo, renaming: &Renaming) -> Renamed {
        let anatomy = self.anatomy();
        // Values that occur in the set only are numbered after those of the state, in the order in
        // which they occur when configurations are sorted by what they are, not by their numbers:
        // numbers depend on which worker came first.
        let mut names = renaming.data.clone();
        let foreign = names
            .iter()
            .zip(&info.data)
            .any(|(n, d)| n.as_ref().is_some_and(|n| d.iter().any(|v| !n.contains(v))));
        if foreign {
            let mut sorted: Vec<_> = info
                .configurations
                .iter()
                .map(|c| {
                    let parts: Vec<_> =
                        c[1..].iter().map(|&p| tables.parts.get(p).clone()).collect();
                    (tables.states.get(c[0]).clone(), parts)
                })
                .collect();
            sorted.sort();
            let mut note = |id: DataId, value: u32| {
                if let Some(n) = &mut names[id.index()]
                    && !n.contains(&value)
                {
                    n.push(value);
                }
            };
            for (state, parts) in &sorted {
                self.spec.visit_data(state, &mut note);
                parts.iter().for_each(|p| anatomy.visit(p, &mut note));
            }
        }
        let mut data = |id: DataId, value: u32| match &names[id.index()] {
            Some(n) => n.iter().position(|&v| v == value).map_or(value, |i| i as u32 + 1),
            None => value,
        };
        let mut thread = |t: u32| u32::from(renaming.threads[t as usize - 1]) + 1;
        let mut set = Vec::with_capacity(info.configurations.len());
        for c in &info.configurations {
            let mut next = Configuration::from_elem(0, c.len());
            let state = tables.states.get(c[0]).clone();
            let state = self.spec.rename(&state, &mut data, &mut thread);
            next[0] = tables.states.intern(state);
            for (i, &part) in c[1..].iter().enumerate() {
                let part = anatomy.rename(tables.parts.get(part), &mut data, &mut thread);
                let to = renaming.threads.get(i).map_or(i, |&t| t as usize);
                next[to + 1] = tables.parts.intern(part);
            }
            self.rules.arrange(&self.terms(tables), &mut next);
            set.push(next);
        }
        let counts = names.iter().map(|n| n.as_ref().map_or(0, |n| n.len() as u32)).collect();
        set.sort_unstable();
        if let Some(&known) = tables.sets.index.get(&set) {
            return (known, counts);
        }
        let renamed = self.describe(tables, &set);
        // A condition does not depend on names.
        let renamed =
            SetInfo { accepts: info.accepts, sure: info.sure, ends: info.ends, ..renamed };
        (self.add_info(tables, set, renamed), counts)
    }
}

/// If a renaming leaves a set as it is: how many values of each type there are.
fn unchanged(info: &SetInfo, renaming: &Renaming) -> Option<SmallVec<[u32; 2]>> {
    let same = renaming.threads.iter().enumerate().all(|(old, &new)| old == new as usize)
        && renaming.data.iter().zip(&info.data).all(|(names, values)| match names {
            None => true,
            Some(names) => {
                names.iter().enumerate().all(|(i, &v)| v == i as u32 + 1)
                    && values.iter().all(|&v| v as usize <= names.len())
            }
        });
    same.then(|| renaming.data.iter().map(|n| n.as_ref().map_or(0, |n| n.len() as u32)).collect())
}

/// Do calls or returns of an operation of the specification contain threads?
fn names_threads(spec: &Specification, op: OpId) -> bool {
    let proc = spec.unit().op(op);
    let mut types = proc.locals[..proc.params as usize].iter().map(|p| &p.ty).chain([&proc.result]);
    types.any(|ty| ty.mentions_threads(spec.program()))
}
