//! Sets of specification configurations: the determinised specification, built on the fly.
//!
//! A *configuration* says where the specification can be after a history: the abstract state, and
//! for each thread whether it is idle, has called an operation that has not taken effect yet
//! (pending), or one that has taken effect and will return this result (done). The normalised state
//! after a history is the set of all configurations that are possible (Liu, Chen, Liu, Sun, FM 2009,
//! Definition 4); a history is linearizable iff the set is not empty.
//!
//! **Lazy closure.** The set is closed under letting pending operations take effect, so we keep only
//! *generators*. A call marks the operation pending in every generator. A return of thread `t` with
//! result `r` lets pending operations take effect in every order that ends with `t`'s, and keeps
//! what has result `r` (compare Lowe's just-in-time linearization, CCPE 2017). Any run to a
//! configuration in which `t` is done has the form `u t v`; the configuration after `u t` generates
//! the one after `v`, so nothing is lost.
//!
//! **Minimal generators.** A generator that another one leads to is dropped. Taking effect is
//! acyclic (the number of pending operations falls), so the minimal generators are unique: equal
//! closed sets are equal here, which DESIGN's version (generators as they come) does not have.
//!
//! Sets are hash-consed and moves are memoised, both shared by all workers; every worker has a copy
//! of what it has used, so that the common case takes no lock.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use linchpin_engine::Renaming;
use linchpin_lts::{Event, EventKind};
use linchpin_model::Value;
use linchpin_model::program::{DataId, OpId};
use linchpin_model::specify::{SpecFault, Specification};
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

/// A set, by number. 0 is the empty set.
pub(crate) type SetId = u32;

/// The empty set: the history that led here is not linearizable.
pub(crate) const EMPTY: SetId = 0;

type Words = SmallVec<[u32; 8]>;
/// A renamed set, and how many values of each data type there are in state and set together.
type Renamed = (SetId, SmallVec<[u32; 2]>);
type Map<K, V> = HashMap<K, V, RandomState>;

fn hasher() -> RandomState {
    RandomState::new()
}

/// Status of a thread in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Status {
    Idle,
    Pending { op: u32, args: Vec<Value> },
    Done { op: u32, result: Value },
}

/// A configuration: abstract state, then the status of every thread, all by number.
type Configuration = SmallVec<[u32; 6]>;

/// What is known about a set.
#[derive(Debug)]
pub(crate) struct SetInfo {
    configurations: Vec<Configuration>,
    /// The same for equal sets whatever the numbers of their parts are.
    pub(crate) content: u64,
    /// Per thread: the same for threads whose statuses have the same form.
    pub(crate) hints: SmallVec<[u32; 8]>,
    /// Per data type: the values that occur, sorted.
    data: Vec<Vec<u32>>,
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
    statuses: Interned<Status>,
    sets: Interned<Vec<Configuration>>,
    infos: Vec<Arc<SetInfo>>,
    moves: Map<(SetId, Words), SetId>,
    effects: Map<(u32, u32, u32), Vec<(u32, u32)>>,
    renamed: Map<(SetId, Renaming), Renamed>,
    closures: Map<SetId, Arc<std::collections::HashSet<Configuration>>>,
    bytes: usize,
}

/// The determinised specification.
pub(crate) struct Configurations {
    spec: Specification,
    /// Specification operation of every operation of the object.
    ops: Vec<OpId>,
    threads: usize,
    /// The specification tells threads apart (has values that name threads).
    names_threads: bool,
    uses_self: bool,
    tables: Mutex<Tables>,
    covers: RwLock<Map<(SetId, SetId), bool>>,
}

/// What a worker remembers.
pub(crate) struct Memory {
    moves: Map<(SetId, Words), SetId>,
    renamed: Map<(SetId, Renaming), Renamed>,
    infos: Vec<Option<Arc<SetInfo>>>,
    key: Words,
}

impl Configurations {
    pub(crate) fn new(spec: Specification, ops: Vec<OpId>) -> Self {
        let threads = spec.threads() as usize;
        let names_threads = spec.names_threads();
        let uses_self = spec.uses_caller();
        let mut tables = Tables {
            states: Interned::new(),
            statuses: Interned::new(),
            sets: Interned::new(),
            infos: Vec::new(),
            moves: Map::with_hasher(hasher()),
            effects: Map::with_hasher(hasher()),
            renamed: Map::with_hasher(hasher()),
            closures: Map::with_hasher(hasher()),
            bytes: 0,
        };
        tables.statuses.intern(Status::Idle);
        let this = Configurations {
            spec,
            ops,
            threads,
            names_threads,
            uses_self,
            tables: Mutex::new(tables),
            covers: RwLock::new(Map::with_hasher(hasher())),
        };
        this.add_set(&mut this.lock(), Vec::new());
        this
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
                let mut c = Configuration::from_elem(0, self.threads + 1);
                c[0] = tables.states.intern(state);
                c
            })
            .collect();
        self.add_minimal(&mut tables, set)
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
        let kind = u32::from(event.kind == EventKind::Return);
        memory.key.push(event.thread << 16 | event.op << 1 | kind);
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
        let proc = self.spec.unit().op(self.ops[event.op as usize]);
        let program = self.spec.program();
        let mut slots = event.values.iter().copied();
        let from = tables.infos[key.0 as usize].clone();
        let next = match event.kind {
            EventKind::Call => {
                let args = proc.locals[..proc.params as usize]
                    .iter()
                    .map(|p| Value::unflatten(&p.ty, program, &mut slots))
                    .collect();
                let status = tables.statuses.intern(Status::Pending { op: event.op, args });
                let mut set = from.configurations.clone();
                set.iter_mut().for_each(|c| c[thread] = status);
                // Marking keeps generators minimal and distinct.
                self.add_set(&mut tables, set)
            }
            EventKind::Return => {
                let result = Value::unflatten(&proc.result, program, &mut slots);
                let wanted = tables.statuses.intern(Status::Done { op: event.op, result });
                let mut set = Vec::new();
                let mut seen = std::collections::HashSet::new();
                for c in &from.configurations {
                    self.returns(&mut tables, c.clone(), thread, wanted, &mut seen, &mut set)?;
                }
                self.add_minimal(&mut tables, set)?
            }
        };
        tables.moves.insert(key.clone(), next);
        tables.bytes += 96;
        Ok(next)
    }

    /// Lets operations take effect until `thread`'s has, and keeps the outcome if it is `wanted`.
    fn returns(
        &self,
        tables: &mut Tables,
        c: Configuration,
        thread: usize,
        wanted: u32,
        seen: &mut std::collections::HashSet<Configuration>,
        out: &mut Vec<Configuration>,
    ) -> Result<(), SpecFault> {
        if !seen.insert(c.clone()) {
            return Ok(());
        }
        if !matches!(**tables.statuses.get(c[thread]), Status::Pending { .. }) {
            if c[thread] == wanted {
                let mut c = c;
                c[thread] = 0;
                out.push(c);
            }
            return Ok(());
        }
        for next in self.effects(tables, &c)? {
            self.returns(tables, next, thread, wanted, seen, out)?;
        }
        Ok(())
    }

    /// All configurations after one pending operation took effect.
    fn effects(
        &self,
        tables: &mut Tables,
        c: &Configuration,
    ) -> Result<Vec<Configuration>, SpecFault> {
        let mut out = Vec::new();
        for t in 1..=self.threads {
            let status = tables.statuses.get(c[t]).clone();
            let Status::Pending { op, args } = &*status else { continue };
            let key = (c[0], c[t], if self.uses_self { t as u32 } else { 0 });
            if !tables.effects.contains_key(&key) {
                let state = tables.states.get(c[0]).clone();
                let outcomes = self.spec.execute(&state, self.ops[*op as usize], args, t as u32)?;
                let outcomes = outcomes
                    .into_iter()
                    .map(|(state, result)| {
                        let done = tables.statuses.intern(Status::Done { op: *op, result });
                        (tables.states.intern(state), done)
                    })
                    .collect();
                tables.effects.insert(key, outcomes);
                tables.bytes += 128;
            }
            for &(state, done) in &tables.effects[&key] {
                let mut next = c.clone();
                next[0] = state;
                next[t] = done;
                out.push(next);
            }
        }
        Ok(out)
    }

    /// Everything a configuration leads to by pending operations taking effect, without itself.
    fn below(
        &self,
        tables: &mut Tables,
        c: &Configuration,
        out: &mut std::collections::HashSet<Configuration>,
    ) -> Result<(), SpecFault> {
        for next in self.effects(tables, c)? {
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
            let mut generated = std::collections::HashSet::new();
            for c in &set {
                self.below(tables, c, &mut generated)?;
            }
            set.retain(|c| !generated.contains(c));
        }
        Ok(self.add_set(tables, set))
    }

    fn add_set(&self, tables: &mut Tables, mut set: Vec<Configuration>) -> SetId {
        set.sort_unstable();
        let known = tables.infos.len();
        let id = tables.sets.intern(set);
        if id as usize == known {
            let info = self.describe(tables, tables.sets.get(id));
            tables.bytes += 200 + info.configurations.len() * (self.threads + 1) * 12;
            tables.infos.push(Arc::new(info));
        }
        id
    }

    fn describe(&self, tables: &Tables, set: &[Configuration]) -> SetInfo {
        let program = self.spec.program();
        let mut data = vec![Vec::new(); program.data.len()];
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
            for (value, var) in state.iter().zip(&self.spec.unit().vars) {
                value.visit_data(&var.ty, program, &mut note);
            }
            let mut hasher = plain_hasher();
            state.hash(&mut hasher);
            for t in 0..self.threads {
                let status = tables.statuses.get(c[t + 1]);
                status.hash(&mut hasher);
                self.visit(status, &mut note);
                hints[t] = hints[t].wrapping_add(self.form(status));
            }
            content = content.wrapping_add(hasher.finish());
        }
        data.iter_mut().for_each(|values| values.sort_unstable());
        SetInfo { configurations: set.to_vec(), content, hints, data }
    }

    fn visit(&self, status: &Status, note: &mut dyn FnMut(DataId, u32)) {
        let program = self.spec.program();
        match status {
            Status::Idle => {}
            Status::Pending { op, args } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                for (value, p) in args.iter().zip(&proc.locals) {
                    value.visit_data(&p.ty, program, note);
                }
            }
            Status::Done { op, result } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                result.visit_data(&proc.result, program, note);
            }
        }
    }

    fn map_status(
        &self,
        status: &Status,
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> Status {
        let program = self.spec.program();
        match status {
            Status::Idle => Status::Idle,
            Status::Pending { op, args } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                let args = args
                    .iter()
                    .zip(&proc.locals)
                    .map(|(v, p)| v.map(&p.ty, program, data, thread))
                    .collect();
                Status::Pending { op: *op, args }
            }
            Status::Done { op, result } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                Status::Done { op: *op, result: result.map(&proc.result, program, data, thread) }
            }
        }
    }

    /// A number that is the same for statuses that differ in names only.
    fn form(&self, status: &Status) -> u32 {
        let blank = self.map_status(status, &mut |_, _| 1, &mut |_| 1);
        let mut hasher = plain_hasher();
        blank.hash(&mut hasher);
        hasher.finish() as u32
    }

    /// Does exchanging two threads leave the set as it is? (`false` is always correct.)
    pub(crate) fn twins(&self, info: &SetInfo, a: usize, b: usize) -> bool {
        !self.names_threads && info.configurations.iter().all(|c| c[a + 1] == c[b + 1])
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
        let program = self.spec.program();
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
                    let statuses: Vec<_> =
                        c[1..].iter().map(|&s| tables.statuses.get(s).clone()).collect();
                    (tables.states.get(c[0]).clone(), statuses)
                })
                .collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| sort_key(&a.1).cmp(&sort_key(&b.1))));
            let mut note = |id: DataId, value: u32| {
                if let Some(n) = &mut names[id.index()]
                    && !n.contains(&value)
                {
                    n.push(value);
                }
            };
            for (state, statuses) in &sorted {
                for (value, var) in state.iter().zip(&self.spec.unit().vars) {
                    value.visit_data(&var.ty, program, &mut note);
                }
                statuses.iter().for_each(|s| self.visit(s, &mut note));
            }
        }
        let mut data = |id: DataId, value: u32| match &names[id.index()] {
            Some(n) => n.iter().position(|&v| v == value).map_or(value, |i| i as u32 + 1),
            None => value,
        };
        let mut thread = |t: u32| u32::from(renaming.threads[t as usize - 1]) + 1;
        let mut set = Vec::with_capacity(info.configurations.len());
        for c in &info.configurations {
            let mut next = Configuration::from_elem(0, self.threads + 1);
            let state = tables.states.get(c[0]).clone();
            let state = state
                .iter()
                .zip(&self.spec.unit().vars)
                .map(|(v, var)| v.map(&var.ty, program, &mut data, &mut thread))
                .collect();
            next[0] = tables.states.intern(state);
            for t in 0..self.threads {
                let status = tables.statuses.get(c[t + 1]).clone();
                let status = self.map_status(&status, &mut data, &mut thread);
                next[renaming.threads[t] as usize + 1] = tables.statuses.intern(status);
            }
            set.push(next);
        }
        let counts = names.iter().map(|n| n.as_ref().map_or(0, |n| n.len() as u32)).collect();
        (self.add_set(tables, set), counts)
    }

    /// Is the closed set `small` contained in the closed set `large`?
    pub(crate) fn contains(&self, small: SetId, large: SetId) -> bool {
        if small == large || small == EMPTY {
            return true;
        }
        let read = self.covers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = read.get(&(small, large)) {
            return known;
        }
        drop(read);
        let contained = self.compute_contains(small, large);
        self.covers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((small, large), contained);
        contained
    }

    fn compute_contains(&self, small: SetId, large: SetId) -> bool {
        let mut tables = self.lock();
        let closure = match tables.closures.get(&large) {
            Some(closure) => closure.clone(),
            None => {
                let info = tables.infos[large as usize].clone();
                let mut closure = std::collections::HashSet::new();
                for c in &info.configurations {
                    closure.insert(c.clone());
                    if self.below(&mut tables, c, &mut closure).is_err() {
                        // The fault is met again, and reported, when the operation returns.
                        return false;
                    }
                }
                tables.bytes += closure.len() * (self.threads + 1) * 8;
                let closure = Arc::new(closure);
                tables.closures.insert(large, closure.clone());
                closure
            }
        };
        let info = tables.infos[small as usize].clone();
        drop(tables);
        info.configurations.iter().all(|c| closure.contains(c))
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

fn plain_hasher() -> rapidhash::fast::RapidHasher<'static> {
    rapidhash::fast::RapidHasher::default_const()
}

fn sort_key(statuses: &[Arc<Status>]) -> Vec<(u8, u32, &[Value])> {
    statuses
        .iter()
        .map(|s| match &**s {
            Status::Idle => (0, 0, &[][..]),
            Status::Pending { op, args } => (1, *op, &args[..]),
            Status::Done { op, result } => (2, *op, std::slice::from_ref(result)),
        })
        .collect()
}
