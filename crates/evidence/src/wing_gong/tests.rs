//! Known histories, and (in `oracle`) random ones.

mod oracle;
mod specs;

use linchpin_lin::program::FaultKind;

use super::*;
use crate::history::Event;
use specs::Kind;

/// Operations of the object are those of the specification.
const OPS: [OpId; 2] = [OpId(0), OpId(1)];
const BUDGET: usize = 1_000_000;

fn judge(kind: Kind, history: &History, budget: usize) -> Explicable {
    linearization(history, &kind.specification(), &OPS, budget).unwrap()
}

fn number(n: i32) -> Value {
    Value::Option(Some(Box::new(Value::Int(n))))
}

/// A history as text: `1.put(7)` is a call by thread 1, `1=7` its return with a number (an element
/// of a container), `1=empty` and `1=ok` the other returns.
fn history(kind: Kind, text: &str) -> History {
    let mut current = [OpId(9); 10];
    text.split_whitespace()
        .map(|token| {
            let thread = token[..1].parse::<u32>().unwrap();
            let slot = &mut current[thread as usize];
            if let Some(result) = token[1..].strip_prefix('=') {
                let result = match (result, kind) {
                    ("ok", _) => Value::Unit,
                    ("empty", _) => Value::Option(None),
                    (n, Kind::Register) => Value::Int(n.parse().unwrap()),
                    (n, _) => number(n.parse().unwrap()),
                };
                return Event::Return { thread, op: *slot, result };
            }
            let (name, arg) = token[2..].trim_end_matches(')').split_once('(').unwrap();
            *slot = OPS[kind.names().iter().position(|n| *n == name).unwrap()];
            let args = arg.parse().ok().map(Value::Int).into_iter().collect();
            Event::Call { thread, op: *slot, args }
        })
        .collect()
}

/// The order of the operations (numbered by their calls).
#[track_caller]
fn accepted(kind: Kind, text: &str) -> Vec<usize> {
    match judge(kind, &history(kind, text), BUDGET) {
        Explicable::Linearizable(found) => found.steps.iter().map(|s| s.operation).collect(),
        other => panic!("{text}: {other:?}"),
    }
}

/// The first failing return and the results that were allowed there.
#[track_caller]
fn rejected(kind: Kind, text: &str) -> (usize, Vec<Value>) {
    match judge(kind, &history(kind, text), BUDGET) {
        Explicable::NotLinearizable(found) => {
            (found.event, found.allowed.unwrap().into_iter().collect())
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn the_queue_histories_of_herlihy_and_wing_are_judged_as_in_their_paper() {
    // Figure 1: (a) overlapping enqueues may take effect in either order.
    let a = "1.put(1) 2.put(2) 2=ok 1=ok 2.take() 2=1 1.take() 1=2 2.put(3)";
    assert_eq!(accepted(Kind::Queue, a), [0, 1, 2, 3]);
    // (b) 1 was in the queue before 2 and must come out first.
    let b = "1.put(1) 1=ok 2.put(2) 1.take() 2=ok 1=2";
    assert_eq!(rejected(Kind::Queue, b), (5, vec![number(1)]));
    // (c) an enqueue that has not returned may have taken effect.
    assert_eq!(accepted(Kind::Queue, "1.put(1) 2.take() 2=1"), [0, 1]);
    // (d) one element cannot be taken twice.
    let d = "1.put(1) 2.put(2) 1=ok 2=ok 1.take() 2.take() 2=2 1=2";
    assert_eq!(rejected(Kind::Queue, d), (7, vec![number(1)]));
}

#[test]
fn an_empty_queue_must_have_been_empty_at_some_moment() {
    let overlapping = "1.put(1) 2.take() 1=ok 2=empty";
    assert_eq!(accepted(Kind::Queue, overlapping), [1, 0]);
    let later = "1.put(1) 1=ok 2.take() 2=empty";
    assert_eq!(rejected(Kind::Queue, later), (3, vec![number(1)]));
    // Emptied by one that returns only later.
    assert_eq!(accepted(Kind::Queue, "1.put(1) 1=ok 3.take() 2.take() 2=empty 3=1"), [0, 1, 2]);
}

#[test]
fn a_stack_gives_the_youngest_first() {
    assert_eq!(accepted(Kind::Stack, "1.put(1) 1=ok 1.put(2) 1=ok 2.take() 2=2"), [0, 1, 2]);
    let oldest = "1.put(1) 1=ok 1.put(2) 1=ok 2.take() 2=1";
    assert_eq!(rejected(Kind::Stack, oldest), (5, vec![number(2)]));
    // With a third, overlapping push both its value and the youngest one are possible.
    let either = "1.put(1) 1=ok 1.put(2) 1=ok 3.put(3) 2.take() 2=1 3=ok";
    assert_eq!(rejected(Kind::Stack, either), (6, vec![number(2), number(3)]));
}

#[test]
fn a_pending_write_takes_effect_once_or_never() {
    assert_eq!(accepted(Kind::Register, "1.write(7) 2.read() 2=0"), [1]);
    assert_eq!(accepted(Kind::Register, "1.write(7) 2.read() 2=0 2.read() 2=7"), [1, 0, 2]);
    // Not undone.
    let back = "1.write(7) 2.read() 2=0 2.read() 2=7 2.read() 2=0";
    assert_eq!(rejected(Kind::Register, back), (6, vec![Value::Int(7)]));
    // The result of a pending operation is free: this read may see anything.
    assert_eq!(accepted(Kind::Register, "1.read() 2.write(3) 2=ok 3.read() 3=3"), [1, 2]);
}

#[test]
fn the_first_read_decides_in_which_state_it_began() {
    assert_eq!(accepted(Kind::Register, "1.read() 1=9 1.read() 1=9"), [0, 1]);
    let both = "1.read() 1=9 1.read() 1=0";
    assert_eq!(rejected(Kind::Register, both), (3, vec![Value::Int(9)]));
    let neither = "1.read() 1=4";
    assert_eq!(rejected(Kind::Register, neither), (1, vec![Value::Int(0), Value::Int(9)]));
}

#[test]
fn choices_of_the_specification_are_made_to_fit_the_results() {
    let puts = "1.put(1) 1=ok 1.put(2) 1=ok 1.put(2) 1=ok";
    for results in ["1 2 2", "2 1 2", "2 2 1"] {
        let takes: String = results.split(' ').map(|n| format!(" 2.take() 2={n}")).collect();
        assert_eq!(accepted(Kind::Pool, &format!("{puts}{takes}")), [0, 1, 2, 3, 4, 5]);
    }
    let twice = format!("{puts} 2.take() 2=1 2.take() 2=1");
    assert_eq!(rejected(Kind::Pool, &twice), (9, vec![number(2)]));
}

#[test]
fn where_the_specification_blocks_no_result_is_allowed() {
    let both = "1.acquire() 2.acquire() 1=ok 2=ok";
    assert_eq!(rejected(Kind::Mutex, both), (3, vec![]));
    assert_eq!(accepted(Kind::Mutex, "1.acquire() 2.acquire() 1=ok 1.release() 2=ok"), [0, 2, 1]);
}

#[test]
fn the_explanation_is_about_the_first_failing_return_only() {
    // Fails at event 3; later returns fail as well and do not matter.
    let text = "1.put(1) 1=ok 2.take() 2=empty 2.take() 2=3 1.put(4) 1=ok";
    let found = match judge(Kind::Queue, &history(Kind::Queue, text), BUDGET) {
        Explicable::NotLinearizable(found) => found,
        other => panic!("{other:?}"),
    };
    assert_eq!((found.event, found.operation), (3, 1));
    let state = vec![Value::Seq(vec![Value::Int(1)])];
    let step = Linearized { operation: 0, result: Value::Unit, state };
    let initial = vec![Value::Seq(vec![])];
    assert_eq!(found.before, Some(Linearization { initial, steps: vec![step] }));
}

#[test]
fn equal_configurations_are_visited_once() {
    // Eight threads write the same value while one reads another: 8! orders, 2^8 sets.
    let calls: String = (1..=8).map(|t| format!("{t}.write(1) ")).collect();
    let text = format!("{calls} 9.read() 9=5");
    let register = history(Kind::Register, &text);
    assert!(matches!(judge(Kind::Register, &register, 2_000), Explicable::NotLinearizable(_)));
}

#[test]
fn a_search_that_is_too_large_is_unknown() {
    let calls: String = (1..=8).map(|t| format!("{t}.put({t}) ")).collect();
    let queue = history(Kind::Queue, &format!("{calls} 9.take() 9=9"));
    assert_eq!(judge(Kind::Queue, &queue, 1_000), Explicable::Unknown);
}

#[test]
fn the_length_of_a_history_is_no_problem() {
    let round = "1.put(1) 2.put(2) 2=ok 1=ok 1.take() 2.take() 1=2 2=1 ";
    let text = round.repeat(2_000);
    assert_eq!(accepted(Kind::Queue, &text).len(), 8_000);
    let (event, allowed) = rejected(Kind::Queue, &format!("{text} 1.take() 1=2"));
    assert_eq!((event, allowed), (16_001, vec![Value::Option(None)]));
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let judge = |text: &str, ops: &[OpId]| {
        linearization(&history(Kind::Queue, text), &Kind::Queue.specification(), ops, BUDGET)
            .unwrap_err()
    };
    let malformed = judge("1.put(1) 1.put(1)", &OPS);
    assert!(matches!(malformed, HistoryError::Malformed(Malformed { event: 1, .. })));
    assert_eq!(judge("1.take()", &OPS[..1]), HistoryError::UnknownOperation(OpId(1)));
    assert_eq!(judge("1.take()", &[OPS[0], OpId(2)]), HistoryError::UnknownOperation(OpId(1)));
    // `put` without its argument.
    match judge("1.put() 1=ok", &OPS) {
        HistoryError::Specification(fault) => assert_eq!(fault.kind, FaultKind::AssertionFailed),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operations_go_by_the_mapping() {
    let take_put = [OPS[1], OPS[0]];
    let spec = Kind::Queue.specification();
    let events = [
        Event::Call { thread: 1, op: OpId(0), args: vec![] },
        Event::Return { thread: 1, op: OpId(0), result: Value::Option(None) },
    ];
    let history: History = events.into_iter().collect();
    let verdict = linearization(&history, &spec, &take_put, BUDGET).unwrap();
    assert!(matches!(verdict, Explicable::Linearizable(_)));
}
