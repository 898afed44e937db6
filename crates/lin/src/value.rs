//! Values as trees: constants, arguments and results, and the abstract state of specifications.
//!
//! The state of an *object* never contains these; there a value is flattened to slots
//! (see `layout`).

use std::collections::{BTreeMap, BTreeSet};

use linchpin_lts::threads_in;
use serde::{Deserialize, Serialize};

use crate::program::{DataId, Program, StructId, Type};

/// A value. The order is structural and has no meaning beyond being total.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Value {
    /// No value.
    Unit,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Int(i32),
    /// The index of an enum value.
    Enum(u32),
    /// The `n`-th value of an opaque data type, from 1; 0 is the value of an uninitialised place.
    Data(u32),
    /// A reference; 0 is `null`. Constants are always `null`.
    Ref(u32),
    /// A thread, from 1; 0 is no thread (a free lock).
    Thread(u32),
    /// `T?`
    Option(Option<Box<Value>>),
    /// Tuples, structs and arrays.
    Tuple(Vec<Value>),
    /// `seq`
    Seq(Vec<Value>),
    /// `set`
    Set(BTreeSet<Value>),
    /// `bag`: how often each element occurs (never 0)
    Bag(BTreeMap<Value, u32>),
    /// `map`
    Map(BTreeMap<Value, Value>),
}

impl Value {
    /// The value of a place of this type that nobody initialised: zero (or the least value where
    /// zero is outside the range), `false`, `null`, the first enum value, `empty`, no elements.
    pub fn default_of(ty: &Type, program: &Program) -> Value {
        match ty {
            Type::Unit => Value::Unit,
            Type::Bool => Value::Bool(false),
            Type::Int { lo, hi } => Value::Int(0.clamp(*lo, *hi)),
            Type::Enum(_) => Value::Enum(0),
            Type::Data(_) => Value::Data(0),
            Type::Ref(_) => Value::Ref(0),
            Type::Thread | Type::Lock => Value::Thread(0),
            Type::Option(_) => Value::Option(None),
            Type::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|t| Value::default_of(t, program)).collect())
            }
            Type::Struct(id) => Value::Tuple(
                program.structs[id.index()]
                    .fields
                    .iter()
                    .map(|f| Value::default_of(&f.ty, program))
                    .collect(),
            ),
            Type::Array(element, n) | Type::Endless(element, n) => {
                Value::Tuple(vec![Value::default_of(element, program); *n as usize])
            }
            // One element; every thread starts with a copy of it.
            Type::PerThread(element) => Value::default_of(element, program),
            Type::Seq(_) => Value::Seq(Vec::new()),
            Type::Set(_) => Value::Set(BTreeSet::new()),
            Type::Bag(_) => Value::Bag(BTreeMap::new()),
            Type::Map(..) => Value::Map(BTreeMap::new()),
        }
    }

    /// A value of a sum: that variant of it, with what it carries.
    pub fn of_variant(
        id: StructId,
        variant: u32,
        carried: impl IntoIterator<Item = Value>,
        program: &Program,
    ) -> Value {
        let ty = Type::Struct(id);
        let mut value = Value::default_of(&ty, program);
        let fields = program.sum(&ty).and_then(|sum| sum.carried.get(variant as usize));
        if let (Value::Tuple(parts), Some(fields)) = (&mut value, fields) {
            parts[0] = Value::Enum(variant);
            parts[fields.clone()].iter_mut().zip(carried).for_each(|(part, v)| *part = v);
        }
        value
    }

    /// The value with its opaque data values and its threads renamed; 0 (no value, no thread)
    /// stays. `data` must be injective on what it meets and `thread` a permutation of the threads:
    /// the elements of a per-thread array move with their threads.
    pub fn map(
        &self,
        ty: &Type,
        program: &Program,
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> Value {
        let mut one = |value: &Value, ty: &Type| value.map(ty, program, data, thread);
        match (self, ty) {
            (Value::Data(n), Type::Data(id)) if *n != 0 => Value::Data(data(*id, *n)),
            (Value::Thread(t), _) if *t != 0 => Value::Thread(thread(*t)),
            (Value::Option(Some(inner)), Type::Option(ty)) => {
                Value::Option(Some(Box::new(one(inner, ty))))
            }
            (Value::Tuple(parts), Type::PerThread(ty)) => {
                let mut moved = parts.clone();
                for (i, part) in parts.iter().enumerate() {
                    let renamed = part.map(ty, program, data, thread);
                    let target = thread(i as u32 + 1) as usize;
                    if let Some(place) = moved.get_mut(target.wrapping_sub(1)) {
                        *place = renamed;
                    }
                }
                Value::Tuple(moved)
            }
            (Value::Tuple(parts), _) => Value::Tuple(
                parts.iter().enumerate().map(|(i, v)| one(v, ty.part(i, program))).collect(),
            ),
            (Value::Seq(elements), Type::Seq(ty)) => {
                Value::Seq(elements.iter().map(|v| one(v, ty)).collect())
            }
            (Value::Set(elements), Type::Set(ty)) => {
                Value::Set(elements.iter().map(|v| one(v, ty)).collect())
            }
            (Value::Bag(elements), Type::Bag(ty)) => {
                Value::Bag(elements.iter().map(|(v, n)| (one(v, ty), *n)).collect())
            }
            (Value::Map(entries), Type::Map(key, ty)) => {
                Value::Map(entries.iter().map(|(k, v)| (one(k, key), one(v, ty))).collect())
            }
            _ => self.clone(),
        }
    }

    /// Calls `visit` for every opaque data value in it except 0, in the order of the parts (the
    /// order of [`Value`] inside sets, bags and maps), once per occurrence.
    pub fn visit_data(&self, ty: &Type, program: &Program, visit: &mut dyn FnMut(DataId, u32)) {
        match (self, ty) {
            (Value::Data(n), Type::Data(id)) if *n != 0 => visit(*id, *n),
            (Value::Option(Some(inner)), Type::Option(ty)) => {
                inner.visit_data(ty, program, visit);
            }
            (Value::Tuple(parts), _) => {
                for (i, part) in parts.iter().enumerate() {
                    part.visit_data(ty.part(i, program), program, visit);
                }
            }
            (Value::Seq(elements), Type::Seq(ty)) => {
                elements.iter().for_each(|v| v.visit_data(ty, program, visit));
            }
            (Value::Set(elements), Type::Set(ty)) => {
                elements.iter().for_each(|v| v.visit_data(ty, program, visit));
            }
            (Value::Bag(elements), Type::Bag(ty)) => {
                elements.keys().for_each(|v| v.visit_data(ty, program, visit));
            }
            (Value::Map(entries), Type::Map(key, ty)) => {
                for (k, v) in entries {
                    k.visit_data(key, program, visit);
                    v.visit_data(ty, program, visit);
                }
            }
            _ => {}
        }
    }

    /// Appends the value as slots, [`Type::slots`] of them. An option is a tag, 0 or 1, and the
    /// slots of its content, which are 0 where it is `empty`: `empty` is the same for all types of
    /// content, also where 0 is outside the range of a number.
    pub fn flatten(&self, ty: &Type, program: &Program, out: &mut Vec<u32>) {
        match (self, ty) {
            (_, Type::PerThread(element)) => self.flatten(element, program, out),
            (Value::Bool(b), _) => out.push(u32::from(*b)),
            (Value::Int(n), _) => out.push(n.cast_unsigned()),
            (Value::Enum(n) | Value::Data(n) | Value::Ref(n) | Value::Thread(n), _) => out.push(*n),
            (Value::Option(None), Type::Option(content)) => {
                out.extend(std::iter::repeat_n(0, 1 + content.slots(program)));
            }
            (Value::Option(Some(inner)), Type::Option(content)) => {
                out.push(1);
                inner.flatten(content, program, out);
            }
            (Value::Set(threads), Type::Set(_)) => {
                let bit = |value: &Value| match value {
                    Value::Thread(t @ 1..=32) => 1u32 << (t - 1),
                    _ => 0,
                };
                out.extend((ty.slots(program) == 1).then(|| threads.iter().map(bit).sum::<u32>()));
            }
            (Value::Tuple(parts), _) => {
                for (i, part) in parts.iter().enumerate() {
                    part.flatten(ty.part(i, program), program, out);
                }
            }
            _ => {}
        }
    }

    /// The value of this type that [`Value::flatten`] turned into these slots; takes as many as
    /// the type has.
    pub fn unflatten(ty: &Type, program: &Program, slots: &mut impl Iterator<Item = u32>) -> Value {
        let mut next = || slots.next().unwrap_or(0);
        match ty {
            Type::Unit => Value::Unit,
            Type::Bool => Value::Bool(next() != 0),
            Type::Int { .. } => Value::Int(next().cast_signed()),
            Type::Enum(_) => Value::Enum(next()),
            Type::Data(_) => Value::Data(next()),
            Type::Ref(_) => Value::Ref(next()),
            Type::Thread | Type::Lock => Value::Thread(next()),
            Type::Option(content) => {
                let tag = next();
                let content = Value::unflatten(content, program, slots);
                Value::Option((tag != 0).then(|| Box::new(content)))
            }
            Type::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|t| Value::unflatten(t, program, slots)).collect())
            }
            Type::Struct(id) => {
                let fields = &program.structs[id.index()].fields;
                Value::Tuple(
                    fields.iter().map(|f| Value::unflatten(&f.ty, program, slots)).collect(),
                )
            }
            Type::Array(element, n) | Type::Endless(element, n) => {
                Value::Tuple((0..*n).map(|_| Value::unflatten(element, program, slots)).collect())
            }
            Type::PerThread(element) => Value::unflatten(element, program, slots),
            Type::Set(element) if **element == Type::Thread => {
                Value::Set(threads_in(next()).map(Value::Thread).collect())
            }
            Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) => {
                Value::default_of(ty, program)
            }
        }
    }
}

impl Type {
    /// How many slots a value of this type has when flattened. Collections cannot be flattened
    /// and count as none, but for sets of threads; of a per-thread array this is the width of one element.
    pub fn slots(&self, program: &Program) -> usize {
        match self {
            Type::Unit => 0,
            Type::Bool
            | Type::Int { .. }
            | Type::Enum(_)
            | Type::Data(_)
            | Type::Ref(_)
            | Type::Thread
            | Type::Lock => 1,
            Type::Option(content) => 1 + content.slots(program),
            Type::Tuple(parts) => parts.iter().map(|t| t.slots(program)).sum(),
            Type::Struct(id) => {
                program.structs[id.index()].fields.iter().map(|f| f.ty.slots(program)).sum()
            }
            Type::Array(element, n) | Type::Endless(element, n) => {
                element.slots(program) * *n as usize
            }
            Type::PerThread(element) => element.slots(program),
            Type::Set(element) if **element == Type::Thread => 1,
            Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) => 0,
        }
    }

    /// The type of the `i`-th part of a tuple, struct or array; `Unit` where there is none.
    fn part<'t>(&'t self, i: usize, program: &'t Program) -> &'t Type {
        match self {
            Type::Tuple(parts) => parts.get(i).unwrap_or(&Type::Unit),
            Type::Struct(id) => {
                program.structs[id.index()].fields.get(i).map_or(&Type::Unit, |f| &f.ty)
            }
            Type::Array(element, _) | Type::Endless(element, _) | Type::PerThread(element) => {
                element
            }
            _ => &Type::Unit,
        }
    }

    /// Is there an integer in it that does not use all 32 bits?
    pub(crate) fn has_range(&self, program: &Program) -> bool {
        match self {
            Type::Int { .. } => *self != Type::INT,
            Type::Option(inner)
            | Type::Array(inner, _)
            | Type::Endless(inner, _)
            | Type::PerThread(inner)
            | Type::Seq(inner)
            | Type::Set(inner)
            | Type::Bag(inner) => inner.has_range(program),
            Type::Map(key, value) => key.has_range(program) || value.has_range(program),
            Type::Tuple(parts) => parts.iter().any(|t| t.has_range(program)),
            Type::Struct(id) => {
                program.structs[id.index()].fields.iter().any(|f| f.ty.has_range(program))
            }
            Type::Unit
            | Type::Bool
            | Type::Enum(_)
            | Type::Data(_)
            | Type::Ref(_)
            | Type::Thread
            | Type::Lock => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Field, Struct};

    fn program() -> Program {
        let fields = vec![
            Field { name: "key".into(), ty: Type::Int { lo: 1, hi: 9 } },
            Field { name: "val".into(), ty: Type::Option(Box::new(Type::Data(DataId(0)))) },
        ];
        let entry = Struct { name: "Entry".into(), fields, sum: None };
        Program { structs: vec![entry], ..Program::default() }
    }

    fn some(value: Value) -> Value {
        Value::Option(Some(Box::new(value)))
    }

    #[test]
    fn flattening_can_be_undone_and_has_the_width_of_the_type() {
        let entry = Type::Struct(StructId(0));
        let ty = Type::Tuple(vec![
            Type::Unit,
            Type::Bool,
            Type::Option(Box::new(entry.clone())),
            Type::Array(Box::new(entry), 2),
        ]);
        let empty = Value::Tuple(vec![Value::Int(-7), Value::Option(None)]);
        let full = Value::Tuple(vec![Value::Int(3), some(Value::Data(5))]);
        let values = [
            (some(full.clone()), vec![1, 1, 3, 1, 5, u32::MAX - 6, 0, 0, 3, 1, 5]),
            (Value::Option(None), vec![1, 0, 0, 0, 0, u32::MAX - 6, 0, 0, 3, 1, 5]),
        ];
        for (option, expected) in values {
            let array = Value::Tuple(vec![empty.clone(), full.clone()]);
            let value = Value::Tuple(vec![Value::Unit, Value::Bool(true), option, array]);
            let mut slots = Vec::new();
            value.flatten(&ty, &program(), &mut slots);
            assert_eq!(slots, expected);
            assert_eq!(slots.len(), ty.slots(&program()));
            let mut rest = slots.into_iter().chain([42]);
            assert_eq!(Value::unflatten(&ty, &program(), &mut rest), value);
            assert_eq!(rest.next(), Some(42));
        }
    }

    #[test]
    fn renaming_moves_per_thread_elements_with_their_threads() {
        let data = Box::new(Type::Data(DataId(0)));
        let ty = Type::PerThread(Box::new(Type::Tuple(vec![Type::Thread, *data])));
        let pair = |t, d| Value::Tuple(vec![Value::Thread(t), Value::Data(d)]);
        let value = Value::Tuple(vec![pair(1, 7), pair(3, 0), pair(0, 8)]);
        // 1 -> 2 -> 3 -> 1 on threads, + 10 on data.
        let renamed = value.map(&ty, &program(), &mut |_, d| d + 10, &mut |t| t % 3 + 1);
        assert_eq!(renamed, Value::Tuple(vec![pair(0, 18), pair(2, 17), pair(1, 0)]));
    }

    #[test]
    fn renaming_rebuilds_collections_and_goes_by_type() {
        let d = |n| Box::new(Type::Data(DataId(n)));
        let ty = Type::Map(d(0), Box::new(Type::Set(d(1))));
        let set = |xs: [u32; 2]| Value::Set(xs.into_iter().map(Value::Data).collect());
        let value =
            Value::Map([(Value::Data(1), set([1, 2])), (Value::Data(2), set([0, 3]))].into());
        let mut data = |id: DataId, n: u32| if id == DataId(0) { 3 - n } else { 4 - n };
        let renamed = value.map(&ty, &program(), &mut data, &mut |t| t);
        let expected =
            Value::Map([(Value::Data(1), set([0, 1])), (Value::Data(2), set([2, 3]))].into());
        assert_eq!(renamed, expected);

        let mut seen = Vec::new();
        value.visit_data(&ty, &program(), &mut |id, n| seen.push((id.0, n)));
        assert_eq!(seen, [(0, 1), (1, 1), (1, 2), (0, 2), (1, 3)]);
    }
}
