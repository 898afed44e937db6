//! The search through configurations.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, SpecFault, Specification};

use super::{HistoryError, Linearization, Linearized};
use crate::history::Operation;

/// How a search ends.
pub(super) enum End {
    /// All returns are explained.
    Explained(Linearization),
    /// There is no explanation.
    Exhausted,
    /// Too many configurations.
    OutOfBudget,
}

impl End {
    /// The explanation, if there is one.
    pub(super) fn explained(self) -> Option<Linearization> {
        match self {
            End::Explained(linearization) => Some(linearization),
            End::Exhausted | End::OutOfBudget => None,
        }
    }
}

/// A return of the history.
struct Return {
    /// Index into the operations.
    operation: usize,
    /// Index into the events.
    event: usize,
    /// The operations that are open just before it, itself first.
    open: Vec<usize>,
}

/// A point of the search. The returns before `next` are explained.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    /// The next return to explain.
    next: usize,
    /// The linearized operations that have not returned before `next`, sorted.
    ahead: Vec<usize>,
    /// The abstract state, interned.
    state: u32,
    /// While collecting: the result of the operation whose result is left open.
    collected: Option<Value>,
}

/// How a configuration was reached.
struct Node {
    parent: Option<usize>,
    /// Operation and result; `None` in an initial state.
    step: Option<(usize, Value)>,
    state: u32,
}

/// The outcomes of an operation in a state: interned states and results.
type Moves = Rc<[(u32, Value)]>;

/// What the searches in one history share.
pub(super) struct Search<'h> {
    operations: &'h [Operation],
    spec: &'h Specification,
    ops: &'h [OpId],
    budget: usize,
    returns: Vec<Return>,
    /// Per operation: the first one with the same thread, operation and arguments.
    class: Vec<usize>,
    initial: Vec<u32>,
    states: Vec<AbstractState>,
    interned: HashMap<AbstractState, u32>,
    /// Outcomes by state and class.
    moves: HashMap<(u32, usize), Moves>,
}

impl<'h> Search<'h> {
    pub(super) fn new(
        operations: &'h [Operation],
        spec: &'h Specification,
        ops: &'h [OpId],
        budget: usize,
    ) -> Result<Self, HistoryError> {
        let mut classes = BTreeMap::new();
        let class = operations
            .iter()
            .enumerate()
            .map(|(i, o)| *classes.entry((o.thread, o.op, &o.args)).or_insert(i))
            .collect();
        let mut search = Search {
            operations,
            spec,
            ops,
            budget,
            returns: returns_of(operations),
            class,
            initial: Vec::new(),
            states: Vec::new(),
            interned: HashMap::new(),
            moves: HashMap::new(),
        };
        for state in spec.initial()? {
            let id = search.intern(state);
            search.initial.push(id);
        }
        if search.initial.is_empty() {
            return Err(HistoryError::NoInitialState);
        }
        Ok(search)
    }

    /// How many returns the history has.
    pub(super) fn returns(&self) -> usize {
        self.returns.len()
    }

    /// Operation and event of a return.
    pub(super) fn return_at(&self, i: usize) -> (usize, usize) {
        (self.returns[i].operation, self.returns[i].event)
    }

    /// Looks for a linearization of the history up to its `count`-th return; operations that
    /// return later are pending there.
    pub(super) fn explain(&mut self, count: usize) -> Result<End, SpecFault> {
        self.explore(count, None)
    }

    /// All results with which the `count`-th return would have been linearizable, unless that
    /// needs too many configurations.
    pub(super) fn allowed(&mut self, count: usize) -> Result<Option<BTreeSet<Value>>, SpecFault> {
        let mut results = BTreeSet::new();
        let end = self.explore(count, Some(&mut results))?;
        Ok(matches!(end, End::Exhausted).then_some(results))
    }

    /// Depth first. With `collect`, the result of the last of the `count` returns is left open,
    /// and all results it can have are collected; then the search never ends early.
    fn explore(
        &mut self,
        count: usize,
        mut collect: Option<&mut BTreeSet<Value>>,
    ) -> Result<End, SpecFault> {
        let left_open = match collect {
            Some(_) => count.checked_sub(1).map(|last| self.returns[last].operation),
            None => None,
        };
        let horizon = count.checked_sub(1).map_or(0, |last| self.returns[last].event);
        // An order in which the specification goes wrong is no explanation; another one may be.
        let mut fault = None;
        let mut nodes: Vec<Node> = Vec::new();
        let mut visited: HashSet<Configuration> = HashSet::new();
        let mut stack: Vec<(usize, Configuration)> = Vec::new();
        for &state in self.initial.iter().rev() {
            let start = Configuration { next: 0, ahead: Vec::new(), state, collected: None };
            stack.push((nodes.len(), start));
            nodes.push(Node { parent: None, step: None, state });
        }
        while let Some((node, configuration)) = stack.pop() {
            if configuration.next == count {
                match (&mut collect, configuration.collected) {
                    (Some(results), Some(result)) => {
                        results.insert(result);
                        continue;
                    }
                    _ => return Ok(End::Explained(self.linearization(&nodes, node))),
                }
            }
            // The operation that returns is tried first: it is at the top of the stack.
            for at in (0..self.returns[configuration.next].open.len()).rev() {
                let operation = self.returns[configuration.next].open[at];
                if configuration.ahead.contains(&operation) {
                    continue;
                }
                let recorded = match &self.operations[operation].response {
                    Some(r) if r.event <= horizon && left_open != Some(operation) => {
                        Some(&r.result)
                    }
                    _ => None,
                };
                let moves = match self.moves(configuration.state, operation) {
                    Ok(moves) => moves,
                    Err(wrong) => {
                        fault = fault.or(Some(wrong));
                        continue;
                    }
                };
                for (state, result) in moves.iter() {
                    if recorded.is_some_and(|r| r != result) {
                        continue;
                    }
                    let mut reached = Configuration { state: *state, ..configuration.clone() };
                    if left_open == Some(operation) {
                        reached.collected = Some(result.clone());
                    }
                    self.advance(&mut reached, operation, count);
                    if !visited.insert(reached.clone()) {
                        continue;
                    }
                    let stopped = self.spec.watch().over_at(nodes.len()).is_some();
                    if stopped || nodes.len() >= self.budget {
                        return Ok(End::OutOfBudget);
                    }
                    stack.push((nodes.len(), reached));
                    let step = Some((operation, result.clone()));
                    nodes.push(Node { parent: Some(node), step, state: *state });
                }
            }
        }
        fault.map_or(Ok(End::Exhausted), Err)
    }

    /// Adds a linearized operation and passes the returns that are explained now.
    fn advance(&self, configuration: &mut Configuration, operation: usize, count: usize) {
        let ahead = &mut configuration.ahead;
        let place = ahead.partition_point(|o| *o < operation);
        ahead.insert(place, operation);
        while configuration.next < count
            && let Ok(place) = ahead.binary_search(&self.returns[configuration.next].operation)
        {
            ahead.remove(place);
            configuration.next += 1;
        }
    }

    /// The outcomes of an operation of the history in a state.
    fn moves(&mut self, state: u32, operation: usize) -> Result<Moves, SpecFault> {
        let key = (state, self.class[operation]);
        if let Some(moves) = self.moves.get(&key) {
            return Ok(Rc::clone(moves));
        }
        let called = &self.operations[operation];
        let op = self.ops[called.op.index()];
        let before = &self.states[state as usize];
        let outcomes = self.spec.execute(before, op, &called.args, called.thread)?;
        let moves: Moves =
            outcomes.into_iter().map(|(state, result)| (self.intern(state), result)).collect();
        self.moves.insert(key, Rc::clone(&moves));
        Ok(moves)
    }

    fn intern(&mut self, state: AbstractState) -> u32 {
        match self.interned.entry(state) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let id = self.states.len() as u32;
                self.states.push(entry.key().clone());
                entry.insert(id);
                id
            }
        }
    }

    /// The way to a node.
    fn linearization(&self, nodes: &[Node], last: usize) -> Linearization {
        let mut steps = Vec::new();
        let mut node = &nodes[last];
        while let (Some(parent), Some((operation, result))) = (node.parent, &node.step) {
            steps.push(Linearized {
                operation: *operation,
                result: result.clone(),
                state: self.states[node.state as usize].clone(),
            });
            node = &nodes[parent];
        }
        steps.reverse();
        Linearization { initial: self.states[node.state as usize].clone(), steps }
    }
}

/// The returns in order, each with the operations that are open just before it.
fn returns_of(operations: &[Operation]) -> Vec<Return> {
    let mut ends: Vec<(usize, usize)> = operations
        .iter()
        .enumerate()
        .filter_map(|(i, o)| o.response.as_ref().map(|r| (r.event, i)))
        .collect();
    ends.sort_unstable();
    let mut open: BTreeSet<usize> = BTreeSet::new();
    let mut calls = operations.iter().enumerate().peekable();
    ends.into_iter()
        .map(|(event, operation)| {
            while let Some((i, _)) = calls.next_if(|(_, o)| o.call < event) {
                open.insert(i);
            }
            open.remove(&operation);
            let open = std::iter::once(operation).chain(open.iter().copied()).collect();
            Return { operation, event, open }
        })
        .collect()
}
