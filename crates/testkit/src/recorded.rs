//! The decision of recorded histories against brute force: all specifications, all ways to decide alone and together, the
//! monitor, the judge, shrinking, and every format.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use linchpin_history::{
    Datum, Decision, Format, Judged, Means, Monitor, NEVER, Operation, Reading, Spec, Split,
    decide, decide_sequential, explains, judge, judge_sequential, quiescent, read, shrink, write,
};
use linchpin_lts::{Verdict, Watch};

use crate::histories::{
    Generated, Kept, Plan, Random, SPECS, break_one, brute, forget_one, generate,
};

/// How often what was compared.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Histories.
    pub histories: u64,
    /// Of these, without an order.
    pub violated: u64,
    /// Never-returning operations in them.
    pub lost: u64,
    /// Decisions of histories with distinct values, without a search.
    pub distinct: u64,
    /// Decisions of registers by changes of their values.
    pub register: u64,
    /// Logs that were written and read again.
    pub logs: u64,
    /// Decisions of `.lin` specifications, split by key.
    pub split: u64,
    /// Violations that the judge has confirmed.
    pub judged: u64,
    /// Operations before and after shrinking.
    pub shrunk: (u64, u64),
    /// By specification: histories, and those without an order.
    pub by_spec: BTreeMap<&'static str, (u64, u64)>,
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: &Tally) {
        self.histories += other.histories;
        self.violated += other.violated;
        self.lost += other.lost;
        self.distinct += other.distinct;
        self.register += other.register;
        self.logs += other.logs;
        self.split += other.split;
        self.judged += other.judged;
        self.shrunk.0 += other.shrunk.0;
        self.shrunk.1 += other.shrunk.1;
        for (spec, (all, violated)) in &other.by_spec {
            let counts = self.by_spec.entry(spec).or_default();
            counts.0 += all;
            counts.1 += violated;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally {
            histories,
            violated,
            lost,
            distinct,
            register,
            logs,
            split,
            judged,
            shrunk,
            by_spec,
        } = self;
        for (spec, (all, violated)) in by_spec {
            writeln!(f, "{spec:<16} {all:>8} histories, {violated:>7} without an order")?;
        }
        write!(
            f,
            "{histories} histories, {violated} without an order, {lost} lost operations, {distinct} decided without a \
             search, {register} as registers, {split} split by key as the text of a specification allows, {logs} logs read again, {judged} violations judged, {} operations shrunk to {}",
            shrunk.0, shrunk.1
        )
    }
}

/// Compares everything on one random history; an error says what differs.
pub fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(seed);
    let plan = Plan {
        spec: SPECS[random.below(SPECS.len())],
        clients: 2 + random.below(4),
        operations: 2 + random.below(7),
        lost: [0, 100, 300][random.below(3)],
        keys: 2 + random.below(2),
        distinct: random.one_in(2),
        seed,
    };
    let spec = Spec::builtin(plan.spec)?;
    let mut generated = generate(&spec, &plan);
    for _ in 0..random.below(3) {
        break_one(plan.spec, &mut generated, &mut random);
    }
    if random.one_in(4) {
        forget_one(&mut generated, &mut random);
    }
    tally.histories += 1;
    tally.lost += generated.operations.iter().filter(|o| o.ret == NEVER).count() as u64;
    let expected = brute(plan.spec, &generated, Kept::Time);
    let counts = tally.by_spec.entry(plan.spec).or_default();
    counts.0 += 1;
    counts.1 += u64::from(!expected);
    tally.violated += u64::from(!expected);
    let wrong = |what: &str| format!("seed {seed}, {}: {what}; brute force: {expected}", plan.spec);
    means(&spec, &generated, expected, tally).map_err(|what| wrong(&what))?;
    followed(&spec, &generated, expected).map_err(|what| wrong(&what))?;
    confirmed(&spec, &generated.operations, expected, tally).map_err(|what| wrong(&what))?;
    formats(&spec, &generated.operations, tally).map_err(|what| wrong(&what))?;
    written(plan.spec, &generated, expected, tally).map_err(|what| wrong(&what))?;
    conditions(&spec, plan.spec, &generated).map_err(|what| wrong(&what))
}

/// Every way to decide.
fn means(
    spec: &Spec,
    generated: &Generated,
    expected: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let operations = &generated.operations;
    let all = Means { orders: true, ..Means::default() };
    let none = Means { distinct: false, register: false, ..all };
    let alone = [
        ("all", Means::default()),
        ("all with orders", all),
        ("not split", Means { split: Split::None, ..all }),
        ("breadth", Means { depth: false, ..none }),
        ("depth", Means { breadth: false, ..none }),
        ("breadth without dominance", Means { depth: false, dominance: false, ..none }),
        ("depth without dominance", Means { breadth: false, dominance: false, ..none }),
        ("breadth, nothing at once", Means { depth: false, at_once: false, ..none }),
        ("depth, nothing at once", Means { breadth: false, at_once: false, ..none }),
        (
            "plain breadth",
            Means { depth: false, at_once: false, dominance: false, split: Split::None, ..none },
        ),
        (
            "plain depth",
            Means { breadth: false, at_once: false, dominance: false, split: Split::None, ..none },
        ),
        ("register", Means { breadth: false, depth: false, register: true, ..none }),
        ("distinct", Means { breadth: false, depth: false, register: false, ..Means::default() }),
    ];
    for (name, means) in alone {
        let decision = decide(spec, operations, &means, &Watch::NEVER).map_err(|t| t.message)?;
        match decision.verdict {
            Verdict::Holds if expected => {}
            Verdict::Violated(_) if !expected => {}
            Verdict::Unknown(_) if ["distinct", "register"].contains(&name) => continue,
            verdict => return Err(format!("{name}: {verdict:?}")),
        }
        tally.distinct += u64::from(name == "distinct");
        tally.register += u64::from(name == "register");
        match &decision.order {
            Some(order) if expected => {
                explains(spec, operations, order).map_err(|t| format!("{name}: {}", t.message))?;
            }
            None if expected && means.orders => return Err(format!("{name}: no order")),
            _ => {}
        }
    }
    Ok(())
}

/// The monitor, after every event: once a history has no order, none that begins with it has.
fn followed(spec: &Spec, generated: &Generated, expected: bool) -> Result<(), String> {
    let operations = &generated.operations;
    let mut events: Vec<(u32, bool, usize)> = Vec::new();
    for (i, operation) in operations.iter().enumerate() {
        events.push((operation.call, false, i));
        if operation.ret != NEVER {
            events.push((operation.ret, true, i));
        }
    }
    events.sort_unstable();
    let mut monitor = Monitor::new(spec.clone());
    let mut holds = true;
    for (_, is_return, i) in events {
        let (operation, process) = (&operations[i], Datum::Int(i64::from(operations[i].process)));
        let done = if is_return {
            monitor.ret(&process, shown(generated.names[i], operation))
        } else {
            monitor.call(&process, generated.names[i], &passed(generated.names[i], operation))
        };
        done.map_err(|t| t.message)?;
        holds = monitor.verdict().map_err(|t| t.message)?.holds();
    }
    match holds == expected {
        true => Ok(()),
        false => Err(format!("the monitor: {holds}")),
    }
}

/// Arguments and results as a log has them.
fn passed(name: &str, operation: &Operation) -> Vec<Datum> {
    match (name, &operation.args[..]) {
        ("txn", [Datum::List(accesses)]) => vec![txn(accesses, None)],
        (_, args) => args.to_vec(),
    }
}

fn shown(name: &str, operation: &Operation) -> Option<Datum> {
    match (name, &operation.args[..], &operation.result) {
        ("txn", [Datum::List(accesses)], Some(Datum::List(results))) => {
            Some(txn(accesses, Some(results)))
        }
        (_, _, result) => result.clone(),
    }
}

fn txn(accesses: &[Datum], results: Option<&[Datum]>) -> Datum {
    let one = |(i, access): (usize, &Datum)| match access {
        Datum::List(parts) => {
            let how = Datum::text(if parts[0] == Datum::Bool(true) { "w" } else { "r" });
            let value = results.and_then(|r| r.get(i)).unwrap_or(&parts[2]).clone();
            Datum::list(vec![how, parts[1].clone(), value])
        }
        _ => Datum::Nil,
    };
    Datum::list(accesses.iter().enumerate().map(one).collect())
}

/// The judge says the same of the whole and of what is left of it.
fn confirmed(
    spec: &Spec,
    operations: &[Operation],
    expected: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    match judge(spec, operations, &Watch::NEVER) {
        Judged::Confirmed(_) if !expected => {}
        Judged::Explained if expected => {}
        judged => return Err(format!("the judge: {judged:?}")),
    }
    if expected {
        return Ok(());
    }
    for distinct in [false, true] {
        let means = Means { distinct, ..Means::default() };
        let decision = decide(spec, operations, &means, &Watch::NEVER).map_err(|t| t.message)?;
        let Verdict::Violated(refuted) = decision.verdict else {
            return Err("not violated any more".to_string());
        };
        let left = shrink(spec, operations, &refuted, &Watch::NEVER);
        match judge(spec, &left, &Watch::NEVER) {
            Judged::Confirmed(_) => tally.judged += 1,
            judged => return Err(format!("the judge of what is left, {left:?}: {judged:?}")),
        }
        tally.shrunk.0 += operations.len() as u64;
        tally.shrunk.1 += left.len() as u64;
    }
    Ok(())
}

/// Written and read again, it is the same.
fn formats(spec: &Spec, operations: &[Operation], tally: &mut Tally) -> Result<(), String> {
    let ways = [
        (Format::Json, false),
        (Format::Json, true),
        (Format::Edn, false),
        (Format::Jepsen, false),
        (Format::Etcd, true),
    ];
    for (format, whole) in ways {
        let Some(text) = write(spec, operations, format, whole) else { continue };
        for forced in [None, Some(format)] {
            let reading = Reading { format: forced, ..Reading::default() };
            let history = read(&text, spec, &reading)
                .map_err(|t| format!("{format:?}, line {}: {}\n{text}", t.line, t.message))?;
            let key = |o: &Operation| (o.op, o.args.clone(), o.result.clone(), o.call, o.ret);
            let (before, after): (Vec<_>, Vec<_>) = (
                operations.iter().map(key).collect(),
                history.operations.iter().map(key).collect(),
            );
            if before != after {
                return Err(format!("{format:?}: read as {after:?}\n{text}"));
            }
            tally.logs += 1;
        }
    }
    Ok(())
}

/// Maps and sets as somebody would write them in `.lin`: split by key, if every operation that occurs has one, and not split.
fn written(
    name: &str,
    generated: &Generated,
    expected: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let name = match name {
        "map" => "KeyedMap",
        "set" => "KeyedSet",
        _ => return Ok(()),
    };
    let spec = keyed(name)?;
    let mut operations = generated.operations.clone();
    for (operation, name) in operations.iter_mut().zip(&generated.names) {
        operation.op = spec.op(name).ok_or("an operation is missing")?;
    }
    let has_keys = !generated.names.contains(&"read");
    let keys: BTreeSet<&Datum> = operations.iter().filter_map(|o| o.args.first()).collect();
    for split in [Split::Auto, Split::None, Split::Key] {
        let means = Means { split, orders: true, ..Means::default() };
        let decision = match decide(&spec, &operations, &means, &Watch::NEVER) {
            Err(_) if split == Split::Key && !has_keys => continue,
            decision => decision.map_err(|t| format!("{name}, {split:?}: {}", t.message))?,
        };
        let parts = if has_keys && split != Split::None { keys.len() } else { 1 };
        if decision.verdict.holds() != expected || decision.parts != parts {
            let Decision { verdict, parts, .. } = decision;
            return Err(format!("{name}, {split:?}: {verdict:?} in {parts} parts"));
        }
        tally.split += u64::from(parts > 1);
    }
    Ok(())
}

/// A specification of `keyed.lin`.
pub fn keyed(name: &str) -> Result<Spec, String> {
    let loaded = linchpin_lin::syntax::load(include_str!("keyed.lin"), &[]);
    let program = loaded.map_err(|errors| format!("{errors:?}"))?.program;
    Spec::written(Arc::new(program), name)
}

/// Sequential and quiescent consistency.
fn conditions(spec: &Spec, name: &'static str, generated: &Generated) -> Result<(), String> {
    let operations = &generated.operations;
    let expected = brute(name, generated, Kept::Quiescence);
    let relaxed = quiescent(operations);
    let found = decide(spec, &relaxed, &Means::default(), &Watch::NEVER).map_err(|t| t.message)?;
    if found.verdict.holds() != expected {
        return Err(format!("quiescent: {:?}, brute force {expected}", found.verdict));
    }
    let expected = brute(name, generated, Kept::Process);
    let found =
        decide_sequential(spec, operations, u64::MAX, &Watch::NEVER).map_err(|t| t.message)?;
    if found.verdict.holds() != expected {
        return Err(format!("sequential: {:?}, brute force {expected}", found.verdict));
    }
    match judge_sequential(spec, operations, &Watch::NEVER) {
        Judged::Confirmed(_) if !expected => Ok(()),
        Judged::Explained if expected => Ok(()),
        judged => {
            Err(format!("the judge of sequential consistency: {judged:?}, brute force {expected}"))
        }
    }
}
