//! The built-in specifications: their operations, and what these do. `builtin.lin` says the same in another language,
//! for the judge.
//!
//! All are deterministic: in a state an operation has one result and one state after it, or is not possible. A state is a
//! row of words, numbers of values (`Values`) for the most part, so that it is hashed and compared at once.

use std::collections::HashMap;

use rapidhash::fast::RandomState;
use smallvec::SmallVec;

use crate::datum::Datum;

/// What an operation returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// Nothing that would matter.
    Nothing,
    /// A value.
    Value,
    /// Whether it succeeded; in logs of Jepsen, an operation that is `:ok` did.
    Success,
    /// A truth value, or nothing that would matter if the log has something else.
    Truth,
}

/// An operation.
#[derive(Debug)]
pub(crate) struct Op {
    /// Its name and what else it is called.
    pub(crate) names: &'static [&'static str],
    /// How many arguments it has.
    pub(crate) arity: usize,
    pub(crate) returns: Returns,
    pub(crate) code: Code,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Read,
    Write,
    Cas,
    Add,
    Increment,
    Decrement,
    GetAndAdd,
    Raise,
    Acquire,
    TryAcquire,
    Release,
    Enqueue,
    Dequeue,
    First,
    Push,
    Pop,
    Last,
    SetAdd,
    SetRemove,
    SetContains,
    ReadAll,
    Insert,
    Poll,
    Get,
    Put,
    Append,
    Delete,
    CasKey,
    Txn,
    LogAppend,
    LogGet,
}

const fn op(names: &'static [&'static str], arity: usize, returns: Returns, code: Code) -> Op {
    Op { names, arity, returns, code }
}

use Returns::{Nothing, Success, Truth, Value};

const READ: Op = op(&["read", "r", "get"], 0, Value, Code::Read);
const WRITE: Op = op(&["write", "w", "put", "set"], 1, Nothing, Code::Write);
const ACQUIRE: Op = op(&["acquire", "lock"], 0, Nothing, Code::Acquire);
const TRY: Op = op(&["try-acquire", "try-lock"], 0, Success, Code::TryAcquire);
const RELEASE: Op = op(&["release", "unlock"], 0, Nothing, Code::Release);
const DEQUEUE: Op = op(&["dequeue", "deq", "poll", "take", "remove"], 0, Value, Code::Dequeue);
const FIRST: Op = op(&["peek", "first"], 0, Value, Code::First);

/// A built-in specification.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) ops: &'static [Op],
    pub(crate) about: &'static str,
    /// The specification of `builtin.lin` that is the same.
    pub(crate) twin: &'static str,
}

/// All of them.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin { name: "register", ops: &[READ, WRITE], about: "read, write(v)", twin: "Register" },
    Builtin {
        name: "cas-register",
        ops: &[READ, WRITE, op(&["cas", "compare-and-set"], 2, Success, Code::Cas)],
        about: "read, write(v), cas(old, new)",
        twin: "Register",
    },
    Builtin {
        name: "counter",
        ops: &[
            READ,
            op(&["add"], 1, Nothing, Code::Add),
            op(&["increment", "inc"], 0, Nothing, Code::Increment),
            op(&["decrement", "dec"], 0, Nothing, Code::Decrement),
            op(&["get-and-add", "fetch-add"], 1, Value, Code::GetAndAdd),
        ],
        about: "read, add(n), increment, decrement, get-and-add(n)",
        twin: "Counter",
    },
    Builtin {
        name: "max-register",
        ops: &[READ, op(&["write", "w", "put", "set"], 1, Nothing, Code::Raise)],
        about: "read (the largest so far), write(n)",
        twin: "MaxRegister",
    },
    Builtin {
        name: "mutex",
        ops: &[ACQUIRE, RELEASE, TRY],
        about: "acquire, release, try-acquire; whoever holds it",
        twin: "Semaphore",
    },
    Builtin {
        name: "semaphore",
        ops: &[ACQUIRE, RELEASE, TRY],
        about: "acquire, release, try-acquire; `semaphore:3` begins with 3 permits",
        twin: "Semaphore",
    },
    Builtin {
        name: "queue",
        ops: &[
            op(&["enqueue", "enq", "offer", "add", "put"], 1, Nothing, Code::Enqueue),
            DEQUEUE,
            FIRST,
        ],
        about: "enqueue(v), dequeue (nil if empty), peek",
        twin: "Queue",
    },
    Builtin {
        name: "bounded-queue",
        ops: &[
            op(&["enqueue", "enq", "offer", "add", "put"], 1, Success, Code::Enqueue),
            DEQUEUE,
            FIRST,
        ],
        about: "enqueue(v) (false if full), dequeue (nil if empty), peek; `bounded-queue:4` has 4 places",
        twin: "Queue",
    },
    Builtin {
        name: "stack",
        ops: &[
            op(&["push"], 1, Nothing, Code::Push),
            op(&["pop"], 0, Value, Code::Pop),
            op(&["peek", "top"], 0, Value, Code::Last),
        ],
        about: "push(v), pop (nil if empty), peek",
        twin: "Stack",
    },
    Builtin {
        name: "set",
        ops: &[
            op(&["add", "insert"], 1, Truth, Code::SetAdd),
            op(&["remove", "delete"], 1, Truth, Code::SetRemove),
            op(&["contains", "member"], 1, Truth, Code::SetContains),
            op(&["read"], 0, Value, Code::ReadAll),
        ],
        about: "add(v), remove(v), contains(v), read (all)",
        twin: "Set",
    },
    Builtin {
        name: "priority-queue",
        ops: &[
            op(&["insert", "add", "offer", "push"], 1, Nothing, Code::Insert),
            op(&["poll", "delete-min", "remove-min", "pop"], 0, Value, Code::Poll),
            FIRST,
        ],
        about: "insert(n), poll (the least; nil if empty), peek",
        twin: "PriorityQueue",
    },
    Builtin {
        name: "map",
        ops: &[
            op(&["get", "read", "r"], 1, Value, Code::Get),
            op(&["put", "write", "w", "set"], 2, Nothing, Code::Put),
            op(&["append"], 2, Nothing, Code::Append),
            op(&["delete", "remove"], 1, Nothing, Code::Delete),
            op(&["cas", "compare-and-set"], 3, Success, Code::CasKey),
        ],
        about: "get(k), put(k, v), append(k, text), delete(k), cas(k, old, new)",
        twin: "Map",
    },
    Builtin {
        name: "multi-register",
        ops: &[op(&["txn", "read", "write"], 1, Value, Code::Txn)],
        about: "txn([[r k nil] [w k v] ...])",
        twin: "MultiRegister",
    },
    Builtin {
        name: "log",
        ops: &[
            op(&["append", "add", "send"], 1, Value, Code::LogAppend),
            op(&["get"], 1, Value, Code::LogGet),
            op(&["read"], 0, Value, Code::ReadAll),
        ],
        about: "append(v) (its place, from 0), get(place), read (all)",
        twin: "Log",
    },
];

/// Numbers for values; 0 is `nil`.
#[derive(Debug)]
pub(crate) struct Values {
    numbers: HashMap<Datum, u32, RandomState>,
    data: Vec<Datum>,
}

impl Values {
    pub(crate) fn new() -> Self {
        let mut values = Values { numbers: HashMap::default(), data: Vec::new() };
        values.number(&Datum::Nil);
        values
    }

    pub(crate) fn number(&mut self, datum: &Datum) -> u32 {
        if let Some(&number) = self.numbers.get(datum) {
            return number;
        }
        let number = self.data.len() as u32;
        self.data.push(datum.clone());
        self.numbers.insert(datum.clone(), number);
        number
    }

    pub(crate) fn datum(&self, number: u32) -> &Datum {
        &self.data[number as usize]
    }

    fn integer(&self, number: u32) -> i64 {
        match self.datum(number) {
            Datum::Int(n) => *n,
            _ => 0,
        }
    }
}

/// A result that a log has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Given {
    /// Anything will do.
    Any,
    /// This value.
    Value(u32),
    /// These values, in this order.
    Row(Box<[u32]>),
    /// One value, but none of these.
    But(Box<[u32]>),
}

impl Given {
    fn is(&self, value: u32) -> bool {
        match self {
            Given::Any => true,
            Given::Value(given) => *given == value,
            Given::Row(_) => false,
            Given::But(values) => !values.contains(&value),
        }
    }

    fn is_row(&self, row: &[u32]) -> bool {
        match self {
            Given::Any => true,
            Given::Value(_) | Given::But(_) => false,
            Given::Row(given) => **given == *row,
        }
    }
}

/// An operation with its arguments and its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) op: u8,
    pub(crate) args: SmallVec<[u32; 3]>,
    pub(crate) given: Given,
}

const NIL: u32 = 0;

/// A state in which the specification begins.
pub(crate) fn initial(
    builtin: &Builtin,
    bound: Option<i64>,
    init: Option<&Datum>,
    values: &mut Values,
) -> Vec<u32> {
    let elements = |values: &mut Values| -> Vec<u32> {
        let elements = init.and_then(Datum::elements).unwrap_or_default();
        elements.iter().map(|e| values.number(e)).collect()
    };
    match builtin.name {
        "register" | "cas-register" | "max-register" => {
            vec![init.map_or(NIL, |init| values.number(init))]
        }
        "counter" => match init {
            Some(Datum::Int(n)) => long(*n),
            _ => long(0),
        },
        "mutex" => vec![1],
        "semaphore" => vec![bound.unwrap_or(1) as u32],
        "set" => {
            let mut elements = elements(values);
            elements.sort_unstable();
            elements.dedup();
            elements
        }
        "priority-queue" => {
            let mut elements = elements(values);
            elements.sort_by_key(|&e| values.integer(e));
            elements
        }
        "map" | "multi-register" => {
            let mut pairs: Vec<(u32, u32)> = match init {
                Some(Datum::Map(entries)) => {
                    entries.iter().map(|(k, v)| (values.number(k), values.number(v))).collect()
                }
                _ => Vec::new(),
            };
            pairs.retain(|p| p.1 != NIL);
            pairs.sort_unstable();
            pairs.into_iter().flat_map(|(k, v)| [k, v]).collect()
        }
        _ => elements(values),
    }
}

fn long(n: i64) -> Vec<u32> {
    let n = n.cast_unsigned();
    vec![n as u32, (n >> 32) as u32]
}

/// The state after an operation, if it is possible with this result; `limit` is the size of a bounded queue or the most
/// permits of a mutex.
pub(crate) fn step(
    code: Code,
    limit: Option<u32>,
    state: &[u32],
    call: &Call,
    values: &mut Values,
) -> Option<Vec<u32>> {
    let (args, given) = (&call.args, &call.given);
    let when = |holds: bool, state: Vec<u32>| holds.then_some(state);
    let same = |holds: bool| holds.then(|| state.to_vec());
    let mut truth = |b: bool| given.is(values.number(&Datum::Bool(b)));
    let last = state.len().wrapping_sub(1);
    match code {
        Code::Read if state.len() == 2 => {
            let count = count(state);
            same(given.is(values.number(&Datum::Int(count))))
        }
        Code::Read => same(given.is(state[0])),
        Code::Write => Some(vec![args[0]]),
        Code::Cas if state[0] == args[0] => when(truth(true), vec![args[1]]),
        Code::Cas => same(truth(false)),
        Code::Add => Some(long(count(state).wrapping_add(values.integer(args[0])))),
        Code::Increment => Some(long(count(state).wrapping_add(1))),
        Code::Decrement => Some(long(count(state).wrapping_sub(1))),
        Code::GetAndAdd => {
            let before = values.number(&Datum::Int(count(state)));
            when(given.is(before), long(count(state).wrapping_add(values.integer(args[0]))))
        }
        Code::Raise => {
            let larger = state[0] == NIL || values.integer(state[0]) < values.integer(args[0]);
            Some(vec![if larger { args[0] } else { state[0] }])
        }
        Code::Acquire => (state[0] > 0).then(|| vec![state[0] - 1]),
        Code::TryAcquire if state[0] > 0 => when(truth(true), vec![state[0] - 1]),
        Code::TryAcquire => same(truth(false)),
        Code::Release => {
            limit.is_none_or(|most| state[0] < most).then(|| vec![state[0].saturating_add(1)])
        }
        Code::Enqueue if limit.is_some_and(|most| state.len() >= most as usize) => {
            same(truth(false))
        }
        Code::Enqueue => when(truth(true), with(state, args[0])),
        Code::Push => Some(with(state, args[0])),
        Code::Dequeue | Code::Poll | Code::Pop | Code::First | Code::Last if state.is_empty() => {
            same(given.is(NIL))
        }
        Code::Dequeue | Code::Poll => when(given.is(state[0]), state[1..].to_vec()),
        Code::Pop => when(given.is(state[last]), state[..last].to_vec()),
        Code::First => same(given.is(state[0])),
        Code::Last => same(given.is(state[last])),
        Code::SetAdd => match state.binary_search(&args[0]) {
            Ok(_) => same(truth(false)),
            Err(place) => when(truth(true), inserted(state, place, args[0])),
        },
        Code::SetRemove => match state.binary_search(&args[0]) {
            Ok(place) => when(truth(true), removed(state, place)),
            Err(_) => same(truth(false)),
        },
        Code::SetContains => same(truth(state.binary_search(&args[0]).is_ok())),
        Code::ReadAll => same(given.is_row(state)),
        Code::Insert => {
            let new = values.integer(args[0]);
            let place = state.partition_point(|&v| values.integer(v) <= new);
            Some(inserted(state, place, args[0]))
        }
        Code::Get => same(given.is(get(state, args[0]))),
        Code::Put => Some(put(state, args[0], args[1])),
        Code::Delete => Some(put(state, args[0], NIL)),
        Code::Append => {
            let (old, new) = (get(state, args[0]), values.datum(args[1]).letters()?.to_string());
            let joined = match values.datum(old) {
                Datum::Nil => new,
                datum => datum.letters()?.to_string() + &new,
            };
            let joined = values.number(&Datum::text(&joined));
            Some(put(state, args[0], joined))
        }
        Code::CasKey if get(state, args[0]) == args[1] => {
            when(truth(true), put(state, args[0], args[2]))
        }
        Code::CasKey => same(truth(false)),
        Code::Txn => {
            let (mut state, mut results) = (state.to_vec(), Vec::with_capacity(args.len() / 3));
            let (accesses, _) = args.as_chunks::<3>();
            for &[write, key, value] in accesses {
                if write != 0 {
                    state = put(&state, key, value);
                    results.push(value);
                } else {
                    results.push(get(&state, key));
                }
            }
            when(given.is_row(&results), state)
        }
        Code::LogAppend => {
            let place = values.number(&Datum::Int(state.len() as i64));
            when(given.is(place), with(state, args[0]))
        }
        Code::LogGet => {
            let place = usize::try_from(values.integer(args[0])).ok();
            same(given.is(place.and_then(|p| state.get(p)).copied().unwrap_or(NIL)))
        }
    }
}

fn count(state: &[u32]) -> i64 {
    (u64::from(state[0]) | u64::from(state[1]) << 32).cast_signed()
}

fn with(state: &[u32], value: u32) -> Vec<u32> {
    inserted(state, state.len(), value)
}

fn inserted(state: &[u32], place: usize, value: u32) -> Vec<u32> {
    let mut new = Vec::with_capacity(state.len() + 1);
    new.extend_from_slice(&state[..place]);
    new.push(value);
    new.extend_from_slice(&state[place..]);
    new
}

fn removed(state: &[u32], place: usize) -> Vec<u32> {
    [&state[..place], &state[place + 1..]].concat()
}

/// The place of a key in a row of pairs, or where it would be.
fn place(state: &[u32], key: u32) -> Result<usize, usize> {
    let (pairs, _) = state.as_chunks::<2>();
    pairs.binary_search_by_key(&key, |p| p[0]).map(|i| 2 * i).map_err(|i| 2 * i)
}

fn get(state: &[u32], key: u32) -> u32 {
    place(state, key).map_or(NIL, |i| state[i + 1])
}

/// What is put as `nil` is not there.
fn put(state: &[u32], key: u32, value: u32) -> Vec<u32> {
    let mut new = state.to_vec();
    match place(state, key) {
        Ok(i) if value == NIL => drop(new.drain(i..i + 2)),
        Ok(i) => new[i + 1] = value,
        Err(_) if value == NIL => {}
        Err(i) => drop(new.splice(i..i, [key, value])),
    }
    new
}

impl Code {
    /// Does it leave every state in which it is possible with this result as it is?
    pub(crate) fn changes_nothing(self, call: &Call, values: &mut Values) -> bool {
        let no = Given::Value(values.number(&Datum::Bool(false)));
        match self {
            Code::Read
            | Code::First
            | Code::Last
            | Code::SetContains
            | Code::ReadAll
            | Code::Get
            | Code::LogGet => true,
            Code::Cas | Code::CasKey => {
                let at = usize::from(self == Code::CasKey);
                call.given == no || call.args[at] == call.args[at + 1]
            }
            Code::TryAcquire | Code::Enqueue | Code::SetAdd | Code::SetRemove => call.given == no,
            Code::Dequeue | Code::Poll | Code::Pop => call.given == Given::Value(NIL),
            Code::Txn => call.args.as_chunks::<3>().0.iter().all(|a| a[0] == 0),
            _ => false,
        }
    }

    /// Is its first argument a key, so that operations with other keys neither see nor change what it does?
    pub(crate) fn has_key(self) -> bool {
        matches!(
            self,
            Code::Get
                | Code::Put
                | Code::Append
                | Code::Delete
                | Code::CasKey
                | Code::SetAdd
                | Code::SetRemove
                | Code::SetContains
        )
    }
}

/// A state in words; the first operation of a specification says what its words are.
pub(crate) fn describe(first: Code, state: &[u32], values: &Values) -> String {
    let row = |words: &[u32]| {
        words.iter().map(|&w| values.datum(w).to_string()).collect::<Vec<_>>().join(" ")
    };
    match first {
        Code::Read if state.len() == 2 => count(state).to_string(),
        Code::Acquire => match state[0] {
            1 => "1 permit".to_string(),
            n => format!("{n} permits"),
        },
        Code::Get | Code::Txn => {
            let pairs = state.as_chunks::<2>().0.iter();
            let pairs = pairs.map(|[k, v]| format!("{} {}", values.datum(*k), values.datum(*v)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Code::Read => row(state),
        _ => format!("[{}]", row(state)),
    }
}
