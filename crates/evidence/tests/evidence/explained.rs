//! Explanations and snapshots as data.

use linchpin_evidence::explain::{Attempt, Awaited, Failure, Order, Placed, explain};
use linchpin_evidence::narrative::{Deed, Interval, Location, narrate};
use linchpin_evidence::snapshot::{Cell, Node, snapshot};
use linchpin_evidence::{Claim, judge};
use linchpin_lin::Files;
use linchpin_lin::replay::ActionKind;
use linchpin_lts::FaultKind;

use crate::models::{DEADLOCK, LOST_UPDATE, NULL, deadlock, first, model, program};

fn location(line: usize, text: &str) -> Location {
    Location { line, text: text.to_string(), file: None }
}

#[test]
fn a_lost_update_is_explained() {
    let program = program(LOST_UPDATE);
    let model = model(&program);
    let schedule = first(&model, 8, &|schedule, _| {
        judge(&program, &program.checks[0], Claim::History, schedule).is_ok()
    });
    let judged = judge(&program, &program.checks[0], Claim::History, &schedule).unwrap();
    let explanation = explain(&judged, &Files::new(LOST_UPDATE));

    let narrative = &explanation.narrative;
    let interval = |thread, begin, end| Interval {
        thread,
        call: "increment()".into(),
        result: Some("0".into()),
        begin,
        end: Some(end),
    };
    // Depth first: thread 1 calls and reads, thread 2 ... until thread 1 goes on.
    assert_eq!(narrative.roles, ["thread", "thread"]);
    assert_eq!(narrative.events, 4);
    assert_eq!(narrative.operations[0], interval(1, 0, narrative.operations[0].end.unwrap()));
    assert_eq!(narrative.operations[1].thread, 2);
    let last = narrative.operations.iter().position(|o| o.end == Some(3)).unwrap();
    let other = 1 - last;
    let alone = |operation| Order {
        initial: "n = 0".into(),
        steps: vec![Placed { operation, result: "0".into(), state: "n = 1".into() }],
    };
    let why = "would return 1, but returned 0".to_string();
    let attempt = |first| Attempt { order: alone(first), stuck: vec![(1 - first, why.clone())] };
    assert_eq!(
        explanation.failure,
        Failure::Response {
            operation: last,
            allowed: Some(vec!["1".into()]),
            before: Some(alone(other)),
            attempts: vec![attempt(0), attempt(1)],
        }
    );
    // Every thread: call, read, write, return, one step each.
    for thread in [1, 2] {
        let entries: Vec<_> = narrative.entries.iter().filter(|e| e.thread == thread).collect();
        let own = narrative.operations.iter().position(|o| o.thread == thread).unwrap();
        assert_eq!(entries.len(), 4);
        assert_eq!(entries[0].deed, Deed::Call(own));
        assert_eq!(entries[0].at, location(3, "increment"));
        let Deed::Access(read) = &entries[1].deed else { panic!("not an access") };
        assert_eq!((read.kind, &*read.place, &*read.after), (ActionKind::Read, "N", "0"));
        assert_eq!(entries[1].at, location(4, "let n = N"));
        let Deed::Access(write) = &entries[2].deed else { panic!("not an access") };
        assert_eq!((write.kind, &*write.after), (ActionKind::Write, "1"));
        assert_eq!(entries[2].at, location(5, "N = n + 1"));
        assert_eq!(entries[3].deed, Deed::Return(own));
    }
}

#[test]
fn a_deadlock_is_explained_by_where_the_threads_wait() {
    let program = program(DEADLOCK);
    let schedule = deadlock(&model(&program));
    let judged = judge(&program, &program.checks[0], Claim::Deadlock, &schedule).unwrap();
    let Failure::Deadlock { waiting, locks } = explain(&judged, &Files::new(DEADLOCK)).failure
    else {
        panic!("another failure")
    };
    let waits = |thread, lock: &str, holder| Awaited { thread, lock: lock.to_string(), holder };
    assert_eq!(locks[..2], [waits(1, "b", 2), waits(2, "a", 1)]);
    assert_eq!(waiting[0], (1, location(6, "lock(b)")));
    assert_eq!(waiting[1], (2, location(12, "lock(a)")));
    assert_eq!(waiting[2].0, 3);
    assert!(["lock(a)", "lock(b)"].contains(&&*waiting[2].1.text));
}

#[test]
fn a_fault_is_explained_by_its_statement_and_is_the_last_entry() {
    let program = program(NULL);
    let schedule = first(&model(&program), 9, &|_, state| state.is_none());
    let claim = Claim::Fault(FaultKind::NullDereference);
    let judged = judge(&program, &program.checks[0], claim, &schedule).unwrap();
    let explanation = explain(&judged, &Files::new(NULL));
    let Failure::Fault { kind, thread, at } = explanation.failure else {
        panic!("another failure")
    };
    assert_eq!((kind, at), (FaultKind::NullDereference, location(9, "return top.val")));
    let last = explanation.narrative.entries.last().unwrap();
    assert_eq!(last.deed, Deed::Fault(FaultKind::NullDereference));
    assert_eq!(Some(last.thread), thread);
}

fn cell(name: &str, value: &str, refers: &[&str]) -> Cell {
    let refers = refers.iter().map(|r| r.to_string()).collect();
    Cell { name: name.into(), value: value.into(), refers, parts: Vec::new(), past: false }
}

#[test]
fn a_snapshot_shows_variables_and_nodes_by_name() {
    let program = program(NULL);
    let model = model(&program);
    let schedule = first(&model, 3, &|_, state| state.is_some_and(|s| s[0] == 1));
    let replay = model.replay(&schedule).unwrap();
    let before = snapshot(&model, &replay.initial);
    assert_eq!(before.variables, [cell("top", "null", &[])]);
    assert_eq!(before.nodes, []);
    let after = snapshot(&model, &replay.steps.last().unwrap().state);
    assert_eq!(after.variables, [cell("top", "n1", &["n1"])]);
    let fields = vec![cell("val", "a", &[])];
    let node = Node { name: "n1".into(), record: "Node".into(), fields, freed: false };
    assert_eq!(after.nodes, [node]);
    assert_eq!(narrate(&model, &replay, &Files::new(NULL)).operations[0].call, "put(a)");
}
