//! The configurations of the specification after every event of a history: which orders explain it so far.
//!
//! A configuration is a state of the specification and, for every open operation that has taken effect, its result. They
//! are computed as they are defined: an open operation may take effect at any moment, with each of its outcomes; a return
//! keeps the configurations in which the operation has taken effect with that result. If none is left, nothing explains
//! the history. This is for people who look at one execution. The searches have their own sets, which are minimal.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_lin::display::display_value;
use linchpin_lin::program::OpId;
use linchpin_lin::replay::Replay;
use linchpin_lin::specify::{AbstractState, SpecFault, Specification};
use linchpin_lin::{Model, Value};
use linchpin_lts::EventKind;

use crate::history::{Event, History, Operation};
use crate::judge::{counterparts, history};
use crate::narrative::operations;

/// More than anybody looks at.
const MOST: usize = 300;

/// A state of the specification that explains a history, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The state.
    pub state: AbstractState,
    /// Open operations that have taken effect, with their results; indices into [`History::operations`].
    pub taken: BTreeMap<usize, Value>,
    /// An order of operations that leads to it, with their results: one of perhaps several.
    pub order: Vec<(usize, Value)>,
}

/// The configurations at a moment, sorted; or why they are not known, in words.
pub type Configurations = Result<Vec<Configuration>, String>;

/// The configurations before the first step of an execution and after every step.
pub fn at_every_step(model: &Model, replay: &Replay) -> Vec<Configurations> {
    let along = along(model, &history(replay));
    let mut happened = 0;
    let mut sets = vec![along[0].clone()];
    for step in &replay.steps {
        happened += step.events.iter().filter(|e| e.kind != EventKind::Point).count();
        sets.push(along[happened].clone());
    }
    sets
}

/// A configuration in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The state of the specification.
    pub state: String,
    /// An order that leads to it: operations of the execution, in the order of their calls, with their results.
    pub order: Vec<(usize, String)>,
}

/// Configurations of an execution in words.
pub fn describe<'c>(
    model: &Model,
    replay: &Replay,
    set: impl IntoIterator<Item = &'c Configuration>,
) -> Vec<Described> {
    let operations = operations(&history(replay));
    let specification = model.specification().ok();
    let one = |c: &Configuration| {
        let state = specification.as_ref().map(|s| s.describe(&c.state).join(", "));
        let order = c.order.iter().map(|(i, result)| {
            let ty = &model.object().unit.op(operations[*i].op).result;
            (*i, display_value(result, ty, model.program()))
        });
        Described { state: state.unwrap_or_default(), order: order.collect() }
    };
    set.into_iter().map(one).collect()
}

/// The configurations at the beginning and after every event.
pub fn along(model: &Model, history: &History) -> Vec<Configurations> {
    let mut sets = Vec::with_capacity(history.events().len() + 1);
    let operations = operations(history);
    let start = Explaining::new(model, &operations);
    let mut now = start.as_ref().map_err(Clone::clone).and_then(Explaining::initial);
    sets.push(now.clone());
    let mut open: BTreeMap<u32, usize> = BTreeMap::new();
    let mut calls = 0;
    for event in history.events() {
        if let (Ok(explaining), Ok(set)) = (&start, &mut now) {
            match event {
                Event::Call { thread, .. } => {
                    open.insert(*thread, calls);
                    calls += 1;
                }
                Event::Return { thread, result, .. } => {
                    let returned = open.remove(thread);
                    set.retain_mut(|c| {
                        returned.and_then(|i| c.taken.remove(&i)).as_ref() == Some(result)
                    });
                }
            }
            now = explaining.close(std::mem::take(set), &open);
        }
        sets.push(now.clone());
    }
    sets
}

/// What is needed to let operations take effect.
struct Explaining<'h> {
    operations: &'h [Operation],
    specification: Specification,
    /// Operations of the object as those of the specification.
    ops: Vec<OpId>,
}

impl<'h> Explaining<'h> {
    fn new(model: &Model, operations: &'h [Operation]) -> Result<Self, String> {
        let specification = model.specification().map_err(|fault| wrong(&fault))?;
        let ops = counterparts(model, &specification).map_err(|why| why.to_string())?;
        Ok(Explaining { operations, specification, ops })
    }

    fn initial(&self) -> Configurations {
        let states = self.specification.initial().map_err(|fault| wrong(&fault))?;
        let begins = |state| Configuration { state, taken: BTreeMap::new(), order: Vec::new() };
        Ok(states.into_iter().map(begins).collect())
    }

    /// What the configurations can become when open operations take effect.
    fn close(&self, set: Vec<Configuration>, open: &BTreeMap<u32, usize>) -> Configurations {
        let mut known = BTreeSet::new();
        let mut closed: Vec<Configuration> = Vec::new();
        let mut add = |next: Configuration, closed: &mut Vec<Configuration>| {
            if known.insert((next.state.clone(), next.taken.clone())) {
                closed.push(next);
            }
        };
        set.into_iter().for_each(|next| add(next, &mut closed));
        let mut at = 0;
        while let Some(next) = closed.get(at).cloned() {
            at += 1;
            for i in open.values().filter(|i| !next.taken.contains_key(*i)) {
                let Operation { op, args, thread, .. } = &self.operations[*i];
                let op = self.ops[op.index()];
                let outcomes = self.specification.execute(&next.state, op, args, *thread);
                for (state, result) in outcomes.map_err(|fault| wrong(&fault))? {
                    let mut after = Configuration { state, ..next.clone() };
                    after.taken.insert(*i, result.clone());
                    after.order.push((*i, result));
                    add(after, &mut closed);
                }
            }
            if closed.len() > MOST {
                return Err(format!("there are more than {MOST} configurations"));
            }
        }
        Ok(closed)
    }
}

fn wrong(fault: &SpecFault) -> String {
    format!("the specification goes wrong: {fault}")
}
