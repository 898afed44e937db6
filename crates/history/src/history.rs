//! A recorded history: operations with the places of their calls and returns in one order of time.
//!
//! Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects" (TOPLAS 1990). Here an operation
//! is known as a whole: a log is read before it is judged, so the result of an operation is known when it is called. An
//! operation that never returns may take effect at any time after its call, or never.

use smallvec::SmallVec;

use crate::datum::Datum;

/// An operation never returns.
pub const NEVER: u32 = u32::MAX;

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Who called it; a client that crashes and comes back is another one.
    pub process: u32,
    /// Of which object: logs of several independent keys are about one object each.
    pub object: u32,
    /// Which operation of the specification, by its number there.
    pub op: u8,
    /// What was passed.
    pub args: SmallVec<[Datum; 2]>,
    /// What was returned; `None`: not known, anything will do.
    pub result: Option<Datum>,
    /// The place of its call.
    pub call: u32,
    /// The place of its return, or [`NEVER`].
    pub ret: u32,
    /// Where the log says so: a line, from 1.
    pub line: u32,
}

impl Operation {
    /// Does it return?
    pub fn returns(&self) -> bool {
        self.ret != NEVER
    }
}

/// A history.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Its operations, in the order of their calls.
    pub operations: Vec<Operation>,
    /// The names of its processes.
    pub processes: Vec<String>,
    /// The names of its objects; one without a name if there is only one.
    pub objects: Vec<String>,
    /// What is suspicious about the log: a line and a sentence.
    pub warnings: Vec<(u32, String)>,
}

/// Weakens a history to what quiescent consistency asks for: operations between two moments at which nothing is open
/// may take effect in any order, whoever called them. So each is stretched over the whole time between these moments, and
/// what is left is linearizability. After an operation that never returns there is no such moment.
pub(crate) fn stretched(operations: &[Operation]) -> Vec<Operation> {
    let mut stretched = operations.to_vec();
    stretched.sort_by_key(|o| o.call);
    let mut begin = 0;
    while begin < stretched.len() {
        let (mut end, mut open_until) = (begin, 0);
        while end < stretched.len() && (end == begin || stretched[end].call < open_until) {
            open_until = open_until.max(stretched[end].ret);
            end += 1;
        }
        let call = stretched[begin].call;
        for operation in &mut stretched[begin..end] {
            operation.call = call;
            if operation.returns() {
                // Later than every call; if somebody never returns, later than everything.
                operation.ret = if open_until == NEVER { NEVER - 1 } else { open_until };
            }
        }
        begin = end;
    }
    spread(&mut stretched);
    stretched
}

/// Gives every call and return a place of its own; of those at the same place calls come first.
pub(crate) fn spread(operations: &mut [Operation]) {
    let mut events: Vec<(u32, bool, u32)> = Vec::with_capacity(2 * operations.len());
    for (i, operation) in operations.iter().enumerate() {
        events.push((operation.call, false, i as u32));
        if operation.returns() {
            events.push((operation.ret, true, i as u32));
        }
    }
    events.sort_unstable();
    for (place, (_, is_return, i)) in events.into_iter().enumerate() {
        let operation = &mut operations[i as usize];
        *(if is_return { &mut operation.ret } else { &mut operation.call }) = place as u32;
    }
}
