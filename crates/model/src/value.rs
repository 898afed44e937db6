//! Values as trees: constants, arguments and results, and the abstract state of specifications.
//!
//! The state of an *object* never contains these; there a value is flattened to slots
//! (see `layout`).

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Program, Type};

/// A value. The order is structural and has no meaning beyond being total.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
            Type::Array(element, n) => {
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
}
