//! Moments in which two orders of operations are partly built, and what can happen next.

use std::collections::HashSet;

use linchpin_lin::program::{DataDomain, DataId, Domain, OpId, QuasiGroup, QuasiResult};
use linchpin_lin::specify::AbstractState;
use linchpin_lin::{Model, Value};

use crate::conditions::order::Specified;
use crate::history::Operation;
use crate::judge::Disagreement;
use crate::wing_gong::HistoryError;

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

/// What has become of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Fate {
    /// Neither effect nor place.
    Nothing,
    /// It took effect as the `index`-th of its group.
    Unplaced { group: usize, index: i64 },
    /// It has the `index`-th place of its group.
    Promised { group: usize, index: i64 },
    /// Both.
    Settled,
}

/// A moment. Indices are counted from the next place of their group.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Moment {
    /// How many events have happened.
    time: usize,
    state: AbstractState,
    /// Of the operations of the history.
    pub(super) fates: Vec<Fate>,
    /// Places of further operations: group and index.
    further: Vec<(usize, i64)>,
    /// Per group: how many took effect, how many places were given.
    effects: Vec<i64>,
    places: Vec<i64>,
}

/// The moments of a history.
pub(super) struct Moments<'a> {
    pub(super) model: &'a Model,
    specified: Specified,
    groups: &'a [QuasiGroup],
    pub(super) operations: &'a [Operation],
    events: Vec<Event>,
}

impl<'a> Moments<'a> {
    pub(super) fn new(
        model: &'a Model,
        groups: &'a [QuasiGroup],
        operations: &'a [Operation],
    ) -> Result<Self, Disagreement> {
        let (specified, events) = (Specified::new(model)?, events(operations));
        Ok(Moments { model, specified, groups, operations, events })
    }

    /// The operation of the last event.
    pub(super) fn last(&self) -> Option<usize> {
        self.events.last().map(|e| e.operation)
    }

    /// The state of the specification.
    pub(super) fn describe(&self, moment: &Moment) -> String {
        self.specified.specification.describe(&moment.state).join(", ")
    }

    /// The moments before anything has happened.
    pub(super) fn initial(&self) -> Result<Vec<Moment>, Disagreement> {
        let initial = self.specified.specification.initial();
        let initial = initial.map_err(|f| Disagreement::History(HistoryError::Specification(f)))?;
        let moment = |state| Moment {
            time: 0,
            state,
            fates: vec![Fate::Nothing; self.operations.len()],
            further: Vec::new(),
            effects: vec![0; self.groups.len()],
            places: vec![0; self.groups.len()],
        };
        Ok(initial.into_iter().map(moment).collect())
    }

    /// Has the whole history happened?
    pub(super) fn is_over(&self, moment: &Moment) -> bool {
        moment.time == self.events.len()
    }

    /// Is nothing left to do?
    pub(super) fn is_complete(&self, moment: &Moment) -> bool {
        self.is_over(moment)
            && moment.further.is_empty()
            && moment.fates.iter().zip(self.operations).all(|(fate, o)| match fate {
                Fate::Settled => true,
                Fate::Nothing => o.response.is_none(),
                Fate::Unplaced { .. } | Fate::Promised { .. } => false,
            })
    }

    /// The moments that follow, without another further operation.
    pub(super) fn after(&self, moment: &Moment) -> Vec<Moment> {
        let mut next = Vec::new();
        if let Some(&Event { operation, returns }) = self.events.get(moment.time) {
            let fate = moment.fates[operation];
            let effective = !matches!(fate, Fate::Nothing | Fate::Promised { .. });
            if !returns || effective {
                next.push(Moment { time: moment.time + 1, ..moment.clone() });
            }
        }
        for i in 0..self.operations.len() {
            self.operation(moment, i, &mut next);
        }
        // A further operation that has its place takes effect.
        if self.is_over(moment) {
            for (k, &(group, index)) in moment.further.iter().enumerate() {
                if (moment.effects[group] - index).abs() <= self.factor(group) {
                    let mut kept = moment.clone();
                    kept.further.remove(k);
                    kept.effects[group] += 1;
                    next.push(kept);
                }
            }
        }
        self.possible(next)
    }

    /// The moments in which another further operation has got its place, before it takes effect if
    /// its group allows that, and both at once otherwise.
    pub(super) fn with_another(&self, moment: &Moment) -> Vec<Moment> {
        let mut next = Vec::new();
        for call in self.calls(moment) {
            for (state, result) in self.outcomes(moment, &call) {
                let mut one = Moment { state, ..moment.clone() };
                match self.group(call.op, &result) {
                    Some(group) => {
                        one.further.push((group, one.places[group]));
                        one.places[group] += 1;
                    }
                    None if self.is_over(moment) => {}
                    None => continue,
                }
                next.push(one);
            }
        }
        self.possible(next)
    }

    /// Those that may lead to completion, in their normal form.
    fn possible(&self, moments: Vec<Moment>) -> Vec<Moment> {
        let mut possible: Vec<Moment> = moments
            .into_iter()
            .filter(|m| {
                (0..self.groups.len()).all(|g| self.is_in_time(m, g))
                    && !(self.is_over(m) && self.misses_a_value(m))
            })
            .collect();
        possible.iter_mut().for_each(normalise);
        possible
    }

    fn factor(&self, group: usize) -> i64 {
        i64::from(self.groups[group].factor)
    }

    /// The group of an operation with this result, unless its factor is 0.
    pub(super) fn group(&self, op: OpId, result: &Value) -> Option<usize> {
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

    /// Do not too many of a group wait, and none too long? Those that wait for a place get it one after
    /// the other at best, and so do those that have to take effect.
    fn is_in_time(&self, moment: &Moment, group: usize) -> bool {
        let (mut unplaced, mut promised) = (Vec::new(), Vec::new());
        promised.extend(moment.further.iter().filter(|f| f.0 == group).map(|f| f.1));
        for fate in &moment.fates {
            match *fate {
                Fate::Unplaced { group: g, index } if g == group => unplaced.push(index),
                Fate::Promised { group: g, index } if g == group => promised.push(index),
                _ => {}
            }
        }
        let factor = self.factor(group);
        let in_time = |indices: &mut Vec<i64>, next: i64| {
            indices.sort_unstable();
            indices.len() as i64 <= factor
                && indices.iter().zip(next..).all(|(index, turn)| turn <= index + factor)
        };
        in_time(&mut unplaced, moment.places[group])
            && in_time(&mut promised, moment.effects[group])
    }

    /// Has an operation without a place returned an opaque value that is nowhere, where every call
    /// has values of its own? No specification makes one up.
    fn misses_a_value(&self, moment: &Moment) -> bool {
        let (check, program) = (self.model.check(), self.model.program());
        let waits = |i: usize| matches!(moment.fates[i], Fate::Nothing | Fate::Unplaced { .. });
        let waiting: Vec<&Operation> =
            (0..self.operations.len()).filter(|i| waits(*i)).map(|i| &self.operations[i]).collect();
        let mut there: HashSet<(DataId, u32)> = HashSet::new();
        let mut note = |id, value| {
            there.insert((id, value));
        };
        self.specified.specification.visit_data(&moment.state, &mut note);
        for o in &waiting {
            let params = &self.model.object().unit.op(o.op).locals;
            o.args.iter().zip(params).for_each(|(v, p)| v.visit_data(&p.ty, program, &mut note));
        }
        let mut missing = false;
        for o in &waiting {
            let ty = &self.model.object().unit.op(o.op).result;
            if let Some(response) = &o.response {
                response.result.visit_data(ty, program, &mut |id, value| {
                    let fresh = check.data[id.index()] == DataDomain::Fresh;
                    missing |= fresh && value > 0 && !there.contains(&(id, value));
                });
            }
        }
        missing
    }

    /// What an operation of the history can do next.
    fn operation(&self, moment: &Moment, i: usize, next: &mut Vec<Moment>) {
        let operation = &self.operations[i];
        let called = self.events[..moment.time].iter().any(|e| e.operation == i);
        match moment.fates[i] {
            Fate::Settled => {}
            // It takes effect.
            Fate::Promised { group, index } => {
                let near = (moment.effects[group] - index).abs() <= self.factor(group);
                if called && near {
                    let mut one = moment.clone();
                    one.fates[i] = Fate::Settled;
                    one.effects[group] += 1;
                    next.push(one);
                }
            }
            // It gets its place.
            Fate::Unplaced { group, index } => {
                if (moment.places[group] - index).abs() > self.factor(group) {
                    return;
                }
                for (state, result) in self.outcomes(moment, operation) {
                    if self.group(operation.op, &result) == Some(group) {
                        let mut one = Moment { state, ..moment.clone() };
                        one.fates[i] = Fate::Settled;
                        one.places[group] += 1;
                        next.push(one);
                    }
                }
            }
            Fate::Nothing => self.begins(moment, i, called, next),
        }
    }

    /// What an operation can do first.
    fn begins(&self, moment: &Moment, i: usize, called: bool, next: &mut Vec<Moment>) {
        let operation = &self.operations[i];
        for (state, result) in self.outcomes(moment, operation) {
            let mut one = Moment { state, ..moment.clone() };
            match self.group(operation.op, &result) {
                // A place before it takes effect, or both at once.
                Some(group) => {
                    let apart = one.effects[group] - one.places[group];
                    if called && apart.abs() <= self.factor(group) {
                        let mut both = one.clone();
                        both.fates[i] = Fate::Settled;
                        both.effects[group] += 1;
                        both.places[group] += 1;
                        next.push(both);
                    }
                    one.fates[i] = Fate::Promised { group, index: one.places[group] };
                    one.places[group] += 1;
                }
                // Both at once.
                None if called => one.fates[i] = Fate::Settled,
                None => continue,
            }
            next.push(one);
        }
        // It takes effect and waits for a place.
        let of = |g: usize| match &operation.response {
            Some(r) => self.group(operation.op, &r.result) == Some(g),
            None => self.groups[g].members.iter().any(|m| m.0 == operation.op),
        };
        let groups = 0..self.groups.len();
        for group in groups.filter(|&g| called && self.groups[g].factor > 0 && of(g)) {
            let mut one = moment.clone();
            one.fates[i] = Fate::Unplaced { group, index: one.effects[group] };
            one.effects[group] += 1;
            next.push(one);
        }
    }

    /// What a further operation can be called with: values of the domains; where every call has a new
    /// value, one that neither the history nor the state has.
    fn calls(&self, moment: &Moment) -> Vec<Operation> {
        let check = self.model.check();
        let arguments = self.operations.iter().flat_map(|o| &o.args);
        let data = |v: &Value| if let Value::Data(n) = v { Some(*n) } else { None };
        let mut used: HashSet<u32> = arguments.filter_map(data).collect();
        self.specified.specification.visit_data(&moment.state, &mut |_, value| {
            used.insert(value);
        });
        let specification = &self.specified.specification;
        let threads = if specification.uses_caller() { specification.threads() } else { 1 };
        let mut calls = Vec::new();
        for (op, domains) in check.domains.iter().enumerate() {
            let mut new = (1..).filter(|n| !used.contains(n)).map(Value::Data);
            let mut tuples = vec![Vec::new()];
            for domain in domains {
                let values: Vec<Value> = match domain {
                    Domain::OneOf(values) => values.clone(),
                    Domain::Data(id) => match check.data[id.index()] {
                        DataDomain::Fresh => new.next().into_iter().collect(),
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
            for thread in 1..=threads {
                calls.extend(tuples.iter().map(|args| Operation {
                    thread,
                    op,
                    args: args.clone(),
                    call: usize::MAX,
                    response: None,
                }));
            }
        }
        calls
    }

    /// What the specification allows for an operation, with the result that it returned if it did. An order in
    /// which it goes wrong explains nothing. (That such an order might have, had the specification said more, is
    /// for the checker to rule out: which further operations are tried on the way differs.)
    fn outcomes(&self, moment: &Moment, operation: &Operation) -> Vec<(AbstractState, Value)> {
        let mut outcomes = self.specified.outcomes(&moment.state, operation);
        if let Some(response) = &operation.response {
            outcomes.retain(|(_, result)| *result == response.result);
        }
        outcomes
    }
}

/// Counts indices from the next place of their group; only differences matter.
fn normalise(moment: &mut Moment) {
    let places = std::mem::replace(&mut moment.places, vec![0; moment.effects.len()]);
    moment.effects.iter_mut().zip(&places).for_each(|(effects, places)| *effects -= places);
    moment.further.iter_mut().for_each(|(group, index)| *index -= places[*group]);
    moment.further.sort_unstable();
    for fate in &mut moment.fates {
        if let Fate::Unplaced { group, index } | Fate::Promised { group, index } = fate {
            *index -= places[*group];
        }
    }
}
