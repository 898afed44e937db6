//! Sequential and quiescent consistency, set and interval linearizability: checker, judge and definition agree.
//!
//! The definition is decided by trying every order (`brute`). On random programs the checker is
//! compared with it, with several subsets of the reductions; on random histories the judge of
//! witnesses is. `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::Reductions;
use linchpin_evidence::conditions::refuse_history;
use linchpin_evidence::history::{Event as JudgedEvent, History};
use linchpin_evidence::{Disagreement, history};
use linchpin_lin::program::{Against, Condition, OpId, Program};
use linchpin_lin::specify::Specification;
use linchpin_lin::{Granularity, Model};
use linchpin_testkit::agree::{self, Tally};
use linchpin_testkit::brute::{self, Event, Limits};
use linchpin_testkit::differential::{ALL, compare_by};
use linchpin_testkit::generate;

/// All on, all off, all but one, and another that depends on the seed.
fn subsets(seed: u64) -> [u32; 4] {
    let mixed = seed.wrapping_mul(0xd134_2543_de82_ef95) >> 40;
    [ALL, 0, ALL & !(1 << (seed % Reductions::TABLE.len() as u64)), mixed as u32 & ALL]
}

fn agree_on_programs(condition: &Condition, count: u64) {
    let limits = Limits { states: 20_000, histories: 4_000 };
    let found = agree::on_all(&generate::seeds(1, 100, count), generate::program, |text, seed| {
        compare_by(text, condition, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect(condition.name(), 3, 6, 6);
}

#[test]
fn checker_and_definition_agree_on_sequential_consistency_of_random_programs() {
    agree_on_programs(&Condition::Sequential, 1000);
}

#[test]
fn checker_and_definition_agree_on_quiescent_consistency_of_random_programs() {
    agree_on_programs(&Condition::Quiescent, 1000);
}

fn agree_on_meetings(condition: &Condition, count: u64) {
    let limits = Limits { states: 20_000, histories: 4_000 };
    let found = agree::on_all(&generate::seeds(1, 60, count), generate::meeting, |text, seed| {
        compare_by(text, condition, &subsets(seed), limits).map_err(|d| d.to_string())
    });
    Tally::of(&found).expect(condition.name(), 3, 6, 6);
}

#[test]
fn checker_and_definition_agree_on_set_linearizability_of_random_programs() {
    agree_on_meetings(&Condition::SetLinearizable, 1000);
}

#[test]
fn checker_and_definition_agree_on_interval_linearizability_of_random_programs() {
    agree_on_meetings(&Condition::IntervalLinearizable, 1000);
}

/// Specifications whose operations meet.
const MEETINGS: [&str; 4] = [
    "var w: 0..=7 op see() -> 0..=7 { w = w | (1 << (self as int)); meet; return w }",
    "var c: 0..=20 op inc() -> 0..=20 { c += 1; meet; return c } op get() -> 0..=20 { return c }",
    "var here: seq<0..=1> var gone: int
     op swap(v: 0..=1) -> (0..=1)? { let place = here.len(); here.push_back(v); meet
       assume here.len() <= 2
       let got: (0..=1)? = empty
       if here.len() == 2 { got = here[1 - place] }
       gone += 1
       if gone == here.len() { here.clear(); gone = 0 }
       return got }",
    "var x: 0..=2 op write(v: 0..=2) { meet; x = v } op read() -> 0..=2 { let v = x; meet; return choose(v, x) }",
];

/// Specifications for histories, each with an object of the same operations that nobody runs.
const SPECIFICATIONS: [&str; 5] = [
    "var x: 0..=2 op write(v: 0..=2) { x = v } op read() -> 0..=2 { return x }",
    "var c: 0..=20 op inc() -> 0..=20 { c += 1; return c - 1 } op get() -> 0..=20 { return c }",
    "var s: seq<0..=1> op enq(v: 0..=1) { s.push_back(v) }
     op deq() -> (0..=1)? { if s.is_empty() { return empty }; return s.pop_front() }",
    "var s: seq<0..=1> op push(v: 0..=1) { s.push_back(v) }
     op pop() -> 0..=1 { assume !s.is_empty(); return s.pop_back() }",
    "var s: set<0..=1> op add(v: 0..=1) -> bool { return s.insert(v) }
     op take() -> 0..=1 { let v = choose(s); s.remove(v); return v }",
];

fn load(specification: &str, condition: &Condition) -> Arc<Program> {
    // The object has the operations with bodies that never end.
    let ops = specification.split("op ").skip(1).map(|op| {
        let head = op.split(" {").next().unwrap();
        format!("  op {head} {{ loop {{ await false }} }}\n")
    });
    let ops: String = ops.collect();
    let text = format!(
        "spec S {{ {} }}\nobject O {{ {ops} }}\ncheck O against S {{ threads 3, ops 7 }}",
        specification.replace(" op ", "\n op ")
    );
    let loaded = linchpin_lin::syntax::load(&text, &[]);
    let mut program = loaded.unwrap_or_else(|e| panic!("{:?}\n{text}", e[0].message)).program;
    program.checks[0].condition = condition.clone();
    Arc::new(program)
}

/// The same history in the words of the judge.
fn judged(events: &[Event]) -> History {
    let mut ops = [OpId(0); 9];
    events
        .iter()
        .filter_map(|event| match event {
            Event::Call { thread, op, args } => {
                ops[*thread as usize] = *op;
                Some(JudgedEvent::Call { thread: *thread, op: *op, args: args.clone() })
            }
            Event::Return { thread, result } => {
                let op = ops[*thread as usize];
                Some(JudgedEvent::Return { thread: *thread, op, result: result.clone() })
            }
            Event::Point { .. } => None,
        })
        .collect()
}

/// Judges random histories in both ways; how many were accepted and refused.
fn agree_on_histories(condition: &Condition, count: u64) -> [u32; 2] {
    agree_on(condition, &SPECIFICATIONS, count)
}

fn agree_on(condition: &Condition, specifications: &[&str], count: u64) -> [u32; 2] {
    let mut tally = [0; 2];
    for specification in specifications {
        let program = load(specification, condition);
        let check = &program.checks[0];
        let model = Model::new(program.clone(), check, Granularity::UNREDUCED).unwrap();
        // Operations that are parts of others are no part of a history.
        let Against::Spec(id) = check.against else { panic!() };
        let spec = Specification::shared(program.clone(), id, 3).unwrap();
        for seed in generate::seeds(1, 200, count) {
            let events = generate::history(&spec, check, 7, seed);
            // All its beginnings must be fine.
            let right = (0..=events.len()).all(|n| brute::satisfies(&program, 0, &events[..n]));
            match refuse_history(&model, &judged(&events)) {
                Ok(refusal) => {
                    assert!(!right, "seed {seed}: {events:?}\n{refusal:?}");
                    assert_first_refused(&program, &events, refusal.operation);
                }
                Err(Disagreement::Satisfied) => assert!(right, "seed {seed}: {events:?}"),
                Err(other) => panic!("seed {seed}: {other}"),
            }
            tally[usize::from(!right)] += 1;
        }
    }
    println!("{}: {} accepted, {} refused", condition.name(), tally[0], tally[1]);
    tally
}

/// The return named is the first with which the history is wrong.
fn assert_first_refused(program: &Program, events: &[Event], operation: Option<usize>) {
    let bad = (0..=events.len()).find(|&n| !brute::satisfies(program, 0, &events[..n])).unwrap();
    let history: Vec<history::Operation> = judged(events).operations().unwrap();
    let named = history[operation.unwrap()].response.as_ref().unwrap().event;
    assert_eq!(named + 1, bad);
}

#[test]
fn judge_and_definition_agree_on_sequential_consistency_of_random_histories() {
    let [accepted, refused] = agree_on_histories(&Condition::Sequential, 1000);
    assert!(accepted + refused < 100 || accepted > refused / 4 && refused > accepted / 4);
}

#[test]
fn judge_and_definition_agree_on_quiescent_consistency_of_random_histories() {
    let [accepted, refused] = agree_on_histories(&Condition::Quiescent, 1000);
    assert!(accepted + refused < 100 || accepted > refused / 4 && refused > accepted / 4);
}

#[test]
fn judge_and_definition_agree_on_set_linearizability_of_random_histories() {
    let [accepted, refused] = agree_on(&Condition::SetLinearizable, &MEETINGS, 1000);
    assert!(accepted + refused < 100 || accepted > refused / 6 && refused > accepted / 6);
}

#[test]
fn judge_and_definition_agree_on_interval_linearizability_of_random_histories() {
    let [accepted, refused] = agree_on(&Condition::IntervalLinearizable, &MEETINGS, 1000);
    assert!(accepted + refused < 100 || accepted > refused / 6 && refused > accepted / 6);
}

/// Programs of which all of this was true: linearizable, set linearizable, interval linearizable.
#[test]
fn what_is_linearizable_is_set_linearizable_and_that_is_interval_linearizable() {
    let conditions =
        [Condition::Linearizable, Condition::SetLinearizable, Condition::IntervalLinearizable];
    let mut seen = std::collections::BTreeSet::new();
    for specification in MEETINGS {
        let programs = conditions.each_ref().map(|c| load(specification, c));
        let Against::Spec(id) = programs[0].checks[0].against else { panic!() };
        let spec = Specification::shared(programs[0].clone(), id, 3).unwrap();
        for seed in 1..400 {
            let events = generate::history(&spec, &programs[0].checks[0], 5, seed);
            let [lin, sets, intervals] = programs
                .each_ref()
                .map(|p| (0..=events.len()).all(|n| brute::satisfies(p, 0, &events[..n])));
            assert!((!lin || sets) && (!sets || intervals), "{events:?}");
            seen.insert((lin, sets, intervals));
        }
    }
    // Every combination that is possible occurs.
    assert_eq!(seen.len(), 4);
}

#[test]
fn linearizable_histories_are_sequentially_and_quiescently_consistent_and_not_conversely() {
    let conditions = [Condition::Linearizable, Condition::Sequential, Condition::Quiescent];
    let mut seen = std::collections::BTreeSet::new();
    for specification in SPECIFICATIONS {
        let programs = conditions.each_ref().map(|c| load(specification, c));
        let spec = Specification::of(&programs[0], &programs[0].checks[0], 3).unwrap();
        for seed in 1..400 {
            let events = generate::history(&spec, &programs[0].checks[0], 6, seed);
            let [lin, sc, qc] = programs
                .each_ref()
                .map(|p| (0..=events.len()).all(|n| brute::satisfies(p, 0, &events[..n])));
            assert!(!lin || sc && qc, "{events:?}");
            seen.insert((lin, sc, qc));
        }
    }
    // Every combination that is possible occurs.
    assert_eq!(seen.len(), 5);
}
