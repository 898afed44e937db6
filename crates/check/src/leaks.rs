//! Leaks: records that are out of reach and not free when no operation is running.
//!
//! *Definition.* A state is *quiescent* if every operation that was called has returned. An object leaks if, in a quiescent
//! state, a record that `new` has handed out and `free` has not taken back cannot be reached from the variables of
//! the object, by fields of records. Nobody will ever free it: operations begin with what the variables lead to. (Under
//! `memory manual` a free record leads nowhere; under `memory stable` its fields can still be read, as those of a free list.)
//! What a running operation holds is no leak, so only quiescent states count. Under `memory gc` the question
//! means nothing and is refused.
//!
//! The condition allows every history ([`Anything`]); the search looks at states instead (`Model::leaks`).
//!
//! *Reductions.* Merging heaps drops what nobody can reach, so the state has a bit that says that something that is not free
//! has been lost; a lost record stays lost, and it is a leak in the next quiescent state. The bit does not
//! depend on names, so the other ways to merge states keep it. A record that only variables without further use refer to is
//! lost with the reduction `dead` and kept without; in a quiescent state both come to the same, since local variables do not
//! count there. The reductions of steps (`tighten`, `private`, `constant`, `locks`) put executions into another order and
//! leave out intermediate states, in which an operation is running; they keep every quiescent state, up to names: in
//! an execution to one, every step of every operation that was called has been taken.

use crate::configurations::{Configuration, PartId, Terms};
use crate::rules::Rules;

/// Every history is allowed, and configurations remember nothing.
pub(crate) struct Anything;

impl Rules for Anything {
    fn call(
        &self,
        _: &mut Terms<'_>,
        configuration: &Configuration,
        _: usize,
        _: PartId,
    ) -> Vec<Configuration> {
        vec![configuration.clone()]
    }

    fn returns(
        &self,
        _: &mut Terms<'_>,
        configuration: &Configuration,
        _: usize,
        _: PartId,
        out: &mut Vec<Configuration>,
    ) {
        out.push(configuration.clone());
    }

    fn moves(&self, _: &mut Terms<'_>, _: &Configuration) -> Vec<Configuration> {
        Vec::new()
    }
}
