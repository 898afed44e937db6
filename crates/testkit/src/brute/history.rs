//! Histories, and a table of all histories met so far.
//!
//! Histories share their beginnings, so the table is a tree: a history is a number, its parent the
//! history without the last event. Equal histories have equal numbers.

use linchpin_lin::Value;
use linchpin_lin::program::OpId;
use rapidhash::RapidHashMap as HashMap;

/// A visible event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A thread (from 1) calls an operation of the object.
    Call {
        /// Who.
        thread: u32,
        /// What.
        op: OpId,
        /// With what.
        args: Vec<Value>,
    },
    /// Its operation returns.
    Return {
        /// Who.
        thread: u32,
        /// The result; `Unit` if there is none.
        result: Value,
    },
    /// A point for the operation of a thread (from 1; 0 is none), where a check asks for points.
    Point {
        /// Whose.
        thread: u32,
    },
}

/// All histories met.
pub(super) struct Histories {
    nodes: Vec<Node>,
    children: HashMap<(u32, Event), u32>,
}

struct Node {
    /// The history without its last event, and that event; none for the empty history.
    last: Option<(u32, Event)>,
    /// Number of events.
    len: u32,
    /// Fresh opaque values used so far.
    fresh: u32,
}

impl Histories {
    /// The number of the empty history.
    pub(super) const EMPTY: u32 = 0;

    pub(super) fn new() -> Self {
        Histories {
            nodes: vec![Node { last: None, len: 0, fresh: 0 }],
            children: HashMap::default(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// How many fresh values occur in it.
    pub(super) fn fresh(&self, history: u32) -> u32 {
        self.nodes[history as usize].fresh
    }

    /// Number of events.
    pub(super) fn len(&self, history: u32) -> u32 {
        self.nodes[history as usize].len
    }

    /// The history with one more event, which uses `fresh` more fresh values, and whether it is new.
    pub(super) fn extend(&mut self, history: u32, event: Event, fresh: u32) -> (u32, bool) {
        let parent = &self.nodes[history as usize];
        let node = Node {
            last: Some((history, event.clone())),
            len: parent.len + 1,
            fresh: parent.fresh + fresh,
        };
        let next = self.nodes.len() as u32;
        let number = *self.children.entry((history, event)).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        (number, number == next)
    }

    /// Its events in order.
    pub(super) fn events(&self, mut history: u32) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some((parent, event)) = &self.nodes[history as usize].last {
            events.push(event.clone());
            history = *parent;
        }
        events.reverse();
        events
    }
}
