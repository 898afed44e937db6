//! A specification as the search executes it: states and calls have numbers, and what a call does in a state is computed
//! once.
//!
//! Calls that are the same (operation, arguments, result) have the same number, whoever made them, unless the
//! specification asks who that is.

use std::collections::HashMap;
use std::sync::Arc;

use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, Specification};
use linchpin_lts::Watch;
use rapidhash::fast::RandomState;

use crate::builtin::{self, Call, Code, Given, Values};
use crate::datum::Datum;
use crate::history::Operation;
use crate::spec::{Executed, Source, Spec, Trouble};
use crate::written::Written;

/// A call of an operation of a written specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WrittenCall {
    op: u8,
    args: Vec<Value>,
    result: Option<Value>,
    /// Results that it does not have.
    but: Vec<Value>,
    thread: u32,
}

/// What is executed.
#[derive(Debug)]
enum Kind {
    Builtin {
        codes: Vec<Code>,
        limit: Option<u32>,
        values: Values,
        calls: Interner<Call>,
        states: Interner<Vec<u32>>,
    },
    Written {
        specification: Box<Specification>,
        calls: Interner<WrittenCall>,
        of: Arc<Written>,
        /// Does it matter who calls?
        asks: bool,
        states: Interner<AbstractState>,
    },
    Executed {
        code: Arc<dyn Executed>,
        /// Operations with results.
        calls: Interner<(u32, Option<u32>)>,
        /// As the code numbers them.
        states: Interner<u32>,
    },
}

/// Numbers in the order of discovery.
#[derive(Debug)]
struct Interner<T> {
    numbers: HashMap<T, u32, RandomState>,
    all: Vec<T>,
}

impl<T: Clone + std::hash::Hash + Eq> Interner<T> {
    fn new() -> Self {
        Interner { numbers: HashMap::default(), all: Vec::new() }
    }

    fn number(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

/// A call that is not possible in a state.
const IMPOSSIBLE: u32 = u32::MAX;
/// Several states follow: their place in the lists.
const SEVERAL: u32 = 1 << 31;

/// A specification with the calls of a history.
#[derive(Debug)]
pub(crate) struct Machine {
    kind: Kind,
    initial: Vec<u32>,
    /// Per call: does it change nothing?
    pure: Vec<bool>,
    moves: HashMap<u64, u32, RandomState>,
    lists: Vec<Vec<u32>>,
    /// Something went wrong in the specification, in some order.
    fault: Option<String>,
}

impl Machine {
    /// The specification, and the number of the call of every operation.
    pub(crate) fn new(
        spec: &Spec,
        operations: &[Operation],
        watch: &Watch,
    ) -> Result<(Machine, Vec<u32>), Trouble> {
        let kind = match &spec.source {
            Source::Builtin(of) => {
                let mut values = Values::new();
                let codes: Vec<Code> = of.ops.iter().map(|op| op.code).collect();
                let mut states = Interner::new();
                states.number(builtin::initial(of, spec.bound, spec.init.as_ref(), &mut values));
                Kind::Builtin { codes, limit: spec.limit(), values, calls: Interner::new(), states }
            }
            Source::Written(of) => {
                let threads = operations.iter().map(|o| o.process + 1).max().unwrap_or(1);
                let specification = of.specification(threads, watch).map_err(Trouble::plain)?;
                let asks = specification.uses_caller();
                let mut states = Interner::new();
                let initial = specification.initial().map_err(|f| Trouble::plain(f.to_string()))?;
                for state in initial {
                    states.number(state);
                }
                if states.all.is_empty() {
                    let why = "the specification has no initial state".to_string();
                    return Err(Trouble::plain(why));
                }
                let (specification, of) = (Box::new(specification), of.clone());
                Kind::Written { specification, calls: Interner::new(), of, asks, states }
            }
            Source::Executed(code) => {
                let mut states = Interner::new();
                states.number(0);
                Kind::Executed { code: code.clone(), calls: Interner::new(), states }
            }
        };
        let count = match &kind {
            Kind::Builtin { states, .. } => states.all.len(),
            Kind::Written { states, .. } => states.all.len(),
            Kind::Executed { states, .. } => states.all.len(),
        };
        let mut machine = Machine {
            kind,
            initial: (0..count as u32).collect(),
            pure: Vec::new(),
            moves: HashMap::default(),
            lists: Vec::new(),
            fault: None,
        };
        let numbers = operations.iter().map(|o| machine.call(o)).collect::<Result<_, _>>()?;
        Ok((machine, numbers))
    }

    /// The number of the call of an operation.
    pub(crate) fn call(&mut self, operation: &Operation) -> Result<u32, Trouble> {
        self.call_but(operation, &[])
    }

    /// The same for one of which it is not known what it returned, but that it was none of these.
    pub(crate) fn call_but(
        &mut self,
        operation: &Operation,
        but: &[Datum],
    ) -> Result<u32, Trouble> {
        let (number, pure) = match &mut self.kind {
            Kind::Builtin { codes, values, calls, .. } => {
                let code = codes[operation.op as usize];
                let mut call = builtin_call(code, operation, values);
                if !but.is_empty() {
                    call.given = Given::But(but.iter().map(|d| values.number(d)).collect());
                }
                let number = calls.number(call);
                let pure = code.changes_nothing(&calls.all[number as usize], values);
                (number, pure)
            }
            Kind::Written { calls, of, asks, .. } => {
                let wrong = |why| Trouble { line: operation.line, message: why };
                let args = of.args(operation.op, &operation.args).map_err(wrong)?;
                let result = operation.result.as_ref().map(|r| of.result(operation.op, r));
                let result = result.transpose().map_err(wrong)?;
                // What does not fit is no result anyway.
                let but = but.iter().filter_map(|d| of.result(operation.op, d).ok()).collect();
                let thread = if *asks { operation.process + 1 } else { 1 };
                let call = WrittenCall { op: operation.op, args, result, but, thread };
                (calls.number(call), of.changes_nothing(operation.op))
            }
            Kind::Executed { calls, .. } => {
                let number = |datum: &Datum| match datum {
                    Datum::Int(n) => u32::try_from(*n).ok(),
                    _ => None,
                };
                let wrong = || Trouble {
                    line: operation.line,
                    message: "operations and results of code are numbers".to_string(),
                };
                let what = operation.args.first().and_then(number).ok_or_else(wrong)?;
                let result = operation.result.as_ref().map(|r| number(r).ok_or_else(wrong));
                (calls.number((what, result.transpose()?)), false)
            }
        };
        if number as usize == self.pure.len() {
            self.pure.push(pure);
        }
        Ok(number)
    }

    pub(crate) fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Does a call leave every state as it is?
    pub(crate) fn changes_nothing(&self, call: u32) -> bool {
        self.pure[call as usize]
    }

    /// What went wrong in the specification, in some order.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// How many states have been met.
    pub(crate) fn states(&self) -> usize {
        match &self.kind {
            Kind::Builtin { states, .. } => states.all.len(),
            Kind::Written { states, .. } => states.all.len(),
            Kind::Executed { states, .. } => states.all.len(),
        }
    }

    /// Is a call possible in a state?
    pub(crate) fn is_possible(&mut self, state: u32, call: u32) -> bool {
        self.look_up(state, call) != IMPOSSIBLE
    }

    /// Pushes the states after a call.
    pub(crate) fn moves(&mut self, state: u32, call: u32, to: &mut Vec<u32>) {
        match self.look_up(state, call) {
            IMPOSSIBLE => {}
            several if several & SEVERAL != 0 => {
                to.extend_from_slice(&self.lists[(several & !SEVERAL) as usize]);
            }
            one => to.push(one),
        }
    }

    /// Does a call lead from a state to another?
    pub(crate) fn leads(&mut self, from: u32, call: u32, to: u32) -> bool {
        match self.look_up(from, call) {
            IMPOSSIBLE => false,
            several if several & SEVERAL != 0 => {
                self.lists[(several & !SEVERAL) as usize].contains(&to)
            }
            one => one == to,
        }
    }

    fn look_up(&mut self, state: u32, call: u32) -> u32 {
        let key = u64::from(state) << 32 | u64::from(call);
        if let Some(&known) = self.moves.get(&key) {
            return known;
        }
        let found = match &mut self.kind {
            Kind::Builtin { codes, limit, values, calls, states } => {
                let call = &calls.all[call as usize];
                let code = codes[call.op as usize];
                let next = builtin::step(code, *limit, &states.all[state as usize], call, values);
                next.map_or(IMPOSSIBLE, |next| states.number(next))
            }
            Kind::Written { specification, calls, states, .. } => {
                let WrittenCall { op, args, result, but, thread } = &calls.all[call as usize];
                let before = &states.all[state as usize];
                let outcomes = specification.execute(before, OpId(u32::from(*op)), args, *thread);
                let outcomes = outcomes.unwrap_or_else(|fault| {
                    self.fault.get_or_insert(fault.to_string());
                    Vec::new()
                });
                let fits =
                    |r: &Value| result.as_ref().is_none_or(|given| given == r) && !but.contains(r);
                let mut next: Vec<u32> = (outcomes.into_iter())
                    .filter(|(_, r)| fits(r))
                    .map(|(state, _)| states.number(state))
                    .collect();
                next.dedup();
                followed(next, &mut self.lists)
            }
            Kind::Executed { code, calls, states } => {
                let (what, result) = calls.all[call as usize];
                let next = code.step(states.all[state as usize], what, result);
                let mut next: Vec<u32> = next.into_iter().map(|s| states.number(s)).collect();
                next.sort_unstable();
                next.dedup();
                followed(next, &mut self.lists)
            }
        };
        self.moves.insert(key, found);
        found
    }

    /// Forgets all states but these, which get the numbers 0, 1, 2 ... in their order. Memory then follows the states
    /// that are alive and not the length of the history.
    pub(crate) fn forget(&mut self, alive: &[u32]) {
        fn keep<T: Clone + std::hash::Hash + Eq>(states: &mut Interner<T>, alive: &[u32]) {
            let kept: Vec<T> = alive.iter().map(|&s| states.all[s as usize].clone()).collect();
            *states = Interner::new();
            for state in kept {
                states.number(state);
            }
        }
        match &mut self.kind {
            Kind::Builtin { states, .. } => keep(states, alive),
            Kind::Written { states, .. } => keep(states, alive),
            Kind::Executed { states, .. } => keep(states, alive),
        }
        self.moves = HashMap::default();
        self.lists = Vec::new();
    }
}

/// What is remembered of the states after a call.
fn followed(next: Vec<u32>, lists: &mut Vec<Vec<u32>>) -> u32 {
    match next.as_slice() {
        [] => IMPOSSIBLE,
        [one] => *one,
        _ => {
            lists.push(next);
            SEVERAL | (lists.len() - 1) as u32
        }
    }
}

/// A call of a built-in.
fn builtin_call(code: Code, operation: &Operation, values: &mut Values) -> Call {
    let row = |list: &Datum, values: &mut Values| -> Box<[u32]> {
        list.elements().unwrap_or_default().iter().map(|e| values.number(e)).collect()
    };
    let args = match code {
        Code::Txn => {
            let accesses = operation.args[0].elements().unwrap_or_default();
            let accesses = accesses.iter().filter_map(Datum::elements);
            accesses
                .flat_map(|access| {
                    let write = u32::from(access[0] == Datum::Bool(true));
                    [write, values.number(&access[1]), values.number(&access[2])]
                })
                .collect()
        }
        _ => operation.args.iter().map(|a| values.number(a)).collect(),
    };
    let given = match (&operation.result, code) {
        (None, _) => Given::Any,
        (Some(result), Code::Txn) => Given::Row(row(result, values)),
        (Some(result), Code::ReadAll) => {
            let mut row = row(result, values);
            // Of a set the order does not matter; of a log it does, and there `read` is the only other one.
            if operation.args.is_empty() && operation.op == 3 {
                row.sort_unstable();
            }
            Given::Row(row)
        }
        (Some(result), _) => Given::Value(values.number(result)),
    };
    Call { op: operation.op, args, given }
}

impl Machine {
    /// A state in words.
    pub(crate) fn describe(&self, state: u32) -> String {
        match &self.kind {
            Kind::Written { of, states, .. } => of.describe(&states.all[state as usize]),
            Kind::Executed { states, .. } => format!("state {}", states.all[state as usize]),
            Kind::Builtin { codes, values, states, .. } => {
                builtin::describe(codes[0], &states.all[state as usize], values)
            }
        }
    }
}
