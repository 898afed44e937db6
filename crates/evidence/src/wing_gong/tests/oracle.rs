//! Random small histories, judged by the search and by the definition.
//!
//! Herlihy and Wing 1990: a history is linearizable if it can be extended by returns of some
//! pending operations, the rest of them left out, such that the operations have a total order that
//! contains "returned before called" and is a legal sequential execution. The oracle tries all
//! subsets, all orders and all outcomes, in that order and without any cleverness.

use linchpin_lin::Value;
use linchpin_lin::program::OpId;

use super::specs::Kind;
use super::{BUDGET, OPS, judge};
use crate::history::{Event, History, Operation};
use crate::wing_gong::{Explicable, Linearization, Refutation};

/// Linearizability by definition.
fn linearizable(kind: Kind, history: &History) -> bool {
    let operations = history.operations().unwrap();
    let pending: Vec<usize> =
        (0..operations.len()).filter(|&i| operations[i].response.is_none()).collect();
    (0..1u32 << pending.len()).any(|subset| {
        let included = (0..operations.len()).filter(|i| {
            pending.iter().position(|p| p == i).is_none_or(|bit| subset & (1 << bit) != 0)
        });
        some_order(&mut included.collect(), 0, &mut |order| {
            respects_time(&operations, order) && legal(kind, &operations, order)
        })
    })
}

/// Does any permutation of the rest of the list satisfy the test?
fn some_order(list: &mut Vec<usize>, from: usize, test: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    if from == list.len() {
        return test(list);
    }
    (from..list.len()).any(|i| {
        list.swap(from, i);
        let found = some_order(list, from + 1, test);
        list.swap(from, i);
        found
    })
}

fn respects_time(operations: &[Operation], order: &[usize]) -> bool {
    order.iter().enumerate().all(|(i, &earlier)| {
        order[i..].iter().all(|&later| !operations[later].precedes(&operations[earlier]))
    })
}

/// Has the specification this execution, in some initial state and with some choices?
fn legal(kind: Kind, operations: &[Operation], order: &[usize]) -> bool {
    fn from(kind: Kind, operations: &[Operation], order: &[usize], state: &[i32]) -> bool {
        let Some((&first, rest)) = order.split_first() else {
            return true;
        };
        let operation = &operations[first];
        kind.outcomes(state, operation.op.index(), argument(&operation.args)).iter().any(
            |(next, result)| {
                operation.response.as_ref().is_none_or(|r| r.result == *result)
                    && from(kind, operations, rest, next)
            },
        )
    }
    kind.initial().iter().any(|state| from(kind, operations, order, state))
}

fn argument(args: &[Value]) -> i32 {
    match args {
        [Value::Int(n)] => *n,
        _ => 0,
    }
}

/// A generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// A history of up to `size` operations: an atomic object runs behind it, and `noise` in 8 of the
/// results are replaced by something arbitrary.
fn random_history(random: &mut Random, kind: Kind, size: usize, noise: usize) -> History {
    struct Open {
        op: usize,
        args: Vec<Value>,
        result: Option<Value>,
    }
    let mut history = History::new();
    let mut open: [Option<Open>; 3] = [const { None }; 3];
    let initial = kind.initial();
    let mut state = initial[random.below(initial.len())].clone();
    let mut called = 0;
    // Few moments leave many operations pending.
    for _ in 0..(2 + random.below(5)) * size {
        let thread = random.below(open.len());
        let id = thread as u32 + 1;
        match &mut open[thread] {
            None if called < size => {
                let op = random.below(2);
                let args = vec![Value::Int(1 + random.below(3) as i32); kind.arity(op)];
                let event = Event::Call { thread: id, op: OpId(op as u32), args: args.clone() };
                history.push(event);
                open[thread] = Some(Open { op, args, result: None });
                called += 1;
            }
            None => {}
            Some(Open { op, args, result: result @ None }) => {
                // Takes effect, if it can.
                let outcomes = kind.outcomes(&state, *op, argument(args));
                if !outcomes.is_empty() {
                    let (next, value) = outcomes[random.below(outcomes.len())].clone();
                    state = next;
                    *result = Some(value);
                } else if random.below(8) < noise {
                    *result = Some(Value::Unit);
                }
            }
            Some(Open { op, result: Some(result), .. }) => {
                let any = kind.results(*op);
                let noisy = random.below(8) < noise;
                let result =
                    if noisy { any[random.below(any.len())].clone() } else { result.clone() };
                history.push(Event::Return { thread: id, op: OpId(*op as u32), result });
                open[thread] = None;
            }
        }
    }
    history
}

/// Does the linearization satisfy the definition, with the states and results it names?
fn confirm(kind: Kind, history: &History, linearization: &Linearization) {
    let operations = history.operations().unwrap();
    let order: Vec<usize> = linearization.steps.iter().map(|s| s.operation).collect();
    let distinct: std::collections::BTreeSet<_> = order.iter().collect();
    assert_eq!(distinct.len(), order.len(), "an operation takes effect twice");
    for (i, operation) in operations.iter().enumerate() {
        assert!(operation.response.is_none() || order.contains(&i), "{i} is left out");
    }
    assert!(respects_time(&operations, &order));
    let spec = kind.specification();
    let mut state = &linearization.initial;
    assert!(spec.initial().unwrap().contains(state));
    for step in &linearization.steps {
        let operation = &operations[step.operation];
        assert!(operation.response.as_ref().is_none_or(|r| r.result == step.result));
        let outcomes =
            spec.execute(state, operation.op, &operation.args, operation.thread).unwrap();
        assert!(outcomes.contains(&(step.state.clone(), step.result.clone())));
        state = &step.state;
    }
}

/// Is it the first failing return, and are exactly those results allowed there?
fn confirm_refutation(kind: Kind, history: &History, refutation: &Refutation) {
    let events = history.events();
    let prefix = |n: usize| events[..n].iter().cloned().collect::<History>();
    let Event::Return { thread, op, .. } = events[refutation.event] else {
        panic!("not a return");
    };
    let operations = history.operations().unwrap();
    let returned = operations[refutation.operation].response.as_ref().unwrap();
    assert_eq!(returned.event, refutation.event);
    assert!(!linearizable(kind, &prefix(refutation.event + 1)));
    assert!(linearizable(kind, &prefix(refutation.event)));
    confirm(kind, &prefix(refutation.event), refutation.before.as_ref().unwrap());
    let allowed = kind.results(op.index()).into_iter().filter(|result| {
        let mut changed = prefix(refutation.event);
        changed.push(Event::Return { thread, op, result: result.clone() });
        linearizable(kind, &changed)
    });
    assert_eq!(refutation.allowed, Some(allowed.collect()));
}

#[test]
fn the_search_agrees_with_the_definition_on_random_histories() {
    for kind in Kind::ALL {
        let mut random = Random(kind as u64);
        let (mut yes, mut no, mut with_pending) = (0, 0, 0);
        for round in 0..3_000 {
            let size = 2 + random.below(4);
            let noise = [0, 1, 3, 6][round % 4];
            let history = random_history(&mut random, kind, size, noise);
            let expected = linearizable(kind, &history);
            assert!(expected || noise > 0, "an atomic object is linearizable");
            match judge(kind, &history, BUDGET) {
                Explicable::Linearizable(linearization) => {
                    assert!(expected, "{kind:?} {history:?}");
                    confirm(kind, &history, &linearization);
                    yes += 1;
                    let all = history.operations().unwrap();
                    let completed = all.iter().filter(|o| o.response.is_some()).count();
                    with_pending += usize::from(linearization.steps.len() > completed);
                }
                Explicable::NotLinearizable(refutation) => {
                    assert!(!expected, "{kind:?} {history:?}");
                    confirm_refutation(kind, &history, &refutation);
                    no += 1;
                }
                Explicable::Unknown => panic!("too small a budget"),
            }
        }
        // All the cases do occur.
        assert!(yes > 300 && no > 100 && with_pending > 5, "{kind:?}: {yes} {no} {with_pending}");
    }
}

#[test]
fn a_small_budget_gives_less_and_never_something_else() {
    let mut random = Random(77);
    let mut partial = 0;
    for _ in 0..150 {
        let kind = Kind::ALL[random.below(5)];
        let history = random_history(&mut random, kind, 6, 3);
        let full = judge(kind, &history, BUDGET);
        for budget in 0..60 {
            match (judge(kind, &history, budget), &full) {
                (Explicable::Unknown, _) => {}
                (Explicable::Linearizable(found), Explicable::Linearizable(expected)) => {
                    assert_eq!(found, *expected);
                }
                (Explicable::NotLinearizable(found), Explicable::NotLinearizable(expected)) => {
                    if found.before.is_some() {
                        assert_eq!(
                            (found.event, &found.before),
                            (expected.event, &expected.before)
                        );
                    } else {
                        assert!(found.event >= expected.event && found.allowed.is_none());
                    }
                    if found.allowed.is_some() {
                        assert_eq!(found, *expected);
                    } else {
                        partial += 1;
                    }
                }
                (found, _) => panic!("{found:?} instead of {full:?}"),
            }
        }
    }
    assert!(partial > 0, "no budget was too small for an explanation only");
}

#[test]
fn the_two_semantics_of_each_specification_agree() {
    // Not the search but its premise: oracle and program take the same steps.
    for kind in Kind::ALL {
        let spec = kind.specification();
        let mut random = Random(5);
        for _ in 0..50 {
            let first = random.below(kind.initial().len());
            let mut program = spec.initial().unwrap()[first].clone();
            let mut oracle = kind.initial()[first].clone();
            for _ in 0..8 {
                let op = random.below(2);
                let args = vec![Value::Int(1 + random.below(3) as i32); kind.arity(op)];
                let left = spec.execute(&program, OPS[op], &args, 1).unwrap();
                let right = kind.outcomes(&oracle, op, argument(&args));
                let results = |values: Vec<Value>| {
                    values.into_iter().collect::<std::collections::BTreeSet<_>>()
                };
                assert_eq!(
                    results(left.iter().map(|o| o.1.clone()).collect()),
                    results(right.iter().map(|o| o.1.clone()).collect())
                );
                let Some((next, result)) = left.first() else {
                    continue;
                };
                program.clone_from(next);
                oracle = right.into_iter().find(|o| o.1 == *result).unwrap().0;
            }
        }
    }
}
