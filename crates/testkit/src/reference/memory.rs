//! Shared memory of the reference interpreter: variables and heap records as plain [`Value`]s.
//!
//! Nothing is flattened, renumbered or shared: a place is a root and a path into a tree of values.
//! Links of `ll` are kept as a map from `(thread, shape)` to the place that every write to an
//! overlapping place shrinks, which is the sentence "nobody wrote the place since" as data.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_lin::Value;
use linchpin_lin::program::{Expr, ExprKind, FaultKind, Memory, Program, Type};

/// Fresh records are numbered from this times their thread on.
pub(super) const RECORDS_PER_THREAD: u32 = 100_000;

/// What all threads see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shared {
    /// The variables of the object or specification.
    pub(crate) globals: Vec<Value>,
    /// Heap records by their number.
    pub(crate) heap: BTreeMap<u32, Cell>,
    /// To which place a thread (from 1) has an intact link, for each shape of place.
    pub(crate) links: BTreeMap<(u32, Shape), Address>,
}

/// A heap record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// Index of its record type.
    pub(crate) record: u32,
    /// Its fields.
    pub(crate) fields: Vec<Value>,
    /// Given back by `free`.
    pub(crate) free: bool,
    /// Does it count for the bound on the heap? Known at the beginning of a step.
    pub(crate) counts: bool,
}

/// What places have in common that share a link: a variable, a field of a node type, the elements
/// of an array.
pub(crate) type Shape = Vec<u32>;

/// The shape of a shared place.
pub(crate) fn shape(place: &Expr) -> Shape {
    match &place.kind {
        ExprKind::Global(id) => vec![0, id.0],
        ExprKind::Field(record, field) => match record.ty {
            Type::Ref(id) => vec![1, id.0, *field],
            _ => Vec::new(),
        },
        ExprKind::Part(whole, i) => [shape(whole), vec![*i]].concat(),
        ExprKind::Index(whole, _) => [shape(whole), vec![u32::MAX]].concat(),
        _ => Vec::new(),
    }
}

/// Where an address starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Root {
    /// A local variable of the current procedure.
    Local(usize),
    /// A variable of the unit.
    Global(usize),
    /// A field of a heap record.
    Heap(u32, usize),
}

/// One step from a value to a component of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Hop {
    /// Component of a tuple, struct, array or sequence.
    At(usize),
    /// Entry of a map.
    Key(Value),
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Address {
    /// Where it starts.
    pub(crate) root: Root,
    /// How to go on from there.
    pub(crate) path: Vec<Hop>,
}

impl Address {
    /// Do the two places have a component in common?
    pub(crate) fn overlaps(&self, other: &Address) -> bool {
        self.root == other.root && self.path.iter().zip(&other.path).all(|(a, b)| a == b)
    }

    /// What of the address depends on the execution (the rest follows from the text).
    pub(crate) fn dynamic_part(&self) -> Vec<Value> {
        let mut values = Vec::new();
        if let Root::Heap(id, _) = self.root {
            values.push(Value::Ref(id));
        }
        for hop in &self.path {
            values.push(match hop {
                Hop::At(i) => Value::Int(*i as i32),
                Hop::Key(key) => key.clone(),
            });
        }
        values
    }
}

impl Shared {
    /// The records that can be reached from the variables and `roots`, not through what must not be
    /// read.
    pub(crate) fn reached<'a>(
        &self,
        memory: Memory,
        roots: impl Iterator<Item = &'a Value>,
    ) -> BTreeSet<u32> {
        let mut reached = BTreeSet::new();
        let mut todo = Vec::new();
        roots.for_each(|v| references(v, &mut todo));
        self.globals.iter().for_each(|v| references(v, &mut todo));
        while let Some(id) = todo.pop() {
            if reached.insert(id)
                && let Some(cell) = self.heap.get(&id)
                && (memory == Memory::Stable || !cell.free)
            {
                cell.fields.iter().for_each(|v| references(v, &mut todo));
            }
        }
        reached
    }

    /// Forgets the records that are not among these; the free ones only if asked to.
    pub(crate) fn keep(&mut self, reached: &BTreeSet<u32>, forget_free: bool) {
        self.heap.retain(|id, cell| reached.contains(id) || (cell.free && !forget_free));
        let heap = &self.heap;
        self.links.retain(|_, place| match place.root {
            Root::Heap(id, _) => heap.contains_key(&id),
            _ => true,
        });
    }

    /// The number of the last record that a thread has allocated, among those that are left.
    pub(super) fn last_record_of(&self, thread: u32) -> u32 {
        let records = self.heap.keys().filter(|id| *id / RECORDS_PER_THREAD == thread);
        records.max().map_or(0, |id| id % RECORDS_PER_THREAD)
    }

    /// Breaks all links to places that overlap this one.
    pub(crate) fn break_links(&mut self, written: &Address) {
        self.links.retain(|_, place| !place.overlaps(written));
    }
}

/// Adds all references inside a value, except `null`.
fn references(value: &Value, into: &mut Vec<u32>) {
    match value {
        Value::Ref(0) => {}
        Value::Ref(id) => into.push(*id),
        Value::Option(Some(inner)) => references(inner, into),
        Value::Tuple(parts) | Value::Seq(parts) => parts.iter().for_each(|v| references(v, into)),
        _ => {}
    }
}

/// The component of a value at the end of a path.
pub(crate) fn component<'v>(mut value: &'v Value, path: &[Hop]) -> Result<&'v Value, FaultKind> {
    for hop in path {
        value = match (value, hop) {
            (Value::Tuple(parts) | Value::Seq(parts), Hop::At(i)) => parts.get(*i),
            (Value::Map(entries), Hop::Key(key)) => entries.get(key),
            _ => None,
        }
        .ok_or(FaultKind::IndexOutOfRange)?;
    }
    Ok(value)
}

/// The same, to be changed. A map gets an entry (to be overwritten) for a missing last key.
pub(crate) fn component_mut<'v>(
    mut value: &'v mut Value,
    path: &[Hop],
) -> Result<&'v mut Value, FaultKind> {
    for (n, hop) in path.iter().enumerate() {
        let last = n + 1 == path.len();
        value = match (value, hop) {
            (Value::Tuple(parts) | Value::Seq(parts), Hop::At(i)) => parts.get_mut(*i),
            (Value::Map(entries), Hop::Key(key)) => match last {
                true => Some(entries.entry(key.clone()).or_insert(Value::Unit)),
                false => entries.get_mut(key),
            },
            _ => None,
        }
        .ok_or(FaultKind::IndexOutOfRange)?;
    }
    Ok(value)
}

/// Is every number inside the value within the range its place has?
pub(crate) fn fits(value: &Value, ty: &Type, program: &Program) -> bool {
    match (value, ty) {
        (Value::Int(n), Type::Int { lo, hi }) => (lo..=hi).contains(&n),
        (Value::Option(Some(inner)), Type::Option(ty)) => fits(inner, ty, program),
        (Value::Tuple(parts), Type::Tuple(types)) => {
            parts.iter().zip(types).all(|(v, t)| fits(v, t, program))
        }
        (Value::Tuple(parts), Type::Struct(id)) => {
            let fields = &program.structs[id.index()].fields;
            parts.iter().zip(fields).all(|(v, f)| fits(v, &f.ty, program))
        }
        (Value::Tuple(parts), Type::Array(ty, _) | Type::Endless(ty, _) | Type::PerThread(ty))
        | (Value::Seq(parts), Type::Seq(ty)) => parts.iter().all(|v| fits(v, ty, program)),
        (Value::Set(parts), Type::Set(ty)) => parts.iter().all(|v| fits(v, ty, program)),
        (Value::Bag(parts), Type::Bag(ty)) => parts.keys().all(|v| fits(v, ty, program)),
        (Value::Map(entries), Type::Map(key, ty)) => {
            entries.iter().all(|(k, v)| fits(k, key, program) && fits(v, ty, program))
        }
        _ => true,
    }
}
