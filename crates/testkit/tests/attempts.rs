//! The orders that are drawn through a recorded history that has none: each is possible, none could be longer, and what
//! is said to stand in its way does. From the definition, with other specifications (`histories::Model`).

use linchpin_history::{
    Attempt, Judged, Means, NEVER, Obstacle, Operation, Spec, attempts, attempts_sequential,
    decide_sequential, judge, order_before,
};
use linchpin_lts::Watch;
use linchpin_testkit::histories::{Generated, Model, Plan, Random, SPECS, break_one, generate};
use linchpin_testkit::sample::count;

/// A small history in which something is probably wrong.
fn broken(seed: u64) -> (&'static str, Spec, Generated) {
    let mut random = Random::new(seed);
    let name = SPECS[random.below(SPECS.len())];
    let spec = Spec::builtin(name).expect("a specification");
    let plan = Plan {
        spec: name,
        clients: 2 + random.below(2),
        operations: 4 + random.below(3),
        lost: 100,
        keys: 2,
        distinct: random.one_in(2),
        seed,
    };
    let mut generated = generate(&spec, &plan);
    break_one(name, &mut generated, &mut random);
    (name, spec, generated)
}

/// Does an operation; whether its result is the one of the log, if that counts.
fn fits(model: &mut Model, name: &'static str, operation: &Operation, counts: bool) -> bool {
    let result = model.apply(name, &operation.args);
    result.is_some_and(|r| !counts || operation.result.is_none() || operation.result == r)
}

/// The most operations that had returned up to a place that any order has.
fn most(model: &Model, all: &Generated, until: u32, placed: &mut Vec<bool>) -> usize {
    let operations = &all.operations;
    let must = |i: usize| operations[i].ret <= until;
    let mut best = (0..operations.len()).filter(|&i| placed[i] && must(i)).count();
    for i in 0..operations.len() {
        let before = |j: usize| must(j) && !placed[j] && operations[j].ret < operations[i].call;
        if placed[i] || operations[i].call > until || (0..operations.len()).any(before) {
            continue;
        }
        let mut next = model.clone();
        if fits(&mut next, all.names[i], &operations[i], must(i)) {
            placed[i] = true;
            best = best.max(most(&next, all, until, placed));
            placed[i] = false;
        }
    }
    best
}

/// Goes through an order; what is wrong with it.
fn replayed(
    name: &'static str,
    all: &Generated,
    until: u32,
    found: &Attempt,
) -> Result<usize, String> {
    let operations = &all.operations;
    let must = |i: usize| operations[i].ret <= until;
    let mut model = Model::new(name);
    let mut placed = vec![false; operations.len()];
    for &(i, _) in &found.steps {
        let early = |j: usize| must(j) && !placed[j] && operations[j].ret < operations[i].call;
        if placed[i] || (0..operations.len()).any(early) {
            return Err(format!("{i} cannot be there"));
        }
        if !fits(&mut model, all.names[i], &operations[i], must(i)) {
            return Err(format!("{i} does not return that"));
        }
        placed[i] = true;
    }
    for (i, obstacle) in &found.stuck {
        let stands = match obstacle {
            Obstacle::After(j) => !placed[*j] && operations[*j].ret < operations[*i].call,
            Obstacle::Impossible => {
                model.clone().apply(all.names[*i], &operations[*i].args).is_none()
            }
            Obstacle::Result(would) => {
                let result = model.clone().apply(all.names[*i], &operations[*i].args);
                let result = result.ok_or("it is not possible at all")?;
                operations[*i].result != result
                    && would.len() == 1
                    && would.first() == result.as_ref()
            }
        };
        if placed[*i] || !must(*i) || !stands {
            return Err(format!("{i} is not stuck: {obstacle:?}"));
        }
    }
    Ok((0..operations.len()).filter(|&i| placed[i] && must(i)).count())
}

#[test]
fn the_longest_orders_are_orders_and_the_longest() {
    let (mut seen, mut several) = (0, 0);
    for seed in 0..count(600, 20_000) {
        let (name, spec, generated) = broken(seed);
        let operations = &generated.operations;
        // A transaction says what it would have read in one row, which its model does not.
        if name == "multi-register" {
            continue;
        }
        let Judged::Confirmed(reason) = judge(&spec, operations, &Watch::NEVER) else { continue };
        let until = operations[reason.operation].ret;
        let longest =
            most(&Model::new(name), &generated, until, &mut vec![false; operations.len()]);
        let found = attempts(&spec, operations, &reason, &Watch::NEVER);
        assert!(!found.is_empty(), "seed {seed}, {name}: nothing was found");
        for attempt in &found {
            match replayed(name, &generated, until, attempt) {
                Ok(length) => assert_eq!(length, longest, "seed {seed}, {name}: {attempt:?}"),
                Err(why) => panic!("seed {seed}, {name}: {why}: {attempt:?}"),
            }
        }
        let before = order_before(&spec, operations, until, &Means::default(), &Watch::NEVER);
        let before = before.expect("an order is one").expect("the judge has found one, too");
        let placed = |i: usize| before.contains(&(i as u32));
        assert!(
            (0..operations.len()).all(|i| operations[i].ret >= until || placed(i)),
            "seed {seed}"
        );
        seen += 1;
        several += u64::from(found.len() > 1);
    }
    assert!(seen > 100 && several > 10, "{seen} {several}");
}

#[test]
fn the_longest_order_of_processes_stops_where_each_of_them_does() {
    let mut seen = 0;
    for seed in 0..count(600, 20_000) {
        let (name, spec, generated) = broken(seed);
        let operations = &generated.operations;
        let decision =
            decide_sequential(&spec, operations, u64::MAX, &Watch::NEVER).expect("decided");
        if !decision.verdict.is_violated() {
            continue;
        }
        let found = attempts_sequential(&spec, operations, &Watch::NEVER);
        let [attempt] = &found[..] else { panic!("seed {seed}: {found:?}") };
        let mut model = Model::new(name);
        let mut placed = vec![false; operations.len()];
        let next = |placed: &[bool], process: u32| {
            (0..operations.len()).find(|&i| operations[i].process == process && !placed[i])
        };
        for &(i, _) in &attempt.steps {
            assert_eq!(next(&placed, operations[i].process), Some(i), "seed {seed}");
            let returns = operations[i].ret != NEVER;
            assert!(fits(&mut model, generated.names[i], &operations[i], returns), "seed {seed}");
            placed[i] = true;
        }
        for &(i, _) in &attempt.stuck {
            assert_eq!(next(&placed, operations[i].process), Some(i), "seed {seed}");
            let possible = fits(&mut model.clone(), generated.names[i], &operations[i], true);
            assert!(!possible, "seed {seed}, {name}: {i} could be next");
        }
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
}
