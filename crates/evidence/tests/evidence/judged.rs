//! What the judge confirms and what it refuses.

use linchpin_evidence::{Claim, Disagreement, Reason, judge};
use linchpin_lin::Value;
use linchpin_lin::replay::ReplayError;
use linchpin_lts::{EventKind, FaultKind, Liveness, Schedule, TransitionSystem, Turn};

use crate::models::{DEADLOCK, LOST_UPDATE, NULL, deadlock, executions, first, model, program};

/// The results of all operations of a schedule, in the order of their returns.
fn results(model: &linchpin_lin::Model, schedule: &Schedule) -> Vec<Value> {
    let replay = model.replay(schedule).unwrap();
    let events = replay.steps.iter().flat_map(|s| &s.events);
    events.filter(|e| e.kind == EventKind::Return).map(|e| e.values[0].clone()).collect()
}

fn lost_update() -> Schedule {
    let model = model(&program(LOST_UPDATE));
    let zero = Value::Int(0);
    first(&model, 8, &|schedule, _| results(&model, schedule) == [zero.clone(), zero.clone()])
}

#[test]
fn of_all_executions_exactly_those_with_equal_results_are_confirmed() {
    let program = program(LOST_UPDATE);
    let model = model(&program);
    let (mut complete, mut wrong) = (0, 0);
    executions(&model, &mut |schedule, _| {
        let results = results(&model, schedule);
        let judged = judge(&program, &program.checks[0], Claim::History, schedule);
        if results.len() == 2 && results[0] == results[1] {
            wrong += 1;
            assert!(matches!(judged.unwrap().reason, Reason::NotLinearizable(_)));
        } else {
            assert_eq!(judged.unwrap_err(), Disagreement::Linearizable);
        }
        complete += usize::from(results.len() == 2);
        true
    });
    // Four steps per thread make 8! / (4! 4!) interleavings. In those with equal results both
    // reads come before both writes: choose the order of the reads and the writes, and where the
    // calls and returns are.
    assert_eq!(complete, 70);
    assert_eq!(wrong, 36);
}

#[test]
fn the_refutation_names_the_second_return_and_the_right_result() {
    let program = program(LOST_UPDATE);
    let schedule = lost_update();
    let judged = judge(&program, &program.checks[0], Claim::History, &schedule).unwrap();
    let Reason::NotLinearizable(refutation) = judged.reason else { panic!("another reason") };
    assert_eq!(refutation.event, 3);
    assert_eq!(refutation.allowed, Some([Value::Int(1)].into()));
    assert_eq!(refutation.before.unwrap().steps.len(), 1);
    assert_eq!(judged.schedule, schedule);
}

#[test]
fn corrupted_schedules_are_refused() {
    let program = program(LOST_UPDATE);
    let good = lost_update();
    let last = good.turns.len() - 1;
    let refused = |change: &dyn Fn(&mut Schedule), expected: Disagreement| {
        let mut schedule = good.clone();
        change(&mut schedule);
        assert_ne!(schedule, good);
        let judged = judge(&program, &program.checks[0], Claim::History, &schedule);
        assert_eq!(judged.unwrap_err(), expected, "{schedule:?}");
    };
    use Disagreement::{Linearizable, Replay};
    refused(&|s| s.initial = 1, Replay(ReplayError::NoInitialState));
    refused(&|s| s.turns[2].thread = 2, Replay(ReplayError::NoThread(2)));
    refused(&|s| s.turns[0].choices.push(0), Replay(ReplayError::DoesNotFit(0)));
    refused(&|s| s.turns[0].length -= 1, Replay(ReplayError::DoesNotFit(0)));
    refused(&|s| s.turns[last].length += 1, Replay(ReplayError::NotPossible(last)));
    refused(&|s| drop(s.turns.pop()), Linearizable);
    refused(&|s| s.turns.clear(), Linearizable);
    refused(
        &|s| s.turns.push(Turn { thread: 0, choices: vec![], length: 1 }),
        Replay(ReplayError::NotPossible(last + 1)),
    );
    // One thread after the other.
    refused(&|s| s.turns.sort_by_key(|t| t.thread), Linearizable);
}

#[test]
fn wrong_claims_about_an_execution_are_refused() {
    let program = program(LOST_UPDATE);
    let judged = |claim| judge(&program, &program.checks[0], claim, &lost_update()).unwrap_err();
    assert_eq!(judged(Claim::Fault(FaultKind::NullDereference)), Disagreement::Ends(None));
    assert_eq!(judged(Claim::Deadlock), Disagreement::NoDeadlock);
}

#[test]
fn a_deadlock_is_confirmed_although_a_thread_has_not_called_yet() {
    let program = program(DEADLOCK);
    let model = model(&program);
    let schedule = deadlock(&model);
    let judged = judge(&program, &program.checks[0], Claim::Deadlock, &schedule).unwrap();
    assert_eq!(judged.reason, Reason::Deadlock { waiting: vec![0, 1, 2] });
    assert_eq!(judged.schedule.turns.len(), schedule.turns.len() + 1);
    let end = &judged.replay.steps.last().unwrap().state;
    let mut steps = 0;
    let liveness = model.successors(&mut model.scratch(), end, &mut |_| steps += 1);
    assert_eq!((liveness, steps), (Liveness::Deadlock, 0));
}

#[test]
fn a_deadlock_that_can_still_be_avoided_is_no_deadlock_but_one_that_can_be_reached_is_found() {
    // The claim is "no access is possible". It is not checked that the way there is forced, but
    // there must be one.
    let program = program(DEADLOCK);
    let model = model(&program);
    let finished = first(&model, 12, &|schedule, _| {
        let replay = model.replay(schedule).unwrap();
        let returns = replay.steps.iter().flat_map(|s| &s.events);
        returns.filter(|e| e.kind == EventKind::Return).count() == 2
    });
    // One thread alone cannot be stuck.
    let judged = judge(&program, &program.checks[0], Claim::Deadlock, &finished);
    assert_eq!(judged.unwrap_err(), Disagreement::NoDeadlock);
}

#[test]
fn a_fault_must_be_the_claimed_one_at_the_last_step() {
    let program = program(NULL);
    let check = &program.checks[0];
    let schedule = first(&model(&program), 9, &|_, state| state.is_none());
    let claim = |kind, schedule| judge(&program, check, Claim::Fault(kind), schedule);
    let judged = claim(FaultKind::NullDereference, &schedule).unwrap();
    let Reason::Fault(fault) = judged.reason else { panic!("another reason") };
    assert_eq!(&NULL[fault.statement.range()], "return top.val");

    let other = claim(FaultKind::UseAfterFree, &schedule).unwrap_err();
    assert_eq!(other, Disagreement::Ends(Some(FaultKind::NullDereference)));
    let history = judge(&program, check, Claim::History, &schedule).unwrap_err();
    assert_eq!(history, Disagreement::Ends(Some(FaultKind::NullDereference)));
    let mut longer = schedule.clone();
    longer.turns.push(longer.turns[0].clone());
    let early = claim(FaultKind::NullDereference, &longer).unwrap_err();
    assert_eq!(early, Disagreement::Replay(ReplayError::EarlyFault(schedule.turns.len() - 1)));
    let mut other = schedule.clone();
    other.turns[0].choices[0] = 7;
    let choice = claim(FaultKind::NullDereference, &other).unwrap_err();
    assert_eq!(choice, Disagreement::Replay(ReplayError::DoesNotFit(0)));
    let mut shorter = schedule.clone();
    shorter.turns.pop();
    let none = claim(FaultKind::NullDereference, &shorter).unwrap_err();
    assert_eq!(none, Disagreement::Ends(None));
}
