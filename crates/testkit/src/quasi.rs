//! The rules of quasi linearizability and the judge against the oracle of its definition, on random histories.
//!
//! A history is drawn together with its specification and its groups. It comes from a sloppy
//! sequential object (which takes any of the first few elements) whose operations overlap, with
//! some results replaced, so that histories on both sides of the line are frequent.

use std::sync::Arc;

use linchpin_check::feed::{Fed, feed, feed_eagerly, feed_exactly};
use linchpin_evidence::conditions::refuse_history;
use linchpin_evidence::{Disagreement, history};
use linchpin_lin::Value;
use linchpin_lin::program::{Condition, OpId, Program, QuasiGroup, QuasiResult};
use linchpin_lin::{Granularity, Model};
use linchpin_lts::EventKind;

use crate::brute::Event;
use crate::brute::quasi::Oracle;
use crate::generate::Rng;

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Histories.
    pub histories: usize,
    /// Prefixes, judged as histories that go on.
    pub prefixes: usize,
    /// Of these, accepted.
    pub accepted: usize,
    /// Prefixes that the exact rules refuse.
    pub refused: usize,
    /// Prefixes of which the exact rules do not know whether an extension completes them.
    pub unsure: usize,
    /// Prefixes that the judge refuses.
    pub judged: usize,
    /// Complete histories, judged as histories that have ended.
    pub complete: usize,
    /// Of these, accepted.
    pub ended: usize,
    /// Complete histories that only the literal Definition 4 accepts.
    pub literal_only: usize,
    /// Complete histories that are accepted although they are not linearizable.
    pub relaxed: usize,
    /// Histories with a prefix or end that the eager rules refuse although it is accepted.
    pub eager_refusals: usize,
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: &Tally) {
        self.histories += other.histories;
        self.prefixes += other.prefixes;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.unsure += other.unsure;
        self.judged += other.judged;
        self.complete += other.complete;
        self.ended += other.ended;
        self.literal_only += other.literal_only;
        self.relaxed += other.relaxed;
        self.eager_refusals += other.eager_refusals;
    }
}

/// How the random histories look.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// At most so many operations.
    pub operations: usize,
    /// Compare every prefix, by extensions with at most so many operations.
    pub further: Option<usize>,
}

const MODELS: [&str; 6] = [
    "data V
     object O { op enq(v: V) { }  op deq() -> V? { return empty } }
     spec S {
       var q: seq<V>
       op enq(v: V) { q.push_back(v) }
       op deq() -> V? { if q.is_empty() { return empty }; return q.pop_front() }
     }
     check O against S { threads 3 }",
    "data V
     object O { op enq(v: V) { }  op deq() -> V? { return empty } }
     spec S {
       var q: seq<V>
       op enq(v: V) { q.push_back(v) }
       op deq() -> V? { if q.is_empty() { return empty }; return q.pop_front() }
     }
     check O against S { threads 3, values V: 2 }",
    "data V
     object O { op push(v: V) { }  op pop() -> V? { return empty } }
     spec S {
       var q: seq<V>
       op push(v: V) { q.push_back(v) }
       op pop() -> V? { if q.is_empty() { return empty }; return q.pop_back() }
     }
     check O against S { threads 3 }",
    "object O { op add(v: 1..=3) { }  op min() -> (1..=3)? { return empty } }
     spec S {
       var q: bag<1..=3>
       op add(v: 1..=3) { q.insert(v) }
       op min() -> (1..=3)? {
         if q.is_empty() { return empty }
         let m = q.min()
         q.remove(m)
         return m
       }
     }
     check O against S { threads 3 }",
    "object O { op write(v: 1..=2) { }  op read() -> (1..=2)? { return empty } }
     spec S {
       var r: (1..=2)?
       op write(v: 1..=2) { r = v }
       op read() -> (1..=2)? { return r }
     }
     check O against S { threads 3 }",
    "data V
     object O { op put(v: V) -> bool { return true }  op get() -> V? { return empty } }
     spec S {
       var q: seq<V>
       op put(v: V) -> bool { if q.len() == 2 { return false }; q.push_back(v); return true }
       op get() -> V? { if q.is_empty() { return empty }; return q.pop_front() }
     }
     check O against S { threads 3 }",
];

/// Draws a history and compares what the rules and the oracle say about it.
///
/// # Errors
/// The history and the difference.
pub fn compare(seed: u64, shape: Shape) -> Result<Tally, String> {
    let mut rng = Rng::new(seed);
    let model = rng.below(MODELS.len());
    let loaded = linchpin_lin::syntax::load(MODELS[model], &[]).map_err(|e| format!("{e:?}"))?;
    let program = Arc::new(loaded.program);
    let mut check = program.checks[0].clone();
    let groups = groups(&mut rng);
    check.condition = Condition::Quasi(groups.clone());
    let history = draw(&mut rng, model, shape.operations);
    let fed: Vec<Fed> = history.iter().map(|(event, op)| fed(event, *op)).collect();
    let events: Vec<Event> = history.iter().map(|(event, _)| event.clone()).collect();
    let said = feed(&program, &check, &fed).map_err(|e| format!("{e:?}"))?;

    // The exact rules are slow; where extensions do not matter, some histories are enough.
    let exact = match shape.further.is_some() || seed.is_multiple_of(4) {
        true => feed_exactly(&program, &check, &fed).map_err(|e| format!("{e:?}"))?,
        false => said.clone(),
    };
    let object = Model::new(program.clone(), &check, Granularity::UNREDUCED)
        .map_err(|e| format!("{e:?}"))?;

    let oracle = Oracle::new(&program, &check);
    let mut tally = Tally { histories: 1, ..Tally::default() };
    let differ = |n: usize, what: &str, rules: bool, oracle: bool| {
        let events: Vec<String> = events[..n].iter().map(|e| format!("{e:?}\n")).collect();
        Err(format!(
            "seed {seed}, {what}: rules {rules}, oracle {oracle}\n{groups:?}\n{}\n{}",
            MODELS[model],
            events.concat()
        ))
    };
    let eager = feed_eagerly(&program, &check, &fed).map_err(|e| format!("{e:?}"))?;
    tally.eager_refusals += usize::from(eager != said);
    for n in 1..=events.len() {
        let (fast, all) = (eager[n - 1], said[n - 1]);
        if fast.accepts && !all.accepts || fast.ends && !all.ends {
            return differ(n, "eager rules accept more", all.ends, fast.ends);
        }
        let exact = exact[n - 1];
        if all.accepts && !exact.accepts || all.ends && !exact.ends {
            return differ(n, "exact rules accept less", exact.ends, all.ends);
        }
        let open = events[..n].iter().filter(|e| matches!(e, Event::Call { .. })).count() * 2 > n;
        let said = said[n - 1];
        let complete = if open { None } else { Some(oracle.complete(&events[..n])) };
        if let Some(complete) = complete {
            if complete.bounded != said.ends {
                return differ(n, "complete", said.ends, complete.bounded);
            }
            if complete.bounded != exact.ends {
                return differ(n, "complete, exactly", exact.ends, complete.bounded);
            }
            tally.complete += 1;
            tally.ended += usize::from(complete.bounded);
            tally.literal_only += usize::from(complete.literal && !complete.bounded);
            let linearizable = is_linearizable(&program, &check, &fed[..n])?;
            tally.relaxed += usize::from(complete.bounded && !linearizable);
            if groups.iter().all(|g| g.factor == 0) && complete.bounded != linearizable {
                return differ(n, "linearizable", linearizable, complete.bounded);
            }
        }
        if let Some(further) = shape.further {
            let accepted = complete.is_some_and(|c| c.bounded)
                || oracle.extended(&events[..n], further).bounded;
            if accepted != said.accepts {
                return differ(n, "prefix", said.accepts, accepted);
            }
            // What is accepted here and not by the oracle must be open.
            if accepted && !exact.accepts || !accepted && exact.accepts && exact.sure {
                return differ(n, "prefix, exactly", exact.accepts, accepted);
            }
            let judged = refuse_history(&object, &judged(&history[..n]));
            match &judged {
                Ok(_) if !exact.accepts => {}
                Err(Disagreement::Satisfied) if accepted => {}
                Err(Disagreement::Undecided) if exact.accepts && !exact.sure => {}
                other => return differ(n, &format!("judge {other:?}"), exact.accepts, accepted),
            }
            tally.refused += usize::from(!exact.accepts);
            tally.unsure += usize::from(exact.accepts && !exact.sure);
            tally.judged += usize::from(judged.is_ok());
            tally.prefixes += 1;
            tally.accepted += usize::from(accepted);
        }
    }
    Ok(tally)
}

fn is_linearizable(
    program: &Arc<Program>,
    check: &linchpin_lin::program::Check,
    history: &[Fed],
) -> Result<bool, String> {
    let mut check = check.clone();
    check.condition = Condition::Linearizable;
    let said = feed(program, &check, history).map_err(|e| format!("{e:?}"))?;
    Ok(said.last().is_none_or(|s| s.ends))
}

/// The same for the judge.
fn judged(history: &[(Event, OpId)]) -> history::History {
    let event = |(event, op): &(Event, OpId)| match event {
        Event::Call { thread, args, .. } => {
            Some(history::Event::Call { thread: *thread, op: *op, args: args.clone() })
        }
        Event::Return { thread, result } => {
            Some(history::Event::Return { thread: *thread, op: *op, result: result.clone() })
        }
        Event::Point { .. } => None,
    };
    history.iter().filter_map(event).collect()
}

fn fed(event: &Event, op: OpId) -> Fed {
    match event {
        Event::Call { thread, op, args } => {
            Fed { thread: *thread, op: *op, kind: EventKind::Call, values: args.clone() }
        }
        Event::Return { thread, result } => {
            Fed { thread: *thread, op, kind: EventKind::Return, values: vec![result.clone()] }
        }
        Event::Point { thread } => {
            Fed { thread: *thread, op, kind: EventKind::Point, values: Vec::new() }
        }
    }
}

/// Groups of all kinds; operation 0 adds, operation 1 takes.
fn groups(rng: &mut Rng) -> Vec<QuasiGroup> {
    let (add, take) = (OpId(0), OpId(1));
    let any = |op| (op, QuasiResult::Any);
    let empty = (take, QuasiResult::Is(Value::Option(None)));
    let some = (take, QuasiResult::Some);
    let shapes: [Vec<Vec<(OpId, QuasiResult)>>; 7] = [
        vec![vec![any(take)]],
        vec![vec![any(add)], vec![any(take)]],
        vec![vec![any(add), any(take)]],
        vec![vec![some.clone()], vec![empty.clone()]],
        vec![vec![any(add), empty.clone()], vec![any(take)]],
        vec![vec![any(take)], vec![empty]],
        vec![vec![some, any(add)]],
    ];
    let shape = shapes[rng.below(shapes.len())].clone();
    let factor = |rng: &mut Rng| [0, 1, 1, 2, 2][rng.below(5)];
    shape.into_iter().map(|members| QuasiGroup { members, factor: factor(rng) }).collect()
}

/// An operation that has been called, its arguments, and its result if it took effect.
type Open = (OpId, Vec<Value>, Option<Value>);

/// A well-formed history with the operation of each event.
fn draw(rng: &mut Rng, model: usize, most: usize) -> Vec<(Event, OpId)> {
    let threads = 1 + rng.below(3) as u32;
    let wanted = 1 + rng.below(most);
    let adds = 35 + rng.below(30);
    let noise = [0, 10, 30, 60][rng.below(4)];
    let reach = 1 + rng.below(3);
    let mut items: Vec<Value> = Vec::new();
    let (mut fresh, mut called) = (0, 0);
    // Per thread: the operation it is in, and whether it has taken effect with this result.
    let mut open: Vec<Option<Open>> = vec![None; threads as usize];
    let mut history = Vec::new();
    loop {
        let thread = rng.below(threads as usize);
        match open[thread].take() {
            None if called == wanted => {
                if open.iter().all(Option::is_none) {
                    return history;
                }
            }
            None => {
                called += 1;
                let op = OpId(u32::from(!rng.percent(adds)));
                let args = match (op, model) {
                    (OpId(1), _) => Vec::new(),
                    (_, 3) => vec![Value::Int(1 + rng.below(3) as i32)],
                    (_, 4) => vec![Value::Int(1 + rng.below(2) as i32)],
                    (_, 1) => vec![Value::Data(1 + rng.below(2) as u32)],
                    _ => {
                        fresh += 1;
                        vec![Value::Data(fresh)]
                    }
                };
                let call = Event::Call { thread: thread as u32 + 1, op, args: args.clone() };
                history.push((call, op));
                open[thread] = Some((op, args, None));
            }
            Some((op, args, None)) => {
                let mut result = effect(rng, model, op, &args, reach, &mut items);
                if op == OpId(1) && rng.percent(noise) {
                    result = match rng.below(3) {
                        0 => Value::Option(None),
                        // An object cannot return an opaque value that nobody has passed to it.
                        _ if fresh == 0 && !matches!(model, 1 | 3 | 4) => Value::Option(None),
                        _ => some(match model {
                            3 => Value::Int(1 + rng.below(3) as i32),
                            4 => Value::Int(1 + rng.below(2) as i32),
                            1 => Value::Data(1 + rng.below(2) as u32),
                            _ => Value::Data(1 + rng.below(fresh as usize) as u32),
                        }),
                    };
                }
                open[thread] = Some((op, args, Some(result)));
            }
            Some((op, _, Some(result))) => {
                history.push((Event::Return { thread: thread as u32 + 1, result }, op));
            }
        }
    }
}

fn some(value: Value) -> Value {
    Value::Option(Some(Box::new(value)))
}

/// What a sloppy object does.
fn effect(
    rng: &mut Rng,
    model: usize,
    op: OpId,
    args: &[Value],
    reach: usize,
    items: &mut Vec<Value>,
) -> Value {
    if op == OpId(0) {
        if model == 5 && items.len() >= 2 && !rng.percent(20) {
            return Value::Bool(false);
        }
        if model == 4 && items.len() >= reach {
            items.remove(0);
        }
        items.push(args[0].clone());
        return if model == 5 { Value::Bool(true) } else { Value::Unit };
    }
    if items.is_empty() {
        return Value::Option(None);
    }
    if model == 3 {
        items.sort();
    }
    let skip = rng.below(reach.min(items.len()));
    some(match model {
        2 => items.remove(items.len() - 1 - skip),
        4 => items[items.len() - 1 - skip].clone(),
        _ => items.remove(skip),
    })
}
