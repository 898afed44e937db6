//! Given points, straight from the definition, for one history with its points.
//!
//! Y. Liu, W. Chen, Y. A. Liu, J. Sun, *Model checking linearizability via refinement*, FM 2009,
//! Theorem 2, with the rule that a later point counts instead of one at which nothing changed. Every
//! way the specification can go is tried, one event after the other; nothing is remembered between
//! branches.

use linchpin_model::Value;
use linchpin_model::program::OpId;

use super::history::Event;
use super::linearize::Judge;
use crate::reference::Shared;

/// An operation that has not returned.
#[derive(Clone)]
struct Open<'h> {
    thread: u32,
    op: OpId,
    args: &'h [Value],
    /// What it returns, after a point, and whether it changed the state there.
    outcome: Option<(Value, bool)>,
}

impl Judge<'_> {
    /// Does some run of the specification fit the calls, points and returns?
    pub(super) fn fits_points(&self, history: &[Event]) -> bool {
        self.initial.iter().any(|state| self.goes_on(history, state, &[]))
    }

    fn goes_on(&self, history: &[Event], state: &Shared, open: &[Open<'_>]) -> bool {
        let Some((event, rest)) = history.split_first() else { return true };
        let mut open = open.to_vec();
        match event {
            Event::Call { thread, op, args } => {
                open.push(Open { thread: *thread, op: *op, args, outcome: None });
                self.goes_on(rest, state, &open)
            }
            Event::Return { thread, result } => {
                let Some(i) = open.iter().position(|o| o.thread == *thread) else { return false };
                let outcome = open.remove(i).outcome;
                outcome.is_some_and(|(value, _)| value == *result)
                    && self.goes_on(rest, state, &open)
            }
            Event::Point { thread } => {
                let Some(i) = open.iter().position(|o| o.thread == *thread) else { return false };
                if let Some((_, true)) = open[i].outcome {
                    return false;
                }
                let answers = self.answers(state, *thread, open[i].op, open[i].args);
                answers.iter().any(|(next, result)| {
                    open[i].outcome = Some((result.clone(), next != state));
                    self.goes_on(rest, next, &open)
                })
            }
        }
    }
}
