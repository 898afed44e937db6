//! Operations that need not take effect yet are not tried: just in time, and not before somebody sees it.
//!
//! Up to the return of `m` an order goes on with some open operations and some that never return, and then `m`. Let `o` be one
//! of them, `x` the next one, and `s` the state before them.
//!
//! * *Left out.* `o` never returns, and `x` is possible in `s` and leads to the same state as `o` and `x`. Then nobody has seen
//!   `o`, and it need not take effect at all.
//! * *Put off.* `o` and `x` lead to the same state as `x` and `o`. Then `o` may as well come later: if it never returns, after
//!   any `x` that does; if it returns, after `m`, since it returns after `m`.
//!
//! So `x` is not tried after `o` in these cases. That no order is lost is shown by induction over what is left of it: the
//! returns that are still to come, then the operations that return, then those that never do. Let what is left begin with `x`.
//! If `x` is tried, less is left. If not, going back over the operations that it does not see, there is a configuration in
//! which it is tried, with the same state or one from which the others lead there; what is left after it is the old rest,
//! with the others put off in front of it, and less by one of those that count before these. (Two that never return must not
//! be put off for each other, or neither would be tried first.) A configuration that dominates another has the same left. And
//! an operation that changes nothing and was possible only after `o` has seen it: nothing is put off then.

use crate::machine::Machine;

/// The last operation of an order that is not finished, if nobody has seen it yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    /// The state before it.
    pub(crate) before: u32,
    /// What it called.
    pub(crate) call: u32,
    /// Does it return?
    pub(crate) returns: bool,
}

/// The next operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    /// What it calls.
    pub(crate) call: u32,
    /// Does it return?
    pub(crate) returns: bool,
    /// Is it the one whose return is to be explained?
    pub(crate) awaited: bool,
}

impl Last {
    /// Does it matter for the next operation, which leads to a state, that this one came before it?
    pub(crate) fn is_seen_by(&self, next: Next, to: u32, machine: &mut Machine) -> bool {
        if self.returns && !next.awaited {
            return true;
        }
        if !self.returns && machine.leads(self.before, next.call, to) {
            return false;
        }
        if !next.returns {
            return true;
        }
        let mut between = Vec::new();
        machine.moves(self.before, next.call, &mut between);
        !between.into_iter().any(|state| machine.leads(state, self.call, to))
    }
}
