//! Strong linearizability, as literally as possible.
//!
//! The definition (W. Golab, L. Higham, P. Woelfel, *Linearizable implementations do not suffice for
//! randomized distributed computation*, STOC 2011) asks for a function from executions to linearizations
//! that maps prefixes to prefixes. Executions that end in the same state with the same history and the
//! same linearization have the same futures, so pairs of those are looked at instead: a pair is *bad* if
//! some step of the object leads to where every linearization that extends the one of the pair is bad, or
//! where there is none. After any step any number of pending operations may be added, whether or not
//! anything asks for it. Bad pairs are found by going through all of them until nothing changes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use linchpin_lin::Value;
use linchpin_lin::program::Program;

use super::linearize::{Operation, operations};
use super::{Graph, Limits, Search, State, explore};
use crate::reference::{Counting, Shared};

/// Operations in the order of their calls, by number, with their results; and whether the specification goes
/// wrong with the next one, so that anything may follow.
type Order = Rc<(Vec<(usize, Value)>, bool)>;
/// A state and a linearization of its history.
type Pair = (u32, Order);

/// Pairs beyond which it is given up.
const MOST_PAIRS: usize = 100_000;

/// Is it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// It is strongly linearizable.
    Strong,
    /// It is not.
    NotStrong,
    /// It is not, but would be if every order in which the specification goes wrong were allowed.
    GoesWrong,
}

/// Is the object of a check strongly linearizable? `None`: too big, or something else is wrong with it
/// (a fault, a deadlock, a history that is not linearizable or on which the specification goes wrong).
///
/// # Panics
/// If there is no such check.
pub fn strength(program: &Program, check: usize, limits: Limits) -> Option<Strength> {
    let mut search = explore(program, check, limits, Counting::Most, Some(Graph::default()));
    let edges = search.graph.take()?.edges;
    let fine = search.verdict.faults.is_empty()
        && !search.verdict.deadlock
        && !search.verdict.bad_spec
        && !search.judge.bad_start;
    if !fine || search.verdict.too_big || search.verdict.heap_limit || search.shortest.is_some() {
        return None;
    }
    let mut numbers: HashMap<State, u32> = HashMap::new();
    let mut states: Vec<State> = Vec::new();
    let mut number = |state: &State| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state.clone());
            states.len() as u32 - 1
        })
    };
    let mut initial = Vec::new();
    let mut successors: HashMap<u32, HashSet<u32>> = HashMap::new();
    for (from, _, to) in &edges {
        let to = number(to);
        match from {
            None => initial.push(to),
            Some(from) => {
                successors.entry(number(from)).or_default().insert(to);
            }
        }
    }
    let mut game = Game { search, states, steps: Vec::new(), extensions: HashMap::new() };
    let start: Vec<Pair> = initial.into_iter().map(|state| (state, Rc::default())).collect();
    let mut todo = start.clone();
    let mut seen: HashSet<Pair> = HashSet::new();
    while let Some(pair) = todo.pop() {
        if !seen.insert(pair.clone()) {
            continue;
        }
        if game.steps.len() > MOST_PAIRS {
            return None;
        }
        let mut steps = Vec::new();
        for &next in successors.get(&pair.0).into_iter().flatten() {
            let answers: Vec<Pair> =
                game.extensions(next, &pair.1).iter().map(|o| (next, o.clone())).collect();
            todo.extend(answers.iter().cloned());
            steps.push(answers);
        }
        game.steps.push((pair, steps));
    }
    if game.search.judge.is_too_big() {
        return None;
    }
    let is_lost = |lenient: bool| {
        let bad = game.bad(lenient);
        start.iter().any(|pair| bad.contains(pair))
    };
    Some(match (is_lost(false), is_lost(true)) {
        (false, _) => Strength::Strong,
        (true, true) => Strength::NotStrong,
        (true, false) => Strength::GoesWrong,
    })
}

struct Game<'p> {
    search: Search<'p>,
    states: Vec<State>,
    /// For every pair and every step from it, the pairs that can be chosen.
    steps: Vec<(Pair, Vec<Vec<Pair>>)>,
    /// By history and order.
    extensions: HashMap<(u32, Order), Rc<Vec<Order>>>,
}

impl Game<'_> {
    /// The pairs that are bad, if orders in which the specification goes wrong are allowed or not.
    fn bad(&self, lenient: bool) -> HashSet<Pair> {
        let mut bad: HashSet<Pair> = HashSet::new();
        loop {
            let before = bad.len();
            for (pair, steps) in &self.steps {
                if pair.1.1 && !lenient
                    || steps.iter().any(|answers| answers.iter().all(|a| bad.contains(a)))
                {
                    bad.insert(pair.clone());
                }
            }
            if bad.len() == before {
                return bad;
            }
        }
    }

    /// All linearizations of the history of a state that begin with an order.
    fn extensions(&mut self, state: u32, order: &Order) -> Rc<Vec<Order>> {
        let history = self.states[state as usize].history;
        let key = (history, order.clone());
        if let Some(known) = self.extensions.get(&key) {
            return known.clone();
        }
        let events = self.search.histories.events(history);
        let operations = operations(&events);
        let agrees = |(i, decided): &(usize, Value)| {
            operations[*i].returned.is_none_or(|(_, result)| result == decided)
        };
        let mut found = Vec::new();
        if order.1 && order.0.iter().all(agrees) {
            found.push(order.clone());
        } else if order.0.iter().all(agrees) {
            let mut states: Vec<Shared> = self.search.judge.initial().to_vec();
            for (i, result) in &order.0 {
                states = self.after(&states, &operations[*i], result);
            }
            self.extend(&operations, order.0.clone(), &states, &mut found);
        }
        let found = Rc::new(found);
        self.extensions.insert(key, found.clone());
        found
    }

    fn extend(
        &self,
        operations: &[Operation<'_>],
        order: Vec<(usize, Value)>,
        states: &[Shared],
        found: &mut Vec<Order>,
    ) {
        let open: Vec<usize> =
            (0..operations.len()).filter(|i| order.iter().all(|(j, _)| j != i)).collect();
        for &i in &open {
            let too_early = open.iter().any(|&j| {
                operations[j].returned.is_some_and(|(end, _)| end < operations[i].called)
            });
            if too_early {
                continue;
            }
            let mut results: BTreeSet<Value> = BTreeSet::new();
            let wrong = self.search.judge.goes_wrong(|| {
                for state in states {
                    let answers = self.answers(state, &operations[i]);
                    results.extend(answers.iter().map(|(_, result)| result.clone()));
                }
            });
            if wrong {
                found.push(Rc::new((order.clone(), true)));
            }
            for result in results {
                if operations[i].returned.is_none_or(|(_, observed)| *observed == result) {
                    let next = self.after(states, &operations[i], &result);
                    let mut longer = order.clone();
                    longer.push((i, result));
                    self.extend(operations, longer, &next, found);
                }
            }
        }
        if open.iter().all(|&i| operations[i].returned.is_none()) {
            found.push(Rc::new((order, false)));
        }
    }

    fn answers(&self, state: &Shared, operation: &Operation<'_>) -> Rc<Vec<(Shared, Value)>> {
        self.search.judge.answers(state, operation.thread, operation.op, operation.args)
    }

    /// The states of the specification after an operation with that result.
    fn after(&self, states: &[Shared], operation: &Operation<'_>, result: &Value) -> Vec<Shared> {
        let mut after = Vec::new();
        for state in states {
            for (state, given) in self.answers(state, operation).iter() {
                if given == result && !after.contains(state) {
                    after.push(state.clone());
                }
            }
        }
        after
    }
}
