//! The models, and all their executions without any reduction.

use std::sync::Arc;

use linchpin_lin::program::Program;
use linchpin_lin::{Granularity, Model};
use linchpin_lts::{Outcome, Schedule, TransitionSystem, Turn};

/// Two threads, one `increment` each: read, then write. Four steps per thread.
pub(crate) const LOST_UPDATE: &str = "\
object Counter {
  var N: 0..=3
  op increment() -> 0..=3 {
    let n = N
    N = n + 1
    return n
  }
}
spec CounterSpec {
  var n: 0..=3
  op increment() -> 0..=3 {
    n += 1
    return n - 1
  }
}
check Counter against CounterSpec { threads 2, ops 1 }
";

/// Three threads; two of them can wait for each other for ever, the third waits for both.
pub(crate) const DEADLOCK: &str = "\
object Locks {
  var a: lock
  var b: lock
  op forth() {
    lock(a)
    lock(b)
    unlock(b)
    unlock(a)
  }
  op back() {
    lock(b)
    lock(a)
    unlock(a)
    unlock(b)
  }
}
spec Nothing {
  op forth() { }
  op back() { }
}
check Locks against Nothing { threads 3, ops 1 }
";

/// `get` looks at `top` twice; between the two looks it may become null.
pub(crate) const NULL: &str = "\
data Value
node Node { val: Value }
object Cell {
  var top: Node
  op put(v: Value) { top = new Node { val: v } }
  op clear() { top = null }
  op get() -> Value? {
    if top == null { return empty }
    return top.val
  }
}
spec CellSpec {
  var now: Value?
  op put(v: Value) { now = v }
  op clear() { now = empty }
  op get() -> Value? { return now }
}
check Cell against CellSpec { threads 2, ops 2 }
";

/// The program of a text.
pub(crate) fn program(text: &str) -> Arc<Program> {
    Arc::new(linchpin_lin::syntax::load(text, &[]).expect("the model is correct").program)
}

/// The unreduced model of the first check.
pub(crate) fn model(program: &Arc<Program>) -> Model {
    Model::new(program.clone(), &program.checks[0], Granularity::UNREDUCED).expect("it compiles")
}

/// Visits every execution, depth first: the schedule, the state it ends in (`None` after a fault).
/// The visitor says whether to go on.
pub(crate) fn executions(model: &Model, visit: &mut dyn FnMut(&Schedule, Option<&[u32]>) -> bool) {
    let mut initial = Vec::new();
    model.initial(&mut model.scratch(), &mut |outcome| match outcome {
        Outcome::Next { state, .. } => initial.push(state.to_vec()),
        Outcome::Fault(kind) => panic!("the initialisation fails: {kind:?}"),
    });
    for (i, state) in initial.iter().enumerate() {
        let mut schedule = Schedule { initial: i as u32, turns: Vec::new() };
        follow(model, &mut schedule, state, visit);
    }
}

fn follow(
    model: &Model,
    schedule: &mut Schedule,
    state: &[u32],
    visit: &mut dyn FnMut(&Schedule, Option<&[u32]>) -> bool,
) {
    if !visit(schedule, Some(state)) {
        return;
    }
    let mut steps = Vec::new();
    model.successors(&mut model.scratch(), state, &mut |step| {
        let choices = step.choices.to_vec();
        let turn = Turn { thread: step.thread, choices, length: step.length };
        steps.push((
            turn,
            match step.outcome {
                Outcome::Next { state, .. } => Some(state.to_vec()),
                Outcome::Fault(_) => None,
            },
        ));
    });
    for (turn, next) in steps {
        schedule.turns.push(turn);
        match next {
            Some(state) => follow(model, schedule, &state, visit),
            None => {
                visit(schedule, None);
            }
        }
        schedule.turns.pop();
    }
}

/// The first execution of at most so many steps, in the order of [`executions`], of which this is
/// true.
pub(crate) fn first(
    model: &Model,
    steps: usize,
    is: &dyn Fn(&Schedule, Option<&[u32]>) -> bool,
) -> Schedule {
    let mut found = None;
    executions(model, &mut |schedule, state| {
        if found.is_none() && is(schedule, state) {
            found = Some(schedule.clone());
        }
        found.is_none() && schedule.turns.len() < steps
    });
    found.expect("there is such an execution")
}

/// Thread 1 has the first lock of [`DEADLOCK`], thread 2 the second, thread 3 has done nothing: as
/// a search with reductions reports it.
pub(crate) fn deadlock(model: &Model) -> Schedule {
    first(model, 4, &|_, state| state.is_some_and(|s| (s[0], s[1]) == (1, 2)))
}
