//! Given points, straight from the definition, for one history with its points.
//!
//! Y. Liu, W. Chen, Y. A. Liu, J. Sun, *Model checking linearizability via refinement*, FM 2009,
//! Theorem 2, with the rule that a later point counts instead of one at which nothing changed. All ways
//! the specification can go are followed side by side, one event after the other.

use linchpin_lin::Value;
use linchpin_lin::program::OpId;

use super::history::Event;
use super::linearize::{Judge, Said};
use crate::reference::Shared;

/// The most events of a history with points that is looked at: a loop that passes points makes it
/// longer for ever.
pub(super) const LONGEST: u32 = 150;

/// An operation that has not returned.
#[derive(Clone, PartialEq)]
struct Open<'h> {
    thread: u32,
    op: OpId,
    args: &'h [Value],
    /// What it returns, after a point, and whether it changed the state there.
    outcome: Option<(Value, bool)>,
}

/// The state, unless the specification has gone wrong: then anything may follow, but for results that are certain.
type Way<'h> = (Option<Shared>, Vec<Open<'h>>);

impl Judge<'_> {
    /// Does some run of the specification fit the calls, points and returns?
    pub(super) fn fits_points(&self, history: &[Event]) -> Said {
        let mut ways: Vec<Way<'_>> =
            self.initial.iter().map(|state| (Some(state.clone()), Vec::new())).collect();
        for event in history {
            let mut next: Vec<Way<'_>> = Vec::new();
            for way in &ways {
                for after in self.goes_on(way, event) {
                    if !next.contains(&after) {
                        next.push(after);
                    }
                }
            }
            ways = next;
        }
        match ways.iter().any(|(state, _)| state.is_some()) {
            true => Said::Right,
            false if ways.is_empty() => Said::Refused,
            false => Said::GoesWrong,
        }
    }

    /// Where one way leads with an event.
    fn goes_on<'h>(&self, (state, open): &Way<'h>, event: &'h Event) -> Vec<Way<'h>> {
        let mut open = open.clone();
        let of = |open: &[Open<'_>], thread| open.iter().position(|o| o.thread == thread);
        match event {
            Event::Call { thread, op, args } => {
                open.push(Open { thread: *thread, op: *op, args, outcome: None });
                vec![(state.clone(), open)]
            }
            Event::Return { thread, result } => {
                let Some(i) = of(&open, *thread) else { return Vec::new() };
                match open.remove(i).outcome {
                    None | Some((_, false)) if state.is_none() => vec![(None, open)],
                    Some((value, _)) if value == *result => vec![(state.clone(), open)],
                    _ => Vec::new(),
                }
            }
            Event::Point { .. } if state.is_none() => vec![(None, open)],
            Event::Point { thread } => {
                let Some(i) = of(&open, *thread) else { return Vec::new() };
                if let Some((_, true)) = open[i].outcome {
                    return Vec::new();
                }
                let Some(state) = state else { return Vec::new() };
                let mut answers = Default::default();
                if self.goes_wrong(|| {
                    answers = self.answers(state, *thread, open[i].op, open[i].args);
                }) {
                    return vec![(None, open)];
                }
                let ways = answers.iter().map(|(next, result)| {
                    open[i].outcome = Some((result.clone(), next != state));
                    (Some(next.clone()), open.clone())
                });
                ways.collect()
            }
        }
    }
}
