//! The witness that is easiest to read: fewest operations, then fewest context switches, then fewest steps.
//!
//! The search of `engine` goes breadth first, so the first violation has as few steps as possible; a reader
//! would rather have few operations, and threads that run for a while. This is the same search once more,
//! when a violation is known to exist, in the order of the costs (calls, switches, steps), the first ones
//! counting most. A node is a state with its set *and the thread that moved last*, because that decides
//! whether going on is a switch. A violation is found before it is known to be cheapest, so it is a node,
//! too, which costs what the step to it costs, and the search ends when that node is due. Steps are those
//! of the model that is searched: calls, returns and accesses to shared memory, or what the granularity
//! makes of them.
//!
//! *Faults and deadlocks* are those of the object, whatever its history: the simplest execution with
//! this fault counts although its history may be wrong as well. So sets are left out where they are looked
//! for. (An antichain of sets would be wrong there: with a smaller set the history may be refused
//! before the fault is reached.) The step that faults has no events; its calls are counted by
//! replaying it. A deadlock is looked for with the steps of the language: reductions of the granularity see
//! one as soon as every thread would have to wait, before the threads have made the calls and the
//! private work that lead there; these are part of its cost.
//!
//! *Reductions.* Nodes are canonical; the thread that moved last is renamed with the others. The schedule is
//! lifted from the path (`lift`): the cheapest execution behind it, which costs what the search says. A
//! node is dropped if one with the same state and last thread and a smaller set (`Product::covers`) costs no
//! more: whatever goes wrong later goes wrong there for the same further cost. Interval
//! tightening and private memory move work to neighbouring steps of the same thread and so add neither
//! calls nor switches.
//!
//! *Established by* brute force (`brute::cheapest` of the crate `testkit`): calls and switches of
//! histories, faults and deadlocks, with all and with some reductions; steps of histories and deadlocks
//! where the granularity is that of the language. The steps of a fault have no oracle: whether it
//! happens with an access or with the one before it is a matter of the interpreter.
//!
//! The space has to be looked at once more and in another order, so there is a limit, of some 16 million nodes
//! at most ([`Cost::MOST_STEPS`]); when it is reached, the witness of the first search stays, and the report
//! says that it is not known to be minimal.

use std::io;

use linchpin_engine::{Budget, Cover, Ending, Found, Order, Plan, Space, explore};
use linchpin_lts::{Liveness, Loading, Outcome, Renumber, Saving, Schedule, TransitionSystem};

use crate::configurations::{EMPTY, Says, SetId};
use crate::cost::{Cost, NOBODY};
use crate::lift::{Nodes, calls, calls_before_fault, lift};
use crate::product::{Product, Violation, Worker};
use crate::reductions::Reductions;

/// The state of the node at the end of an execution that shows the violation.
const END: &[u32] = &[];

/// A cheapest schedule that shows the same kind of violation, unless there are more nodes than `most` or
/// the budget ends.
pub(crate) fn minimal(
    product: &Product<'_>,
    violation: &Violation,
    most: u64,
    budget: &Budget<'_>,
) -> Option<(Schedule, Cost)> {
    // An execution has no more steps than the search has nodes and the one step to its end, so its
    // cost can be packed.
    let max_states = Some(most.min(Cost::MOST_STEPS - 1));
    let budget = Budget { max_states, ..*budget };
    let plan = Plan { order: Order::Cheapest, ..Plan::default() };
    let reductions = match violation {
        Violation::Deadlock => {
            let Reductions { dead, heap, threads, data, antichain, .. } = product.reductions;
            Reductions { dead, heap, threads, data, antichain, ..Reductions::NONE }
        }
        // A fault may come before what is looked for.
        _ => Reductions { reuse: false, ..product.reductions },
    };
    // Nobody knows yet whether what is assumed about locks is true everywhere.
    let model = product.model.with_granularity(reductions.granularity()).assuming(0);
    let finer = Product { model: &model, reductions, ..*product };
    cheapest(&finer, violation, plan, &budget)
}

fn cheapest(
    product: &Product<'_>,
    violation: &Violation,
    plan: Plan,
    budget: &Budget<'_>,
) -> Option<(Schedule, Cost)> {
    let nodes = Nodes { product, sets: *violation == Violation::History, last: true };
    let executions = Executions { nodes, violation };
    let (ending, _, explored) = explore(&executions, plan, budget, &mut |_| false);
    let Ending::Violation { mut path, .. } = ending else { return None };
    let end = path.last().and_then(|(state, set)| explored.find(state, *set));
    path.pop_if(|(state, _)| state == END);
    let (schedule, cost) = lift(&executions.nodes, &path, violation)?;
    (cost.packed() == end.map_or(0, |end| explored.cost(end))).then_some((schedule, cost))
}

/// Executions, by what they lead to and who moved last, up to those that show a violation.
struct Executions<'p, 'm> {
    nodes: Nodes<'p, 'm>,
    violation: &'p Violation,
}

impl Cover for Executions<'_, '_> {
    fn covers(&self, small: SetId, large: SetId) -> bool {
        self.nodes.product.covers(small, large)
    }
}

impl<'m> Space for Executions<'_, 'm> {
    type Worker = (Worker<'m>, Vec<u32>);
    type Violation = ();

    fn worker(&self) -> Self::Worker {
        (self.nodes.product.new_worker(), Vec::new())
    }

    fn initial(&self, w: &mut Self::Worker, found: &mut dyn FnMut(Found<'_, ()>)) {
        let (Worker { scratch, memory, canonical }, slots) = w;
        let set = self.nodes.initial_set();
        self.nodes.product.model.initial(scratch, &mut |outcome| match outcome {
            Outcome::Fault(kind) if *self.violation == Violation::Fault(kind) => {
                found(Found::Violation(()));
            }
            Outcome::Fault(_) => {}
            Outcome::Next { state, .. } => {
                let tag = self.nodes.node((memory, canonical), state, set, NOBODY, slots);
                found(Found::node(slots, tag));
            }
        });
    }

    fn expand(
        &self,
        (Worker { scratch, memory, canonical }, slots): &mut Self::Worker,
        node: &[u32],
        set: SetId,
        found: &mut dyn FnMut(Found<'_, ()>),
    ) {
        let Some((&last, state)) = node.split_last() else {
            return found(Found::Violation(()));
        };
        let Nodes { product, .. } = self.nodes;
        let liveness = product.model.successors(scratch, state, &mut |step| match step.outcome {
            Outcome::Fault(kind) if *self.violation == Violation::Fault(kind) => {
                // If it is not known, none: then the schedule costs more than the search says.
                let calls = calls_before_fault(product.model, state, &step).unwrap_or(0);
                found(reached(END, EMPTY, Cost::of_step(calls, step.thread, last)));
            }
            Outcome::Fault(_) => {}
            Outcome::Next { state, events } => {
                let cost = Cost::of_step(calls(events), step.thread, last);
                match self.nodes.after(memory, set, events) {
                    None => found(reached(END, EMPTY, cost)),
                    Some(set) => {
                        let with = (&mut *memory, &mut *canonical);
                        let tag = self.nodes.node(with, state, set, step.thread, slots);
                        found(reached(slots, tag, cost));
                    }
                }
            }
        });
        let ends = match liveness {
            Liveness::Deadlock => *self.violation == Violation::Deadlock,
            Liveness::Finished => {
                self.nodes.sets && product.configurations.ends(memory, set) == Says::No
            }
            Liveness::Live => false,
        };
        if ends || self.nodes.sets && product.model.leaks(state) {
            found(Found::Violation(()));
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.nodes.product.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.nodes.product.load(from)
    }
}

/// A node, by a step that costs so much.
fn reached(state: &[u32], tag: SetId, cost: Cost) -> Found<'_, ()> {
    Found::Node { state, tag, label: 0, cost: cost.packed(), hash: None }
}
