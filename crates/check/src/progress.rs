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
//! is excluded (`assume`, the bound on the heap) is no step; what would come after it is not considered.
//!
//! Departure from the papers: cycles are looked for in the states of the object under the clients of
//! the check (not in a quotient), so a violation is an execution; *holds* is for these clients.
//! The graph is searched for cycles each time it has doubled, so that a violation is found without
//! the rest of the graph. Merging of states: see `threads`.

use std::collections::VecDeque;
use std::sync::Arc;

use linchpin_engine::{Limit, Progress, Statistics, Unfolded, Unfolding, components};
use linchpin_lts::{LabelledSystem, Verdict};
use linchpin_model::Model;
use linchpin_model::program::{Check, Condition, Program};

use crate::method::Method;
use crate::product::Violation;
use crate::report::{CheckError, Counterexample, NO_SCHEDULE, Options, Report};
use crate::retrace::{Edge, Retrace};
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
        .map_err(CheckError::Unsupported)?;
    let system = Threads::new(&model, reductions, Mode::Spin);
    let mut search = Search {
        system: &system,
        graph: Unfolding::new(&system),
        threads: Vec::new(),
        before: Vec::new(),
        condition: check.condition.clone(),
    };
    let (found, statistics) = search.run(options);
    let verdict = match found {
        Found::Nothing => Verdict::Holds,
        Found::Stopped(limit) => Verdict::Unknown(limit),
        Found::Fault(path) => {
            let lifted = Retrace::new(&system).walk(&search.graph, &path);
            let (schedule, _, fault) = lifted.ok_or(NO_SCHEDULE)?;
            Verdict::Violated(Counterexample {
                violation: Violation::Fault(fault.ok_or(NO_SCHEDULE)?),
                schedule,
            })
        }
        Found::Endless { path, cycle, thread } => {
            let mut retrace = Retrace::new(&system);
            let waits = matches!(cycle.as_slice(), [(s, e)] if search.is_wait(*s, e));
            let around = if waits { &[][..] } else { &cycle[..] };
            let both = [&path[..], around].concat();
            let (mut schedule, ends, _) = retrace.walk(&search.graph, &both).ok_or(NO_SCHEDULE)?;
            let cycle = schedule.turns.split_off(ends[path.len()]);
            Verdict::Violated(Counterexample {
                violation: Violation::Endless { cycle, thread },
                schedule,
            })
        }
    };
    let method = Method::Refinement;
    Ok(Report { verdict, statistics, sets: 0, reductions, method, minimal: None })
}

/// What a search found.
enum Found {
    Nothing,
    Stopped(Limit),
    /// The last edge of this path is a fault.
    Fault(Vec<Edge>),
    /// After the path the cycle goes on for ever, and this thread does not get what it should.
    Endless {
        path: Vec<Edge>,
        cycle: Vec<Edge>,
        thread: u32,
    },
}

struct Search<'m, 's> {
    system: &'s Threads<'m>,
    graph: Unfolding<'s, Threads<'m>>,
    /// The thread of every group of the graph that is met.
    threads: Vec<u32>,
    /// By which edge a state was found first.
    before: Vec<Option<Edge>>,
    condition: Condition,
}

/// The thread of steps that are nobody's.
const NOBODY: u32 = u32::MAX;

/// States after which cycles are looked for the first time.
const FIRST: u32 = 1 << 10;

impl Search<'_, '_> {
    fn run(&mut self, options: &Options<'_>) -> (Found, Statistics) {
        // The beginning is state 0; states are expanded in the order of their numbers, which is
        // breadth first.
        let Ok(begin) = self.graph.initial() else { unreachable!("models have no trouble") };
        self.before.push(None);
        let (mut next, mut look) = (begin, FIRST);
        let mut depth = 0;
        let mut level = self.graph.states();
        while next < self.graph.states() {
            if next == level {
                depth += 1;
                level = self.graph.states();
            }
            let Ok(steps) = self.graph.steps(next) else { unreachable!("models have no trouble") };
            let steps = steps.to_vec();
            self.before.resize(self.graph.states() as usize, None);
            for step in &steps {
                self.note_group(step.group);
                if self.before[step.target as usize].is_none() && step.target != begin {
                    self.before[step.target as usize] = Some((next, *step));
                }
                if self.system.happening(step.label) == Happening::Fault {
                    let mut path = self.path(next);
                    path.push((next, *step));
                    return (Found::Fault(path), self.statistics(depth));
                }
            }
            next += 1;
            if next == look {
                look *= 2;
                if let Some(found) = self.endless(next) {
                    return (found, self.statistics(depth));
                }
            }
            if next.is_multiple_of(4_096) {
                let statistics = self.statistics(depth);
                let frontier = u64::from(self.graph.states() - next);
                let progress = Progress { statistics, frontier };
                if let Some(limit) = options.budget.exceeded(&progress) {
                    let found = self.endless(next).unwrap_or(Found::Stopped(limit));
                    return (found, statistics);
                }
            }
        }
        let found = self.endless(next).unwrap_or(Found::Nothing);
        (found, self.statistics(depth))
    }

    fn note_group(&mut self, group: u32) {
        while self.threads.len() <= group as usize {
            let thread = self.graph.group(self.threads.len() as u32).first();
            self.threads.push(thread.copied().unwrap_or(NOBODY));
        }
    }

    fn statistics(&self, depth: u32) -> Statistics {
        let (states, memory) = (u64::from(self.graph.states()), self.graph.memory());
        Statistics {
            states,
            nodes: states,
            transitions: self.graph.transitions() as u64,
            depth,
            widest: 0,
            memory: (memory + self.before.capacity() * size_of::<Option<Edge>>()) as u64,
        }
    }

    /// The path by which a state was found.
    fn path(&self, state: u32) -> Vec<Edge> {
        let mut path = Vec::new();
        let mut state = state;
        while let Some(edge) = self.before[state as usize] {
            path.push(edge);
            state = edge.0;
        }
        path.reverse();
        path
    }

    fn is_wait(&self, state: u32, step: &Unfolded) -> bool {
        step.target == state && matches!(self.system.happening(step.label), Happening::Wait(_))
    }

    /// Looks among the first states for a cycle that violates the condition.
    fn endless(&mut self, count: u32) -> Option<Found> {
        let threads = self.system.model.threads();
        let mut best: Option<(Vec<Edge>, u32)> = None;
        let mut consider = |found: Option<(Vec<Edge>, u32)>| {
            if let Some((cycle, thread)) = found
                && best.as_ref().is_none_or(|(b, _)| (cycle[0].0, cycle.len()) < (b[0].0, b.len()))
            {
                best = Some((cycle, thread));
            }
        };
        match self.condition {
            Condition::LockFree => consider(self.cycle(count, Kind::Anybody)),
            Condition::WaitFree => {
                (0..threads).for_each(|t| consider(self.cycle(count, Kind::With(t))));
            }
            _ => (0..threads).for_each(|t| consider(self.cycle(count, Kind::Alone(t)))),
        }
        let (cycle, thread) = best?;
        Some(Found::Endless { path: self.path(cycle[0].0), cycle, thread })
    }

    /// A short cycle of this kind among the first states, from the first state possible, and the
    /// thread it is about.
    fn cycle(&mut self, count: u32, kind: Kind) -> Option<(Vec<Edge>, u32)> {
        let Search { system, graph, threads, .. } = self;
        let mut allowed = |step: &Unfolded| {
            let thread = threads[step.group as usize];
            let returns = matches!(system.happening(step.label), Happening::Return(_, _));
            thread != NOBODY
                && step.target < count
                && match kind {
                    Kind::Anybody => !returns,
                    Kind::Alone(t) => thread == t && !returns,
                    Kind::With(t) => thread != t || !returns,
                }
        };
        let component = components(count, |state, cursor| {
            let steps = known(graph, state);
            let place = steps.iter().skip(*cursor).position(&mut allowed)?;
            *cursor += place + 1;
            Some(steps[*cursor - 1].target)
        });
        // The first edge inside a component; of the thread, if it is about one.
        for state in 0..count {
            for i in 0..known(graph, state).len() {
                let step = known(graph, state)[i];
                let thread = threads[step.group as usize];
                let wanted = match kind {
                    Kind::Anybody => true,
                    Kind::With(t) | Kind::Alone(t) => thread == t,
                };
                if !wanted
                    || !allowed(&step)
                    || component[step.target as usize] != component[state as usize]
                {
                    continue;
                }
                // A shortest way back.
                let mut from: Vec<Option<Edge>> = vec![None; count as usize];
                let mut todo = VecDeque::from([step.target]);
                while let Some(here) = todo.pop_front() {
                    if here == state {
                        break;
                    }
                    for next in known(graph, here) {
                        let target = next.target as usize;
                        if allowed(next)
                            && component.get(target) == Some(&component[state as usize])
                            && next.target != step.target
                            && from[target].is_none()
                        {
                            from[target] = Some((here, *next));
                            todo.push_back(next.target);
                        }
                    }
                }
                let mut cycle = Vec::new();
                let mut here = state;
                while here != step.target {
                    let edge = from[here as usize]?;
                    cycle.push(edge);
                    here = edge.0;
                }
                cycle.push((state, step));
                cycle.reverse();
                return Some((cycle, thread));
            }
        }
        None
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

/// The steps of a state that has been expanded.
fn known<'g, S: LabelledSystem>(graph: &'g mut Unfolding<'_, S>, state: u32) -> &'g [Unfolded] {
    match graph.steps(state) {
        Ok(steps) => steps,
        Err(_) => unreachable!("they were computed before"),
    }
}
