//! Recorded histories: the built-in specifications once more, random histories, and brute force from the definition.
//!
//! Everything here is other code than that of the crate `history`: specifications work on the collections of the standard
//! library, and the oracle tries all orders of all subsets of the operations that never returned, remembering nothing.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_history::{Datum, NEVER, Operation, Spec};

/// Random numbers that are the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// A sequential object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// A register.
    Register(Datum),
    /// A counter.
    Counter(i64),
    /// The largest so far.
    Largest(Option<i64>),
    /// Permits, and the most there may be.
    Permits(i64, Option<i64>),
    /// A queue, perhaps of bounded size.
    Queue(Vec<Datum>, Option<usize>),
    /// A stack.
    Stack(Vec<Datum>),
    /// A set.
    Set(BTreeSet<Datum>),
    /// A priority queue.
    Priorities(Vec<i64>),
    /// A map.
    Map(BTreeMap<Datum, Datum>),
    /// A log.
    Log(Vec<Datum>),
}

/// The specifications that are tried, with the numbers of those that have one.
pub const SPECS: &[&str] = &[
    "register",
    "cas-register",
    "counter",
    "max-register",
    "mutex",
    "semaphore:2",
    "queue",
    "bounded-queue:2",
    "stack",
    "set",
    "priority-queue",
    "map",
    "multi-register",
    "log",
];

impl Model {
    /// As the specification begins.
    pub fn new(spec: &str) -> Model {
        match spec {
            "register" | "cas-register" => Model::Register(Datum::Nil),
            "counter" => Model::Counter(0),
            "max-register" => Model::Largest(None),
            "mutex" => Model::Permits(1, Some(1)),
            "semaphore:2" => Model::Permits(2, None),
            "queue" => Model::Queue(Vec::new(), None),
            "bounded-queue:2" => Model::Queue(Vec::new(), Some(2)),
            "stack" => Model::Stack(Vec::new()),
            "set" => Model::Set(BTreeSet::new()),
            "priority-queue" => Model::Priorities(Vec::new()),
            "map" | "multi-register" => Model::Map(BTreeMap::new()),
            _ => Model::Log(Vec::new()),
        }
    }

    /// Does an operation; gives its result, if it has one, or nothing at all if it is not possible.
    pub fn apply(&mut self, name: &str, args: &[Datum]) -> Option<Option<Datum>> {
        let int = |d: &Datum| match d {
            Datum::Int(n) => *n,
            _ => 0,
        };
        let yes = |b: bool| Some(Some(Datum::Bool(b)));
        let value = |d: Option<Datum>| Some(Some(d.unwrap_or(Datum::Nil)));
        match (self, name) {
            (Model::Register(v), "read") => value(Some(v.clone())),
            (Model::Register(v), "write") => {
                *v = args[0].clone();
                Some(None)
            }
            (Model::Register(v), _) => {
                let same = *v == args[0];
                if same {
                    *v = args[1].clone();
                }
                yes(same)
            }
            (Model::Counter(n), "read") => value(Some(Datum::Int(*n))),
            (Model::Counter(n), "get-and-add") => {
                let before = *n;
                *n += int(&args[0]);
                value(Some(Datum::Int(before)))
            }
            (Model::Counter(n), _) => {
                *n += match name {
                    "increment" => 1,
                    "decrement" => -1,
                    _ => int(&args[0]),
                };
                Some(None)
            }
            (Model::Largest(n), "read") => value(n.map(Datum::Int)),
            (Model::Largest(n), _) => {
                *n = (*n).max(Some(int(&args[0])));
                Some(None)
            }
            (Model::Permits(n, _), "acquire") if *n == 0 => None,
            (Model::Permits(n, _), "acquire") => {
                *n -= 1;
                Some(None)
            }
            (Model::Permits(n, _), "try-acquire") => {
                let some = *n > 0;
                *n -= i64::from(some);
                yes(some)
            }
            (Model::Permits(n, most), _) => {
                if most.is_some_and(|most| *n >= most) {
                    return None;
                }
                *n += 1;
                Some(None)
            }
            (Model::Queue(items, most), "enqueue") => {
                if most.is_some_and(|most| items.len() >= most) {
                    return yes(false);
                }
                items.push(args[0].clone());
                if most.is_some() { yes(true) } else { Some(None) }
            }
            (Model::Queue(items, _), "peek") => value(items.first().cloned()),
            (Model::Queue(items, _), _) => {
                value(if items.is_empty() { None } else { Some(items.remove(0)) })
            }
            (Model::Stack(items), "push") => {
                items.push(args[0].clone());
                Some(None)
            }
            (Model::Stack(items), "peek") => value(items.last().cloned()),
            (Model::Stack(items), _) => value(items.pop()),
            (Model::Set(items), "add") => yes(items.insert(args[0].clone())),
            (Model::Set(items), "remove") => yes(items.remove(&args[0])),
            (Model::Set(items), "contains") => yes(items.contains(&args[0])),
            (Model::Set(items), _) => value(Some(Datum::list(items.iter().cloned().collect()))),
            (Model::Priorities(items), "insert") => {
                items.push(int(&args[0]));
                items.sort_unstable();
                Some(None)
            }
            (Model::Priorities(items), "peek") => value(items.first().map(|n| Datum::Int(*n))),
            (Model::Priorities(items), _) => {
                value(if items.is_empty() { None } else { Some(Datum::Int(items.remove(0))) })
            }
            (Model::Map(map), "get") => value(map.get(&args[0]).cloned()),
            (Model::Map(map), "delete") => {
                map.remove(&args[0]);
                Some(None)
            }
            (Model::Map(map), "put") => {
                set(map, &args[0], &args[1]);
                Some(None)
            }
            (Model::Map(map), "append") => {
                let letters = |d: &Datum| match d {
                    Datum::Text(text) => text.to_string(),
                    _ => String::new(),
                };
                let joined = map.get(&args[0]).map_or(String::new(), letters) + &letters(&args[1]);
                map.insert(args[0].clone(), Datum::text(&joined));
                Some(None)
            }
            (Model::Map(map), "cas") => {
                let same = map.get(&args[0]).unwrap_or(&Datum::Nil) == &args[1];
                if same {
                    set(map, &args[0], &args[2]);
                }
                yes(same)
            }
            (Model::Map(map), _) => {
                let Datum::List(accesses) = &args[0] else { return None };
                let mut results = Vec::new();
                for access in accesses.iter() {
                    let Datum::List(parts) = access else { return None };
                    if parts[0] == Datum::Bool(true) {
                        set(map, &parts[1], &parts[2]);
                    }
                    results.push(map.get(&parts[1]).cloned().unwrap_or(Datum::Nil));
                }
                value(Some(Datum::list(results)))
            }
            (Model::Log(items), "append") => {
                items.push(args[0].clone());
                value(Some(Datum::Int(items.len() as i64 - 1)))
            }
            (Model::Log(items), "get") => value(items.get(int(&args[0]) as usize).cloned()),
            (Model::Log(items), _) => value(Some(Datum::list(items.clone()))),
        }
    }
}

fn set(map: &mut BTreeMap<Datum, Datum>, key: &Datum, value: &Datum) {
    match value {
        Datum::Nil => drop(map.remove(key)),
        value => drop(map.insert(key.clone(), value.clone())),
    }
}

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The specification, as in [`SPECS`].
    pub spec: &'static str,
    /// How many clients.
    pub clients: usize,
    /// How many operations.
    pub operations: usize,
    /// Of a thousand operations, so many never return.
    pub lost: usize,
    /// Keys of a map, elements of a set, values that occur where they need not be distinct.
    pub keys: usize,
    /// Is no value put in twice, and are there no operations but those to put in and take out?
    pub distinct: bool,
    /// Where it begins.
    pub seed: u64,
}

/// The operations of a history, and what each of them is called.
pub struct Generated {
    /// The operations, in the order of their calls.
    pub operations: Vec<Operation>,
    /// Their names.
    pub names: Vec<&'static str>,
}

/// A linearizable history: clients call, take effect one after the other, and return.
pub fn generate(spec: &Spec, plan: &Plan) -> Generated {
    enum Stage {
        Idle,
        Called(usize),
        Done(usize),
    }
    let mut random = Random::new(plan.seed);
    let mut model = Model::new(plan.spec);
    let mut stages: Vec<Stage> = (0..plan.clients).map(|_| Stage::Idle).collect();
    // A client that does not know what became of its operation goes on as another.
    let mut processes: Vec<u32> = (0..plan.clients as u32).collect();
    let mut next_process = plan.clients as u32;
    let (mut operations, mut names): (Vec<Operation>, Vec<&'static str>) = (Vec::new(), Vec::new());
    let (mut place, mut fresh, mut idle_rounds) = (0, 0, 0);
    loop {
        let client = random.below(plan.clients);
        match stages[client] {
            Stage::Idle if operations.len() < plan.operations => {
                let (name, args) = call(plan, &mut random, &mut fresh);
                let op = spec.op(name).unwrap_or(0);
                let process = processes[client];
                let args = args.into();
                let (call, ret) = (place, NEVER);
                let line = operations.len() as u32 + 1;
                operations.push(Operation {
                    process,
                    object: 0,
                    op,
                    args,
                    result: None,
                    call,
                    ret,
                    line,
                });
                names.push(name);
                place += 1;
                stages[client] = Stage::Called(operations.len() - 1);
            }
            Stage::Idle => {
                idle_rounds += 1;
                if stages.iter().all(|s| matches!(s, Stage::Idle)) || idle_rounds > 100_000 {
                    break;
                }
            }
            Stage::Called(i) => {
                if random.below(1000) < plan.lost {
                    // It takes effect or not.
                    if random.one_in(2) {
                        model.apply(names[i], &operations[i].args);
                    }
                    processes[client] = next_process;
                    next_process += 1;
                    stages[client] = Stage::Idle;
                } else if let Some(result) = model.apply(names[i], &operations[i].args) {
                    operations[i].result = result;
                    stages[client] = Stage::Done(i);
                } else {
                    idle_rounds += 1;
                    if idle_rounds > 100_000 {
                        break;
                    }
                }
            }
            Stage::Done(i) => {
                operations[i].ret = place;
                place += 1;
                stages[client] = Stage::Idle;
            }
        }
    }
    for operation in &mut operations {
        if operation.ret == NEVER {
            operation.result = None;
        }
    }
    Generated { operations, names }
}

/// A random call.
fn call(plan: &Plan, random: &mut Random, fresh: &mut i64) -> (&'static str, Vec<Datum>) {
    *fresh += 1;
    let any = |random: &mut Random| Datum::Int(random.below(plan.keys) as i64);
    let fresh = Datum::Int(match plan.spec {
        // In no order.
        "priority-queue" => (*fresh).wrapping_mul(7_919) % 1_000_003,
        _ => *fresh,
    });
    let new = |random: &mut Random| if plan.distinct { fresh.clone() } else { any(random) };
    let text = |d: Datum| Datum::text(&d.to_string());
    let dice = random.below(100);
    match plan.spec {
        "register" if dice < 50 => ("read", vec![]),
        "register" => ("write", vec![new(random)]),
        "cas-register" if dice < 40 => ("read", vec![]),
        "cas-register" if dice < 70 || plan.distinct => ("write", vec![new(random)]),
        "cas-register" => ("cas", vec![any(random), any(random)]),
        "counter" => match dice {
            0..40 => ("read", vec![]),
            40..60 => ("add", vec![any(random)]),
            60..75 => ("increment", vec![]),
            75..85 => ("decrement", vec![]),
            _ => ("get-and-add", vec![any(random)]),
        },
        "max-register" if dice < 50 => ("read", vec![]),
        "max-register" => ("write", vec![new(random)]),
        "mutex" | "semaphore:2" => match dice {
            0..40 => ("acquire", vec![]),
            40..85 => ("release", vec![]),
            _ => ("try-acquire", vec![]),
        },
        "queue" | "bounded-queue:2" => match dice {
            0..48 => ("enqueue", vec![new(random)]),
            48..92 => ("dequeue", vec![]),
            _ if plan.distinct => ("dequeue", vec![]),
            _ => ("peek", vec![]),
        },
        "stack" => match dice {
            0..48 => ("push", vec![new(random)]),
            48..92 => ("pop", vec![]),
            _ if plan.distinct => ("pop", vec![]),
            _ => ("peek", vec![]),
        },
        "set" => match dice {
            0..40 => ("add", vec![any(random)]),
            40..65 => ("remove", vec![any(random)]),
            65..97 => ("contains", vec![any(random)]),
            _ if plan.distinct => ("contains", vec![any(random)]),
            _ => ("read", vec![]),
        },
        "priority-queue" => match dice {
            0..48 => ("insert", vec![new(random)]),
            48..92 => ("poll", vec![]),
            _ if plan.distinct => ("poll", vec![]),
            _ => ("peek", vec![]),
        },
        "map" => {
            let key = text(any(random));
            match dice {
                0..50 => ("get", vec![key]),
                _ if plan.distinct => ("put", vec![key, text(fresh)]),
                50..75 => ("put", vec![key, text(any(random))]),
                75..85 => ("append", vec![key, text(any(random))]),
                85..92 => ("delete", vec![key]),
                _ => ("cas", vec![key, text(any(random)), text(any(random))]),
            }
        }
        "multi-register" => {
            let access = |random: &mut Random| {
                let write = random.one_in(2);
                let value = if write { any(random) } else { Datum::Nil };
                Datum::list(vec![Datum::Bool(write), any(random), value])
            };
            let accesses = (0..1 + random.below(2)).map(|_| access(random)).collect();
            ("txn", vec![Datum::list(accesses)])
        }
        _ => match dice {
            0..45 => ("append", vec![new(random)]),
            45..75 => ("get", vec![any(random)]),
            _ => ("read", vec![]),
        },
    }
}

/// Gives an operation another result: that of another one, or one that is near. Nothing if there is none to change.
pub fn break_one(spec: &str, generated: &mut Generated, random: &mut Random) {
    let some: Vec<usize> = (0..generated.operations.len())
        .filter(|&i| generated.operations[i].result.is_some())
        .collect();
    if some.is_empty() {
        return;
    }
    let i = some[random.below(some.len())];
    let others: Vec<&Datum> = some
        .iter()
        .filter(|&&j| generated.names[j] == generated.names[i])
        .filter_map(|&j| generated.operations[j].result.as_ref())
        .collect();
    let other = others[random.below(others.len())].clone();
    let new = match &generated.operations[i].result {
        Some(Datum::Bool(b)) => Datum::Bool(!b),
        Some(Datum::Int(n)) if random.one_in(3) => Datum::Int(n + 1),
        Some(Datum::List(_) | Datum::Text(_)) => other,
        Some(_) if random.one_in(4) && !matches!(spec, "counter" | "log") => Datum::Nil,
        _ => other,
    };
    // A transaction gives back what it wrote.
    if generated.names[i] != "txn" {
        generated.operations[i].result = Some(new);
    } else if let (Datum::List(values), Datum::List(accesses)) =
        (new, &generated.operations[i].args[0])
    {
        let old = generated.operations[i].result.clone();
        let Some(Datum::List(old)) = old else { return };
        let values = accesses.iter().enumerate().map(|(at, access)| match access {
            Datum::List(parts) if parts[0] == Datum::Bool(false) => {
                values.get(at).unwrap_or(&Datum::Nil).clone()
            }
            _ => old[at].clone(),
        });
        generated.operations[i].result = Some(Datum::list(values.collect()));
    }
}

/// Forgets a result: the operation returned, but nobody knows what. Those that change nothing keep theirs.
pub fn forget_one(generated: &mut Generated, random: &mut Random) {
    const CHANGING: [&str; 11] = [
        "cas",
        "get-and-add",
        "try-acquire",
        "enqueue",
        "dequeue",
        "pop",
        "add",
        "remove",
        "poll",
        "txn",
        "append",
    ];
    let some: Vec<usize> =
        (0..generated.names.len()).filter(|&i| CHANGING.contains(&generated.names[i])).collect();
    if !some.is_empty() {
        generated.operations[some[random.below(some.len())]].result = None;
    }
}

/// Which operations must come before which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Those that returned before the others were called.
    Time,
    /// Those of a process.
    Process,
    /// Those that are separated by a moment at which nothing is open.
    Quiescence,
}

/// Is there an order? From the definition: all orders of all operations that returned and some of those that did not.
pub fn brute(spec: &'static str, generated: &Generated, kept: Kept) -> bool {
    let all = &generated.operations;
    let quiet = |from: u32, to: u32| {
        (from..to).any(|place| all.iter().all(|o| place < o.call || o.ret <= place))
    };
    let before = |i: usize, j: usize| match kept {
        Kept::Time => all[i].ret < all[j].call,
        Kept::Process => all[i].process == all[j].process && all[i].call < all[j].call,
        Kept::Quiescence => all[i].ret < all[j].call && quiet(all[i].ret, all[j].call),
    };
    extend(&Model::new(spec), generated, &mut vec![false; all.len()], &before)
}

fn extend(
    model: &Model,
    generated: &Generated,
    placed: &mut Vec<bool>,
    before: &dyn Fn(usize, usize) -> bool,
) -> bool {
    let all = &generated.operations;
    if (0..all.len()).all(|i| placed[i] || all[i].ret == NEVER) {
        return true;
    }
    for i in 0..all.len() {
        if placed[i] || (0..all.len()).any(|j| !placed[j] && before(j, i)) {
            continue;
        }
        let mut next = model.clone();
        let Some(result) = next.apply(generated.names[i], &all[i].args) else { continue };
        if all[i].result.is_some() && all[i].result != result {
            continue;
        }
        placed[i] = true;
        if extend(&next, generated, placed, before) {
            return true;
        }
        placed[i] = false;
    }
    false
}
