//! Recordings: the history is kept in the state.
//!
//! *Method* (M. Vechev, E. Yahav, G. Yorsh, *Experience with model checking linearizability*, SPIN 2009;
//! called global internal recordings by P. Doolan, G. Smith, C. Zhang, P. Krishnan, *Improving the
//! scalability of automatic linearizability checking in SPIN*, SPIN 2017, section 2): every call and
//! return is written to a list that belongs to the state, and a checker of histories looks at the list.
//! Two executions meet only if their histories are equal. So nothing is missed, and the number of nodes
//! is that of the histories and more. The client must be bounded.
//!
//! *Departures.* A history is judged when it gets its last event (`histories`), by the configurations it
//! leads to and not by its permutations. Steps are as coarse as elsewhere (interval tightening, private
//! memory) and heaps are canonical; threads and values keep their names, for the history has them. The
//! search is breadth first, so a violation is a shortest one.

use std::io;

use linchpin_engine::{Budget, Cover, Ending, Figures, Found, Plan, Space, search};
use linchpin_lts::{Liveness, Loading, Outcome, Renumber, Saving, TransitionSystem};

use crate::histories::{Histories, HistoryId, NOTHING};
use crate::product::{Finding, Product, Tags, Violation, Worker};

/// Explores all states with all histories.
pub(crate) fn explore(product: &Product<'_>, budget: &Budget<'_>) -> (Ending<Finding>, Figures) {
    explore_but(product, |_, _, _, _| false, Plan::default(), budget)
}

/// May a history be left out at a state that another one (the first of the two) has led to?
pub(crate) type LeftOut = fn(&Product<'_>, &Histories, HistoryId, HistoryId) -> bool;

/// Explores all states with all histories but those that are left out.
pub(crate) fn explore_but(
    product: &Product<'_>,
    left_out: LeftOut,
    plan: Plan,
    budget: &Budget<'_>,
) -> (Ending<Finding>, Figures) {
    let (set, wrong) = product.configurations.initial();
    if wrong && let Some(violation) = product.fault() {
        return (Ending::Violation { path: Vec::new(), violation }, Figures::default());
    }
    let histories = Histories::new(set);
    search(&Recordings { product, histories, left_out }, plan, budget)
}

/// States with histories.
struct Recordings<'p, 'm> {
    product: &'p Product<'m>,
    histories: Histories,
    left_out: LeftOut,
}

impl Cover for Recordings<'_, '_> {
    fn covers(&self, earlier: u32, history: u32) -> bool {
        (self.left_out)(self.product, &self.histories, earlier, history)
    }
}

impl<'m> Space for Recordings<'_, 'm> {
    type Worker = Worker<'m>;
    type Violation = Finding;

    fn worker(&self) -> Worker<'m> {
        self.product.new_worker()
    }

    fn initial(&self, w: &mut Worker<'m>, found: &mut dyn FnMut(Found<'_, Finding>)) {
        let set = self.histories.set(NOTHING);
        let Worker { scratch, memory, canonical } = w;
        self.product.model.initial(scratch, &mut |outcome| match outcome {
            Outcome::Fault(kind) => found(wrong(Violation::Fault(kind))),
            Outcome::Next { state, .. } => {
                let (state, _) = self.product.canonical(memory, canonical, state, set);
                found(Found::node(state, NOTHING));
            }
        });
    }

    fn expand(
        &self,
        w: &mut Worker<'m>,
        state: &[u32],
        history: u32,
        found: &mut dyn FnMut(Found<'_, Finding>),
    ) {
        let product = self.product;
        if let Some(broken) = product.broken_fact(state) {
            found(Found::Violation(broken));
        }
        let Worker { scratch, memory, canonical } = w;
        let liveness = product.model.successors(scratch, state, &mut |step| match step.outcome {
            Outcome::Fault(kind) => found(wrong(Violation::Fault(kind))),
            Outcome::Next { state, events } => {
                match self.histories.after(product, memory, history, events) {
                    None => found(wrong(Violation::History)),
                    Some((tag, goes_wrong)) => {
                        if goes_wrong && let Some(fault) = product.fault() {
                            found(Found::Violation(fault));
                        }
                        let set = self.histories.set(tag);
                        let (state, _) = product.canonical(memory, canonical, state, set);
                        found(Found::node(state, tag));
                    }
                }
            }
        });
        if liveness == Liveness::Deadlock {
            found(wrong(Violation::Deadlock));
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.product.save(out)?;
        self.histories.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        let sets = self.product.configurations.load(from)?;
        self.product.model.load(from)?;
        Ok(Box::new(Tags(self.histories.load(&sets, from)?)))
    }
}

fn wrong<'a>(violation: Violation) -> Found<'a, Finding> {
    Found::Violation(Finding::Violation(violation))
}
