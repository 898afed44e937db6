//! What a condition must say so that its specification can be determinised (`configurations`).
//!
//! A condition on histories is given by how the operations of a history find their places in an order
//! that the specification allows: what a call and a return do to one *configuration*, what can happen
//! between events, and whether a history may end in a configuration. Everything else (sets, lazy
//! closure, symmetry, antichains, the search) is the same for all conditions. Also what becomes of an order in
//! which the specification goes wrong (`configurations`): to a rule such an operation has no outcome.

use crate::configurations::{Configuration, PartId, Terms};

/// A condition on histories.
///
/// What a configuration leads to ([`Rules::moves`], repeatedly) must be finite and free of cycles;
/// the set of configurations after a history is understood to be closed under it, so a rule must not
/// depend on which generators of a set are given. Rules must not tell threads or opaque values apart.
pub(crate) trait Rules: Send + Sync {
    /// The configurations after `thread` (from 1) calls; `call` is a `Part::Pending`.
    fn call(
        &self,
        _: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        call: PartId,
    ) -> Vec<Configuration> {
        let mut next = configuration.clone();
        next[thread] = call;
        vec![next]
    }

    /// Pushes generators of the configurations after `thread` returns; `done` is a `Part::Done`.
    fn returns(
        &self,
        terms: &mut Terms<'_>,
        configuration: &Configuration,
        thread: usize,
        done: PartId,
        out: &mut Vec<Configuration>,
    );

    /// Pushes the configurations after a point of the operation of `thread`.
    fn point(
        &self,
        _: &mut Terms<'_>,
        configuration: &Configuration,
        _thread: usize,
        out: &mut Vec<Configuration>,
    ) {
        out.push(configuration.clone());
    }

    /// The configurations that a configuration leads to by one step between events.
    fn moves(&self, terms: &mut Terms<'_>, configuration: &Configuration) -> Vec<Configuration>;

    /// May a history end with a set that this generator belongs to? Of a history that goes on
    /// (`finished` false) as well as of one after which no thread has anything left to do.
    fn accepts(&self, _: &mut Terms<'_>, _: &Configuration, _finished: bool) -> bool {
        true
    }

    /// Is it certain that a history that goes on may end with a set that this generator belongs to, if
    /// it is accepted?
    fn is_sure(&self, _: &mut Terms<'_>, _: &Configuration) -> bool {
        true
    }

    /// Can a configuration be better than another one without leading to it ([`Rules::allows`])?
    fn compares(&self) -> bool {
        false
    }

    /// Is whatever a configuration allows in the future allowed by `other` as well, which has the same
    /// state and threads? (`false` is always correct.)
    fn allows(&self, _: &Terms<'_>, _other: &Configuration, _: &Configuration) -> bool {
        false
    }

    /// Drops configurations that a set can do without.
    fn prune(&self, _: &mut Terms<'_>, _: &mut Vec<Configuration>) {}

    /// Puts the loose parts of a configuration (those after the threads') into their order, which
    /// renaming may have changed.
    fn arrange(&self, _: &Terms<'_>, _: &mut Configuration) {}
}
