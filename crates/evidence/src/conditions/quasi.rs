//! The judge of quasi linearizability.
//!
//! The definition is in `quasi` of the crate `check` (Adhikari, Street, Wang, Liu and Zhang, SPIN 2013,
//! Definition 4, with a bound on the drift): two orders are built together, one in which the operations
//! take effect, between their calls and returns, and one in which they have their places, which the
//! specification allows. Here both are looked for by going through one finite history from event to
//! event and trying everything at each of them, with operations as they are: nothing is summed up.
//!
//! *Extensions.* A history that goes on may be completed by further operations, which take effect after
//! its end and can have places before. At most [`FURTHER`] are tried; where the check accepts a
//! history that needs more, nobody asks the judge.

use std::collections::HashSet;

use linchpin_lts::{Liveness, TransitionSystem};
use linchpin_model::display::display_value;
use linchpin_model::program::{Condition, DataDomain, Domain, OpId, QuasiGroup, QuasiResult};
use linchpin_model::replay::Replay;
use linchpin_model::specify::AbstractState;
use linchpin_model::{Model, Value};

use super::Refusal;
use super::order::{Specified, name, operations};
use crate::history::{History, Operation};
use crate::judge::Disagreement;
use crate::wing_gong::HistoryError;

/// Most combinations to try.
const BUDGET: usize = 3_000_000;

/// Most further operations.
const FURTHER: usize = 4;

/// Decides that the history has no extension that is quasi linearizable; or, if every thread has
/// finished, that it is not quasi linearizable itself.
pub(super) fn refuse(
    model: &Model,
    replay: &Replay,
    history: &History,
) -> Result<Refusal, Disagreement> {
    let Condition::Quasi(groups) = &model.check().condition else {
        return Err(Disagreement::Undecided);
    };
    let operations = operations(history)?;
    let mut judge = Judge {
        specified: Specified::new(model)?,
        groups,
        calls: (0..FURTHER).map(|nth| calls(model, &operations, nth)).collect(),
        events: events(&operations),
        operations: &operations,
        seen: HashSet::new(),
        further: FURTHER,
    };
    if !judge.accepts()? {
        let last = judge.events.last().map(|e| e.operation);
        return Ok(refusal(model, &operations, last, groups));
    }
    let end = replay.steps.last().map_or(&replay.initial, |s| &s.state);
    let finished = model.successors(&mut model.scratch(), end, &mut |_| {}) == Liveness::Finished;
    judge.further = 0;
    if finished && !judge.accepts()? {
        return Ok(refusal(model, &operations, None, groups));
    }
    Err(Disagreement::Satisfied)
}

fn refusal(
    model: &Model,
    operations: &[Operation],
    last: Option<usize>,
    groups: &[QuasiGroup],
) -> Refusal {
    let object = &model.object().unit;
    let factors: Vec<String> = groups
        .iter()
        .map(|g| {
            let members = g.members.iter().map(|(op, result)| {
                let op = object.op(*op);
                let result = match result {
                    QuasiResult::Any => return op.name.clone(),
                    QuasiResult::Some => "some".to_string(),
                    QuasiResult::Is(value) => display_value(value, &op.result, model.program()),
                };
                format!("{} -> {result}", op.name)
            });
            format!("{}: {}", members.collect::<Vec<_>>().join(" + "), g.factor)
        })
        .collect();
    let factors = if factors.is_empty() { "all 0".to_string() } else { factors.join(", ") };
    let first = match last {
        Some(i) => {
            let o = &operations[i];
            let ty = &object.op(o.op).result;
            let result = o.response.as_ref();
            let result = result.map_or(String::new(), |r| {
                format!(" returned {}", display_value(&r.result, ty, model.program()))
            });
            format!("{}{result}; no order within the factors explains that.", name(model, o))
        }
        None => "Everything is done, and no order within the factors explains it all.".to_string(),
    };
    Refusal { operation: last, because: vec![first, format!("The factors are {factors}.")] }
}

/// A call or a return.
#[derive(Clone, Copy)]
struct Event {
    operation: usize,
    returns: bool,
}

fn events(operations: &[Operation]) -> Vec<Event> {
    let mut events: Vec<(usize, Event)> = Vec::new();
    for (operation, o) in operations.iter().enumerate() {
        events.push((o.call, Event { operation, returns: false }));
        events.extend(o.response.iter().map(|r| (r.event, Event { operation, returns: true })));
    }
    events.sort_by_key(|e| e.0);
    events.into_iter().map(|e| e.1).collect()
}

/// What the `nth` further operation can be called with: values of the domains; where every call has a
/// new value, one that nobody else has.
fn calls(model: &Model, operations: &[Operation], nth: usize) -> Vec<Operation> {
    let check = model.check();
    let used = operations.iter().flat_map(|o| &o.args);
    let used = used.filter_map(|v| if let Value::Data(n) = v { Some(*n) } else { None });
    let new = used.max().unwrap_or(0) + 1 + nth as u32;
    let mut calls = Vec::new();
    for (op, domains) in check.domains.iter().enumerate() {
        let mut tuples = vec![Vec::new()];
        for domain in domains {
            let values: Vec<Value> = match domain {
                Domain::OneOf(values) => values.clone(),
                Domain::Data(id) => match check.data[id.index()] {
                    DataDomain::Fresh => vec![Value::Data(new)],
                    DataDomain::Finite(n) => (1..=n).map(Value::Data).collect(),
                },
            };
            let longer = |tuple: &Vec<Value>| {
                let tuple = tuple.clone();
                values.clone().into_iter().map(move |v| [tuple.clone(), vec![v]].concat())
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        let op = OpId(op as u32);
        calls.extend(tuples.into_iter().map(|args| Operation {
            thread: 1,
            op,
            args,
            call: usize::MAX,
            response: None,
        }));
    }
    calls
}

/// What has become of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Fate {
    /// Neither effect nor place.
    Nothing,
    /// It took effect as the `index`-th of its group.
    Unplaced { group: usize, index: i64 },
    /// It has the `index`-th place of its group.
    Promised { group: usize, index: i64 },
    /// Both.
    Settled,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Moment {
    /// How many events have happened.
    time: usize,
    state: AbstractState,
    /// Of the operations of the history.
    fates: Vec<Fate>,
    /// Places of further operations: group and index.
    further: Vec<(usize, i64)>,
    /// How many further operations there are.
    invented: usize,
    /// Per group: how many took effect, how many places were given.
    effects: Vec<i64>,
    places: Vec<i64>,
}

struct Judge<'a> {
    specified: Specified,
    groups: &'a [QuasiGroup],
    /// For every further operation.
    calls: Vec<Vec<Operation>>,
    operations: &'a [Operation],
    events: Vec<Event>,
    seen: HashSet<Moment>,
    further: usize,
}

impl Judge<'_> {
    fn accepts(&mut self) -> Result<bool, Disagreement> {
        self.seen.clear();
        let initial = self.specified.specification.initial();
        let initial = initial.map_err(|f| Disagreement::History(HistoryError::Specification(f)))?;
        for state in initial {
            let moment = Moment {
                time: 0,
                state,
                fates: vec![Fate::Nothing; self.operations.len()],
                further: Vec::new(),
                invented: 0,
                effects: vec![0; self.groups.len()],
                places: vec![0; self.groups.len()],
            };
            if self.goes_on(moment)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn factor(&self, group: usize) -> i64 {
        i64::from(self.groups[group].factor)
    }

    /// The group of an operation with this result, unless its factor is 0.
    fn group(&self, op: OpId, result: &Value) -> Option<usize> {
        let member = |particular: bool| {
            self.groups.iter().position(|g| {
                g.members.iter().any(|(member, which)| {
                    *member == op
                        && match which {
                            QuasiResult::Any => !particular,
                            QuasiResult::Some => {
                                particular && matches!(result, Value::Option(Some(_)))
                            }
                            QuasiResult::Is(value) => particular && value == result,
                        }
                })
            })
        };
        member(true).or_else(|| member(false)).filter(|&g| self.groups[g].factor > 0)
    }

    /// Can the history be completed from here?
    fn goes_on(&mut self, moment: Moment) -> Result<bool, Disagreement> {
        if !self.is_possible(&moment) || !self.seen.insert(moment.clone()) {
            return Ok(false);
        }
        if self.seen.len() > BUDGET {
            return Err(Disagreement::Undecided);
        }
        let over = moment.time == self.events.len();
        if over && self.is_complete(&moment) {
            return Ok(true);
        }
        // The next event.
        if let Some(&Event { operation, returns }) = self.events.get(moment.time) {
            let effective =
                !matches!(moment.fates[operation], Fate::Nothing | Fate::Promised { .. });
            if !returns || effective {
                let next = Moment { time: moment.time + 1, ..moment.clone() };
                if self.goes_on(next)? {
                    return Ok(true);
                }
            }
        }
        for i in 0..self.operations.len() {
            if self.operation_goes_on(&moment, i)? {
                return Ok(true);
            }
        }
        self.further_goes_on(&moment, over)
    }

    /// Nobody waits too long, and not too many wait.
    fn is_possible(&self, moment: &Moment) -> bool {
        (0..self.groups.len()).all(|g| {
            let factor = self.factor(g);
            let (mut unplaced, mut promised) =
                (0, moment.further.iter().filter(|f| f.0 == g).count());
            let mut in_time = moment
                .further
                .iter()
                .all(|&(group, index)| group != g || moment.effects[g] <= index + factor);
            for fate in &moment.fates {
                match *fate {
                    Fate::Unplaced { group, index } if group == g => {
                        unplaced += 1;
                        in_time &= moment.places[g] <= index + factor;
                    }
                    Fate::Promised { group, index } if group == g => {
                        promised += 1;
                        in_time &= moment.effects[g] <= index + factor;
                    }
                    _ => {}
                }
            }
            in_time && unplaced as i64 <= factor && promised as i64 <= factor
        })
    }

    fn is_complete(&self, moment: &Moment) -> bool {
        moment.further.is_empty()
            && moment.fates.iter().zip(self.operations).all(|(fate, o)| match fate {
                Fate::Settled => true,
                Fate::Nothing => o.response.is_none(),
                Fate::Unplaced { .. } | Fate::Promised { .. } => false,
            })
    }

    /// What an operation of the history can do next.
    fn operation_goes_on(&mut self, moment: &Moment, i: usize) -> Result<bool, Disagreement> {
        let operation = &self.operations[i];
        let called = self.events[..moment.time].iter().any(|e| e.operation == i);
        match moment.fates[i] {
            Fate::Settled => Ok(false),
            // It takes effect.
            Fate::Promised { group, index } => {
                let near = (moment.effects[group] - index).abs() <= self.factor(group);
                if !called || !near {
                    return Ok(false);
                }
                let mut next = moment.clone();
                next.fates[i] = Fate::Settled;
                next.effects[group] += 1;
                self.goes_on(next)
            }
            // It gets its place.
            Fate::Unplaced { group, index } => {
                if (moment.places[group] - index).abs() > self.factor(group) {
                    return Ok(false);
                }
                for (state, result) in self.outcomes(moment, operation)? {
                    if self.group(operation.op, &result) == Some(group) {
                        let mut next = Moment { state, ..moment.clone() };
                        next.fates[i] = Fate::Settled;
                        next.places[group] += 1;
                        if self.goes_on(next)? {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
            Fate::Nothing => {
                for (state, result) in self.outcomes(moment, operation)? {
                    let mut next = Moment { state, ..moment.clone() };
                    match self.group(operation.op, &result) {
                        // A place before it takes effect, or both at once.
                        Some(group) => {
                            let apart = next.effects[group] - next.places[group];
                            if called && apart.abs() <= self.factor(group) {
                                let mut both = next.clone();
                                both.fates[i] = Fate::Settled;
                                both.effects[group] += 1;
                                both.places[group] += 1;
                                if self.goes_on(both)? {
                                    return Ok(true);
                                }
                            }
                            next.fates[i] = Fate::Promised { group, index: next.places[group] };
                            next.places[group] += 1;
                        }
                        // Both at once.
                        None if called => next.fates[i] = Fate::Settled,
                        None => continue,
                    }
                    if self.goes_on(next)? {
                        return Ok(true);
                    }
                }
                // It takes effect and waits for a place.
                let of = |g: usize| match &operation.response {
                    Some(r) => self.group(operation.op, &r.result) == Some(g),
                    None => self.groups[g].members.iter().any(|m| m.0 == operation.op),
                };
                let groups: Vec<usize> = (0..self.groups.len())
                    .filter(|&g| called && self.groups[g].factor > 0 && of(g))
                    .collect();
                for group in groups {
                    let mut next = moment.clone();
                    next.fates[i] = Fate::Unplaced { group, index: next.effects[group] };
                    next.effects[group] += 1;
                    if self.goes_on(next)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// What further operations can do next.
    fn further_goes_on(&mut self, moment: &Moment, over: bool) -> Result<bool, Disagreement> {
        for k in 0..moment.further.len() {
            let (group, index) = moment.further[k];
            if over && (moment.effects[group] - index).abs() <= self.factor(group) {
                let mut next = moment.clone();
                next.further.remove(k);
                next.effects[group] += 1;
                if self.goes_on(next)? {
                    return Ok(true);
                }
            }
        }
        if moment.invented == self.further {
            return Ok(false);
        }
        for call in self.calls[moment.invented].clone() {
            for (state, result) in self.outcomes(moment, &call)? {
                let mut next = Moment { state, invented: moment.invented + 1, ..moment.clone() };
                match self.group(call.op, &result) {
                    Some(group) => {
                        next.further.push((group, next.places[group]));
                        next.places[group] += 1;
                    }
                    None if over => {}
                    None => continue,
                }
                if self.goes_on(next)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What the specification allows for an operation, with the result that it returned if it did.
    fn outcomes(
        &self,
        moment: &Moment,
        operation: &Operation,
    ) -> Result<Vec<(AbstractState, Value)>, Disagreement> {
        let mut outcomes = self.specified.outcomes(&moment.state, operation)?;
        if let Some(response) = &operation.response {
            outcomes.retain(|(_, result)| *result == response.result);
        }
        Ok(outcomes)
    }
}
