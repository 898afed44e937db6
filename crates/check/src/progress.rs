//! Progress: which operations return if threads go on taking steps.
//!
//! M. Herlihy, N. Shavit, *On the nature of progress*, OPODIS 2011. In an infinite execution,
//!
//! * of a **lock-free** object infinitely many operations return;
//! * of a **wait-free** object every thread that takes infinitely many steps returns from each of its
//!   operations;
//! * of an **obstruction-free** object a thread that takes infinitely many steps, from some time on
//!   without any other thread, returns from its operation.
//!
//! What violates one of these is a *divergence*: steps for ever without the returns that there should
//! be. H. Liang, J. Hoffmann, X. Feng, Z. Shao, *Characterizing progress properties of concurrent
//! objects via contextual refinements*, CONCUR 2013, show that this is what a client can observe
//! about progress; X. Yang, J.-P. Katoen, H. Lin, H. Wu, *Verifying concurrent stacks by
//! divergence-sensitive bisimulation*, arXiv 1701.06104, 2017, decide progress by it: a cycle of steps
//! inside operations. Here all three are decided on the graph of states, which is finite within bounds:
//!
//! * not lock-free: a cycle without a return;
//! * not wait-free: a cycle with a step of a thread and without a return of it;
//! * not obstruction-free: a cycle of steps of one thread without a return.
//!
//! **Waiting is no way out.** A thread that waits (for a lock, in an `await`) would, on a machine, look
//! again and again; if only it is scheduled that goes on for ever, so a thread that waits is a cycle of
//! one step by itself. An object whose threads wait is therefore none of the three. A step that
//! is excluded (`assume`, the bound on the heap) is no step; what would come after it is not considered. If that bound
//! ends every execution of clients that call for ever (an object that only grows), nothing is left that could
//! violate the condition; the report says so.
//!
//! Departure from the papers: cycles are looked for in the states of the object under the clients of
//! the check (not in a quotient), so a violation is an execution; *holds* is for these clients.
//! The graph is searched for cycles each time it has doubled, so that a violation is found without
//! the rest of the graph. Merging of states: see `threads`.

use std::io;
use std::sync::Arc;

use linchpin_engine::{
    Cover, Edge, Ending, Explored, Found, Limit, Meter, Ordered, Plan, Space, Step, Stepper, Taken,
    Way, explore,
};
use linchpin_lin::Model;
use linchpin_lin::program::{Check, Condition, Program};
use linchpin_lts::{Loading, Renumber, Same, Saving, Verdict};

use crate::method::Method;
use crate::product::Violation;
use crate::report::{CheckError, Counterexample, NO_SCHEDULE, Options, Report};
use crate::retrace::Retrace;
use crate::threads::{Happening, Mode, Threads};

/// Decides a condition of progress, faults on the way.
pub(crate) fn check_progress(
    program: &Arc<Program>,
    check: &Check,
    options: &Options<'_>,
) -> Result<Report, CheckError> {
    options.method.accepts(check).map_err(CheckError::Unsupported)?;
    let reductions = Threads::kept(options.reductions);
    let model = Model::new(program.clone(), check, reductions.granularity())
        .map_err(CheckError::Unsupported)?
        .within(options.budget.within);
    let system = Threads::new(&model, reductions, Mode::Spin);
    let moves = Moves { system: &system };
    let mut found = Ok(None);
    let mut look = |explored: &Explored| {
        found = moves.endless(&check.condition, explored, &mut Meter::new(&options.budget));
        found != Ok(None)
    };
    let plan = Plan { edges: true, ..Plan::default() };
    let (ending, statistics, explored) = explore(&moves, plan, &options.budget, &mut look);
    if let Ending::Stopped(_) = ending {
        look(&explored);
    }
    let mut retrace = Retrace::new(&system);
    let verdict = match (found, ending) {
        (_, Ending::Violation { path, violation: last }) => {
            let states: Vec<Vec<u32>> = path.into_iter().map(|(state, _)| state).collect();
            let mut path =
                linchpin_engine::retrace(&system, &states, |_, _| true).map_err(|_| NO_SCHEDULE)?;
            path.push(last);
            let (schedule, _, fault) = retrace.walk(&path).ok_or(NO_SCHEDULE)?;
            let violation = Violation::Fault(fault.ok_or(NO_SCHEDULE)?);
            Verdict::Violated(Counterexample { violation, schedule })
        }
        (Ok(Some(Endless { path, cycle, thread })), _) => {
            let (mut schedule, ends, _) =
                retrace.walk(&[&path[..], &cycle[..]].concat()).ok_or(NO_SCHEDULE)?;
            let cycle = schedule.turns.split_off(ends[path.len()]);
            let violation = Violation::Endless { cycle, thread };
            Verdict::Violated(Counterexample { violation, schedule })
        }
        (Err(limit), _) | (_, Ending::Stopped(limit)) => Verdict::Unknown(limit),
        (Ok(None), Ending::Exhausted | Ending::Enough) => Verdict::Holds,
    };
    let method = Method::Refinement;
    let mut covered = model.covered();
    let endless = check.roles.iter().any(|role| role.behaviour.is_endless());
    if endless && covered.heap_full && verdict.holds() {
        let goes_on = moves.goes_on(&explored, &mut Meter::new(&options.budget));
        covered.all_end = goes_on == Ok(false);
    }
    Ok(Report { verdict, statistics, sets: 0, reductions, method, minimal: None, covered })
}

/// After the path the cycle goes on for ever, and this thread does not get what it should. A thread that
/// waits for ever has a cycle without steps.
#[derive(Debug, PartialEq, Eq)]
struct Endless {
    path: Vec<Taken>,
    cycle: Vec<Taken>,
    thread: u32,
}

/// The states of an object; an edge is called by what happens and by whose step it is. Faults are
/// violations.
struct Moves<'m, 's> {
    system: &'s Threads<'m>,
}

impl Cover for Moves<'_, '_> {}

impl<'m, 's> Space for Moves<'m, 's> {
    type Worker = Stepper<'s, Threads<'m>>;
    /// The step that goes wrong.
    type Violation = Taken;

    fn worker(&self) -> Self::Worker {
        Stepper::new(self.system)
    }

    fn initial(&self, worker: &mut Self::Worker, found: &mut dyn FnMut(Found<'_, Taken>)) {
        let Ok((state, _)) = worker.initial() else { unreachable!("models have no trouble") };
        found(Found::node(&state, 0));
    }

    fn expand(
        &self,
        worker: &mut Self::Worker,
        state: &[u32],
        _: u32,
        found: &mut dyn FnMut(Found<'_, Taken>),
    ) {
        let Ok(()) = worker.look_at(state) else { unreachable!("models have no trouble") };
        for step in worker.steps() {
            found(match self.system.happening(step.label) {
                Happening::Fault => Found::Violation(step.taken()),
                _ => {
                    let (state, label) = (step.state, self.name(step));
                    Found::Node { state, tag: 0, label, cost: 1, hash: None }
                }
            });
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.system.model.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.system.model.load(from)?;
        Ok(Box::new(Same))
    }
}

/// Which cycles are looked for.
#[derive(Clone, Copy)]
enum Kind {
    /// Without a return.
    Anybody,
    /// With a step of the thread and without a return of it.
    With(u32),
    /// Of steps of the thread, without a return.
    Alone(u32),
}

impl Moves<'_, '_> {
    /// The name of a step: its label and its thread, from 1, or 0 for the beginning.
    fn name(&self, step: Step<'_>) -> u32 {
        let thread = step.by.first().map_or(0, |thread| thread + 1);
        step.label * (self.system.model.threads() + 1) + thread
    }

    /// What happens along an edge, and the thread whose step it is.
    fn happens(&self, edge: &Edge) -> (Happening, Option<u32>) {
        let threads = self.system.model.threads() + 1;
        let happening = self.system.happening(edge.label / threads);
        (happening, (edge.label % threads).checked_sub(1))
    }

    /// Looks for a cycle that violates the condition: from the first state where there is one, and of
    /// those a shortest.
    fn endless(
        &self,
        condition: &Condition,
        explored: &Explored,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Endless>, Limit> {
        let order = explored.in_order();
        let threads = 0..self.system.model.threads();
        let kinds: Vec<Kind> = match condition {
            Condition::LockFree => vec![Kind::Anybody],
            Condition::WaitFree => threads.map(Kind::With).collect(),
            _ => threads.map(Kind::Alone).collect(),
        };
        let mut best: Option<Way> = None;
        for kind in kinds {
            let found = self.cycle(&order, kind, meter)?;
            let cost = |way: &Way| (way[0].0, way.len());
            if let Some(cycle) = found
                && best.as_ref().is_none_or(|best| cost(&cycle) < cost(best))
            {
                best = Some(cycle);
            }
        }
        Ok(best.map(|cycle| self.shown(explored, &order, cycle)))
    }

    /// Is there an execution that never ends?
    fn goes_on(&self, explored: &Explored, meter: &mut Meter<'_, '_>) -> Result<bool, Limit> {
        let by_somebody = |_: u32, edge: &Edge| self.happens(edge).1.is_some();
        let cycle = explored.in_order().cycle(by_somebody, |_, _| true, meter)?;
        Ok(cycle.is_some())
    }

    fn cycle(
        &self,
        order: &Ordered<'_>,
        kind: Kind,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Way>, Limit> {
        let allowed = |_: u32, edge: &Edge| {
            let (happening, thread) = self.happens(edge);
            let returns = matches!(happening, Happening::Return(_, _));
            match kind {
                _ if thread.is_none() => false,
                Kind::Anybody => !returns,
                Kind::Alone(t) => thread == Some(t) && !returns,
                Kind::With(t) => thread != Some(t) || !returns,
            }
        };
        let wanted = |_: u32, edge: &Edge| match kind {
            Kind::Anybody => true,
            Kind::With(t) | Kind::Alone(t) => self.happens(edge).1 == Some(t),
        };
        order.cycle(allowed, wanted, meter)
    }

    fn shown(&self, explored: &Explored, order: &Ordered<'_>, cycle: Way) -> Endless {
        let threads = self.system.model.threads() + 1;
        let steps = |way: Way| {
            let step = |(_, edge): (u32, Edge)| Taken {
                label: edge.label / threads,
                by: self.happens(&edge).1.into_iter().collect(),
                state: explored.node(order.nodes()[edge.target as usize]).0,
            };
            way.into_iter().map(step).collect()
        };
        let (_, first) = cycle[0];
        let (happening, thread) = self.happens(&first);
        let path = steps(order.path(cycle[0].0));
        let waits = matches!(happening, Happening::Wait(_));
        let cycle = if waits { Vec::new() } else { steps(cycle) };
        Endless { path, cycle, thread: thread.unwrap_or(0) }
    }
}
