//! What rules work with: abstract states and parts of configurations, by number.
//!
//! Numbers are given first come, for all workers together. Every worker has a table of what has a number,
//! which it brings up to date when it meets a number that is new to it: so the common case takes no
//! lock. A worker knows every number it has in its hands: sets and answers that others found go through
//! [`Terms::learn`] first.

use std::hash::{Hash, Hasher};
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use linchpin_engine::{Cache, Table};
use linchpin_lin::Span;
use linchpin_lin::Value;
use linchpin_lin::program::{DataId, OpId};
use linchpin_lin::specify::{SpecFault, Specification};
use linchpin_lts::{Loading, NewNumbers, Saving};

use super::{Configuration, IDLE, PartId};
use crate::part::{Anatomy, Part, plain_hasher};

/// Abstract states and results after an operation, by number.
///
/// Nearly always there is one, and it is asked for all the time: counting who refers to it would take longer than to copy
/// it, the more so as the counts of two workers may be in one cache line.
#[derive(Clone)]
pub(crate) enum Outcomes {
    One([(u32, PartId); 1]),
    Several(Arc<[(u32, PartId)]>),
}

impl Deref for Outcomes {
    type Target = [(u32, PartId)];

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Outcomes::One(outcome) => outcome,
            Outcomes::Several(outcomes) => outcomes,
        }
    }
}

impl FromIterator<(u32, PartId)> for Outcomes {
    fn from_iter<I: IntoIterator<Item = (u32, PartId)>>(outcomes: I) -> Self {
        let outcomes: Arc<[(u32, PartId)]> = outcomes.into_iter().collect();
        match *outcomes {
            [outcome] => Outcomes::One([outcome]),
            _ => Outcomes::Several(outcomes),
        }
    }
}

/// The abstract state after the specification went wrong, by number.
pub(crate) const WRONG: u32 = 0;

/// At most so many outcomes of operations a worker remembers.
const OUTCOMES: usize = 1 << 18;

/// At most so many states and parts with other names a worker remembers.
const RENAMED: usize = 1 << 17;

/// A state or a part, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Thing {
    State(u32),
    Part(PartId),
}

/// After so many outcomes we ask whether to go on.
const ASK: usize = 1 << 12;

/// A thing, and what is asked about it again and again.
#[derive(Clone)]
pub(super) struct Item<T> {
    pub(super) thing: Arc<T>,
    /// Its hash.
    hash: u64,
    /// The same for things that differ in names only. (Of a part.)
    pub(super) form: u32,
    /// The opaque values in it, in the order in which they are visited.
    pub(super) data: Arc<[(DataId, u32)]>,
}

/// Things by number.
pub(super) struct Interned<T> {
    items: Vec<Item<T>>,
    table: Table,
}

impl<T: Clone + Eq> Interned<T> {
    fn new() -> Self {
        Interned { items: Vec::new(), table: Table::default() }
    }

    pub(super) fn get(&self, number: u32) -> &Item<T> {
        &self.items[number as usize]
    }

    fn find(&self, hash: u64, thing: &T) -> Option<u32> {
        self.table.find(hash, |number| *self.get(number).thing == *thing).ok()
    }

    /// Adds something that is not there.
    fn add(&mut self, item: Item<T>) {
        let items = &self.items;
        self.table.reserve(1, items.len() + 1, |number| items[number as usize].hash);
        if let Err(place) = self.table.find(item.hash, |_| false) {
            self.table.insert(place, item.hash, self.items.len() as u32);
        }
        self.items.push(item);
    }

    /// Copies what has been added to the original.
    fn copy(&mut self, original: &Interned<T>) {
        original.items[self.items.len()..].iter().for_each(|item| self.add(item.clone()));
    }
}

/// Things by number, for all workers.
struct Shared<T>(Mutex<Interned<T>>);

impl<T: Clone + Eq + Hash> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Interned<T>> {
        // Things are added whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a thing; `describe` gives its form and the values in it.
    fn intern(
        &self,
        copy: &mut Interned<T>,
        thing: T,
        describe: impl Fn(&T) -> (u32, Vec<(DataId, u32)>),
    ) -> u32 {
        let mut hasher = plain_hasher();
        thing.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = copy.find(hash, &thing) {
            return known;
        }
        let (form, data) = describe(&thing);
        let item = Item { thing: Arc::new(thing), hash, form, data: data.into() };
        let mut all = self.lock();
        let number = all.find(hash, &item.thing).unwrap_or_else(|| {
            all.add(item);
            all.items.len() as u32 - 1
        });
        copy.copy(&all);
        number
    }

    fn learn(&self, copy: &mut Interned<T>, number: u32) {
        if number as usize >= copy.items.len() {
            copy.copy(&self.lock());
        }
    }
}

/// The specification, and numbers for what it is about.
pub(super) struct Vocabulary {
    pub(super) spec: Specification,
    /// Specification operation of every operation of the object; then, for each, the one after `meet`, if the condition asks
    /// for that.
    pub(super) ops: Vec<OpId>,
    /// How many operations the object has.
    own: u32,
    pub(super) uses_caller: bool,
    states: Shared<Vec<Value>>,
    parts: Shared<Part>,
    /// What went wrong; of several faults the first in the text.
    fault: Mutex<Option<SpecFault>>,
    /// Nothing went wrong, but there was no time or memory to go on.
    stopped: OnceLock<SpecFault>,
}

/// What a worker knows and remembers.
pub(crate) struct Memory {
    pub(super) states: Interned<Vec<Value>>,
    pub(super) parts: Interned<Part>,
    /// None: the operation goes wrong.
    outcomes: Cache<(u32, PartId, u32), Option<Outcomes>>,
    /// States and parts with other names, by the number of a renaming.
    renamed: Cache<(u32, Thing), u32>,
    /// Where the specification went wrong lately.
    wrong: Vec<Configuration>,
    /// Outcomes since somebody was asked whether to go on.
    since_asked: usize,
    /// Scratch.
    pub(super) words: Vec<u32>,
}

impl Vocabulary {
    pub(super) fn new(spec: Specification, mut ops: Vec<OpId>) -> Self {
        let own = ops.len() as u32;
        for i in 0..ops.len() {
            ops.push(spec.halves(ops[i]).map_or(ops[i], |[_, after]| after));
        }
        let vocabulary = Vocabulary {
            own,
            uses_caller: spec.uses_caller(),
            spec,
            ops,
            states: Shared(Mutex::new(Interned::new())),
            parts: Shared(Mutex::new(Interned::new())),
            fault: Mutex::default(),
            stopped: OnceLock::new(),
        };
        let mut memory = vocabulary.memory();
        let idle = vocabulary.terms(&mut memory).intern(Part::Idle);
        // More variables than there are: no state of the specification is like this.
        let none = vec![Value::Unit; vocabulary.spec.unit().vars.len() + 1];
        let wrong = vocabulary.states.intern(&mut memory.states, none, |_| (0, Vec::new()));
        debug_assert_eq!((idle, wrong), (IDLE, WRONG));
        vocabulary
    }

    /// A memory that knows what every worker has in its hands from the beginning: `IDLE` and `WRONG`.
    pub(super) fn memory(&self) -> Memory {
        let mut memory = Memory::new();
        memory.parts.copy(&self.parts.lock());
        memory.states.copy(&self.states.lock());
        memory
    }

    fn lock_fault(&self) -> MutexGuard<'_, Option<SpecFault>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what went wrong.
    pub(super) fn note(&self, fault: SpecFault) {
        let place = |f: &SpecFault| (f.span.start, f.span.end, f.message.clone());
        if fault.kind.limit().is_some() {
            let _ = self.stopped.set(fault);
            return;
        }
        let mut known = self.lock_fault();
        if known.as_ref().is_none_or(|known| place(&fault) < place(known)) {
            *known = Some(fault);
        }
    }

    /// Shall the specification be left alone? A single event may lead to millions of configurations, so this is asked
    /// within it; an operation that is not executed then counts as one that went wrong.
    fn is_over(&self, since_asked: &mut usize) -> bool {
        let watch = self.spec.watch();
        let limit = match *since_asked {
            0..ASK => watch.told(),
            _ => {
                *since_asked = 0;
                watch.over()
            }
        };
        limit
            .inspect(|&limit| self.note(SpecFault::stopped(limit, self.spec.unit().span)))
            .is_some()
    }

    /// Writes all states and parts down, and what went wrong, for another run.
    pub(super) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        out.things(self.states.lock().items.iter().map(|item| &*item.thing))?;
        out.things(self.parts.lock().items.iter().map(|item| &*item.thing))?;
        out.thing(&self.lock_fault().clone().map(|f| (f.kind, f.span.start, f.span.end, f.message)))
    }

    /// Reads that; says what states and parts are called here.
    pub(super) fn load(
        &self,
        memory: &mut Memory,
        from: &mut Loading<'_>,
    ) -> io::Result<[NewNumbers; 2]> {
        let mut terms = self.terms(memory);
        let states = from.things(|state: Vec<Value>, new| match new.0.len() as u32 {
            WRONG => Ok(WRONG),
            _ => Ok(terms.intern_state(state)),
        })?;
        let parts = from.things(|part: Part, _| Ok(terms.intern(part)))?;
        if let Some((kind, start, end, message)) = from.thing()? {
            let _: (u32, u32) = (start, end);
            self.note(SpecFault { kind, span: Span { start, end }, message });
        }
        Ok([states, parts])
    }

    /// What went wrong so far.
    pub(super) fn fault(&self) -> Option<SpecFault> {
        self.stopped.get().cloned().or_else(|| self.lock_fault().clone())
    }

    pub(super) fn anatomy(&self) -> Anatomy<'_> {
        Anatomy { spec: &self.spec, ops: &self.ops }
    }

    pub(super) fn terms<'a>(&'a self, memory: &'a mut Memory) -> Terms<'a> {
        Terms { vocabulary: self, memory }
    }
}

impl Memory {
    fn new() -> Self {
        Memory {
            states: Interned::new(),
            parts: Interned::new(),
            outcomes: Cache::new(OUTCOMES),
            renamed: Cache::new(RENAMED),
            wrong: Vec::new(),
            since_asked: 0,
            words: Vec::new(),
        }
    }

    /// Calls `note` for every opaque value in a configuration.
    pub(super) fn each_value(&self, c: &[u32], note: &mut dyn FnMut(DataId, u32)) {
        self.states.get(c[0]).data.iter().for_each(|&(id, value)| note(id, value));
        for &part in &c[1..] {
            self.parts.get(part).data.iter().for_each(|&(id, value)| note(id, value));
        }
    }
}

/// What rules may ask for.
pub(crate) struct Terms<'a> {
    vocabulary: &'a Vocabulary,
    memory: &'a mut Memory,
}

impl Terms<'_> {
    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.vocabulary.spec.threads() as usize
    }

    /// Do outcomes depend on who calls?
    pub(crate) fn uses_caller(&self) -> bool {
        self.vocabulary.uses_caller
    }

    /// The part with this number.
    pub(crate) fn part(&self, id: PartId) -> &Arc<Part> {
        &self.memory.parts.get(id).thing
    }

    /// The number of a part.
    pub(crate) fn intern(&mut self, part: Part) -> PartId {
        let Vocabulary { parts, .. } = self.vocabulary;
        let anatomy = self.vocabulary.anatomy();
        parts.intern(&mut self.memory.parts, part, |part| {
            let mut data = Vec::new();
            anatomy.visit(part, &mut |id, value| data.push((id, value)));
            (anatomy.form(part), data)
        })
    }

    /// The abstract state with this number.
    pub(super) fn state(&self, number: u32) -> &Arc<Vec<Value>> {
        &self.memory.states.get(number).thing
    }

    /// The number of an abstract state.
    pub(super) fn intern_state(&mut self, state: Vec<Value>) -> u32 {
        let Vocabulary { states, spec, .. } = self.vocabulary;
        states.intern(&mut self.memory.states, state, |state| {
            let mut data = Vec::new();
            spec.visit_data(state, &mut |id, value| data.push((id, value)));
            (0, data)
        })
    }

    /// Sees to it that the numbers in a configuration that somebody else made are known.
    pub(crate) fn learn(&mut self, c: &[u32]) {
        let Some((&state, parts)) = c.split_first() else { return };
        self.vocabulary.states.learn(&mut self.memory.states, state);
        let most = parts.iter().copied().max().unwrap_or(IDLE);
        self.vocabulary.parts.learn(&mut self.memory.parts, most);
    }

    /// Calls `note` for every opaque value in a configuration.
    pub(crate) fn visit_data(&self, c: &Configuration, note: &mut dyn FnMut(DataId, u32)) {
        self.memory.each_value(c, note);
    }

    /// Calls `note` for every opaque value in the abstract state of a configuration.
    pub(crate) fn visit_state(&self, c: &Configuration, note: &mut dyn FnMut(DataId, u32)) {
        self.memory.each_value(&c[..1], note);
    }

    /// Calls `note` for every opaque value in a part.
    pub(crate) fn visit_part(&self, part: &Part, note: &mut dyn FnMut(DataId, u32)) {
        self.vocabulary.anatomy().visit(part, note);
    }

    /// What `rename` gives for something, which a worker remembers if the renaming has a number.
    pub(super) fn remembered(
        &mut self,
        renaming: Option<u32>,
        thing: Thing,
        rename: impl FnOnce(&mut Self) -> u32,
    ) -> u32 {
        let Some(renaming) = renaming else { return rename(self) };
        if let Some(known) = self.memory.renamed.get(&(renaming, thing)) {
            return *known;
        }
        let renamed = rename(self);
        self.memory.renamed.put((renaming, thing), renamed);
        renamed
    }

    /// A part with its names changed.
    pub(super) fn rename_part(
        &mut self,
        part: PartId,
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> PartId {
        let renamed = self.vocabulary.anatomy().rename(self.part(part), data, thread);
        self.intern(renamed)
    }

    /// An abstract state with its names changed.
    pub(super) fn rename_state(
        &mut self,
        state: u32,
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> u32 {
        if state == WRONG {
            return WRONG;
        }
        let renamed = self.vocabulary.spec.rename(self.state(state), data, thread);
        self.intern_state(renamed)
    }

    /// A configuration with its opaque values renamed; the loose parts stay where they are.
    pub(crate) fn rename_data(
        &mut self,
        c: &Configuration,
        data: &mut dyn FnMut(DataId, u32) -> u32,
    ) -> Configuration {
        let mut next = c.clone();
        next[0] = self.rename_state(c[0], data, &mut |t| t);
        for part in &mut next[1..] {
            *part = self.rename_part(*part, data, &mut |t| t);
        }
        next
    }

    /// An operation that has taken effect with a certain result?
    pub(crate) fn is_done(&self, id: PartId) -> bool {
        matches!(**self.part(id), Part::Done { .. })
    }

    /// An operation that has come to its `meet` and not to its end?
    pub(crate) fn is_halfway(&self, id: PartId) -> bool {
        matches!(**self.part(id), Part::Pending { op, .. } if op >= self.vocabulary.own)
    }

    /// An operation that has not begun to take effect, and will do so in two parts?
    pub(crate) fn meets(&self, id: PartId) -> bool {
        let Vocabulary { spec, ops, .. } = self.vocabulary;
        matches!(**self.part(id), Part::Pending { op, .. } if spec.halves(ops[op as usize]).is_some())
    }

    /// An operation that has not taken effect?
    pub(crate) fn is_pending(&self, id: PartId) -> bool {
        matches!(**self.part(id), Part::Pending { .. })
    }

    /// All states and results (`Part::Done`) after a `Part::Pending` of `thread` (from 1) took
    /// effect in a configuration. (Of an operation with `meet`, where the condition asks for that: after its first
    /// part; then the rest is a `Part::Pending` again.) If the specification goes wrong there are none, and it is noted that it
    /// did so in this configuration.
    pub(crate) fn outcomes(&mut self, c: &Configuration, call: PartId, thread: usize) -> Outcomes {
        let key = (c[0], call, if self.uses_caller() { thread as u32 } else { 0 });
        let outcomes = match self.memory.outcomes.get(&key) {
            _ if self.vocabulary.is_over(&mut self.memory.since_asked) => None,
            Some(known) => known.clone(),
            None => {
                let outcomes = self.execute(c[0], call, thread);
                self.memory.outcomes.put(key, outcomes.clone());
                outcomes
            }
        };
        self.memory.since_asked += 1 + outcomes.as_ref().map_or(0, |outcomes| outcomes.len());
        outcomes.unwrap_or_else(|| {
            self.memory.wrong.push(c.clone());
            Outcomes::Several(Arc::new([]))
        })
    }

    /// The outcomes, computed; `None` if the specification goes wrong.
    fn execute(&mut self, state: u32, call: PartId, thread: usize) -> Option<Outcomes> {
        let part = self.part(call).clone();
        let Part::Pending { op, args } = &*part else {
            return Some(Outcomes::Several(Arc::new([])));
        };
        let Vocabulary { spec, ops, own, .. } = self.vocabulary;
        let halves = spec.halves(ops[*op as usize]);
        let now = halves.map_or(ops[*op as usize], |[before, _]| before);
        match spec.execute(self.state(state), now, args, thread as u32) {
            Err(fault) => {
                self.vocabulary.note(fault);
                None
            }
            Ok(outcomes) => {
                let named = outcomes.into_iter().map(|(state, result)| {
                    let part = match result {
                        Value::Tuple(args) if halves.is_some() => {
                            Part::Pending { op: *op + own, args }
                        }
                        result => Part::Done { op: *op % own, result },
                    };
                    (self.intern_state(state), self.intern(part))
                });
                Some(named.collect())
            }
        }
    }

    /// How often the specification has gone wrong, for the following questions.
    pub(crate) fn mark(&self) -> usize {
        self.memory.wrong.len()
    }

    /// Has the specification gone wrong since then?
    pub(crate) fn went_wrong_since(&self, mark: usize) -> bool {
        self.memory.wrong.len() > mark
    }

    /// Forgets where the specification has gone wrong since then; tells whether it has.
    pub(crate) fn forget_since(&mut self, mark: usize) -> bool {
        let wrong = self.went_wrong_since(mark);
        self.memory.wrong.truncate(mark);
        wrong
    }

    /// Where the specification has gone wrong since then, which is forgotten.
    pub(crate) fn take_wrong_since(&mut self, mark: usize) -> Vec<Configuration> {
        self.memory.wrong.split_off(mark)
    }
}
