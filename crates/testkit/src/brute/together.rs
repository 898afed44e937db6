//! Set and interval linearizability of one history, straight from the definitions.
//!
//! Neiger, *Set-linearizability*, PODC 1994: the operations (pending ones completed or dropped) are divided into sets, in an order
//! that contains the real-time order; all sets are tried, in all orders, and within a set all orders of what comes before
//! `meet` and all orders of what comes after it. Castaneda, Rajsbaum and Raynal, *Unifying concurrent objects and distributed
//! tasks: interval-linearizability*, JACM 65(6), 2018: every operation has a beginning and an end, in an order that
//! contains the real-time order; all orders of beginnings and ends are tried. Nothing is remembered between branches.

use linchpin_lin::Value;
use linchpin_lin::program::Proc;

use super::history::Event;
use super::linearize::{Judge, Operation, operations};
use crate::reference::Shared;

/// An operation that has begun to take effect, and with what it goes on.
type Begun = (usize, Vec<Value>);

impl Judge<'_> {
    /// Is there an order of sets, or of beginnings and ends?
    pub(super) fn accepts_together(&self, history: &[Event], sets: bool) -> bool {
        let operations = operations(history);
        let question = Question { judge: self, operations: &operations };
        let mut over = vec![false; operations.len()];
        self.initial().iter().any(|state| match sets {
            true => question.sets(&mut over, state),
            false => question.moments(&mut over, &mut Vec::new(), state),
        })
    }
}

struct Question<'q, 'p> {
    judge: &'q Judge<'p>,
    operations: &'q [Operation<'q>],
}

impl Question<'_, '_> {
    fn is_answered(&self, over: &[bool]) -> bool {
        (0..over.len()).all(|i| over[i] || self.operations[i].returned.is_none())
    }

    /// Has everything that returned before an operation was called taken effect?
    fn may_begin(&self, over: &[bool], i: usize) -> bool {
        let first = |j: usize| {
            self.operations[j].returned.is_some_and(|(end, _)| end < self.operations[i].called)
        };
        (0..over.len()).all(|j| over[j] || !first(j))
    }

    fn halves(&self, i: usize) -> Option<[Proc; 2]> {
        self.judge.specified(self.operations[i].op)?.halves()
    }

    fn is_its_result(&self, i: usize, result: &Value) -> bool {
        self.operations[i].returned.is_none_or(|(_, observed)| observed == result)
    }

    /// States and results after an operation that takes effect at once.
    fn at_once(&self, i: usize, state: &Shared) -> Vec<(Shared, Value)> {
        let Operation { thread, op, args, .. } = self.operations[i];
        let answers = self.judge.answers(state, thread, op, args);
        answers.iter().filter(|(_, result)| self.is_its_result(i, result)).cloned().collect()
    }

    /// States, and with what an operation goes on, after it has begun.
    fn begin(&self, i: usize, state: &Shared) -> Vec<(Shared, Vec<Value>)> {
        let Some([before, _]) = self.halves(i) else { return Vec::new() };
        let Operation { thread, args, .. } = self.operations[i];
        let answers = self.judge.run(state, thread, &before, args).unwrap_or_default();
        let begun = answers.into_iter().filter_map(|(state, kept)| match kept {
            Value::Tuple(kept) => Some((state, kept)),
            _ => None,
        });
        begun.collect()
    }

    /// States after it has come to its end with the result that was observed.
    fn end(&self, (i, kept): &Begun, state: &Shared) -> Vec<Shared> {
        let Some([_, after]) = self.halves(*i) else { return Vec::new() };
        let thread = self.operations[*i].thread;
        let answers = self.judge.run(state, thread, &after, kept).unwrap_or_default();
        let right = answers.into_iter().filter(|(_, result)| self.is_its_result(*i, result));
        right.map(|(state, _)| state).collect()
    }

    /// One set after the other.
    fn sets(&self, over: &mut Vec<bool>, state: &Shared) -> bool {
        if self.is_answered(over) {
            return true;
        }
        let able: Vec<usize> =
            (0..over.len()).filter(|&i| !over[i] && self.may_begin(over, i)).collect();
        for &i in able.iter().filter(|&&i| self.halves(i).is_none()) {
            over[i] = true;
            let found = self.at_once(i, state).iter().any(|(state, _)| self.sets(over, state));
            over[i] = false;
            if found {
                return true;
            }
        }
        let meeting: Vec<usize> = able.into_iter().filter(|&i| self.halves(i).is_some()).collect();
        self.come_in(over, &meeting, &mut Vec::new(), state)
    }

    /// Some more of those that are able to come in, then all go out.
    fn come_in(
        &self,
        over: &mut Vec<bool>,
        able: &[usize],
        set: &mut Vec<Begun>,
        state: &Shared,
    ) -> bool {
        if !set.is_empty() && self.go_out(over, set, state) {
            return true;
        }
        for &i in able {
            if set.iter().any(|(j, _)| *j == i) {
                continue;
            }
            for (state, kept) in self.begin(i, state) {
                set.push((i, kept));
                let found = self.come_in(over, able, set, &state);
                set.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    fn go_out(&self, over: &mut Vec<bool>, set: &[Begun], state: &Shared) -> bool {
        if set.is_empty() {
            return self.sets(over, state);
        }
        (0..set.len()).any(|n| {
            let rest = [&set[..n], &set[n + 1..]].concat();
            over[set[n].0] = true;
            let found =
                self.end(&set[n], state).iter().any(|state| self.go_out(over, &rest, state));
            over[set[n].0] = false;
            found
        })
    }

    /// One moment after the other: somebody begins, or ends.
    fn moments(&self, over: &mut Vec<bool>, begun: &mut Vec<Begun>, state: &Shared) -> bool {
        if self.is_answered(over) {
            return true;
        }
        for i in 0..over.len() {
            let halfway = begun.iter().position(|(j, _)| *j == i);
            if over[i] || halfway.is_none() && !self.may_begin(over, i) {
                continue;
            }
            let found = match (halfway, self.halves(i)) {
                (None, Some(_)) => self.begin(i, state).into_iter().any(|(state, kept)| {
                    begun.push((i, kept));
                    let found = self.moments(over, begun, &state);
                    begun.pop();
                    found
                }),
                (Some(n), _) => {
                    let one = begun.remove(n);
                    over[i] = true;
                    let mut ends = self.end(&one, state).into_iter();
                    let found = ends.any(|state| self.moments(over, begun, &state));
                    over[i] = false;
                    begun.insert(n, one);
                    found
                }
                (None, None) => {
                    over[i] = true;
                    let mut ends = self.at_once(i, state).into_iter();
                    let found = ends.any(|(state, _)| self.moments(over, begun, &state));
                    over[i] = false;
                    found
                }
            };
            if found {
                return true;
            }
        }
        false
    }
}
