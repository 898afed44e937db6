//! Arrays as values, and the collections of PAT's libraries.
//!
//! A variable of such a type, an array that is handed to a process: their value is the number of an
//! object here. Objects do not change; equal ones have the same number. What a method changes is
//! therefore a new object, which the variable gets. The methods are those of the libraries that come
//! with PAT 3.5: `PAT.Lib.List`, `Queue`, `Stack`, `Set` and `HashTable`. Where those throw, there is
//! an error of the model.

use linchpin_lts::{Content, Interned};
use serde::{Deserialize, Serialize};

use crate::value::{self, MAX_OBJECTS, NOTHING, Value, is_number, number_of_object};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Kind {
    Array,
    List,
    Queue,
    /// The top is last.
    Stack,
    /// In order.
    Set,
    /// Keys and values alternate, keys in order.
    HashTable,
    /// Of a class of imported C# code: its fields.
    Class(u32),
}

impl Kind {
    /// The collection of this name.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "List" => Kind::List,
            "Queue" => Kind::Queue,
            "Stack" => Kind::Stack,
            "Set" => Kind::Set,
            "HashTable" => Kind::HashTable,
            _ => return None,
        })
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Array => "array",
            Kind::List => "List",
            Kind::Queue => "Queue",
            Kind::Stack => "Stack",
            Kind::Set => "Set",
            Kind::HashTable => "HashTable",
            Kind::Class(_) => "object of C# code",
        }
    }

    /// All its methods.
    pub(crate) fn methods(self) -> &'static [MethodInfo] {
        use Method::*;
        match self {
            Kind::Array | Kind::Class(_) => &[],
            Kind::List => {
                const {
                    &[
                        method("Count", Count, 0),
                        method("Get", Get, 1),
                        method("Contains", Contains, 1),
                        method("Concat", Concat, 2),
                        action("Add", Append, 1),
                        action("Remove", RemoveFirst, 1),
                        action("RemoveAt", RemoveAt, 1),
                    ]
                }
            }
            Kind::Queue => {
                const {
                    &[
                        method("Count", Count, 0),
                        method("First", First, 0),
                        method("Last", Last, 0),
                        method("Contains", Contains, 1),
                        method("Concat", Concat, 2),
                        action("Enqueue", Append, 1),
                        action("Dequeue", Dequeue, 0),
                        action("Clear", Clear, 0),
                    ]
                }
            }
            Kind::Stack => {
                const {
                    &[
                        method("Count", Count, 0),
                        method("Peek", Last, 0),
                        method("Contains", Contains, 1),
                        action("Push", Append, 1),
                        method("Pop", Pop, 0),
                        action("Clear", Clear, 0),
                    ]
                }
            }
            Kind::Set => {
                const {
                    &[
                        method("Count", Count, 0),
                        method("Get", Get, 1),
                        method("Contains", Contains, 1),
                        method("Union", Union, 2),
                        method("Intersect", Intersect, 2),
                        method("Substract", Subtract, 2),
                        method("IsOverlapping", Overlaps, 1),
                        method("IsDisjoint", Disjoint, 1),
                        method("Add", Insert, 1),
                        method("Remove", Delete, 1),
                    ]
                }
            }
            Kind::HashTable => {
                const {
                    &[
                        method("ContainsKey", ContainsKey, 1),
                        method("GetValue", GetValue, 1),
                        action("Add", InsertPair, 2),
                    ]
                }
            }
        }
    }
}

/// A method as the library declares it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodInfo {
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) parameters: usize,
    /// Is there a result?
    pub(crate) result: bool,
}

/// One with a result.
const fn method(name: &'static str, method: Method, parameters: usize) -> MethodInfo {
    MethodInfo { name, method, parameters, result: true }
}

/// One without.
const fn action(name: &'static str, method: Method, parameters: usize) -> MethodInfo {
    MethodInfo { name, method, parameters, result: false }
}

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Count,
    Get,
    First,
    Last,
    Contains,
    Concat,
    Append,
    RemoveFirst,
    RemoveAt,
    Dequeue,
    Pop,
    Clear,
    Union,
    Intersect,
    Subtract,
    Overlaps,
    Disjoint,
    Insert,
    Delete,
    ContainsKey,
    GetValue,
    InsertPair,
}

impl Method {
    /// Does it change the object?
    pub(crate) fn changes(self) -> bool {
        matches!(
            self,
            Method::Append
                | Method::RemoveFirst
                | Method::RemoveAt
                | Method::Dequeue
                | Method::Pop
                | Method::Clear
                | Method::Insert
                | Method::Delete
                | Method::InsertPair
        )
    }
}

/// An array or a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) items: Vec<Value>,
}

/// The objects of a model, seen so far.
#[derive(Debug, Default)]
pub(crate) struct Objects(Interned<Object>);

/// Something that went wrong, as a sentence.
type Done<T> = Result<T, String>;

impl Objects {
    /// The value of an object.
    pub(crate) fn value(&self, object: Object) -> Done<Value> {
        let items: Vec<u64> = object.items.iter().map(|&v| self.hash(v)).collect();
        let number = self.0.intern(Content::of((object.kind, items)), object);
        if number >= MAX_OBJECTS {
            return Err("there are too many different arrays and collections".into());
        }
        Ok(value::object(number))
    }

    /// The content hash of a value; numbers and truth values are their own.
    pub(crate) fn hash(&self, v: Value) -> u64 {
        number_of_object(v).map_or(u64::from(v as u32), |number| self.0.hash(number))
    }

    /// The object of a value, if it is one.
    pub(crate) fn get(&self, v: Value) -> Option<&Object> {
        number_of_object(v).map(|number| self.0.get(number))
    }

    /// All objects, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Object> {
        self.0.iter()
    }

    /// The value of an array.
    pub(crate) fn array(&self, items: Vec<Value>) -> Done<Value> {
        self.value(Object { kind: Kind::Array, items })
    }

    /// The elements of an array.
    pub(crate) fn elements(&self, v: Value) -> Done<&Object> {
        match self.get(v) {
            Some(object) if object.kind == Kind::Array => Ok(object),
            Some(object) => Err(format!("this is a {}, not an array", object.kind.name())),
            None => Err(format!("{}, but an array is needed", value::describe(v))),
        }
    }

    /// A new collection; of constructors with arguments there is the one of lists from an array.
    pub(crate) fn new_of(&self, kind: Kind, arguments: &[Value]) -> Done<Value> {
        let items = match arguments {
            [array] if kind == Kind::List => {
                let items = self.elements(*array)?.items.clone();
                numbers(&items)?;
                items
            }
            _ => Vec::new(),
        };
        self.value(Object { kind, items })
    }

    /// As PAT shows it.
    pub(crate) fn show(&self, v: Value) -> String {
        let Some(object) = self.get(v) else { return value::show(v) };
        let shown: Vec<String> = match object.kind {
            Kind::HashTable => object
                .items
                .chunks(2)
                .map(|pair| pair.iter().map(|&v| self.show(v)).collect::<Vec<_>>().join("="))
                .collect(),
            _ => object.items.iter().map(|&v| self.show(v)).collect(),
        };
        format!("[{}]", shown.join(", "))
    }

    /// Calls a method: its result, and what the variable is then.
    pub(crate) fn call(
        &self,
        kind: Kind,
        on: Value,
        method: Method,
        arguments: &[Value],
    ) -> Done<(Value, Value)> {
        let this = self.of_kind(on, kind)?;
        // Those that take collections take them as arguments; the variable itself does not matter.
        let sets: Vec<&Object> = match method {
            Method::Concat
            | Method::Union
            | Method::Intersect
            | Method::Subtract
            | Method::Overlaps
            | Method::Disjoint => {
                arguments.iter().map(|&v| self.of_kind(v, kind)).collect::<Done<_>>()?
            }
            _ => {
                numbers(arguments)?;
                Vec::new()
            }
        };
        let mut items = this.items.clone();
        let result =
            match (method, arguments, sets.as_slice()) {
                (Method::Concat, _, [a, b]) => self.of(kind, [&a.items[..], &b.items].concat())?,
                (Method::Union, _, [a, b]) => {
                    let mut all = [&a.items[..], &b.items].concat();
                    all.sort_unstable();
                    all.dedup();
                    self.of(kind, all)?
                }
                (Method::Intersect, _, [a, b]) => self
                    .of(kind, a.items.iter().copied().filter(|v| b.items.contains(v)).collect())?,
                (Method::Subtract, _, [a, b]) => self
                    .of(kind, a.items.iter().copied().filter(|v| !b.items.contains(v)).collect())?,
                (Method::Overlaps, _, [other]) => {
                    value::bool(items.iter().any(|v| other.items.contains(v)))
                }
                (Method::Disjoint, _, [other]) => {
                    value::bool(!items.iter().any(|v| other.items.contains(v)))
                }
                _ => change_items(kind, method, &mut items, arguments)?,
            };
        let after = if items == this.items { on } else { self.of(kind, items)? };
        Ok((result, after))
    }

    fn of(&self, kind: Kind, items: Vec<Value>) -> Done<Value> {
        self.value(Object { kind, items })
    }

    fn of_kind(&self, v: Value, kind: Kind) -> Done<&Object> {
        match self.get(v) {
            Some(object) if object.kind == kind => Ok(object),
            _ => Err(format!("this is not a {}", kind.name())),
        }
    }
}

fn numbers(list: &[Value]) -> Done<()> {
    match list.iter().find(|&&v| !is_number(v)) {
        Some(&v) => Err(format!("{}, but a number is needed", value::describe(v))),
        None => Ok(()),
    }
}

/// The methods whose arguments are numbers.
fn change_items(
    kind: Kind,
    method: Method,
    items: &mut Vec<Value>,
    arguments: &[Value],
) -> Done<Value> {
    let empty = || format!("the {} is empty", kind.name());
    let outside = |i: Value, n: usize| format!("the index {i} is outside a collection of {n}");
    let place = |i: Value, n: usize| {
        usize::try_from(i).ok().filter(|&i| i < n).ok_or_else(|| outside(i, n))
    };
    let key = |items: &[Value], key: Value| items.iter().step_by(2).position(|&k| k == key);
    Ok(match (method, arguments) {
        (Method::Count, _) => items.len() as Value,
        (Method::Get, [i]) => items[place(*i, items.len())?],
        (Method::First, _) => *items.first().ok_or_else(empty)?,
        (Method::Last, _) => *items.last().ok_or_else(empty)?,
        (Method::Contains, [v]) => value::bool(items.contains(v)),
        (Method::Append, [v]) => {
            items.push(*v);
            NOTHING
        }
        (Method::RemoveFirst, [v]) => {
            if let Some(i) = items.iter().position(|w| w == v) {
                items.remove(i);
            }
            NOTHING
        }
        (Method::RemoveAt, [i]) => {
            items.remove(place(*i, items.len())?);
            NOTHING
        }
        (Method::Dequeue, _) => {
            if items.is_empty() {
                return Err(empty());
            }
            items.remove(0);
            NOTHING
        }
        (Method::Pop, _) => items.pop().ok_or_else(empty)?,
        (Method::Clear, _) => {
            items.clear();
            NOTHING
        }
        (Method::Insert, [v]) => match items.binary_search(v) {
            Ok(_) => value::FALSE,
            Err(i) => {
                items.insert(i, *v);
                value::TRUE
            }
        },
        (Method::Delete, [v]) => match items.binary_search(v) {
            Ok(i) => {
                items.remove(i);
                value::TRUE
            }
            Err(_) => value::FALSE,
        },
        (Method::ContainsKey, [k]) => value::bool(key(items, *k).is_some()),
        (Method::GetValue, [k]) => {
            let i = key(items, *k).ok_or_else(|| format!("the HashTable has no key {k}"))?;
            items[2 * i + 1]
        }
        (Method::InsertPair, [k, v]) => {
            if key(items, *k).is_none() {
                let i = items.iter().step_by(2).filter(|&l| l < k).count();
                items.splice(2 * i..2 * i, [*k, *v]);
            }
            NOTHING
        }
        _ => return Err("this method has other arguments".into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_objects_have_one_value_and_methods_leave_the_old_one() {
        let objects = Objects::default();
        let empty = objects.new_of(Kind::Set, &[]).unwrap();
        let (added, one) = objects.call(Kind::Set, empty, Method::Insert, &[5]).unwrap();
        assert_eq!((added, objects.show(one).as_str()), (value::TRUE, "[5]"));
        let (_, two) = objects.call(Kind::Set, one, Method::Insert, &[2]).unwrap();
        assert_eq!(objects.show(two), "[2, 5]");
        let (_, again) = objects.call(Kind::Set, two, Method::Delete, &[2]).unwrap();
        assert_eq!(again, one);
        assert_eq!(objects.show(empty), "[]");
        assert_ne!(objects.new_of(Kind::List, &[]).unwrap(), empty);
    }

    #[test]
    fn tables_keep_the_first_value_of_a_key() {
        let objects = Objects::default();
        let mut table = objects.new_of(Kind::HashTable, &[]).unwrap();
        for (k, v) in [(3, 30), (1, 10), (3, 31), (2, 20)] {
            table = objects.call(Kind::HashTable, table, Method::InsertPair, &[k, v]).unwrap().1;
        }
        assert_eq!(objects.show(table), "[1=10, 2=20, 3=30]");
        let get = |k| objects.call(Kind::HashTable, table, Method::GetValue, &[k]);
        assert_eq!(get(3).unwrap().0, 30);
        assert!(get(4).is_err());
    }
}
