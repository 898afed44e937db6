//! Histories: calls and returns of the operations of one object, in the order of time.
//!
//! Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects" (TOPLAS
//! 1990), section 2. A history is *well-formed* if every thread calls, returns, calls, returns;
//! its last operation may be *pending*, that is, called and not returned.

use std::collections::BTreeMap;
use std::fmt;

use linchpin_lin::Value;
use linchpin_lin::program::OpId;

/// What can be seen of an object from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A thread calls an operation.
    Call {
        /// The thread, from 1.
        thread: u32,
        /// The operation of the object.
        op: OpId,
        /// What it passes.
        args: Vec<Value>,
    },
    /// The operation that the thread has called returns.
    Return {
        /// The thread, from 1.
        thread: u32,
        /// The operation of the object.
        op: OpId,
        /// What it gets.
        result: Value,
    },
}

/// A sequence of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    events: Vec<Event>,
}

/// One operation of a history: a call and, unless it is pending, its return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The thread, from 1.
    pub thread: u32,
    /// The operation of the object.
    pub op: OpId,
    /// What was passed.
    pub args: Vec<Value>,
    /// Index of the call in the history.
    pub call: usize,
    /// The return; `None` while pending.
    pub response: Option<Response>,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Index of the return in the history.
    pub event: usize,
    /// The result.
    pub result: Value,
}

impl Operation {
    /// Had it returned before the other one was called?
    pub fn precedes(&self, other: &Operation) -> bool {
        self.response.as_ref().is_some_and(|r| r.event < other.call)
    }
}

/// Why a sequence of events is not a well-formed history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Index of the offending event.
    pub event: usize,
    /// Whose event it is.
    pub thread: u32,
    /// What is wrong with it.
    pub reason: Irregularity,
}

/// What can be wrong with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Irregularity {
    /// A call while an earlier operation of the thread has not returned.
    CallDuringOperation,
    /// A return without a call.
    ReturnWithoutCall,
    /// A return of another operation than the one that was called.
    ReturnOfAnother,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            Irregularity::CallDuringOperation => "calls before its last operation has returned",
            Irregularity::ReturnWithoutCall => "returns without having called",
            Irregularity::ReturnOfAnother => "returns from an operation that it has not called",
        };
        write!(f, "event {}: thread {} {reason}", self.event, self.thread)
    }
}

impl std::error::Error for Malformed {}

impl FromIterator<Event> for History {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        History { events: events.into_iter().collect() }
    }
}

impl History {
    /// The history without events.
    pub fn new() -> Self {
        History::default()
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Its events in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Is it well-formed?
    ///
    /// # Errors
    /// The first event that does not fit.
    pub fn validate(&self) -> Result<(), Malformed> {
        self.operations().map(|_| ())
    }

    /// Its operations in the order of their calls.
    ///
    /// # Errors
    /// The first event that does not fit, if it is not well-formed.
    pub fn operations(&self) -> Result<Vec<Operation>, Malformed> {
        let mut operations: Vec<Operation> = Vec::new();
        // Per thread: the operation it is in.
        let mut open: BTreeMap<u32, usize> = BTreeMap::new();
        for (event, what) in self.events.iter().enumerate() {
            match what {
                Event::Call { thread, op, args } => {
                    if open.insert(*thread, operations.len()).is_some() {
                        let reason = Irregularity::CallDuringOperation;
                        return Err(Malformed { event, thread: *thread, reason });
                    }
                    operations.push(Operation {
                        thread: *thread,
                        op: *op,
                        args: args.clone(),
                        call: event,
                        response: None,
                    });
                }
                Event::Return { thread, op, result } => {
                    let called = open.remove(thread).map(|i| &mut operations[i]);
                    let reason = match called {
                        Some(operation) if operation.op == *op => {
                            operation.response = Some(Response { event, result: result.clone() });
                            continue;
                        }
                        Some(_) => Irregularity::ReturnOfAnother,
                        None => Irregularity::ReturnWithoutCall,
                    };
                    return Err(Malformed { event, thread: *thread, reason });
                }
            }
        }
        Ok(operations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(thread: u32, op: u32) -> Event {
        Event::Call { thread, op: OpId(op), args: vec![Value::Int(thread as i32)] }
    }

    fn ret(thread: u32, op: u32) -> Event {
        Event::Return { thread, op: OpId(op), result: Value::Int(op as i32) }
    }

    #[test]
    fn operations_pair_calls_with_returns_of_the_same_thread() {
        let events = [call(1, 0), call(2, 1), ret(2, 1), call(2, 0), ret(1, 0)];
        let history: History = events.into_iter().collect();
        let operations = history.operations().unwrap();
        let spans: Vec<_> =
            operations.iter().map(|o| (o.call, o.response.as_ref().map(|r| r.event))).collect();
        assert_eq!(spans, [(0, Some(4)), (1, Some(2)), (3, None)]);
        assert_eq!(operations[1].response.as_ref().unwrap().result, Value::Int(1));
        assert!(operations[1].precedes(&operations[2]));
        assert!(!operations[0].precedes(&operations[2]));
        assert!(!operations[2].precedes(&operations[0]));
    }

    #[test]
    fn the_first_irregular_event_is_named() {
        let cases = [
            (vec![call(1, 0), call(2, 0), call(1, 0)], 2, Irregularity::CallDuringOperation),
            (vec![call(1, 0), ret(2, 0)], 1, Irregularity::ReturnWithoutCall),
            (vec![call(1, 0), ret(1, 0), ret(1, 0)], 2, Irregularity::ReturnWithoutCall),
            (vec![call(1, 0), ret(1, 1)], 1, Irregularity::ReturnOfAnother),
        ];
        for (events, event, reason) in cases {
            let thread = match &events[event] {
                Event::Call { thread, .. } | Event::Return { thread, .. } => *thread,
            };
            let history: History = events.into_iter().collect();
            assert_eq!(history.validate(), Err(Malformed { event, thread, reason }));
        }
        assert_eq!(History::new().validate(), Ok(()));
    }
}
