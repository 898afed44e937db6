//! Executions with few preemptions: a thread is interrupted, although it could go on, at most so often.
//!
//! Musuvathi and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs" (PLDI 2007). Most mistakes
//! show with one or two, and an execution with fewer is easier to read. Depth first, without reduction.

use crate::runtime::event::{Event, Mask};
use crate::runtime::scheduler::Chooser;

struct Node {
    enabled: Mask,
    /// What was not tried.
    left: Mask,
    chosen: u8,
}

/// The search.
pub(crate) struct Bounded {
    most: u32,
    stack: Vec<Node>,
    position: usize,
    preemptions: u32,
}

impl Bounded {
    pub(crate) fn new(most: u32) -> Bounded {
        Bounded { most, stack: Vec::new(), position: 0, preemptions: 0 }
    }

    /// Prepares the next execution; is there one?
    pub(crate) fn next(&mut self) -> bool {
        self.position = 0;
        self.preemptions = 0;
        while let Some(node) = self.stack.last_mut() {
            if node.left != 0 {
                node.chosen = node.left.trailing_zeros() as u8;
                node.left &= node.left - 1;
                return true;
            }
            self.stack.pop();
        }
        false
    }
}

impl Chooser for Bounded {
    fn choose(&mut self, enabled: Mask, last: Option<u8>) -> Option<u8> {
        let goes_on = last.filter(|l| enabled & 1 << l != 0);
        let at = self.position;
        self.position += 1;
        if self.stack.len() == at {
            let chosen = goes_on.unwrap_or(enabled.trailing_zeros() as u8);
            let free = goes_on.is_none() || self.preemptions < self.most;
            let left = if free { enabled & !(1 << chosen) } else { 0 };
            self.stack.push(Node { enabled, left, chosen });
        }
        let node = &self.stack[at];
        if goes_on.is_some_and(|l| l != node.chosen) {
            self.preemptions += 1;
        }
        (node.enabled == enabled).then_some(node.chosen)
    }

    fn executed(&mut self, _events: &[Event]) -> bool {
        true
    }
}

/// How often another thread goes on.
pub(crate) fn switches(schedule: &[u8]) -> usize {
    schedule.windows(2).filter(|pair| pair[0] != pair[1]).count()
}
