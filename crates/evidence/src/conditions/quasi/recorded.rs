//! The same of a history that is over and was recorded: who called what, and perhaps what was returned.
//!
//! All moments at once, event by event. Before every return everything that can happen does, in every order; what is left are
//! the moments in which the returning operation has taken effect. Moments that cannot end well are left out: those in which
//! an operation has come further from the index of its effect, or of its place, than the factor allows, and those in which
//! one is promised a place before its call, while too many of its group must take effect before it does.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use linchpin_lin::specify::{AbstractState, Specification};

/// Most moments to try.
const BUDGET: usize = 1_000_000;

/// An operation of a recorded history.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Who called it, from 1.
    pub thread: u32,
    /// Which operation of the specification.
    pub op: OpId,
    /// Its arguments.
    pub args: Vec<Value>,
    /// The place of its call.
    pub call: u32,
    /// The place of its return, if it returned.
    pub ret: Option<u32>,
    /// What it returned, if that is known.
    pub result: Option<Value>,
}

/// What an operation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Fate {
    /// An effect, as the so many-th of its group, and no place.
    Effect(usize, usize),
    /// A place, as the so many-th of its group, and no effect.
    Place(usize, usize),
    Both,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Moment {
    state: AbstractState,
    /// Of operations that have something and, if they have both, have not returned.
    fates: BTreeMap<usize, Fate>,
    effects: Vec<usize>,
    places: Vec<usize>,
}

/// A history with its groups.
pub struct RecordedHistory<'a> {
    /// What it is compared with.
    pub specification: &'a Specification,
    /// Its operations.
    pub operations: &'a [Recorded],
    /// The factors of the groups.
    pub factors: &'a [usize],
    /// The group of an operation, by its number, with a result; `None` if its factor is 0.
    pub group: &'a dyn Fn(usize, &Value) -> Option<usize>,
    /// The groups that an operation can belong to, whatever it returned.
    pub groups: &'a dyn Fn(usize) -> BTreeSet<Option<usize>>,
}

/// Per group: the returns of those that certainly belong to it, in their order.
type Sure = Vec<Vec<u32>>;

impl RecordedHistory<'_> {
    /// Is it quasi linearizable? With a place, whether two orders reach past the return there.
    ///
    /// # Errors
    /// Why that cannot be decided.
    pub fn is_explicable(&self, until: Option<u32>) -> Result<bool, String> {
        let initial = self.specification.initial().map_err(|fault| fault.to_string())?;
        let none = vec![0; self.factors.len()];
        let mut all: HashSet<Moment> = initial
            .into_iter()
            .map(|state| Moment {
                state,
                fates: BTreeMap::new(),
                effects: none.clone(),
                places: none.clone(),
            })
            .collect();
        let mut returns: Vec<(u32, usize)> =
            self.operations.iter().enumerate().filter_map(|(i, o)| Some((o.ret?, i))).collect();
        returns.sort_unstable();
        let sure = self.sure();
        let mut tried = 0;
        for (place, returning) in returns {
            if until.is_some_and(|until| place > until) {
                break;
            }
            all = self.closed(all, place, &sure, &mut tried)?;
            all = all
                .into_iter()
                .filter_map(|mut moment| match moment.fates.get(&returning)? {
                    Fate::Place(..) => None,
                    Fate::Effect(..) => Some(moment),
                    Fate::Both => {
                        moment.fates.remove(&returning);
                        Some(moment)
                    }
                })
                .collect();
            if all.is_empty() {
                return Ok(false);
            }
        }
        if until.is_some() {
            return Ok(true);
        }
        let all = self.closed(all, u32::MAX, &sure, &mut tried)?;
        Ok(all.iter().any(|m| m.fates.values().all(|fate| *fate == Fate::Both)))
    }

    /// The group that an operation certainly belongs to.
    fn certain(&self, i: usize) -> Option<usize> {
        let groups = (self.groups)(i);
        groups.first().copied().flatten().filter(|_| groups.len() == 1)
    }

    fn sure(&self) -> Sure {
        let mut sure: Sure = vec![Vec::new(); self.factors.len()];
        for (i, operation) in self.operations.iter().enumerate() {
            if let (Some(group), Some(ret)) = (self.certain(i), operation.ret) {
                sure[group].push(ret);
            }
        }
        sure.iter_mut().for_each(|returns| returns.sort_unstable());
        sure
    }

    /// The least index in a group with which an operation can take effect that has not been called at a place.
    fn least(&self, moment: &Moment, i: usize, group: usize, place: u32, sure: &Sure) -> usize {
        let call = self.operations[i].call;
        let until = |place: u32| sure[group].partition_point(|ret| *ret < place);
        let before = |(other, fate): (&usize, &Fate)| {
            !matches!(fate, Fate::Place(..))
                && self.certain(*other) == Some(group)
                && self.operations[*other].ret.is_some_and(|ret| (place..call).contains(&ret))
        };
        let already = moment.fates.iter().filter(|of| before(*of)).count();
        moment.effects[group] + until(call) - until(place) - already
    }

    /// Can what has only one of the two still get the other?
    fn is_hopeful(&self, moment: &Moment) -> bool {
        moment.fates.values().all(|fate| match *fate {
            Fate::Effect(group, index) => moment.places[group] <= index + self.factors[group],
            Fate::Place(group, index) => moment.effects[group] <= index + self.factors[group],
            Fate::Both => true,
        })
    }

    /// Everything that can happen before a place.
    fn closed(
        &self,
        all: HashSet<Moment>,
        place: u32,
        sure: &Sure,
        tried: &mut usize,
    ) -> Result<HashSet<Moment>, String> {
        let near = self.near(place, sure);
        let mut seen = all.clone();
        let mut todo: Vec<Moment> = all.into_iter().collect();
        while let Some(moment) = todo.pop() {
            *tried += 1;
            if *tried > BUDGET || self.specification.watch().over_at(*tried).is_some() {
                return Err("the history is too long to be judged again".to_string());
            }
            for next in self.after(&moment, place, sure, &near)? {
                if self.is_hopeful(&next) && seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        Ok(seen)
    }

    /// Who has not returned at a place, and has been called or may be promised something.
    fn near(&self, place: u32, sure: &Sure) -> Vec<usize> {
        let open = |o: &&Recorded| o.call < place && o.ret.is_none_or(|ret| ret >= place);
        let open = self.operations.iter().filter(open).count();
        let until = |group: usize, place: u32| sure[group].partition_point(|ret| *ret < place);
        let soon = |call: u32| {
            (0..self.factors.len())
                .any(|g| until(g, call) - until(g, place) <= 2 * self.factors[g] + open)
        };
        let is_near = |i: &usize| {
            let o = &self.operations[*i];
            o.ret.is_none_or(|ret| ret >= place) && (o.call < place || soon(o.call))
        };
        (0..self.operations.len()).filter(is_near).collect()
    }

    fn after(
        &self,
        moment: &Moment,
        place: u32,
        sure: &Sure,
        near: &[usize],
    ) -> Result<Vec<Moment>, String> {
        let mut next = Vec::new();
        let count = |group: usize, placed: bool| {
            let of = |f: &&Fate| match f {
                Fate::Effect(g, _) => !placed && *g == group,
                Fate::Place(g, _) => placed && *g == group,
                Fate::Both => false,
            };
            moment.fates.values().filter(of).count()
        };
        let waiting = moment.fates.keys().copied().filter(|i| near.binary_search(i).is_err());
        for i in near.iter().copied().chain(waiting) {
            let operation = &self.operations[i];
            let (fate, called) = (moment.fates.get(&i), operation.call < place);
            let returned = operation.ret.is_some_and(|ret| ret < place);
            match fate {
                // It has both; and if that was some time ago, it is forgotten.
                Some(Fate::Both) => {}
                None if returned => {}
                Some(&Fate::Place(group, index)) if called => {
                    if moment.effects[group].abs_diff(index) <= self.factors[group] {
                        let mut one = moment.clone();
                        one.fates.insert(i, Fate::Both);
                        one.effects[group] += 1;
                        next.push(one);
                    }
                }
                Some(Fate::Place(..)) => {}
                Some(&Fate::Effect(group, index)) => {
                    if moment.places[group].abs_diff(index) > self.factors[group] {
                        continue;
                    }
                    for (state, result) in self.outcomes(moment, i)? {
                        if (self.group)(i, &result) == Some(group) {
                            let mut one = Moment { state, ..moment.clone() };
                            match returned {
                                true => drop(one.fates.remove(&i)),
                                false => drop(one.fates.insert(i, Fate::Both)),
                            }
                            one.places[group] += 1;
                            next.push(one);
                        }
                    }
                }
                None => {
                    let reaches = |g: usize| {
                        called
                            || self.least(moment, i, g, place, sure)
                                <= moment.places[g] + self.factors[g]
                    };
                    // What comes too late for every group is not executed.
                    let groups = (self.groups)(i);
                    if !called && !groups.iter().flatten().any(|&g| reaches(g)) {
                        continue;
                    }
                    for (state, result) in self.outcomes(moment, i)? {
                        let mut one = Moment { state, ..moment.clone() };
                        let group = (self.group)(i, &result);
                        if called {
                            let mut both = one.clone();
                            both.fates.insert(i, Fate::Both);
                            if let Some(group) = group {
                                both.effects[group] += 1;
                                both.places[group] += 1;
                            }
                            next.push(both);
                        }
                        let Some(group) = group.filter(|&g| reaches(g)) else { continue };
                        if count(group, true) < self.factors[group] {
                            one.fates.insert(i, Fate::Place(group, one.places[group]));
                            one.places[group] += 1;
                            next.push(one);
                        }
                    }
                    for group in groups.into_iter().flatten().filter(|_| called) {
                        if count(group, false) < self.factors[group] {
                            let mut one = moment.clone();
                            one.fates.insert(i, Fate::Effect(group, one.effects[group]));
                            one.effects[group] += 1;
                            next.push(one);
                        }
                    }
                }
            }
        }
        Ok(next)
    }

    /// What the specification allows, with the result that is known.
    fn outcomes(&self, moment: &Moment, i: usize) -> Result<Vec<(AbstractState, Value)>, String> {
        let o = &self.operations[i];
        let outcomes = self.specification.execute(&moment.state, o.op, &o.args, o.thread);
        let mut outcomes = outcomes.map_err(|fault| fault.to_string())?;
        outcomes.retain(|(_, result)| o.result.as_ref().is_none_or(|known| known == result));
        Ok(outcomes)
    }
}
