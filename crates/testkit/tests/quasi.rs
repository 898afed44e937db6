//! Quasi linearizability: the rules and the judge against the oracle, and the histories of the paper.
//!
//! `LINCHPIN_COUNT` says how many random histories of each shape are compared,
//! `LINCHPIN_SEED` which one alone.

use std::sync::Arc;

use linchpin_check::feed::{Fed, Said, feed, feed_exactly};
use linchpin_check::{Counterexample, Options, check};
use linchpin_engine::Limit;
use linchpin_lin::Value;
use linchpin_lin::program::{Check, Condition, OpId, Program, QuasiGroup, QuasiResult};
use linchpin_lts::{EventKind, Verdict};
use linchpin_testkit::brute::Event;
use linchpin_testkit::brute::quasi::Oracle;
use linchpin_testkit::quasi::{Shape, Tally, compare};
use linchpin_testkit::{generate, parallel};

fn agree(first: u64, shape: Shape) -> Tally {
    let seeds = generate::seeds(first, 150, 1500);
    let mut tally = Tally::default();
    for one in parallel::map(&seeds, parallel::cores(), |&seed| compare(seed, shape)) {
        match one {
            Ok(one) => tally.add(&one),
            Err(difference) => panic!("{difference}"),
        }
    }
    println!("{shape:?}: {tally:?}");
    tally
}

#[test]
fn the_rules_agree_with_the_definition_on_complete_histories() {
    let tally = agree(0, Shape { operations: 7, further: None });
    if tally.histories >= 100 {
        let share = tally.ended * 100 / tally.complete;
        assert!((20..95).contains(&share), "{tally:?}");
        assert!(tally.relaxed * 15 > tally.histories, "{tally:?}");
        assert!(tally.literal_only * 150 > tally.histories, "{tally:?}");
    }
}

#[test]
fn rules_and_judge_agree_with_the_definition_on_histories_that_go_on() {
    let tally = agree(100_000, Shape { operations: 4, further: Some(3) });
    if tally.histories >= 100 {
        let many = tally.histories * 4 / 150;
        assert!(tally.accepted + many < tally.prefixes, "{tally:?}");
        assert!(tally.refused > many && tally.judged == tally.refused, "{tally:?}");
    }
}

const QUEUE: &str = "
data V
object O { op enq(v: V) { }  op deq() -> V? { return empty } }
spec S {
  var q: seq<V>
  op enq(v: V) { q.push_back(v) }
  op deq() -> V? { if q.is_empty() { return empty }; return q.pop_front() }
}
check O against S { threads 2 }
";

const ENQ: OpId = OpId(0);
const DEQ: OpId = OpId(1);

fn queue(groups: Vec<QuasiGroup>) -> (Arc<Program>, Check) {
    let loaded = linchpin_lin::syntax::load(QUEUE, &[]).expect("a model");
    let program = Arc::new(loaded.program);
    let condition = Condition::Quasi(groups);
    let check = Check { condition, ..program.checks[0].clone() };
    (program, check)
}

fn factor(op: OpId, factor: u32) -> QuasiGroup {
    QuasiGroup { members: vec![(op, QuasiResult::Any)], factor }
}

/// Operations one after the other: `(ENQ, n)` enqueues, `(DEQ, n)` dequeues, 0 is `empty`.
fn sequential(operations: &[(OpId, u32)]) -> Vec<Fed> {
    let mut history = Vec::new();
    for &(op, n) in operations {
        let found = (n > 0).then(|| Box::new(Value::Data(n)));
        let (args, result) = match op {
            ENQ => (vec![Value::Data(n)], Value::Unit),
            _ => (vec![], Value::Option(found)),
        };
        history.push(Fed { thread: 1, op, kind: EventKind::Call, values: args });
        history.push(Fed { thread: 1, op, kind: EventKind::Return, values: vec![result] });
    }
    history
}

fn last(groups: Vec<QuasiGroup>, operations: &[(OpId, u32)]) -> Said {
    let (program, check) = queue(groups);
    *feed(&program, &check, &sequential(operations)).expect("no fault").last().expect("an event")
}

/// The least factor of `deq` with which a history may end.
fn least(operations: &[(OpId, u32)]) -> Option<u32> {
    (0..4).find(|&k| last(vec![factor(DEQ, k)], operations).ends)
}

#[test]
fn the_histories_of_figure_1_need_the_factors_that_the_paper_says() {
    let enqueued = [(ENQ, 1), (ENQ, 2), (ENQ, 3)];
    let then = |dequeued: [u32; 3]| [&enqueued[..], &dequeued.map(|n| (DEQ, n))].concat();
    assert_eq!(least(&then([1, 2, 3])), Some(0));
    assert_eq!(least(&then([2, 1, 3])), Some(1));
    // The first value has been overtaken twice.
    assert_eq!(least(&then([2, 3, 1])), Some(2));
    assert_eq!(least(&then([3, 2, 1])), Some(2));
}

#[test]
fn the_histories_of_figure_4_are_one_quasi_and_only_the_first_is_linearizable() {
    let enqueued = [(ENQ, 1), (ENQ, 2), (ENQ, 3), (ENQ, 4)];
    let then = |dequeued: [u32; 4]| [&enqueued[..], &dequeued.map(|n| (DEQ, n))].concat();
    assert_eq!(least(&then([1, 2, 3, 4])), Some(0));
    for history in [[1, 2, 4, 3], [2, 1, 3, 4], [2, 1, 4, 3]] {
        assert_eq!(least(&then(history)), Some(1), "{history:?}");
    }
    // The trap: always the second of what is there.
    assert_eq!(least(&then([2, 3, 4, 1])), Some(3));
}

#[test]
fn zero_factors_are_linearizability_although_definition_4_allows_drift() {
    let operations = [(ENQ, 1), (DEQ, 0), (DEQ, 1)];
    let (program, check) = queue(vec![factor(ENQ, 0), factor(DEQ, 0)]);
    let events: Vec<Event> = sequential(&operations)
        .into_iter()
        .map(|fed| match fed.kind {
            EventKind::Call => Event::Call { thread: 1, op: fed.op, args: fed.values },
            _ => Event::Return { thread: 1, result: fed.values[0].clone() },
        })
        .collect();
    let answer = Oracle::new(&program, &check).complete(&events);
    assert!(answer.literal && !answer.bounded);
    assert!(!last(vec![factor(ENQ, 0), factor(DEQ, 0)], &operations).accepts);
    // With a factor of 1 the enqueue may take its place late.
    assert!(last(vec![factor(ENQ, 1)], &operations).ends);
}

#[test]
fn a_history_that_goes_on_is_judged_by_what_may_follow() {
    // The value that was overtaken can still come.
    let said = last(vec![factor(DEQ, 1)], &[(ENQ, 1), (ENQ, 2), (DEQ, 2)]);
    assert!(said.accepts && !said.ends);
    // It cannot come twice, whatever follows.
    let said = last(vec![factor(DEQ, 1)], &[(ENQ, 1), (DEQ, 1), (DEQ, 1)]);
    assert!(!said.accepts);
}

#[test]
fn a_group_may_be_a_result() {
    let empty = (DEQ, QuasiResult::Is(Value::Option(None)));
    let some = (DEQ, QuasiResult::Some);
    let group =
        |member: &(OpId, QuasiResult), factor| QuasiGroup { members: vec![member.clone()], factor };
    // The queue is found empty, and has not been; what is there is dequeued later.
    let early = [(ENQ, 1), (DEQ, 0), (DEQ, 1)];
    assert!(last(vec![group(&empty, 1)], &early).ends);
    assert!(last(vec![group(&some, 1)], &early).ends);
    assert!(!last(vec![group(&some, 0)], &early).accepts);
    // Values may be out of order, but not an `empty` in between.
    let mixed = [(ENQ, 1), (ENQ, 2), (DEQ, 0), (DEQ, 1), (DEQ, 2)];
    assert!(!last(vec![group(&some, 1)], &mixed).ends);
    assert!(last(vec![group(&some, 2)], &mixed).ends);
}

/// The last answer of the exact rules about so many enqueues and a `deq` that finds nothing. (One after the
/// first enqueue has had the place that was promised at the beginning.)
fn nothing_found_among(enqueued: u32, groups: Vec<QuasiGroup>) -> Said {
    let (program, check) = queue(groups);
    let mut operations: Vec<(OpId, u32)> = (1..=enqueued).map(|n| (ENQ, n)).collect();
    operations.insert(1, (DEQ, 0));
    operations.push((DEQ, 0));
    let said = feed_exactly(&program, &check, &sequential(&operations)).expect("no fault");
    *said.last().expect("an event")
}

#[test]
fn nothing_is_refused_because_the_search_for_an_extension_was_cut_off() {
    let empty = (DEQ, QuasiResult::Is(Value::Option(None)));
    let group = |factor| vec![QuasiGroup { members: vec![empty.clone()], factor }];
    // Ten dequeues complete it, and they have the factor 0.
    let said = nothing_found_among(10, group(1));
    assert!(said.accepts && said.sure && !said.ends);
    // So do thirty, but nobody tries as many.
    let said = nothing_found_among(30, group(1));
    assert!(said.accepts && !said.sure && !said.ends);
    // The dequeue cannot wait at all.
    let said = nothing_found_among(30, group(0));
    assert!(!said.accepts);
}

/// A counter of which the first `take` finds nothing although so many are there. Then the thread is
/// caught in an operation, so that nothing completes the history.
fn shy(there: u32) -> Verdict<Counterexample> {
    let text = format!(
        "object Shy {{
           var shy: bool = true
           op take() -> bool {{
             if shy {{ shy = false; return false }}
             loop {{ shy = false }}
           }}
         }}
         spec Count {{
           var n: 0..=99 = {there}
           op take() -> bool {{ if n == 0 {{ return false }}; n -= 1; return true }}
         }}
         check Shy against Count quasi {{ take -> false: 1 }} {{
           role one(1) script {{ take(); take() }}
         }}"
    );
    let loaded = linchpin_lin::syntax::load(&text, &[]).expect("a model");
    let program = Arc::new(loaded.program);
    check(&program, &program.checks[0], &Options::default()).expect("a verdict").verdict
}

#[test]
fn the_verdict_is_unknown_where_only_a_long_extension_could_complete_a_history() {
    assert_eq!(shy(9), Verdict::Holds);
    assert_eq!(shy(30), Verdict::Unknown(Limit::Continuations));
}
