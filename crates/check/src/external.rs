//! External checking: the history is kept outside the state.
//!
//! *Method* (P. Doolan, G. Smith, C. Zhang, P. Krishnan, *Improving the scalability of automatic
//! linearizability checking in SPIN*, SPIN 2017, section 3): states are explored depth first, each once.
//! The history of the current path is known beside the search and handed to a checker of histories. What
//! follows a state that comes again is not looked at again, although it comes with another history: the
//! method finds violations and proves nothing (their Figures 7 to 9: `corpus/lin/external_checking`).
//!
//! **Sound external checking** is left to the future there (section 5.1): at a repeated state the search
//! may stop if the new history *has a linearization in common* with the one that first led to the state.
//! *That is not enough.* In `corpus/lin/external_checking/common_order.lin` a state is first reached by a
//! history in which `w1` and `w2` overlap, and then by one in which `w2` is before `w1`. The order `w2 w1`
//! is common to both. What the object returns next is explained by the order `w1 w2`, which only the first
//! history has, so the second one must not be left out; it is, and the error is missed (tested below).
//! `corpus/lin/external_checking/lost_write.lin` does the same with two operations, one of them pending.
//! A common linearization says that some future is allowed after both. What is needed is that *every*
//! future that is allowed after the earlier history is allowed after the new one.
//!
//! *What is enough.* Let `C(h)` be the closed set of configurations after the history `h` (what the
//! specification may be like; `configurations`). If `h` leads to the state `s` with `C(h)`, all that can
//! follow depends on `s`, and whether it is wrong on `C(h)`: `h e` is linearizable iff some configuration
//! of `C(h)` leads to one after the events `e`. So if `C(g)` is contained in `C(h)`, every `e` that is
//! right after `g` is right after `h`, and `h` may stop at a state where `g` has been.
//! Proof that nothing is missed, cycles included: every node that is entered is expanded sooner or later
//! (`engine` takes none out again when it goes depth first), so if the search ends without a violation,
//! then for every node `(s, C)` it has entered and every step to `(s', C')` it has entered some `(s', D)`
//! with `D` within `C'`, and `D` is not empty. By induction on its length every execution from the initial
//! state to some `s` has an entered `(s, D)` with `D` within the set of its history, which therefore is not
//! empty. It does not matter whether a node is entered when it is found or when its turn has come.
//!
//! With that the method is refinement checking, searched depth first: containment in the one direction
//! is the antichain of `store`. (Containment the other way round, like one common element, is unsound.)
//!
//! *Departures.* A state is met when it is found, next to all other successors of the one before, and not
//! when the search goes there. A history is judged when it gets its last event (`histories`). Steps are as coarse as
//! elsewhere, and heaps are canonical; threads and values keep their names, for histories have them.
//! A violation is the first one on the way, not a shortest one.

use linchpin_engine::{Budget, Cover, Ending, Figures, Limit, Order, Plan};

use crate::histories::{Histories, HistoryId};
use crate::product::{Finding, Product};
use crate::recordings::{LeftOut, explore_but};

/// Explores every state once.
pub(crate) fn explore(product: &Product<'_>, budget: &Budget<'_>) -> (Ending<Finding>, Figures) {
    match depth_first(product, |_, _, _, _| true, budget) {
        // Nothing was found, but not everything was looked at.
        (Ending::Exhausted, statistics) => (Ending::Stopped(Limit::Method), statistics),
        found => found,
    }
}

/// Explores a state again unless an earlier history leads to a subset of the configurations.
pub(crate) fn explore_soundly(
    product: &Product<'_>,
    budget: &Budget<'_>,
) -> (Ending<Finding>, Figures) {
    depth_first(product, contained, budget)
}

fn contained(
    product: &Product<'_>,
    histories: &Histories,
    earlier: HistoryId,
    history: HistoryId,
) -> bool {
    let [small, large] = [earlier, history].map(|h| histories.set(h));
    small == large || product.covers(small, large)
}

fn depth_first(
    product: &Product<'_>,
    left_out: LeftOut,
    budget: &Budget<'_>,
) -> (Ending<Finding>, Figures) {
    let plan = Plan { order: Order::Depth, ..Plan::default() };
    explore_but(product, left_out, plan, budget)
}

#[cfg(test)]
mod tests;
