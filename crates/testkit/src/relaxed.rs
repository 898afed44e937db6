//! Recorded histories out of order by at most so many places: the decision against all pairs of orders.
//!
//! The oracle takes the definition as it stands (Adhikari, Street, Wang, Liu, Zhang, SPIN 2013, Definition 4, and the walk
//! that bounds the drift): all subsets of the operations that never returned, all orders that keep real time, all orders
//! that the object allows, all walks through both.

use linchpin_history::{
    Datum, Factors, Judged, NEVER, Operation, Spec, decide_quasi, explains_quasi, judge_quasi,
    shrink_quasi,
};
use linchpin_lts::{Verdict, Watch};

use crate::histories::{
    Generated, Kept, Model, Plan, Random, SPECS, break_one, brute, forget_one, generate,
};
use crate::recorded::keyed;

/// Which results of an operation are in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Result {
    /// All.
    Any,
    /// Something.
    Some,
    /// This one.
    Is(Datum),
}

/// Operations that are counted together, with their factor.
pub type Group = (Vec<(&'static str, Result)>, usize);

/// How often what was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Histories.
    pub histories: u64,
    /// Of these, linearizable ones.
    pub linearizable: u64,
    /// Not linearizable, but within the factors.
    pub within: u64,
    /// Not even that.
    pub violated: u64,
    /// Operations that never returned.
    pub lost: u64,
    /// Operations of violations before and after some were left out.
    pub shrunk: (u64, u64),
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: &Tally) {
        self.histories += other.histories;
        self.linearizable += other.linearizable;
        self.within += other.within;
        self.violated += other.violated;
        self.lost += other.lost;
        self.shrunk.0 += other.shrunk.0;
        self.shrunk.1 += other.shrunk.1;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { histories, linearizable, within, violated, lost, shrunk } = self;
        write!(
            f,
            "quasi linearizability: {histories} histories with {lost} lost operations, {linearizable} linearizable, {within} \
             within the factors only, {violated} not; {} operations shrunk to {}",
            shrunk.0, shrunk.1
        )
    }
}

/// Compares everything on one random history; an error says what differs.
pub fn compare(seed: u64, tally: &mut Tally) -> std::result::Result<(), String> {
    let mut random = Random::new(seed ^ 0x0071_7561_7369);
    let plan = Plan {
        spec: SPECS[random.below(SPECS.len())],
        clients: 1 + random.below(3),
        operations: 3 + random.below(4),
        lost: [0, 100, 300][random.below(3)],
        keys: 2 + random.below(2),
        distinct: random.one_in(2),
        seed,
    };
    let spec = Spec::builtin(plan.spec)?;
    let mut generated = generate(&spec, &plan);
    for _ in 0..1 + random.below(3) {
        swap_two(&mut generated, &mut random);
    }
    if random.one_in(4) {
        break_one(plan.spec, &mut generated, &mut random);
    }
    if random.one_in(4) {
        forget_one(&mut generated, &mut random);
    }
    if generated.operations.is_empty() {
        return Ok(());
    }
    let groups = groups(&generated, &mut random);
    let text = text(&groups);
    let expected = explicable(plan.spec, &generated, &groups);
    let linearizable = brute(plan.spec, &generated, Kept::Time);
    tally.histories += 1;
    tally.linearizable += u64::from(linearizable);
    tally.within += u64::from(expected && !linearizable);
    tally.violated += u64::from(!expected);
    tally.lost += generated.operations.iter().filter(|o| o.ret == NEVER).count() as u64;
    let wrong = |what: &str| {
        format!("seed {seed}, {}, quasi {text}: {what}; brute force: {expected}", plan.spec)
    };
    if linearizable && !expected {
        return Err(wrong("what is linearizable is within all factors"));
    }
    if groups.iter().all(|g| g.1 == 0) && linearizable != expected {
        return Err(wrong("factors of 0 mean linearizability"));
    }
    agrees(&spec, plan.spec, &generated, &groups, expected, tally).map_err(|what| wrong(&what))?;
    // The same as somebody would write it in a file.
    let name = match plan.spec {
        "map" => "KeyedMap",
        "set" => "KeyedSet",
        _ => return Ok(()),
    };
    let written = keyed(name)?;
    for (operation, name) in generated.operations.iter_mut().zip(&generated.names) {
        operation.op = written.op(name).ok_or("an operation is missing")?;
    }
    agrees(&written, plan.spec, &generated, &groups, expected, tally)
        .map_err(|what| wrong(&format!("{name}: {what}")))
}

fn agrees(
    spec: &Spec,
    name: &'static str,
    generated: &Generated,
    groups: &[Group],
    expected: bool,
    tally: &mut Tally,
) -> std::result::Result<(), String> {
    let operations = &generated.operations;
    let factors = Factors::parse(&text(groups), spec)?;
    let found = decide_quasi(spec, operations, &factors, u64::MAX, &Watch::NEVER);
    let found = found.map_err(|t| t.message)?;
    match judge_quasi(spec, operations, &factors, None, &Watch::NEVER) {
        Judged::Explained if expected => {}
        Judged::Confirmed(_) if !expected => {}
        judged => return Err(format!("the judge: {judged:?}")),
    }
    let refuted = match found.decision.verdict {
        Verdict::Holds if expected => {
            let places = found.decision.order.ok_or("no order")?;
            return explains_quasi(spec, operations, &factors, &found.effects, &places)
                .map_err(|t| t.message);
        }
        Verdict::Violated(refuted) if !expected => refuted,
        verdict => return Err(format!("{verdict:?}")),
    };
    let left = shrink_quasi(spec, operations, &factors, &refuted, &Watch::NEVER);
    tally.shrunk.0 += operations.len() as u64;
    tally.shrunk.1 += left.len() as u64;
    match judge_quasi(spec, &left, &factors, refuted.place, &Watch::NEVER) {
        Judged::Confirmed(_) => {}
        judged => return Err(format!("the judge of what is left, {left:?}: {judged:?}")),
    }
    // And the rest is wrong by itself.
    let kept = |o: &Operation| operations.iter().position(|p| p.call == o.call);
    let names = left.iter().filter_map(kept).map(|i| generated.names[i]).collect();
    let rest = Generated { operations: left, names };
    match explicable(name, &rest, groups) {
        false => Ok(()),
        true => Err("what is left is within the factors".to_string()),
    }
}

/// Exchanges the results of two operations of the same kind: what was out of order by some places.
fn swap_two(generated: &mut Generated, random: &mut Random) {
    let some: Vec<usize> = (0..generated.operations.len())
        .filter(|&i| generated.operations[i].result.is_some() && generated.names[i] != "txn")
        .collect();
    if some.is_empty() {
        return;
    }
    let i = some[random.below(some.len())];
    let other = |j: &usize| {
        generated.names[*j] == generated.names[i]
            && generated.operations[*j].result != generated.operations[i].result
    };
    let others: Vec<usize> = some.into_iter().filter(other).collect();
    if others.is_empty() {
        return;
    }
    let j = others[random.below(others.len())];
    let (a, b) = (generated.operations[i].result.clone(), generated.operations[j].result.clone());
    generated.operations[i].result = b;
    generated.operations[j].result = a;
}

/// Random groups of the operations that occur.
fn groups(generated: &Generated, random: &mut Random) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut seen: Vec<(&'static str, Result)> = Vec::new();
    for _ in 0..1 + random.below(2) {
        let mut members = Vec::new();
        for _ in 0..1 + random.below(2) {
            let i = random.below(generated.names.len());
            let name = generated.names[i];
            let result = match &generated.operations[i].result {
                Some(value) if !matches!(value, Datum::List(_)) && random.one_in(2) => {
                    match random.one_in(2) && !matches!(value, Datum::Bool(_)) {
                        true => Result::Some,
                        false => Result::Is(value.clone()),
                    }
                }
                _ => Result::Any,
            };
            if !seen.contains(&(name, result.clone())) {
                seen.push((name, result.clone()));
                members.push((name, result));
            }
        }
        if !members.is_empty() {
            groups.push((members, [0, 1, 1, 2][random.below(4)]));
        }
    }
    groups
}

fn text(groups: &[Group]) -> String {
    let member = |(name, result): &(&'static str, Result)| match result {
        Result::Any => (*name).to_string(),
        Result::Some => format!("{name} -> some"),
        Result::Is(Datum::Nil) => format!("{name} -> empty"),
        Result::Is(value) => format!("{name} -> {value}"),
    };
    let group = |(members, factor): &Group| {
        let members: Vec<String> = members.iter().map(member).collect();
        format!("{}: {factor}", members.join(" + "))
    };
    format!("{{ {} }}", groups.iter().map(group).collect::<Vec<_>>().join(", "))
}

/// Are there two orders?
pub fn explicable(spec: &'static str, generated: &Generated, groups: &[Group]) -> bool {
    let all = &generated.operations;
    let lost: Vec<usize> = (0..all.len()).filter(|&i| all[i].ret == NEVER).collect();
    (0..1usize << lost.len()).any(|out| {
        let stays = |i: &usize| lost.iter().position(|l| l == i).is_none_or(|k| out >> k & 1 == 0);
        let taking: Vec<usize> = (0..all.len()).filter(stays).collect();
        let mut effects = Vec::new();
        extensions(all, &taking, &mut Vec::new(), &mut effects);
        let (mut order, mut results) = (Vec::new(), vec![None; all.len()]);
        let mut fits = |places: &[usize], results: &[Option<Datum>]| {
            let group = |i: usize| group_of(groups, generated.names[i], results[i].as_ref());
            let of: Vec<Option<usize>> = (0..all.len()).map(group).collect();
            effects.iter().any(|effects| {
                is_near(groups, effects, places, &of) && walks(groups, effects, places, &of)
            })
        };
        legal(&Model::new(spec), generated, &taking, (&mut order, &mut results), &mut fits)
    })
}

fn group_of(groups: &[Group], name: &str, result: Option<&Datum>) -> Option<usize> {
    let position = |wanted: &dyn Fn(&Result) -> bool| {
        groups.iter().position(|g| g.0.iter().any(|(of, which)| *of == name && wanted(which)))
    };
    let named = result.and_then(|result| {
        position(&|which| match which {
            Result::Any => false,
            Result::Some => *result != Datum::Nil,
            Result::Is(value) => value == result,
        })
    });
    named.or_else(|| position(&|which| *which == Result::Any))
}

/// All orders that the object allows, until one fits.
fn legal(
    model: &Model,
    generated: &Generated,
    taking: &[usize],
    (order, results): (&mut Vec<usize>, &mut Vec<Option<Datum>>),
    fits: &mut dyn FnMut(&[usize], &[Option<Datum>]) -> bool,
) -> bool {
    if order.len() == taking.len() {
        return fits(order, results);
    }
    for &i in taking {
        if order.contains(&i) {
            continue;
        }
        let operation = &generated.operations[i];
        let mut next = model.clone();
        let Some(result) = next.apply(generated.names[i], &operation.args) else { continue };
        if operation.result.is_some() && operation.result != result {
            continue;
        }
        order.push(i);
        results[i] = result;
        let found = legal(&next, generated, taking, (order, results), fits);
        order.pop();
        if found {
            return true;
        }
    }
    false
}

/// All orders that keep real time.
fn extensions(
    all: &[Operation],
    taking: &[usize],
    order: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if order.len() == taking.len() {
        return found.push(order.clone());
    }
    for &i in taking {
        let waits = |j: &usize| !order.contains(j) && all[*j].ret < all[i].call;
        if !order.contains(&i) && !taking.iter().any(waits) {
            order.push(i);
            extensions(all, taking, order, found);
            order.pop();
        }
    }
}

fn is_near(groups: &[Group], effects: &[usize], places: &[usize], of: &[Option<usize>]) -> bool {
    groups.iter().enumerate().all(|(g, (_, factor))| {
        let own = |order: &[usize]| -> Vec<usize> {
            order.iter().copied().filter(|&i| of[i] == Some(g)).collect()
        };
        let (one, two) = (own(effects), own(places));
        one.iter().enumerate().all(|(at, i)| {
            two.iter().position(|j| j == i).is_some_and(|k| k.abs_diff(at) <= *factor)
        })
    })
}

/// Can one walk through both without a group drifting apart? What has no factor is passed in both at once.
fn walks(groups: &[Group], effects: &[usize], places: &[usize], of: &[Option<usize>]) -> bool {
    let n = effects.len();
    let factor = |i: usize| of[i].map_or(0, |g| groups[g].1);
    let fine = |a: usize, b: usize| {
        groups.iter().enumerate().all(|(g, (_, factor))| {
            let only = |order: &[usize], other: &[usize]| {
                let own = order.iter().filter(|i| of[**i] == Some(g));
                own.filter(|i| !other.contains(i)).count()
            };
            only(&effects[..a], &places[..b]) <= *factor
                && only(&places[..b], &effects[..a]) <= *factor
        })
    };
    let mut reached = vec![vec![false; n + 1]; n + 1];
    reached[0][0] = true;
    for a in 0..=n {
        for b in 0..=n {
            if !reached[a][b] {
                continue;
            }
            if a < n && factor(effects[a]) > 0 && fine(a + 1, b) {
                reached[a + 1][b] = true;
            }
            if b < n && factor(places[b]) > 0 && fine(a, b + 1) {
                reached[a][b + 1] = true;
            }
            if a < n && b < n && effects[a] == places[b] && fine(a + 1, b + 1) {
                reached[a + 1][b + 1] = true;
            }
        }
    }
    reached[n][n]
}
